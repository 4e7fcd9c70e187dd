package main

import (
	"runtime"
	"slices"
	"time"
)

// runs is how often each side is timed.
const runs = 9

// comparison is the outcome of timing two programs in turns.
type comparison struct {
	reference sample // operations per second
	ours      sample
	ratio     sample // of neighbouring runs: ours to reference
}

// sample is a sorted list of measurements.
type sample []float64

func (s sample) median() float64 { return s[len(s)/2] }
func (s sample) low() float64    { return s[0] }
func (s sample) high() float64   { return s[len(s)-1] }

// compare times two functions that each do n operations. Either may be nil.
func compare(n int, reference, ours func() error) (comparison, error) {
	var c comparison
	for range runs {
		a, err := rate(n, reference)
		if err != nil {
			return c, err
		}
		b, err := rate(n, ours)
		if err != nil {
			return c, err
		}
		c.reference = append(c.reference, a)
		c.ours = append(c.ours, b)
		c.ratio = append(c.ratio, b/a)
	}
	slices.Sort(c.reference)
	slices.Sort(c.ours)
	slices.Sort(c.ratio)
	return c, nil
}

// rate returns how many operations per second f does.
func rate(n int, f func() error) (float64, error) {
	if f == nil {
		return 0, nil
	}
	runtime.GC() // neither side cleans up after the other
	before := cpuTime()
	if err := f(); err != nil {
		return 0, err
	}
	return float64(n) / max(cpuTime()-before, time.Microsecond).Seconds(), nil
}
