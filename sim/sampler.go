package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Sampler draws from a distribution of durations in nanoseconds, or of sizes in
// bytes.
type Sampler interface {
	// Sample returns a value, rounded to the nearest integer, never negative and at
	// most [math.MaxInt64]. All samplers but [Mixture] take one number from d, and a
	// larger one gives a larger value or the same.
	Sample(d *Draw) int64
	// Mean returns the mean of the distribution before rounding. It may be +Inf.
	Mean() float64
	// String returns the distribution as a scenario file writes it, such as
	// { dist = "exponential", mean = "400us" }.
	String() string
}

// round returns the nearest sample to x.
func round(x float64) int64 {
	if x > 0 && x < roundLimit {
		return int64(x + roundLimit - roundLimit) // the first sum has no room for a fraction
	}
	switch {
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x >= roundLimit:
		return int64(x) // has no fraction
	}
	return 0
}

// roundLimit is the least number from which on a float64 is always an integer.
const roundLimit = 0x1p52

// Quantity is the type of a sampler's parameters: time.Duration, or int64 for a
// distribution of plain numbers. They differ in how they are written.
type Quantity interface{ ~int64 }

// quantity is a parameter of a sampler that knows how to write itself.
type quantity struct {
	value  int64
	isTime bool
}

func quantityOf[T Quantity](v T) quantity {
	_, isTime := any(v).(time.Duration)
	return quantity{int64(v), isTime}
}

// with returns another value of the same kind.
func (q quantity) with(v int64) quantity { return quantity{v, q.isTime} }

// TOML returns the quantity as a TOML value.
func (q quantity) TOML() string {
	if q.isTime {
		return strconv.Quote(q.String())
	}
	return q.String()
}

// String returns a duration with the units of a scenario file, or a number.
func (q quantity) String() string {
	if !q.isTime {
		return strconv.FormatInt(q.value, 10)
	}
	return strings.Replace(time.Duration(q.value).String(), "µ", "u", 1)
}

// atLeast returns an error unless the parameter of a distribution is at least limit.
func (q quantity) atLeast(limit int64, dist, name string) error {
	if q.value < limit {
		return fmt.Errorf("%s: %s is %v, must be at least %v", dist, name, q, q.with(limit))
	}
	return nil
}

// checkNumber returns an error unless the parameter x of a distribution is positive, or 0
// where that is allowed, and finite.
func checkNumber(x float64, zero bool, dist, name string) error {
	var must string
	switch {
	case math.IsInf(x, 1):
		must = "must be finite"
	case x > 0 || zero && x == 0:
		return nil
	case zero:
		must = "must not be negative"
	default:
		must = "must be positive"
	}
	return fmt.Errorf("%s: %s is %v, %s", dist, name, x, must)
}
