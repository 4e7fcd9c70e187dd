package report

import (
	"io"
	"slices"
	"strconv"

	"simrun/internal/result"
)

// Summary writes what came of a run: its phases, its faults, the ledger of its messages, what to
// doubt, and the expectations with the verdict on the last line.
func Summary(w io.Writer, r *result.Run, opt TextOptions) error {
	p := &page{opt: opt}
	p.header(r)
	p.phases(r)
	p.groups(r)
	p.faults(r)
	p.falselyIsolated(r)
	p.probes(r)
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
	parts := []string{r.Title(), headWords(r.Setup), "seed " + strconv.FormatUint(r.Seed, 10)}
	parts = append(parts, worldWords(r.Setup)...)
	p.fields(append(parts, seconds(r.SimulatedNS)+" simulated"))
	p.wrapped("", r.Story, 0, dim)
	p.producers(r.Setup)
	if !r.Complete {
		p.wrapped("", interruptedWords(r)+": all numbers are of the part before.", 0, doubtful)
	}
}

func interruptedWords(r *result.Run) string {
	return "Interrupted at " + seconds(r.SimulatedNS) + " of " + seconds(r.DurationNS)
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
		{[]string{"at", "risk"}, func(r result.LedgerRow) int64 { return r.AtRisk }, plain},
		{[]string{"never", "stored"}, func(r result.LedgerRow) int64 { return r.NeverStored }, plain},
		{[]string{"stranded"}, func(r result.LedgerRow) int64 { return r.Stranded }, bad},
		{[]string{"lost"}, func(r result.LedgerRow) int64 { return r.Lost }, bad},
		{[]string{"sum"}, result.LedgerRow.Sum, dim},
	}
	const shortAnswer = 16
	t := &table{least: shortAnswer}
	l.Rows = slices.DeleteFunc(slices.Clone(l.Rows), func(r result.LedgerRow) bool { return r.Sum() == 0 })
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
		"ledger of " + plural(l.Sent, "message") + ", warm-up included", extraCopies(l.ExtraCopies),
	})
	p.table(t)
}

func extraCopies(n int64) string {
	if n == 1 {
		return "1 extra copy"
	}
	return count(n) + " extra copies"
}
