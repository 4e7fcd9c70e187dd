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

// SeedFigures are the figures of a set of seeds: timeline-seeds and latency-hdr-seeds. A single run has none,
// and one whose numbers are missing is left out.
func SeedFigures(set *result.SeedSet) []*Figure {
	if len(set.Runs) < 2 {
		return nil
	}
	var figures []*Figure
	for _, f := range []*Figure{SeedsTimeline(set), SeedsHDR(set)} {
		if f != nil {
			figures = append(figures, f)
		}
	}
	return figures
}

// seedsSubtitle is where the numbers of a figure come from.
func seedsSubtitle(set *result.SeedSet) string {
	var sent int64
	for _, r := range set.Runs {
		sent += r.Sent
	}
	s := set.Scenario + " · "
	if p := captionWords(set.Setup); p != "" {
		s += p + " · "
	}
	return s + plural(int64(len(set.Runs)), "seed") + " (" + seedList(set) + ") · " +
		tickNumber(float64(sent)) + " messages in all · digest " + set.Digest
}

// seedsTimeline is the layout of timeline-seeds.
type seedsTimeline struct {
	set    *result.SeedSet
	from   int64 // both ends of the time axis, in ns since the first strike
	to     int64
	bands  []band
	lanes  int
	panels []panel
}

// seedPanel is what is drawn of a curve.
type seedPanel struct {
	curve, title string
	ink          colour
	log          bool // latency in ms, else a share in percent
	height       vg.Length
}

var seedPanels = []seedPanel{
	{result.CurveP99, "99th percentile of send latency, ms (log)", okabeBlue, true, 116},
	{result.CurveFailed, "share of messages that failed", okabeVermilion, false, 70},
	{result.CurveStruck, "share of sends that went to struck brokers", gray(0x48), false, 70},
	{result.CurveAvoided, "share of producer instances that avoid a struck broker", gray(0x78), false, 70},
}

// SeedsTimeline draws several seeds over the time since the first strike of their first fault: a line for the
// median of the runs and a band from the least to the most, window by window. Nothing is smoothed, and a
// window in which no run has a value is a gap. It is nil if there are no windows.
func SeedsTimeline(set *result.SeedSet) *Figure {
	t := &seedsTimeline{set: set}
	for _, c := range set.Curves {
		if n := len(c.Points); n > 0 {
			t.from, t.to = c.Points[0].FromNS, c.Points[n-1].FromNS+set.WindowNS
		}
	}
	if t.to <= t.from {
		return nil
	}
	t.bands = t.bandsOf()
	t.lanes = placeLabels(t.bands, t.x, figureWidth-8)
	var shown []result.SeedCurve
	var looks []seedPanel
	for _, look := range seedPanels {
		i := slices.IndexFunc(set.Curves, func(c result.SeedCurve) bool { return c.Name == look.curve })
		if i >= 0 {
			shown, looks = append(shown, set.Curves[i]), append(looks, look)
		}
	}
	names := make([]string, len(shown))
	for i, c := range shown {
		p := t.panel(c, looks[i], i == len(shown)-1)
		if i > 0 {
			p.legend = nil // as above
		}
		t.panels = append(t.panels, p)
		names[i] = looks[i].title
	}
	height := vg.Length(headHeight+axisHeight-panelGap) + vg.Length(t.lanes)*laneHeight
	for _, p := range t.panels {
		height += panelTitle + p.height + panelGap
	}
	return &Figure{
		Name: "timeline-seeds", Title: t.title(), Caption: seedsCaption(set),
		Desc: "Median and range of " + plural(int64(len(set.Runs)), "seed") + " over the time since the first " +
			"strike: " + strings.Join(names, "; ") + ". " + seedsSubtitle(set) + ".",
		width: figureWidth, height: height, draw: t.draw,
	}
}

func (t *seedsTimeline) title() string {
	if t.set.Story != "" {
		return strings.TrimSuffix(t.set.Story, ".")
	}
	return "Several seeds of " + t.set.Scenario
}

