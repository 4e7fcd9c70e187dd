package report

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws the panels and the bar of colours below top.
func (h *heatMap) draw(c draw.Canvas, top vg.Length) {
	names := textStyle(labelSize, true, textInk)
	c.FillText(names, vg.Point{X: 8, Y: top - 2}, shorten(names, "rows ↑ "+h.names[1], figureWidth/2-12))
	first := top - 12
	wide := vg.Length(len(h.xs)) * h.width
	for i := range h.cells {
		x := h.left + vg.Length(i%h.columns)*(wide+mapGap)
		y := first - vg.Length(i/h.columns)*(h.panelHeight()+6)
		h.panel(c, i, x, y)
	}
	rows := (len(h.cells) + h.columns - 1) / h.columns
	bottom := first - vg.Length(rows)*h.panelHeight() - vg.Length(rows-1)*6
	across := vg.Length(h.columns)*wide + vg.Length(h.columns-1)*mapGap
	names.XAlign = draw.XCenter
	name := shorten(names, "columns → "+h.names[0], figureWidth-h.left-8)
	mid := max(h.left+across/2, names.Width(name)/2+8)
	c.FillText(names, vg.Point{X: mid, Y: bottom - 5}, name)
	h.bar(c, h.left+across+18, first-h.head())
}

// panel draws one map with its labels.
func (h *heatMap) panel(c draw.Canvas, panel int, x, top vg.Length) {
	title := textStyle(labelSize, true, textInk)
	wide := vg.Length(len(h.xs)) * h.width
	c.FillText(title, vg.Point{X: x, Y: top - 7}, shorten(title, h.titles[panel], wide))
	rows := h.cells[panel]
	base := top - h.head() - vg.Length(len(rows))*h.height
	for r, row := range rows {
		y := base + vg.Length(r)*h.height
		if panel%h.columns == 0 {
			sty := textStyle(labelSize, false, textInk)
			sty.XAlign = draw.XRight
			c.FillText(sty, vg.Point{X: x - 5, Y: y + h.height/2}, h.ys[r])
		}
		for i, cell := range row {
			h.cell(c, cell, x+vg.Length(i)*h.width, y)
		}
	}
	for i, text := range h.xs {
		sty := textStyle(labelSize, false, textInk)
		sty.XAlign = draw.XCenter
		c.FillText(sty, vg.Point{X: x + (vg.Length(i)+0.5)*h.width, Y: base - 8}, text)
	}
	for r, row := range rows { // over their neighbours
		for i, cell := range row {
			h.outline(c, cell, x+vg.Length(i)*h.width, base+vg.Length(r)*h.height)
		}
	}
}

// cell draws the colour, the numbers and the marks of a cell.
func (h *heatMap) cell(c draw.Canvas, cell mapCell, x, y vg.Length) {
	const seam = 0.5
	if len(cell.points) == 0 {
		gapCell(c, x, y, x+h.width, y+h.height)
		return
	}
	value := h.value(cell)
	fill := rampAt(h.scale.badness(h.metric.Better, value))
	ink := inkOn(fill)
	box(c, fill, x+seam, y+seam, x+h.width-seam, y+h.height-seam)
	median, interval := mapStyles(ink)
	mid := vg.Point{X: x + h.width/2, Y: y + h.height/2}
	if len(cell.points) == 1 && h.sweep.Misses(cell.points[0]) {
		h.strike(c, ink, cell.points[0], x, y)
		// The numbers stand over the strokes.
		if h.lines > 0 {
			const air, tall = 2, 6.5
			half := median.Width(h.text(cell))/2 + air
			if h.lines == 2 {
				half = max(half, interval.Width(h.sure(cell))/2+air)
			}
			box(c, fill, mid.X-half, mid.Y-tall*vg.Length(h.lines), mid.X+half, mid.Y+tall*vg.Length(h.lines))
		}
	}
	switch h.lines {
	case 2:
		const apart = 5.5
		c.FillText(median, vg.Point{X: mid.X, Y: mid.Y + apart}, h.text(cell))
		c.FillText(interval, vg.Point{X: mid.X, Y: mid.Y - apart}, h.sure(cell))
	case 1:
		c.FillText(median, mid, h.text(cell))
	}
	if len(cell.points) != 1 {
		return
	}
	p := cell.points[0]
	const in = 4.5
	if likeDefault(h.sweep, h.metric, p) {
		ring(c, ink, x+in, y+h.height-in)
	}
	if likeBest(h.sweep, h.metric, h.best, p) {
		dot(c, ink, x+h.width-in, y+h.height-in, 2)
	}
}

