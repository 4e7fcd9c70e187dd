package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"simrun/internal/result"
)

// comparedRow is a row of a fabricated comparison: what the reference has, how seeds and messages scatter
// around it, and by which factor each variant has it.
type comparedRow struct {
	metric, phase, fault string
	named                bool
	base, spread         float64
	factors              []float64
}

// comparedRows are those of comparison: the first variant after the reference is better in all that is
// named but one, the second worse, the third has nothing to show.
var comparedRows = []comparedRow{
	{"success_rate", "all", "", true, 0.9981, 0.0004, []float64{1.0015, 0.996, 1}},
	{"failed", "all", "", true, 2890, 180, []float64{0.11, 3.2, 1}},
	{"latency_p99", "all", "", true, 1.003e9, 2e6, []float64{0.063, 3.01, 1}},
	{"time_to_avoid", "", "power-cut", true, 3.05e9, 3e7, []float64{0.33, math.Inf(1), 1}},
	{"broker_imbalance", "all", "", true, 1.35, 0.03, []float64{1, 1.001, 1}},
	{"latency_p50", "all", "", false, 2.1e6, 2e4, []float64{1, 1.001, 1}},
	{"latency_p99", "fault.power-cut", "", false, 3.004e9, 4e6, []float64{0.02, 1.5, 1}},
	{"failed", "recovery.power-cut", "", false, 12, 9, []float64{0.5, 2, 1}},
	{"time_to_detect", "", "power-cut", false, 1e9, 1e7, []float64{1, 1, 1}},
	{"time_to_return", "", "power-cut", false, 24e9, 2e9, []float64{1.6, math.NaN(), 1}},
}

// comparison fabricates a comparison of variants on so many seeds, the first of them the reference: "base",
// "ours", … Nothing in it is simulated; it only has the shape.
func comparison(seeds int, names ...string) *result.Comparison {
	c := &result.Comparison{
		Schema: result.Schema, Scenario: "two-masters-down",
		Story: "Two of four masters lose power at 120 s and come back at 300 s.",
		Key:   "5eed5eed", Digest: "c0ffeec0ffeec0ff", Complete: true, DurationNS: 480 * second,
		Asked: seeds, Alpha: 0.05, SeedsNeeded: 8,
	}
	for s := range seeds {
		c.Seeds = append(c.Seeds, uint64(s+1))
	}
	for v, name := range names {
		x := result.ComparedVariant{Name: name, Settings: []result.VariantSetting{}, Set: comparedSet(c, v)}
		if v > 0 {
			x.Story = "Other thresholds than the client comes with."
			x.Settings = append(x.Settings,
				result.VariantSetting{
					Path: "producer.p.latency_max", Base: `["50ms", "100ms", "550ms", "1800ms", "3s"]`,
					Text: `["50ms", "100ms", "150ms", "200ms", "300ms"]`,
				},
				result.VariantSetting{Path: "producer.p.send_msg_timeout", Base: `"3s"`, Text: `"1s"`},
			)
		}
		if v == 2 {
			x.Notes = append(x.Notes, "producer.p.start_detector_enable is dropped: 4.9.8 has no such key")
		}
		c.Variants = append(c.Variants, x)
	}
	for i := range comparedRows {
		c.Rows = append(c.Rows, comparedRows[i].row(c, i))
	}
	for i, name := range comparedEventNames {
		x := result.PairedEvents{Name: name}
		for _, v := range c.Variants {
			x.ByVariant = append(x.ByVariant, v.Set.Events[i])
			x.Against = append(x.Against, comparedSeeds(v.Set.Events[i], c.Variants[c.Reference].Set.Events[i]))
		}
		x.Against[c.Reference] = result.PairedSeeds{}
		c.Events = append(c.Events, x)
	}
	return c
}

// values are those of a variant by seed: the luck of a seed is the same for all.
func (x *comparedRow) values(row, variant, seeds int) []result.SeedValue {
	m, _ := result.LookupMetric(x.metric)
	luck := rand.New(rand.NewPCG(uint64(row), 7))
	own := rand.New(rand.NewPCG(uint64(row), uint64(variant)+100))
	var out []result.SeedValue
	for range seeds {
		v := x.base + x.spread*luck.NormFloat64()
		if variant > 0 {
			v = v*x.factors[(variant-1)%len(x.factors)] + x.spread/4*own.NormFloat64()
		}
		switch m.Unit {
		case result.UnitRatio:
			v = min(v, 1)
		case result.UnitCount, result.UnitNS:
			v = max(math.Round(v), 0)
		case result.UnitPer:
		}
		out = append(out, result.SeedValue(v))
	}
	return out
}

