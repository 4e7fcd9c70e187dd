package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// mostPaired is how many variants a figure of differences shows, each in a plot of its own.
const mostPaired = 9

// PairedSeeds draws a row of a comparison seed by seed: for each variant the differences from the reference,
// sorted, around a line at zero, with the median of the differences and its interval at the right. A
// difference without end, of a time that never came in one of the two, lies beyond the axis. It is nil if no
// seed has a value in both.
func PairedSeeds(c *result.Comparison, r *result.PairedRow) *Figure {
	g := &cells{height: 150, xLabel: "seeds, sorted by their difference", columns: 1}
	d := pairedAxis{reference: c.Variants[c.Reference].Name, better: r.Better, seeds: len(c.Seeds)}
	var shown []int
	for i := range c.Variants {
		if i != c.Reference && r.Against[i].Pairs > 0 {
			shown = append(shown, i)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	more := max(0, len(shown)-mostPaired)
	shown = shown[:len(shown)-more]
	for _, i := range shown {
		d.stretch(&r.Against[i])
	}
	d.finish(r.Unit)
	for _, i := range shown {
		p := plot.New()
		style(p)
		d.axes(p)
		p.Add(pairedPlot{&d, c.Variants[i].Name, &r.Against[i]})
		g.plots, g.titles = append(g.plots, p), append(g.titles, c.Variants[i].Name)
		g.notes = append(g.notes, pairedNotes(r, &r.Against[i], len(c.Seeds)))
	}
	g.columns = min(cellColumns, len(shown))
	g.yTitle = "difference from " + d.reference
	if d.scale.name != "" {
		g.yTitle += ", " + d.scale.name
	}
	switch r.Better {
	case result.LowerIsBetter:
		g.yTitle += "; lower is better"
	case result.HigherIsBetter:
		g.yTitle += "; higher is better"
	case result.Neutral:
	}
	g.foot = pairedLegend(r.Better)
	if more > 0 {
		text := "and " + plural(int64(more), "variant") + " more: see differences"
		g.foot = append(g.foot, legendEntry{text: text})
	}
	label := comparedLabel(c, r)
	return compareSheet(c, Figure{
		Name: "paired-" + rowName(r), Title: strings.ToUpper(label[:1]) + label[1:] + ", seed by seed",
		Caption: pairedCaption(c, r),
		Desc:    "Differences from " + d.reference + " by seed, sorted, with their median and its interval.",
	}, g)
}

// pairedLegend explains the shapes.
func pairedLegend(better result.Direction) []legendEntry {
	entries := []legendEntry{
		glyphEntry("better", turnBetter.glyph()), glyphEntry("worse", turnWorse.glyph()),
		glyphEntry("no difference", turnNone.glyph()),
	}
	if better == result.Neutral {
		entries = []legendEntry{glyphEntry("a seed: neither direction is better", turnNone.glyph())}
	}
	return append(entries, legendEntry{
		text: "bar at the right: median and its interval", sample: intervalSample,
	})
}

func glyphEntry(text string, g draw.GlyphStyle) legendEntry {
	return legendEntry{text: text, sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
		c.DrawGlyph(g, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2})
	}}
}

func intervalSample(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
	x := (x0 + x1) / 2
	rule(c, line(textInk, 1.4), x, y0, x, y1)
	rule(c, line(textInk, 2.2), x-4, (y0+y1)/2, x+4, (y0+y1)/2)
}

// pairedNotes are the words above a plot: the verdict, how many seeds lie on which side, the median.
func pairedNotes(r *result.PairedRow, p *result.Paired, seeds int) []inkedNote {
	var notes []inkedNote
	if p.Outcome != "" {
		words := string(p.Outcome)
		if p.Adjusted != nil {
			words += ", adjusted p " + chanceText(p.Adjusted)
		}
		notes = append(notes, inkedNote{text: words, ink: textInk, mark: outcomeGlyph(p.Outcome)})
	}
	text := "median " + differenceText(r.Unit, p.Median) + boundsText(r.Unit, p)
	if p.Low == nil {
		text += ", too few seeds for an interval"
	}
	return append(notes, inkedNote{text: pairedCounts(p, seeds), ink: textInk},
		inkedNote{text: text, ink: textInk})
}

