package experiment

import (
	"slices"

	"simrun/internal/result"
	"simrun/model"
)

// stats are the messages by phase, and within a phase of all, by producer group and by topic.
func (f *fold) stats() []result.Stats {
	var out []result.Stats
	for _, phase := range f.cursor.phases {
		row := func(dim result.Dimension, name string, in func(slot) bool) *result.Stats {
			var s result.Stats
			if n := len(out); f.sameSlots(in, f.everySlot) && n > 0 && out[n-1].Phase == phase.Name {
				i := slices.IndexFunc(out, func(s result.Stats) bool { return s.Phase == phase.Name })
				s = out[i] // the row of all
			} else {
				s = f.sumOf(phase.Name, in).stats()
			}
			s.AvoidedNS = nil
			s.Phase, s.Dim, s.Name = phase.Name, dim, name
			out = append(out, s)
			return &out[len(out)-1]
		}
		avoided := f.avoidedIn(phase.Name)
		all := row(result.DimAll, "", f.everySlot)
		all.AvoidedNS = new(int64)
		for _, ns := range avoided {
			*all.AvoidedNS += ns
		}
		for i, p := range f.cfg.Producers {
			s := row(result.DimProducer, p.Name, func(s slot) bool { return s.group == i })
			s.AvoidedNS = &avoided[i]
		}
		for i, t := range f.cfg.Topics {
			row(result.DimTopic, t.Name, func(s slot) bool { return s.topic == i })
		}
	}
	return out
}

// everySlot takes all of them, as the row of all messages does.
func (f *fold) everySlot(slot) bool { return true }

// sameSlots says whether two selections of slots are the same.
func (f *fold) sameSlots(a, b func(slot) bool) bool {
	return !slices.ContainsFunc(f.slots.list, func(s slot) bool { return a(s) != b(s) })
}

// avoidedIn is the time that the tables of each group refused brokers in a phase, in nanoseconds.
func (f *fold) avoidedIn(phase string) []int64 {
	groups := len(f.cfg.Producers)
	out := make([]int64, groups)
	for i, d := range f.brokers.avoided {
		if f.cursor.within(i/groups, phase) {
			out[i%groups] += int64(d)
		}
	}
	return out
}

// sumOf adds up the leaves of a phase (of all phases in "all") and some slots.
func (f *fold) sumOf(phase string, in func(slot) bool) *leaf {
	total := &leaf{}
	n := len(f.slots.list)
	for i := range f.leaves {
		if f.cursor.within(i/n, phase) && in(f.slots.list[i%n]) {
			total.merge(&f.leaves[i])
		}
	}
	return total
}

// brokerStats are the attempts by phase and broker.
func (f *fold) brokerStats() []result.Broker {
	var out []result.Broker
	nb := len(f.cfg.Brokers)
	for _, phase := range f.cursor.phases {
		rows, loads := make([]brokerRow, nb), make([]loadRow, nb)
		all := int64(0)
		for i := range f.brokers.rows {
			if f.cursor.within(i/nb, phase.Name) {
				rows[i%nb].merge(&f.brokers.rows[i])
				loads[i%nb].add(&f.load.rows[i])
				all += f.brokers.rows[i].sent()
			}
		}
		for b := range rows {
			row := rows[b].result(all)
			row.Utilisation, row.Queue = loads[b].utilisation(), loads[b].queue()
			row.BusyReplies, row.Refused = loads[b].busyReplies, loads[b].refusals()
			row.Phase, row.Name = phase.Name, f.cfg.Brokers[b].Name
			out = append(out, row)
		}
	}
	return out
}

// ledger is the model's account with the causes that the fold has kept.
func (f *fold) ledger(l *model.Ledger) result.Ledger {
	out := result.Ledger{
		Sent: l.Sent, ExtraCopies: l.ExtraCopies, Rows: []result.LedgerRow{},
		Losses: f.causes.lossResults(f.cfg), Extras: f.causes.extraResults(f.cfg),
	}
	for _, row := range l.Rows {
		out.Rows = append(out.Rows, result.LedgerRow{
			Answer:      row.Answer,
			NeverStored: row.ByFate[model.NeverStored],
			AtRisk:      row.ByFate[model.AtRisk],
			Durable:     row.ByFate[model.Durable],
			Stranded:    row.ByFate[model.Stranded],
			Lost:        row.ByFate[model.Lost],
		})
	}
	return out
}
