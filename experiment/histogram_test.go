package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawLatencies(t *rapid.T) []int64 {
	latency := rapid.OneOf(rapid.Int64Range(0, 5000), rapid.Int64Range(0, 4e9),
		rapid.Int64Range(0, maxLatency))
	return rapid.SliceOfN(latency, 1, 200).Draw(t, "values")
}

func histogramOf(values []int64) *histogram {
	h := new(histogram)
	for _, v := range values {
		h.add(v, 1)
	}
	return h
}

// Goal: each rank is read to three digits, from above. Method: the values sorted.
func TestRanksAreOfThreeDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawLatencies(t)
		h := histogramOf(values)
		slices.Sort(values)
		for i, exact := range values {
			got := h.atRank(int64(i + 1))
			if got < exact || got > exact+exact/1000 {
				t.Fatalf("rank %d of %d: %d, the value is %d", i+1, len(values), got, exact)
			}
		}
	})
}

// Goal: merging is the same as recording everything in one, and reset leaves nothing behind.
func TestHistogramMergeAndReset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawLatencies(t)
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		all, a, b := histogramOf(values), histogramOf(values[:cut]), histogramOf(values[cut:])
		a.merge(b)
		if !a.hdr.Equals(all.hdr) {
			t.Fatal("merged histogram differs")
		}
		b.add(1, 1)
		b.reset()
		if b.n() != 0 || !b.hdr.Equals(newHDR()) {
			t.Fatal("reset left values behind")
		}
	})
}

func latencies() []int64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]int64, 1<<12)
	for i := range out {
		out[i] = int64(400e3 * (0.2 + r.ExpFloat64()))
	}
	return out
}

func BenchmarkHistogramAdd(b *testing.B) {
	values := latencies()
	h := new(histogram)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h.add(values[i&(len(values)-1)], 1)
	}
}
