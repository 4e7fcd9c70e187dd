package report

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// mostLabels is how many points of a front have a number, and a row in the key.
const mostLabels = 8

// pareto is the layout of a figure of a front.
type pareto struct {
	sweep *result.Sweep
	front *result.Front
	x, y  *result.SweepMetric
	// size is a third metric, nil if there is none.
	size                *result.SweepMetric
	xs, ys, sizes       sweepScale
	labelled            []int // points of the front with a number, in its order
	points, near, other []int // as drawn: those with values in x and y
	missed              []int // of others, those that miss a requirement
	crosses             []vg.Rectangle
}

// Layout of pareto.
const (
	paretoHeight = 230
	paretoRight  = 20
	keyRow       = 13
)

// Pareto draws the points of a sweep over the first two metrics of its front that are not the same
// everywhere: the front coloured and joined where two metrics make it, with intervals as crosses; points
// near it hollow; all others grey. The size of a dot is the third metric, if there is one. Up to eight
// points of the front have their number in the plan, and with the default a row in the key below. It is nil
// if there is no front, or a single point.
func Pareto(s *result.Sweep) *Figure {
	if s.Front == nil || len(s.Front.Metrics) < 2 || len(s.Points) < 2 || len(s.Front.Points) == 0 {
		return nil
	}
	vary := frontMetrics(s)
	if len(vary) < 2 {
		return nil
	}
	p := &pareto{sweep: s, front: s.Front, x: vary[0], y: vary[1]}
	if len(vary) > 2 {
		p.size = vary[2]
		p.sizes = newSweepScale(p.size.Unit, medians(p.size))
	}
	p.sort()
	p.scales()
	foot := p.legend()
	f := Figure{
		Name: "pareto", Title: "What can be had together: " + sweepLabel(p.x) + " against " + sweepLabel(p.y),
		Caption: paretoCaption(s),
		Desc: "Medians of " + p.x.Addressed() + " and " + p.y.Addressed() + " at each point; " +
			plural(int64(len(p.front.Points)), "point") + " of the front.",
	}
	const axis, air = 34, 8
	height := vg.Length(panelTitle+paretoHeight+axis+air) + vg.Length(p.keyRows()+1)*keyRow + legendHeight(foot)
	return sweepSheet(s, f, height, func(c draw.Canvas, top vg.Length) {
		p.draw(c, top)
		p.key(c, top-panelTitle-paretoHeight-axis)
		flowLegend(c, foot, leftMargin, c.Min.Y+legendHeight(foot)-4)
	})
}

// frontMetrics are the metrics of the front that are not the same at all points.
func frontMetrics(s *result.Sweep) []*result.SweepMetric {
	var out []*result.SweepMetric
	for _, k := range s.Front.Metrics {
		if !same(&s.Metrics[k]) {
			out = append(out, &s.Metrics[k])
		}
	}
	return out
}

// sort says which point is what.
func (p *pareto) sort() {
	for i := range p.sweep.Points {
		switch {
		case missing(p.x, i) || missing(p.y, i):
		case slices.Contains(p.front.Points, i):
		case slices.Contains(p.front.Near, i):
			p.near = append(p.near, i)
		case p.sweep.Misses(i):
			p.missed = append(p.missed, i)
		default:
			p.other = append(p.other, i)
		}
	}
	for _, i := range p.front.Points {
		if !missing(p.x, i) && !missing(p.y, i) {
			p.points = append(p.points, i)
		}
	}
	slices.SortStableFunc(p.points, func(a, b int) int {
		return cmp.Compare(p.x.Cells[a].Median, p.x.Cells[b].Median)
	})
	var distinct []int
	for _, i := range p.points {
		if !slices.ContainsFunc(distinct, func(j int) bool { return p.alike(i, j) }) {
			distinct = append(distinct, i)
		}
	}
	p.labelled = evenly(distinct, mostLabels)
}

