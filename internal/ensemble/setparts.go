package ensemble

import (
	"math"
	"slices"

	"simrun/internal/result"
)

// seedFaults are the faults on the time since the first strike, medians over the runs in which they began.
func seedFaults(members []*Member) []result.SeedFault {
	var out []result.SeedFault
	for i := range members[0].run.Faults {
		f := &members[0].run.Faults[i]
		s := result.SeedFault{
			Name: f.Name, Kind: f.Kind, Detail: f.Detail, Targets: append([]string{}, f.Targets...), To: f.To,
		}
		var from, to []int64
		for _, m := range members {
			faults, zero := m.run.Faults, m.strike
			if i >= len(faults) || !faults[i].Began || zero == nil {
				continue
			}
			from = append(from, faults[i].FromNS-*zero)
			to = append(to, faults[i].ToNS-*zero)
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
func seedCurves(members []*Member) []result.SeedCurve {
	none := !slices.ContainsFunc(members, func(m *Member) bool { return m.struck >= 0 })
	aligned := slices.DeleteFunc(slices.Clone(members), func(m *Member) bool { return m.struck < 0 && !none })
	from, to := math.MinInt, math.MaxInt
	for _, m := range aligned {
		zero := max(m.struck, 0)
		from, to = max(from, -zero), min(to, m.windows-zero)
	}
	var out []result.SeedCurve
	for c := range aligned[0].curves {
		curve := result.SeedCurve{Name: aligned[0].curves[c].name}
		for k := from; k < to; k++ {
			p := result.SeedPoint{FromNS: int64(k) * aligned[0].width}
			var values []float64
			for _, m := range aligned {
				i := k + max(m.struck, 0)
				values = append(values, m.curves[c].values[i])
				p.Thin = p.Thin || m.curves[c].thin != nil && m.curves[c].thin[i]
			}
			p.Min, p.Median, p.Max, p.Seeds = result.LeastMedianMost(values)
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
func seedSpectra(members []*Member) []result.SeedSpectrum {
	var out []result.SeedSpectrum
	for _, first := range members[0].spectra {
		s := result.SeedSpectrum{Phase: first.phase}
		for k := range first.at {
			var at []int64
			for _, m := range members {
				i := slices.IndexFunc(m.spectra, func(x rawSpectrum) bool { return x.phase == s.Phase })
				if i >= 0 && k < len(m.spectra[i].at) {
					at = append(at, m.spectra[i].at[k])
				}
			}
			if len(at) < len(members) {
				break
			}
			slices.Sort(at)
			s.Points = append(s.Points, result.SeedQuantile{
				Beyond: beyondAt(k), Min: at[0], Median: at[(len(at)-1)/2], Max: at[len(at)-1],
			})
		}
		if len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// seedExpectations are the expectations over the runs.
func seedExpectations(members []*Member) []result.SeedExpectation {
	out := []result.SeedExpectation{}
	for _, rule := range members[0].run.Expectations {
		x := result.SeedExpectation{Rule: rule, Held: []uint64{}, Failed: []uint64{}, Undecided: []uint64{}}
		x.Rule.Actual, x.Rule.Infinite, x.Rule.Reason = nil, false, ""
		for _, m := range members {
			r := m.run
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
