package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// sinceSheet is panels below each other over the time since the first strike, with the faults as bands
// through all of them.
type sinceSheet struct {
	from, to int64 // both ends of the time axis, in ns since the first strike
	bands    []band
	lanes    int
	panels   []panel
}

// newSince is an empty sheet over the windows of some sets, with the warm-up and the faults of the first;
// false if there are no windows.
func newSince(sets ...*result.SeedSet) (*sinceSheet, bool) {
	t := &sinceSheet{}
	for _, set := range sets {
		for _, c := range set.Curves {
			if n := len(c.Points); n > 0 {
				t.from = min(t.from, c.Points[0].FromNS)
				t.to = max(t.to, c.Points[n-1].FromNS+set.WindowNS)
			}
		}
	}
	if t.to <= t.from {
		return nil, false
	}
	t.bands = t.bandsOf(sets[0])
	t.lanes = placeLabels(t.bands, t.x, figureWidth-8)
	return t, true
}

// x is the place of a time since the first strike.
func (t *sinceSheet) x(ns int64) vg.Length {
	const width = figureWidth - leftMargin - rightMargin
	at := min(max(ns, t.from), t.to)
	return leftMargin + width*vg.Length(float64(at-t.from)/float64(t.to-t.from))
}

// bandsOf shades the warm-up, if it ended at one time in all runs, and every fault that began.
func (t *sinceSheet) bandsOf(set *result.SeedSet) []band {
	var bands []band
	if end, ok := warmupEnd(set); ok && end > t.from {
		bands = append(bands, band{from: t.from, to: end, label: "warm-up", fill: warmupBand, ink: quietInk})
	}
	for _, f := range set.Faults {
		if f.Began == 0 || f.FromNS >= t.to || f.ToNS <= t.from {
			continue
		}
		label := faultLabel(result.Fault{
			Name: f.Name, Kind: f.Kind, Detail: f.Detail, Targets: f.Targets, To: f.To,
		})
		if f.FromVary || f.ToVary {
			label += " (median time)"
		}
		if f.Began < len(set.Runs) {
			label += " (in " + count(int64(f.Began)) + " of " + count(int64(len(set.Runs))) + " seeds)"
		}
		bands = append(bands, band{
			from: max(f.FromNS, t.from), to: min(f.ToNS, t.to), label: label, fill: faultBand, ink: faultInk,
			starts: true, ends: f.ToNS < t.to,
		})
	}
	return bands
}

// warmupEnd is when the warm-up ended, since the first strike, if that is the same in all runs.
func warmupEnd(set *result.SeedSet) (int64, bool) {
	var at *int64
	for _, r := range set.Runs {
		if at != nil && r.StrikeNS != nil && *at != *r.StrikeNS {
			return 0, false
		}
		if r.StrikeNS != nil {
			at = r.StrikeNS
		}
	}
	if at == nil {
		return set.WarmupNS, set.WarmupNS > 0
	}
	return set.WarmupNS - *at, set.WarmupNS > 0
}

// panel is an empty one with its time axis; the last one has the axis' numbers, too.
func (t *sinceSheet) panel(title string, height vg.Length, last, struck bool) panel {
	p := panel{title: title, height: height, plot: plot.New()}
	style(p.plot)
	p.plot.X.Min, p.plot.X.Max = float64(t.from)/1e9, float64(t.to)/1e9
	ticks := sinceTicks{timeTicks{unitFor(max(t.to, -t.from))}}
	if last {
		p.plot.X.Tick.Marker = ticks
		p.plot.X.Label.Text = "time since the first strike (" + ticks.unit.name + ")"
		if !struck {
			p.plot.X.Label.Text = "simulated time (" + ticks.unit.name + ")"
		}
		p.plot.X.Label.Padding = 2
	} else {
		p.plot.HideX()
	}
	p.plot.Add(sinceGrid{ticks})
	return p
}

// height is that of a figure of the sheet.
func (t *sinceSheet) height() vg.Length {
	height := vg.Length(headHeight+axisHeight-panelGap) + vg.Length(t.lanes)*laneHeight
	for _, p := range t.panels {
		height += panelTitle + p.height + panelGap
	}
	return height
}

// draw puts everything onto a canvas.
func (t *sinceSheet) draw(c draw.Canvas, title, sub string) {
	drawHead(c, title, sub)
	top, bottom := c.Max.Y-headHeight, c.Min.Y+axisHeight
	drawBands(c, t.bands, t.x, top, bottom)
	y := top - vg.Length(t.lanes)*laneHeight
	for _, p := range t.panels {
		data := vg.Rectangle{
			Min: vg.Point{X: leftMargin, Y: y - panelTitle - p.height},
			Max: vg.Point{X: t.x(t.to), Y: y - panelTitle},
		}
		p.draw(c, data)
		drawEdges(c, t.bands, t.x, data.Max.Y, data.Min.Y)
		y = data.Min.Y - panelGap
	}
	drawLabels(c, t.bands, t.x, top, figureWidth-8)
}

// sinceTicks mark an axis that begins before zero.
type sinceTicks struct{ timeTicks }

// Ticks implements plot.Ticker.
func (t sinceTicks) Ticks(lo, hi float64) []plot.Tick {
	// The step is that of the whole axis, so that both sides have the same.
	const most = 11.0
	step := t.unit.steps[len(t.unit.steps)-1]
	for _, s := range t.unit.steps {
		if (hi-lo)*1e9/t.unit.ns/s <= most {
			step = s
			break
		}
	}
	var ticks []plot.Tick
	width := step * t.unit.ns / 1e9
	for k := math.Ceil(lo/width - 1e-9); k*width <= hi*(1+1e-9); k++ {
		label := tickNumber(k * step)
		if k < 0 {
			label = "−" + tickNumber(-k*step)
		}
		ticks = append(ticks, plot.Tick{Value: k * width, Label: label})
	}
	return ticks
}

// sinceGrid draws a light line at each round time and at each label of the y axis.
type sinceGrid struct{ times sinceTicks }

// Plot implements plot.Plotter.
func (g sinceGrid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := line(gridInk, 0.5)
	for _, t := range g.times.Ticks(p.X.Min, p.X.Max) {
		rule(c, sty, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			rule(c, sty, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}