// alike says that two points have the same medians: their settings make no difference here.
func (p *pareto) alike(i, j int) bool {
	return p.x.Cells[i].Median == p.x.Cells[j].Median && p.y.Cells[i].Median == p.y.Cells[j].Median &&
		(p.size == nil || p.size.Cells[i].Median == p.size.Cells[j].Median)
}

// evenly takes at most so many of a list, its ends among them.
func evenly(list []int, most int) []int {
	if len(list) <= most {
		return list
	}
	out := make([]int, most)
	for i := range out {
		out[i] = list[(i*(len(list)-1)+(most-1)/2)/(most-1)]
	}
	return out
}

// scales fits the axes to medians, and to the intervals of the front.
func (p *pareto) scales() {
	fit := func(m *result.SweepMetric) sweepScale {
		values := medians(m)
		for _, i := range p.points {
			if lo, hi, _, ok := certainty(&m.Cells[i]); ok {
				values = append(values, lo, hi)
			}
		}
		return newSweepScale(m.Unit, values)
	}
	p.xs, p.ys = fit(p.x), fit(p.y)
}

// at is the place of a point on axes of scales.
func (p *pareto) at(i int) (x, y float64) {
	return p.xs.at(float64(p.x.Cells[i].Median)), p.ys.at(float64(p.y.Cells[i].Median))
}

// radius is the size of the dot of a point.
func (p *pareto) radius(i int) vg.Length {
	const plain, least, most = 2.6, 1.8, 5.4
	if p.size == nil || missing(p.size, i) {
		return plain
	}
	bad := min(p.sizes.badness(p.size.Better, float64(p.size.Cells[i].Median)), 1)
	return least + (most-least)*vg.Length(bad)
}

// draw draws the plot below top.
func (p *pareto) draw(c draw.Canvas, top vg.Length) {
	one := plot.New()
	style(one)
	sweepAxis(&one.X, p.xs)
	sweepAxis(&one.Y, p.ys)
	one.X.Tick.Marker = fewerTicks{p.xs}
	if p.xs.kind == scaleLinear {
		one.X.Tick.Marker = p.xs
	}
	one.X.Label.Text = axisWords(p.x, p.xs)
	one.X.Label.Padding = 2
	one.Add(tickGrid{}, p)
	data := vg.Rectangle{
		Min: vg.Point{X: leftMargin, Y: top - panelTitle - paretoHeight},
		Max: vg.Point{X: figureWidth - paretoRight, Y: top - panelTitle},
	}
	panel{title: axisWords(p.y, p.ys), height: paretoHeight, plot: one}.draw(c, data)
}

// axisWords name an axis: what it is, how it is spread, which way is better.
func axisWords(m *result.SweepMetric, s sweepScale) string {
	return sweepLabel(m) + s.words() + betterSide(m.Better)
}

// Plot implements plot.Plotter.
func (p *pareto) Plot(c draw.Canvas, pl *plot.Plot) {
	tx, ty := pl.Transforms(&c)
	place := func(i int) (x, y vg.Length) {
		a, b := p.at(i)
		return tx(a), ty(b)
	}
	for _, i := range p.other {
		x, y := place(i)
		dot(c, gray(0xB4), x, y, p.radius(i))
	}
	for _, i := range p.missed {
		x, y := place(i)
		const size = 2.2
		rule(c, line(gray(0x80), 0.9), x-size, y-size, x+size, y+size)
		rule(c, line(gray(0x80), 0.9), x-size, y+size, x+size, y-size)
	}
	for _, i := range p.near {
		x, y := place(i)
		dot(c, white, x, y, p.radius(i)+0.6)
		c.StrokeLines(line(okabeBlue, 1), circle(x, y, p.radius(i)+0.3))
	}
	if p.size == nil {
		c.StrokeLines(line(translucent(okabeBlue, 0x90), 1.2), p.stairs(place))
	}
	p.crosses = nil
	for _, i := range p.points {
		x, y := place(i)
		cross := line(okabeBlue, 0.7)
		if lo, hi, _, ok := certainty(&p.x.Cells[i]); ok {
			from, to := tx(p.xs.at(lo)), tx(p.xs.at(hi))
			rule(c, cross, from, y, to, y)
			p.crosses = append(p.crosses, around((from+to)/2, y, (to-from)/2, 1))
		}
		if lo, hi, _, ok := certainty(&p.y.Cells[i]); ok {
			from, to := ty(p.ys.at(lo)), ty(p.ys.at(hi))
			rule(c, cross, x, from, x, to)
			p.crosses = append(p.crosses, around(x, (from+to)/2, 1, (to-from)/2))
		}
		dot(c, white, x, y, p.radius(i)+1)
		dot(c, okabeBlue, x, y, p.radius(i)+0.3)
	}
	p.labels(c, place)
}

