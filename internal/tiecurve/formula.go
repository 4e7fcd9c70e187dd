package main

import (
	"math"
	"time"
)

// The arithmetic of a tie. A client's clock shows whole milliseconds. A send begins at a phase u of such
// a millisecond, evenly distributed over 0 to 1; its wait is as long as its budget, whole milliseconds,
// and then the thread wakes L later. The clock says that u + L, rounded down, has passed beyond the
// budget. If that is 0, the cost is exactly the budget, `timeout < cost` is false, and another attempt is
// made with 0 ms left. So ties are a share of
//
//	P(u + L < 1 ms) = E[max(0, 1 ms - L)] / 1 ms = integral of P(L <= x) over x from 0 to 1 ms.

// p99Factor is the 99th percentile of the delay of wake-ups in medians, as in the default of timer_wakeup.
const p99Factor = 10.0 / 3

// normal99 is the 99th percentile of the standard normal distribution.
const normal99 = 2.3263478740408408

// tieShare is the share of hangs that end in a tie if wake-ups are lognormal with a median, by the
// midpoint rule.
func tieShare(median time.Duration) float64 {
	if median == 0 {
		return 1
	}
	const steps = 10_000
	sum := 0.0
	for i := range steps {
		sum += wakesWithin((float64(i)+0.5)/steps, float64(median)/float64(time.Millisecond))
	}
	return sum / steps
}

// wakesWithin is the probability that a wake-up takes at most x, both in milliseconds.
func wakesWithin(x, median float64) float64 {
	sigma := math.Log(p99Factor) / normal99
	return math.Erfc(-math.Log(x/median)/sigma/math.Sqrt2) / 2
}
