package report

import (
	"strconv"
	"strings"

	"simrun/internal/result"
)

// sweepCaption says where a metric is best, what the default has, and how much of it is noise.
func sweepCaption(s *result.Sweep, m *result.SweepMetric) string {
	best := bestPoint(s, m)
	if best < 0 {
		return "Median of the seeds at each setting."
	}
	words := "Best is " + cellText(m, best) + " at " + pointWords(s, best)
	near := 0
	for i := range m.Cells {
		if likeBest(s, m, best, i) {
			near++
		}
	}
	if near > 0 {
		words += ", within noise of " + otherSettings(near)
	}
	if s.Default < 0 || missing(m, s.Default) {
		return words + "."
	}
	if best == s.Default {
		return "No setting has a better median than the default: " + cellText(m, best) + "." + alikeWords(s, m)
	}
	return words + "; the default has " + cellText(m, s.Default) + "." + alikeWords(s, m)
}

// captionOf is the caption of a figure of several metrics, about one of them.
func captionOf(s *result.Sweep, m *result.SweepMetric) string {
	words := sweepCaption(s, m)
	return upperFirst(sweepLabel(m)) + ": " + strings.ToLower(words[:1]) + words[1:]
}

// eventCaption says where something that never should happens, and on how many seeds of the default.
func eventCaption(s *result.Sweep, e *result.SweepEvents) string {
	points := 0
	for i := range e.Points {
		if e.Points[i].Seeds > 0 {
			points++
		}
	}
	words := "It happens at " + strconv.Itoa(points) + " of " + plural(int64(len(s.Points)), "point")
	if s.Default >= 0 {
		d := &e.Points[s.Default]
		words += ", at the default on " + strconv.Itoa(d.Seeds) + " of " + plural(int64(len(d.Counts)), "seed")
	}
	return words + "."
}

// otherSettings counts settings.
func otherSettings(n int) string {
	if n == 1 {
		return "another setting"
	}
	return count(int64(n)) + " others"
}

// alikeWords count the points that cannot be told from the default.
func alikeWords(s *result.Sweep, m *result.SweepMetric) string {
	alike, of, known := alikeCount(s, m)
	if !known {
		return ""
	}
	if alike == 0 {
		return " All " + count(int64(of)) + " others can be told from the default."
	}
	return " " + strconv.Itoa(alike) + " of the " + plural(int64(of), "other setting") +
		" cannot be told from the default."
}

// alikeCount is how many points, of so many, cannot be told from the default; not known without intervals.
func alikeCount(s *result.Sweep, m *result.SweepMetric) (alike, of int, known bool) {
	for i := range m.Cells {
		if i == s.Default || missing(m, i) {
			continue
		}
		of++
		if likeDefault(s, m, i) {
			alike++
		}
		known = known || m.Cells[i].Against != nil && m.Cells[i].Against.Low != nil
	}
	return alike, of, known
}
