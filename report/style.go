package report

import (
	"image/color"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Colours of outcomes and quantiles: the palette of Okabe and Ito, which people with any of the
// common colour deficiencies can tell apart. Source: Okabe & Ito, "Color Universal Design", 2008.
var (
	okabeBlue       = color.NRGBA{R: 0x00, G: 0x72, B: 0xB2, A: 0xFF}
	okabeSky        = color.NRGBA{R: 0x56, G: 0xB4, B: 0xE9, A: 0xFF}
	okabeGreen      = color.NRGBA{R: 0x00, G: 0x9E, B: 0x73, A: 0xFF}
	okabeOrange     = color.NRGBA{R: 0xE6, G: 0x9F, B: 0x00, A: 0xFF}
	okabeVermilion  = color.NRGBA{R: 0xD5, G: 0x5E, B: 0x00, A: 0xFF}
	okabeYellow     = color.NRGBA{R: 0xF0, G: 0xE4, B: 0x42, A: 0xFF}
	okabePurple     = color.NRGBA{R: 0xCC, G: 0x79, B: 0xA7, A: 0xFF}
	black           = color.NRGBA{A: 0xFF}
	faultInk        = color.NRGBA{R: 0x8F, G: 0x3F, B: 0x6B, A: 0xFF} // okabePurple, dark enough to read
	faultBand       = translucent(okabePurple, 0x3D)
	warmupBand      = color.NRGBA{R: 0x80, G: 0x80, B: 0x80, A: 0x30}
	textInk         = gray(0x22)
	quietInk        = gray(0x6E)
	axisInk         = gray(0x6E)
	gridInk         = gray(0xE8)
	white           = gray(0xFF)
	transparentFill color.Color // nil: none
)

// colour is a colour that may be translucent.
type colour = color.NRGBA

// gray is an opaque grey. Colours are NRGBA: the renderers read the channels of color.RGBA as
// multiplied by alpha, which a literal forgets.
func gray(y uint8) color.NRGBA { return color.NRGBA{R: y, G: y, B: y, A: 0xFF} }

// translucent is c with another alpha.
func translucent(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// Sizes of text in points.
const (
	titleSize = 12
	panelSize = 9
	labelSize = 8
)

// sans is the one typeface of all figures, as embedded by gonum/plot.
func sans(size vg.Length, bold bool) font.Font {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = xfont.WeightBold
	}
	return f
}

// textStyle is text of a size and colour; it is drawn to the right of a point and centred on it
// vertically unless changed.
func textStyle(size vg.Length, bold bool, c color.Color) draw.TextStyle {
	return draw.TextStyle{
		Color: c, Font: sans(size, bold), XAlign: draw.XLeft, YAlign: draw.YCenter,
		Handler: plot.DefaultTextHandler,
	}
}

// style gives a plot the look that all figures share: sans-serif text, grey axes without padding,
// no background of its own (the figure has one, and bands lie behind the plots).
func style(p *plot.Plot) {
	p.BackgroundColor = transparentFill
	p.Title.TextStyle.Font = sans(titleSize, true)
	p.Title.TextStyle.Color = textInk
	p.Legend.TextStyle.Font = sans(labelSize, false)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: axisInk, Width: 0.6}
		a.Label.TextStyle.Font = sans(labelSize, false)
		a.Label.TextStyle.Color = textInk
		a.Tick.Label.Font = sans(labelSize, false)
		a.Tick.Label.Color = textInk
		a.Tick.LineStyle = draw.LineStyle{Color: axisInk, Width: 0.6}
		a.Tick.Length = 3
	}
}

// fit draws p so that its data area, not its outer edge, fills the rectangle: panels that are
// fitted to rectangles of one width have one time axis, whatever their tick labels.
func fit(p *plot.Plot, c draw.Canvas, data vg.Rectangle) {
	outer := draw.Canvas{Canvas: c.Canvas, Rectangle: data}
	// The space for labels depends a little on the size, so that one step is not enough.
	for range 3 {
		d := p.DataCanvas(outer).Rectangle
		outer.Min.X += data.Min.X - d.Min.X
		outer.Min.Y += data.Min.Y - d.Min.Y
		outer.Max.X += data.Max.X - d.Max.X
		outer.Max.Y += data.Max.Y - d.Max.Y
	}
	p.Draw(outer)
}

// shorten cuts a text with an ellipsis so that it fits a width.
func shorten(sty draw.TextStyle, text string, width vg.Length) string {
	if sty.Width(text) <= width {
		return text
	}
	r := []rune(text)
	for len(r) > 1 && sty.Width(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// shortenName is a name that fits into a width, without its middle if it is long: names that begin alike
// differ at their ends.
func shortenName(sty draw.TextStyle, name string, width vg.Length) string {
	r := []rune(name)
	text := name
	for keep := len(r) - 1; keep > 1 && sty.Width(text) > width; keep-- {
		text = string(r[:(keep+1)/2]) + "…" + string(r[len(r)-keep/2:])
	}
	return text
}

// rule draws a straight line.
func rule(c draw.Canvas, sty draw.LineStyle, x0, y0, x1, y1 vg.Length) {
	c.StrokeLine2(sty, x0, y0, x1, y1)
}

// box fills a rectangle.
func box(c draw.Canvas, clr color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(clr, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}
