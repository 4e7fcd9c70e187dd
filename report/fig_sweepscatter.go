package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// Layout of sweep-scatter.
const (
	mostScatterAxes    = 4
	mostScatterMetrics = 6
	scatterHeight      = 84
	scatterGap         = 14
	scatterHead        = 18
)

// sweepScatter is the layout of sweep-scatter: a row for each metric, a column for each axis.
type sweepScatter struct {
	sweep   *result.Sweep
	axes    []int
	metrics []int
}

// SweepScatter draws, for points that fill a space, each metric against each axis: a dot for the median at
// each point, and over neighbours along the axis their median and the middle half of them. It is nil if
// nothing differs.
func SweepScatter(s *result.Sweep) *Figure {
	p := &sweepScatter{sweep: s, axes: leadingAxes(s, mostScatterAxes)}
	for i := range s.Metrics {
		if !same(&s.Metrics[i]) && len(p.metrics) < mostScatterMetrics {
			p.metrics = append(p.metrics, i)
		}
	}
	if len(p.metrics) == 0 {
		return nil
	}
	foot := p.legend()
	var names []string
	for _, m := range p.metrics {
		names = append(names, sweepLabel(&s.Metrics[m]))
	}
	f := Figure{
		Name: "sweep-scatter", Title: "What each setting does, whatever the others are",
		Caption: captionOf(s, &s.Metrics[p.metrics[0]]),
		Desc:    "A dot for each point, by axis: " + strings.Join(names, "; ") + ".",
	}
	height := vg.Length(len(p.metrics))*(scatterHead+scatterHeight) + axisHeight + legendHeight(foot)
	return sweepSheet(s, f, height, func(c draw.Canvas, top vg.Length) {
		p.draw(c, top)
		flowLegend(c, foot, leftMargin, c.Min.Y+legendHeight(foot)-4)
	})
}

// leadingAxes are the numbers of at most so many axes, in order: those that explain most of any metric.
func leadingAxes(s *result.Sweep, most int) []int {
	axes := make([]int, len(s.Axes))
	weight := make([]float64, len(s.Axes))
	for i := range axes {
		axes[i] = i
	}
	for _, x := range s.Sensitivity {
		for _, e := range x.Effects {
			weight[e.Axis] = max(weight[e.Axis], e.Share)
		}
	}
	if len(axes) > most {
		slices.SortStableFunc(axes, func(a, b int) int { return sign(weight[b] - weight[a]) })
		axes = axes[:most]
		slices.Sort(axes)
	}
	return axes
}

func (p *sweepScatter) draw(c draw.Canvas, top vg.Length) {
	n := vg.Length(len(p.axes))
	const room = figureWidth - leftMargin - 14
	width := (room - (n-1)*scatterGap) / n
	names := axisNames(p.sweep)
	for r, mi := range p.metrics {
		m := &p.sweep.Metrics[mi]
		y := newSweepScale(m.Unit, medians(m))
		title := textStyle(panelSize, false, textInk)
		base := top - vg.Length(r+1)*(scatterHead+scatterHeight)
		words := sweepLabel(m) + y.words() + betterSide(m.Better)
		c.FillText(title, vg.Point{X: leftMargin, Y: base + scatterHeight + 8}, shorten(title, words, room))
		for k, axis := range p.axes {
			one := plot.New()
			style(one)
			sweepAxis(&one.Y, y)
			x := p.axisScale(axis)
			sweepAxis(&one.X, x)
			one.X.Tick.Marker = fewerTicks{x}
			if k > 0 {
				one.Y.Tick.Marker = unlabelled{y}
			}
			if r < len(p.metrics)-1 {
				one.HideX()
			}
			one.Add(scaleGrid{x, y}, scatterDots{p.sweep, m, axis, x, y})
			left := leftMargin + vg.Length(k)*(width+scatterGap)
			fit(one, c, vg.Rectangle{
				Min: vg.Point{X: left, Y: base}, Max: vg.Point{X: left + width, Y: base + scatterHeight},
			})
			if r == len(p.metrics)-1 {
				sty := textStyle(labelSize, true, textInk)
				sty.XAlign = draw.XCenter
				c.FillText(sty, vg.Point{X: left + width/2, Y: base - 22}, shorten(sty, names[axis], width))
			}
		}
	}
}

func (p *sweepScatter) axisScale(axis int) sweepScale {
	xs := make([]float64, len(p.sweep.Points))
	for i := range xs {
		xs[i] = p.sweep.Points[i].X[axis]
	}
	return newAxisScale(p.sweep.Axes[axis], xs)
}

