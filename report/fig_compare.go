package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// CompareFigures are the figures of a comparison, always in the same order: timeline-compare, differences,
// latency-hdr-compare, and paired-ROW for each row that was named before the run. A comparison of fewer than
// two variants or without a common seed has none; one that has nothing to show is left out.
func CompareFigures(c *result.Comparison) []*Figure {
	if len(c.Variants) < 2 || len(c.Seeds) == 0 {
		return nil
	}
	figures := []*Figure{CompareTimeline(c), Differences(c), CompareHDR(c)}
	for i := range c.Rows {
		if c.Rows[i].Named {
			figures = append(figures, PairedSeeds(c, &c.Rows[i]))
		}
	}
	return slices.DeleteFunc(figures, func(f *Figure) bool { return f == nil })
}

// compareSubtitle is where the numbers of a figure come from.
func compareSubtitle(c *result.Comparison) string {
	var sent int64
	for i := range c.Variants {
		for _, r := range seedsOf(c, i).Runs {
			sent += r.Sent
		}
	}
	return c.Scenario + " · " + count(int64(len(c.Variants))) + " variants on the same " +
		plural(int64(len(c.Seeds)), "seed") + " (" + listed(strings.Split(seedRanges(c.Seeds), ","), 6) +
		") · " + tickNumber(float64(sent)) + " messages in all · digest " + c.Digest
}

// seedsOf is the set of a variant, an empty one if there is none.
func seedsOf(c *result.Comparison, variant int) *result.SeedSet {
	if set := c.Variants[variant].Set; set != nil {
		return set
	}
	return &result.SeedSet{}
}

// variantLook is how a variant is drawn: by a colour and a shape, so that neither print nor any colour
// deficiency makes two alike.
type variantLook struct {
	index int // of the variant
	name  string
	ink   colour
	shape draw.GlyphDrawer
	width vg.Length
}

// variantLooks are those of all but the reference, which is dark, wide and below the others.
var variantLooks = []variantLook{
	{ink: okabeBlue, shape: draw.BoxGlyph{}, width: 1.3},
	{ink: okabeVermilion, shape: draw.PyramidGlyph{}, width: 1.3},
	{ink: okabeGreen, shape: diamondGlyph{}, width: 1.3},
	{ink: okabeOrange, shape: draw.SquareGlyph{}, width: 1.3},
	{ink: okabeSky, shape: draw.TriangleGlyph{}, width: 1.3},
}

// looksOf are the variants that figures overlay, the reference first: if there are too many, those whose 99th
// percentile over time differs most from that of the reference.
func looksOf(c *result.Comparison) []variantLook {
	var others []int
	for i := range c.Variants {
		if i != c.Reference {
			others = append(others, i)
		}
	}
	if most := len(variantLooks); len(others) > most {
		apart := make([]float64, len(c.Variants))
		for i := range c.Variants {
			apart[i] = curveDistance(seedsOf(c, i), seedsOf(c, c.Reference))
		}
		slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(apart[b], apart[a]) })
		others = others[:most]
		slices.Sort(others)
	}
	looks := []variantLook{{index: c.Reference, ink: gray(0x38), shape: draw.CircleGlyph{}, width: 2.2}}
	for i, v := range others {
		look := variantLooks[i]
		look.index = v
		looks = append(looks, look)
	}
	for i := range looks {
		looks[i].name = c.Variants[looks[i].index].Name
	}
	return looks
}

// curveDistance is how far two variants are apart: the mean of the logarithm of the ratio of their 99th
// percentiles, over the windows that both have.
func curveDistance(a, b *result.SeedSet) float64 {
	x, y := curveOf(a, seedPanels[0]), curveOf(b, seedPanels[0])
	if x == nil || y == nil {
		return 0
	}
	sum, n := 0.0, 0
	at := map[int64]float64{}
	for _, q := range y.Points {
		if q.Seeds > 0 && q.Median > 0 {
			at[q.FromNS] = q.Median
		}
	}
	for _, q := range x.Points {
		if m := at[q.FromNS]; m > 0 && q.Seeds > 0 && q.Median > 0 {
			sum += math.Abs(math.Log(q.Median / m))
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// leftOut says how many variants are not drawn; empty if all are.
func leftOut(c *result.Comparison, looks []variantLook) string {
	if len(looks) == len(c.Variants) {
		return ""
	}
	return "the reference and the " + count(int64(len(looks)-1)) + " of " +
		count(int64(len(c.Variants)-1)) + " variants that differ most"
}

// band is the colour between the least and the most seed: the paler, the more lie on each other.
func (l variantLook) band(of int) colour {
	const few, many = 0x38, 0x24
	if of <= 2 {
		return translucent(l.ink, few)
	}
	return translucent(l.ink, many)
}

// glyph is the shape of the variant.
func (l variantLook) glyph() draw.GlyphStyle {
	const radius = 2.4
	return draw.GlyphStyle{Color: l.ink, Radius: radius, Shape: l.shape}
}

// diamondGlyph is a filled square on its corner.
type diamondGlyph struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamondGlyph) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	r := sty.Radius * 1.3
	c.FillPolygon(sty.Color, []vg.Point{
		{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r},
	})
}

// sample draws the variant into a legend.
func (l variantLook) sample(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
	y := (y0 + y1) / 2
	rule(c, line(l.ink, l.width), x0, y, x1, y)
	c.DrawGlyph(l.glyph(), vg.Point{X: (x0 + x1) / 2, Y: y})
}

// variantLegend names the variants, long names on two lines, within a width.
func variantLegend(looks []variantLook, width vg.Length) []legendEntry {
	var entries []legendEntry
	sty := textStyle(labelSize, false, black)
	for _, l := range looks {
		for i, text := range twoLines(sty, l.name, width-legendSample-5) {
			e := legendEntry{text: text, sample: l.sample}
			if i > 0 {
				e.sample = noSample
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// twoLines breaks a name that is wider than a line behind a sign in it, and shortens what is left.
func twoLines(sty draw.TextStyle, name string, width vg.Length) []string {
	if sty.Width(name) <= width {
		return []string{name}
	}
	for _, signs := range []string{"+", "-_"} {
		cut := 0
		for i := range len(name) {
			if strings.IndexByte(signs, name[i]) >= 0 && sty.Width(name[:i+1]) <= width {
				cut = i + 1
			}
		}
		if cut > 0 {
			return []string{name[:cut], shortenName(sty, name[cut:], width)}
		}
	}
	return []string{shortenName(sty, name, width)}
}
