package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// CompareTimeline draws the variants over each other on the time since the first strike: for each a line for
// the median of its seeds and a band from the least to the most, window by window. The faults are those of
// the reference. It is nil if there are no windows.
func CompareTimeline(c *result.Comparison) *Figure {
	looks := looksOf(c)
	sets := make([]*result.SeedSet, len(looks))
	for i, l := range looks {
		sets[i] = seedsOf(c, l.index)
	}
	t, ok := newSince(sets...)
	if !ok {
		return nil
	}
	other := otherBands(t, sets, looks)
	var names []string
	shown := seedPanelsOf(sets...)
	for i, look := range shown {
		p := comparePanel(t, sets, looks, look, i == len(shown)-1)
		if i == 0 {
			p.legend = append(variantLegend(looks, rightMargin-16), p.legend...)
			if len(other) > 0 {
				p.legend = append(p.legend, legendEntry{text: "faults: of the reference"})
			}
		}
		t.panels = append(t.panels, p)
		names = append(names, look.title)
	}
	title := compareTitle(c)
	note := leftOut(c, looks)
	if note != "" {
		note = " Drawn are " + note + "."
	}
	if len(other) > 0 {
		have := " has"
		if len(other) > 1 {
			have = " have"
		}
		note += " The faults are those of " + looks[0].name + "; " + listed(other, 4) + have +
			" others, or at other times."
	}
	sub := compareSubtitle(c)
	return &Figure{
		Name: "timeline-compare", Title: title, Caption: compareCaption(c) + note,
		Desc: "Median and range of the seeds over the time since the first strike, for the variants " +
			lookNames(looks) + ": " + strings.Join(names, "; ") + "." + note + " " + sub + ".",
		width: figureWidth, height: t.height(), draw: func(canvas draw.Canvas) { t.draw(canvas, title, sub) },
	}
}

// otherBands are the variants whose faults or warm-up are not those of the first: those are not drawn.
func otherBands(t *sinceSheet, sets []*result.SeedSet, looks []variantLook) []string {
	var names []string
	same := func(a, b band) bool { return a.label == b.label && a.from == b.from && a.to == b.to }
	first := t.bandsOf(sets[0])
	for i := range sets {
		if !slices.EqualFunc(t.bandsOf(sets[i]), first, same) {
			names = append(names, looks[i].name)
		}
	}
	return names
}

// lookNames are the variants of a figure.
func lookNames(looks []variantLook) string {
	names := make([]string, len(looks))
	for i, l := range looks {
		names[i] = l.name
	}
	return strings.Join(names, ", ")
}

// compareTitle is what the scenario is about, or who is compared.
func compareTitle(c *result.Comparison) string {
	if c.Story != "" {
		return strings.TrimSuffix(c.Story, ".")
	}
	return "Variants of " + c.Scenario
}

// comparePanel overlays a curve of all variants, the reference below.
func comparePanel(
	t *sinceSheet, sets []*result.SeedSet, looks []variantLook, look seedPanel, last bool,
) panel {
	struck := slices.ContainsFunc(sets, func(s *result.SeedSet) bool { return len(s.Faults) > 0 })
	p := t.panel(look.title+windowWords(sets[0], look), look.height, last, struck)
	all := make([]seedSteps, len(sets))
	lo, hi, thin := math.Inf(1), 0.0, false
	for i, set := range sets {
		all[i] = seedStepsOf(set, look)
		lo, hi = min(lo, all[i].lo), max(hi, all[i].hi)
		thin = thin || slices.Contains(all[i].thin, true)
	}
	look.scale(&p, lo, hi)
	if p.empty != "" && !look.log {
		p.empty = "none in any seed of any variant"
	}
	for i, s := range all {
		p.plot.Add(stepArea{steps: s.ranges, fill: looks[i].band(len(sets))})
	}
	for i, s := range all {
		p.plot.Add(dottedWhere(s.thin, s.medians, line(looks[i].ink, looks[i].width))...)
	}
	for i, s := range all {
		p.plot.Add(markedSteps{steps: s.medians, style: looks[i].glyph(), nth: i, of: len(all)})
	}
	p.legend = []legendEntry{{text: "line: median seed"}, {text: "band: least to most"}}
	if thin {
		p.legend = append(p.legend, legendEntry{text: "dotted: under 10 beyond"})
	}
	if !look.log {
		p.legend = nil // as in the first
	}
	return p
}

// markedSteps puts shapes on a line, at places that differ from those of the other lines.
type markedSteps struct {
	steps   []step
	style   draw.GlyphStyle
	nth, of int
}

// Plot implements plot.Plotter.
func (m markedSteps) Plot(c draw.Canvas, p *plot.Plot) {
	const apart = 84
	x, y := p.Transforms(&c)
	next := c.Min.X + apart*vg.Length(2*m.nth+1)/vg.Length(2*m.of)
	for _, s := range m.steps {
		if s.gapAt() {
			continue
		}
		// At the middle of the first window that ends beyond the place.
		if at := (x(s.x0) + x(s.x1)) / 2; x(s.x1) > next && at < c.Max.X {
			c.DrawGlyph(m.style, vg.Point{X: at, Y: y(s.hi)})
			for next < x(s.x1) {
				next += apart
			}
		}
	}
}

// compareCaption says what the faults do to the tail of the best and of the worst variant.
func compareCaption(c *result.Comparison) string {
	phase, worst := "", result.SeedValue(0)
	for _, m := range seedsOf(c, c.Reference).Metrics {
		if m.Metric == "latency_p99" && strings.HasPrefix(m.Phase, result.FaultPrefix) && m.Median > worst {
			phase, worst = m.Phase, m.Median
		}
	}
	where := "in " + phase
	if phase == "" {
		phase, where = result.PhaseAll, "of all messages"
	}
	least, most := -1, -1
	values := make([]result.SeedValue, len(c.Variants))
	for i := range c.Variants {
		values[i] = seedMedian(seedsOf(c, i), "latency_p99", phase)
		if math.IsNaN(float64(values[i])) {
			continue
		}
		if least < 0 || values[i] < values[least] {
			least = i
		}
		if most < 0 || values[i] > values[most] {
			most = i
		}
	}
	number := func(i int) string { return duration(int64(values[i])) }
	text := func(i int) string { return number(i) + " with " + c.Variants[i].Name }
	switch {
	case least < 0:
		return "Line: median of the seeds; band: from the least to the most."
	case number(least) == number(most):
		return "The 99th percentile of latency " + where + " is " + number(most) +
			" in the median seed of every variant."
	}
	s := "The 99th percentile of latency " + where + " is " + text(most) + " and " + text(least)
	if r := c.Reference; r != least && r != most && !math.IsNaN(float64(values[r])) {
		s += " (" + text(r) + ")"
	}
	return s + ", in the median seed."
}

// seedMedian is the median of a metric of a phase over the seeds, NaN if there is none.
func seedMedian(set *result.SeedSet, metric, phase string) result.SeedValue {
	for _, m := range set.Metrics {
		if m.Metric == metric && m.Phase == phase {
			return m.Median
		}
	}
	return result.SeedValue(math.NaN())
}
