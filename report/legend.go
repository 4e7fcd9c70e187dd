package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendEntry is a sample with its meaning; one without a sample is a remark.
type legendEntry struct {
	text string
	line draw.LineStyle
	fill colour
	rug  bool
	mark draw.LineStyle // of a stroke
	// sample draws any other sample into a box.
	sample func(c draw.Canvas, x0, y0, x1, y1 vg.Length)
}

const (
	legendRow    = 12
	legendSample = 14
)

// drawLegend writes the entries below each other, the first at (x, y).
func drawLegend(c draw.Canvas, entries []legendEntry, x, y vg.Length) {
	for _, e := range entries {
		e.draw(c, x, y)
		y -= legendRow
	}
}

// bare says whether the entry has no sample.
func (e legendEntry) bare() bool {
	return e.line.Width == 0 && e.mark.Width == 0 && e.fill.A == 0 && !e.rug && e.sample == nil
}

// draw writes one entry at (x, y).
func (e legendEntry) draw(c draw.Canvas, x, y vg.Length) {
	ink := textInk
	left := x + legendSample + 5
	switch {
	case e.sample != nil:
		e.sample(c, x, y-4, x+legendSample, y+4)
	case e.line.Width > 0:
		rule(c, e.line, x, y, x+legendSample, y)
	case e.mark.Width > 0:
		at := x + legendSample/2
		rule(c, e.mark, at, y-rugHeight/2, at, y+rugHeight/2)
	case e.fill.A > 0:
		box(c, e.fill, x, y-4, x+legendSample, y+4)
	case e.rug:
		for i, k := range []colour{okabeVermilion, black} {
			at := x + 4 + vg.Length(i)*6
			rule(c, line(k, 1), at, y-rugHeight/2, at, y+rugHeight/2)
		}
	default:
		ink, left = quietInk, x
	}
	c.FillText(textStyle(labelSize, false, ink), vg.Point{X: left, Y: y}, e.text)
}

// width of the entry with the air after it.
func (e legendEntry) width() vg.Length {
	const air = 14
	w := textStyle(labelSize, false, black).Width(e.text) + air
	if !e.bare() {
		w += legendSample + 5
	}
	return w
}

// flowed are the entries in rows that fit beside each other below a figure.
func flowed(entries []legendEntry) [][]legendEntry {
	const room = figureWidth - leftMargin - 8
	var rows [][]legendEntry
	used := room + 1
	for _, e := range entries {
		if used += e.width(); used > room {
			rows = append(rows, nil)
			used = e.width()
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
	}
	return rows
}

// legendHeight is what flowLegend needs.
func legendHeight(entries []legendEntry) vg.Length {
	if len(entries) == 0 {
		return 0
	}
	const air = 10
	return vg.Length(len(flowed(entries)))*legendRow + air
}

// flowLegend writes the entries in rows, from (x, top) downwards.
func flowLegend(c draw.Canvas, entries []legendEntry, x, top vg.Length) {
	y := top - legendRow/2
	for _, row := range flowed(entries) {
		at := x
		for _, e := range row {
			e.draw(c, at, y)
			at += e.width()
		}
		y -= legendRow
	}
}

// directLabel is a name beside the thing it names, at a height in data coordinates.
type directLabel struct {
	text string
	at   float64
	bold bool
}

// drawDirect writes labels at the right edge of the data, moved apart where they would overlap.
func drawDirect(c draw.Canvas, labels []directLabel, p *plot.Plot, data vg.Rectangle) {
	slices.SortStableFunc(labels, func(a, b directLabel) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	want := make([]vg.Length, len(labels))
	for i, l := range labels {
		want[i] = data.Min.Y + (data.Max.Y-data.Min.Y)*vg.Length(p.Y.Norm(l.at))
	}
	const apart = 10
	got := spreadOut(want, apart, data.Min.Y+3, data.Max.Y-3)
	for i, l := range labels {
		sty := textStyle(labelSize, l.bold, textInk)
		rule(c, line(gray(0x90), 0.5), data.Max.X+1, want[i], data.Max.X+9, got[i])
		text := shorten(sty, l.text, rightMargin-16)
		c.FillText(sty, vg.Point{X: data.Max.X + 12, Y: got[i]}, text)
	}
}

// spreadOut moves rising places apart by at least a distance, little by little around where they
// want to be, and keeps them between lo and hi if there is room.
func spreadOut(want []vg.Length, apart, lo, hi vg.Length) []vg.Length {
	got := slices.Clone(want)
	for i := range got {
		got[i] = max(got[i], lo+vg.Length(i)*apart)
		if i > 0 {
			got[i] = max(got[i], got[i-1]+apart)
		}
	}
	for i := len(got) - 1; i >= 0; i-- {
		top := hi - vg.Length(len(got)-1-i)*apart
		if i < len(got)-1 {
			top = min(top, got[i+1]-apart)
		}
		got[i] = min(got[i], top)
	}
	return got
}
