package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// Differences draws all rows that were named before the run and all variants on one sheet: the median of the
// differences from the reference, with its interval, and the verdict in words. Each row has an axis of its
// own, but zero is at one place for all. It is nil if no row was named.
func Differences(c *result.Comparison) *Figure {
	f := &forest{c: c}
	height := vg.Length(0)
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Named {
			f.groups = append(f.groups, newForestGroup(c, r))
			height += f.groups[len(f.groups)-1].height()
		}
	}
	if len(f.groups) == 0 {
		return nil
	}
	legend := f.legend()
	sub, title := compareSubtitle(c), "What differs from "+c.Variants[c.Reference].Name+", and how sure that is"
	return &Figure{
		Name: "differences", Title: title, Caption: differencesCaption(c),
		Desc: "For each row that was named before the run, and each variant, the median of the differences " +
			"from " + c.Variants[c.Reference].Name + " with its interval and the verdict. " + sub + ".",
		width: figureWidth, height: headHeight + height + legendHeight(legend) + 4,
		draw: func(canvas draw.Canvas) {
			drawHead(canvas, title, sub)
			top := canvas.Max.Y - headHeight
			for i := range f.groups {
				f.groups[i].draw(canvas, top)
				top -= f.groups[i].height()
			}
			flowLegend(canvas, legend, forestNames, canvas.Min.Y+legendHeight(legend))
		},
	}
}

// forest is the sheet of differences.
type forest struct {
	c      *result.Comparison
	groups []forestGroup
}

// Places on the sheet.
const (
	forestNames = leftMargin + 8 // where names of variants begin
	forestLeft  = 190            // the ends of the axes
	forestRight = 386
	forestZero  = (forestLeft + forestRight) / 2
	forestText  = 408 // where verdicts begin
	forestWords = 494 // and numbers
	forestRow   = 13
	forestHead  = 17
	forestAxis  = 24
)

// forestGroup is a row of the comparison with an axis: from -most to most.
type forestGroup struct {
	row       *result.PairedRow
	label     string
	reference string
	names     []string
	of        []*result.Paired
	scale     differenceScale
	most      float64
	endless   bool
}

func newForestGroup(c *result.Comparison, r *result.PairedRow) forestGroup {
	g := forestGroup{row: r, label: comparedLabel(c, r), reference: c.Variants[c.Reference].Name}
	for i := range c.Variants {
		if i == c.Reference {
			continue
		}
		p := &r.Against[i]
		g.names, g.of = append(g.names, c.Variants[i].Name), append(g.of, p)
		for _, v := range forestValues(p) {
			if x := math.Abs(float64(v)); math.IsInf(x, 1) {
				g.endless = true
			} else if !math.IsNaN(x) {
				g.most = max(g.most, x)
			}
		}
	}
	g.scale = differenceScaleOf(r.Unit, g.most)
	if g.most /= g.scale.per; g.most == 0 {
		g.most = 1
	}
	g.most *= 1.04
	return g
}

// forestValues are what is drawn of a variant.
func forestValues(p *result.Paired) []result.SeedValue {
	values := []result.SeedValue{p.Median}
	if p.Pairs == 0 {
		return nil
	}
	for _, v := range []*result.SeedValue{p.Low, p.High} {
		if v != nil {
			values = append(values, *v)
		}
	}
	return values
}

func (g *forestGroup) height() vg.Length {
	return forestHead + vg.Length(len(g.names))*forestRow + forestAxis
}

// x is the place of a difference; without end it is beyond the axis.
func (g *forestGroup) x(v result.SeedValue) vg.Length {
	const half = (forestRight - forestLeft) / 2
	const beyond = 10
	switch x := float64(v); {
	case math.IsInf(x, 1):
		return forestRight + beyond
	case math.IsInf(x, -1):
		return forestLeft - beyond
	default:
		return forestZero + half*vg.Length(x/g.scale.per/g.most)
	}
}

func (g *forestGroup) draw(c draw.Canvas, top vg.Length) {
	head := g.label
	if g.scale.name != "" {
		head += ", " + g.scale.name
	}
	sty := textStyle(panelSize, true, textInk)
	c.FillText(sty, vg.Point{X: leftMargin, Y: top - 9}, shorten(sty, head, forestZero-leftMargin-44))
	g.sides(c, top-9)
	y := top - forestHead
	bottom := y - vg.Length(len(g.names))*forestRow
	for _, t := range g.ticks() {
		x := g.x(result.SeedValue(t.value * g.scale.per))
		if t.value != 0 {
			rule(c, line(gridInk, 0.6), x, y, x, bottom)
		}
		rule(c, line(axisInk, 0.6), x, bottom, x, bottom-3)
		mid := textStyle(labelSize, false, textInk)
		mid.XAlign = draw.XCenter
		c.FillText(mid, vg.Point{X: x, Y: bottom - 9}, t.label)
	}
	rule(c, line(axisInk, 0.6), forestLeft, bottom, forestRight, bottom)
	rule(c, line(axisInk, 1), forestZero, y, forestZero, bottom)
	for i, name := range g.names {
		g.line(c, name, g.of[i], y-forestRow/2)
		y -= forestRow
	}
}

