package ensemble

import (
	"math"
	"slices"

	"simrun/internal/result"
)

// values are the metrics of a run: those of phases phase by phase, then those of faults fault by fault, in
// the order of phaseMetrics and faultMetrics. NaN: there is none; +∞: it had not come when the run ended.
type values struct {
	all []float64
	// thin says that fewer than ten messages lie beyond the quantile.
	thin []bool
}

// Metrics of the registry that rows are made of. Those of one broker are left out: rows have no broker.
var (
	phaseMetrics = ofScopes(result.ScopeMessages, result.ScopeBalance, result.ScopeCluster)
	faultMetrics = ofScopes(result.ScopeFault, result.ScopeRecovery)
)

func ofScopes(scopes ...result.Scope) []result.Metric {
	return slices.DeleteFunc(result.Metrics(), func(m result.Metric) bool {
		return !slices.Contains(scopes, m.Scope)
	})
}

// valuesOf measures a run.
func valuesOf(r *result.Run) values {
	var v values
	for _, ph := range r.Phases {
		s, _ := r.StatsOf(ph.Name)
		a := r.AvailabilityOf(ph.Name)
		for i := range phaseMetrics {
			x, thin := inPhase(&phaseMetrics[i], r, &s, &a, ph.Name)
			v.all, v.thin = append(v.all, x), append(v.thin, thin)
		}
	}
	for i := range r.Faults {
		for k := range faultMetrics {
			v.all, v.thin = append(v.all, ofFault(faultMetrics[k].Name, r, &r.Faults[i])), append(v.thin, false)
		}
	}
	return v
}

// Value is a row of a run in the unit of its metric, and whether fewer than ten messages lie beyond the
// quantile that it is. It is NaN if the run has no such row or value, +∞ if it had not come when the run
// ended.
func (m *Member) Value(row Row) (x float64, thin bool) {
	i := m.index(row)
	if i < 0 {
		return math.NaN(), false
	}
	return m.values.all[i], m.values.thin[i]
}

// index of a row among the values, -1 if the run has no such phase, fault or metric.
func (m *Member) index(row Row) int {
	named := func(x result.Metric) bool { return x.Name == row.Metric }
	if row.Fault == "" {
		p := slices.IndexFunc(m.run.Phases, func(ph result.Phase) bool { return ph.Name == row.Phase })
		k := slices.IndexFunc(phaseMetrics, named)
		if p < 0 || k < 0 {
			return -1
		}
		return p*len(phaseMetrics) + k
	}
	f := slices.IndexFunc(m.run.Faults, func(f result.Fault) bool { return f.Name == row.Fault })
	k := slices.IndexFunc(faultMetrics, named)
	if f < 0 || k < 0 {
		return -1
	}
	return len(m.run.Phases)*len(phaseMetrics) + f*len(faultMetrics) + k
}

// inPhase is a metric of all messages of a phase.
func inPhase(
	m *result.Metric, r *result.Run, s *result.Stats, a *result.Availability, phase string,
) (x float64, thin bool) {
	switch {
	case m.Stat != result.StatNone:
		return timed(m, timesOf(m.Of, s))
	case m.Scope == result.ScopeBalance:
		return balance(m.Name, r, phase), false
	case m.Scope == result.ScopeCluster:
		return exposed(m.Name, r, phase), false
	}
	if of, ok := services[m.Name]; ok {
		return some(of(a), len(r.Availability) > 0), false
	}
	if of, ok := counts[m.Name]; ok {
		return float64(of(s)), false
	}
	if of, ok := ratios[m.Name]; ok {
		return some(of(s)), false
	}
	panic("ensemble: metric " + m.Name + " is registered but not measured")
}

// timesOf are the times that a metric is a statistic of.
func timesOf(of result.Sample, s *result.Stats) *result.Latency {
	switch of {
	case result.SampleAttempts:
		return &s.AttemptLatency
	case result.SampleAttemptsOK:
		return &s.AttemptLatencyOK
	case result.SampleAttemptsFailed:
		return &s.AttemptLatencyFailed
	case result.SampleFirstFailed:
		return &s.FirstFailedTook
	case result.SampleWaits:
		return &s.ThreadWait
	case result.SampleAnswers:
	}
	return &s.Latency
}

// timed is a statistic of some times.
func timed(m *result.Metric, l *result.Latency) (x float64, thin bool) {
	var ns int64
	quantile := ""
	switch m.Stat {
	case result.StatMean:
		ns = l.MeanNS
	case result.StatMax:
		ns = l.MaxNS
	default:
		switch m.Quantile {
		case 0.5:
			ns, quantile = l.P50NS, "p50"
		case 0.95:
			ns, quantile = l.P95NS, "p95"
		case 0.99:
			ns, quantile = l.P99NS, "p99"
		case 0.999:
			ns, quantile = l.P999NS, "p999"
		default:
			panic("ensemble: metric " + m.Name + " is a quantile that results have not")
		}
	}
	return some(float64(ns), l.N > 0), slices.Contains(l.Thin, quantile)
}

