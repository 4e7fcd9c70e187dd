package report

import (
	"slices"

	"simrun/internal/result"
)

// definition is what a metric means.
type definition struct{ Name, Help, Formula, Unit string }

// shownMetrics are the metrics behind the numbers that every page shows.
var shownMetrics = []string{
	"messages", "success_rate", "first_attempt_success_rate", "failed", "latency_p50", "latency_p99",
	"latency_p999", "latency_max", "attempts_per_message", "effective_retries", "broker_share", "lost",
	"stranded", "acked_lost", "extra_copies", "failed_stored", "at_risk_max", "unreadable_max",
}

// definitions are those of the metrics that the page shows, in the order of the registry.
func definitions(r *result.Run) []definition {
	names := slices.Clone(shownMetrics)
	if len(r.Faults) > 0 {
		names = append(names, "time_to_detect", "time_to_avoid", "time_to_route_removal", "time_to_return")
	}
	for _, e := range r.Expectations {
		names = append(names, e.Metric)
	}
	var out []definition
	for _, m := range result.Metrics() {
		if slices.Contains(names, m.Name) {
			out = append(out, definition{m.Name, m.Help, m.Formula, unitNoun(m.Unit)})
		}
	}
	return out
}

// unitNoun is what a value of a unit is.
func unitNoun(u result.Unit) string {
	switch u {
	case result.UnitNS:
		return "a time"
	case result.UnitRatio:
		return "a share"
	case result.UnitCount:
		return "a count"
	case result.UnitPer:
		return "a quotient"
	}
	return string(u)
}
