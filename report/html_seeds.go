package report

import (
	"bytes"
	_ "embed" // for the page
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

var (
	//go:embed html/seeds.tmpl
	seedsTemplate string

	seedsPage = pageTemplate("seeds", seedsTemplate)
)

// seedsView is all that the page of a set of seeds shows.
type seedsView struct {
	pageFrame
	settingsView
	Set                   *result.SeedSet
	Manifest              *result.Manifest
	Title, Answer         string
	Facts                 []string
	Verdict               verdictView
	Numbers               []headline
	Expectations          []seedExpectationView
	Exceptions            bool // some expectation does not hold on some seed
	Seeds, Phases, Events []block
	Figures               []figureView
	Warnings, NotModelled []string
	Definitions           []definition
	Commands              []commandView
	SeedList, Version     string
}

// seedExpectationView is a row of the table of expectations.
type seedExpectationView struct{ Class, Sign, Name, Rule, Held, Median, Range, Others string }

// SeedsHTML is report.html of a set of seeds: one page for all of them, that needs nothing but itself and
// works without scripts. It has nothing of the machine: the host section of the manifest is not read.
func SeedsHTML(set *result.SeedSet, f Files) ([]byte, error) {
	m := seedManifest(&f, set)
	m.Host = result.Host{}
	v := &seedsView{
		settingsView: settingsViewOf(f.ScenarioTOML), Set: set, Manifest: &m, Title: set.Story,
		Facts: seedsFacts(set), Verdict: seedsVerdictView(set), Numbers: seedHeadlines(set),
		Expectations: seedExpectationViews(set), Warnings: set.Warnings, NotModelled: set.NotModelled,
		Definitions: seedDefinitions(set), Commands: seedCommands(set), SeedList: seedRanges(m.Seeds),
		Version: versionWords(&m.Simrun),
	}
	v.Exceptions = slices.ContainsFunc(v.Expectations, func(x seedExpectationView) bool {
		return x.Others != ""
	})
	if v.Title == "" {
		v.Title = set.Title()
	}
	v.Answer = seedsAnswer(set)
	v.Seeds = htmlOf("Seed by seed", func(p *page) { p.seedsTable(set) })
	v.Phases = htmlOf("", func(p *page) { p.seedsPhases(set) })
	v.Events = htmlOf("", func(p *page) { p.seedsEvents(set) })
	styles := &figureStyles{}
	var err error
	if v.Figures, err = figureViews(SeedFigures(set), (*Figure).Render, styles); err != nil {
		return nil, err
	}
	v.Name = v.Verdict.Word + ": " + set.Title() + ", " + plural(int64(len(set.Runs)), "seed")
	v.style(styles)
	var b bytes.Buffer
	if err := seedsPage.Execute(&b, v); err != nil {
		return nil, fmt.Errorf("report: %s: %w", HTMLFile, err)
	}
	return b.Bytes(), nil
}

// seedsFacts are the world in brief.
func seedsFacts(set *result.SeedSet) []string {
	var facts []string
	if w := headWords(set.Setup); w != "" {
		facts = append(facts, w)
	}
	facts = append(facts, worldWords(set.Setup)...)
	return append(facts, seconds(set.DurationNS)+" each",
		plural(int64(len(set.Runs)), "seed")+" ("+seedList(set)+")")
}

// seedsVerdictView is the banner.
func seedsVerdictView(set *result.SeedSet) verdictView {
	line, k := seedsVerdict(set)
	v := verdictView{Class: inkClass(k), Line: upperFirst(line) + "."}
	switch {
	case !set.Complete:
		v.Sign, v.Word = "!", "Interrupted"
	case set.Verdict == result.Passed:
		v.Sign, v.Word = "✓", "Passed"
	case set.Verdict == result.Failed:
		v.Sign, v.Word = "✗", "Failed"
	case set.Verdict == result.Undecided:
		v.Sign, v.Word = "?", "Undecided"
	default:
		v.Sign, v.Word = "–", "No expectations"
	}
	if v.Class == "" {
		v.Class = "none"
	}
	return v
}

// seedsAnswer says in a sentence on how many seeds sends failed and messages were lost, and where most.
func seedsAnswer(set *result.SeedSet) string {
	n := len(set.Runs)
	words := func(metric, some, none string) string {
		m := seedMetricIn(set, metric)
		if m == nil || math.IsNaN(float64(m.Max)) {
			return ""
		}
		if m.Max == 0 {
			return none + " on any of " + plural(int64(n), "seed")
		}
		hit := 0
		for _, v := range m.Values {
			if v > 0 {
				hit++
			}
		}
		s := some + " on " + strconv.Itoa(hit) + " of " + plural(int64(n), "seed") + ", " +
			wholeText(float64(m.Median)) + " in the median and " + wholeText(float64(m.Max)) + " at most"
		if m.Worst != nil {
			s += " (seed " + strconv.FormatUint(*m.Worst, 10) + ")"
		}
		return s
	}
	var parts []string
	for _, s := range []string{
		words("failed", "Sends failed", "No send failed"),
		words("acked_lost", "acknowledged messages were lost", "no acknowledged message was lost"),
	} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return upperFirst(strings.Join(parts, "; ")) + "."
}

// seedMetricIn is a metric of all messages after the warm-up; nil if the set does not have it.
func seedMetricIn(set *result.SeedSet, metric string) *result.SeedMetric {
	for i := range set.Metrics {
		if m := &set.Metrics[i]; m.Metric == metric && m.Phase == result.PhaseAll && m.Fault == "" {
			return m
		}
	}
	return nil
}

// headLabels are the columns of the table of seeds that stand first on the page, by metric.
var headLabels = map[string]string{
	"success_rate": "Success", "failed": "Failed sends", "acked_lost": "Acked, then lost",
	"latency_p99": "p99 latency", "time_to_avoid": "Time to avoid", "time_to_return": "Time to return",
}

// seedHeadlines are the medians of the table of seeds with their ranges, the tail of latency that of the
// worst fault.
func seedHeadlines(set *result.SeedSet) []headline {
	var out []headline
	for _, col := range seedColumns {
		label, values, where := headLabels[col.metric], seedValues(set, col), ""
		if m := worstFaultP99(set); m != nil && m.Metric == col.metric {
			where = "in " + m.Phase
			for i, v := range m.Values {
				values[i] = float64(v)
			}
		}
		if _, _, _, n := spread3(values); label == "" || n == 0 {
			continue
		}
		h := seedHeadline(set, col, values)
		h.Label = label
		if where != "" {
			h.Notes = append([]string{where}, h.Notes...)
		}
		out = append(out, h)
	}
	return out
}

// seedHeadline is the median of some values, with the least and the most.
func seedHeadline(set *result.SeedSet, col seedColumn, values []float64) headline {
	low, median, high, n := spread3(values)
	p := &page{}
	x := p.seedCell(set, col, -1, median)
	h := headline{Value: x.text}
	least, most := p.seedCell(set, col, -1, low).text, p.seedCell(set, col, -1, high).text
	switch {
	case n == 1:
		h.Notes = append(h.Notes, "of one seed")
	case least == most:
		h.Notes = append(h.Notes, "the same in all "+plural(int64(n), "seed"))
	default:
		h.Notes = append(h.Notes, least+" … "+most, "median of "+plural(int64(n), "seed"))
	}
	h.Notes = append(h.Notes, p.notes...)
	switch {
	case x.ink == bad || p.seedCell(set, col, -1, high).ink == bad:
		h.Class = "bad"
	case x.text == "never":
		h.Class = "doubt"
	}
	return h
}

// seedExpectationViews are the expectations, with how often each held.
func seedExpectationViews(set *result.SeedSet) []seedExpectationView {
	var out []seedExpectationView
	for _, x := range set.Expectations {
		sign, k := verdictMark(x.Rule)
		f := seedFindings(x)
		out = append(out, seedExpectationView{
			Class: inkClass(k), Sign: sign, Name: x.Rule.Name, Rule: expectationText(x.Rule), Held: f.held,
			Median: f.median, Range: f.spread, Others: strings.Join(f.others, "; "),
		})
	}
	return out
}

// seedDefinitions are those of the metrics that the tables show, and of what is expected.
func seedDefinitions(set *result.SeedSet) []definition {
	var out []definition
	add := func(metric, label string) {
		m, ok := result.LookupMetric(metric)
		if ok && !slices.ContainsFunc(out, func(d definition) bool { return d.Name == metric }) {
			out = append(out, definition{label, m.Name, m.Help, m.Formula, unitNoun(m.Unit)})
		}
	}
	shown := map[string]bool{}
	for _, col := range seedColumns {
		shown[col.metric] = true
	}
	for _, phase := range seedPhases(set) {
		for _, m := range newsOf(set, phase) {
			shown[m.Metric] = true
		}
	}
	label := ""
	for _, m := range seedMetrics {
		words := strings.TrimSpace(m.label)
		if words != m.label { // it goes on under the one above
			words, _, _ = strings.Cut(label, " ")
			words += " " + strings.TrimSpace(m.label)
		} else {
			label = words
		}
		if shown[m.metric] {
			add(m.metric, words)
		}
	}
	for _, x := range set.Expectations {
		add(x.Rule.Metric, "")
	}
	return out
}

// seedCommands make the runs again, and show one of them.
func seedCommands(set *result.SeedSet) []commandView {
	out := []commandView{{
		"simrun verify .",
		"makes the runs again, whose directories are beside this one, and compares all files; writes nothing",
	}}
	if m := seedMetricIn(set, "failed"); m != nil {
		seed := set.Runs[0].Seed
		words := "of seed " + strconv.FormatUint(seed, 10)
		if m.Worst != nil {
			seed = *m.Worst
			words = "of seed " + strconv.FormatUint(seed, 10) + ", in which most sends failed"
		}
		i := slices.IndexFunc(set.Runs, func(r result.SeedRun) bool { return r.Seed == seed })
		out = append(out, commandView{
			"simrun report ../" + SeedDir(seed, set.Runs[max(i, 0)].Key),
			"the run " + words + ": its text; its page is there",
		})
	}
	return append(out, commandView{"simrun report .", "draws the text, the figures and this page again"})
}
