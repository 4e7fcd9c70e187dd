package scenarios

import (
	"cmp"
	"slices"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/sim"
)

// phases cuts the run at its faults. Times are clipped to the part after the warm-up.
//
// fault.NAME lasts as long as the fault, recovery.NAME from its end to the next start of a fault or
// the end of the run. A phase of no length is left out, except that of a fault: a fault that never
// begins is still a phase that an expectation can name.
func phases(c *config.Config) []result.Phase {
	warmup, end := c.Warmup, c.Duration
	var out []result.Phase
	add := func(name string, from, to sim.Duration) {
		from, to = min(max(from, warmup), end), min(max(to, warmup), end)
		out = append(out, result.Phase{Name: name, FromNS: int64(from), ToNS: int64(to)})
	}
	if warmup > 0 {
		out = append(out, result.Phase{Name: result.PhaseWarmup, ToNS: int64(warmup)})
	}
	first := end
	for i := range c.Faults {
		first = min(first, c.Faults[i].At)
	}
	if first > warmup {
		add(result.PhaseBefore, warmup, first)
	}
	head := len(out)
	for i := range c.Faults {
		f := &c.Faults[i]
		over := faultEnd(f, end)
		add(result.FaultPrefix+f.Name, f.At, over)
		next := end
		for j := range c.Faults {
			if at := c.Faults[j].At; at >= over {
				next = min(next, at)
			}
		}
		if over < next && next > warmup {
			add(result.RecoveryPrefix+f.Name, over, next)
		}
	}
	slices.SortStableFunc(out[head:], func(a, b result.Phase) int {
		return cmp.Compare(a.FromNS, b.FromNS)
	})
	add(result.PhaseAll, warmup, end)
	return out
}

// faultEnd is when a fault is over: at the latest at the end of the run.
func faultEnd(f *config.Fault, end sim.Duration) sim.Duration {
	if f.Duration == 0 || f.Duration > end-min(f.At, end) {
		return end
	}
	return f.At + f.Duration
}