// row pairs the values of all variants. Its intervals are those of order statistics; its p is rough.
func (x *comparedRow) row(c *result.Comparison, row int) result.PairedRow {
	m, _ := result.LookupMetric(x.metric)
	r := result.PairedRow{
		Metric: x.metric, Phase: x.phase, Fault: x.fault, Unit: m.Unit, Better: m.Better, Named: x.named,
	}
	base := x.values(row, c.Reference, len(c.Seeds))
	for v := range c.Variants {
		values := x.values(row, v, len(c.Seeds))
		r.Medians = append(r.Medians, comparedMedian(values))
		var p result.Paired
		if v != c.Reference {
			p = comparedPair(base, values, x.named, m.Better)
		}
		r.Against = append(r.Against, p)
	}
	return r
}

func comparedPair(base, values []result.SeedValue, named bool, better result.Direction) result.Paired {
	p := result.Paired{Median: result.SeedValue(math.NaN())}
	var diffs []result.SeedValue
	for i := range values {
		d := values[i] - base[i]
		p.Differences = append(p.Differences, d)
		switch {
		case math.IsNaN(float64(d)):
			continue
		case d < 0:
			p.Lower++
		case d > 0:
			p.Higher++
		default:
			p.Equal++
		}
		diffs = append(diffs, d)
	}
	p.Pairs = len(diffs)
	if p.Pairs == 0 {
		if p.Outcome = ""; named {
			p.Outcome = result.OutcomeNoPairs
		}
		return p
	}
	slices.Sort(diffs)
	p.Median = comparedMedian(diffs)
	gain := 5.25
	p.Gain = &gain
	if ranks := map[int]int{6: 0, 8: 0, 10: 1, 20: 5}; p.Pairs >= 6 {
		k := ranks[p.Pairs]
		p.Low, p.High, p.Confidence = &diffs[k], &diffs[p.Pairs-1-k], 0.9785
	}
	if !named {
		return p
	}
	chance := math.Min(1, 2*math.Pow(0.5, float64(max(p.Lower, p.Higher)-min(p.Lower, p.Higher))))
	adjusted := math.Min(1, 5*chance)
	p.P, p.Adjusted = &chance, &adjusted
	switch {
	case p.Pairs < 8:
		p.Outcome = result.OutcomeFew
	case adjusted > 0.05:
		p.Outcome, p.SeedsToShow = result.OutcomeNone, 1234
	case (p.Higher > p.Lower) == (better == result.HigherIsBetter):
		p.Outcome = result.OutcomeBetter
	default:
		p.Outcome = result.OutcomeWorse
	}
	return p
}

// comparedMedian is the nearest-rank median of the values that exist.
func comparedMedian(values []result.SeedValue) result.SeedValue {
	v := slices.DeleteFunc(slices.Clone(values), func(x result.SeedValue) bool {
		return math.IsNaN(float64(x))
	})
	if len(v) == 0 {
		return result.SeedValue(math.NaN())
	}
	slices.Sort(v)
	return v[(len(v)-1)/2]
}

// comparedSet is the set of seeds of one variant, as far as comparisons show it.
func comparedSet(c *result.Comparison, variant int) *result.SeedSet {
	n := len(c.Seeds)
	set := &result.SeedSet{
		Schema: c.Schema, Scenario: c.Scenario, Story: c.Story, Key: fmt.Sprintf("%08x", 0xabc0+variant),
		Digest: fmt.Sprintf("%016x", 0x123450+variant), Complete: true, DurationNS: c.DurationNS,
		WarmupNS: 30 * second, Setup: fixture(oneWindow()).Setup, Asked: n, Verdict: result.Passed,
		WindowNS: 10 * second,
		Faults: []result.SeedFault{{
			Name: "power-cut", Kind: "power-loss", Targets: []string{"a:0", "b:0"}, Began: n, ToNS: 180 * second,
		}},
	}
	strike := 120 * second
	for _, s := range c.Seeds {
		set.Runs = append(set.Runs, result.SeedRun{
			Seed: s, Key: fmt.Sprintf("%08x", s<<8+uint64(variant)),
			Digest:  fmt.Sprintf("%016x", s<<16+uint64(variant)),
			Verdict: result.Passed, Sent: 1_536_000, StrikeNS: &strike,
		})
	}
	for i := range comparedRows {
		x := &comparedRows[i]
		m, _ := result.LookupMetric(x.metric)
		values := x.values(i, variant, n)
		set.Metrics = append(set.Metrics, result.SeedMetric{
			Metric: x.metric, Phase: x.phase, Fault: x.fault, Unit: m.Unit, Values: values,
			Median: comparedMedian(values), Min: slices.Min(values), Max: slices.Max(values),
		})
	}
	for i, name := range comparedEventNames {
		set.Events = append(set.Events, comparedEvents(name, i, variant, n))
	}
	least := 0.999
	rule := result.Expectation{
		Name: "delivery", Metric: "success_rate", Where: "during all", Min: &least, Verdict: result.Passed,
	}
	set.Expectations = []result.SeedExpectation{{
		Rule: rule, Values: set.Metrics[0].Values, Held: c.Seeds, Failed: []uint64{}, Undecided: []uint64{},
	}}
	if variant == 2 && n > 2 {
		set.Expectations[0].Held, set.Expectations[0].Failed = c.Seeds[:n-2], c.Seeds[n-2:]
	}
	comparedCurves(set, variant)
	return set
}

