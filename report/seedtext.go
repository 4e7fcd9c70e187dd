package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// seedColumn is a column of the table of seeds.
type seedColumn struct {
	head   []string
	metric string
	fault  bool // over all faults, of the phase "all" if not
	text   func(float64) string
}

var seedColumns = []seedColumn{
	{[]string{"success"}, "success_rate", false, func(x float64) string { return percent(x, 2) }},
	{[]string{"failed"}, "failed", false, wholeText},
	{[]string{"acked,", "lost"}, "acked_lost", false, wholeText},
	{[]string{"p99"}, "latency_p99", false, durationText},
	{[]string{"p99.9"}, "latency_p999", false, durationText},
	{[]string{"avoided", "by all"}, "time_to_avoid", true, spanText},
	{[]string{"all", "returned"}, "time_to_return", true, spanText},
}

func wholeText(x float64) string    { return count(int64(x)) }
func durationText(x float64) string { return duration(int64(x)) }
func spanText(x float64) string     { return span(int64(x)) }

// mostSeedRows is how many seeds have a row of their own, in the text and on a page; of more, the spread
// tells and names the worst.
func (p *page) mostSeedRows() int {
	if p.blocks != nil {
		return 200
	}
	return 12
}

// seedsTable writes a line for each seed and the spread under them, of all messages after the warm-up.
func (p *page) seedsTable(set *result.SeedSet) {
	t := &table{}
	own, spread := len(set.Runs) <= p.mostSeedRows(), len(set.Runs) > 1
	if own {
		for _, r := range set.Runs {
			t.stub = append(t.stub, cell{text: "seed " + strconv.FormatUint(r.Seed, 10)})
		}
	}
	if spread {
		for _, name := range []string{"minimum", "median", "maximum"} {
			t.stub = append(t.stub, cell{text: name, ink: dim})
		}
	}
	for _, col := range seedColumns {
		values := seedValues(set, col)
		c := t.column(col.head...)
		for i, x := range values {
			if own {
				c.cells = append(c.cells, p.seedCell(set, col, i, x))
			}
		}
		if spread {
			low, median, high, _ := spread3(values)
			for _, x := range []float64{low, median, high} {
				v := p.seedCell(set, col, -1, x)
				v.ink = dim
				c.cells = append(c.cells, v)
			}
		}
	}
	if own {
		verdict := t.column("verdict")
		for _, r := range set.Runs {
			text, k := seedVerdict(r.Verdict)
			verdict.cells = append(verdict.cells, cell{text: text, ink: k})
		}
		verdict.cells = append(verdict.cells, make([]cell, len(t.stub)-len(set.Runs))...)
	}
	p.gap()
	p.table(t)
	words := "all messages but the warm-up"
	if spread {
		words += "; median: nearest rank over the seeds"
	}
	p.wrapped("", words, 0, dim)
	p.footnotes()
}

// seedValues are the values of a column by run: of several faults the longest time.
func seedValues(set *result.SeedSet, col seedColumn) []float64 {
	values := make([]float64, len(set.Runs))
	for i := range values {
		values[i] = math.NaN()
	}
	for _, m := range set.Metrics {
		if m.Metric != col.metric || col.fault != (m.Fault != "") || !col.fault && m.Phase != result.PhaseAll {
			continue
		}
		for i, v := range m.Values {
			if x := float64(v); !(values[i] >= x) && !math.IsNaN(x) {
				values[i] = x
			}
		}
	}
	return values
}

// seedCell shows a value of a column, with a footnote if it is thin or did not come. Run -1 is the spread.
func (p *page) seedCell(set *result.SeedSet, col seedColumn, run int, x float64) cell {
	c := cell{text: seedText(x, col.text)}
	for _, m := range set.Metrics {
		if m.Metric != col.metric {
			continue
		}
		switch {
		case m.Phase == result.PhaseAll && !col.fault && !math.IsNaN(x) && len(m.Thin) > 0 &&
			(run < 0 || slices.Contains(m.Thin, set.Runs[run].Seed)):
			c.mark = p.note(thinNote("messages"))
		case math.IsInf(x, 1) && m.Off:
			return cell{text: "off", mark: p.note(noteOff)}
		case math.IsInf(x, 1) && m.Fault != "":
			c.mark = p.note("on some producer instance and broker of a fault not by the end of the run, " +
				"nor before the next fault of the broker")
		}
	}
	if x == 0 {
		return c
	}
	switch col.metric {
	case "failed", "acked_lost":
		c.ink = bad
	}
	return c
}

