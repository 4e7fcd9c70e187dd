package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Views of several name servers that differ, and the timeline of a killed master.

// One broker that one of two name servers does not hear of for more than 120 s: the views disagree, and
// producers are split by the name server they poll (apache/rocketmq issue 2297; broker.md §5: each name
// server is independent, a client sticks to one). When the broker is heard again its next registration
// heals it.
func TestNameServersDisagree(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.8", "5.3.3"} {
		cfg := nsConfig(release, 2, 2, 60)
		cfg.Duration = 400 * sim.Second
		cfg.Faults = []config.Fault{{
			Name: "cut", Kind: config.Partition, At: 40 * sim.Second, Duration: 200 * sim.Second,
			Targets: []config.Target{{}}, To: []config.Target{{Kind: config.NameServerTarget}},
		}}
		w := New(cfg, nil)
		split := func(at sim.Duration, lacks bool) {
			t.Helper()
			runTo(t, w, at)
			for i := range w.insts {
				n := w.insts[i].lookups.nameServer
				want := n == 1 || !lacks
				if got := w.publishes(int32(i), 0); got != want {
					t.Errorf("%s: at %v a client of name server %d lists the broker: %v", release, at, n+1, got)
				}
			}
		}
		split(129*sim.Second, false) // 120 s after the last registration, which was at most 30 s ago
		split(195*sim.Second, true)
		split(300*sim.Second, false)
	}
}

// A name server and a master on one host that loses its power (a host reboot at a user of codingw.net,
// post 8956924f). Clients of that name server take the next one and are rid of the master within 150 s
// from 4.9.1 on; before, they keep the dead channel, and with it the route.
func TestNameServerAndMasterOnOneHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		stale   bool
	}{{"4.9.0", true}, {"4.9.1", false}, {"4.9.8", false}, {"5.3.3", false}} {
		cfg := nsConfig(c.release, 2, 2, 60)
		cfg.Duration = 600 * sim.Second
		cfg.Hosts = []config.Host{{Name: "h", Runs: []config.Target{{}, {Kind: config.NameServerTarget}}}}
		cfg.Faults = []config.Fault{{
			Name: "memory", Kind: config.PowerLoss, At: 40 * sim.Second, Targets: []config.Target{{}},
		}}
		w := New(cfg, nil)
		var of []int32 // the name server that each client begins with
		for i := range w.insts {
			of = append(of, w.insts[i].lookups.nameServer)
		}
		runTo(t, w, 190*sim.Second)
		for _, at := range []sim.Duration{190 * sim.Second, cfg.Duration} {
			runTo(t, w, at)
			for i := range w.insts {
				want := c.stale && of[i] == 0
				if got := w.publishes(int32(i), 0); got != want {
					t.Errorf("%s: at %v a client of name server %d lists the dead master: %v", c.release, at,
						of[i]+1, got)
				}
			}
		}
	}
}

// A poll every 5 s instead of every 30 s leaves a sixth of the failures after a kill: they scale with the
// time until the next poll (apache/rocketmq issue 3870). Without retries each choice of the dead broker
// fails.
func TestFailuresScaleWithThePollInterval(t *testing.T) {
	t.Parallel()
	failures := func(poll sim.Duration) (n int) {
		for seed := range uint64(3) {
			cfg := nsConfig("5.3.3", 3, 1, 100)
			cfg.Seed = seed
			cfg.Duration = 80 * sim.Second
			p := &cfg.Producers[0]
			p.Rate, p.PollNameServerInterval = 300, poll
			p.Settings.RetryTimesWhenSendFailed = 0
			cfg.Faults = []config.Fault{{
				Name: "kill", Kind: config.Kill, At: 40 * sim.Second,
				Targets: []config.Target{{}},
			}}
			obs := &outcomes{cut: sim.Time(40 * sim.Second)}
			runTo(t, New(cfg, obs), cfg.Duration)
			n += obs.failedAfter
		}
		return n
	}
	slow, fast := failures(30*sim.Second), failures(5*sim.Second)
	// 100 sends a second to the dead broker, for half a poll on average.
	for _, c := range []struct {
		got  int
		want float64
	}{{slow, 3 * 100 * 15}, {fast, 3 * 100 * 2.5}} {
		if ratio := float64(c.got) / c.want; ratio < 0.85 || ratio > 1.15 {
			t.Errorf("%d failures, want about %.0f", c.got, c.want)
		}
	}
}

