package report

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// LatencyHDR draws latency over percentiles, the axis stretched so that each further nine takes the same
// room: a line for each phase, and in runs with several producer groups a second panel with a line for
// each group in the worst phase of a fault. A line ends where fewer than ten messages are left beyond. It
// is nil if the results have no distribution of latencies.
func LatencyHDR(r *result.Run) *Figure {
	curves := phaseCurves(r)
	if len(curves) == 0 {
		return nil
	}
	phase := result.PhaseAll
	if worst, ok := worstPhase(r); ok {
		phase = worst.Phase
	}
	limits := latencyLimits(r, curves, "during ")
	groups := groupCurves(r, phase)
	groupLimits := latencyLimits(r, groups, "producer ")
	axes := axesOf(append(slices.Clone(curves), groups...), append(slices.Clone(limits), groupLimits...))
	panels := []panel{axes.panel("send latency, retries included, ms (log), by phase", curves, limits)}
	if groups != nil {
		panels = append(panels, axes.panel("the same by producer group, in "+phase, groups, groupLimits))
	}
	height := vg.Length(0)
	for _, p := range panels {
		height += panelTitle + p.height + axisHeight
	}
	f := Figure{
		Name: "latency-hdr", Title: "How long the slowest messages take", Caption: hdrCaption(r, curves),
		Desc: "Latency over percentiles; " + curveWords(curves) + ".",
	}
	return sheet(r, f, height+4, func(c draw.Canvas, top vg.Length) {
		for _, p := range panels {
			data := vg.Rectangle{
				Min: vg.Point{X: leftMargin, Y: top - panelTitle - p.height},
				Max: vg.Point{X: figureWidth - rightMargin, Y: top - panelTitle},
			}
			p.draw(c, data)
			top = data.Min.Y - axisHeight
		}
	})
}

// curveWords name the curves with their number of messages.
func curveWords(curves []curve) string {
	var parts []string
	for _, c := range curves {
		parts = append(parts, c.name+", "+plural(c.n, "message"))
	}
	return strings.Join(parts, "; ")
}

// hdrAxes are the axes that the panels share: the end of 1/(1-p), and latencies in ms.
type hdrAxes struct {
	end, lo, hi float64
	empty       bool
}

func axesOf(curves []curve, limits []latencyLimit) hdrAxes {
	a := hdrAxes{end: 100, lo: math.Inf(1)}
	for _, c := range curves {
		a.end = max(a.end, float64(c.n)/beyond)
		for _, s := range hdrSteps(c) {
			a.lo, a.hi = min(a.lo, s.hi), max(a.hi, s.hi)
		}
	}
	if a.hi == 0 {
		a.lo, a.hi, a.empty = 1, 10, true
	}
	for _, l := range limits {
		a.hi = max(a.hi, l.ms)
	}
	return a
}

// panel is one of latency over percentiles.
func (a hdrAxes) panel(title string, curves []curve, limits []latencyLimit) panel {
	p := panel{title: title, height: 190, plot: plot.New()}
	style(p.plot)
	if a.empty {
		p.empty = "too few messages: none of the lines has ten beyond its median"
	}
	p.plot.X.Min, p.plot.X.Max = 1, a.end
	p.plot.X.Scale, p.plot.X.Tick.Marker = plot.LogScale{}, percentileTicks{}
	p.plot.X.Label.Text = "percentile of messages, as 1/(1 − p), log; a line ends where ten are left beyond"
	p.plot.X.Label.Padding = 2
	p.plot.Y.Min, p.plot.Y.Max = logRange(a.lo, a.hi)
	p.plot.Y.Scale, p.plot.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	p.plot.Add(tickGrid{})
	for _, l := range limits {
		p.plot.Add(l)
	}
	for _, c := range curves {
		p.plot.Add(hdrLine{steps: hdrSteps(c), style: c.style})
	}
	p.legend = hdrLegend(curves, limits)
	return p
}

// hdrLegend lists the curves in the order in which they lie above each other near their ends, each with the
// limits that expectations set to it.
func hdrLegend(curves []curve, limits []latencyLimit) []legendEntry {
	common := math.Inf(1)
	for _, c := range curves {
		if c.n > 2*beyond {
			common = min(common, 1-beyond/float64(c.n))
		}
	}
	sorted := slices.Clone(curves)
	if !math.IsInf(common, 1) {
		slices.SortStableFunc(sorted, func(a, b curve) int {
			return cmp.Compare(quantileOf(b.of, common), quantileOf(a.of, common))
		})
	}
	var entries []legendEntry
	sty := textStyle(labelSize, false, black)
	for _, c := range sorted {
		entries = append(entries, legendEntry{
			text: shorten(sty, c.name, rightMargin-12-legendSample-9), line: c.style,
		})
		note := "n = " + count(c.n)
		if c.n <= 2*beyond {
			note += ", too few"
		}
		entries = append(entries, legendEntry{text: note, sample: noSample})
		for _, l := range limits {
			if l.curve == c.name {
				entries = append(entries, legendEntry{text: "limit " + l.label, line: l.style})
			}
		}
	}
	return entries
}

// noSample takes the room of a sample.
func noSample(draw.Canvas, vg.Length, vg.Length, vg.Length, vg.Length) {}

