package ensemble

import (
	"math"
	"slices"

	"simrun/internal/result"
	"simrun/internal/stat"
)

// otherMetrics are shown without a verdict, in each phase of the reference but the warm-up, and of each of
// its faults.
var (
	otherPhaseMetrics = []string{
		"success_rate", "first_attempt_success_rate", "failed", "goodput", "latency_mean", "latency_p50",
		"latency_p99", "latency_p999", "latency_max", "attempts_per_message", "amplification", "acked_lost",
		"extra_copies", "outage_time", "time_below_99", "worst_instance_outage", "broker_imbalance",
	}
	otherFaultMetrics = []string{
		"time_to_detect", "time_to_avoid", "time_to_route_removal", "time_to_return", "starved_time",
		"isolation_per_fault", "time_to_baseline_success", "time_to_baseline_p99",
	}
)

// rows fills in the rows: those named, then the others.
func (c *comparing) rows(out *result.Comparison) {
	for _, r := range c.named {
		out.Rows = append(out.Rows, c.row(r, true))
	}
	for _, r := range c.others {
		row := c.row(r, false)
		exists := func(v result.SeedValue) bool { return !math.IsNaN(float64(v)) }
		if slices.ContainsFunc(row.Medians, exists) {
			out.Rows = append(out.Rows, row)
		}
	}
	c.judge(out)
}

// otherRows are the rows that were not named, of places that the reference has and any other variant.
func (c *comparing) otherRows() []Row {
	var rows []Row
	elsewhere := func(r Row) bool {
		return slices.ContainsFunc(c.variants, func(v variant) bool {
			return v.Name != c.reference.Name && v.places.has(r)
		})
	}
	add := func(r Row) {
		if elsewhere(r) && !slices.Contains(c.named, r) {
			rows = append(rows, r)
		}
	}
	for _, ph := range c.reference.places.Phases {
		for _, m := range otherPhaseMetrics {
			if ph != result.PhaseWarmup {
				add(Row{Metric: m, Phase: ph})
			}
		}
	}
	for _, f := range c.reference.places.Faults {
		for _, m := range otherFaultMetrics {
			add(Row{Metric: m, Fault: f})
		}
	}
	return rows
}

// row pairs the values of all variants with those of the reference.
func (c *comparing) row(r Row, named bool) result.PairedRow {
	m, _ := result.LookupMetric(r.Metric)
	out := result.PairedRow{
		Metric: r.Metric, Phase: r.Phase, Fault: r.Fault, Unit: m.Unit, Better: m.Better, Named: named,
	}
	base := c.reference.rowValues(r)
	for i := range c.variants {
		values := base
		var p result.Paired
		if i != c.opt.Reference {
			values = c.variants[i].rowValues(r)
			p = paired(values, base, c.opt.Alpha)
		}
		_, median, _, _ := result.LeastMedianMost(values)
		out.Medians = append(out.Medians, result.SeedValue(median))
		out.Against = append(out.Against, p)
	}
	return out
}

// rowValues are a row by seed.
func (v *variant) rowValues(r Row) []float64 {
	values := make([]float64, len(v.members))
	for i, m := range v.members {
		values[i], _ = m.Value(r)
	}
	return values
}

// judge tests the rows that were named, all variants together.
func (c *comparing) judge(out *result.Comparison) {
	var family [][]float64
	var of []*result.Paired
	var better []result.Direction
	for i := range out.Rows {
		row := &out.Rows[i]
		for v := range row.Against {
			if !row.Named || v == c.opt.Reference {
				continue
			}
			p := &row.Against[v]
			d := make([]float64, len(p.Differences))
			for k, x := range p.Differences {
				d[k] = float64(x)
			}
			family, of, better = append(family, d), append(of, p), append(better, row.Better)
		}
	}
	for i, j := range stat.Judge(family, c.opt.Alpha) {
		p := of[i]
		sign, adjusted := j.SignP, max(j.Adjusted, j.SignAdjusted)
		p.P, p.SignP, p.Adjusted = &j.P, &sign, &adjusted
		p.Outcome = outcome(j.Shown, better[i], p.Pairs, out.SeedsNeeded)
		if j.Shown == 0 {
			p.SeedsToShow, _ = stat.SeedsToShow(family[i], len(family), c.opt.Alpha)
		}
	}
}

// outcome puts a verdict into a word: a difference is shown in one direction, or in none.
func outcome(shown int, better result.Direction, pairs, needed int) result.Outcome {
	switch {
	case shown != 0 && better == result.Neutral:
		return result.OutcomeDifferent
	case shown != 0 && shown == int(better):
		return result.OutcomeBetter
	case shown != 0:
		return result.OutcomeWorse
	case pairs == 0:
		return result.OutcomeNoPairs
	case pairs < needed:
		return result.OutcomeFew
	}
	return result.OutcomeNone
}
