package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// recoveryDrawing is the layout: the times from the start of the fault at the left, those from its end at
// the right.
type recoveryDrawing struct {
	faults []recoveryFault
	// left and right are the longest times to draw, in ns.
	left, right int64
	ended       bool // there is anything at the right
}

// Places, in points from the left: names end before a column of bars, labels begin after their bar.
const (
	recoveryLeft0, recoveryLeft1   = leftMargin, 260
	recoveryRight0, recoveryRight1 = 424, 536
	recoveryRow                    = 12
	recoveryTitle                  = 18
	recoveryGap                    = 4
)

// scale finds how long the axes are.
func (d *recoveryDrawing) scale() {
	const least = 1_000_000
	d.left, d.right = least, least
	end := func(x recoveryBar) int64 {
		ns := max(x.solid, x.pale)
		if x.open {
			ns += ns / 8 // there is more of it than of those that came
		}
		return ns
	}
	for _, f := range d.faults {
		d.ended = d.ended || f.ended()
		for _, b := range f.blocks {
			for _, x := range b.started {
				d.left = max(d.left, end(x))
			}
			for _, x := range b.ended {
				d.right = max(d.right, end(x))
			}
		}
	}
}

// rows of a block, with its heading.
func (b recoveryBlock) rows() int { return 1 + max(len(b.started), len(b.ended)) }

// ended says whether there is a row of what came after the end of the fault.
func (f recoveryFault) ended() bool {
	return slices.ContainsFunc(f.blocks, func(b recoveryBlock) bool { return len(b.ended) > 0 })
}

// height of the blocks of a fault.
func (f recoveryFault) height() vg.Length {
	var h vg.Length
	for _, b := range f.blocks {
		h += vg.Length(b.rows())*recoveryRow + recoveryGap
	}
	return h
}

func (d recoveryDrawing) height() vg.Length {
	h := vg.Length(recoveryTitle)
	for _, f := range d.faults {
		h += recoveryTitle + f.height()
	}
	return h
}

// draw puts the blocks below top.
func (d recoveryDrawing) draw(c draw.Canvas, top vg.Length) {
	title := textStyle(panelSize, false, textInk)
	c.FillText(title, vg.Point{X: recoveryLeft0, Y: top - 8}, "seconds after the fault began")
	if d.ended {
		c.FillText(title, vg.Point{X: recoveryRight0, Y: top - 8}, "seconds after it ended")
	}
	y := top - recoveryTitle
	foot := top - d.height()
	left := timeScale{end: d.left, x0: recoveryLeft0, x1: recoveryLeft1}
	right := timeScale{end: d.right, x0: recoveryRight0, x1: recoveryRight1}
	left.draw(c, foot)
	if d.ended {
		right.draw(c, foot)
	}
	for _, f := range d.faults {
		head := textStyle(panelSize, false, faultInk)
		c.FillText(head, vg.Point{X: leftMargin, Y: y - 10}, shorten(head, f.title, figureWidth-leftMargin-8))
		y -= recoveryTitle
		left.grid(c, y, y-f.height()+recoveryGap)
		if f.ended() {
			right.grid(c, y, y-f.height()+recoveryGap)
		}
		for _, b := range f.blocks {
			name := textStyle(labelSize, b.bold, textInk)
			c.FillText(name, vg.Point{X: 8, Y: y - recoveryRow/2}, shorten(name, b.name, leftMargin))
			y -= recoveryRow
			if b.back != "" {
				c.FillText(textStyle(labelSize, false, quietInk),
					vg.Point{X: recoveryRight0 + 4, Y: y + recoveryRow/2}, b.back)
			}
			drawBars(c, b.started, left, y)
			drawBars(c, b.ended, right, y)
			y -= vg.Length(b.rows()-1)*recoveryRow + recoveryGap
		}
	}
}

// timeScale is a time axis between two places.
type timeScale struct {
	end    int64
	x0, x1 vg.Length
}

func (s timeScale) x(ns int64) vg.Length {
	return s.x0 + (s.x1-s.x0)*vg.Length(float64(ns)/float64(s.end))
}

func (s timeScale) ticks() []plot.Tick {
	return (roundTicks{about: float64(s.x1-s.x0) / 40}).Ticks(0, float64(s.end)/1e9)
}

// grid draws the lines of the grid from top to foot.
func (s timeScale) grid(c draw.Canvas, top, foot vg.Length) {
	for _, t := range s.ticks() {
		x := s.x(int64(t.Value * 1e9))
		rule(c, line(gridInk, 0.5), x, foot, x, top)
	}
	rule(c, line(axisInk, 0.6), s.x0, foot, s.x0, top)
}

// draw draws the axis at foot.
func (s timeScale) draw(c draw.Canvas, foot vg.Length) {
	rule(c, line(axisInk, 0.6), s.x0, foot, s.x1, foot)
	sty := textStyle(labelSize, false, textInk)
	sty.XAlign = draw.XCenter
	for _, t := range s.ticks() {
		x := s.x(int64(t.Value * 1e9))
		rule(c, line(axisInk, 0.6), x, foot, x, foot-3)
		c.FillText(sty, vg.Point{X: x, Y: foot - 10}, t.Label)
	}
}

// drawBars draws rows below each other, from y downwards.
func drawBars(c draw.Canvas, bars []recoveryBar, s timeScale, y vg.Length) {
	for _, b := range bars {
		mid := y - recoveryRow/2
		name := textStyle(labelSize, false, quietInk)
		name.XAlign = draw.XRight
		c.FillText(name, vg.Point{X: s.x0 - 5, Y: mid}, b.name)
		b.draw(c, s, mid)
		y -= recoveryRow
	}
}

// draw draws the bar and its label at a height.
func (b recoveryBar) draw(c draw.Canvas, s timeScale, mid vg.Length) {
	ink := textInk
	end := s.x0
	const thick, least = 3.5, 0.8
	if b.pale >= 0 {
		end = max(s.x(b.pale), s.x0+least)
		box(c, translucent(b.fill, 0x60), s.x0, mid-thick, end, mid+thick)
	}
	if b.solid >= 0 {
		x := max(s.x(b.solid), s.x0+least)
		box(c, b.fill, s.x0, mid-thick, x, mid+thick)
		end = max(end, x)
	}
	if b.open {
		end = s.x1 + 6
		arrow(c, b.fill, s.x0, mid-thick, end, mid+thick)
		if b.solid >= 0 {
			box(c, b.fill, s.x0, mid-thick, s.x(b.solid), mid+thick)
		}
	}
	if b.quiet {
		ink = quietInk
	}
	const room = 100
	sty := textStyle(labelSize, false, ink)
	c.FillText(sty, vg.Point{X: end + 4, Y: mid}, shorten(sty, b.label, room))
}

// recoveryLegend explains the parts of a bar.
func recoveryLegend() []legendEntry {
	pale := translucent(okabeBlue, 0x60)
	return []legendEntry{
		{text: "median producer instance (of outages: the longest)", fill: okabeBlue},
		{text: "the last one (the sum)", fill: pale},
		{text: "not by the end of the run", sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			arrow(c, okabeBlue, x0, y0, x1, y1)
		}},
	}
}

// arrow is a pale bar that goes on.
func arrow(c draw.Canvas, fill colour, x0, y0, x1, y1 vg.Length) {
	const tip = 6
	box(c, translucent(fill, 0x60), x0, y0, x1-tip, y1)
	c.FillPolygon(fill, []vg.Point{{X: x1 - tip, Y: y0}, {X: x1, Y: (y0 + y1) / 2}, {X: x1 - tip, Y: y1}})
}
