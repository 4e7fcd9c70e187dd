package sim

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is a point of virtual time, in nanoseconds since the run began. It is
// never negative.
type Time int64

// Duration is a span of virtual time, in nanoseconds.
type Duration = time.Duration

// The units of virtual time, so that a model need not import package time.
const (
	Nanosecond  = time.Nanosecond
	Microsecond = time.Microsecond
	Millisecond = time.Millisecond
	Second      = time.Second
	Minute      = time.Minute
	Hour        = time.Hour
)

// Never is later than every event: what is scheduled for it does not happen.
const Never Time = math.MaxInt64

// Add returns the time d after t (before it, if d is negative). A sum beyond the
// range of Time is [Never].
func (t Time) Add(d Duration) Time {
	sum := t + Time(d)
	if d > 0 && sum < t {
		return Never
	}
	return sum
}

// Sub returns the span from u to t, which is negative if t is earlier.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Seconds returns t in seconds. It is for showing, not for arithmetic: beyond
// about 104 days a float64 no longer tells neighbouring nanoseconds apart.
func (t Time) Seconds() float64 { return float64(t) / float64(Second) }

// String returns t in seconds, exactly and without trailing zeros: "12.0034s".
// [Never] is "never".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	sign, ns := "", uint64(t)
	if t < 0 {
		sign, ns = "-", -ns
	}
	s := sign + strconv.FormatUint(ns/uint64(Second), 10)
	if frac := ns % uint64(Second); frac != 0 {
		digits := strconv.FormatUint(uint64(Second)+frac, 10)[1:]
		s += "." + strings.TrimRight(digits, "0")
	}
	return s + "s"
}
