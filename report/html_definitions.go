package report

import (
	"slices"
	"strings"

	"simrun/internal/result"
)

// definition is what a number of the page means: what the page calls it, and the metric behind it.
type definition struct{ Label, Name, Help, Formula, Unit string }

// labelMetrics are the metrics behind the labels of the page. A label that ends with a blank is the
// beginning of some.
var labelMetrics = [][2]string{
	{"messages", "messages"},
	{"success", "success_rate"},
	{"first attempt", "first_attempt_success_rate"},
	{"latency p50", "latency_p50"},
	{"latency p99", "latency_p99"},
	{"latency p99.9", "latency_p999"},
	{"latency max", "latency_max"},
	{"attempt p99", "attempt_latency_p99"},
	{"thread wait p99", "thread_wait_p99"},
	{"thread wait max", "thread_wait_max"},
	{"attempts/message", "attempts_per_message"},
	{"retries effective", "effective_retries"},
	{"no success for", "outage_time"},
	{"below 99%", "time_below_99"},
	{"below 90%", "time_below_90"},
	{"below 50%", "time_below_50"},
	{"imbalance", "broker_imbalance"},
	{"of queues", "queue_imbalance"},
	{"share of ", "broker_share"},
	{"sent again", "resent"},
	{"resends", "resends"},
	{"callback ran twice", "double_callbacks"},
	{"handed over", "handed_over"},
	{"of them missed", "handed_over_missed"},
	{"failed", "failed"},
	{"FLUSH_DISK_TIMEOUT", "flush_disk_timeout"},
	{"FLUSH_SLAVE_TIMEOUT", "flush_slave_timeout"},
	{"SLAVE_NOT_AVAILABLE", "slave_not_available"},
	{"acked, then lost", "acked_lost"},
	{"lost", "lost"},
	{"stranded", "stranded"},
	{"duplicates", "extra_copies"},
	{"failed, yet stored", "failed_stored"},
	{"most at risk", "at_risk_max"},
	{"most unreadable", "unreadable_max"},
	{"detected", "time_to_detect"},
	{"avoided", "time_to_avoid"},
	{"route gone", "time_to_route_removal"},
	{"returned", "time_to_return"},
	{"starved", "starved_time"},
}

// undefined are labels of numbers that no expectation can be about; they say what they are.
var undefined = []string{"failed after p50", "unsent attempts", "unanswered"}

// shownLabels are the labels of the numbers that the page of a run shows.
func shownLabels(r *result.Run) []string {
	labels := []string{"failed", "latency p99", "acked, then lost", "duplicates", "lost", "stranded"}
	for _, b := range htmlOf("", func(p *page) { p.phases(r) }) {
		if b.Table == nil {
			continue
		}
		for _, row := range b.Table.Rows {
			labels = append(labels, row.Label)
		}
	}
	for _, s := range r.Stats {
		if s.EffectiveRetries != nil {
			labels = append(labels, "retries effective")
			break
		}
	}
	for _, f := range r.Faults {
		if len(f.Effects) == 0 {
			continue
		}
		for _, a := range aspects {
			labels = append(labels, a.group)
		}
		labels = append(labels, "starved")
		break
	}
	return labels
}

// definitions are those of the numbers that the page shows, and of what is expected.
func definitions(r *result.Run) []definition {
	labels := shownLabels(r)
	var out []definition
	add := func(label, metric string) {
		m, ok := result.LookupMetric(metric)
		seen := slices.ContainsFunc(out, func(d definition) bool { return d.Name == metric })
		if ok && !seen {
			out = append(out, definition{label, m.Name, m.Help, m.Formula, unitNoun(m.Unit)})
		}
	}
	for _, x := range labelMetrics {
		if slices.ContainsFunc(labels, func(l string) bool { return labelled(l, x[0]) }) {
			add(strings.TrimSpace(x[0]), x[1])
		}
	}
	for _, e := range r.Expectations {
		add("", e.Metric)
	}
	return out
}

// labelled says whether a label is the one of a metric.
func labelled(label, of string) bool {
	return label == of || strings.HasSuffix(of, " ") && strings.HasPrefix(label, of)
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
