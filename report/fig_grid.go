package report

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// cells are small plots beside and below each other, with the same axes.
type cells struct {
	height vg.Length // of each
	// columns is how many are beside each other, 0 for as many as usual.
	columns int
	titles  []string
	// notes are lines below the title of each; all cells have the room of the most.
	notes  [][]inkedNote
	plots  []*plot.Plot
	foot   []legendEntry
	xLabel string
	yTitle string
}

// inkedNote is a line of text above a cell.
type inkedNote struct {
	text string
	ink  colour
	mark draw.GlyphStyle // before the text, if it has a shape
}

// Places of cells.
const (
	cellColumns = 3
	cellGap     = 18
	cellHead    = 18
	cellNote    = 11
	cellFoot    = 20
	cellRight   = 12
)

// rows of cells.
func (g *cells) rows() int { return (len(g.plots) + g.perRow() - 1) / g.perRow() }

func (g *cells) perRow() int {
	if g.columns > 0 {
		return g.columns
	}
	return cellColumns
}

// head is the height of the texts above each.
func (g *cells) head() vg.Length {
	lines := 0
	for _, n := range g.notes {
		lines = max(lines, len(n))
	}
	return cellHead + vg.Length(lines)*cellNote
}

// totalHeight is what the cells need, with what is below them.
func (g *cells) totalHeight() vg.Length {
	const label, title = 10, 14
	return title + vg.Length(g.rows())*(g.head()+g.height+cellFoot) + label + legendHeight(g.foot)
}

// draw draws the cells below top; only those at the left have numbers at the y axis.
func (g *cells) draw(c draw.Canvas, top vg.Length) {
	const title = 14
	columns := min(g.perRow(), len(g.plots))
	const room = figureWidth - leftMargin - cellRight
	width := (room - vg.Length(columns-1)*cellGap) / vg.Length(columns)
	c.FillText(textStyle(panelSize, false, textInk), vg.Point{X: leftMargin, Y: top - 6}, g.yTitle)
	top -= title
	for i, p := range g.plots {
		x := leftMargin + vg.Length(i%columns)*(width+cellGap)
		y := top - vg.Length(i/columns)*(g.head()+g.height+cellFoot) - g.head()
		sty := textStyle(labelSize, true, textInk)
		c.FillText(sty, vg.Point{X: x, Y: y + g.head() - cellHead + 9}, shortenName(sty, g.titles[i], width))
		if g.notes != nil {
			drawNotes(c, g.notes[i], x, y+g.head()-cellHead-2, width)
		}
		if i%columns > 0 {
			p.Y.Tick.Marker = unlabelled{p.Y.Tick.Marker}
		}
		fit(p, c, vg.Rectangle{Min: vg.Point{X: x, Y: y - g.height}, Max: vg.Point{X: x + width, Y: y}})
	}
	sty := textStyle(labelSize, false, textInk)
	sty.XAlign = draw.XCenter
	c.FillText(sty, vg.Point{X: leftMargin + room/2, Y: c.Min.Y + legendHeight(g.foot) + 8}, g.xLabel)
	flowLegend(c, g.foot, leftMargin, c.Min.Y+legendHeight(g.foot)-4)
}

// drawNotes writes lines below the title of a cell, the first at (x, y).
func drawNotes(c draw.Canvas, notes []inkedNote, x, y, width vg.Length) {
	for _, n := range notes {
		sty, at := textStyle(labelSize, false, n.ink), x
		if n.mark.Shape != nil {
			c.DrawGlyph(n.mark, vg.Point{X: x + 3, Y: y})
			at += 9
		}
		c.FillText(sty, vg.Point{X: at, Y: y}, shorten(sty, n.text, width-(at-x)))
		y -= cellNote
	}
}

// unlabelled are the ticks of another axis without their labels.
type unlabelled struct{ of plot.Ticker }

// Ticks implements plot.Ticker.
func (u unlabelled) Ticks(lo, hi float64) []plot.Tick {
	ticks := u.of.Ticks(lo, hi)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = " "
		}
	}
	return ticks
}

// cellTitle is a phase with its number of messages.
func cellTitle(name string, n int64) string { return name + ", n = " + count(n) }

// gridFigure is a figure of cells.
func gridFigure(r *result.Run, f Figure, g *cells) *Figure {
	return sheet(r, f, g.totalHeight(), g.draw)
}
