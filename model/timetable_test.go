package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// strikesOf are the strikes of a fault of a world, as they are planned.
func strikesOf(w *World, fault int32) []strike {
	var out []strike
	for _, s := range w.strikes {
		if s.fault == fault {
			out = append(out, s)
		}
	}
	return out
}

// A flapping fault strikes once in each period, at most Jitter late, for Down, and not beyond its end.
func TestFlapping(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		cfg := configtest.Small("5.3.3", 2)
		span := func(what string, from, to sim.Duration) sim.Duration {
			return sim.Duration(rapid.Int64Range(int64(from), int64(to)).Draw(rt, what))
		}
		f := config.Fault{
			Name: "f", Kind: config.Kill, Targets: []config.Target{{}, {Index: 1}}, At: span("at", 0,
				20*sim.Second),
			Duration: span("duration", 0, 50*sim.Second), Period: span("period", 10, 9*sim.Second),
		}
		f.Period = max(f.Period, 50*sim.Millisecond)
		f.Jitter = span("jitter", 0, f.Period/2)
		f.Down = span("down", 1, f.Period-f.Jitter-1)
		cfg.Faults = []config.Fault{f}
		w := New(cfg, nil)
		from, to := w.window(&f)
		next, late := from, 0
		for _, s := range w.strikes {
			if s.from.Sub(next) > f.Jitter || s.from < next {
				rt.Fatalf("a strike at %v, period from %v, jitter %v", s.from, next, f.Jitter)
			}
			if s.from > next {
				late++
			}
			if end := min(s.from.Add(f.Down), to); s.to != end {
				rt.Fatalf("the strike at %v ends at %v, not at %v", s.from, s.to, end)
			}
			next = next.Add(f.Period)
		}
		if next.Add(f.Jitter) < to {
			rt.Fatalf("the last strike is before %v, the fault ends at %v", next, to)
		}
		if f.Jitter > sim.Microsecond && len(w.strikes) > 20 && late == 0 {
			rt.Fatal("no strike is late")
		}
	})
}

// A random fault strikes each target Rate times a second of the time that it is well, for as long as
// Repair says; each target has luck of its own, which other faults and targets leave alone.
func TestRandomFaultKeepsItsRate(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 3)
	cfg.Duration = 20_000 * sim.Second
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.Kill, Targets: []config.Target{{}, {Index: 1}}, At: sim.Second, Rate: 0.2,
		Repair: must(sim.Exponential(2 * sim.Second)),
	}}
	w := New(cfg, nil)
	var well, ill [2]sim.Duration
	var n [2]float64
	var free [2]sim.Time
	for i := range free {
		free[i] = sim.Time(cfg.Faults[0].At)
	}
	for _, s := range w.strikes {
		b := s.targets[0].Index
		if len(s.targets) != 1 || s.from <= free[b] || s.to <= s.from {
			t.Fatalf("strike %+v, its target is well from %v on", s, free[b])
		}
		well[b] += s.from.Sub(free[b])
		ill[b] += s.to.Sub(s.from)
		n[b]++
		free[b] = s.to
	}
	for b := range n {
		// The mean of n exponential times is within 4 of its standard deviations, mean/√n.
		for _, m := range []struct {
			what      string
			sum       sim.Duration
			mean      float64
			tolerance float64
		}{{"well", well[b], 5, 4}, {"ill", ill[b], 2, 4}} {
			got := float64(m.sum) / float64(sim.Second) / n[b]
			if math.Abs(got-m.mean) > m.tolerance*m.mean/math.Sqrt(n[b]) {
				t.Errorf("broker %d is %s for %.3fs on average, %.0f times; want %vs", b, m.what, got, n[b],
					m.mean)
			}
		}
	}
	again := cfg
	again.Faults = append([]config.Fault(nil), cfg.Faults...)
	again.Faults[0].Targets = append(again.Faults[0].Targets, config.Target{Index: 2})
	again.Faults = append(again.Faults, config.Fault{
		Name: "g", Kind: config.Pause, Targets: []config.Target{{}}, At: 1, Period: sim.Second, Down: 1,
	})
	for i, s := range strikesOf(New(again, nil), 0)[:len(w.strikes)] {
		if first := w.strikes[i]; s.from != first.from || s.to != first.to {
			t.Fatalf("strike %d is from %v to %v, and from %v to %v without the others", i, s.from, s.to,
				first.from, first.to)
		}
	}
	cfg.Seed++
	if other := New(cfg, nil); other.strikes[0].from == w.strikes[0].from {
		t.Error("another seed, the same first strike")
	}
}

