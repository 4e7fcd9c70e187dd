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
	s := set.Title() + " · "
	if p := captionWords(set.Setup); p != "" {
		s += p + " · "
	}
	return s + plural(int64(len(set.Runs)), "seed") + " (" + seedList(set) + ") · " +
		tickNumber(float64(sent)) + " messages in all · digest " + set.Digest
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
	t, ok := newSince(set)
	if !ok {
		return nil
	}
	var names []string
	shown := seedPanelsOf(set)
	for i, look := range shown {
		p := seedsPanel(t, set, look, i == len(shown)-1)
		if i > 0 {
			p.legend = nil // as above
		}
		t.panels = append(t.panels, p)
		names = append(names, look.title)
	}
	title := "Several seeds of " + set.Title()
	if set.Story != "" {
		title = strings.TrimSuffix(set.Story, ".")
	}
	return &Figure{
		Name: "timeline-seeds", Title: title, Caption: seedsCaption(set),
		Desc: "Median and range of " + plural(int64(len(set.Runs)), "seed") + " over the time since the first " +
			"strike: " + strings.Join(names, "; ") + ". " + seedsSubtitle(set) + ".",
		width: figureWidth, height: t.height(),
		draw: func(c draw.Canvas) { t.draw(c, title, seedsSubtitle(set)) },
	}
}

// seedPanelsOf are the panels for which some set has a curve.
func seedPanelsOf(sets ...*result.SeedSet) []seedPanel {
	return slices.DeleteFunc(slices.Clone(seedPanels), func(look seedPanel) bool {
		return !slices.ContainsFunc(sets, func(set *result.SeedSet) bool { return curveOf(set, look) != nil })
	})
}

// curveOf is the curve of a panel, nil if the set has none.
func curveOf(set *result.SeedSet, look seedPanel) *result.SeedCurve {
	i := slices.IndexFunc(set.Curves, func(c result.SeedCurve) bool { return c.Name == look.curve })
	if i < 0 {
		return nil
	}
	return &set.Curves[i]
}

// seedsCaption says what seeds agree on, and where they differ most.
func seedsCaption(set *result.SeedSet) string {
	worst := worstFaultP99(set)
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

// worstFaultP99 is the 99th percentile in the fault in which it is the longest in some seed; nil if none
// has one.
func worstFaultP99(set *result.SeedSet) *result.SeedMetric {
	var worst *result.SeedMetric
	for i := range set.Metrics {
		m := &set.Metrics[i]
		if m.Metric == "latency_p99" && strings.HasPrefix(m.Phase, result.FaultPrefix) &&
			!math.IsNaN(float64(m.Max)) && (worst == nil || m.Max > worst.Max) {
			worst = m
		}
	}
	return worst
}

// seedsPanel draws a curve: the band under its line.
func seedsPanel(t *sinceSheet, set *result.SeedSet, look seedPanel, last bool) panel {
	p := t.panel(look.title+windowWords(set, look), look.height, last, len(set.Faults) > 0)
	s := seedStepsOf(set, look)
	look.scale(&p, s.lo, s.hi)
	p.plot.Add(stepArea{steps: s.ranges, fill: translucent(look.ink, 0x40)})
	p.plot.Add(dottedWhere(s.thin, s.medians, line(look.ink, 1.3))...)
	p.legend = []legendEntry{
		{text: "median of the seeds", line: line(look.ink, 1.3)},
		{text: "least to most", fill: translucent(look.ink, 0x40)},
	}
	if slices.Contains(s.thin, true) {
		p.legend = append(p.legend, legendEntry{text: "dotted: under 10 beyond"})
	}
	return p
}

// windowWords are the width of a window, told once.
func windowWords(set *result.SeedSet, look seedPanel) string {
	if look.curve != seedPanels[0].curve {
		return ""
	}
	return ", per window of " + seconds(set.WindowNS)
}

// scale sets the y axis of a panel.
func (look seedPanel) scale(p *panel, lo, hi float64) {
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

// seedSteps are the range and the median of a curve, in the unit of its panel, and the least and most of all.
type seedSteps struct {
	ranges, medians []step
	thin            []bool
	lo, hi          float64
}

func seedStepsOf(set *result.SeedSet, look seedPanel) seedSteps {
	out := seedSteps{lo: math.Inf(1)}
	unit := func(x float64) float64 {
		if look.log {
			return ms(int64(x))
		}
		return 100 * x
	}
	c := curveOf(set, look)
	if c == nil {
		return out
	}
	for _, q := range c.Points {
		s := step{
			x0: float64(q.FromNS) / 1e9, x1: float64(q.FromNS+set.WindowNS) / 1e9,
			lo: math.NaN(), hi: math.NaN(),
		}
		m := s
		if q.Seeds > 0 {
			s.lo, s.hi, m.hi = unit(q.Min), unit(q.Max), unit(q.Median)
			out.lo, out.hi = min(out.lo, s.lo), max(out.hi, s.hi)
		}
		out.ranges, out.medians = append(out.ranges, s), append(out.medians, m)
		out.thin = append(out.thin, q.Thin)
	}
	return out
}
