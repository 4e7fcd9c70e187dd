package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// SeedsNeeded is the fewest seeds with which one of so many rows can be shown at all: all of its differences
// are of one sign, and the other rows show nothing. 0 without rows.
func SeedsNeeded(rows int, alpha float64) int {
	if rows == 0 {
		return 0
	}
	n := 1
	for math.Ldexp(float64(rows), 1-n) > alpha {
		n++
	}
	return n
}

// mostSeeds is where a row counts as too small to plan for.
const mostSeeds = 10_000

// SeedsToShow estimates how many seeds would show the row, one of so many, with a chance of 80 % if the
// differences seen are typical. It is at least [SeedsNeeded]: that many have to differ, where all that differ
// have one sign. ok is false if it is beyond 10,000, or there is nothing to go by.
func SeedsToShow(differences []float64, rows int, alpha float64) (seeds int, ok bool) {
	lower, higher, equal := Signs(differences)
	r := rankSigns(differences)
	if r.n == 0 || rows == 0 {
		return 0, false
	}
	least := SeedsNeeded(rows, alpha)
	if lower == 0 || higher == 0 {
		return seedsToDiffer(least, float64(r.n)/float64(r.n+equal))
	}
	z := min(math.Abs(r.z()), math.Abs(float64(higher-lower))/math.Sqrt(float64(r.n)))
	want := distuv.UnitNormal.Quantile(1-alpha/float64(2*rows)) + distuv.UnitNormal.Quantile(power)
	n := float64(r.n+equal) * (want / z) * (want / z)
	if !(n <= mostSeeds) {
		return 0, false
	}
	return max(int(math.Ceil(n)), least), true
}

// power is the chance with which planned seeds show a row.
const power = 0.8

// seedsToDiffer is the number of seeds of which at least so many differ with a chance of [power], if each
// does with a chance of share.
func seedsToDiffer(least int, share float64) (seeds int, ok bool) {
	if share == 1 {
		return least, true
	}
	for n := least; n <= mostSeeds; n++ {
		if (distuv.Binomial{N: float64(n), P: share}).CDF(float64(least-1)) <= 1-power {
			return n, true
		}
	}
	return 0, false
}
