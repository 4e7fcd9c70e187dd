package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// exposedRun says whether what stood on one leg is worth telling: something was lost, could not be read
// for a time, or far more was at risk than without a fault.
func exposedRun(r *result.Run) bool {
	return len(r.Ledger.Losses) > 0 || moreAtRisk(r) ||
		slices.ContainsFunc(r.Exposures, func(x result.Exposure) bool { return x.Unreadable > 0 })
}

// moreAtRisk says whether far more messages were at risk in some phase after the beginning of a fault
// than before all faults: a disk that lies, or takes no writes, destroys nothing by itself.
func moreAtRisk(r *result.Run) bool {
	const (
		few   = 100
		times = 3
	)
	usual := int64(few)
	for _, quiet := range []string{result.PhaseWarmup, result.PhaseBefore} {
		usual = max(usual, times*exposureOf(r, quiet).AtRisk)
	}
	return slices.ContainsFunc(r.Exposures, func(x result.Exposure) bool {
		after := strings.HasPrefix(x.Phase, result.FaultPrefix) ||
			strings.HasPrefix(x.Phase, result.RecoveryPrefix)
		return after && x.AtRisk > usual
	})
}

func exposureOf(r *result.Run, phase string) result.Exposure {
	for _, x := range r.Exposures {
		if x.Phase == phase {
			return x
		}
	}
	return result.Exposure{}
}

// exposed says whether what stands on one leg is worth a panel.
func (t *timeline) exposed() bool {
	return exposedRun(t.run) || slices.ContainsFunc(t.run.Series.Windows,
		func(w result.Window) bool { return w.Unreadable > 0 })
}

// exposure is the panel of messages at risk, and of those that nobody can read.
func (t *timeline) exposure(last bool) panel {
	p := t.panel("messages not safe or not readable (log)", 66, last)
	curves := []struct {
		name  string
		of    func(result.Window) int64
		style draw.LineStyle
	}{
		{"not on master's disk", func(w result.Window) int64 { return w.AtRisk }, line(okabeOrange, 1.3)},
		{"no replica serves", func(w result.Window) int64 { return w.Unreadable }, line(black, 1.3)},
	}
	lo, hi := math.Inf(1), 0.0
	for _, w := range t.run.Series.Windows {
		for _, c := range curves {
			if n := float64(c.of(w)); n > 0 {
				lo, hi = min(lo, n), max(hi, n)
			}
		}
	}
	p.plot.Y.Scale = plot.LogScale{}
	p.plot.Y.Min, p.plot.Y.Max = 1, 10
	if hi > 0 {
		p.plot.Y.Min, p.plot.Y.Max = logRange(lo, 1.2*hi)
	}
	for _, c := range curves {
		if !slices.ContainsFunc(t.run.Series.Windows, func(w result.Window) bool { return c.of(w) > 0 }) {
			continue // it would look like the axis
		}
		var steps []step
		for _, w := range t.run.Series.Windows {
			x0, x1 := t.span(w)
			// A log axis has no zero: that is its bottom, below the least of all numbers.
			steps = append(steps, step{x0: x0, x1: x1, hi: max(float64(c.of(w)), p.plot.Y.Min)})
		}
		p.plot.Add(stepLine{steps: steps, style: c.style})
		p.legend = append(p.legend, legendEntry{text: c.name, line: c.style})
	}
	p.plot.Y.Tick.Marker = logTicks{}
	return p
}
