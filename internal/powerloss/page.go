package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// preface is the part of the page that no run changes.
//
//go:embed preface.md
var preface string

// page is docs/power-loss-table.md.
func page(all, avoiding map[key]*result) string {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteString("\n## The published claim and the simulation\n\n")
	for _, sync := range []bool{true, false} {
		name := map[bool]string{true: "Synchronous", false: "Asynchronous"}[sync]
		fmt.Fprintf(&b, "### %s replication\n\n", name)
		b.WriteString("| # | power lost by | published | death |")
		for _, v := range columns {
			fmt.Fprintf(&b, " %s |", v.column())
		}
		b.WriteString("\n|---|---|---|---" + strings.Repeat("|---", len(columns)) + "|\n")
		for _, c := range cells() {
			if c.sync == sync {
				b.WriteString(verdictRows(all, c))
			}
		}
		b.WriteString("\n")
	}
	b.WriteString(differences(all, avoiding))
	b.WriteString("\n## In detail\n")
	for _, c := range cells() {
		b.WriteString(details(all, c))
	}
	return b.String()
}

// verdictRows are the rows of a cell in the first table, one for each way to die.
func verdictRows(all map[key]*result, c cell) string {
	var b strings.Builder
	for _, killed := range []bool{false, true} {
		v := variant{killed: killed}
		fmt.Fprintf(&b, "| %d | %s | %v | %s |", c.number, published[c.number-1].lost, c.claim(), v.death())
		for _, v := range columns {
			v.killed = killed
			fmt.Fprintf(&b, " %s |", verdictText(judge(all[key{c, v}])))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func verdictText(v verdict) string {
	if v.holds {
		return "holds: " + v.words
	}
	return "**does not hold**: " + v.words
}

// differences list the cells in which retry_another_broker_when_not_store_ok or avoidance matter.
func differences(all, avoiding map[key]*result) string {
	var b strings.Builder
	b.WriteString("## With `retry_another_broker_when_not_store_ok`\n\n" +
		"It changes what becomes of a send in these cells only:\n\n")
	b.WriteString(changes(func(k key) (*result, *result) {
		with := k
		with.retry = true
		return all[k], all[with]
	}))
	b.WriteString("\n## With `send_latency_fault_enable`\n\n" +
		"The guide is about retries, so avoidance is off above. It changes what becomes of a send in these " +
		"cells (producers as shipped, without single threads):\n\n")
	b.WriteString(changes(func(k key) (*result, *result) {
		with := k
		with.avoid = true
		return all[k], avoiding[with]
	}))
	return b.String()
}

// changes list the cells in which two results differ by more than a few sends.
func changes(pair func(key) (without, with *result)) string {
	var order []string
	cellsOf := map[string][]string{}
	for _, k := range keys(false) {
		if k.retry {
			continue
		}
		without, with := pair(k)
		if !differ(without, with) {
			continue
		}
		verdict := judge(with)
		text := verdict.words
		if verdict.holds != judge(without).holds {
			text = verdictText(verdict)
		}
		if cellsOf[text] == nil {
			order = append(order, text)
		}
		cellsOf[text] = append(cellsOf[text], fmt.Sprintf("%v %s %s", k.cell, k.column(), k.death()))
	}
	if len(order) == 0 {
		return "None.\n"
	}
	var b strings.Builder
	for _, text := range order {
		fmt.Fprintf(&b, "* %s: %s.\n", strings.Join(cellsOf[text], "; "), text)
	}
	return b.String()
}

// differ says whether some kind of end of a send has another share, by more than 2 points.
func differ(x, y *result) bool {
	for _, s := range []stage{untilNoticed, noticed} {
		a, b := &x.shared.stages[s].all, &y.shared.stages[s].all
		for _, d := range []float64{
			a.share(a.failed) - b.share(b.failed), a.share(a.retried) - b.share(b.retried),
			a.share(a.weak) - b.share(b.weak), a.share(a.atOnce) - b.share(b.atOnce),
		} {
			if abs(d) > 0.02 {
				return true
			}
		}
	}
	return false
}

// details are the numbers of a cell.
func details(all map[key]*result, c cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\nPublished: %v.\n\n", heading(c), c.claim())
	b.WriteString("| death, cluster | sends | number | at once | on a retry | weaker status | fail | " +
		"median | longest | stored twice |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, killed := range []bool{false, true} {
		for _, v := range columns {
			v.killed = killed
			b.WriteString(detailRows(all[key{c, v}]))
		}
	}
	b.WriteString("\n| death, cluster | noticed after | answered before, then lost | stranded | " +
		"unreadable meanwhile | a send that fails |\n|---|---:|---:|---:|---:|---|\n")
	for _, killed := range []bool{false, true} {
		for _, v := range columns {
			v.killed = killed
			b.WriteString(lossRow(all[key{c, v}]))
		}
	}
	return b.String()
}

func heading(c cell) string {
	return fmt.Sprintf("### Case %d, %s: power lost by %s", c.number,
		map[bool]string{true: "synchronous", false: "asynchronous"}[c.sync], published[c.number-1].lost)
}

// detailRows are the stages of one result.
func detailRows(r *result) string {
	var b strings.Builder
	for _, row := range []struct {
		name string
		t    *tally
	}{
		{"in flight", &r.flying.all},
		{"until noticed", &r.shared.stages[untilNoticed].all},
		{"…, single threads", &r.alone.stages[untilNoticed].all},
		{"after", &r.shared.stages[noticed].all},
	} {
		fmt.Fprintf(&b, "| %s, %s | %s | %d |", r.death(), r.column(), row.name, row.t.sends)
		if row.t.sends == 0 {
			b.WriteString(" | | | | | | |\n")
			continue
		}
		for _, n := range []int{row.t.atOnce, row.t.retried, row.t.weak, row.t.failed} {
			fmt.Fprintf(&b, " %s |", cellShare(row.t.share(n)))
		}
		fmt.Fprintf(&b, " %s | %s | %d |\n", span(median(row.t.latencies)),
			span(slices.Max(row.t.latencies)), row.t.duplicates)
	}
	return b.String()
}

// lossRow is what the fault cost in messages.
func lossRow(r *result) string {
	after := "–"
	if r.shared.noticedAfter > 0 {
		after = fmt.Sprintf("%.1f s", r.shared.noticedAfter.Seconds())
	}
	unreadable := fmt.Sprint(r.shared.unreadable)
	if r.shared.unreadable > 0 {
		unreadable += fmt.Sprintf(" of %d", r.shared.stored)
	}
	failures := map[string]int{}
	for _, s := range []stage{untilNoticed, noticed} {
		for k, n := range r.shared.stages[s].all.failures {
			failures[k] += n
		}
	}
	var names []string
	for _, k := range slices.Sorted(maps.Keys(failures)) {
		names = append(names, fmt.Sprintf("%s (%d)", k, failures[k]))
	}
	t := &r.before.hits
	return fmt.Sprintf("| %s, %s | %s | %d of %d | %d | %s | %s |\n", r.death(), r.column(), after,
		t.lost, t.sends, t.stranded, unreadable, strings.Join(names, ", "))
}

// cellShare is a share in a table.
func cellShare(x float64) string {
	switch x {
	case 0:
		return "–"
	case 1:
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}