// oneWindow is the world of two-masters-down, for its setup alone.
func oneWindow() world {
	w := twoMastersDown()
	w.duration, w.faults = w.warmup+w.window, nil
	return w
}

var comparedEventNames = []string{"acked_lost", "lost", "stranded", "extra_copies", "failed_before"}

// comparedEvents: acknowledged messages are lost in three seeds of the reference, and in none of the others;
// the second variant has duplicates in all.
func comparedEvents(name string, event, variant, n int) result.SeedEvents {
	x := result.SeedEvents{Name: name, Counts: make([]int64, n)}
	for s := range x.Counts {
		switch {
		case event == 0 && variant == 0 && s%4 == 1, event == 3 && variant == 2:
			x.Counts[s] = int64(40 + s)
			x.Seeds++
			x.Mean += float64(x.Counts[s]) / float64(n)
			worst := uint64(s + 1)
			x.Worst = &worst
		}
	}
	low, high := 0.0, 1.0
	switch x.Seeds {
	case 0:
		high = 0.3085
	case n:
		low = 0.6915
	default:
		low, high = 0.0667, 0.6525
	}
	x.Low, x.High = &low, &high
	return x
}

// comparedSeeds pairs a bad event. Its p is made up.
func comparedSeeds(x, reference result.SeedEvents) result.PairedSeeds {
	out := result.PairedSeeds{P: 1, Adjusted: 1, Outcome: result.OutcomeNone}
	for s := range x.Counts {
		switch {
		case x.Counts[s] > reference.Counts[s]:
			out.More++
		case x.Counts[s] < reference.Counts[s]:
			out.Fewer++
		}
	}
	if out.More >= 9 {
		out.P, out.Adjusted, out.Outcome = 0.002, 0.01, result.OutcomeWorse
	}
	return out
}

// comparedCurves are curves over time and distributions, of simple shapes.
func comparedCurves(set *result.SeedSet, variant int) {
	scale := []float64{1, 0.06, 3, 1}[variant%4]
	names := []string{result.CurveP99, result.CurveFailed, result.CurveStruck, result.CurveAvoided}
	for _, name := range names {
		curve := result.SeedCurve{Name: name}
		for at := -120 * second; at < 360*second; at += set.WindowNS {
			struck := at >= 0 && at < 180*second
			median := map[string]float64{
				result.CurveP99: 12e6, result.CurveFailed: 0, result.CurveStruck: 0.5, result.CurveAvoided: 0,
			}[name]
			if struck {
				median = map[string]float64{
					result.CurveP99: 12e6 + 1e9*scale, result.CurveFailed: 0.01 * scale,
					result.CurveStruck: 0.02 * scale, result.CurveAvoided: 1 - 0.1*scale,
				}[name]
			}
			curve.Points = append(curve.Points, result.SeedPoint{
				FromNS: at, Seeds: len(set.Runs), Min: median * 0.9, Median: median, Max: median * 1.2,
			})
		}
		set.Curves = append(set.Curves, curve)
	}
	for _, phase := range []string{"before", "fault.power-cut", "recovery.power-cut", "all"} {
		s := result.SeedSpectrum{Phase: phase}
		worse := 1.0
		if phase != "before" {
			worse = 1 + 9*scale
		}
		for decade := 1.0; decade < 1e5; decade *= 10 {
			for _, m := range []float64{1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8} {
				at := 2e6 * (1 + worse*math.Log10(m*decade))
				s.Points = append(s.Points, result.SeedQuantile{
					Beyond: m * decade, Min: int64(at * 0.95), Median: int64(at), Max: int64(at * 1.1),
				})
			}
		}
		set.Spectra = append(set.Spectra, s)
	}
}
