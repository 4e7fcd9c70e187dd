package main

import (
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"
)

var full = flag.Bool("full", false, "measure every cell of the table, not a sample")

const pagePath = "../../docs/power-loss-table.md"

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page says what the simulator measures: a sample of the cells is measured again, each way to die
// and each cluster among them, and every number and sentence of them stands on the page. -full measures
// all of them and compares the whole page.
func TestPageIsUpToDate(t *testing.T) {
	got := readPage(t)
	if *full {
		want, err := write()
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Error("docs/power-loss-table.md is out of date; run: make power-loss-table")
		}
		return
	}
	if !strings.HasPrefix(got, preface) {
		t.Error("docs/power-loss-table.md begins otherwise; run: make power-loss-table")
	}
	const every = 7 // prime to the number of columns and ways to die, so all of them are in the sample
	var sample []key
	for i, k := range keys(false) {
		if !k.retry && i/2%every == 0 {
			sample = append(sample, k)
		}
	}
	all, err := measureAll(sample, false, runtime.NumCPU())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range sample {
		r := all[k]
		for _, text := range []string{detailRows(r), lossRow(r), verdictText(judge(r))} {
			if !strings.Contains(section(got, k.cell), text) && !strings.Contains(got, " "+text+" |") {
				t.Errorf("case %v, %s, %s is out of date; run: make power-loss-table. Now:\n%s", k.cell,
					k.column(), k.death(), text)
			}
		}
	}
}

// section are the details of a cell on the page.
func section(page string, c cell) string {
	_, rest, _ := strings.Cut(page, heading(c))
	text, _, _ := strings.Cut(rest, "\n### ")
	return text
}

// What the published table gets wrong, and what it gets right, in the cells that decide it. The page's
// sentences are made of the same figures.
func TestWhatContradictsThePublishedTable(t *testing.T) {
	run := func(number int, sync bool, v variant) *result {
		t.Helper()
		r, err := measure(cell{number, sync}, v, false)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	old, new1 := variant{release: "4.9.8"}, variant{release: "5.3.3", inSync: 1}
	killed := func(v variant) variant { v.killed = true; return v }

	t.Run("a silent death leaves no time for a retry", func(t *testing.T) {
		r := run(3, true, old)
		hits := &r.alone.stages[untilNoticed].hits
		if hits.share(hits.spent) < 0.8 || r.holds(r.alone) {
			t.Errorf("%d of %d sends spend their time in the first attempt", hits.spent, hits.sends)
		}
	})
	t.Run("a refused attempt does", func(t *testing.T) {
		if r := run(3, true, killed(old)); !judge(r).holds {
			t.Errorf("%s", judge(r).words)
		}
	})
	t.Run("a killed slave is a status", func(t *testing.T) {
		r := run(1, true, killed(old))
		if hits := &r.shared.stages[noticed].hits; hits.weak != hits.sends || hits.sends == 0 {
			t.Errorf("%d of %d sends have a weaker status", hits.weak, hits.sends)
		}
	})
	t.Run("a silent slave is a brownout of 20 s and then a status", func(t *testing.T) {
		r := run(2, true, old)
		until, after := &r.shared.stages[untilNoticed].all, &r.shared.stages[noticed].all
		if until.share(until.failed) < 0.85 || after.weak != after.sends {
			t.Errorf("%d of %d fail, then %d of %d have a weaker status", until.failed, until.sends,
				after.weak, after.sends)
		}
		if s := r.shared.noticedAfter.Seconds(); s < 14 || s > 21.1 {
			t.Errorf("the slaves' connections are closed after %.1f s, want 14 to 21", s)
		}
	})
	t.Run("5.3.3 waits for no slave by default", func(t *testing.T) {
		r := run(2, true, new1)
		if all := &r.shared.stages[untilNoticed].all; all.atOnce != all.sends {
			t.Errorf("%d of %d sends succeed at once", all.atOnce, all.sends)
		}
	})
	t.Run("asynchronous case 5 is case 3", func(t *testing.T) {
		three, five := run(3, false, killed(new1)), run(5, false, killed(new1))
		for s := range numStages {
			x, y := &three.shared.stages[s].all, &five.shared.stages[s].all
			if x.sends != y.sends || x.atOnce != y.atOnce || x.retried != y.retried || x.failed != y.failed {
				t.Errorf("%v: %+v, %+v", s, x, y)
			}
		}
	})
	t.Run("case 4 leaves an empty route, case 6 the old one", func(t *testing.T) {
		four, six := run(4, false, killed(new1)), run(6, false, killed(new1))
		if o := four.alone; o.emptied != o.clients || o.kept != 0 {
			t.Errorf("both masters dead: %d of %d clients have no queues", o.emptied, o.clients)
		}
		if o := six.alone; o.kept != o.clients || o.emptied != 0 {
			t.Errorf("all four dead: %d of %d clients keep their route", o.kept, o.clients)
		}
	})
}
