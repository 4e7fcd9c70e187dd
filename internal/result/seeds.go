package result

import (
	"encoding/json"
	"fmt"
	"math"
)

// SeedSet is what several runs of one scenario, each with a seed of its own, say together. It is seeds.json.
// Seeds are replications: numbers over them are medians and ranges, and there are none of a single one.
type SeedSet struct {
	Schema   int    `json:"schema"`
	Scenario string `json:"scenario"`
	Variant  string `json:"variant,omitempty"`
	Story    string `json:"story,omitempty"`
	// Key is the first 8 hex digits of the hash of the seeds' keys, Digest 16 of that of their digests.
	Key    string `json:"key"`
	Digest string `json:"digest"`
	// Complete is false if some seeds were interrupted or never begun; those are not in the set.
	Complete   bool  `json:"complete"`
	DurationNS int64 `json:"duration_ns"`
	WarmupNS   int64 `json:"warmup_ns"`
	Setup      Setup `json:"setup"`

	// Runs are in the order in which they were asked for. Every list of values below has one for each.
	Runs []SeedRun `json:"runs"`
	// Asked is how many seeds were asked for.
	Asked        int               `json:"asked"`
	Metrics      []SeedMetric      `json:"metrics"`
	Events       []SeedEvents      `json:"events"`
	Expectations []SeedExpectation `json:"expectations"`
	Verdict      Verdict           `json:"verdict"`
	// Faults are in the order of the scenario, on the time since the first strike of any.
	Faults []SeedFault `json:"faults"`
	// Warnings are those of any run, with the seeds that have them if not all do.
	Warnings    []string `json:"warnings,omitempty"`
	NotModelled []string `json:"not_modelled,omitempty"`

	// Curves are on the time since the first strike; they are stored apart, in timeline-seeds.csv, and
	// Spectra in latency-seeds.csv.
	Curves  []SeedCurve    `json:"-"`
	Spectra []SeedSpectrum `json:"-"`
	// WindowNS is the width of the windows of the curves.
	WindowNS int64 `json:"window_ns"`
}

// SeedRun is one run of a set.
type SeedRun struct {
	Seed    uint64  `json:"seed"`
	Key     string  `json:"key"`
	Digest  string  `json:"digest"`
	Verdict Verdict `json:"verdict"`
	Sent    int64   `json:"sent"`
	// StrikeNS is when the first fault struck for the first time, the zero of its curves; nil: none did.
	StrikeNS *int64 `json:"strike_ns,omitempty"`
}

// SeedMetric is a metric over the seeds: of all messages of a phase, or of a fault.
type SeedMetric struct {
	Metric string `json:"metric"`
	Phase  string `json:"phase,omitempty"`
	Fault  string `json:"fault,omitempty"`
	Unit   Unit   `json:"unit"`
	// Values are by run. Median is nearest rank: a value that did occur.
	Values []SeedValue `json:"values"`
	Median SeedValue   `json:"median"`
	Min    SeedValue   `json:"min"`
	Max    SeedValue   `json:"max"`
	// Worst is the seed of the worst value, the first of several; nil if all are alike or none is better.
	Worst *uint64 `json:"worst_seed,omitempty"`
	// Thin are the seeds in which fewer than ten messages lie beyond the quantile.
	Thin []uint64 `json:"thin_seeds,omitempty"`
	// Off: it cannot come, for no producer avoids brokers.
	Off bool `json:"off,omitempty"`
}

// SeedEvents counts what should never happen.
type SeedEvents struct {
	// Name is "acked_lost", "lost", "stranded", "extra_copies" (after the warm-up) or "failed_before" (any
	// fault).
	Name   string  `json:"name"`
	Counts []int64 `json:"counts"`
	Mean   float64 `json:"mean"`
	// Seeds is how many runs have any. The true share of such runs lies from Low to High with 95 %
	// (Clopper-Pearson), rounded to four digits; nil for a single run.
	Seeds int      `json:"seeds_with_any"`
	Low   *float64 `json:"share_low,omitempty"`
	High  *float64 `json:"share_high,omitempty"`
	// Worst is the seed with the most; nil if none has any.
	Worst *uint64 `json:"worst_seed,omitempty"`
}

// SeedExpectation is an expectation over the seeds.
type SeedExpectation struct {
	// Rule has no value found; its verdict is that of all.
	Rule Expectation `json:"rule"`
	// Values are by run, Held, Failed and Undecided the seeds by verdict.
	Values    []SeedValue `json:"values"`
	Held      []uint64    `json:"held"`
	Failed    []uint64    `json:"failed"`
	Undecided []uint64    `json:"undecided"`
}

// SeedFault is a fault over the seeds: when it began and ended after the first strike of any fault. They
// differ where strikes are random.
type SeedFault struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Detail  string   `json:"detail,omitempty"`
	Targets []string `json:"targets"`
	To      []string `json:"to,omitempty"`
	// Began is in how many runs it began. The medians are over those.
	Began    int   `json:"began"`
	FromNS   int64 `json:"from_ns"`
	ToNS     int64 `json:"to_ns"`
	FromVary bool  `json:"from_varies,omitempty"`
	ToVary   bool  `json:"to_varies,omitempty"`
}

// Names of curves.
const (
	CurveP99     = "p99"
	CurveFailed  = "failed"
	CurveStruck  = "struck_share"
	CurveAvoided = "avoided"
)

// SeedCurve is a quantity over time: the median, least and most of the runs, window by window.
type SeedCurve struct {
	Name   string
	Points []SeedPoint
}

// SeedPoint is a window of a curve. Seeds is how many runs have a value; without any the others mean nothing.
type SeedPoint struct {
	// FromNS is since the first strike; the window at 0 is the one in which it fell.
	FromNS           int64
	Seeds            int
	Min, Median, Max float64
	// Thin: in some run fewer than ten messages lie beyond the quantile.
	Thin bool
}

// SeedSpectrum is the distribution of latencies in a phase over the runs: at each quantile the median, least
// and most, in nanoseconds.
type SeedSpectrum struct {
	Phase  string
	Points []SeedQuantile
}

// SeedQuantile is a quantile over the runs. Beyond is 1/(1-q): one in so many messages takes longer. Only
// those with ten messages beyond them in every run are kept.
type SeedQuantile struct {
	Beyond           float64
	Min, Median, Max int64
}

// SeedValue is the value of one run: NaN, in JSON null, if there is none; +∞, in JSON "never", if it had not
// come when the run ended. A difference is -∞, in JSON "-never", where it came in one run and never in the
// one that it is held against.
type SeedValue float64

const (
	neverText = "never"
	minusText = "-never"
)

// MarshalJSON implements json.Marshaler.
func (v SeedValue) MarshalJSON() ([]byte, error) {
	switch x := float64(v); {
	case math.IsNaN(x):
		return []byte("null"), nil
	case math.IsInf(x, 1):
		return []byte(`"` + neverText + `"`), nil
	case math.IsInf(x, -1):
		return []byte(`"` + minusText + `"`), nil
	default:
		return json.Marshal(x)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *SeedValue) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null":
		*v = SeedValue(math.NaN())
		return nil
	case `"` + neverText + `"`:
		*v = SeedValue(math.Inf(1))
		return nil
	case `"` + minusText + `"`:
		*v = SeedValue(math.Inf(-1))
		return nil
	}
	var x float64
	if err := json.Unmarshal(text, &x); err != nil {
		return fmt.Errorf("a value of a seed: %w", err)
	}
	*v = SeedValue(x)
	return nil
}
