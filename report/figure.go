package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// figureWidth is the width of every figure; with dpi it is 1296 pixels.
const (
	figureWidth = 9 * vg.Inch
	dpi         = 144
)

// Figure is a drawing that can be rendered as SVG and as PNG, any number of times and always to the
// same bytes.
type Figure struct {
	// Name is the file name without extension.
	Name string
	// Title and Desc say what it shows, also to a screen reader.
	Title, Desc string
	// Caption is one sentence on what to look at, made from the numbers.
	Caption string
	// Raster: it has too many marks for an SVG, and is only drawn as PNG.
	Raster bool

	width, height vg.Length
	draw          func(draw.Canvas)
}

// PNG renders the figure with 144 dots per inch.
func (f *Figure) PNG() ([]byte, error) {
	img := vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))
	f.draw(draw.New(img))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("report: %s.png: %w", f.Name, err)
	}
	return b.Bytes(), nil
}

// The renderer names the font of each text but does not embed it. Arial and Helvetica have the same
// widths as Liberation Sans, so that a reader without it sees the same layout.
var (
	svgFont = regexp.MustCompile(`font-family:[^;"]*`)
	svgHead = regexp.MustCompile(`(?s)^<\?xml.*?<svg `)
)

const (
	svgFonts = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif"
	svgOpen  = `<svg role="img" aria-labelledby="%[1]s-title %[1]s-desc" `
)

// SVG renders the figure as text that may also be put into an HTML page.
func (f *Figure) SVG() ([]byte, error) {
	canvas := vgsvg.New(f.width, f.height)
	f.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("report: %s.svg: %w", f.Name, err)
	}
	svg := svgHead.ReplaceAll(b.Bytes(), fmt.Appendf(nil, svgOpen, f.Name))
	svg = svgFont.ReplaceAll(svg, []byte(svgFonts))
	about := fmt.Appendf(nil, ">\n<title id=\"%[1]s-title\">%[2]s</title>\n"+
		"<desc id=\"%[1]s-desc\">%[3]s</desc>\n",
		f.Name, html.EscapeString(f.Title), html.EscapeString(f.Desc))
	return bytes.Replace(svg, []byte(">\n"), about, 1), nil
}

// Render renders the figure in a format: "svg" or "png".
func (f *Figure) Render(format string) ([]byte, error) {
	switch format {
	case "svg":
		return f.SVG()
	case "png":
		return f.PNG()
	}
	return nil, fmt.Errorf("report: figures are svg or png, not %q", format)
}
