package report

import (
	"cmp"
	"slices"

	"simrun/internal/result"
)

// Bounds of the figure of fault tables: rows of instances and bars in all.
const (
	mostTableRows = 120
	mostTableBars = 2500
)

// followed is how many instances of a group the results follow at least, if there are so many.
const followed = 16

// levelFills are the colours of the entries of latencyMax, from low to high: lightness falls with the level.
// Source: ColorBrewer, YlOrBr, the upper seven of nine.
var levelFills = []colour{
	{R: 0xFE, G: 0xE3, B: 0x91, A: 0xFF},
	{R: 0xFE, G: 0xC4, B: 0x4F, A: 0xFF},
	{R: 0xFE, G: 0x99, B: 0x29, A: 0xFF},
	{R: 0xEC, G: 0x70, B: 0x14, A: 0xFF},
	{R: 0xCC, G: 0x4C, B: 0x02, A: 0xFF},
	{R: 0x99, G: 0x34, B: 0x04, A: 0xFF},
	{R: 0x66, G: 0x25, B: 0x06, A: 0xFF},
}

// tableGroup is a producer group in the block of a broker.
type tableGroup struct {
	name         string
	shown, count int // instances in rows, and that there are
	rows         [][]result.Isolation
	// isolations and unexplained count the stretches in the rows.
	isolations, unexplained int
}

// tableBlock is a broker with the rows of those who avoid it.
type tableBlock struct {
	broker string
	struck [][2]int64
	groups []tableGroup
}

// FaultTable draws when each broker was avoided by the fault table of each producer instance: a block of
// rows for each broker, a row for each instance. The colour is the entry of latencyMax that was reached,
// pale is the fault that struck the broker. It is nil if no fault table ever refused a broker.
func FaultTable(r *result.Run) *Figure {
	if len(r.Isolations) == 0 {
		return nil
	}
	t := newTimeline(r)
	t.unshaded = true
	d := tableDrawing{end: t.end, levels: levelsOf(r.Setup), named: len(r.Setup.Producers) > 1}
	d.blocks = tableBlocks(r, t.end)
	d.place()
	p := t.gridded("one row for each producer instance"+d.shownWords()+
		"; a bar is the time in which its fault table refuses the broker", d.height, true, false)
	p.plot.Y.Min, p.plot.Y.Max = 0, float64(d.height)
	p.plot.Y.Tick.Length = 0
	p.plot.Y.Tick.Marker = d.names(t)
	p.plot.Add(d)
	p.direct = d.counts()
	t.panels = []panel{p}
	t.foot = d.legend(len(avoidedBrokers(r)))
	return t.figure("fault-table", "When each broker is avoided, by producer instance", tableCaption(r))
}

// avoidedBrokers names the brokers that a fault table refused, in the order of the scenario.
func avoidedBrokers(r *result.Run) []string {
	seen := make(map[string]bool)
	for _, x := range r.Isolations {
		seen[x.Broker] = true
	}
	var names []string
	for _, b := range r.BrokerNames() {
		if seen[b] {
			names = append(names, b)
		}
	}
	return names
}

// tableBrokers are the brokers with a block: those avoided and those struck. Of many, the struck ones
// come first, then those avoided most often; the one most often avoided falsely is always there.
func tableBrokers(r *result.Run) []string {
	n, falsely := make(map[string]int), make(map[string]int)
	for _, x := range r.Isolations {
		n[x.Broker]++
		if !x.Explained {
			falsely[x.Broker]++
		}
	}
	struck := r.FaultedBrokers()
	all := r.BrokerNames()
	names := slices.DeleteFunc(slices.Clone(all), func(b string) bool {
		return n[b] == 0 && !slices.Contains(struck, b)
	})
	slices.SortStableFunc(names, func(a, b string) int {
		hit := func(s string) int {
			if slices.Contains(struck, s) && n[s] > 0 {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(hit(a), hit(b)), cmp.Compare(n[b], n[a]))
	})
	if shown := names[:min(len(names), mostBrokers)]; len(shown) < len(names) {
		odd := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(falsely[a], falsely[b]) })
		if falsely[odd] > 0 && !slices.Contains(shown, odd) {
			shown[len(shown)-1] = odd
		}
		names = shown
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Compare(slices.Index(all, a), slices.Index(all, b))
	})
	return names
}

// tableBlocks are the blocks, with no more rows and bars than there may be.
func tableBlocks(r *result.Run, end int64) []tableBlock {
	brokers := tableBrokers(r)
	most := 0
	for _, g := range r.Setup.Producers {
		most = max(most, g.Count)
	}
	for {
		blocks, rows, bars := cutBlocks(r, brokers, most, end)
		if rows <= mostTableRows && bars <= mostTableBars || most <= 1 {
			return blocks
		}
		most = min(most-1, most*4/5)
		if rows > 2*mostTableRows {
			most = min(most, most*2*mostTableRows/rows+1)
		}
	}
}

