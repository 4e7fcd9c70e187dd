package report

import (
	"slices"

	"simrun/internal/result"
)

// mostCauses is how many rows of losses the summary shows; the JSON has all.
const mostCauses = 12

// losses writes what took the messages that are stranded or lost.
func (p *page) losses(l result.Ledger) {
	if len(l.Losses) == 0 {
		return
	}
	var bad, acked int64
	for _, x := range l.Losses {
		bad += x.N
		acked += x.Acked
	}
	p.gap()
	p.fields([]string{
		"losses: " + plural(bad, "message") + " lost or stranded", count(acked) + " of them acknowledged",
	})
	shown := l.Losses[:min(len(l.Losses), mostCauses)]
	t := &table{}
	for _, x := range shown {
		t.stub = append(t.stub, cell{text: faultOr(x.Fault)})
	}
	for _, c := range []struct {
		head string
		of   func(result.Loss) string
	}{
		{"broker", func(x result.Loss) string { return brief(x.Broker, longestHead) }},
		{"what took them", func(x result.Loss) string { return result.LossWords(x.Cause) }},
		{"fate", func(x result.Loss) string { return x.Fate }},
	} {
		col := t.column(c.head)
		col.left = true
		for _, x := range shown {
			col.put(c.of(x))
		}
	}
	t.numbers("messages", shown, func(x result.Loss) string { return count(x.N) })
	t.numbers("acked", shown, func(x result.Loss) string { return count(x.Acked) })
	t.numbers("at", shown, func(x result.Loss) string { return span(x.FirstNS) })
	if slices.ContainsFunc(shown, func(x result.Loss) bool { return x.LastNS != x.FirstNS }) {
		t.cols[len(t.cols)-1].head = []string{"from"}
		t.numbers("to", shown, func(x result.Loss) string { return span(x.LastNS) })
	}
	p.table(t)
	if n := len(l.Losses) - len(shown); n > 0 {
		p.wrapped("", "and "+plural(int64(n), "row")+" more in "+SummaryFile, 0, dim)
	}
}

// numbers adds a column of numbers about losses.
func (t *table) numbers(head string, rows []result.Loss, of func(result.Loss) string) {
	c := t.column(head)
	for _, x := range rows {
		c.put(of(x))
	}
}

func faultOr(name string) string {
	if name == "" {
		return "(no fault)"
	}
	return name
}

// extras writes how the extra copies came about.
func (p *page) extras(l result.Ledger) {
	if len(l.Extras) == 0 {
		return
	}
	type row struct {
		words   string
		n       int64
		brokers []string
	}
	var rows []row
	for _, x := range l.Extras {
		words := result.ExtraWords(x.GaveUp, x.Late)
		i := slices.IndexFunc(rows, func(r row) bool { return r.words == words })
		if i < 0 {
			i = len(rows)
			rows = append(rows, row{words: words})
		}
		rows[i].n += x.N
		rows[i].brokers = append(rows[i].brokers, brief(x.Broker, longestHead)+" "+count(x.N))
	}
	var parts []string
	for _, r := range rows {
		parts = append(parts, count(r.n)+" "+r.words+" ("+listed(r.brokers, 3)+")")
	}
	p.gap()
	p.listing(extraCopies(l.ExtraCopies)+":", parts)
	const words = "retry: the attempt before it stored one, too; late: of an attempt given up, after " +
		"its retry's"
	p.wrapped("", words, 0, dim)
}
