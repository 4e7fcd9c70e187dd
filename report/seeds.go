package report

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// SeedsTable writes the same scenario run with several seeds: a line for each run, the spread under
// them, how often each expectation held, and the verdict of all of them on the last line. The runs
// are in the order given; their numbers are of all messages but those of the warm-up.
func SeedsTable(w io.Writer, runs []*result.Run, opt TextOptions) error {
	p := &page{opt: opt}
	if len(runs) == 0 {
		p.line("no runs")
		return p.flush(w)
	}
	p.seedsHeader(runs)
	p.seedsTable(runs)
	p.seedsExpectations(runs)
	p.gap()
	text, k := seedsVerdict(runs)
	p.wrapped("", text, 0, k)
	return p.flush(w)
}

// Overall is the verdict of several runs: an expectation holds if it holds on each.
func Overall(runs []*result.Run) result.Verdict {
	v := result.NoExpectations
	for _, r := range runs {
		switch {
		case r.Verdict == result.Failed || v == result.Failed:
			v = result.Failed
		case r.Verdict == result.Undecided || v == result.Undecided:
			v = result.Undecided
		case r.Verdict == result.Passed:
			v = result.Passed
		}
	}
	return v
}

func (p *page) seedsHeader(runs []*result.Run) {
	r := runs[0]
	parts := []string{r.Scenario, headWords(r.Setup), plural(int64(len(runs)), "seed")}
	parts = append(parts, worldWords(r.Setup)...)
	p.fields(append(parts, seconds(r.DurationNS)+" each"))
	p.wrapped("", r.Story, 0, dim)
	p.producers(r.Setup)
}

// seedMetric is one column of the table of seeds. A value may be missing (NaN) or +∞: it did not
// come by the end of the run ("never"), or cannot come for want of a fault table ("off").
type seedMetric struct {
	head    []string
	of      func(*result.Run) float64
	text    func(float64) string
	byTable bool
}

// seedMetrics are the columns in order.
func seedMetrics() []seedMetric {
	stat := func(f func(result.Stats) float64) func(*result.Run) float64 {
		return func(r *result.Run) float64 {
			s, ok := statsOf(r, result.PhaseAll)
			if !ok || answered(s) == 0 {
				return math.NaN()
			}
			return f(s)
		}
	}
	whole := func(x float64) string { return count(int64(x)) }
	long := func(x float64) string { return duration(int64(x)) }
	short := func(x float64) string { return span(int64(x)) }
	ratio := func(x float64) string { return percent(x, 2) }
	success := func(s result.Stats) float64 {
		return float64(answered(s)-s.Failed) / float64(answered(s))
	}
	failed := func(s result.Stats) float64 { return float64(s.Failed) }
	lost := func(s result.Stats) float64 { return float64(s.AckedLost) }
	p99 := func(s result.Stats) float64 { return float64(s.Latency.P99NS) }
	p999 := func(s result.Stats) float64 { return float64(s.Latency.P999NS) }
	return []seedMetric{
		{[]string{"success"}, stat(success), ratio, false},
		{[]string{"failed"}, stat(failed), whole, false},
		{[]string{"acked,", "lost"}, stat(lost), whole, false},
		{[]string{"p99"}, stat(p99), long, false},
		{[]string{"p99.9"}, stat(p999), long, false},
		{[]string{"avoided", "by all"}, avoidedByAll, short, true},
		{[]string{"all", "returned"}, allReturned, short, false},
	}
}

// avoidedByAll is the longest time any instance took to avoid any broker of any fault.
func avoidedByAll(r *result.Run) float64 {
	return slowest(r, func(f result.Fault, e result.FaultEffect) (result.Spread, bool) {
		return e.Avoid, f.Began
	})
}

// allReturned is the longest time any instance took to send again to any broker after its fault.
func allReturned(r *result.Run) float64 {
	return slowest(r, func(f result.Fault, e result.FaultEffect) (result.Spread, bool) {
		return e.Return, f.Began && f.ToNS < r.SimulatedNS
	})
}

