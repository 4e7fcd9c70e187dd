package main

import (
	"context"
	"testing"

	"simrun/internal/result"
	"simrun/scenarios"
)

// "The gain of common draws over independent seeds is reported per row, at least 2 on mean latency and
// success rate of the shipped tuning comparison": of the variant with the least gain, on a few seeds. The
// guide is not written if any variant has less on its seeds.
func TestGainOfTheShippedComparison(t *testing.T) {
	t.Parallel()
	opt := scenarios.Options{Variants: []string{"arrays-of-4"}}
	c, err := gains(context.Background(), &shelf{jobs: 2}, opt, heldOut()[:10])
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for i := range c.Rows {
		r := &c.Rows[i]
		if !r.Named {
			continue
		}
		seen++
		g := r.Against[1].Gain
		if g == nil {
			t.Errorf("%s has no gain", r.Addressed())
		} else if *g < leastGain {
			t.Errorf("the gain on %s is %.2f, want %d", r.Addressed(), *g, leastGain)
		}
	}
	if seen != 2 || c.Rows[0].Phase != result.PhaseAll {
		t.Errorf("%d rows", seen)
	}
}
