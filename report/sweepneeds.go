package report

import (
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// missMark stands behind the number of a point that misses a requirement.
const missMark = "×"

// needWords are a requirement: "latency p99 <= 500ms".
func needWords(s *result.Sweep, r *result.Requirement) string {
	m := &s.Metrics[r.Metric]
	sense := " <= "
	if r.AtLeast {
		sense = " >= "
	}
	return sweepShort(s, m) + sense + strings.ReplaceAll(limitText(m.Unit, r.Bound), " ", "")
}

// missWords say what a point misses: "latency p99 <= 500ms on 3 of 10 seeds"; empty if nothing.
func missWords(s *result.Sweep, point int) string {
	var parts []string
	for i := range s.Requirements {
		r := &s.Requirements[i]
		if n := r.Missed[point]; n > 0 {
			parts = append(parts, needWords(s, r)+" on "+strconv.Itoa(n)+" of "+
				plural(int64(s.Ran(point)), "seed"))
		}
	}
	return strings.Join(parts, ", ")
}

// pointName is the number of a point, with a mark if it misses a requirement.
func pointName(s *result.Sweep, point int) string {
	if s.Misses(point) {
		return strconv.Itoa(point) + missMark
	}
	return strconv.Itoa(point)
}

// sweepNeeds writes what is required, and where it is missed.
func (p *page) sweepNeeds(s *result.Sweep) {
	if len(s.Requirements) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "required of every run: a point that misses it on any seed is marked "+missMark+
		", and never the best", 0, bold)
	for i := range s.Requirements {
		r := &s.Requirements[i]
		points := 0
		for _, n := range r.Missed {
			if n > 0 {
				points++
			}
		}
		text := needWords(s, r) + ": missed at " + strconv.Itoa(points) + " of " +
			plural(int64(len(s.Points)), "point")
		if points == 0 {
			text = needWords(s, r) + ": kept at all points"
		}
		if s.Default >= 0 && r.Missed[s.Default] > 0 {
			text += "; the default misses it on " + strconv.Itoa(r.Missed[s.Default]) + " of " +
				plural(int64(s.Ran(s.Default)), "seed")
		}
		p.wrapped("", text, 2, plain)
	}
	if lack := needLack(s); lack != "" {
		p.wrapped("", lack, 2, bad)
	}
}

// needLack says what is chosen from if no point keeps to all that is required; empty if one does.
func needLack(s *result.Sweep) string {
	candidates := s.Candidates()
	chosen, all := slices.Index(candidates, true), !slices.Contains(candidates, false)
	switch {
	case chosen < 0 || !s.Misses(chosen):
		return ""
	case all && s.MostlyMisses(chosen):
		return "no point keeps to all of it: the best and the front are of all points"
	}
	return "no point keeps to all of it on all seeds: the best and the front are of those that do on more " +
		"than half of them"
}

// cross draws a mark over a point that misses a requirement.
func cross(c draw.Canvas, ink colour, x, y, r vg.Length) {
	for _, sty := range []draw.LineStyle{line(white, 3), line(ink, 1.3)} {
		rule(c, sty, x-r, y-r, x+r, y+r)
		rule(c, sty, x-r, y+r, x+r, y-r)
	}
}

// crossed is the entry of a legend for such points.
func crossed() legendEntry {
	return legendEntry{
		text: "misses a requirement", sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			cross(c, gray(0x22), (x0+x1)/2, (y0+y1)/2, 2.4)
		},
	}
}

// anyMisses says whether one of some points misses a requirement.
func anyMisses(s *result.Sweep, points []int) bool {
	for _, i := range points {
		if i >= 0 && s.Misses(i) {
			return true
		}
	}
	return false
}
