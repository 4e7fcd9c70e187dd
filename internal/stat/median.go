package stat

import (
	"math"
	"slices"
)

// Sorted returns the values that exist in ascending order; the argument stays as it is.
func Sorted(values []float64) []float64 {
	out := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(out)
	return out
}

// NearestRank is the median by nearest rank, a value that did occur: of an even number the lower of the
// middle two. It is the median of what one variant measured. NaN of no values.
func NearestRank(values []float64) float64 {
	v := Sorted(values)
	if len(v) == 0 {
		return math.NaN()
	}
	return v[(len(v)-1)/2]
}

// Middle is the textbook median, of an even number the mean of the middle two, so that exchanging the two
// sides of a difference changes nothing but its sign. It lies inside every interval of [MedianInterval]. It
// is infinite if one of the middle two is, 0 if they are infinite on either side, NaN of no values.
func Middle(values []float64) float64 { return middle(Sorted(values)) }

// middle is Middle of sorted values.
func middle(v []float64) float64 {
	n := len(v)
	if n == 0 {
		return math.NaN()
	}
	low, high := v[(n-1)/2], v[n/2]
	switch {
	case low == high: // infinities, too
		return low
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return 0
	}
	return low/2 + high/2
}

// Interval holds a true median with Confidence.
type Interval struct {
	Low, High  float64
	Confidence float64 // the true one, at least what was asked for
}

// Ranks returns the largest r such that the r-th smallest and the r-th largest of n values hold the true
// median with at least the confidence asked for, and the confidence that they have. r is 0 if there are too
// few values; at 95 % that is fewer than six.
func Ranks(n int, confidence float64) (r int, actual float64) {
	for beyond := 0; 2*beyond < n; beyond++ {
		c := 1 - 2*signsAtMost(beyond, n)
		if c < confidence {
			break
		}
		r, actual = beyond+1, c
	}
	return r, actual
}

// MedianInterval is the narrowest interval between a pair of order statistics, as far from either end, that
// holds the true median with at least the confidence asked for, whatever the distribution. Equal values can
// only make it hold more often. ok is false if there are too few values.
//
// Source: David & Nagaraja, "Order Statistics", 3rd ed., 7.1.
func MedianInterval(values []float64, confidence float64) (i Interval, ok bool) {
	return medianInterval(Sorted(values), confidence)
}

func medianInterval(v []float64, confidence float64) (Interval, bool) {
	r, actual := Ranks(len(v), confidence)
	if r == 0 {
		return Interval{}, false
	}
	return Interval{Low: v[r-1], High: v[len(v)-r], Confidence: actual}, true
}
