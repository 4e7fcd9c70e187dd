package report

import (
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

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
	if _, empty := peopled(r); len(empty) > 0 {
		p.wrapped("", "no message counts in "+strings.Join(empty, ", "), 2, dim)
	}
	p.wrapped("", quietWords(r), 0, dim)
	p.retries(r)
	p.worstInstance(r)
}

// retries writes what is left of the retries that are configured.
func (p *page) retries(r *result.Run) {
	var parts []string
	for _, g := range r.Setup.Producers {
		s, name := rowOf(r, result.PhaseAll, result.DimProducer, g.Name), g.Name+": "
		if len(r.Setup.Producers) == 1 {
			s, _ = r.StatsOf(result.PhaseAll)
			name = ""
		}
		if s.EffectiveRetries != nil {
			parts = append(parts, name+"configured "+strconv.Itoa(g.Retries)+", effective "+
				number(*s.EffectiveRetries))
		}
	}
	const failing = " for a message whose first attempt failed"
	resent := ""
	if all, _ := r.StatsOf(result.PhaseAll); all.Resends > 0 {
		resent = ", over all sends of it (on_failure = \"resend\")"
	}
	if len(parts) > 0 {
		p.wrapped("", "retries "+strings.Join(parts, "; ")+failing+resent, 0, dim)
	}
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
	t := &table{}
	rows := p.phaseRows(r)
	for _, row := range rows {
		t.stub = append(t.stub, cell{text: row.label})
	}
	phases, _ := peopled(r)
	for _, ph := range phases {
		head := phaseHead(ph.Name, twoLines)
		c := t.column(append(head, interval(ph.FromNS, ph.ToNS))...)
		s, _ := r.StatsOf(ph.Name)
		s.Phase = ph.Name
		for _, row := range rows {
			c.cells = append(c.cells, row.of(s))
		}
	}
	return t
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

// peopled are the phases that were reached and have messages, and the names of those that have none. If
// none has any, all are worth a column.
func peopled(r *result.Run) (phases []result.Phase, empty []string) {
	for _, ph := range reached(r) {
		if s, ok := r.StatsOf(ph.Name); ok && s.Messages == 0 {
			empty = append(empty, brief(ph.Name, longestLabel)+" ("+interval(ph.FromNS, ph.ToNS)+")")
			continue
		}
		phases = append(phases, ph)
	}
	if len(phases) == 0 || onlyAll(phases) {
		return reached(r), nil
	}
	return phases, empty
}

// onlyAll says whether there is no phase but the whole run.
func onlyAll(phases []result.Phase) bool {
	return len(phases) == 1 && phases[0].Name == result.PhaseAll
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

// ratio is a share of n messages; there is none of no messages.
func ratio(part, n int64) cell {
	if n == 0 {
		return cell{text: none}
	}
	return cell{text: percent(float64(max(0, part))/float64(n), 2)}
}

// successOf is the share of messages that ended without an exception.
func successOf(s result.Stats) cell { return ratio(answered(s)-s.Failed, answered(s)) }

// perMessage is the number of attempts for a message.
func perMessage(s result.Stats) cell {
	per, ok := s.AttemptsPerMessage()
	if !ok {
		return cell{text: none}
	}
	return cell{text: valueText(result.UnitPer, per)}
}

// quantile is a quantile of some times, with a mark if few of what they are of lie beyond it.
func (p *page) quantile(l result.Latency, name, of string) cell {
	if l.N == 0 {
		return cell{text: none}
	}
	ns := map[string]int64{"p50": l.P50NS, "p99": l.P99NS, "p999": l.P999NS, "max": l.MaxNS}[name]
	c := cell{text: duration(ns)}
	if slices.Contains(l.Thin, name) {
		c.mark = p.note(thinNote(of))
	}
	return c
}

// thinNote is the footnote of a quantile with fewer than ten beyond it.
func thinNote(of string) string {
	return "fewer than ten " + of + " lie beyond this quantile: another seed may move it far"
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
