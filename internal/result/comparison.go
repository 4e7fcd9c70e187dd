package result

// Comparison is what variants of one scenario, each run with the same seeds, say against one of them. It is
// comparison.json. Seeds are the replications: a difference is taken seed by seed, and a verdict is about
// the seeds' differences, never about two medians.
type Comparison struct {
	Schema   int    `json:"schema"`
	Scenario string `json:"scenario"`
	Story    string `json:"story,omitempty"`
	// Key is the first 8 hex digits of the hash of what was asked: the variants' names and keys, the reference
	// and the rows that were named. Digest is 16 of that of the runs' digests.
	Key    string `json:"key"`
	Digest string `json:"digest"`
	// Complete is false if runs were interrupted or never begun; a seed that lacks a run of any variant is
	// left out of all.
	Complete   bool  `json:"complete"`
	DurationNS int64 `json:"duration_ns"`
	// Variants in the order in which they were named; Reference is the index of the one that the others are
	// held against.
	Variants  []ComparedVariant `json:"variants"`
	Reference int               `json:"reference"`
	// Seeds are those that every variant has, in the order in which they were asked for; Asked is how many
	// were.
	Seeds []uint64 `json:"seeds"`
	Asked int      `json:"asked"`
	// Alpha bounds the chance that any row of any variant gets a verdict though nothing differs: 0.05, or the
	// part of it that the looks of Precision have. Intervals hold with at least 1 - Alpha.
	Alpha float64 `json:"alpha"`
	// Rows: first those that were named before the run, then the others, which have no verdict.
	Rows []PairedRow `json:"rows"`
	// Events are what should never happen, which a median would hide.
	Events []PairedEvents `json:"events"`
	// SeedsNeeded is the fewest seeds with which a row that was named can get a verdict at all, all seeds
	// agreeing.
	SeedsNeeded int `json:"seeds_needed"`
	// Precision is set where seeds were added until a row was precise enough.
	Precision *Precision `json:"precision,omitempty"`
	Warnings  []string   `json:"warnings,omitempty"`
}

// ComparedVariant is one of the things compared.
type ComparedVariant struct {
	// Name is that of its [variant.NAME] table or flag; "base" is the scenario as it stands.
	Name  string `json:"name"`
	Story string `json:"story,omitempty"`
	// Settings are what differs from the base, in the order of the scenario.
	Settings []VariantSetting `json:"settings"`
	// Notes say which inherited settings were dropped, and why.
	Notes []string `json:"notes,omitempty"`
	// Set has every seed of the comparison.
	Set *SeedSet `json:"set"`
}

// VariantSetting is a key that a variant has otherwise than the base. Texts are TOML, empty for a key that is
// not set.
type VariantSetting struct {
	Path string `json:"path"`
	Base string `json:"base"`
	Text string `json:"value"`
}

// PairedRow is a metric of all messages of a phase, or of a fault, in all variants.
type PairedRow struct {
	Metric string    `json:"metric"`
	Phase  string    `json:"phase,omitempty"`
	Fault  string    `json:"fault,omitempty"`
	Unit   Unit      `json:"unit"`
	Better Direction `json:"better"`
	// Named: it was named before the run, so it is tested.
	Named bool `json:"named"`
	// Medians are over the seeds, by variant.
	Medians []SeedValue `json:"medians"`
	// Against is by variant; that of the reference is the zero value.
	Against []Paired `json:"against"`
}

// Outcome is what a named row says of a variant.
type Outcome string

// Outcomes. A row that was not named has none.
const (
	OutcomeBetter    Outcome = "better"
	OutcomeWorse     Outcome = "worse"
	OutcomeDifferent Outcome = "different" // of a metric of which neither direction is better
	OutcomeNone      Outcome = "no difference shown"
	OutcomeFew       Outcome = "too few seeds"
	OutcomeNoPairs   Outcome = "no values"
)

