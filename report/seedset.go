package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"simrun/internal/result"
)

// NewSeedSet sums up the runs of one scenario. Of asked seeds those that were interrupted, or are missing
// from the list, are left out of every number: the set is then not complete. It is nil without any run.
func NewSeedSet(seeds []*Seed, asked int) *result.SeedSet {
	if len(seeds) == 0 {
		return nil
	}
	first := seeds[0].run
	set := &result.SeedSet{
		Schema: result.Schema, Scenario: first.Scenario, Story: first.Story, Setup: first.Setup,
		DurationNS: first.DurationNS, WarmupNS: first.WarmupNS, NotModelled: first.NotModelled,
		Asked: asked, WindowNS: seeds[0].width, Verdict: result.NoExpectations,
	}
	seeds = slices.DeleteFunc(slices.Clone(seeds), func(s *Seed) bool { return !s.run.Complete })
	set.Complete = len(seeds) == asked
	runs := make([]*result.Run, len(seeds))
	keys, digests := sha256.New(), sha256.New()
	for i, s := range seeds {
		r := s.run
		runs[i] = r
		keys.Write([]byte(r.Key + "\n"))
		digests.Write([]byte(r.Digest + "\n"))
		set.Runs = append(set.Runs, result.SeedRun{
			Seed: r.Seed, Key: r.Key, Digest: r.Digest, Verdict: r.Verdict, Sent: r.Ledger.Sent,
			StrikeNS: firstStrike(r),
		})
	}
	set.Key = hex.EncodeToString(keys.Sum(nil))[:8]
	set.Digest = hex.EncodeToString(digests.Sum(nil))[:16]
	if len(runs) == 0 {
		return set
	}
	set.Metrics, set.Events = seedMetricsOf(runs), seedEventsOf(runs)
	set.Expectations, set.Verdict = seedExpectations(runs), Overall(runs)
	set.Warnings = seedWarnings(runs)
	set.Faults = seedFaults(runs)
	set.Curves, set.Spectra = seedCurves(seeds), seedSpectra(seeds)
	return set
}

// seedWarnings are the warnings of any run, in the order of their first appearance, with the number of seeds
// that have them if not all do.
func seedWarnings(runs []*result.Run) []string {
	n := map[string]int{}
	var order []string
	for _, r := range runs {
		for _, w := range r.Warnings {
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
			out = append(out, fmt.Sprintf("and %s more, in the seeds' own summaries",
				plural(int64(len(order)-most), "warning")))
			break
		}
		if n[w] < len(runs) {
			w += fmt.Sprintf(" (%d of %s)", n[w], plural(int64(len(runs)), "seed"))
		}
		out = append(out, w)
	}
	return out
}

// seedFaults are the faults on the time since the first strike, medians over the runs in which they began.
func seedFaults(runs []*result.Run) []result.SeedFault {
	var out []result.SeedFault
	for i := range runs[0].Faults {
		f := &runs[0].Faults[i]
		s := result.SeedFault{
			Name: f.Name, Kind: f.Kind, Detail: f.Detail, Targets: list(f.Targets), To: f.To,
		}
		var from, to []int64
		for _, r := range runs {
			zero := firstStrike(r)
			if i >= len(r.Faults) || !r.Faults[i].Began || zero == nil {
				continue
			}
			from = append(from, r.Faults[i].FromNS-*zero)
			to = append(to, r.Faults[i].ToNS-*zero)
		}
		s.Began = len(from)
		if s.Began > 0 {
			slices.Sort(from)
			slices.Sort(to)
			s.FromNS, s.ToNS = from[(len(from)-1)/2], to[(len(to)-1)/2]
			s.FromVary, s.ToVary = from[0] != from[len(from)-1], to[0] != to[len(to)-1]
		}
		out = append(out, s)
	}
	return out
}

// seedCurves aligns the curves of the runs: each on the window of its own first strike, as far as every run
// has windows. Runs without a strike have no place, unless none has one: then the start of the run is it.
func seedCurves(seeds []*Seed) []result.SeedCurve {
	none := !slices.ContainsFunc(seeds, func(s *Seed) bool { return s.strike >= 0 })
	aligned := slices.DeleteFunc(slices.Clone(seeds), func(s *Seed) bool { return s.strike < 0 && !none })
	from, to := math.MinInt, math.MaxInt
	for _, s := range aligned {
		zero := max(s.strike, 0)
		from, to = max(from, -zero), min(to, s.windows-zero)
	}
	var out []result.SeedCurve
	for c := range aligned[0].curves {
		curve := result.SeedCurve{Name: aligned[0].curves[c].name}
		for k := from; k < to; k++ {
			p := result.SeedPoint{FromNS: int64(k) * aligned[0].width}
			var values []float64
			for _, s := range aligned {
				i := k + max(s.strike, 0)
				values = append(values, s.curves[c].values[i])
				p.Thin = p.Thin || s.curves[c].thin != nil && s.curves[c].thin[i]
			}
			p.Min, p.Median, p.Max, p.Seeds = spread3(values)
			if p.Seeds == 0 {
				p.Min, p.Median, p.Max, p.Thin = 0, 0, 0, false
			}
			curve.Points = append(curve.Points, p)
		}
		out = append(out, curve)
	}
	return out
}

