package experiment

import (
	"math/bits"
	"slices"
)

// maxLatency is the largest latency that a histogram tells apart: 2^53 - 1 ns, 104 days.
const maxLatency = 1<<53 - 1

// fineBits is the number of significant binary digits that an HdrHistogram of three decimal digits keeps:
// 2^11 is the first power of two of at least 2·10^3.
const fineBits = 11

// histogram counts latencies as an HdrHistogram of three significant digits does, in the same buckets, and
// everything that is shown is read from it. Every message is counted in several, so that it does nothing
// but that: it has no bounds, units and iterators of its own. The zero value is an empty one; its buckets
// are taken up to the power of two of the largest value, 8 KB for each, since a run has a histogram for each
// phase, producer group and broker, and most stay empty.
//
// Source: HdrHistogram, Histogram.countsArrayIndex.
type histogram struct {
	counts []int64 // by bucket
	total  int64
}

// bucketOf is the bucket of a value. The first 2^11 values have one each; from there on each power of two
// has 2^10 of them.
func bucketOf(v int64) int {
	shift := max(0, bits.Len64(uint64(v))-fineBits)
	return shift<<(fineBits-1) + int(v>>shift)
}

// highestOf is the largest value of a bucket.
func highestOf(bucket int) int64 {
	const half = 1 << (fineBits - 1)
	shift := max(0, bucket/half-1)
	return int64(bucket-shift*half+1)<<shift - 1
}

// add counts a latency in nanoseconds, which must not be negative, n times.
func (h *histogram) add(ns, n int64) {
	i := bucketOf(min(ns, maxLatency))
	if i >= len(h.counts) {
		h.grow(i)
	}
	h.counts[i] += n
	h.total += n
}

// grow takes the buckets up to the last of the power of two that a bucket belongs to.
func (h *histogram) grow(bucket int) {
	if bucket > bucketOf(maxLatency) {
		panic("experiment: a latency is negative") // time went backwards
	}
	const half = 1 << (fineBits - 1)
	h.extend((bucket/half + 1) * half)
}

// extend takes buckets until there are at least n.
func (h *histogram) extend(n int) {
	if more := n - len(h.counts); more > 0 {
		h.counts = append(h.counts, make([]int64, more)...)
	}
}

// n is the number of values.
func (h *histogram) n() int64 { return h.total }

// reset forgets all values and keeps the memory.
func (h *histogram) reset() {
	if h.total > 0 {
		clear(h.counts)
		h.total = 0
	}
}

// merge adds the values of other.
func (h *histogram) merge(other *histogram) {
	if h.counts == nil {
		h.counts, h.total = slices.Clone(other.counts), other.total
		return
	}
	h.extend(len(other.counts))
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
}
