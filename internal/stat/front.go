package stat

import (
	"cmp"
	"math"
	"slices"
)

// Front returns the points that no other beats: as good in every metric and better in one. Points are lists
// of metrics; better has the sign of the direction in which a metric is better. They come in the order of
// the first metric, the best first, then of the second and so on, then of the arguments. A point that lacks
// a value takes no part; points that are alike are on the front together.
func Front(points [][]float64, better []int) []int {
	var whole []int
	for i, p := range points {
		if !slices.ContainsFunc(p, math.IsNaN) {
			whole = append(whole, i)
		}
	}
	slices.SortStableFunc(whole, func(i, j int) int { return firstBetter(points[i], points[j], better) })
	var front []int
	// Whoever beats a point comes before it, and if one off the front does, so does one on it.
	for _, i := range whole {
		if !slices.ContainsFunc(front, func(f int) bool { return Beats(points[f], points[i], better) }) {
			front = append(front, i)
		}
	}
	return front
}

// Beats says whether a is as good as b in every metric and better in one.
func Beats(a, b []float64, better []int) bool {
	beats := false
	for m, sign := range better {
		switch c := cmp.Compare(a[m], b[m]) * sign; {
		case c < 0:
			return false
		case c > 0:
			beats = true
		}
	}
	return beats
}

// firstBetter orders by the first metric that differs, the better first.
func firstBetter(a, b []float64, better []int) int {
	for m, sign := range better {
		if c := cmp.Compare(b[m], a[m]) * sign; c != 0 {
			return c
		}
	}
	return 0
}

// Near returns the points beyond the front whose place there may be bad luck: whichever point of the front
// beats them, it is surely better in no metric. surely says whether point f is better than point i in
// metric m beyond doubt. They are in the order of the arguments.
func Near(points [][]float64, better, front []int, surely func(f, i, m int) bool) []int {
	var out []int
	for i, p := range points {
		if slices.Contains(front, i) || slices.ContainsFunc(p, math.IsNaN) {
			continue
		}
		beaten := slices.ContainsFunc(front, func(f int) bool {
			if !Beats(points[f], p, better) {
				return false
			}
			for m := range better {
				if surely(f, i, m) {
					return true
				}
			}
			return false
		})
		if !beaten {
			out = append(out, i)
		}
	}
	return out
}