// killTimes notes the instants of a master's death that others see.
type killTimes struct {
	NopObserver
	at             sim.Time
	removed        []sim.Duration
	refused, other int
	worst          sim.Duration
	noRoute        int
}

func (o *killTimes) Process(p *ProcessEvent) {
	if p.What == Unregistered {
		o.removed = append(o.removed, p.At.Sub(o.at))
	}
}

func (o *killTimes) AttemptEnded(a *Attempt) {
	if a.Queue.Broker != 0 || a.Began < o.at.Add(sim.Millisecond) {
		return
	}
	switch a.Outcome.Kind {
	case strategy.OutcomeConnectFailed:
		o.refused++
	case strategy.OutcomeBrokerNotExist: // the route changed between two attempts of a send
	default:
		o.other++
	}
	o.worst = max(o.worst, a.Ended.Sub(a.Began))
}

func (o *killTimes) Answered(a *Answer) {
	if a.Result.Code == strategy.CodeNotFoundTopic {
		o.noRoute++
	}
}

// The timeline of a killed master (broker.md §10.3): at 0 + ms every name server removes it; until its
// next poll, 0 to 30 s, a client's connects are refused in about a round trip and its sends go elsewhere;
// then the queues are gone. A single group with a slave ends in "No route info", without one the old route
// is kept, and every connect refused. A restarted master registers at its start, and clients have it
// back 0 to 30 s later.
func TestTimelineOfAKilledMaster(t *testing.T) {
	t.Parallel()
	const at, down = 40 * sim.Second, 50 * sim.Second
	for _, release := range []string{"4.9.8", "5.3.3"} {
		for _, c := range []struct {
			name            string
			brokers, slaves int
		}{{"two groups", 2, 0}, {"one group with a slave", 1, 1}, {"one group without", 1, 0}} {
			cfg := nsConfig(release, c.brokers, 2, 40)
			cfg.Network.Latency = must(sim.Constant(200 * sim.Microsecond))
			cfg.Brokers[0].Slaves = c.slaves
			cfg.Producers[0].Rate = 100
			cfg.Faults = []config.Fault{{
				Name: "kill", Kind: config.Kill, At: at, Duration: down,
				Targets: []config.Target{{}},
			}}
			obs := &killTimes{at: sim.Time(at)}
			w := New(cfg, obs)
			runTo(t, w, at+down)
			if len(obs.removed) != 2 || obs.removed[1] > 10*sim.Millisecond {
				t.Errorf("%s, %s: the name servers remove it after %v", release, c.name, obs.removed)
			}
			listed, kept := w.Routed(0, 0), c.brokers == 1 && c.slaves == 0
			if want := map[bool]int{true: 40}[kept]; listed != want {
				t.Errorf("%s, %s: %d clients list it 50 s later, want %d", release, c.name, listed, want)
			}
			if obs.refused == 0 || obs.other > 0 || obs.worst > sim.Millisecond {
				t.Errorf("%s, %s: %d connects refused within %v, %d attempts ended otherwise", release, c.name,
					obs.refused, obs.worst, obs.other)
			}
			if (obs.noRoute > 0) != (c.slaves > 0) {
				t.Errorf("%s, %s: %d sends found no route", release, c.name, obs.noRoute)
			}
			runTo(t, w, at+down+30*sim.Second)
			if n := w.Routed(0, 0); n != 40 {
				t.Errorf("%s, %s: %d clients list it 30 s after its start", release, c.name, n)
			}
		}
	}
}
