package experiment

import (
	"fmt"

	"simrun/internal/result"
	"simrun/sim"
)

// Batches of windows that the phase "before" is cut into, an equal number for each half. Means of
// batches depend on each other less than windows do.
const batches = 20

// unsettled says that the two halves of the phase "before" differ by more than chance, so that the
// warm-up was too short or the load is above capacity; "" if they don't, or if it can't tell.
//
// The means of the median latency over ten batches of windows in each half are compared by the rank
// sum test of Wilcoxon, Mann and Whitney: of the 100 pairs of batches at most 9 are the wrong way round
// (p < 0.001, both sides), and the halves differ by more than 5 %, below which nobody would care.
func unsettled(phases []result.Phase, s *result.Series) string {
	means := batchMeans(phases, s)
	if means == nil {
		return ""
	}
	first, second := means[:batches/2], means[batches/2:]
	var rising, a, b float64 // pairs in which the second half is slower; means of the halves
	for _, x := range first {
		a += x / float64(len(first))
		for _, y := range second {
			switch {
			case y > x:
				rising++
			case y == x:
				rising += 0.5
			}
		}
	}
	for _, y := range second {
		b += y / float64(len(second))
	}
	const pairs, few = batches * batches / 4, 9
	if rising > few && rising < pairs-few || max(a, b) <= 1.05*min(a, b) {
		return ""
	}
	return fmt.Sprintf("the halves of \"before\" differ by more than chance: median latency %v, "+
		"then %v; a longer warmup helps, unless the load is too high",
		sim.Duration(a).Round(sim.Microsecond), sim.Duration(b).Round(sim.Microsecond))
}

// batchMeans are the mean medians of the batches, nil if there are too few windows with messages.
func batchMeans(phases []result.Phase, s *result.Series) []float64 {
	var medians []float64
	for _, p := range phases {
		if p.Name != result.PhaseBefore {
			continue
		}
		for i := range s.Windows {
			w := &s.Windows[i]
			if w.FromNS >= p.FromNS && w.FromNS+s.WindowNS <= p.ToNS && w.N > 0 {
				medians = append(medians, float64(w.P50NS))
			}
		}
	}
	each := len(medians) / batches
	if each == 0 {
		return nil
	}
	means := make([]float64, batches)
	for i := range means {
		for _, m := range medians[i*each : (i+1)*each] {
			means[i] += m / float64(each)
		}
	}
	return means
}
