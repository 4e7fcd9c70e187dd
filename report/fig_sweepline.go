package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// sweepLine is a metric along an axis: a line through the medians, with bands where the axis has an order,
// else a dot with bars for each level.
type sweepLine struct {
	sweep  *result.Sweep
	metric *result.SweepMetric
	scale  sweepScale
	points []int // by level
	places []float64
	ink    colour
	joined bool
	ranges bool
}

// Plot implements plot.Plotter.
func (l sweepLine) Plot(c draw.Canvas, p *plot.Plot) {
	if l.joined {
		for _, run := range l.stretches() {
			l.bands(c, p, run)
		}
	}
	x, y := p.Transforms(&c)
	for k, point := range l.points {
		if missing(l.metric, point) {
			continue
		}
		cell := &l.metric.Cells[point]
		at := x(l.places[k])
		if !l.joined {
			lo, hi := cellRange(cell)
			rule(c, line(translucent(l.ink, 0x60), 1), at, y(l.scale.at(lo)), at, y(l.scale.at(hi)))
			if lo, hi, interval, ok := certainty(cell); ok && interval {
				rule(c, line(l.ink, 2.4), at, y(l.scale.at(lo)), at, y(l.scale.at(hi)))
			}
		}
		dot(c, l.ink, at, y(l.scale.at(float64(cell.Median))), 2.4)
		if l.sweep.Misses(point) {
			const size = 3.4
			cross(c, l.ink, at, y(l.scale.at(float64(cell.Median))), size)
		}
	}
}

// stretches are the levels with values, cut where there is none.
func (l sweepLine) stretches() [][]int {
	order := make([]int, len(l.places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return sign(l.places[a] - l.places[b]) })
	var out [][]int
	open := false
	for _, k := range order {
		if missing(l.metric, l.points[k]) {
			open = false
			continue
		}
		if !open {
			out, open = append(out, nil), true
		}
		out[len(out)-1] = append(out[len(out)-1], k)
	}
	return out
}

// bands draws a stretch: range, interval, line.
func (l sweepLine) bands(c draw.Canvas, p *plot.Plot, levels []int) {
	x, y := p.Transforms(&c)
	var medians, ranges, intervals []vg.Point // the last two with their way back at the end
	var rangesBack, intervalsBack []vg.Point
	for _, k := range levels {
		cell := &l.metric.Cells[l.points[k]]
		at := x(l.places[k])
		put := func(to *[]vg.Point, v float64) {
			*to = append(*to, vg.Point{X: at, Y: y(l.scale.at(v))})
		}
		put(&medians, float64(cell.Median))
		lo, hi := cellRange(cell)
		put(&ranges, hi)
		put(&rangesBack, lo)
		if lo, hi, interval, ok := certainty(cell); ok && interval {
			put(&intervals, hi)
			put(&intervalsBack, lo)
		}
	}
	ring := func(there, back []vg.Point) []vg.Point {
		slices.Reverse(back)
		return append(there, back...)
	}
	if l.ranges {
		c.FillPolygon(translucent(l.ink, 0x24), ring(ranges, rangesBack))
	}
	c.FillPolygon(translucent(l.ink, 0x40), ring(intervals, intervalsBack))
	c.StrokeLines(line(l.ink, 1.4), medians)
}
