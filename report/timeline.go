package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// Where things are in the timeline, in points.
const (
	leftMargin  = 64  // broker names and tick labels
	rightMargin = 122 // legends
	headHeight  = 46  // title and subtitle
	panelTitle  = 16  // above each panel
	panelGap    = 6   // below each panel
	axisHeight  = 30  // tick labels and label of the time axis
)

// timeline is the layout of a figure of panels under each other, over one axis of simulated time.
type timeline struct {
	run    *result.Run
	end    int64 // of the time axis, in ns
	bands  []band
	lanes  int
	rows   []brokerRow
	panels []panel
	// unshaded: faults have their labels, but are not shaded through the panels.
	unshaded bool
	// foot is a legend below the time axis.
	foot []legendEntry
}

// newTimeline is a layout without panels.
func newTimeline(r *result.Run) *timeline {
	t := &timeline{run: r, end: r.SimulatedNS, rows: brokerRows(r)}
	if t.end <= 0 {
		t.end = max(r.DurationNS, 1)
	}
	t.bands = bandsOf(r, t.end)
	t.lanes = placeLabels(t.bands, t.x, figureWidth-8)
	return t
}

// panel is one of the plots under each other.
type panel struct {
	title  string
	height vg.Length
	plot   *plot.Plot
	legend []legendEntry
	// direct are labels at the right edge, at heights in data coordinates.
	direct []directLabel
	empty  string // what to say when there is nothing to draw
}

// Timeline draws the whole run over one time axis: send latency, outcomes, the share of each
// broker, and which share of the producers avoids it; faults are shaded through all panels. Two
// further panels come where there is something to see: how busy each broker was, and how many messages
// were not safe or not readable.
//
// Windows are by completion of messages. A window without messages is a gap in the latency, a
// window without sends a gap in the shares. Nothing is smoothed.
func Timeline(r *result.Run) *Figure {
	t := newTimeline(r)
	t.panels = []panel{t.latency(), t.outcomes(), t.shares(sharesHeight, false)}
	var more []func(last bool) panel
	if t.avoids() || !t.loaded() && !t.exposed() {
		more = append(more, t.avoidance) // the last panel has the time axis
	}
	if t.loaded() {
		more = append(more, t.load)
	}
	if t.exposed() {
		more = append(more, t.exposure)
	}
	for i, draw := range more {
		t.panels = append(t.panels, draw(i == len(more)-1))
	}
	return t.figure("timeline", t.title(), timelineCaption(r))
}

// figure is the layout as a figure.
func (t *timeline) figure(name, title, caption string) *Figure {
	return &Figure{
		Name: name, Title: title, Desc: t.describe(), Caption: caption,
		width: figureWidth, height: t.height(),
		draw: func(c draw.Canvas) { t.draw(c, title) },
	}
}

// x is the place of a time.
func (t *timeline) x(ns int64) vg.Length {
	const width = figureWidth - leftMargin - rightMargin
	return leftMargin + width*vg.Length(float64(ns)/float64(t.end))
}

// height of the figure: what the panels and the lanes of labels need.
func (t *timeline) height() vg.Length {
	h := vg.Length(headHeight+axisHeight-panelGap) + t.lanesHeight()
	h += legendHeight(t.foot)
	for _, p := range t.panels {
		h += panelTitle + p.height + panelGap
	}
	return h
}

// lanesHeight is what the labels of the bands need above the panels.
func (t *timeline) lanesHeight() vg.Length {
	if t.lanes == 0 {
		return 0
	}
	return vg.Length(t.lanes)*laneHeight + laneGap
}

// title is what the scenario says it is about.
func (t *timeline) title() string {
	if t.run.Story != "" {
		return strings.TrimSuffix(t.run.Story, ".")
	}
	return "Sends of " + t.run.Title() + " over simulated time"
}

// describe is the figure in words, for those who cannot see it.
func (t *timeline) describe() string {
	var names []string
	for _, p := range t.panels {
		names = append(names, p.title)
	}
	s := fmt.Sprintf("%d panels over one axis of %s simulated time: %s. %s.", len(names), seconds(t.end),
		strings.Join(names, "; "), subtitle(t.run))
	for _, b := range t.bands {
		s += " " + b.label + ", " + interval(b.from, b.to) + "."
	}
	return s
}

// draw puts everything onto a canvas.
func (t *timeline) draw(c draw.Canvas, title string) {
	drawHead(c, title, subtitle(t.run))
	top, bottom := c.Max.Y-headHeight, c.Min.Y+axisHeight+legendHeight(t.foot)
	if !t.unshaded {
		drawBands(c, t.bands, t.x, top, bottom)
	}
	y := top - t.lanesHeight()
	for _, p := range t.panels {
		data := vg.Rectangle{
			Min: vg.Point{X: leftMargin, Y: y - panelTitle - p.height},
			Max: vg.Point{X: t.x(t.end), Y: y - panelTitle},
		}
		p.draw(c, data)
		if !t.unshaded {
			drawEdges(c, t.bands, t.x, data.Max.Y, data.Min.Y)
		}
		y = data.Min.Y - panelGap
	}
	drawLabels(c, t.bands, t.x, top, figureWidth-8)
	flowLegend(c, t.foot, leftMargin, c.Min.Y+legendHeight(t.foot)-4)
}

