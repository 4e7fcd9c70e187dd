package ensemble

import (
	"math"
	"testing"

	"simrun/internal/result"
)

// setOf is what some runs say together.
func setOf(runs ...*result.Run) *result.SeedSet { return SetOf(runs) }

// struckAt is a run of windows of a second in which p99 is the time since its fault struck, in ms and from
// 100.
func struckAt(seed uint64, second, windows int64) *result.Run {
	r := &result.Run{
		Seed: seed, Complete: true, DurationNS: windows * 1e9, SimulatedNS: windows * 1e9,
		Phases: []result.Phase{{Name: "all"}},
		Faults: []result.Fault{{
			Name: "x", Began: true, FromNS: 2e9, ToNS: windows * 1e9, Strikes: 1,
			Spans: [][2]int64{{second*1e9 + 3e8, second*1e9 + 9e8}}, Effects: []result.FaultEffect{{Broker: "b"}},
		}},
		Setup:  result.Setup{Brokers: []result.SetupBroker{{Name: "a"}, {Name: "b"}}},
		Series: result.Series{WindowNS: 1e9, Brokers: []string{"a", "b"}},
	}
	for i := range windows {
		r.Series.Windows = append(r.Series.Windows, result.Window{
			FromNS: i * 1e9, N: 2000, Failed: 20, P99NS: (100 + i - second) * 1e6,
			Sends: []int64{1500, 500}, Avoided: []float64{0, 0.25}, Routed: []float64{1, 1},
			Brokers: make([]result.BrokerWindow, 2),
		})
	}
	return r
}

// "Several seeds are aligned on the time since the fault and drawn as median and range", also where random
// faults strike at another time in each.
func TestSeedsAreAlignedOnTheirStrikes(t *testing.T) {
	set := setOf(struckAt(1, 5, 30), struckAt(2, 9, 30), struckAt(3, 12, 30))
	want := []string{result.CurveP99, result.CurveFailed, result.CurveStruck, result.CurveAvoided}
	for i, c := range set.Curves {
		if c.Name != want[i] || len(c.Points) != 23 { // 5 windows before, 18 after the strike's
			t.Fatalf("curve %s has %d points", c.Name, len(c.Points))
		}
		for k, p := range c.Points {
			since := int64(k - 5)
			value := map[string]float64{
				result.CurveP99: float64(100+since) * 1e6, result.CurveFailed: 0.01,
				result.CurveStruck: 0.25, result.CurveAvoided: 0.25,
			}[c.Name]
			if p.FromNS != since*1e9 || p.Seeds != 3 || p.Min != value || p.Max != value || p.Median != value {
				t.Errorf("%s: %+v, want %v at %d s", c.Name, p, value, since)
			}
		}
	}
	if f := set.Faults[0]; !f.ToVary || f.Began != 3 || f.FromNS != -7.3e9 {
		t.Errorf("the fault is %+v", f)
	}
	// A run without a strike has no place on this axis.
	never := struckAt(4, 5, 30)
	never.Faults[0].Began = false
	if set := setOf(struckAt(1, 5, 30), never); set.Curves[0].Points[0].Seeds != 1 {
		t.Errorf("%+v", set.Curves[0].Points[0])
	}
}

// A broker that some instance never avoided was not avoided by all, however fast the others were.
func TestSlowest(t *testing.T) {
	at := func(ns int64) *int64 { return &ns }
	effect := func(last *int64) result.FaultEffect {
		return result.FaultEffect{Avoid: result.Spread{Instances: 8, Reached: 7, MaxNS: last}}
	}
	r := &result.Run{Faults: []result.Fault{
		{Name: "x", Began: true, Effects: []result.FaultEffect{effect(at(3)), effect(at(5))}},
		{Name: "y", Began: true, Effects: []result.FaultEffect{effect(nil)}},
	}}
	avoided := func(r *result.Run, fault string) float64 {
		x, _ := Of(r).Value(Row{Metric: "time_to_avoid", Fault: fault})
		return x
	}
	if got := avoided(r, "x"); got != 5 {
		t.Errorf("avoided by all after %v, want 5", got)
	}
	r.Faults[0].Effects[0] = effect(nil)
	if got := avoided(r, "x"); !math.IsInf(got, 1) {
		t.Errorf("avoided by all after %v, want never", got)
	}
	if r.Faults[0].Began = false; !math.IsNaN(avoided(r, "x")) {
		t.Error("a fault that never began was avoided")
	}
	r.Faults[0].Began = true
}

// The exact interval of a share of seeds (values of R's binom.test).
func TestSharesOfSeeds(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 0.3085},
		{3, 10, 0.0667, 0.6525},
		{10, 10, 0.6915, 1},
		{1, 20, 0.0013, 0.2487},
		{50, 100, 0.3983, 0.6017},
	} {
		counts, seeds := make([]int64, c.n), make([]uint64, c.n)
		for i := range c.k {
			counts[i] = 1
		}
		x := events("lost", counts, seeds)
		low, high := *x.Low, *x.High
		if math.Abs(low-c.low) > 1.5e-4 || math.Abs(high-c.high) > 1.5e-4 {
			t.Errorf("%d of %d: %v … %v, want %v … %v", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

// Every metric of the registry but those of one broker is a row: a new one that nobody measures here panics.
func TestEveryMetricIsMeasured(t *testing.T) {
	r := struckAt(1, 5, 30)
	r.Exposures = []result.Exposure{{Phase: "all", AtRisk: 7}}
	m := Of(r)
	if want := len(phaseMetrics) + len(faultMetrics); len(m.values.all) != want || len(m.values.thin) != want {
		t.Fatalf("%d values of %d metrics", len(m.values.all), want)
	}
	for _, metric := range result.Metrics() {
		row := Row{Metric: metric.Name, Phase: "all"}
		if metric.Scope.OfFault() {
			row = Row{Metric: metric.Name, Fault: "x"}
		}
		if has := m.index(row) >= 0; has != (metric.Scope != result.ScopeBroker) {
			t.Errorf("%s: a row is %v", row, has)
		}
	}
	if x, _ := m.Value(Row{Metric: "at_risk_max", Phase: "all"}); x != 7 {
		t.Errorf("at risk %v, want 7", x)
	}
}
