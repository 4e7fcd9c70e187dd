package report

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// Summary writes what came of a run: its phases, its faults, the ledger of its messages, what to
// doubt, and the expectations with the verdict on the last line.
func Summary(w io.Writer, r *result.Run, opt TextOptions) error {
	p := &page{opt: opt}
	p.header(r)
	p.phases(r)
	p.faults(r)
	p.falselyIsolated(r)
	p.load(r)
	p.ledger(r.Ledger)
	p.losses(r.Ledger)
	p.extras(r.Ledger)
	p.exceptions(r)
	p.failedAttempts(r)
	p.warnings(r)
	p.expectations(r.Expectations)
	p.verdict(r)
	return p.flush(w)
}

// header says what was run.
func (p *page) header(r *result.Run) {
	parts := []string{r.Scenario, policyWords(r.Setup), "seed " + strconv.FormatUint(r.Seed, 10)}
	parts = append(parts, worldWords(r.Setup)...)
	p.fields(append(parts, seconds(r.SimulatedNS)+" simulated"))
	p.wrapped("", r.Story, 0, dim)
	if !r.Complete {
		p.wrapped("", interruptedWords(r)+": all numbers are of the part before.", 0, doubtful)
	}
}

func interruptedWords(r *result.Run) string {
	return "Interrupted at " + seconds(r.SimulatedNS) + " of " + seconds(r.DurationNS)
}

// phases writes the table of phases. Names of phases stand on one line if there is room for all,
// else "fault." and "recovery." stand above the name.
func (p *page) phases(r *result.Run) {
	if len(reached(r)) == 0 {
		return
	}
	t := p.phaseTable(r, false)
	if p.tooWide(t) {
		p.notes = nil // the marks of the first try
		t = p.phaseTable(r, true)
	}
	p.gap()
	p.table(t)
	p.footnotes()
}

// tooWide says whether a table would be cut into parts.
func (p *page) tooWide(t *table) bool {
	t.cut()
	used := 0
	for _, c := range t.stub {
		used = max(used, runes(c.text))
	}
	for _, c := range t.cols {
		c.measure()
		used += c.total()
	}
	return used > p.opt.width()
}

func (p *page) phaseTable(r *result.Run, twoLines bool) *table {
	faulted := append(faultedBrokers(r), shiftedBrokers(r)...)
	const mostShares = 6
	faulted = faulted[:min(len(faulted), mostShares)]
	unusual := slices.ContainsFunc(r.Stats, func(s result.Stats) bool { return s.FailedStored > 0 })
	waiting := slices.ContainsFunc(r.Stats, func(s result.Stats) bool { return s.InFlight > 0 })
	weaker := weakerStatuses(r)
	t := &table{}
	row := func(labels ...string) {
		for _, l := range labels {
			t.stub = append(t.stub, cell{text: l})
		}
	}
	row("messages", "success", "first attempt")
	retried := slices.ContainsFunc(r.Stats, func(s result.Stats) bool { return s.FirstFailedTook.N > 0 })
	if retried {
		row("  failed after p50")
	}
	row("latency p50", "        p99", "        p99.9", "        max", "attempts/message")
	for _, b := range faulted {
		row("share of " + b)
	}
	row(weaker...)
	row("failed")
	if waiting {
		row("unanswered")
	}
	row("acked, then lost", "duplicates")
	if unusual {
		row("failed, yet stored")
	}
	onOneLeg := exposedRun(r)
	if onOneLeg {
		row("most at risk", "most unreadable")
	}
	for _, ph := range reached(r) {
		head := phaseHead(ph.Name, twoLines)
		c := t.column(append(head, interval(ph.FromNS, ph.ToNS))...)
		s, _ := statsOf(r, ph.Name)
		p.phaseColumn(c, s, retried)
		for _, b := range faulted {
			c.put(shareText(r, ph.Name, b))
		}
		for _, name := range weaker {
			c.cells = append(c.cells, counted(countOf(s.Statuses, name), doubtful))
		}
		c.cells = append(c.cells, counted(s.Failed, bad))
		if waiting {
			c.cells = append(c.cells, counted(s.InFlight, doubtful))
		}
		c.cells = append(c.cells, counted(s.AckedLost, bad), counted(s.ExtraCopies, doubtful))
		if unusual {
			c.cells = append(c.cells, counted(s.FailedStored, doubtful))
		}
		if onOneLeg {
			x := exposureOf(r, ph.Name)
			c.put(count(x.AtRisk))
			c.cells = append(c.cells, counted(x.Unreadable, doubtful))
		}
	}
	return t
}

