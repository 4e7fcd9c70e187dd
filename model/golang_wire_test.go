package model

import (
	"cmp"
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// goStart is a goConfig of a few threads, so that no send waits for one, and with one name server that
// nothing happens to.
func goStart(release string, n int, faults ...config.Fault) config.Config {
	cfg := goConfig(release, n)
	cfg.Duration = 200 * sim.Second
	cfg.Faults = faults
	return cfg
}

// master is the master of broker b as a target.
func master(b int) []config.Target { return []config.Target{{Kind: config.BrokerTarget, Index: b}} }

// afterPoll is a second after a route poll of the first instance: nothing it knows changes for 29 s.
func afterPoll(cfg config.Config) sim.Duration {
	return New(cfg, nil).phase(ownerInstance(0), phaseRoutePoll, 30*sim.Second) + 61*sim.Second
}

// TestGoDialBlocksAll: a client has one lock for getting a connection, and whoever dials holds it
// (connect, §9). A host that answers no SYN is dialed until the context of the attempt is over, by one
// attempt after the other. With sends that come each 100 ms and alternate between the brokers, each on
// the healthy one waits for the dial of the one before it: 3 s less the 100 ms that it came later.
func TestGoDialBlocksAll(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goStart(release, 2)
		cfg.Topics[0].WriteQueueNums = 1
		p := &cfg.Producers[0]
		p.Rate, p.Settings.RetryTimesWhenSendFailed = 10, 0
		at := afterPoll(cfg)
		// The address goes with the process: connections end with FIN, then nothing answers.
		cfg.Faults = []config.Fault{{Name: "f", Kind: config.Vanish, At: at, Targets: master(0)}}
		cfg.Duration = at + 25*sim.Second
		obs := &goTally{}
		runWorld(t, cfg, obs)
		n := 0
		slices.SortFunc(obs.attempts, func(a, b Attempt) int { return cmp.Compare(a.Began, b.Began) })
		dead := slices.IndexFunc(obs.attempts, func(a Attempt) bool {
			return a.Began >= sim.Time(at) && a.Queue.Broker == 0
		})
		for i, a := range obs.attempts {
			took := a.Ended.Sub(a.Began)
			switch healthy := a.Queue.Broker == 1; {
			case i < dead:
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
	for _, release := range strategy.GoReleases() {
		cfg := goStart(release, 2)
		cfg.Topics[0].WriteQueueNums = 1
		p := &cfg.Producers[0]
		p.Rate, p.Settings.RetryTimesWhenSendFailed = 10, 0
		p.TimerWakeup = must(sim.Constant(200 * sim.Millisecond))
		at := afterPoll(cfg)
		cfg.Faults = []config.Fault{{Name: "f", Kind: config.Vanish, At: at, Targets: master(0)}}
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

// TestGoFINTellsNobody: a FIN takes a connection out of the table, and the request in flight waits for
// its own timeout; Java 5.3.3 is told at once (§9; §6, failFast).
func TestGoFINTellsNobody(t *testing.T) {
	for _, client := range append(strategy.GoReleases(), "java") {
		cfg := goConfig("2.1.2", 2)
		if client == "java" {
			cfg.Producers = configtest.Small("5.3.3", 2).Producers
		} else {
			cfg.Producers[0].Release = client
		}
		cfg.Duration = 60 * sim.Second
		cfg.Producers[0].Rate, cfg.Topics[0].WriteQueueNums = 2, 1
		for b := range cfg.Brokers {
			cfg.Brokers[b].Service = must(sim.Constant(1900 * sim.Millisecond))
		}
		cfg.Faults = []config.Fault{{Name: "kill", Kind: config.Kill, At: 30 * sim.Second, Targets: master(0)}}
		obs := &goTally{}
		runWorld(t, cfg, obs)
		n := 0
		for _, a := range obs.attempts {
			struck := a.Began < sim.Time(30*sim.Second) && a.Ended > sim.Time(30*sim.Second)
			if !struck || a.Queue.Broker != 0 {
				continue
			}
			n++
			switch took := a.Ended.Sub(a.Began) / sim.Millisecond; {
			case client == "java":
				if a.Outcome.Kind != strategy.OutcomeSendRequestFailed || took > 1900 {
					t.Errorf("java: %v after %d ms", a.Outcome, took)
				}
			case a.Outcome.Kind != strategy.OutcomeTimeout || took != 3001:
				t.Errorf("%s: %v after %d ms", client, a.Outcome, took)
			}
		}
		if n == 0 {
			t.Errorf("%s: nothing was in flight", client)
		}
	}
}

// TestGoTwelveSeconds: with nobody left, a send takes four attempts of 3 s each, which share no budget
// (§9), and a thread wakes 1 ms late from each.
func TestGoTwelveSeconds(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goStart(release, 2)
		cfg.Duration = 60 * sim.Second
		cfg.Producers[0].Rate = 5
		cfg.Faults = []config.Fault{{
			Name: "dark", Kind: config.PowerLoss, At: 20 * sim.Second, Targets: append(master(0), master(1)...),
		}}
		obs := &goTally{}
		runWorld(t, cfg, obs)
		n := 0
		for _, a := range obs.all {
			if a.Scheduled < sim.Time(21*sim.Second) {
				continue
			}
			n++
			took := a.At.Sub(a.Began) / sim.Millisecond
			if a.Attempts != 4 || took != 12004 || a.Result.Exception != strategy.GoRequestTimeout {
				t.Fatalf("%s: %v after %d attempts and %d ms", release, a.Result, a.Attempts, took)
			}
		}
		if n < 100 {
			t.Errorf("%s: %d sends", release, n)
		}
	}
}

// TestGoSilentBroker: the timeline of a master that loses its power, seen by the Go client and by Java
// 5.3.3 with avoidance off, in one world. Go keeps the dead connection, as a timeout closes nothing: each
// attempt there takes 3 s, and the head's retry goes elsewhere, so that no send fails. Only 120 s after
// it last read something does it close the connection and dial, in this seed before the route changes.
// Java closes at the first timeout, then finds that nothing answers a SYN, and a hang uses up its whole
// budget.
func TestGoSilentBroker(t *testing.T) {
	cfg := goConfig(strategy.GoHead, 3)
	java := configtest.Small("5.3.3", 3).Producers[0]
	java.Name, java.Arrivals = "j", config.Constant
	cfg.Producers = append(cfg.Producers, java)
	for i := range cfg.Producers {
		cfg.Producers[i].Rate, cfg.Producers[i].Threads = 50, 512
	}
	const at = 20 * sim.Second
	cfg.Duration = 240 * sim.Second
	cfg.Faults = []config.Fault{{Name: "f", Kind: config.PowerLoss, At: at, Targets: master(0)}}
	obs := &goTally{}
	w := New(cfg, obs)
	gone := [2]sim.Duration{}
	for now := sim.Duration(0); now <= cfg.Duration; now += sim.Second {
		runTo(t, w, now)
		for g := range gone {
			if gone[g] == 0 && w.Routed(g, 0) == 0 {
				gone[g] = now - at
			}
		}
	}
	for g, d := range gone {
		if d < 90*sim.Second || d > 150*sim.Second {
			t.Errorf("group %d: the route is gone after %v", g, d)
		}
	}
	last := sim.Time(0) // that an answer came
	for _, a := range obs.attempts {
		if a.Group == 0 && a.Queue.Broker == 0 && a.Outcome.Kind == strategy.OutcomeOK {
			last = max(last, a.Ended)
		}
	}
	closes := last.Add(120 * sim.Second)
	ends := [2]map[strategy.OutcomeKind]int{{}, {}}
	for _, a := range obs.attempts {
		if a.Queue.Broker != 0 || a.Began < sim.Time(at) || a.Outcome.Kind == strategy.OutcomeOK {
			continue
		}
		ends[a.Group][a.Outcome.Kind]++
		dials := a.Outcome.Kind == strategy.OutcomeConnectFailed
		if a.Group == 0 && dials != (a.Began >= closes) {
			t.Errorf("Go: %v of an attempt %v after", a.Outcome, a.Began.Sub(sim.Time(at)))
		}
	}
	failed := [2]int{}
	for _, a := range obs.all {
		if a.Result.Exception != strategy.ExceptionNone && a.Scheduled < closes {
			failed[a.Group]++
		}
	}
	if n := ends[0][strategy.OutcomeTimeout]; n < 1900 || failed[0] > 0 {
		t.Errorf("Go: %v, %d sends fail", ends[0], failed[0])
	}
	if ends[1][strategy.OutcomeConnectFailed] == 0 || ends[1][strategy.OutcomeTimeout] > 200 || failed[1] == 0 {
		t.Errorf("Java: %v, %d sends fail", ends[1], failed[1])
	}
}

// TestGoReadTimeout: 120 s after it last read something, the Go client closes a connection, from 2.1.1
// on; 2.1.0 keeps it. A pause holds the broker in the routes of a name server that never forgets.
func TestGoReadTimeout(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goStart(release, 2)
		cfg.Producers[0].Rate, cfg.Producers[0].Threads = 1, 512
		cfg.Producers[0].Settings.RetryTimesWhenSendFailed = 0
		const at = 20 * sim.Second
		cfg.Duration = 300 * sim.Second
		// Only the producer loses sight of it.
		cfg.Faults = []config.Fault{{
			Name: "cut", Kind: config.Partition, At: at, Targets: master(0),
			To: []config.Target{{Kind: config.ProducerTarget, Index: 0, ID: 0}},
		}}
		obs := &goTally{}
		runWorld(t, cfg, obs)
		first := sim.Time(0)
		for _, a := range obs.attempts {
			if a.Outcome.Kind == strategy.OutcomeConnectFailed && first == 0 {
				first = a.Began
			}
		}
		switch since := first.Sub(sim.Time(at)); {
		case release == "2.1.0" && first != 0:
			t.Errorf("2.1.0: dials after %v", since)
		case release != "2.1.0" && (since < 110*sim.Second || since > 125*sim.Second):
			t.Errorf("%s: dials first after %v", release, since)
		}
	}
}

// TestGoLookups: a route poll asks the name servers in turn, and goes on to the next if one does not
// answer within 3 s, from 2.1.2 on 6 s, so that one dead name server never hides a change of the route
// (§9), and heartbeats do not wait for polls, except that they first wait for the lookup that is on.
func TestGoLookups(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goStart(release, 2)
		cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: "5.3.3"})
		at := afterPoll(cfg)
		cfg.Duration = at + 100*sim.Second
		cfg.Faults = []config.Fault{
			{
				Name: "ns", Kind: config.Pause, At: at,
				Targets: []config.Target{{Kind: config.NameServerTarget, Index: 0}},
			},
			{Name: "kill", Kind: config.Kill, At: at, Targets: master(0)},
		}
		w := New(cfg, nil)
		var gone sim.Duration
		for now := at; now < cfg.Duration; now += 100 * sim.Millisecond {
			if runTo(t, w, now); gone == 0 && w.Routed(0, 0) == 0 {
				gone = now - at
			}
		}
		// The first poll comes 29 s after the kill, and asks either of the two first.
		timeout := 6 * sim.Second
		if release < "2.1.2" {
			timeout = 3 * sim.Second
		}
		switch d := gone - 29*sim.Second; {
		case d <= 200*sim.Millisecond: // the one that answers was first
		case d < timeout, d > timeout+200*sim.Millisecond:
			t.Errorf("%s: the route changes %v after the poll", release, d)
		}
	}
}
