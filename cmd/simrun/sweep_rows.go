package main

import (
	"slices"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
)

// addRows turns addresses into rows: those that are named, or the default ones, and those of the front.
func (s *sweeping) addRows(addresses []string) error {
	places := placesOf(s.source.Scenario)
	if len(addresses) == 0 {
		s.rows = sweepRows(places)
	} else {
		rows, err := places.Rows(addresses...)
		if err != nil {
			return usagef("--metrics: %s", joined(err))
		}
		s.rows = rows
	}
	if len(s.spec.Front) > 0 {
		front, err := places.Rows(s.spec.Front...)
		if err != nil {
			return usagef("--front: %s", joined(err))
		}
		for _, r := range front {
			if m, _ := result.LookupMetric(r.Metric); m.Better == result.Neutral {
				return usagef("--front: of %s neither more nor less is better", r.Metric)
			}
			if !slices.Contains(s.rows, r) {
				s.rows = append(s.rows, r)
			}
			s.front = append(s.front, slices.Index(s.rows, r))
		}
		if len(s.front) < 2 {
			return usagef("--front: it takes two metrics at least, of which one is had at the cost of another")
		}
	}
	if err := s.addRequirements(places); err != nil {
		return err
	}
	s.spec.Metrics = nil
	for _, r := range s.rows {
		s.spec.Metrics = append(s.spec.Metrics, r.String())
	}
	return nil
}

// joined is an error of several lines as the lines of one message.
func joined(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\nsimrun: ") }

// sweepRows are kept where nobody names others: those that a comparison judges, what settings are a trade
// between, and what should never happen.
func sweepRows(places ensemble.Places) []ensemble.Row {
	rows := places.DefaultRows()
	all := func(metric string) { rows = append(rows, ensemble.Row{Metric: metric, Phase: result.PhaseAll}) }
	all("latency_p50")
	all("latency_mean")
	all("attempts_per_message")
	for _, f := range places.Faults {
		rows = append(rows, ensemble.Row{Metric: "starved_time", Fault: f})
	}
	for _, r := range ensemble.EventRows() {
		if slices.Contains(places.Phases, r.Phase) && !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	return rows
}
