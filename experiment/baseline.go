package experiment

import (
	"slices"

	"simrun/internal/result"
)

// usual is what the windows of the phase "before" were like at their worst.
type usual struct {
	known               bool
	success, p99, share float64
}

// worse says, by measure, whether a window is worse than a limit.
type worse func(w *result.Window) (bad, told bool)

// baseline is the way back to normal after a fault that ended in the run and struck some brokers; nil if
// there is nothing to see.
//
// A window is worse than usual if it is worse than each window of "before". A single one may be so by
// chance, so it counts only beside another; those of the fault are its neighbours. The way back ends with the
// last window that counts, before the next fault begins or the run ends.
func baseline(run *result.Run, f *result.Fault, brokers []int) *result.Baseline {
	if !f.Began || f.ToNS >= run.SimulatedNS {
		return nil
	}
	until := run.SimulatedNS
	for i := range run.Faults {
		other := &run.Faults[i]
		if other.FromNS >= f.ToNS {
			until = min(until, other.FromNS)
		} else if other.ToNS > f.ToNS && other.Name != f.Name {
			return &result.Baseline{Reason: result.BaselineOtherFault}
		}
	}
	out := &result.Baseline{}
	n := usualOf(run, brokers)
	if !n.known {
		out.Reason = result.BaselineNoBefore
		return out
	}
	out.SuccessNS = back(&run.Series, f.ToNS, until, func(w *result.Window) (bad, told bool) {
		rate, told := successOf(w)
		return rate < n.success, told
	})
	out.P99NS = back(&run.Series, f.ToNS, until, func(w *result.Window) (bad, told bool) {
		return float64(w.P99NS) > n.p99 || w.N == 0, w.N > 0 || w.Scheduled > 0
	})
	if len(brokers) > 0 {
		out.ShareNS = back(&run.Series, f.ToNS, until, func(w *result.Window) (bad, told bool) {
			share, told := shareOf(w, brokers)
			return share < n.share, told
		})
	}
	return out
}

// usualOf reads the windows that lie within "before".
func usualOf(run *result.Run, brokers []int) usual {
	n := usual{success: 1, share: 1}
	for _, p := range run.Phases {
		if p.Name != result.PhaseBefore {
			continue
		}
		for i := range run.Series.Windows {
			w := &run.Series.Windows[i]
			if w.FromNS < p.FromNS || w.FromNS+run.Series.WindowNS > p.ToNS || w.N == 0 {
				continue
			}
			n.known = true
			rate, _ := successOf(w)
			n.success, n.p99 = min(n.success, rate), max(n.p99, float64(w.P99NS))
			if share, told := shareOf(w, brokers); told {
				n.share = min(n.share, share)
			}
		}
	}
	return n
}

// successOf is the success rate of a window; one in which nobody is answered though messages are scheduled
// has none. It tells nothing if there are neither.
func successOf(w *result.Window) (rate float64, told bool) {
	if w.N == 0 {
		return 0, w.Scheduled > 0
	}
	return float64(w.N-w.Failed) / float64(w.N), true
}

// shareOf is the share of the sends of a window that went to some brokers.
func shareOf(w *result.Window, brokers []int) (share float64, told bool) {
	var all, some int64
	for b, n := range w.Sends {
		all += n
		if slices.Contains(brokers, b) {
			some += n
		}
	}
	if all == 0 {
		return 0, w.Scheduled > 0
	}
	return float64(some) / float64(all), true
}

// back is how long after a time the last window ends that counts as worse and lies before another time: nil
// if there is no window, or it is the last one.
func back(s *result.Series, from, until int64, is worse) *int64 {
	var ends []int64
	var bad []bool
	for i := range s.Windows {
		w := &s.Windows[i]
		if end := w.FromNS + s.WindowNS; w.FromNS >= from && end <= until {
			if x, told := is(w); told {
				ends, bad = append(ends, end), append(bad, x)
			}
		}
	}
	if len(bad) == 0 {
		return nil
	}
	for i := len(bad) - 1; i >= 0; i-- {
		if !bad[i] || i > 0 && !bad[i-1] && (i+1 == len(bad) || !bad[i+1]) {
			continue
		}
		if i+1 == len(bad) {
			return nil
		}
		after := ends[i] - from
		return &after
	}
	return new(int64)
}
