package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestHoldsAgree sees that both sides of the hold model execute the same events: after any
// number of them the clocks agree.
func TestHoldsAgree(t *testing.T) {
	for _, pending := range []int{1, 10, 1000} {
		boxed, ours := newBoxedHold(pending), newSimHold(pending)
		for range 100 {
			boxed.run(77)
			ours.run(77)
			if boxed.engine.now != ours.engine.Now().Sub(0) {
				t.Fatalf("%d pending: boxed at %v, sim at %v",
					pending, boxed.engine.now, ours.engine.Now())
			}
		}
		if got := ours.engine.Executed(); got != 7700 {
			t.Errorf("%d pending: %d events executed", pending, got)
		}
	}
}

// TestBoxedJob sees that the job is the one that is described: an unloaded broker answers
// half of the messages after two ways and the median service, and timeouts change nothing.
func TestBoxedJob(t *testing.T) {
	without, err := RunBoxedJob(50_000, false)
	if err != nil {
		t.Fatal(err)
	}
	with, err := RunBoxedJob(50_000, true)
	if err != nil {
		t.Fatal(err)
	}
	if without != with {
		t.Errorf("without timeouts %+v, with timeouts %+v", without, with)
	}
	median := 2*jobNetwork + jobServiceMedian
	if p := without.P50; p < median*97/100 || p > median*103/100 {
		t.Errorf("p50 is %v, want about %v", p, median)
	}
	p99 := 2*jobNetwork + jobServiceP99
	if p := without.P99; p < p99*90/100 || p > p99*110/100 {
		t.Errorf("p99 is %v, want about %v", p, p99)
	}
}

// TestRow sees that a ratio below its gate is a miss, and one at the gate is not.
func TestRow(t *testing.T) {
	c := comparison{
		reference: sample{1e6, 2e6, 3e6},
		ours:      sample{4e6, 4e6, 4e6},
		ratio:     sample{1.5, 2, 4},
	}
	var out bytes.Buffer
	if !row(&printer{w: &out}, "at the gate", c, 2) || row(&printer{w: &out}, "below", c, 2.01) {
		t.Error("wrong verdict")
	}
	want := "at the gate           2.00 (1.00 to 3.00)  4.00 (4.00 to 4.00)" +
		"  2.00 (1.50 to 4.00)   2.00 ok\n"
	if got, _, _ := strings.Cut(out.String(), "below"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !strings.HasSuffix(out.String(), "MISSED\n") {
		t.Errorf("a miss is not marked:\n%s", out.String())
	}
}

// TestCompare sees that runs take turns, and that an error ends them.
func TestCompare(t *testing.T) {
	var order strings.Builder
	note := func(s string) func() error {
		return func() error { order.WriteString(s); return nil }
	}
	c, err := compare(1, note("a"), note("b"))
	if err != nil || order.String() != strings.Repeat("ab", runs) || len(c.ratio) != runs {
		t.Errorf("order %s, %d ratios, error %v", order.String(), len(c.ratio), err)
	}
}
