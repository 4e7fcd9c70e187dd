package result

import (
	"math"
	"testing"
)

// The median is a value that occurred, and one that never came counts as the longest.
func TestLeastMedianMost(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		give              []float64
		low, median, high float64
		n                 int
	}{
		{[]float64{3, 1, 2}, 1, 2, 3, 3},
		{[]float64{4, 3, 1, 2}, 1, 2, 4, 4},
		{[]float64{inf, 1, nan, 2}, 1, 2, inf, 3},
		{[]float64{inf, inf, 1}, 1, inf, inf, 3},
	} {
		low, median, high, n := LeastMedianMost(c.give)
		if low != c.low || median != c.median || high != c.high || n != c.n {
			t.Errorf("spread of %v: %v %v %v of %d", c.give, low, median, high, n)
		}
	}
	if _, m, _, n := LeastMedianMost([]float64{nan}); n != 0 || !math.IsNaN(m) {
		t.Error("a spread of nothing")
	}
}
