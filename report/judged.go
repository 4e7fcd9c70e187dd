package report

import (
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// exceptions writes what the callers of failed sends caught, by phase.
func (p *page) exceptions(r *result.Run) {
	p.kinds(r, "exceptions of failed sends", func(phase string) []result.Count {
		s, _ := r.StatsOf(phase)
		return s.Exceptions
	})
}

// failedAttempts writes how attempts failed, by phase, if some got an error answer: what callers
// caught hides the codes of all but the last attempt.
func (p *page) failedAttempts(r *result.Run) {
	coded := false
	of := func(phase string) []result.Count {
		var sum []result.Count
		for _, b := range r.Brokers {
			if b.Phase != phase {
				continue
			}
			for _, c := range slices.Concat(b.Outcomes, b.Statuses) {
				sum = addCount(sum, c)
			}
		}
		return sum
	}
	for _, c := range of(result.PhaseAll) {
		coded = coded || !slices.Contains(uncoded, c.Name)
	}
	if coded {
		p.kinds(r, "attempts that were not answered SEND_OK", of)
	}
}

// uncoded are the ways in which an attempt fails without an answer of the broker.
var uncoded = []string{
	"CONNECT_FAILED", "SEND_REQUEST_FAILED", "TIMEOUT", "TOO_MUCH_REQUEST", "BROKER_NOT_EXIST",
	"INTERRUPTED",
}

// addCount adds a number to that of the same name.
func addCount(sum []result.Count, c result.Count) []result.Count {
	for i := range sum {
		if sum[i].Name == c.Name {
			sum[i].N += c.N
			return sum
		}
	}
	return append(sum, c)
}

// kinds writes a table of numbers by name and phase; phases without any are left out.
func (p *page) kinds(r *result.Run, title string, of func(phase string) []result.Count) {
	var names []string
	var phases []result.Phase
	for _, ph := range r.Phases {
		list := of(ph.Name)
		if len(list) == 0 {
			continue
		}
		phases = append(phases, ph)
		for _, x := range list {
			if !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	if ph, ok := onlyPhase(phases); ok {
		var parts []string
		for _, c := range of(ph.Name) {
			parts = append(parts, c.Name+" "+count(c.N))
		}
		p.gap()
		p.listing(title+", all in "+brief(ph.Name, longestLabel)+":", parts)
		return
	}
	t := &table{longest: longestClass}
	for _, n := range names {
		t.stub = append(t.stub, cell{text: n})
	}
	for _, ph := range phases {
		c := t.column(phaseHead(ph.Name, true)...)
		for _, n := range names {
			c.put(count(countOf(of(ph.Name), n)))
		}
	}
	p.gap()
	p.wrapped("", title, 0, bold)
	p.table(t)
}

// onlyPhase is the phase that has all there is, if it is one.
func onlyPhase(phases []result.Phase) (result.Phase, bool) {
	own := slices.DeleteFunc(slices.Clone(phases), func(ph result.Phase) bool {
		return ph.Name == result.PhaseAll
	})
	if len(own) != 1 {
		return result.Phase{}, false
	}
	return own[0], true
}

// listing writes a title and some parts after it, breaking lines between parts.
func (p *page) listing(title string, parts []string) {
	const hang = 2
	for i := range parts[:len(parts)-1] {
		parts[i] += ","
	}
	lead, room := "", p.opt.width()-hang
	if runes(title) > room {
		p.wrapped("", title, hang, bold)
		lead, title = strings.Repeat(" ", hang), ""
	}
	for _, l := range wrap(append([]string{title}, parts...), " ", room) {
		if rest, ok := strings.CutPrefix(l, title); ok && runes(l) <= room {
			p.line(lead + p.paint(title, bold) + rest)
			title = ""
		} else {
			p.wrapped(lead, l, hang, plain)
		}
		lead = strings.Repeat(" ", hang)
	}
}

func countOf(counts []result.Count, name string) int64 {
	for _, c := range counts {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

// warnings writes what to doubt and what the model leaves out.
func (p *page) warnings(r *result.Run) {
	if len(r.Warnings)+len(r.NotModelled) > 0 {
		p.gap()
	}
	for _, w := range r.Warnings {
		p.wrapped(p.paint("warning: ", doubtful), w, len("warning: "), plain)
	}
	if len(r.NotModelled) > 0 {
		p.wrapped("", "not modelled: "+strings.Join(r.NotModelled, "; "), 0, dim)
	}
}

// verdictMark is the sign of a verdict and its colour.
func verdictMark(e result.Expectation) (string, ink) {
	switch {
	case e.Skipped:
		return "-", dim
	case e.Verdict == result.Passed:
		return "✓", good
	case e.Verdict == result.Failed:
		return "✗", bad
	default:
		return "?", doubtful
	}
}

// expectationText is the rule: metric, where it is measured, and its limits.
func expectationText(e result.Expectation) string { return strings.Join(expectationParts(e), " ") }

// expectationParts are the words of the rule; the limits are one word, not to be torn apart.
func expectationParts(e result.Expectation) []string {
	unit := unitOf(e.Metric)
	var limit string
	switch {
	case e.Min != nil && e.Max != nil && *e.Min == *e.Max:
		limit = "= " + limitText(unit, *e.Min)
	case e.Min != nil && e.Max != nil:
		limit = "in " + limitText(unit, *e.Min) + " … " + limitText(unit, *e.Max)
	case e.Min != nil:
		limit = "≥ " + limitText(unit, *e.Min)
	case e.Max != nil:
		limit = "≤ " + limitText(unit, *e.Max)
	}
	where := e.Where
	if where != "" {
		where = "(" + where + ")"
	}
	return append(breakable(e.Metric+" "+where), limit)
}

// foundText is what an expectation found, with its unit.
func foundText(e result.Expectation) string {
	switch {
	case e.Skipped:
		return "skipped"
	case e.Infinite:
		return "never"
	case e.Actual == nil:
		return none
	}
	return actualText(unitOf(e.Metric), *e.Actual, e.Min, e.Max)
}

func unitOf(metric string) result.Unit {
	m, _ := result.LookupMetric(metric)
	return m.Unit
}

// expectations writes one line for each: sign, name, rule, and what was found.
func (p *page) expectations(list []result.Expectation) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "expectations", 0, bold)
	const longest = 14
	name, found := 0, 0
	for _, e := range list {
		name = max(name, runes(e.Name))
		found = max(found, runes(foundText(e)))
	}
	name = min(name, longest)
	for _, e := range list {
		p.expectation(e, name, found)
	}
}

func (p *page) expectation(e result.Expectation, name, found int) {
	mark, k := verdictMark(e)
	const margins = 2 + 2 + 2 // sign, and gaps around the rule
	room := p.opt.width() - name - found - margins
	if room < narrowRule {
		p.stackedExpectation(e, k, found)
		return
	}
	lead := p.paint(mark, k) + " "
	if runes(e.Name) > name {
		p.line(lead + brief(e.Name, p.opt.width()-2))
		lead = "  "
		lead += strings.Repeat(" ", name)
	} else {
		lead += pad(e.Name, name, false)
	}
	parts := expectationParts(e)
	for i := range parts {
		parts[i] = brief(parts[i], max(room, 2))
	}
	lines := wrap(parts, " ", room)
	hang := strings.Repeat(" ", 2+name+2)
	for i, l := range lines {
		if i > 0 {
			lead = strings.TrimSuffix(hang, "  ")
		}
		text := lead + "  " + l
		if i == 0 {
			text += strings.Repeat(" ", max(0, room-runes(l))) + "  " +
				p.paint(pad(foundText(e), found, true), k)
		}
		p.line(text)
	}
	p.wrapped(hang, reasonWords(e), len(hang), dim)
}

// narrowRule is the least room for a rule beside its name and what was found.
const narrowRule = 24

// stackedExpectation is for narrow pages: the name and what was found, and the rule below.
func (p *page) stackedExpectation(e result.Expectation, k ink, found int) {
	const hang = 2
	mark, _ := verdictMark(e)
	name := brief(e.Name, max(p.opt.width()-hang-found-2, 8))
	gap := max(2, p.opt.width()-hang-runes(name)-runes(foundText(e)))
	p.line(p.paint(mark, k) + " " + name + strings.Repeat(" ", gap) + p.paint(foundText(e), k))
	p.wrapped("  ", expectationText(e), hang, plain)
	p.wrapped("  ", reasonWords(e), hang, dim)
}

// reasonWords say why an expectation does not hold, or is undecided. Where one holds, the counts behind it
// are in the JSON.
func reasonWords(e result.Expectation) string {
	switch {
	case e.Skipped:
		return e.Reason
	case e.Verdict == result.Passed:
		return ""
	case e.Verdict == result.Undecided && e.Reason != "":
		return "undecided: " + e.Reason
	}
	return e.Reason
}

// verdict writes the last line.
func (p *page) verdict(r *result.Run) {
	p.gap()
	text, k := verdictLine(r)
	p.wrapped("", text, 0, k)
}

// verdictLine says in one line what came of the expectations.
func verdictLine(r *result.Run) (string, ink) {
	var n, failed, undecided, skipped int
	for _, e := range r.Expectations {
		switch {
		case e.Skipped:
			skipped++
			continue
		case e.Verdict == result.Failed:
			failed++
		case e.Verdict == result.Undecided:
			undecided++
		}
		n++
	}
	of := " of " + plural(int64(n), "expectation")
	var parts []string
	k := good
	switch {
	case failed > 0:
		parts, k = append(parts, strconv.Itoa(failed)+of+" failed"), bad
		if undecided > 0 {
			parts = append(parts, strconv.Itoa(undecided)+" undecided")
		}
	case undecided > 0:
		parts, k = append(parts, strconv.Itoa(undecided)+of+" undecided"), doubtful
	case n == 0:
		parts, k = append(parts, "no expectations: nothing was judged"), plain
	case n == 1:
		parts = append(parts, "the expectation holds")
	default:
		parts = append(parts, "all "+strconv.Itoa(n)+" expectations hold")
	}
	if skipped > 0 {
		parts = append(parts, strconv.Itoa(skipped)+" skipped")
	}
	text := strings.Join(parts, ", ")
	if !r.Complete {
		text, k = interruptedWords(r)+"; "+text, doubtful
	}
	return text, k
}