// pairedCounts are how many seeds lie on which side: "18 of 20 seeds lower, 1 equal, 1 higher".
func pairedCounts(p *result.Paired, seeds int) string {
	var parts []string
	add := func(n int, word string) {
		if n == 0 {
			return
		}
		text := strconv.Itoa(n)
		if len(parts) == 0 {
			text += " of " + plural(int64(p.Pairs), "seed")
		}
		parts = append(parts, text+" "+word)
	}
	if p.Higher > p.Lower {
		add(p.Higher, "higher")
		add(p.Equal, "equal")
		add(p.Lower, "lower")
	} else {
		add(p.Lower, "lower")
		add(p.Equal, "equal")
		add(p.Higher, "higher")
	}
	if n := seeds - p.Pairs; n > 0 {
		parts = append(parts, strconv.Itoa(n)+" without a value")
	}
	return strings.Join(parts, ", ")
}

// pairedCaption tells the variant that differs most surely.
func pairedCaption(c *result.Comparison, r *result.PairedRow) string {
	best := -1
	sure := func(i int) float64 {
		p := &r.Against[i]
		chance := 1.0
		if p.Adjusted != nil {
			chance = *p.Adjusted
		}
		return chance - float64(max(p.Lower, p.Higher))/float64(max(p.Pairs, 1))
	}
	for i := range c.Variants {
		if i != c.Reference && r.Against[i].Pairs > 0 && (best < 0 || sure(i) < sure(best)) {
			best = i
		}
	}
	p, label := &r.Against[best], comparedLabel(c, r)
	label = strings.ToUpper(label[:1]) + label[1:]
	name, base := c.Variants[best].Name, c.Variants[c.Reference].Name
	if p.Lower+p.Higher == 0 {
		return label + ": " + name + " and " + base + " are alike in each of " +
			plural(int64(p.Pairs), "seed") + "."
	}
	n, word := p.Lower, "lower"
	if p.Higher > p.Lower {
		n, word = p.Higher, "higher"
	}
	s := label + ": " + word + " with " + name + " than with " + base + " in " + strconv.Itoa(n) + " of " +
		plural(int64(p.Pairs), "seed")
	if m := float64(p.Median); !math.IsInf(m, 0) {
		s += ", by " + strings.TrimLeft(differenceText(r.Unit, p.Median), "+−") + " in the median"
	}
	if p.Outcome != "" {
		s += " (" + string(p.Outcome) + ")"
	}
	return s + "."
}

// pairedAxis is the y axis of the plots of a row, in its scale. Beyond both ends there may be a strip for
// differences without end.
type pairedAxis struct {
	reference string
	better    result.Direction
	seeds     int
	scale     differenceScale
	lo, hi    float64 // of the finite ones and 0
	// never and came: some time never came in a variant, or in the reference, alone.
	never, came bool
}

// stretch makes room for the differences of a variant.
func (d *pairedAxis) stretch(p *result.Paired) {
	values := slices.Clone(p.Differences)
	for _, v := range []*result.SeedValue{p.Low, p.High} {
		if v != nil {
			values = append(values, *v)
		}
	}
	for _, v := range values {
		switch x := float64(v); {
		case math.IsInf(x, 1):
			d.never = true
		case math.IsInf(x, -1):
			d.came = true
		case !math.IsNaN(x):
			d.lo, d.hi = min(d.lo, x), max(d.hi, x)
		}
	}
}

// pairedStrip is the height of a strip beyond an end, as a part of the finite range.
const pairedStrip = 0.24

// finish chooses the unit.
func (d *pairedAxis) finish(u result.Unit) {
	d.scale = differenceScaleOf(u, max(d.hi, -d.lo))
	d.lo, d.hi = d.lo/d.scale.per, d.hi/d.scale.per
	if d.lo == 0 && d.hi == 0 {
		d.lo, d.hi = -1, 1
	}
	pad := (d.hi - d.lo) * 0.06
	d.lo, d.hi = d.lo-pad, d.hi+pad
}

// places of the parts beside the seeds, in ranks.
func (d *pairedAxis) divide() float64 { return float64(d.seeds) + 0.5 + 0.04*float64(d.seeds) }
func (d *pairedAxis) bar() float64    { return float64(d.seeds)*1.13 + 1 }
func (d *pairedAxis) end() float64    { return float64(d.seeds)*1.22 + 1.5 }

