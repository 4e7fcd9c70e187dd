package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

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
		{"only in page caches", func(w result.Window) int64 { return w.AtRisk }, line(okabeOrange, 1.3)},
		{"no replica serves", func(w result.Window) int64 { return w.Unreadable }, line(black, 1.3)},
	}
	lo, hi := math.Inf(1), 0.0
	for _, c := range curves {
		var steps []step
		for _, w := range t.run.Series.Windows {
			x0, x1 := t.span(w)
			s := step{x0: x0, x1: x1, hi: math.NaN()}
			if n := c.of(w); n > 0 { // a log axis has no zero: a gap
				s.hi = float64(n)
				lo, hi = min(lo, s.hi), max(hi, s.hi)
			}
			steps = append(steps, s)
		}
		p.plot.Add(stepLine{steps: steps, style: c.style})
		p.legend = append(p.legend, legendEntry{text: c.name, line: c.style})
	}
	p.plot.Y.Scale = plot.LogScale{}
	p.plot.Y.Min, p.plot.Y.Max = 1, 10
	if hi > 0 {
		p.plot.Y.Min, p.plot.Y.Max = logRange(lo, 1.2*hi)
	}
	p.plot.Y.Tick.Marker = logTicks{}
	return p
}
