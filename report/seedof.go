package report

import (
	"math"
	"slices"

	"simrun/internal/result"
)

// Seed is what a [result.SeedSet] takes of one run: a few numbers for each phase and window, and no more, so
// that many seeds fit into memory.
type Seed struct {
	run    *result.Run // without what is stored in files of their own
	curves []rawCurve
	// strike is the window of the series in which the first fault struck, -1 if none did; windows is their
	// number, width that of one in nanoseconds.
	strike, windows int
	width           int64
	spectra         []result.SeedSpectrum // Min, Median and Max are alike
}

// rawCurve is a curve of one run, by window; NaN is a gap.
type rawCurve struct {
	name   string
	values []float64
	thin   []bool // nil: none is
}

// SeedOf takes from a run what a set needs. It reads the time series and the distributions of the run, which
// need not be kept after it.
func SeedOf(r *result.Run) *Seed {
	lean := *r
	lean.Series, lean.Spectra, lean.Sample, lean.Isolations = result.Series{}, nil, result.SendSample{}, nil
	lean.Queues, lean.Instances, lean.Stories, lean.Exemplars = nil, nil, nil, nil
	s := &Seed{run: &lean, strike: -1, windows: len(r.Series.Windows), width: r.Series.WindowNS}
	if at := firstStrike(r); at != nil && s.width > 0 {
		s.strike = int(*at / s.width)
	}
	s.curves = curvesOf(r)
	for i := range r.Spectra {
		if x := &r.Spectra[i]; x.Dim == result.DimAll {
			s.spectra = append(s.spectra, result.SeedSpectrum{Phase: x.Phase, Points: quantilesOf(x)})
		}
	}
	return s
}

// firstStrike is when a fault struck first, nil if none did.
func firstStrike(r *result.Run) *int64 {
	var first *int64
	for i := range r.Faults {
		f := &r.Faults[i]
		at := f.FromNS
		if len(f.Spans) > 0 {
			at = f.Spans[0][0]
		}
		struck := f.Began && (!repeats(*f) || f.Strikes > 0) && at < r.SimulatedNS
		if struck && (first == nil || at < *first) {
			first = &at
		}
	}
	return first
}

// curvesOf are the curves of a run. Those about struck brokers are missing if faults strike none.
func curvesOf(r *result.Run) []rawCurve {
	windows := r.Series.Windows
	var struck []int
	for _, name := range faultedBrokers(r) {
		if i := slices.Index(r.Series.Brokers, name); i >= 0 {
			struck = append(struck, i)
		}
	}
	curve := func(name string, of func(w *result.Window) float64) rawCurve {
		c := rawCurve{name: name, values: make([]float64, len(windows))}
		for i := range windows {
			c.values[i] = of(&windows[i])
		}
		return c
	}
	p99 := curve(result.CurveP99, func(w *result.Window) float64 {
		return over(float64(w.P99NS), w.N > 0)
	})
	p99.thin = make([]bool, len(windows))
	for i := range windows {
		p99.thin[i] = thinQuantile(990, windows[i].N)
	}
	curves := []rawCurve{p99, curve(result.CurveFailed, func(w *result.Window) float64 {
		return over(float64(w.Failed)/float64(w.N), w.N > 0)
	})}
	if len(struck) == 0 {
		return curves
	}
	return append(curves, curve(result.CurveStruck, func(w *result.Window) float64 {
		all := sum(w.Sends, nil)
		return over(float64(sum(w.Sends, struck))/float64(all), all > 0)
	}), curve(result.CurveAvoided, func(w *result.Window) float64 { return mean(w.Avoided, struck) }))
}

// over is x if there is one, and a gap if not.
func over(x float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}

// Twentieths of a decade, near enough to a geometric series and the same on every machine.
var mantissas = []float64{
	1, 1.12, 1.25, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9,
}

// quantilesOf are the quantiles of a spectrum at twenty places for each further nine, as far as ten messages
// are left beyond them.
func quantilesOf(s *result.Spectrum) []result.SeedQuantile {
	var n int64
	for _, b := range s.Buckets {
		n += b.N
	}
	var out []result.SeedQuantile
	bucket, below := 0, int64(0) // messages in the buckets before
	for decade := 1.0; decade < float64(max(n, 1)); decade *= 10 {
		for _, m := range mantissas {
			x := m * decade
			rank := max(1, int64(math.Ceil(float64(n)*(1-1/x)-1e-9)))
			if n-rank < fewestBeyond {
				return out
			}
			for below+s.Buckets[bucket].N < rank {
				below += s.Buckets[bucket].N
				bucket++
			}
			at := s.Buckets[bucket].UpToNS
			out = append(out, result.SeedQuantile{Beyond: x, Min: at, Median: at, Max: at})
		}
	}
	return out
}