// hdrSteps are the steps of a curve over 1/(1-p), in ms, up to where ten messages are left beyond.
func hdrSteps(c curve) []step {
	var steps []step
	var sum int64
	last := c.n - beyond
	for _, b := range c.of.Buckets {
		if b.N == 0 || sum >= last {
			continue
		}
		at := func(k int64) float64 { return float64(c.n) / float64(c.n-k) }
		to := min(sum+b.N, last)
		const least = 1e-3
		ms := max(float64(b.UpToNS)/1e6, least)
		steps = append(steps, step{x0: at(sum), x1: at(to), hi: ms})
		sum += b.N
	}
	if last <= c.n/2 {
		return nil
	}
	return steps
}

// hdrLine is a curve with a dot where it ends.
type hdrLine struct {
	steps []step
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (l hdrLine) Plot(c draw.Canvas, p *plot.Plot) {
	if len(l.steps) == 0 {
		return
	}
	stepLine(l).Plot(c, p)
	x, y := p.Transforms(&c)
	end := l.steps[len(l.steps)-1]
	dot(c, l.style.Color, x(end.x1), y(end.hi), 2.2)
}

// tickGrid draws a light line at each labelled tick of both axes.
type tickGrid struct{}

// Plot implements plot.Plotter.
func (tickGrid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := line(gridInk, 0.5)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			rule(c, sty, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			rule(c, sty, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// percentileTicks mark an axis of 1/(1-p): 0, 50, 90, 99, 99.9 % and so on.
type percentileTicks struct{}

// Ticks implements plot.Ticker.
func (percentileTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := []plot.Tick{{Value: 1, Label: "0"}, {Value: 2, Label: "50 %"}}
	for v, digits := 10.0, 0; v <= hi*(1+1e-9) && digits < 12; v *= 10 {
		label := "90"
		if v > 10 {
			label = "99"
		}
		if v > 100 {
			label += "." + strings.Repeat("9", digits-1)
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label + " %"})
		digits++
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value < lo || t.Value > hi })
}

// latencyLimit is an expectation on a quantile of latency.
type latencyLimit struct {
	at    float64 // 1/(1-q)
	ms    float64
	label string
	curve string // the name of the one that it is about
	style draw.LineStyle
}

// latencyLimits are the expectations on quantiles of what the curves show: a phase, or a producer group in
// the phase that they have in common. Prefix is what the words of such an expectation begin with.
func latencyLimits(r *result.Run, curves []curve, prefix string) []latencyLimit {
	var limits []latencyLimit
	for _, c := range curves {
		where := prefix + c.name
		if c.of.Dim == result.DimProducer {
			where += ", during " + c.of.Phase
		}
		for _, e := range r.Expectations {
			m, ok := result.LookupMetric(e.Metric)
			if !ok || e.Skipped || e.Where != where || e.Max == nil || *e.Max <= 0 ||
				m.Stat != result.StatQuantile || m.Of != result.SampleAnswers {
				continue
			}
			sty := line(translucent(c.ink(), 0xFF), 0.9)
			sty.Dashes = []vg.Length{4, 2}
			limits = append(limits, latencyLimit{
				at: 1 / (1 - m.Quantile), ms: *e.Max / 1e6, curve: c.name, style: sty,
				label: quantileName(m.Quantile) + " ≤ " + exact(int64(*e.Max)),
			})
		}
	}
	return limits
}

// quantileName is "p99.9".
func quantileName(q float64) string {
	return "p" + strconv.FormatFloat(math.Round(q*1e7)/1e5, 'g', -1, 64)
}

// Plot implements plot.Plotter: the curve should pass below the end of the line.
func (l latencyLimit) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	to := min(x(l.at), c.Max.X)
	rule(c, l.style, c.Min.X, y(l.ms), to, y(l.ms))
	end := l.style
	end.Dashes = nil
	rule(c, end, to, y(l.ms)-4, to, y(l.ms)+4)
}

// dot fills a small disc.
func dot(c draw.Canvas, ink color.Color, x, y, radius vg.Length) {
	c.FillPolygon(ink, circle(x, y, radius)[:circleCorners])
}

const circleCorners = 12

// circle are the corners of one, the last of which is the first.
func circle(x, y, radius vg.Length) []vg.Point {
	var pts []vg.Point
	for i := range circleCorners + 1 {
		a := 2 * math.Pi * float64(i%circleCorners) / circleCorners
		pts = append(pts, vg.Point{
			X: x + radius*vg.Length(math.Cos(a)), Y: y + radius*vg.Length(math.Sin(a)),
		})
	}
	return pts
}

// hdrCaption compares the tail of the worst fault with that before it.
func hdrCaption(r *result.Run, curves []curve) string {
	worst, ok := worstPhase(r)
	before, was := r.StatsOf(result.PhaseBefore)
	switch {
	case ok && was && before.Latency.N > 0:
		return "The slowest 1 % of the messages of " + worst.Phase + " took at least " +
			duration(worst.Latency.P99NS) + ", those of before " + duration(before.Latency.P99NS) + "."
	case ok:
		return "The slowest 1 % of the messages of " + worst.Phase + " took at least " +
			duration(worst.Latency.P99NS) + "."
	}
	all, _ := r.StatsOf(result.PhaseAll)
	if all.Latency.N == 0 {
		return "The slowest 1 % of " + plural(curves[0].n, "message") + " took at least " +
			duration(rankOf(curves[0])) + "."
	}
	return "The slowest 1 % of " + plural(all.Latency.N, "message") + " took at least " +
		duration(all.Latency.P99NS) + "."
}