// panel makes an empty panel whose time axis is only drawn if it is the last one.
func (t *timeline) panel(title string, height vg.Length, last bool) panel {
	return t.gridded(title, height, last, true)
}

// gridded is a panel with or without lines at the levels of its y axis.
func (t *timeline) gridded(title string, height vg.Length, last, levels bool) panel {
	p := plot.New()
	style(p)
	p.X.Min, p.X.Max = 0, float64(t.end)/1e9
	unit := unitFor(t.end)
	p.Add(gridLines{times: timeTicks{unit}, levels: levels})
	if last {
		p.X.Tick.Marker = timeTicks{unit}
		p.X.Label.Text = "simulated time (" + unit.name + ")"
		p.X.Label.Padding = 2
	} else {
		p.HideX()
	}
	return panel{title: title, height: height, plot: p}
}

// span of a window in seconds, as far as it was simulated.
func (t *timeline) span(w result.Window) (x0, x1 float64) {
	to := min(w.FromNS+t.run.Series.WindowNS, t.end)
	return float64(w.FromNS) / 1e9, float64(to) / 1e9
}

// windowWords is the width of a window in words.
func (t *timeline) windowWords() string {
	if t.run.Series.WindowNS == 0 {
		return ""
	}
	return "per window of " + seconds(t.run.Series.WindowNS)
}

// draw draws the panel into a data area with its title above and its legend at the right.
func (p panel) draw(c draw.Canvas, data vg.Rectangle) {
	title := textStyle(panelSize, false, textInk)
	words := shorten(title, p.title, figureWidth-8-data.Min.X)
	c.FillText(title, vg.Point{X: data.Min.X, Y: data.Max.Y + 8}, words)
	rule(c, line(axisInk, 0.6), data.Min.X, data.Min.Y, data.Max.X, data.Min.Y)
	fit(p.plot, c, data)
	if p.empty != "" {
		sty := textStyle(labelSize, false, quietInk)
		sty.XAlign = draw.XCenter
		mid := vg.Point{X: (data.Min.X + data.Max.X) / 2, Y: (data.Min.Y + data.Max.Y) / 2}
		c.FillText(sty, mid, p.empty)
	}
	drawLegend(c, p.legend, data.Max.X+12, data.Max.Y-5)
	drawDirect(c, p.direct, p.plot, data)
}

// latency is the panel of latency quantiles.
func (t *timeline) latency() panel {
	p := t.panel("send latency, retries included, ms (log), "+t.windowWords(), 116, false)
	quantiles := []struct {
		name  string
		milli int64 // the quantile in thousandths
		of    func(result.Window) int64
		style draw.LineStyle
	}{
		{"maximum", 0, func(w result.Window) int64 { return w.MaxNS }, line(gray(0xA6), 0.8)},
		{"p99", 990, func(w result.Window) int64 { return w.P99NS }, line(okabeBlue, 1.3)},
		{"p95", 950, func(w result.Window) int64 { return w.P95NS }, line(okabeGreen, 1.1)},
		{"p50", 500, func(w result.Window) int64 { return w.P50NS }, line(okabeSky, 1.3)},
	}
	lo, hi := math.Inf(1), 0.0
	lines := make([][]plot.Plotter, len(quantiles))
	thin := false
	for i, q := range quantiles {
		var steps []step
		var few []bool
		for _, w := range t.run.Series.Windows {
			x0, x1 := t.span(w)
			ms := math.NaN()
			if w.N > 0 {
				const least = 1e-3 // a log axis has no zero
				ms = max(float64(q.of(w))/1e6, least)
				lo, hi = min(lo, ms), max(hi, ms)
			}
			steps = append(steps, step{x0: x0, x1: x1, hi: ms})
			few = append(few, q.milli > 0 && result.ThinQuantile(q.milli, w.N))
			thin = thin || w.N > 0 && few[len(few)-1]
		}
		lines[i] = dottedWhere(few, steps, q.style)
		p.legend = append(p.legend, legendEntry{text: q.name, line: q.style})
	}
	if thin {
		p.legend = append(p.legend, legendEntry{text: "dotted: under 10 beyond"})
	}
	const p99 = 1 // drawn last: where lines coincide, the tail is what to see
	p.plot.Add(lines[0]...)
	p.plot.Add(slices.Concat(lines[p99+1:]...)...)
	p.plot.Add(lines[p99]...)
	p.plot.Y.Scale = plot.LogScale{}
	p.plot.Y.Min, p.plot.Y.Max = 1, 10
	if hi > 0 {
		p.plot.Y.Min, p.plot.Y.Max = logRange(lo, hi)
	} else {
		p.empty = "no message was answered"
	}
	p.plot.Y.Tick.Marker = logTicks{}
	return p
}

// dottedWhere draws a line that is dotted where few messages lie beyond the quantile that it shows.
func dottedWhere(few []bool, steps []step, style draw.LineStyle) []plot.Plotter {
	if !slices.Contains(few, true) {
		return []plot.Plotter{stepLine{steps: steps, style: style}}
	}
	firm := slices.Clone(steps)
	for i := range firm {
		if few[i] {
			firm[i].hi = math.NaN()
		}
	}
	dotted := style
	dotted.Dashes = []vg.Length{2, 1.5}
	return []plot.Plotter{stepLine{steps: steps, style: dotted}, stepLine{steps: firm, style: style}}
}

func line(c colour, width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: width}
}
