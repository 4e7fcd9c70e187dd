package ensemble

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"simrun/internal/result"
)

// NewSet sums up the runs of one scenario. Of asked seeds those that were interrupted, or are missing from
// the list, are left out of every number: the set is then not complete. It has the usual metrics, and of the
// rows that are given besides those that the runs have. It is nil without any run.
func NewSet(members []*Member, asked int, rows ...Row) *result.SeedSet {
	if len(members) == 0 {
		return nil
	}
	first := members[0].run
	set := &result.SeedSet{
		Schema: result.Schema, Scenario: first.Scenario, Variant: first.Variant,
		Story: first.Story, Setup: first.Setup,
		DurationNS: first.DurationNS, WarmupNS: first.WarmupNS, NotModelled: first.NotModelled,
		Asked: asked, WindowNS: members[0].width, Verdict: result.NoExpectations,
	}
	members = slices.DeleteFunc(slices.Clone(members), func(m *Member) bool { return !m.run.Complete })
	set.Complete = len(members) == asked
	keys, digests := sha256.New(), sha256.New()
	for _, m := range members {
		r := m.run
		keys.Write([]byte(r.Key + "\n"))
		digests.Write([]byte(r.Digest + "\n"))
		set.Runs = append(set.Runs, result.SeedRun{
			Seed: r.Seed, Key: r.Key, Digest: r.Digest, Verdict: r.Verdict, Sent: r.Ledger.Sent,
			StrikeNS: m.strike,
		})
	}
	set.Key = hex.EncodeToString(keys.Sum(nil))[:8]
	set.Digest = hex.EncodeToString(digests.Sum(nil))[:16]
	if len(members) == 0 {
		return set
	}
	set.Metrics, set.Events = seedMetrics(members, rows), eventsOf(members)
	set.Expectations, set.Verdict = seedExpectations(members), Overall(members)
	set.Warnings = seedWarnings(members)
	set.Faults = seedFaults(members)
	set.Curves, set.Spectra = seedCurves(members), seedSpectra(members)
	return set
}

// SetOf is [NewSet] of runs that are at hand.
func SetOf(runs []*result.Run) *result.SeedSet {
	members := make([]*Member, len(runs))
	for i, r := range runs {
		members[i] = Of(r)
	}
	return NewSet(members, len(runs))
}

// usualMetrics are those that every set has, of each phase and of each fault.
var (
	usualPhaseMetrics = []string{
		"success_rate", "first_attempt_success_rate", "failed", "latency_p50", "latency_p99", "latency_p999",
		"latency_max", "attempts_per_message", "acked_lost", "extra_copies", "outage_time", "time_below_99",
		"worst_instance_outage",
	}
	usualFaultMetrics = []string{"time_to_detect", "time_to_avoid", "time_to_route_removal", "time_to_return"}
)

// usualRows are those of a set, in its order.
func usualRows(m *Member) []Row {
	var rows []Row
	for _, ph := range m.run.Phases {
		for _, name := range usualPhaseMetrics {
			rows = append(rows, Row{Metric: name, Phase: ph.Name})
		}
	}
	for _, f := range m.run.Faults {
		for _, name := range usualFaultMetrics {
			rows = append(rows, Row{Metric: name, Fault: f.Name})
		}
	}
	return rows
}

// seedMetrics are the usual metrics and some more over the runs.
func seedMetrics(members []*Member, more []Row) []result.SeedMetric {
	rows := usualRows(members[0])
	for _, r := range more {
		if !slices.Contains(rows, r) && members[0].index(r) >= 0 {
			rows = append(rows, r)
		}
	}
	out := make([]result.SeedMetric, len(rows))
	for i, r := range rows {
		out[i] = seedMetric(members, r)
	}
	return out
}

// seedMetric is one row over the runs.
func seedMetric(members []*Member, row Row) result.SeedMetric {
	m, _ := result.LookupMetric(row.Metric)
	x := result.SeedMetric{Metric: row.Metric, Phase: row.Phase, Fault: row.Fault, Unit: m.Unit}
	values := make([]float64, len(members))
	for i, one := range members {
		v, thin := one.Value(row)
		values[i] = v
		x.Values = append(x.Values, result.SeedValue(v))
		if thin {
			x.Thin = append(x.Thin, one.run.Seed)
		}
	}
	x.Off = row.Metric == "time_to_avoid" && members[0].run.Setup.AvoidanceOff()
	low, median, high, _ := result.LeastMedianMost(values)
	x.Min, x.Median, x.Max = result.SeedValue(low), result.SeedValue(median), result.SeedValue(high)
	x.Worst = worstOf(members, values, m.Better)
	return x
}

// worstOf is the seed of the worst value: nil if all are alike, or no direction is better.
func worstOf(members []*Member, values []float64, better result.Direction) *uint64 {
	worst := -1
	alike := true
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if worst >= 0 {
			alike = alike && v == values[worst]
		}
		if worst < 0 || cmp.Compare(v, values[worst])*int(better) < 0 {
			worst = i
		}
	}
	if worst < 0 || alike || better == result.Neutral {
		return nil
	}
	return &members[worst].run.Seed
}

// Overall is the verdict of several runs: an expectation holds if it holds on each.
func Overall(members []*Member) result.Verdict {
	v := result.NoExpectations
	for _, m := range members {
		switch {
		case m.run.Verdict == result.Failed || v == result.Failed:
			v = result.Failed
		case m.run.Verdict == result.Undecided || v == result.Undecided:
			v = result.Undecided
		case m.run.Verdict == result.Passed:
			v = result.Passed
		}
	}
	return v
}

// seedWarnings are the warnings of any run, in the order of their first appearance, with the number of seeds
// that have them if not all do.
func seedWarnings(members []*Member) []string {
	n := map[string]int{}
	var order []string
	for _, m := range members {
		for _, w := range m.run.Warnings {
			if n[w]++; n[w] == 1 {
				order = append(order, w)
			}
		}
	}
	// Those with numbers of their own differ from seed to seed: a few will do.
	const most = 6
	var out []string
	for i, w := range order {
		if i == most {
			out = append(out, fmt.Sprintf("and %s more, each of some seeds: a run of one seed tells its own",
				plural(len(order)-most, "warning")))
			break
		}
		if n[w] < len(members) {
			w += fmt.Sprintf(" (%d of %s)", n[w], plural(len(members), "seed"))
		}
		out = append(out, w)
	}
	return out
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return result.Thousands(int64(n)) + " " + noun + "s"
}
