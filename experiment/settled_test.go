package experiment

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"simrun/internal/result"
)

// before is a series of windows of a second, all in the phase "before", with given mean latencies.
func before(means ...float64) ([]result.Phase, *result.Series, []float64) {
	const second = 1e9
	s := &result.Series{WindowNS: second}
	for i := range means {
		s.Windows = append(s.Windows, result.Window{FromNS: int64(i) * second, N: 1000})
	}
	return []result.Phase{{Name: result.PhaseBefore, ToNS: int64(len(means)) * second}}, s, means
}

// normal is a series of n values in which each keeps a part phi of the one before.
func normal(rng *rand.Rand, n int, phi float64) []float64 {
	v := make([]float64, n)
	x := rng.NormFloat64() / math.Sqrt(1-phi*phi)
	for i := range v {
		x = phi*x + rng.NormFloat64()
		v[i] = x
	}
	return v
}

// waits is a series of n mean times in an M/M/1 queue, each over some customers in a row, from its steady
// state on (Lindley's recursion).
func waits(rng *rand.Rand, n, customers int, load float64) []float64 {
	v := make([]float64, n)
	wait := 0.0
	if rng.Float64() < load {
		wait = rng.ExpFloat64() / (1 - load)
	}
	for i := range v {
		for range customers {
			served := wait + rng.ExpFloat64()
			v[i] += served / float64(customers)
			wait = max(0, served-rng.ExpFloat64()/load)
		}
	}
	return v
}

// doubt is what is said of a phase under a load that is steady.
func doubt(phases []result.Phase, s *result.Series, means []float64) string {
	return unsettled(phases, s, means, false)
}

// Goal: no cry of wolf ("differ by more than chance"): in series in which nothing changes an alarm is
// raised at most once in a thousand times, although neighbours depend on each other. Method: series of
// several lengths and memories; the limit is 0.1 % and three standard deviations of its estimate.
func TestSettledIsQuiet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		name   string
		trials int
		series func() []float64
	}{
		{"independent", 5000, func() []float64 { return normal(rng, 60, 0) }},
		{"independent, few", 5000, func() []float64 { return normal(rng, 12, 0) }},
		{"dependent", 5000, func() []float64 { return normal(rng, 90, 0.5) }},
		{"many, dependent", 1000, func() []float64 { return normal(rng, 400, 0.7) }},
		{"M/M/1 at half load", 1000, func() []float64 { return waits(rng, 60, 100, 0.5) }},
		{"M/M/1 at nine tenths", 1000, func() []float64 { return waits(rng, 60, 100, 0.9) }},
		{"M/M/1 at nine tenths, few", 500, func() []float64 { return waits(rng, 15, 400, 0.9) }},
	} {
		alarms := 0
		for range tt.trials {
			if v := tt.series(); contrast(v) || strings.HasPrefix(tt.name, "M/M/1") && gross(v, 4) {
				alarms++
			}
		}
		n := float64(tt.trials)
		if limit := 0.001*n + 3*math.Sqrt(0.001*n); float64(alarms) > limit {
			t.Errorf("%s: %d alarms in %d settled runs, at most %.1f expected", tt.name, alarms, tt.trials, limit)
		}
	}
}

// Goal: a queue that still grows, or a system that still warms up, is seen, if there is enough of it.
func TestUnsettledIsSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	slope := func(n int, last float64) []float64 {
		means := make([]float64, n)
		for i := range means {
			x := float64(i) / float64(n)
			means[i] = 1e6 * (1 + (last-1)*x + 0.05*rng.NormFloat64())
		}
		return means
	}
	grows := waits(rng, 60, 100, 1.2)
	for i := range grows {
		grows[i] *= 1e6
	}
	for _, tt := range []struct {
		name  string
		means []float64
		want  string
	}{
		{"doubles", slope(60, 2), "then 1.7"},
		{"halves", slope(60, 0.5), "differ by more than chance"},
		{"a straight line", []float64{1e6, 2e6, 3e6, 4e6, 5e6, 6e6, 7e6, 8e6, 9e6, 10e6}, "3ms, then 8ms"},
		{"a queue above capacity", grows, "differ by more than chance"},
		{"few windows", slope(12, 2.5), "then 2."},
		{"too little to matter", slope(60, 1.01), ""},
		{"too few windows", slope(9, 2), ""},
		{"all alike", make([]float64, 30), ""},
		{"none", nil, ""},
	} {
		got := doubt(before(tt.means...))
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	// The same in another phase is nobody's business.
	phases, s, means := before(slope(60, 2)...)
	phases[0].Name = result.FaultPrefix + "x"
	if got := unsettled(phases, s, means, false); got != "" {
		t.Error(got)
	}
}

// Goal: a success rate that falls while nothing has failed yet is seen, with a latency that stays.
func TestUnsettledSuccess(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	failing := func(share func(i int) float64) string {
		phases, s, means := before(make([]float64, 60)...)
		for i := range s.Windows {
			for range s.Windows[i].N {
				if rng.Float64() < share(i) {
					s.Windows[i].Failed++
				}
			}
		}
		return unsettled(phases, s, means, false)
	}
	got := failing(func(i int) float64 { return 0.002 * float64(i) })
	if !strings.Contains(got, "failed 2.8") && !strings.Contains(got, "failed 2.9") &&
		!strings.Contains(got, "failed 3.0") {
		t.Errorf("a falling success rate: %q", got)
	}
	if got := failing(func(int) float64 { return 0.03 }); got != "" {
		t.Errorf("a steady success rate: %q", got)
	}
}

// Goal: the "the summary warns when the two halves of `before` differ by more than chance", where the
// difference is gross and comes late, or ends soon: neighbours that depend on each other do not hide it.
func TestUnsettledGrossly(t *testing.T) {
	ramp := make([]float64, 55) // flat, then a queue that runs away
	for i := range ramp {
		ramp[i] = 1e6
		if i > 40 {
			ramp[i] += 1e9 * float64(i-40)
		}
	}
	if got := doubt(before(ramp...)); !strings.Contains(got, "mean latency 1ms, then 3.7") {
		t.Errorf("a queue that runs away: %q", got)
	}
	phases, s, means := before(make([]float64, 110)...)
	for i := range s.Windows { // a burst of 22 s, and nothing else
		if i >= 30 && i < 52 {
			s.Windows[i].Failed = 600
		}
	}
	got := unsettled(phases, s, means, true)
	if !strings.Contains(got, "failed 24.00%, then 0.00%; the load changes by plan") {
		t.Errorf("a burst: %q", got)
	}
	odd := make([]float64, 60) // two windows of a stall are chance
	for i := range odd {
		odd[i] = 1e6
	}
	odd[10], odd[11] = 1e9, 1e9
	if got := doubt(before(odd...)); got != "" {
		t.Errorf("two odd windows: %q", got)
	}
}
