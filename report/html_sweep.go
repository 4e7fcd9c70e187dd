package report

import (
	"bytes"
	_ "embed" // for the page
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

var (
	//go:embed html/sweep.tmpl
	sweepTemplate string

	sweepPage = pageTemplate("sweep", sweepTemplate)
)

// sweepView is all that the template shows.
type sweepView struct {
	pageFrame
	Manifest                    *result.Manifest
	Scenario, Title             string
	Facts, Answers              []string
	Class, Sign, Word, Line     string
	Fair                        string
	Numbers                     []headline
	Axes                        []axisView
	Needs, Bests, Front         []block
	Sensitivity, Events, Points []block
	PointsOf                    string
	Figures                     []figureView
	Warnings                    []string
	Method                      string
	Definitions                 []definition
	Seeds, Version              string
}

// axisView is a row of the table of axes.
type axisView struct{ Param, Values, Base string }

// SweepHTML is the report.html of a sweep: one page that has all of it, needs nothing but itself and works
// without scripts. It has nothing of the machine: the host section of the manifest is not read.
func SweepHTML(s *result.Sweep, m result.Manifest) ([]byte, error) {
	m.Host = result.Host{}
	m.Digest, m.Key = s.Digest, s.Key
	v := &sweepView{
		Manifest: &m, Scenario: s.Scenario, Title: s.Story, Facts: sweepHead(s)[2:], Warnings: s.Warnings,
		Method: sweepMethod, Seeds: seedRanges(s.Seeds), Version: versionWords(&m.Simrun),
		Numbers: sweepNumbers(s), Definitions: sweepDefinitions(s), Fair: strings.Join(FairCompare(s), " "),
	}
	if v.Title == "" {
		v.Title = s.Scenario
	}
	v.Facts = append(v.Facts, seconds(s.DurationNS)+" each")
	v.banner(s)
	v.tables(s)
	if lack := needLack(s); lack != "" {
		v.Answers = append(v.Answers, upperFirst(lack)+".")
	}
	figures := SweepFigures(s)
	for _, f := range figures {
		if f.Name == "pareto" && s.Front != nil {
			v.Answers = append(v.Answers, f.Caption)
		}
		if f.Name == "sensitivity" {
			v.Answers = append(v.Answers, f.Caption)
		}
	}
	styles := &figureStyles{}
	var err error
	if v.Figures, err = figureViews(figures, (*Figure).Render, styles); err != nil {
		return nil, err
	}
	v.Name = "Sweep of " + s.Scenario
	v.style(styles)
	var b bytes.Buffer
	if err := sweepPage.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("report: %s: %w", HTMLFile, err)
	}
	return b.Bytes(), nil
}

// banner says what a sweep is, and what it is not.
func (v *sweepView) banner(s *result.Sweep) {
	v.Class, v.Sign, v.Word = "none", "–", "A map, not a verdict"
	v.Line = "Nothing of a sweep is tested: among many settings the best one is in part the luckiest."
	if v.Fair != "" {
		v.Line += " The command below judges point " + strconv.Itoa(chosenPoint(s)) +
			" on seeds that did not choose it."
	}
	if text := sweepLack(s); text != "" {
		v.Class, v.Sign, v.Word = "doubt", "!", "Not finished"
		v.Line = upperFirst(strings.TrimPrefix(text, "not finished: ")) + ". " + v.Line
	}
}

// tables are those of the text, and one with all points.
func (v *sweepView) tables(s *result.Sweep) {
	for i, a := range s.Axes {
		v.Axes = append(v.Axes, axisView{a.Param, axisValues(s, i), levelWords(axisBase(s, i))})
	}
	v.Needs = htmlOf("", func(p *page) { p.sweepNeeds(s); p.sweepNotes(s) })
	var shown []int
	v.Bests = htmlOf("Where each metric is best and worst", func(p *page) { shown = p.sweepBests(s) })
	front := htmlOf("The front", func(p *page) { shown = append(shown, p.sweepFront(s)...) })
	if len(front) > 0 {
		v.Front = front
	}
	v.Bests = append(v.Bests, htmlOf("Points", func(p *page) { p.sweepPointTable(s, shown) })...)
	v.Sensitivity = htmlOf("", func(p *page) { p.sweepSensitivity(s) })
	v.Events = htmlOf("", func(p *page) { p.sweepEvents(s) })
	v.PointsOf = "All " + plural(int64(len(s.Points)), "point")
	all := make([]int, len(s.Points))
	for i := range all {
		all[i] = i
	}
	if len(all) > mostPagePoints {
		all = all[:mostPagePoints]
		v.PointsOf = "The first " + strconv.Itoa(mostPagePoints) + " of " + count(int64(len(s.Points))) +
			" points (all are in sweep.csv)"
	}
	v.Points = htmlOf("Points", func(p *page) { p.sweepAll(s, all) })
}

