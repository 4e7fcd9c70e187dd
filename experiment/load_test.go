package experiment

import (
	"math"
	"testing"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/sim"
)

// overloaded has a broker whose put lock is held for a time, so that it refuses sends, and one that
// takes its place.
func overloaded() config.Config {
	cfg := testConfig("5.3.3", 2)
	cfg.Duration, cfg.Warmup = 40*sim.Second, 5*sim.Second
	cfg.Producers[0].Rate = 1000
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		b.SendThreads = 1
		b.FastFailure, b.WaitTimeInQueue = true, 200*sim.Millisecond
		b.QueueCapacity = 100
	}
	cfg.Faults = []config.Fault{fault("held", config.LockHold, 20*sim.Second, 5*sim.Second, master(0))}
	return cfg
}

// Goal: what is shown of the load of the brokers sums to the world's own account, whether by phase or
// by window, and a range holds what happens in it.
func TestLoadSums(t *testing.T) {
	sc := testScenario(overloaded())
	for _, name := range []string{"busy_replies", "broker_utilisation", "broker_queue_mean"} {
		e := atLeast(expectation(name, ""), 0)
		e.Broker, e.From, e.To = 0, sim.Time(20*sim.Second), sim.Time(21500*sim.Millisecond)
		sc.Expectations = append(sc.Expectations, e)
	}
	r := &runner{sc: sc}
	run := must(r.guarded(t.Context()))
	for b, name := range []string{"a", "b"} {
		load := r.world.Load(b)
		var byPhase, byWindow, queuedByPhase float64
		var refused, windows int64
		for _, row := range run.Brokers {
			for _, p := range run.Phases {
				if p.Name != row.Phase || row.Name != name || p.Name == result.PhaseAll {
					continue
				}
				byPhase += row.Utilisation * float64(p.ToNS-p.FromNS)
				queuedByPhase += row.Queue * float64(p.ToNS-p.FromNS)
				for _, c := range row.Refused {
					refused += c.N
				}
			}
		}
		for _, w := range run.Series.Windows {
			byWindow += w.Brokers[b].Utilisation * float64(run.Series.WindowNS)
			windows += w.Brokers[b].Busy
		}
		if !near(byPhase, float64(load.Busy)) || !near(byWindow, float64(load.Busy)) {
			t.Errorf("%s was busy for %v, by phases %v, by windows %v", name, load.Busy, byPhase, byWindow)
		}
		if !near(queuedByPhase, float64(load.Queued)) {
			t.Errorf("%s had sends waiting for %v, by phases %v", name, load.Queued, queuedByPhase)
		}
		if refused != load.BusyReplies() || windows != refused {
			t.Errorf("%s refused %d, by phases %d, by windows %d", name, load.BusyReplies(), refused, windows)
		}
		if (refused > 0) != (name == "a") {
			t.Errorf("%s refused %d", name, refused)
		}
	}
	// 1.5 s of the hold: the one thread is in it all the time.
	if u := run.Expectations[1]; u.Actual == nil || *u.Actual < 0.99 || *u.Actual > 1 {
		t.Errorf("utilisation while the lock is held: %v", u.Actual)
	}
	if n := run.Expectations[0]; n.Actual == nil || *n.Actual == 0 {
		t.Errorf("no busy reply while the lock is held")
	}
}

// near allows for the nanosecond by which a stretch ends before its edge.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(a, b)+1000 }

// Goal: utilisation is the offered load per thread. Method: constant services of 2 ms, two threads, 500
// sends a second to each of two brokers: one half.
func TestUtilisationIsTheOfferedLoad(t *testing.T) {
	cfg := testConfig("5.3.3", 2)
	cfg.Producers[0].Rate = 1000
	for i := range cfg.Brokers {
		cfg.Brokers[i].SendThreads = 2
		cfg.Brokers[i].Service = must(sim.Constant(2 * sim.Millisecond))
	}
	run := must(Run(t.Context(), testScenario(cfg), Options{}))
	for _, b := range run.Brokers {
		if b.Phase == result.PhaseAll && math.Abs(b.Utilisation-0.5) > 0.02 {
			t.Errorf("%s: utilisation %v, want 0.5", b.Name, b.Utilisation)
		}
	}
}