// slowest is the maximum over faults and brokers: +∞ if one never came, NaN if there is none.
func slowest(
	r *result.Run, of func(result.Fault, result.FaultEffect) (result.Spread, bool),
) float64 {
	most := math.NaN()
	for _, f := range r.Faults {
		for _, e := range f.Effects {
			s, ok := of(f, e)
			switch {
			case !ok || s.Instances == 0:
				continue
			case s.MaxNS == nil:
				return math.Inf(1)
			case !(most >= float64(*s.MaxNS)): // also when most is NaN
				most = float64(*s.MaxNS)
			}
		}
	}
	return most
}

// seedText shows a value that may not exist.
func seedText(x float64, text func(float64) string) string {
	switch {
	case math.IsNaN(x):
		return none
	case math.IsInf(x, 1):
		return "never"
	}
	return text(x)
}

// spread3 is the minimum, nearest-rank median and maximum of the values that exist, and their
// number.
func spread3(values []float64) (low, median, high float64, n int) {
	var v []float64
	for _, x := range values {
		if !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return math.NaN(), math.NaN(), math.NaN(), 0
	}
	slices.Sort(v)
	return v[0], v[(len(v)-1)/2], v[len(v)-1], len(v)
}

func (p *page) seedsTable(runs []*result.Run) {
	t := &table{}
	for _, r := range runs {
		t.stub = append(t.stub, cell{text: "seed " + strconv.FormatUint(r.Seed, 10)})
	}
	whole := completed(runs)
	spread := len(whole) > 1 // one run shows no spread
	if spread {
		for _, l := range []string{"minimum", "median", "maximum"} {
			t.stub = append(t.stub, cell{text: l, ink: dim})
		}
	}
	for _, m := range seedMetrics() {
		c := t.column(m.head...)
		for _, r := range runs {
			c.cells = append(c.cells, p.seedCell(r, m, m.of(r), plain))
		}
		if !spread {
			continue
		}
		values := make([]float64, len(whole))
		for i, r := range whole {
			values[i] = m.of(r)
		}
		low, median, high, _ := spread3(values)
		for _, x := range []float64{low, median, high} {
			c.cells = append(c.cells, p.seedCell(runs[0], m, x, dim))
		}
	}
	verdict := t.column("verdict")
	verdict.left = true
	for _, r := range runs {
		text, k := seedVerdict(r)
		verdict.cells = append(verdict.cells, cell{text: text, ink: k})
	}
	verdict.cells = append(verdict.cells, make([]cell, len(t.stub)-len(runs))...)
	p.gap()
	p.table(t)
	words := "all messages but the warm-up"
	if spread {
		words += "; median: nearest rank over the seeds"
	}
	if len(whole) < len(runs) {
		words += "; interrupted runs are not in the spread"
	}
	p.wrapped("", words, 0, dim)
	p.footnotes()
}

// seedCell shows a value of a metric, with a footnote if it did not come.
func (p *page) seedCell(r *result.Run, m seedMetric, x float64, k ink) cell {
	c := cell{text: seedText(x, m.text), ink: k}
	switch {
	case !math.IsInf(x, 1):
	case m.byTable && avoidanceOff(r.Setup):
		c.text = "off"
		c.mark = p.note(noteOff)
	default:
		c.mark = p.note("on some producer instance and broker of a fault not by the end of the run, " +
			"nor before the next fault of the broker")
	}
	return c
}

// completed are the runs that were not interrupted.
func completed(runs []*result.Run) []*result.Run {
	var whole []*result.Run
	for _, r := range runs {
		if r.Complete {
			whole = append(whole, r)
		}
	}
	return whole
}