// stairs join the front: nothing was found on the better side of them.
func (p *pareto) stairs(place func(int) (x, y vg.Length)) []vg.Point {
	var pts []vg.Point
	for k, i := range p.points {
		x, y := place(i)
		if k > 0 {
			// From a point to the next: the corner has the worse value of both metrics.
			last := pts[len(pts)-1]
			if p.x.Better == result.HigherIsBetter {
				pts = append(pts, vg.Point{X: last.X, Y: y})
			} else {
				pts = append(pts, vg.Point{X: x, Y: last.Y})
			}
		}
		pts = append(pts, vg.Point{X: x, Y: y})
	}
	return pts
}

// labels numbers the front and names the default, each beside its point and over nothing else.
func (p *pareto) labels(c draw.Canvas, place func(int) (x, y vg.Length)) {
	var taken []vg.Rectangle
	for _, i := range slices.Concat(p.points, p.near, p.other, p.missed) {
		x, y := place(i)
		taken = append(taken, around(x, y, p.radius(i)+1, p.radius(i)+1))
	}
	taken = append(taken, p.crosses...)
	base := p.sweep.Default
	if base >= 0 && !missing(p.x, base) && !missing(p.y, base) {
		x, y := place(base)
		diamond(c, x, y)
		taken = append(taken, around(x, y, 5, 5))
		name := "default"
		if p.sweep.Misses(base) {
			name += " " + missMark
		}
		p.label(c, &taken, name, x, y)
	}
	for _, i := range p.labelled {
		x, y := place(i)
		p.label(c, &taken, pointName(p.sweep, i), x, y)
	}
}

// around is a rectangle with a middle.
func around(x, y, halfWidth, halfHeight vg.Length) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: x - halfWidth, Y: y - halfHeight}, Max: vg.Point{X: x + halfWidth, Y: y + halfHeight},
	}
}

// label writes a text near a point where it covers nothing; if there is no room, nowhere: the key has it.
func (p *pareto) label(c draw.Canvas, taken *[]vg.Rectangle, text string, x, y vg.Length) {
	sty := textStyle(labelSize, true, textInk)
	sty.XAlign = draw.XCenter
	half := sty.Width(text)/2 + 1
	const high = 4.5
	for _, away := range []vg.Length{9, 15, 23, 32} {
		for _, d := range []vg.Point{
			{X: 1, Y: 0.7},
			{X: -1, Y: 0.7},
			{X: 1, Y: -0.7},
			{X: -1, Y: -0.7},
			{X: 0, Y: 1},
			{X: 1, Y: 0},
			{X: -1, Y: 0},
			{X: 0, Y: -1},
		} {
			at := vg.Point{X: x + d.X*(away+half-3), Y: y + d.Y*away}
			r := around(at.X, at.Y, half, high)
			if r.Min.X < c.Min.X || r.Max.X > c.Max.X || r.Min.Y < c.Min.Y || r.Max.Y > c.Max.Y ||
				slices.ContainsFunc(*taken, func(o vg.Rectangle) bool { return touches(r, o) }) {
				continue
			}
			*taken = append(*taken, r)
			if away > 9 {
				rule(c, line(gray(0x90), 0.5), x+d.X*5, y+d.Y*5, at.X-d.X*half, at.Y-d.Y*high)
			}
			c.FillText(sty, at, text)
			return
		}
	}
}

func touches(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