// Paired is a variant against the reference, seed by seed.
type Paired struct {
	// Differences are variant minus reference, by seed: NaN where either has no value. Where a time never
	// came in one of them it is infinite, where it never came in either it is 0.
	Differences []SeedValue `json:"differences"`
	// Pairs counts the differences there are, of which so many are below, above and equal to 0.
	Pairs  int `json:"pairs"`
	Lower  int `json:"lower"`
	Higher int `json:"higher"`
	Equal  int `json:"equal"`
	// Median of the differences. It need not be the difference of the medians.
	Median SeedValue `json:"median"`
	// Low and High bound the true median with Confidence, at least 1 - Alpha of the comparison, by order
	// statistics; nil where there are too few pairs, below six at 95 %.
	Low        *SeedValue `json:"low,omitempty"`
	High       *SeedValue `json:"high,omitempty"`
	Confidence float64    `json:"confidence,omitempty"`
	// P is from signed ranks under flips of the signs, SignP from the signs alone. Adjusted is what a verdict
	// goes by: the larger of the two after Holm's correction over the named rows of all variants. All are nil
	// for a row that was not named.
	P        *float64 `json:"p,omitempty"`
	SignP    *float64 `json:"p_signs,omitempty"`
	Adjusted *float64 `json:"p_adjusted,omitempty"`
	Outcome  Outcome  `json:"outcome,omitempty"`
	// SeedsToShow estimates how many seeds would show a named row that has no verdict, with a chance of 80 %,
	// if the differences seen are typical; 0 where it has one, or that is beyond 10,000.
	SeedsToShow int `json:"seeds_to_show,omitempty"`
	// Gain is how many times as many seeds independent draws would need for the same precision: the sum of
	// the variances over the variance of the difference. Nil where a variance is 0 or infinite.
	Gain *float64 `json:"gain,omitempty"`
}

// PairedEvents is one kind of bad event in all variants.
type PairedEvents struct {
	// Name is as in SeedEvents; ByVariant are those of the variants.
	Name      string       `json:"name"`
	ByVariant []SeedEvents `json:"by_variant"`
	// Against is by variant; that of the reference is the zero value.
	Against []PairedSeeds `json:"against"`
}

// PairedSeeds says on how many seeds a bad event happened more often in a variant or in the reference.
type PairedSeeds struct {
	// More counts the seeds on which the variant had more of them than the reference, Fewer those on which it
	// had fewer; where none of the two has any, or both as many, the seed is in neither.
	More  int `json:"more_here"`
	Fewer int `json:"fewer_here"`
	// P is that of the exact sign test over both, Adjusted the same by Holm over the events.
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
	// Outcome is "better", "worse" or "no difference shown"; "too few seeds" if no number of seeds on which
	// they differ could show one.
	Outcome Outcome `json:"outcome,omitempty"`
}

// Precision is how seeds were added until a row was precise enough.
type Precision struct {
	Metric string `json:"metric"`
	Phase  string `json:"phase,omitempty"`
	Fault  string `json:"fault,omitempty"`
	// Target is the half-width wanted, relative to the reference's median.
	Target float64 `json:"target"`
	// Looks are in the order in which they were made. Their levels share the 5 %.
	Looks []Look `json:"looks"`
	// Reached: the last look was precise enough; if not, the budget of seeds ended.
	Reached bool `json:"reached"`
}

// Look is one look at the row that decides.
type Look struct {
	Seeds int `json:"seeds"`
	// Confidence is that of the intervals of this look.
	Confidence float64 `json:"confidence"`
	// HalfWidth is the largest of the variants, relative to the reference's median; nil: there is none, and
	// Reason says why.
	HalfWidth *float64 `json:"half_width,omitempty"`
	Reason    string   `json:"reason,omitempty"`
}

// Addressed names the row: METRIC@PHASE, or METRIC@FAULT for a metric of a fault.
func (r *PairedRow) Addressed() string { return addressed(r.Metric, r.Phase, r.Fault) }

// Addressed names the row that decides.
func (p *Precision) Addressed() string { return addressed(p.Metric, p.Phase, p.Fault) }

func addressed(metric, phase, fault string) string { return metric + "@" + phase + fault }