// counts are the metrics that count messages, of whatever answer and fate.
var counts = map[string]func(*result.Stats) int64{
	"messages":            func(s *result.Stats) int64 { return s.Messages },
	"failed":              func(s *result.Stats) int64 { return s.Failed },
	"handed_over":         func(s *result.Stats) int64 { return s.Handed },
	"handed_over_missed":  func(s *result.Stats) int64 { return s.HandedMissed },
	"weaker_status":       func(s *result.Stats) int64 { return s.OKStatus },
	"flush_disk_timeout":  withStatus("FLUSH_DISK_TIMEOUT"),
	"flush_slave_timeout": withStatus("FLUSH_SLAVE_TIMEOUT"),
	"slave_not_available": withStatus("SLAVE_NOT_AVAILABLE"),
	"resends":             func(s *result.Stats) int64 { return s.Resends },
	"resent":              func(s *result.Stats) int64 { return s.Resent },
	"double_callbacks":    func(s *result.Stats) int64 { return s.DoubleCallbacks },
	"lost":                func(s *result.Stats) int64 { return s.Lost },
	"stranded":            func(s *result.Stats) int64 { return s.Stranded },
	"acked_lost":          func(s *result.Stats) int64 { return s.AckedLost },
	"extra_copies":        func(s *result.Stats) int64 { return s.ExtraCopies },
	"failed_stored":       func(s *result.Stats) int64 { return s.FailedStored },
}

func withStatus(name string) func(*result.Stats) int64 {
	return func(s *result.Stats) int64 {
		for _, c := range s.Statuses {
			if c.Name == name {
				return c.N
			}
		}
		return 0
	}
}

// ratios are the metrics that divide, false where there is nothing to divide by.
var ratios = map[string]func(*result.Stats) (float64, bool){
	"success_rate":               (*result.Stats).SuccessRate,
	"first_attempt_success_rate": (*result.Stats).FirstAttemptRate,
	"retry_success_rate": func(s *result.Stats) (float64, bool) {
		return float64(s.OKRetry()) / float64(s.Answered()), s.Answered() > 0
	},
	"attempts_per_message": (*result.Stats).AttemptsPerMessage,
	"amplification":        (*result.Stats).Amplification,
	"effective_retries": func(s *result.Stats) (float64, bool) {
		if s.EffectiveRetries == nil {
			return 0, false
		}
		return *s.EffectiveRetries, true
	},
}

// services are the metrics of how the service looked over time.
var services = map[string]func(*result.Availability) float64{
	"goodput":               func(a *result.Availability) float64 { return some(a.Goodput()) },
	"outages":               func(a *result.Availability) float64 { return float64(a.Outages) },
	"outage_time":           func(a *result.Availability) float64 { return float64(a.OutageNS) },
	"longest_outage":        func(a *result.Availability) float64 { return float64(a.LongestNS) },
	"worst_instance_outage": func(a *result.Availability) float64 { return float64(a.WorstNS) },
	"time_below_50":         below(0.5), "longest_below_50": longestBelow(0.5),
	"time_below_90": below(0.9), "longest_below_90": longestBelow(0.9),
	"time_below_99": below(0.99), "longest_below_99": longestBelow(0.99),
	"time_below_999": below(0.999), "longest_below_999": longestBelow(0.999),
}

func below(level float64) func(*result.Availability) float64 {
	return func(a *result.Availability) float64 {
		ns, _ := a.BelowLevel(level)
		return float64(ns)
	}
}

func longestBelow(level float64) func(*result.Availability) float64 {
	return func(a *result.Availability) float64 {
		_, ns := a.BelowLevel(level)
		return float64(ns)
	}
}

// balance is how even the attempts of a phase were, of the topic that is least so; NaN without any.
func balance(metric string, r *result.Run, phase string) float64 {
	of, cv := result.BalanceBrokers, false
	switch metric {
	case "broker_cv":
		cv = true
	case "queue_imbalance":
		of = result.BalanceQueues
	case "queue_cv":
		of, cv = result.BalanceQueues, true
	}
	worst := math.NaN()
	for i := range r.Balance {
		b := &r.Balance[i]
		x := b.MaxOverMean
		if cv {
			x = b.CV
		}
		if b.Phase == phase && b.Of == of && !(worst >= x) {
			worst = x
		}
	}
	return worst
}

// exposed is the most, in a phase, that stood on one leg.
func exposed(metric string, r *result.Run, phase string) float64 {
	for _, e := range r.Exposures {
		if e.Phase != phase {
			continue
		}
		switch metric {
		case "at_risk_max":
			return float64(e.AtRisk)
		case "bytes_at_risk_max":
			return float64(e.AtRiskBytes)
		case "unreadable_max":
			return float64(e.Unreadable)
		}
		panic("ensemble: metric " + metric + " is registered but not measured")
	}
	return math.NaN()
}
