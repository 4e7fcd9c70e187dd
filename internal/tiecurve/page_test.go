package main

import (
	"fmt"
	"math"
	"os"
	"testing"
	"time"
)

// The share of hangs that end in a tie is what clock phase and wake-up make of it: the simulation, which
// has a network, brokers and send loops, agrees with a formula that has neither, at every delay.
func TestSimulationAgreesWithTheFormula(t *testing.T) {
	t.Parallel()
	points, err := measureAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		want := tieShare(p.median)
		if got := p.share(); math.Abs(got-want) > 4*p.scatter(want)+1e-9 || p.hangs < 19_000 {
			t.Errorf("median %v: %d of %d hangs are ties, a share of %.4f; by the formula it is %.4f",
				p.median, p.ties, p.hangs, got, want)
		}
	}
	checkPage(t, points)
}

// checkPage compares the files with what is measured.
func checkPage(t *testing.T, points []point) {
	page, err := os.ReadFile("../../" + pagePath)
	if err != nil {
		t.Fatal(err)
	}
	if want, err := splice(string(page), section(points)); err != nil || want != string(page) {
		t.Errorf("%s is out of date (%v); run: make tie-curve", pagePath, err)
	}
	svg, err := os.ReadFile("../../" + figurePath)
	if err != nil || string(svg) != figure(points) {
		t.Errorf("%s is out of date (%v); run: make tie-curve", figurePath, err)
	}
}

// With the default wake-up between 6 % and 36 % of hangs are ties, in every release that shares one
// budget among its attempts. Real clients: 8 to 14 of 60 hung sends ran a second attempt in 4.9.8, 5.1.2,
// 5.1.4 and 5.3.3 ("Real runs usually see cost>=timeout+1 ms, but the tie is NOT rare").
//
// From 4.9.1 on a timeout closes the connection, so only the first send of each instance hangs: many
// instances of one thread make many hangs.
func TestDefaultWakeup(t *testing.T) {
	t.Parallel()
	for release, closes := range map[string]bool{
		"4.3.0": false, "4.7.1": false, "4.9.0": false,
		"4.9.8": true, "5.1.2": true, "5.1.4": true, "5.3.3": true,
	} {
		set := []string{"release=" + release}
		if closes {
			set = append(set, "producer.p.count=3000", "producer.p.threads=1", "duration=20s")
		}
		cfg, err := configure("", set...)
		if err != nil {
			t.Fatal(err)
		}
		p, err := count(cfg)
		if err != nil {
			t.Fatal(err)
		}
		want := tieShare(defaultMedian)
		if got := p.share(); got < boundLow || got > boundHigh || math.Abs(got-want) > 4*p.scatter(want) ||
			p.hangs < 1000 {
			t.Errorf("%s: %d of %d hangs are ties, a share of %.3f; by the formula it is %.3f", release,
				p.ties, p.hangs, got, want)
		}
	}
}

// To 4.2.0 each attempt has the whole timeout: a hang is tried again, tie or not.
func TestWithoutSharedBudgetEveryHangIsTriedAgain(t *testing.T) {
	t.Parallel()
	p, err := measure(3*time.Millisecond, "release=4.2.0", "duration=20s")
	if err != nil {
		t.Fatal(err)
	}
	if p.ties != p.hangs || p.hangs == 0 {
		t.Errorf("%d of %d hangs are tried again", p.ties, p.hangs)
	}
}

// The formula is that of the default: its median and its shape are those that the scenarios have.
func TestDefaultIsTheShippedOne(t *testing.T) {
	t.Parallel()
	a, err := configure("")
	if err != nil {
		t.Fatal(err)
	}
	b, err := configure(wakeup(defaultMedian))
	if err != nil {
		t.Fatal(err)
	}
	if x, y := fmt.Sprint(a.Producers[0].TimerWakeup), fmt.Sprint(b.Producers[0].TimerWakeup); x != y {
		t.Errorf("timer_wakeup is %s by default, the curve takes it for %s", x, y)
	}
}

// Integrals that can be done by hand: no delay ties always, a delay that is almost never within a
// millisecond never; the share falls with the delay.
func TestTieShare(t *testing.T) {
	t.Parallel()
	if tieShare(0) != 1 || tieShare(time.Nanosecond) < 0.999 || tieShare(time.Second) > 1e-9 {
		t.Errorf("shares %v, %v, %v", tieShare(0), tieShare(time.Nanosecond), tieShare(time.Second))
	}
	// E[max(0, 1-L)] of a lognormal is that of an option in Black's formula.
	for m := 100 * time.Microsecond; m < 3*time.Millisecond; m += 100 * time.Microsecond {
		if got, want := tieShare(m), blackPut(float64(m)/float64(time.Millisecond)); math.Abs(got-want) > 1e-6 {
			t.Errorf("median %v: %v by the integral, %v in closed form", m, got, want)
		}
		if tieShare(m) <= tieShare(m+time.Microsecond) {
			t.Errorf("median %v: the share does not fall", m)
		}
	}
}

// blackPut is E[max(0, 1-L)] in closed form, L lognormal with a median.
func blackPut(median float64) float64 {
	sigma := math.Log(p99Factor) / normal99
	mean := median * math.Exp(sigma*sigma/2)
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	d := -math.Log(median) / sigma
	return phi(d) - mean*phi(d-sigma)
}