// cutBlocks makes blocks of at most so many instances of each group.
func cutBlocks(r *result.Run, brokers []string, most int, end int64) (blocks []tableBlock, rows, bars int) {
	for _, name := range brokers {
		b := tableBlock{broker: name, struck: struckSpans(r, name, end)}
		for _, g := range r.Setup.Producers {
			tg := tableGroup{name: g.Name, count: g.Count}
			known := 0
			for _, x := range r.Isolations {
				if x.Producer == g.Name {
					known = max(known, x.Instance+1)
				}
			}
			if g.Avoidance && g.Count <= followed {
				known = g.Count // some of them avoided nothing
			}
			tg.shown = min(known, most)
			if tg.shown == 0 {
				continue
			}
			tg.rows = make([][]result.Isolation, tg.shown)
			for _, x := range r.Isolations {
				if x.Producer != g.Name || x.Broker != name || x.Instance >= tg.shown || x.FromNS >= end {
					continue
				}
				tg.rows[x.Instance] = append(tg.rows[x.Instance], x)
				tg.isolations++
				if !x.Explained {
					tg.unexplained++
				}
			}
			for i := range tg.rows {
				tg.rows[i] = mergeThin(tg.rows[i], end)
				bars += len(tg.rows[i])
			}
			rows += tg.shown
			b.groups = append(b.groups, tg)
		}
		blocks = append(blocks, b)
	}
	return blocks, rows, bars
}

// mergeThin sorts the stretches of a row, ends each where the next begins, and makes one of those too thin
// and close to be told apart: of the highest level among them.
func mergeThin(row []result.Isolation, end int64) []result.Isolation {
	slices.SortStableFunc(row, func(a, b result.Isolation) int { return cmp.Compare(a.FromNS, b.FromNS) })
	const width = float64(figureWidth - leftMargin - rightMargin)
	thin := int64(0.8 / width * float64(end))
	var out []result.Isolation
	for _, x := range row {
		n := len(out)
		if n == 0 {
			out = append(out, x)
			continue
		}
		last := &out[n-1]
		last.UntilNS = min(last.UntilNS, x.FromNS)
		if x.UntilNS-x.FromNS < thin && last.UntilNS-last.FromNS < thin && x.FromNS-last.UntilNS < thin {
			last.UntilNS = x.UntilNS
			last.LevelNS = max(last.LevelNS, x.LevelNS)
			last.Explained = last.Explained && x.Explained
			last.Isolated = last.Isolated || x.Isolated
			continue
		}
		out = append(out, x)
	}
	return out
}

// struckSpans are the stretches in which faults had their hand on a broker.
func struckSpans(r *result.Run, broker string, end int64) [][2]int64 {
	var out [][2]int64
	for _, f := range r.Faults {
		if !f.Began || f.FromNS > end || !f.HasTarget(broker) {
			continue
		}
		spans := f.Spans
		if own := ownSpans(f, broker); own != nil {
			spans = own
		}
		if len(spans) == 0 {
			spans = [][2]int64{{f.FromNS, f.ToNS}}
		}
		for _, s := range spans {
			out = append(out, [2]int64{s[0], min(s[1], end)})
		}
	}
	return out
}

// ownSpans are the strikes of a broker where a fault strikes its brokers one after the other, each once;
// nil if it is not that kind of fault.
func ownSpans(f result.Fault, broker string) [][2]int64 {
	if len(f.Spans) < 2 || len(f.Spans) != len(f.Effects) {
		return nil
	}
	var own [][2]int64
	for i, e := range f.Effects {
		if e.Strikes != 1 {
			return nil
		}
		if e.Broker == broker {
			own = f.Spans[i : i+1]
		}
	}
	return own
}

// tablesWords say whose tables the results follow, if it is not all of them.
func tablesWords(r *result.Run) string {
	var seen, all int64
	for _, g := range r.Setup.Producers {
		if !g.Avoidance {
			continue
		}
		known := min(g.Count, followed)
		for _, x := range r.Isolations {
			if x.Producer == g.Name {
				known = max(known, x.Instance+1)
			}
		}
		seen, all = seen+int64(known), all+int64(g.Count)
	}
	if seen >= all {
		return "Fault tables"
	}
	return "The fault tables of the first " + count(seen) + " of " + plural(all, "producer instance")
}

// stretches are how many bars there are: an isolation that is renewed before it ends makes one go on, where
// the counts of the summary have another one.
func stretches(n int) string {
	if n == 1 {
		return "one stretch"
	}
	return count(int64(n)) + " stretches"
}

// tableCaption says who was avoided most, and what of it was false.
func tableCaption(r *result.Run) string {
	type tally struct {
		broker     string
		n, falsely int
		avoided    int64
	}
	var worst tally
	total, falsely := 0, 0
	for _, name := range avoidedBrokers(r) {
		x := tally{broker: name}
		for _, s := range r.Isolations {
			if s.Broker != name {
				continue
			}
			x.n++
			x.avoided += min(s.UntilNS, r.SimulatedNS) - s.FromNS
			if !s.Explained {
				x.falsely++
			}
		}
		total, falsely = total+x.n, falsely+x.falsely
		if x.avoided > worst.avoided {
			worst = x
		}
	}
	words := tablesWords(r) + " refused " + worst.broker + " in " + stretches(worst.n) + ", " +
		span(worst.avoided) + " summed over producer instances"
	switch falsely {
	case total:
		return words + "; no fault explains any of the " + stretches(total) + " of this run."
	case 0:
		return words + "; every stretch of this run was of a broker that a fault had its hand on."
	}
	return words + "; of all " + stretches(total) + " " + count(int64(falsely)) +
		" were of a broker that no fault had its hand on."
}
