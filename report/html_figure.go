package report

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// figureView is a figure as the page shows it.
type figureView struct {
	ID, Title, Caption string
	// SVG, or PNG with its size and what it shows, or neither of a figure for which there is no room: then
	// File is where it is drawn.
	SVG           template.HTML
	PNG           template.URL
	Width, Height int
	Desc, File    string
}

// roomForFigures is how many bytes of figures a page has at most: a page is below 2 MB.
const roomForFigures = 1_600_000

// figureViews are figures in their order, as far as there is room for them; draw renders one.
func figureViews(
	figures []*Figure, draw func(f *Figure, format string) ([]byte, error), styles *figureStyles,
) ([]figureView, error) {
	var views []figureView
	room := roomForFigures
	for _, f := range figures {
		v := figureView{ID: "figure-" + f.Name, Title: f.Title, Caption: f.Caption, Desc: f.Desc}
		format := "svg"
		if f.Raster {
			format = "png"
		}
		data, err := draw(f, format)
		if err != nil {
			return nil, err
		}
		if f.Raster {
			url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
			v.PNG = template.URL(url) //nolint:gosec // made by our renderer
			v.Width, v.Height = int(f.width*cssPixel), int(f.height*cssPixel)
		} else {
			v.SVG = styles.inline(data)
		}
		size := len(v.SVG) + len(v.PNG)
		if room -= size; room < 0 {
			room += size
			v.SVG, v.PNG, v.File = "", "", PlotsDir+"/"+f.Name+"."+format
		}
		views = append(views, v)
	}
	return views, nil
}

// cssPixel is a point in pixels of a page.
const cssPixel = 96.0 / 72

// figureStyles are the styles of the shapes of all figures of a page, each with a class: most shapes share
// a few dozen styles. Colours become variables of the page, so that figures are light or dark with it.
type figureStyles struct {
	class map[string]string
	rules []string
	inks  []string // greys and colours used, "#RRGGBB"
}

var (
	svgStyle = regexp.MustCompile(`\s+style="([^"]*)"`)
	svgColor = regexp.MustCompile(`#[0-9A-Fa-f]{6}`)
	svgBare  = regexp.MustCompile(`(<path d="[^"]*") />`)
	svgPath  = regexp.MustCompile(` d="([^"]*)"`)
	svgRoot  = regexp.MustCompile(`(?s)^<svg ([^>]*?)width="[^"]*" height="[^"]*" (viewBox="[^"]*")[^>]*>`)
	svgFlip  = regexp.MustCompile(`(x="[^"]*") y="(-?[0-9.]+)" transform="scale\(1, -1\)"`)
)

// inline makes the SVG of a figure a part of the page.
func (s *figureStyles) inline(svg []byte) template.HTML {
	text := svgRoot.ReplaceAllString(string(svg), "<svg $1$2>")
	text = svgPath.ReplaceAllStringFunc(text, func(m string) string {
		return ` d="` + compactPath(m[len(` d="`):len(m)-1]) + `"`
	})
	text = svgBare.ReplaceAllString(text, `$1 style="fill:#000000" />`) // what has no style is black
	text = svgStyle.ReplaceAllStringFunc(text, func(m string) string {
		return ` class="` + s.classOf(svgStyle.FindStringSubmatch(m)[1]) + `"`
	})
	text = svgFlip.ReplaceAllString(text, `$1 y="$2" class="up"`)
	text = mergeClasses(text)
	return template.HTML(text) //nolint:gosec // made by our renderer, which escapes what it is given
}

// mergeClasses makes one attribute of two that follow each other: an element has one.
func mergeClasses(text string) string {
	return strings.ReplaceAll(text, `class="up" class="`, `class="up `)
}