// strike crosses a cell out that misses a requirement: with one stroke if on less than half of the seeds.
func (h *heatMap) strike(c draw.Canvas, ink colour, point int, x, y vg.Length) {
	struck(c, ink, h.sweep.MostlyMisses(point), x, y, x+h.width, y+h.height)
}

// struck draws one stroke through a rectangle, or two.
func struck(c draw.Canvas, ink colour, both bool, x0, y0, x1, y1 vg.Length) {
	const in, width = 1.5, 0.8
	sty := line(translucent(ink, 0x90), width)
	rule(c, sty, x0+in, y0+in, x1-in, y1-in)
	if both {
		rule(c, sty, x0+in, y1-in, x1-in, y0+in)
	}
}

// gapCell is the place of a cell that has no value.
func gapCell(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
	sty := line(gray(0xB0), 0.5)
	const in = 2
	x0, y0, x1, y1 = x0+in, y0+in, x1-in, y1-in
	sty.Dashes = []vg.Length{1.5, 1.5}
	frame(c, sty, x0, y0, x1, y1)
}

// frame draws the edge of a rectangle.
func frame(c draw.Canvas, sty draw.LineStyle, x0, y0, x1, y1 vg.Length) {
	c.StrokeLines(sty, []vg.Point{
		{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0},
	})
}

// ring draws a small circle.
func ring(c draw.Canvas, ink colour, x, y vg.Length) {
	const radius = 2
	c.StrokeLines(line(ink, 0.8), circle(x, y, radius))
}

// outline marks the default and the best cell.
func (h *heatMap) outline(c draw.Canvas, cell mapCell, x, y vg.Length) {
	if len(cell.points) != 1 {
		return
	}
	const in = 1.3
	switch p := cell.points[0]; p {
	case h.sweep.Default:
		marked(c, mapDark, x+in, y+in, x+h.width-in, y+h.height-in)
		if p == h.best {
			const within = 4
			marked(c, okabeVermilion, x+within, y+within, x+h.width-within, y+h.height-within)
		}
	case h.best:
		marked(c, okabeVermilion, x+in, y+in, x+h.width-in, y+h.height-in)
	}
}

// marked draws a frame that is seen on any colour.
func marked(c draw.Canvas, ink colour, x0, y0, x1, y1 vg.Length) {
	const halo, core = 3.4, 1.9
	frame(c, line(mapLight, halo), x0, y0, x1, y1)
	frame(c, line(ink, core), x0, y0, x1, y1)
}

// bar draws the scale of colours, its top at (x, top).
func (h *heatMap) bar(c draw.Canvas, x, top vg.Length) {
	const (
		width, steps = 12, 48
		tallest      = 150
		end          = 12 // words at the ends
	)
	height := min(max(vg.Length(len(h.ys))*h.height-2*end, 40), tallest)
	top -= end
	base := top - height
	if h.scale.never {
		const square = 10
		box(c, neverInk, x, top-square, x+width, top)
		c.FillText(textStyle(labelSize, false, textInk), vg.Point{X: x + width + 5, Y: top - square/2}, "never")
		height -= square + 5
	}
	for i := range steps {
		p := (float64(i) + 0.5) / steps
		y := base + height*vg.Length(i)/steps
		bad := p
		if h.metric.Better > 0 {
			bad = 1 - p
		}
		box(c, rampAt(bad), x, y, x+width, base+height) // up to the top: seams would show
	}
	sty := textStyle(labelSize, false, textInk)
	above := vg.Length(-1)
	for _, t := range h.scale.Ticks(0, 1) {
		if t.Value > 1 || t.IsMinor() {
			continue
		}
		y := base + height*vg.Length(t.Value)
		if above >= 0 && y-above < 9 && above-y < 9 {
			continue
		}
		above = y
		rule(c, line(textInk, 0.6), x+width, y, x+width+3, y)
		c.FillText(sty, vg.Point{X: x + width + 5, Y: y}, shorten(sty, t.Label, figureWidth-x-width-9))
	}
	quiet := textStyle(labelSize, false, quietInk)
	up, down := "worse", "better"
	switch {
	case h.metric.Better == 0:
		return
	case h.metric.Better > 0:
		up, down = down, up
	}
	c.FillText(quiet, vg.Point{X: x, Y: top + 7}, up)
	c.FillText(quiet, vg.Point{X: x, Y: base - 9}, down)
}

