package timetable_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/model/internal/place"
	"simrun/model/internal/timetable"
	"simrun/sim"
)

// plan is the timetable of a configuration with draws as keyed as the model's.
func plan(cfg *config.Config) []timetable.Strike {
	return timetable.Plan(cfg, place.New(cfg), func(fault int32, n, what uint64) sim.Draw {
		return sim.Key(cfg.Seed, 1, uint64(fault), n, what)
	})
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
			Name: "f", Kind: config.Kill, Targets: []config.Target{{}, {Index: 1}},
			At:       span("at", 0, 20*sim.Second),
			Duration: span("duration", 0, 50*sim.Second), Period: span("period", 10, 9*sim.Second),
		}
		f.Period = max(f.Period, 50*sim.Millisecond)
		f.Jitter = span("jitter", 0, f.Period/2)
		f.Down = span("down", 1, f.Period-f.Jitter-1)
		cfg.Faults = []config.Fault{f}
		strikes := plan(&cfg)
		from, to := sim.Time(f.At), sim.Time(cfg.Duration)
		if f.Duration > 0 {
			to = min(to, from.Add(f.Duration))
		}
		next, late := from, 0
		for _, s := range strikes {
			if s.From.Sub(next) > f.Jitter || s.From < next {
				rt.Fatalf("a strike at %v, period from %v, jitter %v", s.From, next, f.Jitter)
			}
			if s.From > next {
				late++
			}
			if end := min(s.From.Add(f.Down), to); s.To != end {
				rt.Fatalf("the strike at %v ends at %v, not at %v", s.From, s.To, end)
			}
			next = next.Add(f.Period)
		}
		if next.Add(f.Jitter) < to {
			rt.Fatalf("the last strike is before %v, the fault ends at %v", next, to)
		}
		if f.Jitter > sim.Microsecond && len(strikes) > 20 && late == 0 {
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
	repair, err := sim.Exponential(2 * sim.Second)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.Kill, Targets: []config.Target{{}, {Index: 1}}, At: sim.Second, Rate: 0.2,
		Repair: repair,
	}}
	strikes := plan(&cfg)
	var well, ill [2]sim.Duration
	var n [2]float64
	var free [2]sim.Time
	for i := range free {
		free[i] = sim.Time(cfg.Faults[0].At)
	}
	for _, s := range strikes {
		b := s.Targets[0].Index
		if len(s.Targets) != 1 || s.From <= free[b] || s.To <= s.From {
			t.Fatalf("strike %+v, its target is well from %v on", s, free[b])
		}
		well[b] += s.From.Sub(free[b])
		ill[b] += s.To.Sub(s.From)
		n[b]++
		free[b] = s.To
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
	for i, s := range plan(&again)[:len(strikes)] {
		if first := strikes[i]; s.From != first.From || s.To != first.To {
			t.Fatalf("strike %d is from %v to %v, and from %v to %v without the others", i, s.From, s.To,
				first.From, first.To)
		}
	}
	cfg.Seed++
	if other := plan(&cfg); other[0].From == strikes[0].From {
		t.Error("another seed, the same first strike")
	}
}
