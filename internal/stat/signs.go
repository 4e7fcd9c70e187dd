package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Signs counts values below, above and equal to 0.
func Signs(values []float64) (lower, higher, equal int) {
	for _, x := range values {
		switch {
		case x < 0:
			lower++
		case x > 0:
			higher++
		case x == 0:
			equal++
		}
	}
	return lower, higher, equal
}

// SignTest is the two-sided p of the sign test: how likely signs at least as uneven are if either sign is as
// likely as the other. Zeros are left out; 1 without others. It assumes nothing else of the values.
func SignTest(values []float64) float64 {
	lower, higher, _ := Signs(values)
	return min(1, 2*signsAtMost(min(lower, higher), lower+higher))
}

// exactSigns is the number of signs up to which a power of 1/2 is a normal number.
const exactSigns = 1000

// signsAtMost is the chance that at most k of n fair signs are of one kind.
func signsAtMost(k, n int) float64 {
	if n > exactSigns {
		return distuv.Binomial{N: float64(n), P: 0.5}.CDF(float64(k))
	}
	term := math.Ldexp(1, -n)
	sum := 0.0
	for i := range k + 1 {
		sum += term
		term = term * float64(n-i) / float64(i+1)
	}
	return sum
}