// legend explains the marks that there are.
func (h *heatMap) legend() []legendEntry {
	framed := func(ink colour) func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
		return func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			box(c, sweepRamp[2], x0, y0, x1, y1)
			marked(c, ink, x0+1, y0+1, x1-1, y1-1)
		}
	}
	var out []legendEntry
	switch {
	case h.events != nil && !h.pooled && h.lines == 2:
		out = append(out, legendEntry{text: "seeds with any, under it the 95 % interval of their share"})
	case h.lines == 2 && h.pooled:
		out = append(out, legendEntry{text: "median over the other axes, and the range of their medians"})
	case h.lines == 2 && h.few:
		out = append(out, legendEntry{
			text: "median of the seeds, and the least to the most: below six there is no interval",
		})
	case h.lines == 2:
		out = append(out, legendEntry{text: "median of the seeds, under it its 95 % interval"})
	case h.lines == 1:
		out = append(out, legendEntry{text: "median of the seeds; intervals are in sweep.txt"})
	default:
		out = append(out, legendEntry{text: "colour: median of the seeds; numbers are in sweep.csv"})
	}
	if w := h.scale.words(); w != "" {
		out = append(out, legendEntry{text: "colours" + w})
	}
	if h.fixed {
		out = append(out, legendEntry{text: "other axes as in the default"})
	}
	if n := len(h.sweep.Axes); n > 2 && len(h.sweep.Axes[2].Levels) > mostMapPanels {
		out = append(out, legendEntry{text: "not all of " + h.names[2] + " has room"})
	}
	switch {
	case h.defaultSeen:
		out = append(out, legendEntry{text: "the default", sample: framed(mapDark)})
	case h.sweep.Default >= 0 && !h.pooled:
		out = append(out, legendEntry{
			text: "the default is none of these: it has " + cellText(h.metric, h.sweep.Default),
		})
	}
	switch {
	case h.best < 0 || h.pooled:
	case h.bestSeen:
		out = append(out, legendEntry{text: "best median", sample: framed(okabeVermilion)})
	case h.best == h.sweep.Default:
	default:
		out = append(out, legendEntry{text: "the best median is at other values of them"})
	}
	if h.like {
		out = append(out, legendEntry{
			text:   "not distinguishable from the default: the interval of the differences holds 0",
			sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) { ring(c, gray(0x22), (x0+x1)/2, (y0+y1)/2) },
		})
	}
	if h.near {
		out = append(out, legendEntry{
			text:   "interval overlaps that of the best",
			sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) { dot(c, gray(0x22), (x0+x1)/2, (y0+y1)/2, 2) },
		})
	}
	out = append(out, h.struckLegend()...)
	if h.gaps {
		out = append(out, legendEntry{text: "no value", sample: gapCell})
	}
	return out
}

// struckLegend explains strokes through cells.
func (h *heatMap) struckLegend() (out []legendEntry) {
	for _, mark := range []struct {
		there, both bool
		text        string
	}{
		{h.misses, false, "misses a requirement on some seeds"}, {h.mostly, true, "on half of them or more"},
	} {
		if mark.there {
			text := mark.text
			if mark.both && !h.misses {
				text = "misses a requirement on half of the seeds or more"
			}
			out = append(out, legendEntry{text: text, sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
				box(c, sweepRamp[2], x0, y0, x1, y1)
				struck(c, mapDark, mark.both, x0, y0, x1, y1)
			}})
		}
	}
	return out
}
