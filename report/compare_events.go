package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// comparedEvents writes how often what should never happen did, in each variant: a median would hide it.
func (p *page) comparedEvents(c *result.Comparison) {
	n := len(c.Seeds)
	t := &table{}
	mean, share := t.column("a run", "has"), t.column("seeds", "with any")
	interval, worst := t.column("95 %", "interval"), t.column("worst", "seed")
	pairs := t.column("seeds with", "more, fewer")
	verdict := t.column("verdict")
	verdict.left = true
	var never []string
	for _, e := range c.Events {
		if !slices.ContainsFunc(e.ByVariant, func(x result.SeedEvents) bool { return x.Seeds > 0 }) {
			never = append(never, eventText(e.Name))
			continue
		}
		t.stub = append(t.stub, cell{text: eventText(e.Name), ink: dim})
		for _, col := range t.cols {
			col.put("")
		}
		for v, x := range e.ByVariant {
			t.stub = append(t.stub, cell{text: "  " + c.Variants[v].Name})
			k := plain
			if x.Seeds > 0 {
				k = bad
			}
			mean.cells = append(mean.cells, cell{text: number(x.Mean), ink: k})
			share.put(strconv.Itoa(x.Seeds) + " of " + strconv.Itoa(n))
			interval.put(seedShareText(x.Low, x.High))
			text := none
			if x.Worst != nil {
				text = strconv.FormatUint(*x.Worst, 10)
			}
			worst.put(text)
			pairs.put(moreAndFewer(&e, v, v == c.Reference))
			verdict.cells = append(verdict.cells, eventVerdict(&e, v, v == c.Reference))
		}
	}
	p.gap()
	p.wrapped("", "what should not happen, after the warm-up", 0, bold)
	if len(t.stub) > 0 {
		p.table(t)
	}
	if len(never) > 0 {
		p.wrapped("", "none in "+plural(int64(n), "seed")+" of any variant ("+atMostWords(n)+"): "+
			strings.Join(never, "; "), 2, plain)
	}
}

// moreAndFewer is on how many seeds there is more of a bad event than in the reference, and on how many less.
func moreAndFewer(e *result.PairedEvents, v int, reference bool) string {
	if reference || v >= len(e.Against) {
		return ""
	}
	return strconv.Itoa(e.Against[v].More) + ", " + strconv.Itoa(e.Against[v].Fewer)
}

// eventVerdict says whether the seeds with more of a bad event than in the reference outnumber those with
// less, or the other way round, by more than chance.
func eventVerdict(e *result.PairedEvents, v int, reference bool) cell {
	if reference || v >= len(e.Against) {
		return cell{}
	}
	x := e.Against[v]
	if x.Outcome == "" {
		return cell{}
	}
	return cell{text: outcomeWords[x.Outcome], ink: outcomeInk(x.Outcome)}
}

// seedShareText is the interval of a share of the seeds.
func seedShareText(low, high *float64) string {
	if low == nil || high == nil {
		return none
	}
	return percent(*low, 0) + " … " + percent(*high, 0)
}

// comparedExpectations writes how often each expectation held in each variant. They judge runs, not
// differences: nothing is made of them here.
func (p *page) comparedExpectations(c *result.Comparison) {
	var rules []result.Expectation
	seen := map[string]bool{}
	for _, v := range c.Variants {
		if v.Set == nil {
			continue
		}
		for _, x := range v.Set.Expectations {
			if !seen[x.Rule.Name] && !x.Rule.Skipped {
				seen[x.Rule.Name] = true
				rules = append(rules, x.Rule)
			}
		}
	}
	if len(rules) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "expectations: on how many seeds each held", 0, bold)
	for _, rule := range rules {
		p.wrapped("", rule.Name+": "+expectationText(rule), 2, plain)
		var parts []string
		for _, v := range c.Variants {
			if v.Set != nil {
				parts = append(parts, v.Name+" "+heldText(v.Set, rule.Name))
			}
		}
		p.wrapped("  ", strings.Join(parts, " · "), 2, dim)
	}
}

// heldText says on how many seeds of a set an expectation held.
func heldText(set *result.SeedSet, name string) string {
	for _, x := range set.Expectations {
		if x.Rule.Name != name || x.Rule.Skipped {
			continue
		}
		judged := len(x.Held) + len(x.Failed) + len(x.Undecided)
		text := strconv.Itoa(len(x.Held)) + " of " + strconv.Itoa(judged)
		const most = 4
		if len(x.Failed) > 0 && len(x.Held) > 0 {
			text += " (not " + listed(seedNames(x.Failed), most) + ")"
		}
		if len(x.Undecided) > 0 {
			text += " (undecided on " + strconv.Itoa(len(x.Undecided)) + ")"
		}
		return text
	}
	return none
}

// comparedPrecision writes how seeds were added until a row was precise enough.
func (p *page) comparedPrecision(x *result.Precision) {
	if x == nil {
		return
	}
	var looks []string
	for _, l := range x.Looks {
		text := strconv.Itoa(l.Seeds) + " seeds "
		if l.HalfWidth == nil {
			looks = append(looks, text+"nothing ("+cmp.Or(l.Reason, "no interval")+")")
			continue
		}
		looks = append(looks, text+HalfWidth(*l.HalfWidth))
	}
	end := "not reached"
	if x.Reached {
		end = "reached"
	}
	p.gap()
	p.wrapped("", "until "+x.Addressed()+" was precise to "+HalfWidth(x.Target)+": "+
		strings.Join(looks, ", ")+": "+end+"; the looks share the 5 %", 2, plain)
}

// HalfWidth is how precisely a number is known, relative to it, to three digits: "±0.271 %".
func HalfWidth(x float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(100*x, 'g', 3, 64), 64)
	if err != nil {
		short = 100 * x
	}
	return "±" + strconv.FormatFloat(short, 'f', -1, 64) + " %"
}

// eventText is what should never happen, in words.
func eventText(name string) string { return cmp.Or(eventWords[name], name) }
