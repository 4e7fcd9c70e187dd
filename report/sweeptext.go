package report

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// SweepText writes what a sweep says: its axes; where each metric is best and worst, and what the default
// has; the Pareto front, each of its points held against the default seed by seed; which axis matters for
// what; what should never happen, which medians hide; and, because nothing of a sweep is tested, the command
// that compares a chosen point with the default on other seeds.
func SweepText(w io.Writer, s *result.Sweep, opt TextOptions) error {
	p := &page{opt: opt}
	p.fields(append(sweepHead(s), seconds(s.DurationNS)+" each"))
	p.wrapped("", s.Story, 0, dim)
	if text := sweepLack(s); text != "" {
		p.wrapped("", text, 0, doubtful)
	}
	p.sweepBody(s)
	p.gap()
	p.sweepFair(s)
	return p.flush(w)
}

// sweepHead is the first line.
func sweepHead(s *result.Sweep) []string {
	return []string{sweepOf(s), "sweep", sizeWords(s), seedsWords(s) + " at each"}
}

// sweepLack says what is missing of a sweep that is not complete.
func sweepLack(s *result.Sweep) string {
	if s.Complete {
		return ""
	}
	all := plural(int64(len(s.Points)*len(s.Seeds)), "run")
	if s.Runs == 0 {
		return "not finished: none of " + all + " is there yet"
	}
	whole, begun := 0, 0
	for p := range s.Points {
		switch s.Ran(p) {
		case 0:
		case len(s.Seeds):
			whole++
		default:
			begun++
		}
	}
	text := "not finished: " + count(int64(s.Runs)) + " of " + all + " are there: " +
		plural(int64(whole), "point") + " of " + count(int64(len(s.Points))) + " with all seeds"
	if begun > 0 {
		text += ", " + count(int64(begun)) + " with some"
	}
	return text + "; all that is said is of those"
}

// sweepBody writes the tables.
func (p *page) sweepBody(s *result.Sweep) {
	p.sweepAxes(s)
	p.sweepNeeds(s)
	shown := p.sweepBests(s)
	shown = append(shown, p.sweepFront(s)...)
	p.sweepPoints(s, shown)
	p.sweepNotes(s)
	p.sweepSensitivity(s)
	p.sweepEvents(s)
	p.warnings(&result.Run{Warnings: s.Warnings})
	p.gap()
	p.wrapped("", sweepMethod, 0, dim)
}

// sweepMethod says how the numbers were come by, and what may be read into them.
const sweepMethod = "Medians are over the seeds, nearest rank, with intervals by order statistics, at " +
	"least 95 % (none below six seeds: then the least and the most). Differences are from the default, seed " +
	"by seed. Among many points the best one is in part the luckiest: nothing here is tested."

// sweepAxes writes what was changed.
func (p *page) sweepAxes(s *result.Sweep) {
	p.gap()
	p.wrapped("", "axes", 0, bold)
	for i, a := range s.Axes {
		text := axisValues(s, i)
		switch base := axisBase(s, i); {
		case base != "":
			text += " (default " + axisValue(s, i, base) + ")"
		case s.Default < 0:
			text += " (no default takes part)"
		}
		p.wrapped("", a.Param+": "+text, 2, plain)
	}
}

// axisBase is the value of the default on an axis.
func axisBase(s *result.Sweep, axis int) string {
	if s.Default >= 0 {
		return s.Points[s.Default].Values[axis]
	}
	return s.Axes[axis].Base
}

// axisValues are the levels of an axis, or the ends of what was filled.
func axisValues(s *result.Sweep, axis int) string {
	const most = 12
	if levels := s.Axes[axis].Levels; len(levels) > 0 {
		return listed(levelLabels(levels, cutValue), most)
	}
	lo, hi := -1, -1
	for i := range s.Points {
		x := s.Points[i].X[axis]
		if i == s.Default {
			continue
		}
		if lo < 0 || x < s.Points[lo].X[axis] {
			lo = i
		}
		if hi < 0 || x > s.Points[hi].X[axis] {
			hi = i
		}
	}
	if lo < 0 {
		return none
	}
	text := shortValue(s.Points[lo].Values[axis]) + " … " + shortValue(s.Points[hi].Values[axis])
	if s.Axes[axis].Log {
		text += ", evenly by ratios"
	}
	return text
}