// seedsCaption says what seeds agree on, and where they differ most.
func seedsCaption(set *result.SeedSet) string {
	var worst *result.SeedMetric
	for i := range set.Metrics {
		m := &set.Metrics[i]
		if m.Metric == "latency_p99" && strings.HasPrefix(m.Phase, result.FaultPrefix) &&
			!math.IsNaN(float64(m.Max)) && (worst == nil || m.Max > worst.Max) {
			worst = m
		}
	}
	if worst == nil {
		return "Line: median of the seeds; band: from the least to the most."
	}
	s := "The 99th percentile in " + worst.Phase + " is " + duration(int64(worst.Median)) +
		" in the median seed, " + duration(int64(worst.Min)) + " to " + duration(int64(worst.Max)) + " over all"
	if worst.Worst != nil {
		s += "; seed " + seedNames([]uint64{*worst.Worst})[0] + " is the worst"
	}
	return s + "."
}

// x is the place of a time since the first strike.
func (t *seedsTimeline) x(ns int64) vg.Length {
	const width = figureWidth - leftMargin - rightMargin
	at := min(max(ns, t.from), t.to)
	return leftMargin + width*vg.Length(float64(at-t.from)/float64(t.to-t.from))
}

// bandsOf shades the warm-up, if it ended at one time in all runs, and every fault that began.
func (t *seedsTimeline) bandsOf() []band {
	var bands []band
	if end, ok := t.warmupEnd(); ok && end > t.from {
		bands = append(bands, band{from: t.from, to: end, label: "warm-up", fill: warmupBand, ink: quietInk})
	}
	for _, f := range t.set.Faults {
		if f.Began == 0 || f.FromNS >= t.to || f.ToNS <= t.from {
			continue
		}
		label := faultLabel(result.Fault{
			Name: f.Name, Kind: f.Kind, Detail: f.Detail, Targets: f.Targets, To: f.To,
		})
		if f.FromVary || f.ToVary {
			label += " (median time)"
		}
		if f.Began < len(t.set.Runs) {
			label += " (in " + count(int64(f.Began)) + " of " + count(int64(len(t.set.Runs))) + " seeds)"
		}
		bands = append(bands, band{
			from: max(f.FromNS, t.from), to: min(f.ToNS, t.to), label: label, fill: faultBand, ink: faultInk,
			starts: true, ends: f.ToNS < t.to,
		})
	}
	return bands
}

// warmupEnd is when the warm-up ended, since the first strike, if that is the same in all runs.
func (t *seedsTimeline) warmupEnd() (int64, bool) {
	var at *int64
	for _, r := range t.set.Runs {
		if at != nil && r.StrikeNS != nil && *at != *r.StrikeNS {
			return 0, false
		}
		if r.StrikeNS != nil {
			at = r.StrikeNS
		}
	}
	if at == nil {
		return t.set.WarmupNS, t.set.WarmupNS > 0
	}
	return t.set.WarmupNS - *at, t.set.WarmupNS > 0
}

// panel draws a curve: the band under its line.
func (t *seedsTimeline) panel(c result.SeedCurve, look seedPanel, last bool) panel {
	p := panel{title: look.title + t.windowWords(look), height: look.height, plot: plot.New()}
	style(p.plot)
	p.plot.X.Min, p.plot.X.Max = float64(t.from)/1e9, float64(t.to)/1e9
	ticks := sinceTicks{timeTicks{unitFor(max(t.to, -t.from))}}
	if last {
		p.plot.X.Tick.Marker = ticks
		p.plot.X.Label.Text = "time since the first strike (" + ticks.unit.name + ")"
		if len(t.set.Faults) == 0 {
			p.plot.X.Label.Text = "simulated time (" + ticks.unit.name + ")"
		}
		p.plot.X.Label.Padding = 2
	} else {
		p.plot.HideX()
	}
	ranges, medians, thin := t.steps(c, look)
	lo, hi := math.Inf(1), 0.0
	for _, s := range ranges {
		if !s.gapAt() {
			lo, hi = min(lo, s.lo), max(hi, s.hi)
		}
	}
	t.scale(&p, look, lo, hi)
	p.plot.Add(sinceGrid{ticks}, stepArea{steps: ranges, fill: translucent(look.ink, 0x40)})
	p.plot.Add(dottedWhere(thin, medians, line(look.ink, 1.3))...)
	p.legend = []legendEntry{
		{text: "median of the seeds", line: line(look.ink, 1.3)},
		{text: "least to most", fill: translucent(look.ink, 0x40)},
	}
	if slices.Contains(thin, true) {
		p.legend = append(p.legend, legendEntry{text: "dotted: under 10 beyond"})
	}
	return p
}

