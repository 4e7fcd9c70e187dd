package report

import (
	"strconv"

	"simrun/internal/result"
)

// Marks of verdicts beside medians.
const (
	markBetter = " ✓"
	markWorse  = " ✗"
)

// comparedOverview writes the medians of the named rows side by side, if there are more than two variants:
// fewer stand side by side in their own table.
func (p *page) comparedOverview(c *result.Comparison) {
	named := comparedNamed(c)
	if len(c.Variants) < 3 || len(named) == 0 {
		return
	}
	t := &table{}
	for _, r := range named {
		t.stub = append(t.stub, cell{text: comparedLabel(c, r)})
	}
	for v, x := range c.Variants {
		col := t.column(x.Name)
		for _, r := range named {
			out := cell{text: seedValueText(r, r.Medians[v])}
			if v != c.Reference {
				out.ink = outcomeInk(r.Against[v].Outcome)
				switch r.Against[v].Outcome {
				case result.OutcomeBetter:
					out.mark = markBetter
				case result.OutcomeWorse:
					out.mark = markWorse
				}
			}
			col.cells = append(col.cells, out)
		}
	}
	p.gap()
	p.wrapped("", "medians over "+plural(int64(len(c.Seeds)), "seed"), 0, bold)
	p.table(t)
	p.wrapped("", "✓ better, ✗ worse than "+c.Variants[c.Reference].Name+"; without either no difference is "+
		"shown", 0, dim)
}

// comparedPair writes one variant against the reference.
func (p *page) comparedPair(c *result.Comparison, v int) {
	against := c.Variants[v].Name + " against " + c.Variants[c.Reference].Name
	if named := comparedNamed(c); len(named) > 0 {
		p.gap()
		p.wrapped("", against+": rows named before the runs", 0, bold)
		p.table(p.pairTable(c, v, named, true))
		p.footnotes()
		p.wrapped("", plannedText(c, v, named), 0, dim)
	}
	p.otherRows(c, v, against)
}

// pairTable has a row for each metric: medians of both, difference with interval, and how sure it is.
func (p *page) pairTable(c *result.Comparison, v int, rows []*result.PairedRow, tested bool) *table {
	t := &table{}
	base, own := t.column(c.Variants[c.Reference].Name), t.column(c.Variants[v].Name)
	diff, interval := t.column("difference"), t.column(confidenceText(c)+" interval")
	var verdict, chance *column
	if tested {
		verdict = t.column("verdict")
		verdict.left = true
	}
	const roomy = 60
	for _, col := range t.cols[2:] {
		if p.opt.width() >= roomy {
			col.group = " " // not torn apart
		}
	}
	signs := t.column("seeds")
	if tested {
		chance = t.column("p")
	}
	gain := t.column("gain")
	for _, r := range rows {
		d, reference := &r.Against[v], r.Medians[c.Reference]
		t.stub = append(t.stub, cell{text: comparedLabel(c, r)})
		base.cells = append(base.cells, p.medianCell(c, r, c.Reference))
		own.cells = append(own.cells, p.medianCell(c, r, v))
		texts := differenceTexts(r, reference, d)
		diff.put(texts[0])
		interval.put(texts[1])
		signs.put(signsText(d))
		gain.put(gainText(d.Gain))
		if tested {
			verdict.cells = append(verdict.cells,
				cell{text: outcomeWords[d.Outcome], ink: outcomeInk(d.Outcome)})
			if d.Pairs == 0 {
				chance.put(none) // nothing was tested
				continue
			}
			chance.put(chanceText(d.Adjusted))
		}
	}
	return t
}

// medianCell is the median of a variant, with a footnote if it needs one.
func (p *page) medianCell(c *result.Comparison, r *result.PairedRow, v int) cell {
	out := cell{text: seedValueText(r, r.Medians[v])}
	set := c.Variants[v].Set
	if set == nil {
		return out
	}
	for i := range set.Metrics {
		m := &set.Metrics[i]
		if m.Metric != r.Metric || m.Phase != r.Phase || m.Fault != r.Fault {
			continue
		}
		switch {
		case m.Off:
			return cell{text: "off", mark: p.note(noteOff)}
		case len(m.Thin) > 0:
			out.mark = p.note("in some seeds " + thinNote("messages"))
		case out.text == "never":
			out.mark = p.note("on some instance and broker not by the end of the run, nor before the next " +
				"fault")
		}
	}
	return out
}

// otherRows writes what was not named as far as it can be told from no difference: all messages and faults,
// then phases.
func (p *page) otherRows(c *result.Comparison, v int, against string) {
	var rows, phases []*result.PairedRow
	others, byLuck := 0, 0.0
	for i := range c.Rows {
		r := &c.Rows[i]
		d := &r.Against[v]
		if r.Named || r.Phase == result.PhaseWarmup || d.Pairs == 0 {
			continue
		}
		others++
		byLuck += luckLeavesOut(d)
		switch {
		case !leavesOutZero(d):
		case r.Phase == "" || r.Phase == result.PhaseAll:
			rows = append(rows, r)
		default:
			phases = append(phases, r)
		}
	}
	rows = append(rows, phases...)
	if len(rows) == 0 {
		return
	}
	p.gap()
	p.wrapped("", against+": other rows, without a verdict", 0, bold)
	p.table(p.pairTable(c, v, rows, false))
	by := "interval"
	if rows[0].Against[v].Low == nil {
		by = "sign of all seeds"
	}
	p.wrapped("", "of "+plural(int64(others), "other row")+" the "+by+" leaves out 0 in these "+
		strconv.Itoa(len(rows))+"; luck alone does so in "+atMostAbout(byLuck)+"; comparison.csv has all", 0, dim)
	p.footnotes()
}