// seedSpectra are the quantiles that every run has.
func seedSpectra(seeds []*Seed) []result.SeedSpectrum {
	var out []result.SeedSpectrum
	for _, first := range seeds[0].spectra {
		s := result.SeedSpectrum{Phase: first.Phase}
		for k := range first.Points {
			var at []int64
			for _, seed := range seeds {
				i := slices.IndexFunc(seed.spectra, func(x result.SeedSpectrum) bool { return x.Phase == s.Phase })
				if i >= 0 && k < len(seed.spectra[i].Points) {
					at = append(at, seed.spectra[i].Points[k].Median)
				}
			}
			if len(at) < len(seeds) {
				break
			}
			slices.Sort(at)
			s.Points = append(s.Points, result.SeedQuantile{
				Beyond: first.Points[k].Beyond, Min: at[0], Median: at[(len(at)-1)/2], Max: at[len(at)-1],
			})
		}
		if len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// seedExpectations are the expectations over the runs.
func seedExpectations(runs []*result.Run) []result.SeedExpectation {
	out := []result.SeedExpectation{}
	for _, rule := range runs[0].Expectations {
		x := result.SeedExpectation{Rule: rule, Held: []uint64{}, Failed: []uint64{}, Undecided: []uint64{}}
		x.Rule.Actual, x.Rule.Infinite, x.Rule.Reason = nil, false, ""
		for _, r := range runs {
			value := math.NaN()
			i := slices.IndexFunc(r.Expectations, func(e result.Expectation) bool {
				return e.Name == rule.Name && !e.Skipped
			})
			if i >= 0 {
				e := r.Expectations[i]
				switch {
				case e.Infinite:
					value = math.Inf(1)
				case e.Actual != nil:
					value = *e.Actual
				}
				switch e.Verdict {
				case result.Passed:
					x.Held = append(x.Held, r.Seed)
				case result.Failed:
					x.Failed = append(x.Failed, r.Seed)
				default:
					x.Undecided = append(x.Undecided, r.Seed)
				}
			}
			x.Values = append(x.Values, result.SeedValue(value))
		}
		x.Rule.Skipped = len(x.Held)+len(x.Failed)+len(x.Undecided) == 0
		switch {
		case len(x.Failed) > 0:
			x.Rule.Verdict = result.Failed
		case len(x.Undecided) > 0:
			x.Rule.Verdict = result.Undecided
		default:
			x.Rule.Verdict = result.Passed
		}
		out = append(out, x)
	}
	return out
}

// seedEvents are what should never happen, by name.
var seedEvents = []struct {
	name, words, phase string
	of                 func(result.Stats) int64
}{
	{"acked_lost", "acknowledged, lost", result.PhaseAll, func(s result.Stats) int64 { return s.AckedLost }},
	{"lost", "lost", result.PhaseAll, func(s result.Stats) int64 { return s.Lost }},
	{"stranded", "stranded", result.PhaseAll, func(s result.Stats) int64 { return s.Stranded }},
	{"extra_copies", "duplicated", result.PhaseAll, func(s result.Stats) int64 { return s.ExtraCopies }},
	{"failed_before", "failed before any fault", result.PhaseBefore, func(s result.Stats) int64 {
		return s.Failed
	}},
}

// seedEventsOf counts them over the runs.
func seedEventsOf(runs []*result.Run) []result.SeedEvents {
	out := []result.SeedEvents{}
	for _, e := range seedEvents {
		if e.phase == result.PhaseBefore && len(runs[0].Faults) == 0 {
			continue // there is nothing to be before of
		}
		x := result.SeedEvents{Name: e.name}
		var total, most int64
		for _, r := range runs {
			s, _ := statsOf(r, e.phase)
			n := e.of(s)
			x.Counts = append(x.Counts, n)
			total += n
			if n > 0 {
				x.Seeds++
			}
			if n > most {
				most, x.Worst = n, &r.Seed
			}
		}
		x.Mean = float64(total) / float64(len(runs))
		if len(runs) > 1 {
			low, high := clopperPearson(x.Seeds, len(runs))
			x.Low, x.High = &low, &high
		}
		out = append(out, x)
	}
	return out
}

// clopperPearson are the ends of the exact 95 % interval of a share of which k of n was seen, rounded
// outwards to four digits.
//
// Source: Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the
// binomial", 1934.
func clopperPearson(k, n int) (low, high float64) {
	const tail, steps, digits = 0.025, 40, 1e4
	// tailOf falls with p: the chance of at most k.
	solve := func(k int, want float64) float64 {
		lo, hi := 0.0, 1.0
		for range steps {
			if mid := (lo + hi) / 2; atMost(k, n, mid) > want {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	low, high = 0, 1
	if k > 0 {
		low = math.Floor(solve(k-1, 1-tail)*digits) / digits
	}
	if k < n {
		high = math.Ceil(solve(k, tail)*digits) / digits
	}
	return low, high
}

// atMost is the chance that at most k of n happen, each with chance p.
func atMost(k, n int, p float64) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	sum := 0.0
	for i := range k + 1 {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// worstOf is the seed of the worst value: nil if all are alike, or no direction is better.
func worstOf(runs []*result.Run, values []result.SeedValue, better result.Direction) *uint64 {
	worst := -1
	alike := true
	for i, v := range values {
		if math.IsNaN(float64(v)) {
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
	return &runs[worst].Seed
}
