package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// sweepLines is the layout of sweep-lines: metrics over one axis, a line for each value of another.
type sweepLines struct {
	sweep  *result.Sweep
	along  int // the axis
	series int // the axis of the lines, -1 if there is none
	// places are those of the levels of the axis, from 0 to 1.
	places  []float64
	joined  bool // the levels have an order
	lines   [][]int
	metrics []int
	panels  []panel
}

// Limits of sweep-lines.
const (
	mostLinePanels = 8
	mostSeries     = 6
	linePanel      = 88
)

// SweepLines draws each metric along the one axis of a sweep, or along the numeric one of two if the other
// has few values: the median with its 95 % interval and, of a single line, the range of the seeds. Metrics
// that are the same everywhere are left out. It is nil for other sweeps.
func SweepLines(s *result.Sweep) *Figure {
	l := &sweepLines{sweep: s, series: -1}
	if !isGrid(s) || !l.axes() {
		return nil
	}
	for i := range s.Metrics {
		if !same(&s.Metrics[i]) && len(l.metrics) < mostLinePanels {
			l.metrics = append(l.metrics, i)
		}
	}
	if len(l.metrics) == 0 {
		return nil
	}
	l.place()
	l.gather()
	var names []string
	for i, m := range l.metrics {
		l.panels = append(l.panels, l.panel(&s.Metrics[m], i))
		names = append(names, sweepLabel(&s.Metrics[m]))
	}
	name := axisNames(s)[l.along]
	f := Figure{
		Name: "sweep-lines", Title: "What " + name + " changes",
		Caption: captionOf(s, &s.Metrics[l.metrics[0]]),
		Desc:    "Median and interval along " + s.Axes[l.along].Param + ": " + strings.Join(names, "; ") + ".",
	}
	if l.series >= 0 {
		f.Desc += " A line for each " + s.Axes[l.series].Param + "."
	}
	height := vg.Length(len(l.panels))*(panelTitle+linePanel+panelGap) + axisHeight + 12
	return sweepSheet(s, f, height, l.draw)
}

// axes chooses the axis to go along; false if there is none.
func (l *sweepLines) axes() bool {
	a := l.sweep.Axes
	switch {
	case len(a) == 1:
		return true
	case len(a) != 2 || a[0].Numeric == a[1].Numeric:
		return false
	case a[0].Numeric:
		l.series = 1
	default:
		l.along = 1
		l.series = 0
	}
	return len(a[l.series].Levels) <= mostSeries
}

// place puts the levels of the axis onto the scale of their numbers, or side by side.
func (l *sweepLines) place() {
	a := l.sweep.Axes[l.along]
	n := len(a.Levels)
	l.places, l.joined = make([]float64, n), a.Numeric
	xs := make([]float64, n)
	for i := range l.sweep.Points {
		if k := levelOf(l.sweep, i, l.along); k >= 0 {
			xs[k] = l.sweep.Points[i].X[l.along]
		}
	}
	scale := newAxisScale(a, xs)
	for i := range l.places {
		l.places[i] = (float64(i) + 0.5) / float64(n)
		if a.Numeric && n > 1 {
			const edge = 0.04
			l.places[i] = edge + (1-2*edge)*scale.at(xs[i])
		}
	}
}

// gather sorts the points into lines, by level of the axis; -1 where there is none.
func (l *sweepLines) gather() {
	s := l.sweep
	n := 1
	if l.series >= 0 {
		n = len(s.Axes[l.series].Levels)
	}
	for range n {
		l.lines = append(l.lines, slices.Repeat([]int{-1}, len(l.places)))
	}
	for i := range s.Points {
		k, line := levelOf(s, i, l.along), 0
		if l.series >= 0 {
			line = levelOf(s, i, l.series)
		}
		if k >= 0 && line >= 0 {
			l.lines[line][k] = i
		}
	}
}

// seriesInks are the colours of lines.
var seriesInks = [mostSeries]colour{
	okabeBlue, okabeVermilion, okabeGreen, okabePurple, okabeOrange, gray(0x48),
}

// panel draws a metric.
func (l *sweepLines) panel(m *result.SweepMetric, index int) panel {
	p := panel{title: sweepLabel(m), height: linePanel, plot: plot.New()}
	style(p.plot)
	var values []float64
	for _, c := range m.Cells {
		lo, hi := cellRange(&c)
		if l.series >= 0 && c.Low != nil {
			lo, hi = float64(*c.Low), float64(*c.High)
		}
		values = append(values, float64(c.Median), lo, hi)
	}
	scale := newSweepScale(m.Unit, values)
	p.title += scale.words() + betterSide(m.Better)
	sweepAxis(&p.plot.Y, scale)
	p.plot.X.Min, p.plot.X.Max = 0, 1
	p.plot.X.Tick.Marker = l.ticks()
	if index < len(l.metrics)-1 {
		p.plot.HideX()
	} else {
		p.plot.X.Label.Text = l.sweep.Axes[l.along].Param
		if l.sweep.Axes[l.along].Log {
			p.plot.X.Label.Text += " (log)"
		}
		p.plot.X.Label.Padding = 2
	}
	p.plot.Add(scaleGrid{l.ticks(), scale})
	for i, line := range l.lines {
		p.plot.Add(sweepLine{
			sweep: l.sweep, metric: m, scale: scale, points: line, places: l.places, ink: seriesInks[i],
			joined: l.joined, ranges: l.series < 0,
		})
	}
	if index == 0 {
		p.legend = l.legend()
	}
	return p
}

