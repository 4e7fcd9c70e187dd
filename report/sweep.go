package report

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"simrun/internal/result"
)

// metricLabel is what people call a metric: "latency p99", or its name if it has no other.
func metricLabel(metric string) string {
	for _, x := range labelMetrics {
		if x[1] == metric {
			return strings.TrimSpace(x[0])
		}
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// sweepLabel is a metric of a sweep with what it is about: "latency p99", "avoided (pause)",
// "latency p99 in fault.pause".
func sweepLabel(m *result.SweepMetric) string {
	switch label := metricLabel(m.Metric); {
	case m.Fault != "":
		if words, ok := faultMetricWords[m.Metric]; ok {
			label = words
		}
		return label + " (" + m.Fault + ")"
	case m.Phase != "" && m.Phase != result.PhaseAll:
		return label + " in " + m.Phase
	default:
		return label
	}
}

// sweepShort is the label of a metric among those of its sweep: the fault is left out if there is one only.
func sweepShort(s *result.Sweep, m *result.SweepMetric) string {
	label := sweepLabel(m)
	if m.Fault == "" || slices.ContainsFunc(s.Metrics, func(o result.SweepMetric) bool {
		return o.Fault != "" && o.Fault != m.Fault
	}) {
		return label
	}
	return strings.TrimSuffix(label, " ("+m.Fault+")")
}

// faultMetricWords are the metrics of a fault as they are called where no fault gives them a context.
var faultMetricWords = map[string]string{
	"time_to_detect":        "time to detect",
	"time_to_avoid":         "time to avoid",
	"time_to_route_removal": "time to route removal",
	"time_to_return":        "time to return",
	"starved_time":          "time starved",
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// sweepName is a metric as a part of the name of a file: "latency_p99", "time_to_avoid-pause".
func sweepName(m *result.SweepMetric) string {
	name := m.Metric
	if m.Fault != "" {
		name += "-" + m.Fault
	} else if m.Phase != "" && m.Phase != result.PhaseAll {
		name += "-" + m.Phase
	}
	return notInNames.ReplaceAllString(name, "-")
}

// sweepValue is a value of a metric for people, as short as in a cell of a figure: "never" of a time that did
// not come, a dash if there is no value.
func sweepValue(unit result.Unit, x float64) string {
	return seedText(x, func(x float64) string {
		if unit == result.UnitNS {
			return span(int64(math.Round(x)))
		}
		return valueText(unit, x)
	})
}

// sweepRange is a range of values, a unit that both ends share told once: "1.9–2.4s".
func sweepRange(unit result.Unit, lo, hi float64) string {
	a, b := sweepValue(unit, lo), sweepValue(unit, hi)
	if a == b {
		return a
	}
	suffix := func(s string) string { return strings.TrimLeft(s, "-0123456789. ") }
	if u := suffix(a); u != "" && u == suffix(b) && u != a {
		a = strings.TrimSuffix(a, u)
	}
	return a + "–" + b
}

// certainty is how sure the median of a cell is: the bounds of its interval, or the least and the most value
// where there are too few for one; false if it has no value.
func certainty(c *result.SweepCell) (lo, hi float64, interval, ok bool) {
	if c.Low != nil && c.High != nil {
		return float64(*c.Low), float64(*c.High), true, true
	}
	lo, hi = cellRange(c)
	return lo, hi, false, !math.IsNaN(lo)
}

// cellRange is the least and the most value of a cell, NaN if it has none.
func cellRange(c *result.SweepCell) (lo, hi float64) {
	values := make([]float64, len(c.Values))
	for i, v := range c.Values {
		values[i] = float64(v)
	}
	lo, _, hi, _ = spread3(values)
	return lo, hi
}

// cellText is a cell in words: "1.92s (1.81–2.04s)".
func cellText(m *result.SweepMetric, point int) string {
	c := &m.Cells[point]
	s := sweepValue(m.Unit, float64(c.Median))
	if lo, hi, _, ok := certainty(c); ok && lo != hi {
		s += " (" + sweepRange(m.Unit, lo, hi) + ")"
	}
	return s
}

// missing says that a metric has no value at a point: it was not run, or there is nothing to measure.
func missing(m *result.SweepMetric, point int) bool {
	return point < 0 || point >= len(m.Cells) || math.IsNaN(float64(m.Cells[point].Median))
}

// bestPoint is the point with the best median of those that may be chosen, the default if that is as good,
// else the first of several; -1 if none has a value or neither direction is better.
func bestPoint(s *result.Sweep, m *result.SweepMetric) int {
	return extremePoint(s, m, float64(m.Better))
}

// worstPoint is the point with the worst median; -1 as with bestPoint.
func worstPoint(s *result.Sweep, m *result.SweepMetric) int {
	return extremePoint(s, m, -float64(m.Better))
}

// extremePoint has the largest median if sense is above 0, the smallest if below.
func extremePoint(s *result.Sweep, m *result.SweepMetric, sense float64) int {
	best := -1
	if sense == 0 {
		return best
	}
	candidates := s.Candidates()
	for i := range m.Cells {
		if missing(m, i) || sense*float64(m.Better) > 0 && !candidates[i] {
			continue
		}
		x := float64(m.Cells[i].Median)
		if best < 0 || sense*x > sense*float64(m.Cells[best].Median) ||
			i == s.Default && x == float64(m.Cells[best].Median) {
			best = i
		}
	}
	return best
}

// likeDefault says that a point cannot be told from the default: the interval of the differences, seed by
// seed, holds 0, or all seeds are alike. Where there is no interval nobody can tell.
func likeDefault(s *result.Sweep, m *result.SweepMetric, point int) bool {
	if s.Default < 0 || point == s.Default || missing(m, point) {
		return false
	}
	a := m.Cells[point].Against
	if a == nil || a.Pairs == 0 {
		return false
	}
	if a.Low == nil || a.High == nil {
		return a.Equal == a.Pairs
	}
	return *a.Low <= 0 && 0 <= *a.High
}

// likeBest says that the interval of a point that may be chosen overlaps that of the best one.
func likeBest(s *result.Sweep, m *result.SweepMetric, best, point int) bool {
	if best < 0 || point == best || missing(m, point) ||
		s.Misses(point) && !s.Misses(best) || s.MostlyMisses(point) && !s.MostlyMisses(best) {
		return false
	}
	lo, hi, _, ok := certainty(&m.Cells[point])
	blo, bhi, _, bok := certainty(&m.Cells[best])
	return ok && bok && lo <= bhi && blo <= hi
}

// pointWords are the values of a point: "latency_max~scale = 0.5, …". Of what is as in the default only the
// rest is told, if there is a default.
func pointWords(s *result.Sweep, point int) string {
	if point == s.Default {
		return "the default"
	}
	names := axisNames(s)
	var parts []string
	for i, name := range names {
		value := s.Points[point].Values[i]
		if s.Default < 0 || value != s.Points[s.Default].Values[i] {
			parts = append(parts, name+" = "+axisValue(s, i, value))
		}
	}
	return strings.Join(parts, ", ")
}

// allSettings are the values of a point on all axes.
func allSettings(s *result.Sweep, point int) string {
	names := axisNames(s)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + " = " + axisValue(s, i, s.Points[point].Values[i])
	}
	return strings.Join(parts, ", ")
}

// axisValue is a value of an axis within a sentence, told apart from its other levels.
func axisValue(s *result.Sweep, axis int, value string) string {
	levels := s.Axes[axis].Levels
	if k := slices.Index(levels, value); k >= 0 {
		return levelLabels(levels, cutValue)[k]
	}
	return shortValue(value)
}

// shortValue is a value within a sentence.
func shortValue(text string) string {
	return cutValue(levelWords(text))
}

// cutValue cuts a value to what a sentence has room for.
func cutValue(text string) string {
	const longest = 36
	return brief(text, longest)
}

// axisNames are the parameters by the ends of their addresses, as far as those tell them apart.
func axisNames(s *result.Sweep) []string {
	names := make([]string, len(s.Axes))
	for i, a := range s.Axes {
		end := afterLast(a.Param, ".")
		same := func(b result.SweepAxis) bool { return afterLast(b.Param, ".") == end }
		if slices.ContainsFunc(slices.Delete(slices.Clone(s.Axes), i, i+1), same) {
			end = a.Param
		}
		names[i] = end
	}
	return names
}

// afterLast is what comes after the last sep, all of s if there is none.
func afterLast(s, sep string) string {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[i+len(sep):]
	}
	return s
}

// levelOf is the number of the level that a point has on an axis, -1 if it is none of them.
func levelOf(s *result.Sweep, point, axis int) int {
	return slices.Index(s.Axes[axis].Levels, s.Points[point].Values[axis])
}

// onAxes says whether a point has a level of every axis.
func onAxes(s *result.Sweep, point int) bool {
	for a := range s.Axes {
		if levelOf(s, point, a) < 0 {
			return false
		}
	}
	return true
}

// isGrid says whether all axes have levels.
func isGrid(s *result.Sweep) bool {
	return len(s.Axes) > 0 && !slices.ContainsFunc(s.Axes, func(a result.SweepAxis) bool {
		return len(a.Levels) == 0
	})
}

// sizeWords are the design and its size: "grid of 5 × 6", "60 points of a latin hypercube".
func sizeWords(s *result.Sweep) string {
	points := plural(int64(len(s.Points)), "point")
	switch {
	case s.Design == result.DesignLatin:
		return points + " of a Latin hypercube"
	case s.Design == result.DesignHalton:
		return points + " of a Halton sequence"
	case !isGrid(s):
		return points
	}
	sizes := make([]string, len(s.Axes))
	n := 1
	for i, a := range s.Axes {
		sizes[i] = count(int64(len(a.Levels)))
		n *= len(a.Levels)
	}
	beside := s.Default >= 0 && !onAxes(s, s.Default)
	words := strings.Join(sizes, " × ") + " points"
	if len(sizes) == 1 {
		words = sizes[0] + " values"
	}
	switch {
	case n == len(s.Points):
		return words
	case beside && n+1 == len(s.Points):
		return words + " and the default"
	}
	return points
}

// seedsWords are the seeds of a sweep: "10 seeds (1..10)".
func seedsWords(s *result.Sweep) string {
	return plural(int64(len(s.Seeds)), "seed") + " (" + listed(strings.Split(seedRanges(s.Seeds), ","), 6) + ")"
}

// sweepOf is the scenario of a sweep, and the variant of it.
func sweepOf(s *result.Sweep) string {
	if s.Variant == "" {
		return s.Scenario
	}
	return s.Scenario + " · variant " + s.Variant
}

// sweepSubtitle is where the numbers of a figure come from.
func sweepSubtitle(s *result.Sweep) string {
	words := sweepOf(s) + " · " + sizeWords(s) + " · " + seedsWords(s) + " at each"
	if s.Digest != "" {
		words += " · digest " + s.Digest
	}
	if !s.Complete {
		words += " · not finished: " + count(int64(s.Runs)) + " of " +
			count(int64(len(s.Points)*len(s.Seeds))) + " runs"
	}
	return words
}

// upperFirst makes the beginning of a sentence of words.
func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