// classOf is the class of a style of the renderer.
func (s *figureStyles) classOf(style string) string {
	if c, ok := s.class[style]; ok {
		return c
	}
	if s.class == nil {
		s.class = map[string]string{}
	}
	c := "f" + strconv.Itoa(len(s.class))
	s.class[style] = c
	rule := style
	switch {
	case strings.Contains(style, "font-size"):
		rule = strings.NewReplacer("font-variant:normal;", "", "font-style:normal;", "",
			"font-weight:normal;", "", svgFonts+";", "").Replace(style)
	case !strings.Contains(style, "fill:"):
		rule = "fill:#000000;" + style
	}
	rule = svgColor.ReplaceAllStringFunc(rule, func(hex string) string {
		hex = strings.ToLower(hex)
		if !slices.Contains(s.inks, hex) {
			s.inks = append(s.inks, hex)
		}
		return "var(--c" + hex[1:] + ")"
	})
	s.rules = append(s.rules, "figure ."+c+"{"+rule+"}")
	return c
}

// css are the rules of the styles and the colours of both themes.
func (s *figureStyles) css() string {
	slices.Sort(s.inks)
	var light, dark strings.Builder
	for _, hex := range s.inks {
		fmt.Fprintf(&light, "--c%s:%s;", hex[1:], hex)
		fmt.Fprintf(&dark, "--c%s:%s;", hex[1:], darkInk(hex))
	}
	return ":root{" + light.String() + "}\n@media screen and (prefers-color-scheme:dark){:root{" +
		dark.String() + "}}\n" + strings.Join(s.rules, "\n") + "\n"
}

// Ends of the greys on a dark page: what is white on a light one, and what is black.
const (
	darkPaper = 0x16
	darkText  = 0xE8
)

// darkInk is a colour of a figure on a dark page: greys change ends, the colours that mean something
// stay what they are but for those too dark to be seen.
func darkInk(hex string) string {
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		return hex
	}
	r, g, b := int(n>>16), int(n>>8&0xFF), int(n&0xFF)
	if r == g && g == b {
		y := darkText + (darkPaper-darkText)*r/0xFF
		return fmt.Sprintf("#%02x%02x%02x", y, y, y)
	}
	switch hex {
	case "#8f3f6b": // faultInk
		return "#dd9fc0"
	case "#0072b2", "#0071b1": // okabeBlue, and as the renderer writes it when it is translucent
		return "#3d9bd6"
	}
	return hex
}

// compactPath writes a path of the renderer, which has absolute coordinates only, with steps of a tenth
// of a point from one to the next.
func compactPath(d string) string {
	var b strings.Builder
	var x, y int64
	for i := 0; i < len(d); {
		op := d[i]
		end := i + 1
		for end < len(d) && d[end] != 'M' && d[end] != 'L' && d[end] != 'Z' {
			if d[end] >= 'A' && d[end] <= 'Z' {
				return d // a curve: rare, and left as it is
			}
			end++
		}
		if op == 'Z' {
			b.WriteByte('Z')
			i = end
			continue
		}
		u, v, ok := point(d[i+1 : end])
		if !ok {
			return d
		}
		pathStep(&b, op, u, v, u-x, v-y)
		x, y = u, v
		i = end
	}
	return b.String()
}

// pathStep writes one move or line, to (u, v) by (dx, dy), in tenths.
func pathStep(b *strings.Builder, op byte, u, v, dx, dy int64) {
	switch {
	case op == 'M':
		fmt.Fprintf(b, "M%s %s", tenthsText(u), tenthsText(v))
	case dx == 0 && dy == 0:
		b.WriteString("h0")
	case dy == 0:
		b.WriteString("h" + tenthsText(dx))
	case dx == 0:
		b.WriteString("v" + tenthsText(dy))
	default:
		fmt.Fprintf(b, "l%s %s", tenthsText(dx), tenthsText(dy))
	}
}

// point reads "x,y" in tenths.
func point(s string) (x, y int64, ok bool) {
	a, b, found := strings.Cut(s, ",")
	u, errX := strconv.ParseFloat(a, 64)
	v, errY := strconv.ParseFloat(b, 64)
	return int64(math.Round(u * 10)), int64(math.Round(v * 10)), found && errX == nil && errY == nil
}

// tenthsText is n tenths as a short decimal.
func tenthsText(n int64) string {
	s := strconv.FormatFloat(float64(n)/10, 'f', -1, 64)
	if rest, ok := strings.CutPrefix(s, "0."); ok {
		return "." + rest
	}
	if rest, ok := strings.CutPrefix(s, "-0."); ok {
		return "-." + rest
	}
	return s
}