// sides says which side is better.
func (g *forestGroup) sides(c draw.Canvas, y vg.Length) {
	left, right := "lower", "higher"
	switch g.row.Better {
	case result.LowerIsBetter:
		left, right = "better", "worse"
	case result.HigherIsBetter:
		left, right = "worse", "better"
	case result.Neutral:
	}
	sty := textStyle(labelSize, false, quietInk)
	c.FillText(sty, vg.Point{X: forestZero + 6, Y: y}, right+" →")
	sty.XAlign = draw.XRight
	c.FillText(sty, vg.Point{X: forestZero - 6, Y: y}, "← "+left)
}

// line draws a variant: its name, interval and median, and the same in words.
func (g *forestGroup) line(c draw.Canvas, name string, p *result.Paired, y vg.Length) {
	sty := textStyle(labelSize, false, textInk)
	c.FillText(sty, vg.Point{X: forestNames, Y: y}, shortenName(sty, name, forestLeft-forestNames-14))
	if p.Low != nil && p.High != nil {
		x0, x1 := g.x(*p.Low), g.x(*p.High)
		rule(c, line(textInk, 1.2), x0, y, x1, y)
		for _, x := range []vg.Length{x0, x1} {
			rule(c, line(textInk, 1.2), x, y-4.5, x, y+4.5)
		}
	}
	if p.Pairs > 0 {
		mark := turnNone.glyph()
		if p.Outcome != result.OutcomeNone && p.Outcome != result.OutcomeFew {
			mark = outcomeGlyph(p.Outcome)
		}
		mark.Radius = 3.2
		c.DrawGlyph(mark, vg.Point{X: g.x(p.Median), Y: y})
	}
	c.FillText(textStyle(labelSize, true, textInk), vg.Point{X: forestText, Y: y}, string(p.Outcome))
	words := shortenName(sty, g.words(p, name), figureWidth-8-forestWords)
	c.FillText(sty, vg.Point{X: forestWords, Y: y}, words)
}

// words are the median of the differences and its interval: "−965ms [−970ms … −955ms]".
func (g *forestGroup) words(p *result.Paired, name string) string {
	if p.Pairs == 0 {
		return ""
	}
	if math.IsInf(float64(p.Median), 1) {
		return "never with " + name
	}
	if math.IsInf(float64(p.Median), -1) {
		return "never with " + g.reference
	}
	return differenceText(g.row.Unit, p.Median) + boundsText(g.row.Unit, p)
}

// forestTick is a mark of an axis.
type forestTick struct {
	value float64
	label string
}

// ticks are those of the axis, with those without end beyond it.
func (g *forestGroup) ticks() []forestTick {
	var out []forestTick
	for _, t := range (differenceTicks{roundTicks{about: 5}, -g.most, g.most}).Ticks(0, 0) {
		out = append(out, forestTick{t.Value, t.Label})
	}
	return out
}

// legend explains the marks.
func (f *forest) legend() []legendEntry {
	out := []legendEntry{
		glyphEntry("better", outcomeGlyph(result.OutcomeBetter)),
		glyphEntry("worse", outcomeGlyph(result.OutcomeWorse)),
		glyphEntry("no difference shown", outcomeGlyph(result.OutcomeNone)),
		{text: "bar: interval of the median, at least " + confidenceText(f.c), line: line(textInk, 1.2)},
	}
	if slices.ContainsFunc(f.groups, func(g forestGroup) bool { return g.endless }) {
		out = append(out, legendEntry{text: "beyond an axis: never"})
	}
	return out
}

// differencesCaption counts the verdicts.
func differencesCaption(c *result.Comparison) string {
	var parts []string
	named := 0
	for i := range c.Rows {
		if c.Rows[i].Named {
			named++
		}
	}
	for v := range c.Variants {
		if v == c.Reference {
			continue
		}
		better, worse, other := 0, 0, 0
		for i := range c.Rows {
			if r := &c.Rows[i]; r.Named {
				switch r.Against[v].Outcome {
				case result.OutcomeBetter:
					better++
				case result.OutcomeWorse:
					worse++
				case result.OutcomeDifferent:
					other++
				case result.OutcomeNone, result.OutcomeFew, result.OutcomeNoPairs:
				}
			}
		}
		var words []string
		for _, x := range []struct {
			n    int
			word string
		}{{better, "better"}, {worse, "worse"}, {other, "different"}} {
			if x.n > 0 {
				words = append(words, x.word+" in "+strconv.Itoa(x.n))
			}
		}
		if len(words) == 0 {
			words = []string{"not shown to differ in any"}
		}
		parts = append(parts, c.Variants[v].Name+" is "+strings.Join(words, " and "))
	}
	return "Of " + plural(int64(named), "row") + " that were named before the run, " + listed(parts, 5) + "."
}
