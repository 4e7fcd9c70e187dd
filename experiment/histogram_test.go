package experiment

import (
	"math/rand/v2"
	"testing"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"
)

// Goal: the histogram is an HdrHistogram of three digits. Method: the same values into both, and
// every rank read from both.
func TestHistogramIsHDR(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latency := rapid.OneOf(rapid.Int64Range(0, 5000), rapid.Int64Range(0, 4e9),
			rapid.Int64Range(0, maxLatency))
		values := rapid.SliceOfN(latency, 1, 200).Draw(t, "values")
		ours, theirs := new(histogram), hdr.New(1, maxLatency, 3)
		for _, v := range values {
			ours.add(bucketOf(v))
			if err := theirs.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		n := int64(len(values))
		for rank := int64(1); rank <= n; rank++ {
			var got [1]int64
			ours.atRanks([]int64{rank}, got[:])
			want := theirs.ValueAtPercentile(100 * float64(rank) / float64(n))
			if got[0] != want {
				t.Fatalf("rank %d of %d: %d, HdrHistogram says %d", rank, n, got[0], want)
			}
		}
		if !ours.hdr().Equals(theirs) {
			t.Fatal("exported histogram differs")
		}
	})
}

// Goal: merging is the same as recording everything in one, and reset leaves nothing behind.
func TestHistogramMergeAndReset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 4e9), 2, 100).Draw(t, "values")
		cut := rapid.IntRange(0, len(values)).Draw(t, "cut")
		var all, a, b histogram
		for i, v := range values {
			all.add(bucketOf(v))
			if i < cut {
				a.add(bucketOf(v))
			} else {
				b.add(bucketOf(v))
			}
		}
		a.merge(&b)
		if !a.hdr().Equals(all.hdr()) {
			t.Fatal("merged histogram differs")
		}
		b.add(bucketOf(1))
		b.reset()
		if !b.hdr().Equals(new(histogram).hdr()) {
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

func BenchmarkHistogramRecord(b *testing.B) {
	values := latencies()
	b.Run("ours", func(b *testing.B) {
		h := new(histogram)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			h.add(bucketOf(values[i&(len(values)-1)]))
		}
	})
	b.Run("hdrhistogram-go", func(b *testing.B) {
		h := hdr.New(1, maxLatency, 3)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := h.RecordValue(values[i&(len(values)-1)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