// seedVerdict is the verdict of one run in a word.
func seedVerdict(v result.Verdict) (string, ink) {
	switch v {
	case result.Passed:
		return "passed", good
	case result.Failed:
		return "failed", bad
	case result.Undecided:
		return "undecided", doubtful
	}
	return none, plain
}

// seedsPhases writes the spread of each metric in each phase, and of each fault, with the worst seed.
func (p *page) seedsPhases(set *result.SeedSet) {
	if len(set.Runs) < 2 {
		return
	}
	t := &table{}
	columns := make([]*column, 4)
	for i, head := range []string{"median", "least", "most", "worst seed"} {
		columns[i] = t.column(head)
	}
	row := func(label cell, cells ...cell) {
		t.stub = append(t.stub, label)
		for i, c := range columns {
			v := cell{}
			if i < len(cells) {
				v = cells[i]
			}
			c.cells = append(c.cells, v)
		}
	}
	for _, phase := range seedPhases(set) {
		rows := newsOf(set, phase)
		if len(rows) == 0 {
			continue
		}
		row(cell{text: phase, ink: dim})
		for _, m := range rows {
			row(cell{text: "  " + seedMetricOf(m.Metric).label}, p.spreadCells(m)...)
		}
	}
	if len(t.stub) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "over "+plural(int64(len(set.Runs)), "seed")+", by phase", 0, bold)
	p.table(t)
	p.wrapped("", "a worst seed by itself is in the directory sN-…; simrun report shows it", 0, dim)
	p.footnotes()
}

// seedPhases are the phases of a set but the warm-up and "all", which the table of seeds is about.
func seedPhases(set *result.SeedSet) []string {
	var names []string
	for _, m := range set.Metrics {
		if m.Phase != "" && m.Phase != result.PhaseWarmup && m.Phase != result.PhaseAll &&
			!slices.Contains(names, m.Phase) {
			names = append(names, m.Phase)
		}
	}
	return names
}

// newsOf are the metrics of a phase that say something: not those that all seeds have as it should be. Of
// times of a fault there are none where nobody struck could be avoided.
func newsOf(set *result.SeedSet, phase string) []result.SeedMetric {
	var rows []result.SeedMetric
	for _, m := range set.Metrics {
		lo, hi := float64(m.Min), float64(m.Max)
		switch {
		case math.IsNaN(float64(m.Median)):
		case m.Fault != "":
			if result.FaultPrefix+m.Fault == phase && !m.Off {
				rows = append(rows, m)
			}
		case m.Phase == phase:
			// What looks as it should be is no news, either: 1.0002 attempts are one.
			text := valueText(m.Unit, seedMetricOf(m.Metric).quiet)
			if valueText(m.Unit, lo) != text || valueText(m.Unit, hi) != text {
				rows = append(rows, m)
			}
		}
	}
	return rows
}

// spreadCells are the median, least and most of a metric, and its worst seed.
func (p *page) spreadCells(m result.SeedMetric) []cell {
	text := func(x float64) string {
		if m.Fault != "" {
			return span(int64(x))
		}
		return valueText(m.Unit, x)
	}
	var cells []cell
	for _, v := range []result.SeedValue{m.Median, m.Min, m.Max} {
		c := cell{text: seedText(float64(v), text)}
		if math.IsInf(float64(v), 1) {
			c.mark = p.note("on some instance and broker not by the end of the run, nor before the next fault")
		} else if len(m.Thin) > 0 {
			c.mark = p.note("in some seeds " + thinNote("messages"))
		}
		cells = append(cells, c)
	}
	worst := cell{text: none}
	if m.Worst != nil {
		worst.text = strconv.FormatUint(*m.Worst, 10)
	}
	return append(cells, worst)
}

// seedsEvents writes how often what should never happen did: those of which there are any, and in words
// those of which there are none.
func (p *page) seedsEvents(set *result.SeedSet) {
	n := len(set.Runs)
	if n < 2 {
		return
	}
	t := &table{}
	mean, share := t.column("a run has"), t.column("seeds with any")
	interval, worst := t.column("95 % interval"), t.column("worst seed")
	var never []string
	for _, e := range set.Events {
		words := cmp.Or(eventWords[e.Name], e.Name)
		if e.Seeds == 0 {
			never = append(never, words)
			continue
		}
		t.stub = append(t.stub, cell{text: words})
		mean.put(number(e.Mean))
		share.put(strconv.Itoa(e.Seeds) + " of " + strconv.Itoa(n))
		interval.put(percent(*e.Low, 0) + " … " + percent(*e.High, 0))
		worst.put(strconv.FormatUint(*e.Worst, 10))
	}
	p.gap()
	p.wrapped("", "what should not happen, after the warm-up", 0, bold)
	if len(t.stub) > 0 {
		p.table(t)
	}
	if len(never) > 0 {
		p.wrapped("", "none in "+plural(int64(n), "seed")+" ("+atMostWords(n)+"): "+strings.Join(never, "; "),
			2, plain)
	}
}