// sweepBests writes where each metric is best and worst, and what the default has. It returns the points that
// the table names.
func (p *page) sweepBests(s *result.Sweep) []int {
	const least = 16
	t := &table{least: least}
	heads, first := []string{"default", "best", "at", "worst", "at", "alike"}, 0
	if s.Default < 0 {
		heads, first = heads[1:5], 1
	}
	var columns []*column
	for _, h := range heads {
		columns = append(columns, t.column(h))
	}
	put := func(label cell, cells []cell) {
		t.stub = append(t.stub, label)
		for i, c := range columns {
			c.cells = append(c.cells, cells[i+first])
		}
	}
	var shown []int
	var constant []string
	for i := range s.Metrics {
		m := &s.Metrics[i]
		best, worst := bestPoint(s, m), worstPoint(s, m)
		switch {
		case same(m) && isEvent(s, m):
			continue
		case same(m) && someValue(m) >= 0:
			value := sweepValue(m.Unit, float64(m.Cells[someValue(m)].Median))
			constant = append(constant, sweepShort(s, m)+" "+value)
			continue
		case best < 0:
			continue
		}
		shown = append(shown, best, worst)
		values, ranges := p.bestCells(s, m, best, worst)
		put(cell{text: sweepShort(s, m)}, values)
		under := "  interval"
		if _, _, interval, _ := certainty(&m.Cells[best]); !interval {
			under = "  least to most"
		}
		put(cell{text: under, ink: dim}, ranges)
	}
	if len(t.stub) > 0 {
		p.gap()
		p.wrapped("", "where each metric is best and worst", 0, bold)
		p.table(t)
		p.footnotes()
	}
	if len(constant) > 0 {
		p.wrapped("", "the same at every point: "+strings.Join(constant, ", "), 2, dim)
	}
	return shown
}

// isEvent says that a metric counts what is told among the events.
func isEvent(s *result.Sweep, m *result.SweepMetric) bool {
	name := m.Metric
	if m.Phase == result.PhaseBefore {
		name += "_before"
	}
	return slices.ContainsFunc(s.Events, func(e result.SweepEvents) bool { return e.Name == name })
}

// someValue is a point at which a metric has a value, -1 if there is none.
func someValue(m *result.SweepMetric) int {
	return slices.IndexFunc(m.Cells, func(c result.SweepCell) bool { return !math.IsNaN(float64(c.Median)) })
}

// bestCells are the two rows of a metric: default, best, its point, worst, its point, how many are like the
// default.
func (p *page) bestCells(s *result.Sweep, m *result.SweepMetric, best, worst int) (values, ranges []cell) {
	value := func(point int) cell {
		if missing(m, point) {
			return cell{text: none}
		}
		return cell{text: sweepValue(m.Unit, float64(m.Cells[point].Median))}
	}
	sure := func(point int) cell {
		if missing(m, point) {
			return cell{}
		}
		lo, hi, _, ok := certainty(&m.Cells[point])
		if !ok || lo == hi {
			return cell{}
		}
		return cell{text: sweepRange(m.Unit, lo, hi), ink: dim}
	}
	at := func(point int) cell { return cell{text: pointName(s, point)} }
	alike := cell{text: none}
	if n, of, known := alikeCount(s, m); known {
		alike = cell{text: strconv.Itoa(n) + "/" + strconv.Itoa(of), mark: p.note(
			"points whose difference from the default has an interval, seed by seed, that holds 0")}
	}
	bestCell := value(best)
	if best == s.Default {
		bestCell = cell{text: "default"}
	} else {
		bestCell.ink = good
	}
	return []cell{value(s.Default), bestCell, at(best), value(worst), at(worst), alike},
		[]cell{sure(s.Default), sure(best), {}, sure(worst), {}, {}}
}

// sweepPoints says what the points are that the tables name by their numbers.
func (p *page) sweepPoints(s *result.Sweep, shown []int) {
	slices.Sort(shown)
	shown = slices.Compact(shown)
	shown = slices.DeleteFunc(shown, func(i int) bool { return i == s.Default })
	if len(shown) == 0 {
		return
	}
	title := "points"
	if s.Default >= 0 {
		title = "points, where they are not as the default (" + pointName(s, s.Default) + ")"
	}
	p.gap()
	p.wrapped("", title, 0, bold)
	width := len(strconv.Itoa(len(s.Points) - 1))
	if anyMisses(s, shown) {
		width++
	}
	for _, i := range shown {
		p.wrapped(pad(pointName(s, i), width, true)+"  ", pointWords(s, i), width+2, plain)
		if text := missWords(s, i); text != "" {
			p.wrapped(strings.Repeat(" ", width+2)+missMark+" ", text, width+4, bad)
		}
	}
}

// sweepNotes writes what points leave out of the scenario, because it has no meaning there.
func (p *page) sweepNotes(s *result.Sweep) {
	var notes []string
	at := map[string][]int{}
	for i := range s.Points {
		for _, note := range s.Points[i].Notes {
			if at[note] == nil {
				notes = append(notes, note)
			}
			at[note] = append(at[note], i)
		}
	}
	if len(notes) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "what points leave out of the scenario", 0, bold)
	for _, note := range notes {
		p.wrapped("", note+" ("+pointsAt(at[note])+")", 2, plain)
	}
}

// pointsAt names points in a sentence: "point 3", "points 0, 2".
func pointsAt(points []int) string {
	if len(points) == 1 {
		return "point " + pointList(points)
	}
	return "points " + pointList(points)
}
