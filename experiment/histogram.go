package experiment

import hdr "github.com/HdrHistogram/hdrhistogram-go"

// maxLatency is the largest latency that a histogram tells apart: 2^53 - 1 ns, 104 days.
const maxLatency = 1<<53 - 1

// histogram counts latencies in an HdrHistogram of three significant digits, from which everything
// that is shown is read. The zero value is an empty one: the 360 KB of the buckets are taken with the
// first value, since a run has a histogram for each phase, producer group and broker, and most stay
// empty.
type histogram struct{ hdr *hdr.Histogram }

func newHDR() *hdr.Histogram { return hdr.New(1, maxLatency, 3) }

// add counts a latency in nanoseconds, which must not be negative, n times.
func (h *histogram) add(ns, n int64) {
	if h.hdr == nil {
		h.hdr = newHDR()
	}
	if err := h.hdr.RecordValues(min(ns, maxLatency), n); err != nil {
		panic("experiment: " + err.Error()) // negative: time went backwards
	}
}

// n is the number of values.
func (h *histogram) n() int64 {
	if h.hdr == nil {
		return 0
	}
	return h.hdr.TotalCount()
}

// reset forgets all values and keeps the memory.
func (h *histogram) reset() {
	if h.n() > 0 {
		h.hdr.Reset()
	}
}

// merge adds the values of other.
func (h *histogram) merge(other *histogram) {
	if other.n() == 0 {
		return
	}
	if h.n() == 0 {
		h.hdr = other.hdr.Clone()
		return
	}
	// Of one geometry, so that counts add up; Histogram.Merge walks from value to value, which takes ten
	// times as long.
	sum := h.hdr.Export()
	for i, n := range other.hdr.Export().Counts {
		sum.Counts[i] += n
	}
	h.hdr = hdr.Import(sum)
}

// atRank is the largest value that the bucket of the rank-th smallest value stands for; rank 1 is the
// smallest value. It panics on an empty histogram.
func (h *histogram) atRank(rank int64) int64 {
	n := h.n()
	if n == 0 {
		panic("experiment: quantile of an empty histogram")
	}
	return h.hdr.ValueAtPercentile(100 * float64(rank) / float64(n))
}
