package result

import (
	"math"
	"slices"
)

// Sweep is what one scenario says at many points of its settings, each run with the same seeds. It is
// sweep.json; sweep.csv has the same row by row.
type Sweep struct {
	Schema   int    `json:"schema"`
	Scenario string `json:"scenario"`
	// Ref is the path by which its file was named; empty of one that comes with the program.
	Ref string `json:"ref,omitempty"`
	// Variant is the variant of the scenario that was swept, VariantSet the --set flags that make the scenario
	// the same; nil if no flags do.
	Variant    string   `json:"variant,omitempty"`
	VariantSet []string `json:"variant_set,omitzero"`
	// Variants is how many variants its file has.
	Variants int    `json:"variants,omitempty"`
	Story    string `json:"story,omitempty"`
	// Key is the first 8 hex digits of the hash of the plan: points and seeds. Digest is 16 of that of the
	// runs' digests.
	Key    string `json:"key"`
	Digest string `json:"digest"`
	// Complete: each point was run with each seed; Runs is how many of these runs are there.
	Complete   bool   `json:"complete"`
	Runs       int    `json:"runs"`
	DurationNS int64  `json:"duration_ns"`
	Design     Design `json:"design"`
	// Axes are the parameters in the order in which they were named.
	Axes  []SweepAxis `json:"axes"`
	Seeds []uint64    `json:"seeds"`
	// Overrides are the --set flags that all points have.
	Overrides []string `json:"overrides,omitempty"`
	// Points are in the order of the plan. Default is the index of the point that is the scenario as it
	// stands, -1 if none is.
	Points  []SweepPoint  `json:"points"`
	Default int           `json:"default"`
	Metrics []SweepMetric `json:"metrics"`
	// Requirements are what every run of a point has to keep to.
	Requirements []Requirement `json:"requirements,omitempty"`
	// Events are what should never happen, which a median would hide: those that a run was asked for.
	Events []SweepEvents `json:"events,omitempty"`
	// Front is the Pareto front of the medians of some metrics.
	Front *Front `json:"front,omitempty"`
	// Sensitivity ranks the axes for each metric.
	Sensitivity []Sensitivity `json:"sensitivity"`
	Warnings    []string      `json:"warnings,omitempty"`
}

// Design is how the points of a sweep were chosen.
type Design string

// Designs.
const (
	DesignGrid   Design = "grid"            // every combination of the axes' values
	DesignLatin  Design = "latin-hypercube" // one point in each slice of each axis
	DesignHalton Design = "halton"          // a sequence that fills the space evenly
)

// SweepAxis is one parameter.
type SweepAxis struct {
	// Param is its address, as in --set: "producer.*.latency_max", or what the axis of a whole array is
	// called: "producer.*.not_available_duration~scale".
	Param string `json:"param"`
	// Levels are its values in order, as TOML text; empty in designs that fill a range.
	Levels []string `json:"levels,omitempty"`
	// Numeric: values have a place on a scale, in Unit ("ns", "count", "ratio", "per"); Log: a logarithmic
	// one.
	Numeric bool `json:"numeric"`
	Unit    Unit `json:"unit,omitempty"`
	Log     bool `json:"log,omitempty"`
	// Base is the value of the scenario as it stands, if all that the address names have one.
	Base string `json:"base,omitempty"`
}

// SweepPoint is one setting of all parameters.
type SweepPoint struct {
	// Values are by axis, as TOML text; X their places on numeric axes, else the number of the level.
	Values []string  `json:"values"`
	X      []float64 `json:"x"`
	// Key is the first 8 hex digits of the hash of the effective scenario without its seed.
	Key string `json:"key"`
	// Set are the flags KEY=VALUE that make it of the scenario; none for the scenario as it stands.
	Set []string `json:"set,omitempty"`
	// Notes say what it leaves out of what the scenario says, because it has no meaning there.
	Notes []string `json:"notes,omitempty"`
}

// SweepMetric is a metric at all points.
type SweepMetric struct {
	Metric string    `json:"metric"`
	Phase  string    `json:"phase,omitempty"`
	Fault  string    `json:"fault,omitempty"`
	Unit   Unit      `json:"unit"`
	Better Direction `json:"better"`
	// Cells are by point.
	Cells []SweepCell `json:"cells"`
}

