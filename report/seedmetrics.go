package report

import (
	"math"
	"slices"

	"simrun/internal/result"
)

// phaseMetric is a metric of the registry, of the messages of a phase.
type phaseMetric struct {
	metric, label string
	of            func(*result.Stats) float64
	// quantile is its name in Latency.Thin.
	quantile string
	// quiet: a value that is no news where all seeds have it, NaN if each is.
	quiet float64
	// service, if not nil, takes the place of of: it is about when the service was there.
	service func(result.Availability) int64
}

var phaseMetrics = []phaseMetric{
	{metric: "success_rate", label: "success", quiet: 1, of: func(s *result.Stats) float64 {
		return part(answered(*s)-s.Failed, answered(*s))
	}},
	{metric: "first_attempt_success_rate", label: "first attempt", quiet: 1, of: func(s *result.Stats) float64 {
		return part(answered(*s)-s.FirstFailed, answered(*s))
	}},
	{metric: "failed", label: "failed", of: func(s *result.Stats) float64 { return float64(s.Failed) }},
	{
		metric: "latency_p50", label: "latency p50", quantile: "p50", quiet: nan,
		of: latencyOf(func(l *result.Latency) int64 { return l.P50NS }),
	},
	{
		metric: "latency_p99", label: "        p99", quantile: "p99", quiet: nan,
		of: latencyOf(func(l *result.Latency) int64 { return l.P99NS }),
	},
	{
		metric: "latency_p999", label: "        p99.9", quantile: "p999", quiet: nan,
		of: latencyOf(func(l *result.Latency) int64 { return l.P999NS }),
	},
	{
		metric: "latency_max", label: "        max", quiet: nan,
		of: latencyOf(func(l *result.Latency) int64 { return l.MaxNS }),
	},
	{metric: "attempts_per_message", label: "attempts/message", quiet: 1, of: func(s *result.Stats) float64 {
		return part(s.SentAttempts(), answered(*s))
	}},
	{metric: "acked_lost", label: "acked, then lost", of: func(s *result.Stats) float64 {
		return float64(s.AckedLost)
	}},
	{metric: "extra_copies", label: "duplicates", of: func(s *result.Stats) float64 {
		return float64(s.ExtraCopies)
	}},
	{metric: "outage_time", label: "no success for", service: func(a result.Availability) int64 {
		return a.OutageNS
	}},
	{metric: "time_below_99", label: "below 99%", service: func(a result.Availability) int64 {
		return belowOf(a, 0.99)
	}},
	{metric: "worst_instance_outage", label: "worst instance", service: func(a result.Availability) int64 {
		return a.WorstNS
	}},
}

var nan = math.NaN()

// valueOf is the metric in a phase of one run.
func (m phaseMetric) valueOf(r *result.Run, s *result.Stats, phase string) float64 {
	if m.service != nil {
		return over(float64(m.service(availabilityOf(r, phase))), len(r.Availability) > 0)
	}
	return m.of(s)
}

func latencyOf(of func(*result.Latency) int64) func(*result.Stats) float64 {
	return func(s *result.Stats) float64 { return over(float64(of(&s.Latency)), s.Latency.N > 0) }
}

// part is a quotient, NaN of nothing.
func part(n, of int64) float64 { return over(float64(n)/float64(of), of > 0) }

// faultMetric is a metric of the registry, of a fault: the slowest instance and broker. +∞ if it never came.
type faultMetric struct {
	metric, label string
	of            func(result.FaultEffect) result.Spread
	byTable       bool // it takes a fault table
	afterwards    bool // it takes the end of the fault
}

var faultMetrics = []faultMetric{
	{
		metric: "time_to_detect", label: "detected by all",
		of: func(e result.FaultEffect) result.Spread { return e.Detect },
	},
	{
		metric: "time_to_avoid", label: "avoided by all", byTable: true,
		of: func(e result.FaultEffect) result.Spread { return e.Avoid },
	},
	{
		metric: "time_to_route_removal", label: "route gone for all",
		of: func(e result.FaultEffect) result.Spread { return e.RouteGone },
	},
	{
		metric: "time_to_return", label: "all returned", afterwards: true,
		of: func(e result.FaultEffect) result.Spread { return e.Return },
	},
}

// slowestOf is a metric of a fault in one run: +∞ if it never came on some instance and broker, NaN if it
// cannot come.
func (m faultMetric) slowestOf(r *result.Run, fault string) float64 {
	only := *r
	only.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f result.Fault) bool {
		return f.Name != fault
	})
	return slowest(&only, func(f result.Fault, e result.FaultEffect) (result.Spread, bool) {
		return m.of(e), f.Began && (!m.afterwards || f.ToNS < r.SimulatedNS)
	})
}

// seedMetricsOf are the metrics of every phase and fault over the runs.
func seedMetricsOf(runs []*result.Run) []result.SeedMetric {
	var out []result.SeedMetric
	for _, ph := range runs[0].Phases {
		for _, m := range phaseMetrics {
			x := result.SeedMetric{Metric: m.metric, Phase: ph.Name}
			for _, r := range runs {
				s, _ := statsOf(r, ph.Name)
				x.Values = append(x.Values, result.SeedValue(m.valueOf(r, &s, ph.Name)))
				if m.quantile != "" && slices.Contains(s.Latency.Thin, m.quantile) {
					x.Thin = append(x.Thin, r.Seed)
				}
			}
			out = append(out, sumUp(x, runs))
		}
	}
	for _, f := range runs[0].Faults {
		for _, m := range faultMetrics {
			x := result.SeedMetric{Metric: m.metric, Fault: f.Name}
			for _, r := range runs {
				x.Values = append(x.Values, result.SeedValue(m.slowestOf(r, f.Name)))
			}
			x.Off = m.byTable && avoidanceOff(runs[0].Setup)
			out = append(out, sumUp(x, runs))
		}
	}
	return out
}

// sumUp fills in what follows from the values.
func sumUp(x result.SeedMetric, runs []*result.Run) result.SeedMetric {
	m, _ := result.LookupMetric(x.Metric)
	x.Unit = m.Unit
	values := make([]float64, len(x.Values))
	for i, v := range x.Values {
		values[i] = float64(v)
	}
	low, median, high, _ := spread3(values)
	x.Min, x.Median, x.Max = result.SeedValue(low), result.SeedValue(median), result.SeedValue(high)
	x.Worst = worstOf(runs, x.Values, m.Better)
	return x
}
