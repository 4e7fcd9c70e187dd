package report

import (
	"math"
	"slices"
	"strconv"

	"simrun/internal/result"
)

// comparedRowView is a row that was named, with a cell for each variant.
type comparedRowView struct {
	Label, Note string
	Cells       []comparedCell
}

// comparedCell is a median, and what it differs by from that of the reference.
type comparedCell struct {
	Value, Mark, Difference, Interval, Word, Sign, Class string
	Notes                                                []string
}

// comparedRowViews are the rows that were named, and the footnotes to them.
func comparedRowViews(c *result.Comparison) (rows []comparedRowView, footnotes []string) {
	p := &page{}
	for _, r := range comparedNamed(c) {
		row := comparedRowView{Label: comparedLabel(c, r), Note: directionWords(r)}
		for v := range c.Variants {
			median := p.medianCell(c, r, v)
			x := comparedCell{Value: median.text, Mark: median.mark}
			if v != c.Reference {
				x.against(c, r, v)
			}
			row.Cells = append(row.Cells, x)
		}
		rows = append(rows, row)
	}
	for i, n := range p.notes {
		footnotes = append(footnotes, superscript(i+1)+" "+n)
	}
	return rows, footnotes
}

// against fills in how a variant differs from the reference.
func (x *comparedCell) against(c *result.Comparison, r *result.PairedRow, v int) {
	d := &r.Against[v]
	if d.Pairs > 0 {
		texts := differenceTexts(r, r.Medians[c.Reference], d)
		x.Difference = texts[0]
		if texts[1] != none {
			x.Interval = "[" + texts[1] + "]"
		}
	}
	x.Word, x.Class = string(d.Outcome), inkClass(outcomeInk(d.Outcome))
	switch d.Outcome {
	case result.OutcomeBetter:
		x.Sign = "✓"
	case result.OutcomeWorse:
		x.Sign = "✗"
	case result.OutcomeNone:
		x.Sign, x.Class = "~", "quiet"
	case result.OutcomeNoPairs:
		x.Class = "quiet"
	case result.OutcomeDifferent, result.OutcomeFew:
	}
	if d.Pairs > 0 {
		words := pairedCounts(d, len(c.Seeds))
		if d.Adjusted != nil {
			words += "; p\u00a0" + chanceText(d.Adjusted)
		}
		x.Notes = append(x.Notes, words)
	}
	if d.SeedsToShow > 0 {
		x.Notes = append(x.Notes, "about "+count(int64(d.SeedsToShow))+" seeds to show it")
	}
}

// directionWords say which way a row is better.
func directionWords(r *result.PairedRow) string {
	switch r.Better {
	case result.LowerIsBetter:
		return "lower is better"
	case result.HigherIsBetter:
		return "higher is better"
	case result.Neutral:
	}
	return ""
}

// comparedSetting is a key that some variant has otherwise than the base.
type comparedSetting struct {
	Path, Base string
	Cells      []settingCell
}

// settingCell is the value of a variant that changes something; empty text: it is not set, if it is changed.
type settingCell struct {
	Text    string
	Changed bool
}

// comparedSettings are the keys in the order in which variants change them, with a cell for each variant that
// changes any.
func comparedSettings(c *result.Comparison) []comparedSetting {
	var out []comparedSetting
	for _, v := range c.Variants {
		for _, s := range v.Settings {
			if !slices.ContainsFunc(out, func(x comparedSetting) bool { return x.Path == s.Path }) {
				out = append(out, comparedSetting{Path: s.Path, Base: s.Base})
			}
		}
	}
	for i := range out {
		for _, v := range c.Variants {
			if len(v.Settings) == 0 {
				continue
			}
			at := slices.IndexFunc(v.Settings, func(s result.VariantSetting) bool { return s.Path == out[i].Path })
			x := settingCell{Changed: at >= 0}
			if at >= 0 {
				x.Text = v.Settings[at].Text
			}
			out[i].Cells = append(out[i].Cells, x)
		}
	}
	return out
}

// comparedExpectation is an expectation, with how often it held in each variant.
type comparedExpectation struct {
	Name, Rule string
	Cells      []comparedHeld
}

// comparedHeld is how often an expectation held.
type comparedHeld struct{ Text, Class string }

// comparedExpectationViews are the expectations of all variants, in their order.
func comparedExpectationViews(c *result.Comparison) []comparedExpectation {
	var out []comparedExpectation
	for v := range c.Variants {
		for _, x := range seedsOf(c, v).Expectations {
			known := slices.ContainsFunc(out, func(e comparedExpectation) bool { return e.Name == x.Rule.Name })
			if known || x.Rule.Skipped {
				continue
			}
			e := comparedExpectation{Name: x.Rule.Name, Rule: expectationText(x.Rule)}
			for k := range c.Variants {
				e.Cells = append(e.Cells, heldCell(seedsOf(c, k), x.Rule.Name))
			}
			out = append(out, e)
		}
	}
	return out
}

// heldCell is coloured if the expectation failed, or was not decided, on some seed.
func heldCell(set *result.SeedSet, name string) comparedHeld {
	h := comparedHeld{Text: heldText(set, name)}
	for _, x := range set.Expectations {
		if x.Rule.Name != name {
			continue
		}
		switch {
		case len(x.Failed) > 0:
			h.Class = inkClass(bad)
		case len(x.Undecided) > 0:
			h.Class = inkClass(doubtful)
		case len(x.Held) > 0:
			h.Class = inkClass(good)
		}
	}
	return h
}

