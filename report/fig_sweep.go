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

// mostMaps is how many metrics have a figure of their own.
const mostMaps = 12

// SweepFigures are the figures of a sweep, those with nothing to show left out:
//
//   - of one axis, and of one with a second that has few values, sweep-lines: each metric along the axis;
//   - of two axes and more, a heat map for each metric that is not the same everywhere, sweep-<metric>, and
//     for each bad event that happened, sweep-seeds-with-<event>;
//   - of points that fill a space, sweep-scatter: each metric against each axis;
//   - pareto: the front of the metrics that were weighed against each other;
//   - sensitivity: how much of the spread each axis explains.
func SweepFigures(s *result.Sweep) []*Figure {
	var figures []*Figure
	add := func(f *Figure) {
		if f != nil {
			figures = append(figures, f)
		}
	}
	if len(s.Points) < 2 {
		return nil
	}
	if !isGrid(s) {
		add(SweepScatter(s))
	} else {
		add(SweepLines(s))
		maps := 0
		for i := range s.Metrics {
			if f := SweepMap(s, i); f != nil && maps < mostMaps {
				maps++
				add(f)
			}
		}
		for i := range s.Events {
			add(SweepEventMap(s, i))
		}
	}
	add(Pareto(s))
	add(SensitivityFigure(s))
	return figures
}

// sweepSheet is a figure of a sweep: a head, and below it whatever body draws from the top down.
func sweepSheet(
	s *result.Sweep, f Figure, height vg.Length, body func(c draw.Canvas, top vg.Length),
) *Figure {
	f.width, f.height = figureWidth, headHeight+height
	f.Desc += " " + sweepSubtitle(s) + "."
	f.draw = func(c draw.Canvas) {
		drawHead(c, f.Title, sweepSubtitle(s))
		body(c, c.Max.Y-headHeight)
	}
	return &f
}

// levelWords is a value of an axis for people: TOML without quotes around a text.
func levelWords(text string) string {
	if s, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return s
	}
	return text
}

// levelTexts are the values of an axis, each cut to a width.
func levelTexts(a result.SweepAxis, sty draw.TextStyle, width vg.Length) []string {
	return levelLabels(a.Levels, func(text string) string { return shorten(sty, text, width) })
}

// levelLabels are values of an axis as they are shown, each cut so that it can be told from the others: of
// lists that begin and end alike what differs, and a number if that is not enough.
func levelLabels(levels []string, cut func(string) string) []string {
	words := make([]string, len(levels))
	for i, l := range levels {
		words[i] = levelWords(l)
	}
	from, back := sharedEnds(words)
	for _, label := range []func(i int) string{
		func(i int) string { return words[i] },
		func(i int) string {
			text := words[i][from : len(words[i])-back]
			if from > 0 {
				text = "…" + text
			}
			if back > 0 {
				text += "…"
			}
			return text
		},
	} {
		out := make([]string, len(words))
		for i := range words {
			out[i] = cut(label(i))
		}
		if sorted := slices.Sorted(slices.Values(out)); len(slices.Compact(sorted)) == len(out) {
			return out
		}
	}
	out := make([]string, len(words))
	for i := range words {
		out[i] = cut(strconv.Itoa(i+1) + ": " + words[i])
	}
	return out
}

// sharedEnds is how many bytes all texts share at their begins and at their ends, whole items of lists.
func sharedEnds(words []string) (from, back int) {
	if len(words) < 2 {
		return 0, 0
	}
	first, least := words[0], len(words[0])
	same := func(n int, part func(string, int) string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return part(w, n) != part(first, n) })
	}
	for _, w := range words {
		least = min(least, len(w))
	}
	begin := func(w string, n int) string { return w[:n] }
	end := func(w string, n int) string { return w[len(w)-n:] }
	for n := 1; n < least && same(n, begin); n++ {
		if first[n-1] == ' ' {
			from = n
		}
	}
	for n := 1; n < least-from && same(n, end); n++ {
		if first[len(first)-n] == ',' {
			back = n
		}
	}
	return from, back
}

// widest is the width of the widest text.
func widest(sty draw.TextStyle, texts []string) vg.Length {
	var w vg.Length
	for _, t := range texts {
		w = max(w, sty.Width(t))
	}
	return w
}

// medians are those of a metric at all points.
func medians(m *result.SweepMetric) []float64 {
	out := make([]float64, len(m.Cells))
	for i, c := range m.Cells {
		out[i] = float64(c.Median)
	}
	return out
}

// same says that a metric has one value at all points, or none; a time may never have come at any.
func same(m *result.SweepMetric) bool {
	first := math.NaN()
	for _, x := range medians(m) {
		switch {
		case math.IsNaN(x):
		case math.IsNaN(first):
			first = x
		case x != first:
			return false
		}
	}
	return true
}
