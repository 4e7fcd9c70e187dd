package experiment

import (
	"math/rand/v2"
	"strings"
	"testing"

	"simrun/internal/result"
)

// before is a series of windows of a second, all in the phase "before", with given medians.
func before(medians ...float64) ([]result.Phase, *result.Series) {
	const second = 1e9
	s := &result.Series{WindowNS: second}
	for i, m := range medians {
		s.Windows = append(s.Windows, result.Window{FromNS: int64(i) * second, N: 100, P50NS: int64(m)})
	}
	return []result.Phase{{Name: result.PhaseBefore, ToNS: int64(len(medians)) * second}}, s
}

// Goal: no cry of wolf. Method: 5,000 series in which nothing changes; by chance less than 1 in 1,000
// may look unsettled, and most of those differ by less than 5 %.
func TestSettledIsQuiet(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alarms := 0
	for range 5000 {
		medians := make([]float64, 60)
		for i := range medians {
			medians[i] = 1e6 * (1 + 0.3*rng.NormFloat64())
		}
		if unsettled(before(medians...)) != "" {
			alarms++
		}
	}
	if alarms > 5 {
		t.Errorf("%d alarms in 5000 settled runs", alarms)
	}
}

// Goal: a queue that still grows, or a system that still warms up, is seen, if there is enough of it.
func TestUnsettledIsSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	slope := func(n int, last float64) []float64 {
		medians := make([]float64, n)
		for i := range medians {
			x := float64(i) / float64(n)
			medians[i] = 1e6 * (1 + (last-1)*x + 0.05*rng.NormFloat64())
		}
		return medians
	}
	for _, tt := range []struct {
		name    string
		medians []float64
		want    string
	}{
		{"doubles", slope(60, 2), "then 1.7"},
		{"halves", slope(60, 0.5), "differ by more than chance"},
		{"too little to matter", slope(60, 1.01), ""},
		{"too few windows", slope(19, 2), ""},
		{"none", nil, ""},
	} {
		got := unsettled(before(tt.medians...))
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
	// The same in another phase is nobody's business.
	phases, s := before(slope(60, 2)...)
	phases[0].Name = result.FaultPrefix + "x"
	if got := unsettled(phases, s); got != "" {
		t.Error(got)
	}
}