// axes sets those of a plot.
func (d *pairedAxis) axes(p *plot.Plot) {
	p.X.Min, p.X.Max = 0, d.end()
	p.Y.Min, p.Y.Max = d.lo, d.hi
	room := (d.hi - d.lo) * pairedStrip
	if d.never {
		p.Y.Max += room
	}
	if d.came {
		p.Y.Min -= room
	}
	p.Y.Tick.Marker = differenceTicks{roundTicks{about: 5}, d.lo, d.hi}
	p.X.Tick.Marker = plot.ConstantTicks{
		{Value: 1, Label: "1"},
		{Value: float64(d.seeds), Label: strconv.Itoa(d.seeds)},
		{Value: d.bar(), Label: "median"},
	}
}

// y is the place of a difference on the axis: in the middle of a strip if it has no end.
func (d *pairedAxis) y(v result.SeedValue) float64 {
	room := (d.hi - d.lo) * pairedStrip
	switch x := float64(v); {
	case math.IsInf(x, 1):
		return d.hi + room*0.35
	case math.IsInf(x, -1):
		return d.lo - room*0.35
	default:
		return x / d.scale.per
	}
}

// differenceTicks mark an axis of differences between two ends, with signs.
type differenceTicks struct {
	of     roundTicks
	lo, hi float64
}

// Ticks implements plot.Ticker.
func (t differenceTicks) Ticks(_, _ float64) []plot.Tick {
	ticks := t.of.Ticks(t.lo, t.hi)
	for i, k := range ticks {
		if k.Value > 0 {
			ticks[i].Label = "+" + k.Label
		} else if number, ok := strings.CutPrefix(k.Label, "-"); ok {
			ticks[i].Label = "−" + number
			if strings.Trim(number, "0.") == "" {
				ticks[i].Label = "0"
			}
		}
	}
	return ticks
}

// pairedPlot are the differences of a variant.
type pairedPlot struct {
	*pairedAxis
	name string
	of   *result.Paired
}

// Plot implements plot.Plotter.
func (d pairedPlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		rule(c, line(gridInk, 0.5), c.Min.X, y(t.Value), c.Max.X, y(t.Value))
	}
	d.strips(c, y)
	rule(c, line(axisInk, 1), c.Min.X, y(0), c.Max.X, y(0))
	rule(c, line(axisInk, 0.6), x(d.divide()), c.Min.Y, x(d.divide()), c.Max.Y)
	values := slices.DeleteFunc(slices.Clone(d.of.Differences), func(v result.SeedValue) bool {
		return math.IsNaN(float64(v))
	})
	slices.Sort(values)
	for i, v := range values {
		c.DrawGlyph(turnOf(d.better, float64(v)).glyph(), vg.Point{X: x(float64(i + 1)), Y: y(d.y(v))})
	}
	at := x(d.bar())
	if lo, hi := d.of.Low, d.of.High; lo != nil && hi != nil {
		bottom, top := y(d.y(*lo)), y(d.y(*hi))
		rule(c, line(textInk, 1.4), at, bottom, at, top)
		for _, end := range []vg.Length{bottom, top} {
			rule(c, line(textInk, 1.4), at-3, end, at+3, end)
		}
	}
	if m := d.of.Median; !math.IsNaN(float64(m)) {
		rule(c, line(textInk, 1.8), at-7, y(d.y(m)), at+7, y(d.y(m)))
	}
}

// strips are the room beyond the ends, with what a mark there says, if the variant has one.
func (d pairedPlot) strips(c draw.Canvas, y func(float64) vg.Length) {
	sty := textStyle(labelSize, false, quietInk)
	label := func(sign int, y vg.Length, name string) {
		endless := func(v result.SeedValue) bool { return math.IsInf(float64(v), sign) }
		if slices.ContainsFunc(d.of.Differences, endless) {
			text := shortenName(sty, "never with "+name, c.Max.X-c.Min.X-8)
			c.FillText(sty, vg.Point{X: c.Min.X + 4, Y: y}, text)
		}
	}
	dash := draw.LineStyle{Color: axisInk, Width: 0.6, Dashes: []vg.Length{3, 2}}
	if d.never {
		rule(c, dash, c.Min.X, y(d.hi), c.Max.X, y(d.hi))
		label(1, c.Max.Y-6, d.name)
	}
	if d.came {
		rule(c, dash, c.Min.X, y(d.lo), c.Max.X, y(d.lo))
		label(-1, c.Min.Y+6, d.reference)
	}
}
