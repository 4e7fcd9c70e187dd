package stat

import (
	"math"
	"slices"
)

// Effect is what one axis explains of a metric over the points of a sweep.
type Effect struct {
	// Share is the part of the variance that the axis explains by itself, from 0 to 1: Sobol's first-order
	// index, the middle over the seeds.
	Share float64
	// Interval is that of the share over the seeds, if Known.
	Interval Interval
	Known    bool
	// Sign is that of the change as the axis rises; 0 if there is none, it is not monotone, or seeds differ.
	Sign int
}

// leastTrend is the rank correlation between bins of an axis and their means below which there is no trend.
const leastTrend = 0.5

// Effects says how much of the spread of a metric over points each axis explains by itself, and rest, how
// much none does: what axes do together, and noise. x is by axis and point, y by seed and point; a point
// without a value in a seed takes no part in it. Where any value is infinite, all are replaced by their
// ranks in the seed.
//
// A share is the correlation ratio: the spread of the means of an axis's bins over that of all points. In a
// whole grid the bins are the levels, and that is exact. Elsewhere an axis of more levels than the square
// root of the points has as many bins of about equal numbers, 32 at most; other axes do not cancel
// within a bin, and the share is corrected for what bins explain by chance (Kelley's epsilon squared), 0 at
// least.
//
// Source: Sobol', "Sensitivity estimates for nonlinear mathematical models", 1993; Kelley, "An unbiased
// correlation ratio measure", 1935.
func Effects(x, y [][]float64) (effects []Effect, rest float64) {
	ranks := slices.ContainsFunc(y, func(v []float64) bool {
		return slices.ContainsFunc(v, func(f float64) bool { return math.IsInf(f, 0) })
	})
	shares, trends := make([][]float64, len(x)), make([][]float64, len(x))
	spread := false
	for _, values := range y {
		at, v := valued(values)
		if len(v) < 3 {
			continue
		}
		if ranks {
			v = midranks(v)
		}
		spread = spread || slices.Min(v) != slices.Max(v)
		axes := make([]axis, len(x))
		for a := range x {
			axes[a] = binned(pick(x[a], at), len(v))
		}
		grid := isGrid(axes, len(v))
		for a := 0; a < len(x) && !grid; a++ {
			axes[a] = binned(pick(x[a], at), min(mostBins, max(2, int(math.Sqrt(float64(len(v)))))))
		}
		for a := range axes {
			share, trend := axes[a].explains(v, grid)
			shares[a], trends[a] = append(shares[a], share), append(trends[a], trend)
		}
	}
	rest = 1
	for a := range x {
		e := Effect{Share: max(0, Middle(shares[a])), Sign: signOf(trends[a])}
		if len(shares[a]) == 0 {
			e.Share = 0
		}
		e.Interval, e.Known = MedianInterval(shares[a], 0.95)
		rest -= e.Share
		effects = append(effects, e)
	}
	if !spread {
		return effects, 0
	}
	return effects, min(1, max(0, rest))
}

// signOf is the sign that the trends of all seeds have in common.
func signOf(trends []float64) int {
	middle := Middle(trends)
	i, ok := MedianInterval(trends, 0.95)
	switch {
	case !(math.Abs(middle) >= leastTrend), ok && i.Low <= 0 && i.High >= 0:
		return 0
	case middle < 0:
		return -1
	}
	return 1
}

func valued(values []float64) (at []int, v []float64) {
	for i, x := range values {
		if !math.IsNaN(x) {
			at, v = append(at, i), append(v, x)
		}
	}
	return at, v
}

func pick(v []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, k := range at {
		out[i] = v[k]
	}
	return out
}

// axis sorts points into bins.
type axis struct {
	bin []int // by point
	n   []int // by bin: how many points
}

const mostBins = 32

// binned makes a bin of each level if there are at most so many; else so many of about equal numbers.
func binned(x []float64, most int) axis {
	order := ordered(x)
	levels := 0
	for i, k := range order {
		if i == 0 || x[k] != x[order[i-1]] {
			levels++
		}
	}
	a := axis{bin: make([]int, len(x))}
	b := 0
	for i, k := range order {
		if i > 0 && x[k] != x[order[i-1]] && (levels <= most || i*most/len(x) > b) {
			b++
		}
		a.bin[k] = b
	}
	a.n = make([]int, b+1)
	for _, b := range a.bin {
		a.n[b]++
	}
	return a
}

// isGrid says whether the points are every combination of the axes' levels, as often each.
func isGrid(axes []axis, points int) bool {
	cells := 1
	for _, a := range axes {
		if cells > points {
			return false
		}
		cells *= len(a.n)
	}
	if cells == 0 || points%cells != 0 {
		return false
	}
	n := make([]int, cells)
	for p := range points {
		c := 0
		for _, a := range axes {
			c = c*len(a.n) + a.bin[p]
		}
		n[c]++
	}
	return slices.Min(n) == slices.Max(n)
}

// roundings is the variance, relative to the square of the mean, that is but rounding.
const roundings = 1e-24

// explains is the share of the variance of the values that the bins explain, and the rank correlation of the
// bins' means with their order.
func (a axis) explains(v []float64, grid bool) (share, trend float64) {
	means := make([]float64, len(a.n))
	for i, x := range v {
		means[a.bin[i]] += x / float64(a.n[a.bin[i]])
	}
	m := mean(v)
	var between, all float64
	for i, x := range v {
		d := means[a.bin[i]] - m
		between += float64(d * d)
		all += float64((x - m) * (x - m))
	}
	if all <= roundings*m*m*float64(len(v)) || len(means) < 2 {
		return 0, 0
	}
	share = min(1, between/all)
	if free := len(v) - len(means); !grid && free > 0 {
		share = max(0, 1-(1-share)*float64(len(v)-1)/float64(free))
	}
	order := make([]float64, len(means))
	scale := 1e9 / math.Sqrt(all)
	for b := range order {
		order[b] = float64(b)
		means[b] = math.Round((means[b] - m) * scale) // alike but for rounding is alike
	}
	return share, RankCorrelation(order, means)
}
