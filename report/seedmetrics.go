package report

import "math"

// seedMetric is how a metric over seeds is shown, in the words of the summary.
type seedMetric struct {
	metric, label string
	// quiet: a value that is no news where all seeds have it, NaN if each is.
	quiet float64
}

var nan = math.NaN()

// seedMetrics are of phases; those of faults come last.
var seedMetrics = []seedMetric{
	{"success_rate", "success", 1},
	{"first_attempt_success_rate", "first attempt", 1},
	{"failed", "failed", 0},
	{"latency_p50", "latency p50", nan},
	{"latency_p99", "        p99", nan},
	{"latency_p999", "        p99.9", nan},
	{"latency_max", "        max", nan},
	{"attempts_per_message", "attempts/message", 1},
	{"acked_lost", "acked, then lost", 0},
	{"extra_copies", "duplicates", 0},
	{"outage_time", "no success for", 0},
	{"time_below_99", "below 99%", 0},
	{"worst_instance_outage", "worst instance", 0},
	{"time_to_detect", "detected by all", nan},
	{"time_to_avoid", "avoided by all", nan},
	{"time_to_route_removal", "route gone for all", nan},
	{"time_to_return", "all returned", nan},
}

// seedMetricOf is how a metric is shown: by its name, and always, if it has no words.
func seedMetricOf(metric string) seedMetric {
	for _, m := range seedMetrics {
		if m.metric == metric {
			return m
		}
	}
	return seedMetric{metric: metric, label: metric, quiet: nan}
}

// eventWords are what should never happen, by name.
var eventWords = map[string]string{
	"acked_lost":    "acknowledged, lost",
	"lost":          "lost",
	"stranded":      "stranded",
	"extra_copies":  "duplicated",
	"failed_before": "failed before any fault",
}