// mostPagePoints is how many points the page lists.
const mostPagePoints = 500

// sweepPointTable says what the points are that other tables name, in a table with a column for each axis.
func (p *page) sweepPointTable(s *result.Sweep, shown []int) {
	shown = slices.Clone(shown)
	if s.Default >= 0 {
		shown = append(shown, s.Default)
	}
	slices.Sort(shown)
	p.table(settingsTable(s, slices.Compact(shown)))
}

// pointTable has a row for each point.
func pointTable(s *result.Sweep, points []int) *table {
	t := &table{}
	for _, i := range points {
		label := cell{text: pointName(s, i)}
		if i == s.Default {
			label.text += " (default)"
		}
		t.stub = append(t.stub, label)
	}
	return t
}

// settingsTable has a row for each point and a column for each axis.
func settingsTable(s *result.Sweep, points []int) *table {
	t := pointTable(s, points)
	for a, name := range axisNames(s) {
		c := t.column(name)
		c.left = true
		for _, i := range points {
			c.put(levelWords(s.Points[i].Values[a]))
		}
	}
	if anyMisses(s, points) {
		c := t.column("misses")
		c.left = true
		for _, i := range points {
			text := missWords(s, i)
			if text == "" {
				text = none
			}
			c.put(text)
		}
	}
	return t
}

// sweepAll writes all points with all metrics: their settings, and below them the values, so many metrics
// side by side as a printed page has room for.
func (p *page) sweepAll(s *result.Sweep, points []int) {
	p.table(settingsTable(s, points))
	const most = 5
	var t *table
	for k := range s.Metrics {
		m := &s.Metrics[k]
		if same(m) {
			continue
		}
		if t == nil {
			t = pointTable(s, points)
		}
		c := t.column(sweepShort(s, m))
		for _, i := range points {
			text := none
			if !missing(m, i) {
				text = cellText(m, i)
			}
			c.put(text)
		}
		if len(t.cols) == most {
			p.table(t)
			t = nil
		}
	}
	if t != nil {
		p.table(t)
	}
}

// sweepNumbers are the best medians, with what the default has.
func sweepNumbers(s *result.Sweep) []headline {
	const most = 6
	var out []headline
	for k := range s.Metrics {
		m := &s.Metrics[k]
		best := bestPoint(s, m)
		if best < 0 || same(m) || len(out) == most {
			continue
		}
		h := headline{Label: "best " + sweepShort(s, m), Value: sweepValue(m.Unit, float64(m.Cells[best].Median))}
		if lo, hi, _, ok := certainty(&m.Cells[best]); ok && lo != hi {
			h.Notes = append(h.Notes, sweepRange(m.Unit, lo, hi))
		}
		switch {
		case best == s.Default:
			h.Notes = append(h.Notes, "the default")
		case s.Default >= 0 && !missing(m, s.Default):
			h.Notes = append(h.Notes, "default: "+sweepValue(m.Unit, float64(m.Cells[s.Default].Median)),
				"at point "+pointName(s, best))
		default:
			h.Notes = append(h.Notes, "at point "+pointName(s, best))
		}
		out = append(out, h)
	}
	return out
}

// sweepDefinitions are those of the metrics of a sweep.
func sweepDefinitions(s *result.Sweep) []definition {
	var out []definition
	for k := range s.Metrics {
		m, ok := result.LookupMetric(s.Metrics[k].Metric)
		seen := slices.ContainsFunc(out, func(d definition) bool { return d.Name == m.Name })
		if ok && !seen {
			out = append(out, definition{
				sweepShort(s, &result.SweepMetric{Metric: m.Name, Phase: result.PhaseAll}), m.Name, m.Help, m.Formula,
				unitNoun(m.Unit),
			})
		}
	}
	return out
}