// seedVerdict is the verdict of one run in a word.
func seedVerdict(r *result.Run) (string, ink) {
	switch {
	case !r.Complete:
		return "interrupted", doubtful
	case r.Verdict == result.Passed:
		return "passed", good
	case r.Verdict == result.Failed:
		return "failed", bad
	case r.Verdict == result.Undecided:
		return "undecided", doubtful
	}
	return none, plain
}

// seedsExpectations writes for each expectation what was found over the seeds and how often it
// held.
func (p *page) seedsExpectations(runs []*result.Run) {
	rules := runs[0].Expectations
	if len(rules) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "expectations", 0, bold)
	for _, rule := range rules {
		p.seedsExpectation(rule, completed(runs))
	}
}

// seedsExpectation writes the rule, the spread of what was found, and the seeds on which it did not
// hold.
func (p *page) seedsExpectation(rule result.Expectation, runs []*result.Run) {
	var values []float64
	var failed, undecided []string
	held, judged := 0, 0
	for _, r := range runs {
		i := slices.IndexFunc(r.Expectations, func(e result.Expectation) bool {
			return e.Name == rule.Name && !e.Skipped
		})
		if i < 0 {
			continue
		}
		e := r.Expectations[i]
		judged++
		seed := strconv.FormatUint(r.Seed, 10)
		switch e.Verdict {
		case result.Passed:
			held++
		case result.Failed:
			failed = append(failed, seed)
		default:
			undecided = append(undecided, seed)
		}
		switch {
		case e.Infinite:
			values = append(values, math.Inf(1))
		case e.Actual != nil:
			values = append(values, *e.Actual)
		}
	}
	sum := rule
	sum.Skipped, sum.Verdict = judged == 0, seedsRule(failed, undecided)
	mark, k := verdictMark(sum)
	p.wrapped(p.paint(mark, k)+" ", rule.Name+": "+expectationText(rule), 2, plain)
	unit := unitOf(rule.Metric)
	text := func(x float64) string { return actualText(unit, x, rule.Min, rule.Max) }
	low, median, high, n := spread3(values)
	parts := []string{"holds on " + strconv.Itoa(held) + " of " + plural(int64(judged), "seed")}
	if n > 0 {
		parts = append(parts, "median "+seedText(median, text)+", "+
			seedText(low, text)+" … "+seedText(high, text))
	}
	if len(failed) > 0 {
		parts = append(parts, "fails on "+listed(failed, 8))
	}
	if len(undecided) > 0 {
		parts = append(parts, "undecided on "+listed(undecided, 8))
	}
	p.wrapped("  ", strings.Join(parts, "; "), 2, dim)
}

// seedsRule is the verdict of one expectation over seeds.
func seedsRule(failed, undecided []string) result.Verdict {
	switch {
	case len(failed) > 0:
		return result.Failed
	case len(undecided) > 0:
		return result.Undecided
	}
	return result.Passed
}

// seedsVerdict is the last line.
func seedsVerdict(runs []*result.Run) (string, ink) {
	var failed, undecided, interrupted int
	for _, r := range runs {
		switch {
		case !r.Complete:
			interrupted++
		case r.Verdict == result.Failed:
			failed++
		case r.Verdict == result.Undecided:
			undecided++
		}
	}
	of := " of " + plural(int64(len(runs)), "seed")
	var parts []string
	k := good
	if failed > 0 {
		parts, k = append(parts, strconv.Itoa(failed)+of+" failed"), bad
	}
	if undecided > 0 {
		parts = append(parts, strconv.Itoa(undecided)+of+" undecided")
	}
	if interrupted > 0 {
		parts = append(parts, strconv.Itoa(interrupted)+of+" interrupted")
	}
	if len(parts) > 0 {
		if k != bad {
			k = doubtful
		}
		return strings.Join(parts, ", "), k
	}
	if Overall(runs) == result.NoExpectations {
		return "no expectations: nothing was judged", plain
	}
	return "all expectations hold on " + plural(int64(len(runs)), "seed"), k
}