// SweepCell is a metric at one point.
type SweepCell struct {
	// Values are by seed.
	Values []SeedValue `json:"values"`
	Median SeedValue   `json:"median"`
	// Low and High bound the true median with at least 95 %; nil below six values.
	Low  *SeedValue `json:"low,omitempty"`
	High *SeedValue `json:"high,omitempty"`
	// Against is the point against the default point, seed by seed; nil if there is none, or it is that.
	// Nothing of a sweep is tested: whoever looks at many cells finds differences. See compare.
	Against *Paired `json:"against,omitempty"`
}

// Requirement is a bound of a metric that a point has to keep to, on every seed: medians hide what is rare.
type Requirement struct {
	// Metric is an index into Sweep.Metrics.
	Metric int `json:"metric"`
	// AtLeast: values are Bound or more, otherwise Bound or less, in the unit of the metric.
	AtLeast bool    `json:"at_least"`
	Bound   float64 `json:"bound"`
	// Missed are by point on how many of the seeds that were run the bound is missed. A time that never came
	// misses every bound from above; where there is nothing to measure, nothing is missed.
	Missed []int `json:"missed"`
}

// Keeps says whether a value is within the bound.
func (r *Requirement) Keeps(x float64) bool {
	if r.AtLeast {
		return !(x < r.Bound)
	}
	return !(x > r.Bound)
}

// Misses says whether a point misses a requirement on any seed.
func (s *Sweep) Misses(point int) bool {
	return slices.ContainsFunc(s.Requirements, func(r Requirement) bool { return r.Missed[point] > 0 })
}

// Ran is on how many seeds a point was run: those with a value of any metric.
func (s *Sweep) Ran(point int) int {
	n := 0
	for k := range s.Seeds {
		if slices.ContainsFunc(s.Metrics, func(m SweepMetric) bool {
			return !math.IsNaN(float64(m.Cells[point].Values[k]))
		}) {
			n++
		}
	}
	return n
}

// MostlyMisses says whether a point misses a requirement on half of its seeds or more.
func (s *Sweep) MostlyMisses(point int) bool {
	return slices.ContainsFunc(s.Requirements, func(r Requirement) bool {
		return r.Missed[point] > 0 && 2*r.Missed[point] >= s.Ran(point)
	})
}

// Candidates says of each point whether it may be chosen: those that miss no requirement; if there are none,
// those that miss none on half of their seeds or more; else all.
func (s *Sweep) Candidates() []bool {
	out := make([]bool, len(s.Points))
	for _, refused := range []func(int) bool{s.Misses, s.MostlyMisses} {
		some := false
		for i := range out {
			out[i] = !refused(i)
			some = some || out[i] && s.Ran(i) > 0
		}
		if some {
			return out
		}
	}
	for i := range out {
		out[i] = true
	}
	return out
}

// SweepEvents is one kind of bad event at all points.
type SweepEvents struct {
	// Name is as in SeedEvents. Points are by point; the counts of one are of the seeds that were run.
	Name   string       `json:"name"`
	Points []SeedEvents `json:"points"`
}

// Front is a Pareto front: the points that no other beats in one metric without losing in another.
type Front struct {
	// Metrics are indices into Sweep.Metrics, Points into Sweep.Points, in the order of the first metric.
	Metrics []int `json:"metrics"`
	Points  []int `json:"points"`
	// Near are points beyond the front whose place there may be bad luck: whichever of its points beats them
	// by the medians, the differences of the seeds show it better in none of the metrics (95 % each).
	Near []int `json:"near"`
}

// Sensitivity says how much of the spread of a metric over the points each axis explains by itself.
type Sensitivity struct {
	// Metric is an index into Sweep.Metrics.
	Metric int `json:"metric"`
	// Effects are by axis: Share of the variance, from 0 to 1, the median of what each seed says, with an
	// interval over the seeds; Sign of the change as the axis rises, 0 if it is not monotone or has no order.
	// Rest is what no axis explains alone: what they do together, and noise.
	Effects []AxisEffect `json:"effects"`
	Rest    float64      `json:"rest"`
}

// AxisEffect is one axis of a Sensitivity.
type AxisEffect struct {
	Axis  int      `json:"axis"`
	Share float64  `json:"share"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Sign  int      `json:"sign"`
}

// Addressed names the metric: METRIC@PHASE, or METRIC@FAULT for a metric of a fault.
func (m *SweepMetric) Addressed() string { return addressed(m.Metric, m.Phase, m.Fault) }