// weakerStatuses names the weaker statuses that some caller got, in the order in which they came.
func weakerStatuses(r *result.Run) []string {
	var names []string
	for _, s := range r.Stats {
		for _, c := range s.Statuses {
			if s.Dim == result.DimAll && !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// reached are the phases that were simulated, as far as they were.
func reached(r *result.Run) []result.Phase {
	if r.Complete {
		return r.Phases
	}
	var out []result.Phase
	for _, ph := range r.Phases {
		if ph.FromNS < r.SimulatedNS {
			ph.ToNS = min(ph.ToNS, r.SimulatedNS)
			out = append(out, ph)
		}
	}
	return out
}

// phaseHead is the name of a phase on one line or on two.
func phaseHead(name string, twoLines bool) []string {
	for _, prefix := range []string{result.FaultPrefix, result.RecoveryPrefix} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && twoLines {
			return []string{prefix, rest}
		}
	}
	return []string{name}
}

// phaseColumn puts the rows that every phase has. retried adds what failed first attempts took.
func (p *page) phaseColumn(c *column, s result.Stats, retried bool) {
	n := answered(s)
	ratio := func(part int64) string {
		if n == 0 {
			return none
		}
		return percent(float64(max(0, part))/float64(n), 2)
	}
	c.put(count(s.Messages))
	c.put(ratio(s.OK + s.OKStatus))
	c.put(ratio(n - s.FirstFailed))
	if l := s.FirstFailedTook; retried && l.N == 0 {
		c.put(none)
	} else if retried {
		c.put(duration(l.P50NS))
	}
	l := s.Latency
	c.cells = append(c.cells, p.quantile(l, "p50", l.P50NS), p.quantile(l, "p99", l.P99NS),
		p.quantile(l, "p999", l.P999NS), p.quantile(l, "max", l.MaxNS))
	if n == 0 {
		c.put(none)
		return
	}
	c.put(valueText(result.UnitPer, float64(s.Attempts)/float64(n)))
}

// quantile is a quantile of a latency, with a mark if few messages lie beyond it.
func (p *page) quantile(l result.Latency, name string, ns int64) cell {
	if l.N == 0 {
		return cell{text: none}
	}
	c := cell{text: duration(ns)}
	if slices.Contains(l.Thin, name) {
		c.mark = p.note("fewer than ten messages lie beyond this quantile: another seed may move it far")
	}
	return c
}

// counted is a number of messages that has a colour when it is not zero.
func counted(n int64, k ink) cell {
	if n == 0 {
		k = plain
	}
	return cell{text: count(n), ink: k}
}

// shareText is the share of the attempts of a phase that went to a broker.
func shareText(r *result.Run, phase, broker string) string {
	for _, b := range r.Brokers {
		if b.Phase != phase || b.Name != broker {
			continue
		}
		if b.Attempts == 0 && b.Share == 0 && !anyAttempt(r, phase) {
			return none
		}
		return percent(b.Share, 1)
	}
	return none
}

func anyAttempt(r *result.Run, phase string) bool {
	return slices.ContainsFunc(r.Brokers, func(b result.Broker) bool {
		return b.Phase == phase && b.Attempts > 0
	})
}

// ledger writes what callers were told against what became of their messages; columns of zeros are
// left out.
func (p *page) ledger(l result.Ledger) {
	if l.Sent == 0 {
		return
	}
	fates := []struct {
		head []string
		of   func(result.LedgerRow) int64
		ink  ink
	}{
		{[]string{"durable"}, func(r result.LedgerRow) int64 { return r.Durable }, plain},
		{[]string{"at risk"}, func(r result.LedgerRow) int64 { return r.AtRisk }, plain},
		{[]string{"never stored"}, func(r result.LedgerRow) int64 { return r.NeverStored }, plain},
		{[]string{"stranded"}, func(r result.LedgerRow) int64 { return r.Stranded }, bad},
		{[]string{"lost"}, func(r result.LedgerRow) int64 { return r.Lost }, bad},
		{[]string{"sum"}, result.LedgerRow.Sum, dim},
	}
	t := &table{}
	for _, r := range l.Rows {
		t.stub = append(t.stub, cell{text: r.Answer})
	}
	t.stub = append(t.stub, cell{text: "sum", ink: dim})
	for _, f := range fates {
		var sum int64
		for _, r := range l.Rows {
			sum += f.of(r)
		}
		if sum == 0 {
			continue
		}
		c := t.column(f.head...)
		for _, r := range l.Rows {
			c.cells = append(c.cells, counted(f.of(r), f.ink))
		}
		c.cells = append(c.cells, cell{text: count(sum), ink: dim})
	}
	p.gap()
	p.fields([]string{
		"ledger of " + plural(l.Sent, "message"), "the whole run, warm-up included",
		extraCopies(l.ExtraCopies),
	})
	p.table(t)
}

func extraCopies(n int64) string {
	if n == 1 {
		return "1 extra copy"
	}
	return count(n) + " extra copies"
}
