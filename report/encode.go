package report

import (
	"simrun/internal/result"
)

// SummaryJSON is summary.json: the run with lists that are empty where there is nothing, never
// null, so that a reader can walk them without asking first.
func SummaryJSON(r *result.Run) ([]byte, error) {
	c := *r
	c.Phases, c.Stats, c.Brokers = list(c.Phases), list(c.Stats), list(c.Brokers)
	c.Exposures, c.Exemplars, c.Balance = list(c.Exposures), list(c.Exemplars), list(c.Balance)
	c.Availability = append([]result.Availability{}, c.Availability...)
	for i := range c.Availability {
		c.Availability[i].Below = list(c.Availability[i].Below)
	}
	c.Expectations, c.Ledger.Rows = list(c.Expectations), list(c.Ledger.Rows)
	c.Faults = append([]result.Fault{}, c.Faults...)
	for i := range c.Faults {
		f := &c.Faults[i]
		f.Targets, f.Effects = list(f.Targets), list(f.Effects)
	}
	s := &c.Setup
	s.NameServers, s.Brokers = list(s.NameServers), list(s.Brokers)
	s.Topics = append([]result.SetupTopic{}, s.Topics...)
	for i := range s.Topics {
		s.Topics[i].Brokers = list(s.Topics[i].Brokers)
	}
	s.Producers = append([]result.SetupProducer{}, s.Producers...)
	for i := range s.Producers {
		p := &s.Producers[i]
		p.Topics, p.LatencyMaxNS = list(p.Topics), list(p.LatencyMaxNS)
		p.NotAvailableDurationNS = list(p.NotAvailableDurationNS)
	}
	return result.JSON(&c)
}

// list is s, and an empty list instead of none.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
