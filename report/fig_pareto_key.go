package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// keyRows is the number of rows of the key.
func (p *pareto) keyRows() int {
	n := len(p.labelled)
	if p.sweep.Default >= 0 {
		n++
	}
	return n
}

// keyTitle says what the rows are, and of how many points if not all have one.
func (p *pareto) keyTitle() string {
	title := "point: settings"
	if on := len(p.sweep.Front.Points); len(p.labelled) < on {
		title += " (" + count(int64(len(p.labelled))) + " of the " + count(int64(on)) + " on the front)"
	}
	return title
}

// key writes the settings and values of the points that have a label.
func (p *pareto) key(c draw.Canvas, top vg.Length) {
	metrics := []*result.SweepMetric{p.x, p.y}
	if p.size != nil {
		metrics = append(metrics, p.size)
	}
	const column = 104
	left := figureWidth - paretoRight - vg.Length(len(metrics))*column
	bold := textStyle(labelSize, true, textInk)
	y := top - keyRow/2.0
	c.FillText(bold, vg.Point{X: leftMargin, Y: y}, p.keyTitle())
	for k, m := range metrics {
		c.FillText(bold, vg.Point{X: left + vg.Length(k)*column, Y: y}, shorten(bold, sweepLabel(m), column-8))
	}
	row := func(name string, point int) {
		y -= keyRow
		plain := textStyle(labelSize, false, textInk)
		right := bold
		right.XAlign = draw.XRight
		c.FillText(right, vg.Point{X: leftMargin - 8, Y: y}, name)
		c.FillText(plain, vg.Point{X: leftMargin, Y: y},
			shorten(plain, p.settings(point), left-leftMargin-6))
		for k, m := range metrics {
			text := none
			if !missing(m, point) {
				text = cellText(m, point)
			}
			c.FillText(plain, vg.Point{X: left + vg.Length(k)*column, Y: y}, shorten(plain, text, column-8))
		}
	}
	for _, i := range p.labelled {
		row(pointName(p.sweep, i), i)
	}
	if p.sweep.Default >= 0 {
		name := "default"
		if p.sweep.Misses(p.sweep.Default) {
			name += " " + missMark
		}
		row(name, p.sweep.Default)
	}
}

// settings are those of a point; of the default all, of the others what differs.
func (p *pareto) settings(point int) string {
	if point == p.sweep.Default {
		return allSettings(p.sweep, point)
	}
	words := pointWords(p.sweep, point)
	n := 0
	for _, i := range p.points {
		if i != point && p.alike(i, point) {
			n++
		}
	}
	if n > 0 {
		words = count(int64(n)+1) + " alike, one with " + words
	}
	return words
}

// legend explains the marks that there are.
func (p *pareto) legend() []legendEntry {
	disc := func(ink colour, hollow bool) func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
		return func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			x, y := (x0+x1)/2, (y0+y1)/2
			if hollow {
				c.StrokeLines(line(ink, 1), circle(x, y, 2.9))
				return
			}
			dot(c, ink, x, y, 2.9)
		}
	}
	out := []legendEntry{
		{
			text:   "on the front: no other is better in one without being worse in another",
			sample: disc(okabeBlue, false),
		},
	}
	if len(p.near) > 0 {
		out = append(out, legendEntry{
			text: "near: none of the front beats it with confidence", sample: disc(okabeBlue, true),
		})
	}
	if len(p.other) > 0 {
		out = append(out, legendEntry{text: "beaten", sample: disc(gray(0xB4), false)})
	}
	if len(p.missed) > 0 {
		out = append(out, crossed())
	}
	if p.sweep.Default >= 0 {
		out = append(out, legendEntry{text: "the default", sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			diamond(c, (x0+x1)/2, (y0+y1)/2)
		}})
	}
	cross := "crosses: 95 % intervals"
	if len(p.points) > 0 && p.x.Cells[p.points[0]].Low == nil {
		cross = "crosses: least to most seed"
	}
	out = append(out, legendEntry{text: cross})
	if p.size != nil {
		out = append(out, legendEntry{text: "size: " + sweepLabel(p.size) + ", small is better"})
	}
	return out
}

// paretoCaption says where the front goes, and where the default lies.
func paretoCaption(s *result.Sweep) string {
	f := s.Front
	words := plural(int64(len(f.Points)), "setting") + " of " + count(int64(len(s.Points))) +
		" make the front" + bestOf(s)
	if len(f.Points) == 1 {
		words = "One setting of " + count(int64(len(s.Points))) + bestOf(s) + " is best in all: " +
			pointWords(s, f.Points[0]) + ", with " + valuesAt(s, f.Points[0])
	}
	if len(f.Near) > 0 {
		words += ", " + count(int64(len(f.Near))) + " more near it"
	}
	if s.Default < 0 {
		return words + "."
	}
	switch {
	case len(f.Points) == 1 && f.Points[0] != s.Default:
		return words + "; the default has " + valuesAt(s, s.Default) + "."
	case !s.Candidates()[s.Default]:
		return words + "; the default misses " + missWords(s, s.Default) + "."
	case slices.Contains(f.Points, s.Default):
		return words + "; the default is on it."
	case slices.Contains(f.Near, s.Default):
		return words + "; the default is near it."
	}
	for _, i := range f.Points {
		if beaten := beatsDefault(s, i); beaten != "" {
			return words + "; the default is not: " + pointWords(s, i) + " has " + beaten + "."
		}
	}
	return words + "; the default is not on it."
}

// bestOf says that a front is of the settings that miss no requirement.
func bestOf(s *result.Sweep) string {
	switch {
	case len(s.Requirements) == 0 || !slices.Contains(s.Candidates(), false):
		return ""
	case needLack(s) != "":
		return " of those that miss no requirement on half of the seeds"
	}
	return " of those that miss no requirement"
}

// valuesAt are the metrics of the front at a point.
func valuesAt(s *result.Sweep, point int) string {
	var parts []string
	for _, m := range frontMetrics(s) {
		parts = append(parts, sweepLabel(m)+" "+sweepValue(m.Unit, float64(m.Cells[point].Median)))
	}
	return strings.Join(parts, ", ")
}

// beatsDefault says how a point is better than the default in all metrics of the front; empty if it is not.
func beatsDefault(s *result.Sweep, point int) string {
	var parts []string
	for _, m := range frontMetrics(s) {
		a, b := float64(m.Cells[point].Median), float64(m.Cells[s.Default].Median)
		if math.IsNaN(a) || math.IsNaN(b) || float64(m.Better)*(a-b) < 0 {
			return ""
		}
		parts = append(parts, sweepLabel(m)+" "+sweepValue(m.Unit, a)+" where the default has "+
			sweepValue(m.Unit, b))
	}
	return strings.Join(parts, ", and ")
}