// A fault that strikes machines strikes each once, whoever of its processes is named, and tells of all
// that runs there.
func TestStrikesOfHosts(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 3)
	cfg.Hosts = []config.Host{{Name: "h", Runs: []config.Target{{Index: 1}, {Index: 2}}}}
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.PowerLoss, Targets: []config.Target{{Index: 2}, {}, {Index: 1}}, At: sim.Second,
		Duration: 10 * sim.Second, Period: 5 * sim.Second, Down: sim.Second,
	}}
	o := &struckObserver{}
	runWorld(t, cfg, o)
	want := []int{1, 2, 0, 1, 2, 0}
	if len(o.began) != len(want) || len(o.ended) != len(want) {
		t.Fatalf("told of %v and %v, want %v", o.began, o.ended, want)
	}
	for i, b := range want {
		if o.began[i] != b || o.ended[i] != b {
			t.Fatalf("told of %v and %v, want %v", o.began, o.ended, want)
		}
	}
	if o.started != len(want) {
		t.Errorf("%d processes started, want %d", o.started, len(want))
	}
}

type struckObserver struct {
	NopObserver
	began, ended []int
	started      int
}

func (o *struckObserver) Process(p *ProcessEvent) {
	switch p.What {
	case FaultBegan:
		o.began = append(o.began, p.Target.Index)
	case FaultEnded:
		o.ended = append(o.ended, p.Target.Index)
	case Started:
		o.started++
	}
}

// A slow fault grows evenly over its ramp, and a process that starts cold warms up evenly.
func TestRampAndColdStart(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 1)
	cfg.Brokers[0].ColdFactor, cfg.Brokers[0].ColdFor = 11, 10*sim.Second
	cfg.Faults = []config.Fault{
		{
			Name: "s", Kind: config.Slow, Targets: []config.Target{{}}, At: 10 * sim.Second,
			Duration: 20 * sim.Second,
			Factor:   3, Delay: sim.Second, Ramp: 10 * sim.Second,
		},
		{Name: "k", Kind: config.Kill, Targets: []config.Target{{}}, At: 31 * sim.Second, Duration: sim.Second},
	}
	w := New(cfg, nil)
	for _, c := range []struct {
		at     sim.Duration
		factor float64
		delay  sim.Duration
	}{
		{5 * sim.Second, 1, 0},
		{10 * sim.Second, 1, 0},
		{12500 * sim.Millisecond, 1.5, 250 * sim.Millisecond},
		{15 * sim.Second, 2, 500 * sim.Millisecond},
		{20 * sim.Second, 3, sim.Second},
		{29 * sim.Second, 3, sim.Second},
		{30500 * sim.Millisecond, 1, 0},
		{32 * sim.Second, 11, 0},
		{37 * sim.Second, 6, 0},
		{42 * sim.Second, 1, 0},
		{50 * sim.Second, 1, 0},
	} {
		runTo(t, w, c.at)
		factor, delay := w.slowness(0)
		if math.Abs(factor-c.factor) > 1e-9 || delay != c.delay {
			t.Errorf("at %v: factor %v and delay %v, want %v and %v", c.at, factor, delay, c.factor, c.delay)
		}
	}
}