// windowWords are the width of a window, told once.
func (t *seedsTimeline) windowWords(look seedPanel) string {
	if look.curve != seedPanels[0].curve {
		return ""
	}
	return ", per window of " + seconds(t.set.WindowNS)
}

// scale sets the y axis of a panel.
func (t *seedsTimeline) scale(p *panel, look seedPanel, lo, hi float64) {
	switch {
	case look.log && hi > 0:
		p.plot.Y.Scale, p.plot.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		p.plot.Y.Min, p.plot.Y.Max = logRange(lo, hi)
	case look.log:
		p.plot.Y.Min, p.plot.Y.Max, p.empty = 0, 1, "no message was answered"
	default:
		const least = 1 // %
		p.plot.Y.Min, p.plot.Y.Max = 0, min(max(roundUp(hi), least), 100)
		p.plot.Y.Tick.Marker = roundTicks{about: 3, suffix: " %"}
		if hi == 0 {
			p.empty = "none in any seed"
		}
	}
}

// steps are the range and the median of a curve, in the unit of its panel.
func (t *seedsTimeline) steps(c result.SeedCurve, look seedPanel) (ranges, medians []step, thin []bool) {
	unit := func(x float64) float64 {
		if look.log {
			const least = 1e-3 // a log axis has no zero
			return max(x/1e6, least)
		}
		return 100 * x
	}
	for _, q := range c.Points {
		s := step{
			x0: float64(q.FromNS) / 1e9, x1: float64(q.FromNS+t.set.WindowNS) / 1e9,
			lo: math.NaN(), hi: math.NaN(),
		}
		m := s
		if q.Seeds > 0 {
			s.lo, s.hi, m.hi = unit(q.Min), unit(q.Max), unit(q.Median)
		}
		ranges, medians, thin = append(ranges, s), append(medians, m), append(thin, q.Thin)
	}
	return ranges, medians, thin
}

// draw puts everything onto a canvas.
func (t *seedsTimeline) draw(c draw.Canvas) {
	drawHead(c, t.title(), seedsSubtitle(t.set))
	top, bottom := c.Max.Y-headHeight, c.Min.Y+axisHeight
	drawBands(c, t.bands, t.x, top, bottom)
	y := top - vg.Length(t.lanes)*laneHeight
	for _, p := range t.panels {
		data := vg.Rectangle{
			Min: vg.Point{X: leftMargin, Y: y - panelTitle - p.height},
			Max: vg.Point{X: t.x(t.to), Y: y - panelTitle},
		}
		p.draw(c, data)
		drawEdges(c, t.bands, t.x, data.Max.Y, data.Min.Y)
		y = data.Min.Y - panelGap
	}
	drawLabels(c, t.bands, t.x, top, figureWidth-8)
}

// sinceTicks mark an axis that begins before zero.
type sinceTicks struct{ timeTicks }

// Ticks implements plot.Ticker.
func (t sinceTicks) Ticks(lo, hi float64) []plot.Tick {
	// The step is that of the whole axis, so that both sides have the same.
	const most = 11.0
	step := t.unit.steps[len(t.unit.steps)-1]
	for _, s := range t.unit.steps {
		if (hi-lo)*1e9/t.unit.ns/s <= most {
			step = s
			break
		}
	}
	var ticks []plot.Tick
	width := step * t.unit.ns / 1e9
	for k := math.Ceil(lo/width - 1e-9); k*width <= hi*(1+1e-9); k++ {
		label := tickNumber(k * step)
		if k < 0 {
			label = "−" + tickNumber(-k*step)
		}
		ticks = append(ticks, plot.Tick{Value: k * width, Label: label})
	}
	return ticks
}

// sinceGrid draws a light line at each round time and at each label of the y axis.
type sinceGrid struct{ times sinceTicks }

// Plot implements plot.Plotter.
func (g sinceGrid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := line(gridInk, 0.5)
	for _, t := range g.times.Ticks(p.X.Min, p.X.Max) {
		rule(c, sty, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			rule(c, sty, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}
