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

// longest is the longest of the attempts on a broker that began in a span.
func (o *goTally) longest(broker int, from, to sim.Duration) (d sim.Duration) {
	for _, a := range o.attempts {
		if int(a.Queue.Broker) == broker && a.Began >= sim.Time(from) && a.Began < sim.Time(to) {
			d = max(d, a.Ended.Sub(a.Began))
		}
	}
	return d
}

// afterPoll is a second after a route poll of the first instance: nothing it knows changes for 29 s.
func afterPoll(cfg Config) sim.Duration {
	return New(cfg, nil).phase(ownerInstance(0), phaseRoutePoll, 30*sim.Second) + 61*sim.Second
}

// TestGoDialBlocksAll: a client has one lock for getting a connection, and whoever dials holds it
// (connect, §9). A host that answers no SYN is dialed for as long as the context of the attempt lasts,
// by one attempt after the other, so that attempts on the healthy broker, which need a millisecond,
// take up to 3 s. None of them fails.
func TestGoDialBlocksAll(t *testing.T) {
	for _, release := range GoReleases() {
		cfg := goStart(release, 2)
		cfg.Producers[0].Rate, cfg.Producers[0].Threads = 100, 2048
		at := afterPoll(cfg)
		// The address goes with the process: connections end with FIN, then nothing answers.
		cfg.Faults = []Fault{{Name: "f", Kind: Vanish, At: at, Targets: master(0)}}
		cfg.Duration = at + 25*sim.Second
		obs := &goTally{}
		runWorld(t, cfg, obs)
		before, after := obs.longest(1, 0, at), obs.longest(1, at, at+20*sim.Second)
		if before > sim.Millisecond || after < 2950*sim.Millisecond || after > 3050*sim.Millisecond {
			t.Errorf("%s: attempts on the healthy broker take up to %v, then %v", release, before, after)
		}
		for _, a := range obs.attempts {
			if a.Queue.Broker == 1 && a.Outcome.Kind != strategy.OutcomeOK {
				t.Fatalf("%s: an attempt on the healthy broker ends in %v", release, a.Outcome)
			}
		}
	}
}
