package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
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

// atRank is what a histogram has at one rank.
func (h *histogram) atRank(rank int64) int64 {
	var at [1]int64
	(&latency{hist: *h, max: maxLatency}).atRanks([]int64{rank}, at[:])
	return at[0]
}

// Goal: each rank is read to three digits, from above but never above the maximum; zeros are exact. Method:
// the values sorted, all ranks at once.
func TestRanksAreOfThreeDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := append(drawLatencies(t), 0, 0)
		l := new(latency)
		ranks, at := make([]int64, len(values)), make([]int64, len(values))
		for i, v := range values {
			l.add(v, 1)
			ranks[i] = int64(i + 1)
		}
		l.atRanks(ranks, at)
		slices.Sort(values)
		for i, exact := range values {
			if at[i] < exact || at[i] > exact+exact/1000 || at[i] > l.max {
				t.Fatalf("rank %d of %d: %d, the value is %d", ranks[i], len(values), at[i], exact)
			}
		}
	})
}

// Goal: buckets, counts and ranks are those of an HdrHistogram of three digits. Method: the library's, told
// the same.
func TestHistogramIsAnHDR(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawLatencies(t)
		h, want := new(histogram), hdr.New(1, maxLatency, 3)
		for i, v := range values {
			n := int64(i%3 + 1)
			h.add(v, n)
			if err := want.RecordValues(v, n); err != nil {
				t.Fatal(err)
			}
		}
		if h.n() != want.TotalCount() {
			t.Fatalf("%d values, the library has %d", h.n(), want.TotalCount())
		}
		for i, bar := range want.Distribution() {
			if i < len(h.counts) && h.counts[i] != bar.Count || i >= len(h.counts) && bar.Count > 0 ||
				highestOf(i) != bar.To {
				t.Fatalf("bucket %d up to %d, the library's is %+v", i, highestOf(i), bar)
			}
		}
		rank := rapid.Int64Range(1, h.n()).Draw(t, "rank")
		percentile := 100 * float64(rank) / float64(h.n())
		if got, want := h.atRank(rank), want.ValueAtPercentile(percentile); got != want {
			t.Fatalf("rank %d of %d: %d, the library says %d", rank, h.n(), got, want)
		}
	})
}

// Goal: what is beyond the largest value counts with it, and time that goes backwards is noticed.
func TestHistogramEnds(t *testing.T) {
	h := histogramOf([]int64{maxLatency + 1, 1<<63 - 1})
	if got := h.atRank(2); got != maxLatency {
		t.Errorf("%d, want %d", got, maxLatency)
	}
	for _, v := range []int64{-1, -maxLatency, -1 << 63} {
		if caught(func() { new(histogram).add(v, 1) }) == nil {
			t.Errorf("%d counts", v)
		}
	}
	if caught(func() { h.atRank(3) }) == nil {
		t.Error("there is a third of two values")
	}
}

// caught is what f panics with.
func caught(f func()) (what any) {
	defer func() { what = recover() }()
	f()
	return nil
}

// Goal: merging is the same as recording everything in one, and reset leaves nothing behind.
func TestHistogramMergeAndReset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := drawLatencies(t)
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		all, a, b := histogramOf(values), histogramOf(values[:cut]), histogramOf(values[cut:])
		a.merge(b)
		if !slices.Equal(a.counts, all.counts) || a.n() != all.n() {
			t.Fatal("merged histogram differs")
		}
		b.add(1, 1)
		b.reset()
		if b.n() != 0 || slices.Max(b.counts) != 0 {
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
