package experiment

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/sim"
)

// Goal: a spectrum holds every value, in a bucket that ends less than a hundredth above it, and ends with
// the exact maximum. Method: values counted by hand.
func TestBucketsHoldEveryValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawLatencies(t)
		l := new(latency)
		for _, v := range values {
			l.add(v, 2)
		}
		before := int64(-1)
		var sum int64
		buckets := l.buckets()
		for i, b := range buckets {
			var in int64
			for _, v := range values {
				if before < v && v <= b.UpToNS {
					in += 2
					if b.UpToNS-v > v/100 {
						t.Fatalf("%d is in a bucket up to %d", v, b.UpToNS)
					}
				}
			}
			if b.N != in || in == 0 || b.UpToNS <= before {
				t.Fatalf("bucket %d up to %d has %d of %d values", i, b.UpToNS, b.N, in)
			}
			before, sum = b.UpToNS, sum+b.N
		}
		if sum != 2*int64(len(values)) || before != l.max {
			t.Fatalf("%d of %d values up to %d, the largest is %d", sum, 2*len(values), before, l.max)
		}
	})
}

// The layout of the histogram's counts is that of the library.
func TestHighestOfIndex(t *testing.T) {
	for i, bar := range newHDR().Distribution() {
		if got := highestOf(int64(i)); got != bar.To {
			t.Fatalf("index %d: %d, the library says %d", i, got, bar.To)
		}
	}
}

// The sums of a spectrum are the answered messages of its phase, and its end is the maximum that the table
// shows; of all messages and of each group (issue 6: latency quantiles, per phase and per producer group).
func TestSpectraSumToAnswered(t *testing.T) {
	cfg := testConfig("5.3.3", 3)
	cfg.Duration, cfg.Warmup = 20*sim.Second, 2*sim.Second
	cfg.Faults = []config.Fault{fault("cut", config.PowerLoss, 5*sim.Second, 8*sim.Second, master(1))}
	second := cfg.Producers[0]
	second.Name, second.Batch, second.Rate = "q", 3, 100
	cfg.Producers = append(cfg.Producers, second)
	run := must(Run(t.Context(), testScenario(cfg), Options{}))
	rows := map[[3]string]result.Spectrum{}
	for _, s := range run.Spectra {
		rows[[3]string{s.Phase, string(s.Dim), s.Name}] = s
	}
	compared := 0
	for _, s := range run.Stats {
		if s.Dim == result.DimTopic {
			continue
		}
		compared++
		var n, last int64
		for _, b := range rows[[3]string{s.Phase, string(s.Dim), s.Name}].Buckets {
			n, last = n+b.N, b.UpToNS
		}
		if n == 0 || n != s.Answered() || last != s.Latency.MaxNS {
			t.Errorf("%s %s: %d messages up to %d, answered are %d up to %d", s.Phase, s.Name, n, last,
				s.Answered(), s.Latency.MaxNS)
		}
	}
	if compared != len(run.Spectra) || compared < 3*4 {
		t.Errorf("%d rows of stats, %d spectra", compared, len(run.Spectra))
	}
}