// atMostWords are the rule of three: what happens in a share of 3/n of the runs is missed in n runs with a
// chance of 5 %.
func atMostWords(n int) string {
	const few = 4
	if n < few {
		return "so few seeds say nothing of how rare it is"
	}
	return "each in at most 3/" + strconv.Itoa(n) + " of incidents"
}

// seedsExpectations writes for each expectation what was found over the seeds and how often it
// held.
func (p *page) seedsExpectations(set *result.SeedSet) {
	if len(set.Expectations) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "expectations", 0, bold)
	for _, x := range set.Expectations {
		p.seedsExpectation(x)
	}
}

// seedsExpectation writes the rule, the spread of what was found, and the seeds on which it did not
// hold.
func (p *page) seedsExpectation(x result.SeedExpectation) {
	mark, k := verdictMark(x.Rule)
	p.wrapped(p.paint(mark, k)+" ", x.Rule.Name+": "+expectationText(x.Rule), 2, plain)
	f := seedFindings(x)
	parts := []string{"holds on " + f.held}
	switch {
	case f.spread != "":
		parts = append(parts, "median "+f.median+", "+f.spread)
	case f.median != "":
		parts = append(parts, "found "+f.median)
	}
	p.wrapped("  ", strings.Join(append(parts, f.others...), "; "), 2, dim)
}

// seedFinding is what was found of an expectation over the seeds, in words.
type seedFinding struct {
	// held is on how many seeds it does; median and spread are of what was found, empty if no seed, or only
	// one, has it.
	held, median, spread string
	// others are the seeds on which it does not hold, and those on which that is undecided.
	others []string
}

func seedFindings(x result.SeedExpectation) seedFinding {
	unit := unitOf(x.Rule.Metric)
	text := func(v float64) string { return actualText(unit, v, x.Rule.Min, x.Rule.Max) }
	values := make([]float64, len(x.Values))
	for i, v := range x.Values {
		values[i] = float64(v)
	}
	low, median, high, n := spread3(values)
	judged := len(x.Held) + len(x.Failed) + len(x.Undecided)
	f := seedFinding{held: strconv.Itoa(len(x.Held)) + " of " + plural(int64(judged), "seed")}
	if n > 0 {
		f.median = seedText(median, text)
	}
	if n > 1 {
		f.spread = seedText(low, text) + " … " + seedText(high, text)
	}
	const most = 8
	if len(x.Failed) > 0 {
		f.others = append(f.others, "fails on "+listed(seedNames(x.Failed), most))
	}
	if len(x.Undecided) > 0 {
		f.others = append(f.others, "undecided on "+listed(seedNames(x.Undecided), most))
	}
	return f
}

func seedNames(seeds []uint64) []string {
	names := make([]string, len(seeds))
	for i, s := range seeds {
		names[i] = strconv.FormatUint(s, 10)
	}
	return names
}

// seedsVerdict is the last line.
func seedsVerdict(set *result.SeedSet) (string, ink) {
	var failed, undecided int
	for _, r := range set.Runs {
		switch r.Verdict {
		case result.Failed:
			failed++
		case result.Undecided:
			undecided++
		}
	}
	of := " of " + plural(int64(set.Asked), "seed")
	var parts []string
	k := good
	if failed > 0 {
		parts, k = append(parts, strconv.Itoa(failed)+of+" failed"), bad
	}
	if undecided > 0 {
		parts = append(parts, strconv.Itoa(undecided)+of+" undecided")
	}
	if n := set.Asked - len(set.Runs); n > 0 {
		parts = append(parts, strconv.Itoa(n)+of+" interrupted")
	}
	if len(parts) > 0 {
		if k != bad {
			k = doubtful
		}
		return strings.Join(parts, ", "), k
	}
	if set.Verdict == result.NoExpectations {
		return "no expectations: nothing was judged", plain
	}
	return "all expectations hold on " + plural(int64(len(set.Runs)), "seed"), k
}