func (p *sweepScatter) legend() []legendEntry {
	out := []legendEntry{
		{text: "a point: median of its seeds", sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			dot(c, translucent(okabeBlue, 0x90), (x0+x1)/2, (y0+y1)/2, 1.8)
		}},
		{text: "median of " + strconv.Itoa(p.window()) + " neighbours", line: line(okabeVermilion, 1.4)},
		{text: "middle half of them", fill: translucent(okabeVermilion, 0x38)},
	}
	if p.sweep.Default >= 0 {
		out = append(out, legendEntry{text: "the default", sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			diamond(c, (x0+x1)/2, (y0+y1)/2)
		}})
	}
	if slices.ContainsFunc(p.sweep.Requirements, func(r result.Requirement) bool {
		return slices.Max(r.Missed) > 0
	}) {
		out = append(out, crossed())
	}
	if n := len(p.sweep.Axes); n > len(p.axes) {
		out = append(out, legendEntry{text: "of " + strconv.Itoa(n) + " axes those that explain most"})
	}
	return out
}

// window is how many neighbours are taken together.
func (p *sweepScatter) window() int { return neighbours(len(p.sweep.Points)) }

func neighbours(points int) int {
	const least, parts = 5, 6
	return min(max(points/parts, least)|1, points)
}

// fewerTicks are ticks for a narrow axis: no more than four labels.
type fewerTicks struct{ of plot.Ticker }

// Ticks implements plot.Ticker.
func (f fewerTicks) Ticks(lo, hi float64) []plot.Tick {
	const most = 4
	ticks := f.of.Ticks(lo, hi)
	labels := 0
	for _, t := range ticks {
		if t.Label != "" {
			labels++
		}
	}
	every := (labels + most - 1) / most
	k := 0
	for i := range ticks {
		if ticks[i].Label == "" {
			continue
		}
		if k%max(every, 1) > 0 {
			ticks[i].Label = ""
		}
		k++
	}
	return ticks
}

// scatterDots are the points of a metric over an axis.
type scatterDots struct {
	sweep  *result.Sweep
	metric *result.SweepMetric
	axis   int
	x, y   sweepScale
}

// Plot implements plot.Plotter.
func (s scatterDots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	type spot struct{ at, value float64 }
	var spots []spot
	for i, point := range s.sweep.Points {
		if missing(s.metric, i) {
			continue
		}
		v := spot{s.x.at(point.X[s.axis]), s.y.at(float64(s.metric.Cells[i].Median))}
		spots = append(spots, v)
		switch {
		case s.sweep.Misses(i):
			const size = 1.8
			rule(c, line(gray(0x80), 0.7), x(v.at)-size, y(v.value)-size, x(v.at)+size, y(v.value)+size)
			rule(c, line(gray(0x80), 0.7), x(v.at)-size, y(v.value)+size, x(v.at)+size, y(v.value)-size)
		case i != s.sweep.Default:
			dot(c, translucent(okabeBlue, 0x90), x(v.at), y(v.value), 1.8)
		}
	}
	slices.SortStableFunc(spots, func(a, b spot) int { return sign(a.at - b.at) })
	w := neighbours(len(s.sweep.Points))
	var upper, lower, middle []vg.Point
	for i := 0; i+w <= len(spots); i++ {
		values := make([]float64, 0, w)
		for _, v := range spots[i : i+w] {
			values = append(values, v.value)
		}
		slices.Sort(values)
		at := x(spots[i+w/2].at)
		rank := func(q float64) vg.Point {
			return vg.Point{X: at, Y: y(values[int(math.Ceil(q*float64(w)))-1])}
		}
		lower, middle, upper = append(lower, rank(0.25)), append(middle, rank(0.5)), append(upper, rank(0.75))
	}
	if len(middle) > 1 {
		slices.Reverse(lower)
		c.FillPolygon(translucent(okabeVermilion, 0x38), append(upper, lower...))
		c.StrokeLines(line(okabeVermilion, 1.4), middle)
	}
	if i := s.sweep.Default; i >= 0 && !missing(s.metric, i) {
		diamond(c, x(s.x.at(s.sweep.Points[i].X[s.axis])), y(s.y.at(float64(s.metric.Cells[i].Median))))
	}
}

// diamond marks the default among points.
func diamond(c draw.Canvas, x, y vg.Length) {
	for i, r := range []vg.Length{5, 3.8} {
		ink := gray(0x22)
		if i == 0 {
			ink = white
		}
		c.FillPolygon(ink, []vg.Point{{X: x - r, Y: y}, {X: x, Y: y + r}, {X: x + r, Y: y}, {X: x, Y: y - r}})
	}
}
