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
	titles []string
	plots  []*plot.Plot
	foot   []legendEntry
	xLabel string
	yTitle string
}

// Places of cells.
const (
	cellColumns = 3
	cellGap     = 18
	cellHead    = 18
	cellFoot    = 20
	cellRight   = 12
)

// rows of cells.
func (g *cells) rows() int { return (len(g.plots) + cellColumns - 1) / cellColumns }

// totalHeight is what the cells need, with what is below them.
func (g *cells) totalHeight() vg.Length {
	const label, title = 10, 14
	return title + vg.Length(g.rows())*(cellHead+g.height+cellFoot) + label + legendHeight(g.foot)
}

// draw draws the cells below top; only those at the left have numbers at the y axis.
func (g *cells) draw(c draw.Canvas, top vg.Length) {
	const title = 14
	columns := min(cellColumns, len(g.plots))
	const room = figureWidth - leftMargin - cellRight
	width := (room - vg.Length(columns-1)*cellGap) / vg.Length(columns)
	c.FillText(textStyle(panelSize, false, textInk), vg.Point{X: leftMargin, Y: top - 6}, g.yTitle)
	top -= title
	for i, p := range g.plots {
		x := leftMargin + vg.Length(i%columns)*(width+cellGap)
		y := top - vg.Length(i/columns)*(cellHead+g.height+cellFoot) - cellHead
		sty := textStyle(labelSize, true, textInk)
		c.FillText(sty, vg.Point{X: x, Y: y + 9}, shorten(sty, g.titles[i], width))
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
