package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// step is a value over a stretch of the x axis. A NaN is a gap: there was nothing to measure.
type step struct{ x0, x1, lo, hi float64 }

// gapAt says that the step has no value.
func (s step) gapAt() bool { return math.IsNaN(s.hi) }

// runs cuts steps at gaps.
func runs(steps []step) [][]step {
	var out [][]step
	open := false
	for _, s := range steps {
		if s.gapAt() {
			open = false
			continue
		}
		if !open {
			out = append(out, nil)
			open = true
		}
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	return out
}

// stepLine draws the upper ends of steps as a line: level over each window, never smoothed.
type stepLine struct {
	steps []step
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (l stepLine) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, run := range runs(l.steps) {
		var pts []vg.Point
		for _, s := range run {
			pts = append(pts, vg.Point{X: x(s.x0), Y: y(s.hi)}, vg.Point{X: x(s.x1), Y: y(s.hi)})
		}
		c.StrokeLines(l.style, straighten(pts))
	}
}

// stepArea fills what is between the lower and upper ends of steps.
type stepArea struct {
	steps []step
	fill  color.Color
	edge  draw.LineStyle // of the upper end; width 0: none
	hatch draw.LineStyle // of slanted lines over the fill; width 0: none
}

// Plot implements plot.Plotter.
func (a stepArea) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, run := range runs(a.steps) {
		var upper, lower []vg.Point
		for _, s := range run {
			x0, x1, hi, lo := x(s.x0), x(s.x1), y(s.hi), y(s.lo)
			upper = append(upper, vg.Point{X: x0, Y: hi}, vg.Point{X: x1, Y: hi})
			lower = append(lower, vg.Point{X: x0, Y: lo}, vg.Point{X: x1, Y: lo})
		}
		upper, lower = straighten(upper), straighten(lower)
		ring := append([]vg.Point(nil), upper...)
		for i := len(lower) - 1; i >= 0; i-- {
			ring = append(ring, lower[i])
		}
		c.FillPolygon(a.fill, ring)
		if a.hatch.Width > 0 {
			hatch(c, a.hatch, run, x, y)
		}
		if a.edge.Width > 0 {
			c.StrokeLines(a.edge, upper)
		}
	}
}

// straighten leaves out points in the middle of a level or of a vertical.
func straighten(pts []vg.Point) []vg.Point {
	out := make([]vg.Point, 0, len(pts))
	for _, q := range pts {
		if n := len(out); n >= 2 {
			a, b := out[n-2], out[n-1]
			if a.Y == b.Y && b.Y == q.Y || a.X == b.X && b.X == q.X {
				out[n-1] = q
				continue
			}
		}
		out = append(out, q)
	}
	return out
}

// hatchGap is the horizontal distance between the lines of a hatch.
const hatchGap = 5

// hatch draws lines that rise at 45 degrees, cut to the steps. The lines have places of their
// own, so that they run on across windows.
func hatch(c draw.Canvas, sty draw.LineStyle, run []step, x, y func(float64) vg.Length) {
	if len(run) == 0 {
		return
	}
	left, right := x(run[0].x0), x(run[len(run)-1].x1)
	height := c.Max.Y - c.Min.Y
	first := vg.Length(math.Floor(float64((left-c.Min.X-height)/hatchGap))) * hatchGap
	for off := first; off < right-c.Min.X; off += hatchGap {
		foot := c.Min.X + off // where the line meets the lower edge of the canvas
		c.StrokeLines(sty, hatchLine(run, foot, c.Min.Y, x, y)...)
	}
}

// hatchLine cuts one line, from (foot, base) upwards to the right, to the steps.
func hatchLine(run []step, foot, base vg.Length, x, y func(float64) vg.Length) [][]vg.Point {
	var lines [][]vg.Point
	const eps = 1e-6
	for _, s := range run {
		x0, x1 := x(s.x0), x(s.x1)
		from := max(x0, foot+y(s.lo)-base)
		to := min(x1, foot+y(s.hi)-base)
		if to-from < eps {
			continue
		}
		a := vg.Point{X: from, Y: base + from - foot}
		b := vg.Point{X: to, Y: base + to - foot}
		if n := len(lines); n > 0 && math.Abs(float64(lines[n-1][1].X-a.X)) < eps {
			lines[n-1][1] = b
			continue
		}
		lines = append(lines, []vg.Point{a, b})
	}
	return lines
}

// gridLines draws a light line at each round time and, if levels is set, at each label of the y
// axis.
type gridLines struct {
	times  timeTicks
	levels bool
}

// Plot implements plot.Plotter.
func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := line(gridInk, 0.5)
	for _, t := range g.times.Ticks(p.X.Min, p.X.Max) {
		rule(c, sty, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	if !g.levels {
		return
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			rule(c, sty, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}
