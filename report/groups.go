package report

import (
	"slices"

	"simrun/internal/result"
)

// groups writes what came of the messages of each producer group and of each topic, where there are
// several: all of them, and those of each fault.
func (p *page) groups(r *result.Run) {
	if len(r.Setup.Producers) > 1 {
		var names []string
		for _, g := range r.Setup.Producers {
			names = append(names, g.Name)
		}
		t := p.breakdown(r, result.DimProducer, names)
		avoidedColumn(t, r)
		p.gap()
		p.wrapped("", "producer groups", 0, bold)
		p.table(t)
		p.wrapped("", "avoided: the time that an instance's fault table refuses brokers, added up over them, on "+
			"average", 0, dim)
		p.footnotes()
	}
	if topics := topicNames(r); len(topics) > 1 {
		t := p.breakdown(r, result.DimTopic, topics)
		p.gap()
		p.wrapped("", "topics", 0, bold)
		p.table(t)
		p.footnotes()
	}
}

// topicNames are the topics that some group sends to, in the order of the scenario.
func topicNames(r *result.Run) []string {
	var names []string
	for _, t := range r.Setup.Topics {
		sent := slices.ContainsFunc(r.Setup.Producers, func(g result.SetupProducer) bool {
			return slices.ContainsFunc(g.Topics, func(s result.SetupShare) bool { return s.Name == t.Name })
		})
		if sent {
			names = append(names, t.Name)
		}
	}
	return names
}

// tablePhases are the phases that a table of groups has: all of it, and each fault if they are few.
func tablePhases(r *result.Run) []result.Phase {
	const most = 4
	phases := slices.DeleteFunc(slices.Clone(reached(r)), func(ph result.Phase) bool {
		return ph.Name != result.PhaseAll && !ph.IsFault()
	})
	if len(phases) > most {
		phases = slices.DeleteFunc(phases, func(ph result.Phase) bool { return ph.IsFault() })
	}
	return phases
}

// breakdown is a table of the messages of each name, phase by phase.
func (p *page) breakdown(r *result.Run, by result.Dimension, names []string) *table {
	t := &table{}
	phases := tablePhases(r)
	for _, ph := range phases {
		t.stub = append(t.stub, cell{text: ph.Name, ink: dim})
		for _, name := range names {
			t.stub = append(t.stub, cell{text: "  " + name})
		}
	}
	column := func(of func(s result.Stats) cell, head ...string) {
		c := t.column(head...)
		for _, ph := range phases {
			c.cells = append(c.cells, cell{})
			for _, name := range names {
				c.cells = append(c.cells, of(rowOf(r, ph.Name, by, name)))
			}
		}
	}
	column(func(s result.Stats) cell { return cell{text: count(s.Messages)} }, "messages")
	column(successOf, "success")
	column(func(s result.Stats) cell { return counted(s.Failed, bad) }, "failed")
	column(func(s result.Stats) cell { return p.quantile(s.Latency, "p50", "messages") }, "p50")
	column(func(s result.Stats) cell { return p.quantile(s.Latency, "p99", "messages") }, "p99")
	column(perMessage, "attempts/", "message")
	return t
}

// avoidedColumn adds how long the tables of each group refused brokers.
func avoidedColumn(t *table, r *result.Run) {
	c := t.column("avoided")
	for _, ph := range tablePhases(r) {
		c.cells = append(c.cells, cell{})
		for _, g := range r.Setup.Producers {
			s := rowOf(r, ph.Name, result.DimProducer, g.Name)
			switch {
			case !g.Avoidance:
				c.put("off")
			case s.AvoidedNS == nil || g.Count == 0:
				c.put(none)
			default:
				c.put(span(*s.AvoidedNS / int64(g.Count)))
			}
		}
	}
}

// rowOf are the messages of a group or a topic in a phase.
func rowOf(r *result.Run, phase string, dim result.Dimension, name string) result.Stats {
	for _, s := range r.Stats {
		if s.Phase == phase && s.Dim == dim && s.Name == name {
			return s
		}
	}
	return result.Stats{}
}
