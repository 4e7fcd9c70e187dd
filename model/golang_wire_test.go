package model

import (
	"testing"

	"simrun/sim"
	"simrun/strategy"
)

// goStart is a goConfig of a few threads, so that no send waits for one, and with one name server that
// nothing happens to.
func goStart(release string, n int, faults ...Fault) Config {
	cfg := goConfig(release, n)
	cfg.Duration = 200 * sim.Second
	cfg.Faults = faults
	return cfg
}

// master is the master of broker b as a target.
func master(b int) []Target { return []Target{{Kind: BrokerTarget, Index: b}} }

// afterPoll is a second after a route poll of the first instance: nothing it knows changes for 29 s.
func afterPoll(cfg Config) sim.Duration {
	return New(cfg, nil).phase(ownerInstance(0), phaseRoutePoll, 30*sim.Second) + 61*sim.Second
}

// TestGoDialBlocksAll: a client has one lock for getting a connection, and whoever dials holds it
// (connect, §9). A host that answers no SYN is dialed until the context of the attempt is over, by one
// attempt after the other. With sends that come each 100 ms and alternate between the brokers, each on
// the healthy one waits for the dial of the one before it: 3 s less the 100 ms that it came later.
func TestGoDialBlocksAll(t *testing.T) {
	for _, release := range GoReleases() {
		cfg := goStart(release, 2)
		cfg.Topics[0].WriteQueueNums = 1
		p := &cfg.Producers[0]
		p.Rate, p.Settings.RetryTimesWhenSendFailed = 10, 0
		at := afterPoll(cfg)
		// The address goes with the process: connections end with FIN, then nothing answers.
		cfg.Faults = []Fault{{Name: "f", Kind: Vanish, At: at, Targets: master(0)}}
		cfg.Duration = at + 25*sim.Second
		obs := &goTally{}
		runWorld(t, cfg, obs)
		n := 0
		for _, a := range obs.attempts {
			took := a.Ended.Sub(a.Began)
			switch healthy := a.Queue.Broker == 1; {
			case a.Began < sim.Time(at+100*sim.Millisecond):
				if took > sim.Millisecond {
					t.Fatalf("%s: an attempt before takes %v", release, took)
				}
			case healthy:
				n++
				if a.Outcome.Kind != strategy.OutcomeOK || took < 2900*sim.Millisecond ||
					took > 2903*sim.Millisecond {
					t.Fatalf("%s: on the healthy broker: %v after %v", release, a.Outcome, took)
				}
			case a.Outcome.Kind != strategy.OutcomeConnectFailed || took/sim.Millisecond != 3001:
				t.Fatalf("%s: on the dead broker: %v after %v", release, a.Outcome, took)
			}
		}
		if n < 100 {
			t.Errorf("%s: %d attempts on the healthy broker", release, n)
		}
	}
}

// TestGoLateWriteClosesHealthyConnection: a call that has waited for the lock until its context was over
// gets it all the same, as a mutex knows no context. To 2.1.2 it writes its request, which is stored,
// and gives up at once; the head's write has the deadline of the context, fails, and closes the
// connection to the healthy broker (doRequest). The dials end 200 ms late here, so that all who wait
// come too late.
func TestGoLateWriteClosesHealthyConnection(t *testing.T) {
	for _, release := range GoReleases() {
		cfg := goStart(release, 2)
		cfg.Topics[0].WriteQueueNums = 1
		p := &cfg.Producers[0]
		p.Rate, p.Settings.RetryTimesWhenSendFailed = 10, 0
		p.TimerWakeup = must(sim.Constant(200 * sim.Millisecond))
		at := afterPoll(cfg)
		cfg.Faults = []Fault{{Name: "f", Kind: Vanish, At: at, Targets: master(0)}}
		cfg.Duration = at + 25*sim.Second
		obs := &goTally{}
		w := runWorld(t, cfg, obs)
		ends := map[strategy.OutcomeKind]int{}
		for _, a := range obs.attempts {
			if a.Queue.Broker == 1 && a.Began >= sim.Time(at+100*sim.Millisecond) {
				ends[a.Outcome.Kind]++
			}
		}
		stored := int64(0)
		for _, row := range w.Ledger().Rows {
			if row.Answer == "ErrRequestTimeout" {
				stored = row.ByFate[AtRisk] + row.ByFate[Durable]
			}
		}
		timeouts, writes := ends[strategy.OutcomeTimeout], ends[strategy.OutcomeSendRequestFailed]
		if release == strategy.GoHead {
			if timeouts != 0 || writes < 50 {
				t.Errorf("%s: %v", release, ends)
			}
		} else if timeouts < 50 || writes != 0 || stored != int64(timeouts) {
			t.Errorf("%s: %v, of which %d are stored", release, ends, stored)
		}
	}
}
