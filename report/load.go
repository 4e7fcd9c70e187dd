package report

import (
	"cmp"
	"slices"
	"strconv"

	"simrun/internal/result"
)

// mostLoaded is how many brokers the table of loads has.
const mostLoaded = 8

// worthwhile is the utilisation from which the load of brokers is worth telling.
const worthwhile = 0.5

// load writes how busy brokers were, by phase, if one of them was more than half busy or refused sends
// for being busy.
func (p *page) load(r *result.Run) {
	rows := loadedBrokers(r)
	if len(rows) == 0 {
		return
	}
	p.gap()
	p.wrapped("", "load of brokers: share of send threads in use, and sends refused as busy", 0, bold)
	t := &table{}
	for _, name := range rows {
		t.stub = append(t.stub, cell{text: name})
	}
	for _, ph := range reached(r) {
		c := t.column(phaseHead(ph.Name, true)...)
		for _, name := range rows {
			c.put(tenths(brokerIn(r, ph.Name, name).Utilisation))
		}
	}
	refused := t.column("refused")
	for _, name := range rows {
		refused.cells = append(refused.cells,
			counted(brokerIn(r, result.PhaseAll, name).BusyReplies, doubtful))
	}
	p.table(t)
	var why []result.Count
	for _, name := range rows {
		for _, c := range brokerIn(r, result.PhaseAll, name).Refused {
			why = addCount(why, c)
		}
	}
	if len(why) == 0 {
		return
	}
	slices.SortStableFunc(why, func(a, b result.Count) int { return cmp.Compare(b.N, a.N) })
	var parts []string
	for _, c := range why {
		parts = append(parts, c.Name+" "+count(c.N))
	}
	p.wrapped("", "refused for: "+listed(parts, 6), 0, dim)
}

// tenths is a share in tenths of a percent; how near it is to nothing or to all does not matter.
func tenths(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + "%" }

// loadedBrokers names the brokers worth telling of, in the order of the scenario: of many, those that
// refused most, then those that were busiest.
func loadedBrokers(r *result.Run) []string {
	var list []result.Broker
	for _, name := range r.BrokerNames() {
		most := result.Broker{Name: name}
		for _, b := range r.Brokers {
			if b.Name == name {
				most.Utilisation = max(most.Utilisation, b.Utilisation)
				most.BusyReplies = max(most.BusyReplies, b.BusyReplies)
			}
		}
		if most.Utilisation > worthwhile || most.BusyReplies > 0 {
			list = append(list, most)
		}
	}
	slices.SortStableFunc(list, func(a, b result.Broker) int {
		return cmp.Or(cmp.Compare(b.BusyReplies, a.BusyReplies), cmp.Compare(b.Utilisation, a.Utilisation))
	})
	list = list[:min(len(list), mostLoaded)]
	return slices.DeleteFunc(slices.Clone(r.BrokerNames()), func(name string) bool {
		return !slices.ContainsFunc(list, func(b result.Broker) bool { return b.Name == name })
	})
}

// brokerIn is a broker in a phase.
func brokerIn(r *result.Run, phase, name string) result.Broker {
	for _, b := range r.Brokers {
		if b.Phase == phase && b.Name == name {
			return b
		}
	}
	return result.Broker{}
}