// betterSide says which way a metric is better.
func betterSide(d result.Direction) string {
	switch d {
	case result.LowerIsBetter:
		return ", lower is better"
	case result.HigherIsBetter:
		return ", higher is better"
	}
	return ""
}

// sweepAxis makes an axis that of a scale.
func sweepAxis(a *plot.Axis, s sweepScale) {
	const edge = 0.05
	a.Min, a.Max, a.Tick.Marker = -edge, 1+edge, s
	if s.never {
		a.Max = s.at(math.Inf(1)) + edge
	}
}

// legend names the lines and the bands.
func (l *sweepLines) legend() []legendEntry {
	var out []legendEntry
	sty := textStyle(labelSize, false, textInk)
	if l.series >= 0 {
		const room = rightMargin - 12 - legendSample - 9
		a := l.sweep.Axes[l.series]
		for i, text := range levelTexts(a, sty, room) {
			level := a.Levels[i]
			if l.sweep.Default >= 0 && l.sweep.Points[l.sweep.Default].Values[l.series] == level {
				text += " (default)"
			}
			out = append(out, legendEntry{text: shorten(sty, text, room), line: line(seriesInks[i], 1.4)})
		}
		out = append(out, legendEntry{text: "band: 95 % interval"})
	} else if !l.joined {
		out = append(out, barLegend()...)
	} else {
		out = append(out, legendEntry{text: "median", line: line(seriesInks[0], 1.4)},
			legendEntry{text: "its 95 % interval", fill: translucent(seriesInks[0], 0x58)},
			legendEntry{text: "least to most", fill: translucent(seriesInks[0], 0x24)})
	}
	if !l.intervals() {
		out = slices.DeleteFunc(out, func(e legendEntry) bool {
			return strings.Contains(e.text, "95 % interval")
		})
	}
	if anyMisses(l.sweep, slices.Concat(l.lines...)) {
		out = append(out, crossed())
	}
	switch base := l.sweep.Default; {
	case base >= 0 && levelOf(l.sweep, base, l.along) >= 0:
		out = append(out, legendEntry{text: "the default", line: defaultRule()})
	case base >= 0:
		a := levelWords(l.sweep.Points[base].Values[l.along])
		out = append(out, legendEntry{text: shorten(sty, "the default, "+a+": not shown", rightMargin-16)})
	}
	return out
}

// intervals says whether there is any: it takes six seeds.
func (l *sweepLines) intervals() bool {
	return slices.ContainsFunc(l.metrics, func(m int) bool {
		return slices.ContainsFunc(l.sweep.Metrics[m].Cells, func(c result.SweepCell) bool {
			return c.Low != nil
		})
	})
}

// barLegend explains dots with bars.
func barLegend() []legendEntry {
	return []legendEntry{
		{text: "median", sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			dot(c, seriesInks[0], (x0+x1)/2, (y0+y1)/2, 2.4)
		}},
		{text: "its 95 % interval", line: line(seriesInks[0], 2.4)},
		{text: "least to most", line: line(translucent(seriesInks[0], 0x60), 1)},
	}
}

func defaultRule() draw.LineStyle {
	sty := line(gray(0x60), 0.9)
	sty.Dashes = []vg.Length{3, 2}
	return sty
}

// ticks are the levels, as far as their labels do not touch.
func (l *sweepLines) ticks() plot.ConstantTicks {
	sty := textStyle(labelSize, false, textInk)
	const width, air, longest = figureWidth - leftMargin - rightMargin, 8, 90
	var ticks plot.ConstantTicks
	texts := levelTexts(l.sweep.Axes[l.along], sty, longest)
	end := -vg.Length(leftMargin)
	for _, k := range l.order() {
		at := vg.Length(l.places[k]) * width
		text := texts[k]
		half := sty.Width(text) / 2
		if at-half < end || at+half > width+rightMargin-8 {
			text = " "
		} else {
			end = at + half + air
		}
		ticks = append(ticks, plot.Tick{Value: l.places[k], Label: text})
	}
	return ticks
}

// order are the levels from left to right.
func (l *sweepLines) order() []int {
	order := make([]int, len(l.places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return sign(l.places[a] - l.places[b]) })
	return order
}

// draw draws the panels below top.
func (l *sweepLines) draw(c draw.Canvas, top vg.Length) {
	for _, p := range l.panels {
		data := vg.Rectangle{
			Min: vg.Point{X: leftMargin, Y: top - panelTitle - p.height},
			Max: vg.Point{X: figureWidth - rightMargin, Y: top - panelTitle},
		}
		if base := l.sweep.Default; base >= 0 {
			if k := levelOf(l.sweep, base, l.along); k >= 0 {
				x := data.Min.X + (data.Max.X-data.Min.X)*vg.Length(l.places[k])
				rule(c, defaultRule(), x, data.Min.Y, x, data.Max.Y)
			}
		}
		p.draw(c, data)
		top = data.Min.Y - panelGap
	}
}
