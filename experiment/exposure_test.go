package experiment

import (
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// levels writes down how many messages are at risk from when on.
type levels struct {
	model.Observer
	at       []sim.Time
	messages []int64
	now      int64
}

func (l *levels) FateChanged(c *model.FateChange) {
	l.Observer.FateChanged(c)
	switch model.AtRisk {
	case c.To:
		l.now++
	case c.From:
		l.now--
	default:
		return
	}
	l.at, l.messages = append(l.at, c.At), append(l.messages, l.now)
}

// max is the definition: the highest level at any instant from <= t < to.
func (l *levels) max(from, to sim.Time) int64 {
	most, before := int64(0), int64(0)
	for i, at := range l.at {
		if at >= to {
			break
		}
		if at >= from {
			most = max(most, before, l.messages[i])
		}
		before = l.messages[i]
	}
	return max(most, before)
}

// exposedConfig has a broker without a slave that is killed, one that loses power with its slave, and a
// quiet broker that flushes rarely, so that something is at risk for long.
func exposedConfig() config.Config {
	cfg := testConfig("5.3.3", 3)
	cfg.Brokers[0].Slaves = 0
	cfg.Brokers[1].Slaves = 1
	cfg.Producers[0].Rate = 60
	cfg.Faults = []config.Fault{
		fault("shot", config.Kill, 20*sim.Second, 3*sim.Second, master(0)),
		fault("cut", config.PowerLoss, 40*sim.Second, 0, master(1), config.Target{Index: 1, ID: 1}),
	}
	return cfg
}

// Goal: what is shown of the messages at risk is the highest level in each phase, window and range,
// also if it was reached before that began. Method: the definition, from all changes of level.
func TestAtRiskIsTheHighestLevel(t *testing.T) {
	cfg := exposedConfig()
	var l *levels
	sc := testScenario(cfg)
	for _, from := range []sim.Duration{7 * sim.Second, 7*sim.Second + 300*sim.Millisecond, 39 * sim.Second} {
		e := atLeast(expectation("at_risk_max", ""), 0)
		e.From, e.To = sim.Time(from), sim.Time(from+5*sim.Millisecond)
		sc.Expectations = append(sc.Expectations, e)
	}
	r := &runner{sc: sc}
	r.make = func(cfg config.Config, obs model.Observer) world {
		l = &levels{Observer: obs}
		return model.New(cfg, l)
	}
	run := must(r.guarded(t.Context()))
	for _, x := range run.Exposures {
		for _, p := range run.Phases {
			if p.Name != x.Phase {
				continue
			}
			// A fault takes over what there is when it strikes: at its instant the level is still high.
			if want := l.max(sim.Time(p.FromNS), sim.Time(p.ToNS)); x.AtRisk != want {
				t.Errorf("%s: %d messages at risk, want %d", x.Phase, x.AtRisk, want)
			}
		}
	}
	for _, w := range run.Series.Windows {
		to := sim.Time(w.FromNS + run.Series.WindowNS)
		if want := l.max(sim.Time(w.FromNS), to); w.AtRisk != want || w.AtRiskBytes != 1024*want {
			t.Errorf("window at %v: %d messages, %d bytes at risk, want %d messages", ns(w.FromNS), w.AtRisk,
				w.AtRiskBytes, want)
		}
	}
	for i, e := range run.Expectations {
		want := l.max(sc.Expectations[i].From, sc.Expectations[i].To)
		if e.Actual == nil || *e.Actual != float64(want) {
			t.Errorf("range %d: %v at risk, want %d", i, e.Actual, want)
		}
	}
	if run.Exposures[0].AtRisk == 0 {
		t.Error("nothing was ever at risk: the test shows nothing")
	}
}

// Goal: what a dead broker without a slave has stored is unreadable while it is dead; what a broker
// lost with its slave is, too, less what the power loss destroyed.
func TestUnreadable(t *testing.T) {
	run := must(Run(t.Context(), testScenario(exposedConfig()), Options{}))
	unreadable := map[string]int64{}
	for _, x := range run.Exposures {
		unreadable[x.Phase] = x.Unreadable
	}
	// 60 messages a second, a third of them on a, for 20 s; for 40 s on b. The kill is over at 23 s, but a
	// takes 2 s to start.
	for phase, want := range map[string]int64{
		result.PhaseWarmup: 0, "before": 0, "fault.shot": 400, "recovery.shot": 400, "fault.cut": 800,
		result.PhaseAll: 800,
	} {
		if got := unreadable[phase]; got < want*8/10 || got > want*12/10 {
			t.Errorf("%s: %d messages unreadable, want about %d", phase, got, want)
		}
	}
	for _, w := range run.Series.Windows {
		b := w.Brokers
		dead := w.FromNS >= 20e9 && w.FromNS <= 25e9 // it starts for 2 s
		if (b[0].Unreadable > 0) != dead || b[2].Unreadable > 0 {
			t.Errorf("window at %v: %d and %d messages unreadable on a and c", ns(w.FromNS), b[0].Unreadable,
				b[2].Unreadable)
		}
		if w.Unreadable != b[0].Unreadable+b[1].Unreadable {
			t.Errorf("window at %v: %d messages unreadable, on brokers %d and %d", ns(w.FromNS),
				w.Unreadable, b[0].Unreadable, b[1].Unreadable)
		}
	}
}

// Goal: bytes that only a master has are shown by broker: those in its memory, and those that its slave
// lacks. Method: a slave that is killed and does not come back.
func TestBytesOnOneLeg(t *testing.T) {
	cfg := testConfig("5.3.3", 1)
	cfg.Faults = []config.Fault{fault("shot", config.Kill, 20*sim.Second, 0, config.Target{ID: 1})}
	run := must(Run(t.Context(), &scenarios.Scenario{
		Name: "test", Config: cfg, Phases: testPhases(&cfg),
	}, Options{}))
	for _, w := range run.Series.Windows {
		b := &w.Brokers[0]
		// 400 KiB a second, flushed each half second.
		if b.UnsyncedBytes < 100<<10 || b.UnsyncedBytes > 400<<10 || b.UnsyncedBytes > w.AtRiskBytes {
			t.Errorf("window at %v: %d bytes in memory only, %d at risk", ns(w.FromNS), b.UnsyncedBytes,
				w.AtRiskBytes)
		}
		// The slave's bytes leave each 100 ms.
		want := 400 << 10 * max(0, w.FromNS+1e9-20e9) / 1e9
		if b.SingleBytes < want*8/10 || b.SingleBytes > want*12/10+48<<10 {
			t.Errorf("window at %v: %d bytes without a slave, want about %d", ns(w.FromNS), b.SingleBytes, want)
		}
	}
}
