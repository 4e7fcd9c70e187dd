package ensemble

import (
	"math"
	"slices"

	"simrun/internal/result"
)

// rawCurve is a curve of one run, by window; NaN is a gap.
type rawCurve struct {
	name   string
	values []float64
	thin   []bool // nil: none is
}

// curvesOf are the curves of a run. Those about struck brokers are missing if faults strike none.
func curvesOf(r *result.Run) []rawCurve {
	windows := r.Series.Windows
	var struck []int
	for _, name := range r.FaultedBrokers() {
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
		return some(float64(w.P99NS), w.N > 0)
	})
	p99.thin = make([]bool, len(windows))
	for i := range windows {
		p99.thin[i] = result.ThinQuantile(990, windows[i].N)
	}
	curves := []rawCurve{p99, curve(result.CurveFailed, func(w *result.Window) float64 {
		return some(float64(w.Failed)/float64(w.N), w.N > 0)
	})}
	if len(struck) == 0 {
		return curves
	}
	return append(curves, curve(result.CurveStruck, func(w *result.Window) float64 {
		var all, there int64
		for _, n := range w.Sends {
			all += n
		}
		for _, b := range struck {
			there += w.Sends[b]
		}
		return some(float64(there)/float64(all), all > 0)
	}), curve(result.CurveAvoided, func(w *result.Window) float64 {
		var x float64
		for _, b := range struck {
			x += w.Avoided[b]
		}
		return x / float64(len(struck))
	}))
}

// some is x if there is one, NaN if not.
func some(x float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return x
}

// rawSpectrum is the distribution of latencies of a phase in one run: how long the messages at quantilePlaces
// took, in nanoseconds, as far as ten are left beyond.
type rawSpectrum struct {
	phase string
	at    []int64
}

// Twentieths of a decade, near enough to a geometric series and the same on every machine.
var mantissas = []float64{
	1, 1.12, 1.25, 1.4, 1.6, 1.8, 2, 2.25, 2.5, 2.8, 3.2, 3.6, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9,
}

// beyondAt is 1/(1-q) of the k-th of the quantiles that are kept.
func beyondAt(k int) float64 {
	decade := 1.0
	for range k / len(mantissas) {
		decade *= 10
	}
	return mantissas[k%len(mantissas)] * decade
}

// quantilesOf are the quantiles of a spectrum at twenty places for each further nine, as far as ten messages
// are left beyond them.
func quantilesOf(s *result.Spectrum) []int64 {
	var n int64
	for _, b := range s.Buckets {
		n += b.N
	}
	var out []int64
	bucket, below := 0, int64(0) // messages in the buckets before
	for k := 0; ; k++ {
		x := beyondAt(k)
		if k%len(mantissas) == 0 && x >= float64(max(n, 1)) {
			return out
		}
		rank := max(1, int64(math.Ceil(float64(n)*(1-1/x)-1e-9)))
		if n-rank < result.FewestBeyond {
			return out
		}
		for below+s.Buckets[bucket].N < rank {
			below += s.Buckets[bucket].N
			bucket++
		}
		out = append(out, s.Buckets[bucket].UpToNS)
	}
}