// comparedPhases writes the medians of every phase and fault side by side, as far as variants differ; a star
// marks a difference that can be told from none.
func (p *page) comparedPhases(c *result.Comparison) {
	t := &table{}
	for _, v := range c.Variants {
		t.column(v.Name)
	}
	of, starred := "", false
	for _, r := range phaseOrdered(c) {
		cells, differ := p.phaseCells(c, r)
		if !differ {
			continue
		}
		if at := r.Phase + r.Fault; at != of {
			of = at
			title := r.Phase
			if r.Fault != "" {
				title = "of fault " + r.Fault
			}
			t.stub = append(t.stub, cell{text: title})
			for _, col := range t.cols {
				col.put("")
			}
		}
		bare := *r
		bare.Phase = "" // told above
		t.stub = append(t.stub, cell{text: "  " + comparedLabel(&result.Comparison{}, &bare)})
		for i, x := range cells {
			starred = starred || x.mark == "*"
			t.cols[i].cells = append(t.cols[i].cells, x)
		}
	}
	if len(t.stub) == 0 {
		p.line("In every phase all variants have the same medians.")
		return
	}
	p.table(t)
	words := "rows in which all variants have the same median are left out"
	if starred {
		words = "* the interval of the differences from " + c.Variants[c.Reference].Name + ", seed by seed, " +
			"leaves out 0, or without one all seeds agree: no verdict, for luck alone does so in up to " +
			luckText(c) + " of rows; " + words
	}
	p.wrapped("", words, 0, dim)
	p.footnotes()
}

// luckText is how likely a star is by luck alone, at most.
func luckText(c *result.Comparison) string {
	most := 0.0
	for i := range c.Rows {
		for v := range c.Rows[i].Against {
			if v != c.Reference {
				most = max(most, luckLeavesOut(&c.Rows[i].Against[v]))
			}
		}
	}
	return percent(most, 0)
}

// phaseOrdered are the rows of the phases but the warm-up, and of the faults, in the order in which the runs
// have them.
func phaseOrdered(c *result.Comparison) []*result.PairedRow {
	var order []string
	by := map[string][]*result.PairedRow{}
	add := func(r *result.PairedRow) {
		at := r.Phase + "\n" + r.Fault
		if by[at] == nil {
			order = append(order, at)
		}
		by[at] = append(by[at], r)
	}
	set := seedsOf(c, c.Reference)
	known := map[*result.PairedRow]bool{}
	for _, m := range set.Metrics { // in the order of the scenario
		for i := range c.Rows {
			r := &c.Rows[i]
			if r.Metric == m.Metric && r.Phase == m.Phase && r.Fault == m.Fault && !known[r] {
				known[r] = true
				add(r)
			}
		}
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; !known[r] {
			add(r)
		}
	}
	var rows []*result.PairedRow
	for _, at := range order {
		if by[at][0].Phase != result.PhaseWarmup {
			rows = append(rows, by[at]...)
		}
	}
	return rows
}

// phaseCells are the medians of a row, and whether they differ as they are shown.
func (p *page) phaseCells(c *result.Comparison, r *result.PairedRow) (cells []cell, differ bool) {
	for v := range c.Variants {
		x := cell{text: seedValueText(r, r.Medians[v])}
		if v != c.Reference && r.Against[v].Pairs > 0 && leavesOutZero(&r.Against[v]) {
			x.mark = "*"
		}
		differ = differ || x.mark != "" || x.text != seedValueText(r, r.Medians[0])
		cells = append(cells, x)
	}
	return cells, differ
}

// mostSeedLines is how many seeds the page lists; differences.csv has all.
const mostSeedLines = 40

// comparedSeeds writes the values of the rows that were named, a line for each seed.
func (p *page) comparedSeeds(c *result.Comparison) {
	seeds := c.Seeds[:min(len(c.Seeds), mostSeedLines)]
	for _, r := range comparedNamed(c) {
		t := &table{}
		for _, s := range seeds {
			t.stub = append(t.stub, cell{text: "seed " + strconv.FormatUint(s, 10)})
		}
		for v, x := range c.Variants {
			col := t.column(x.Name)
			for _, s := range seeds {
				col.put(seedValueText(r, seedValueOf(seedsOf(c, v), r, s)))
			}
		}
		p.line(comparedLabel(c, r))
		p.table(t)
	}
	if n := len(c.Seeds) - len(seeds); n > 0 {
		p.gap()
		p.line("and " + plural(int64(n), "seed") + " more, in " + DifferencesFile)
	}
}

// seedValueOf is the value of a row with a seed, NaN if there is none.
func seedValueOf(set *result.SeedSet, r *result.PairedRow, seed uint64) result.SeedValue {
	at := slices.IndexFunc(set.Runs, func(x result.SeedRun) bool { return x.Seed == seed })
	for _, m := range set.Metrics {
		if m.Metric == r.Metric && m.Phase == r.Phase && m.Fault == r.Fault && at >= 0 && at < len(m.Values) {
			return m.Values[at]
		}
	}
	return result.SeedValue(math.NaN())
}
