package experiment

import (
	"math/bits"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// The geometry of an HdrHistogram of three significant digits whose smallest unit is 1 ns: a page
// holds the 1,024 equal buckets of one octave, so that a bucket is never wider than 1/1024 of the
// values in it. Values below 2^11 ns have a bucket each.
const (
	pageBits  = 10
	pageSize  = 1 << pageBits
	histPages = 64 - pageBits
	// maxLatency is the largest value an HdrHistogram made by hdr can hold: 2^53 ns, 104 days.
	maxLatency = 1<<53 - 1
)

// histogram counts latencies in the buckets of an HdrHistogram of three digits. It exists beside
// the library's for three reasons, measured on the hot path: recording costs a third (no error, no
// overflow check), an empty octave costs no memory (a run has one histogram per phase, producer
// group and broker, and the library's takes 350 KB each), and reset touches used octaves only.
// Its quantiles are the library's; a test holds the two together.
type histogram struct {
	n     int64
	pages [histPages]*[pageSize]int64
}

// bucket is the index of a bucket: page << pageBits | place in the page.
type bucket uint32

// bucketOf returns the bucket of a latency in nanoseconds. A latency recorded in several histograms
// needs it once. It must not be negative.
func bucketOf(ns int64) bucket {
	octave := bits.Len64(uint64(ns)|(2*pageSize-1)) - (pageBits + 1)
	// The shifted value is 1024 … 2047, and in the lowest octave 0 … 2047: its top bit carries into
	// the page number.
	return bucket(octave<<pageBits + int(uint64(ns)>>(uint(octave)&63)))
}

// add counts one value in bucket b.
func (h *histogram) add(b bucket) {
	if page := h.pages[b>>pageBits]; page != nil {
		page[b%pageSize]++
		h.n++
		return
	}
	h.addFirst(b)
}

// addFirst is add for an octave that has no page yet. It is kept apart so that add is inlined.
func (h *histogram) addFirst(b bucket) {
	h.newPage(int(b >> pageBits))[b%pageSize]++
	h.n++
}

// newPage allocates an octave.
func (h *histogram) newPage(i int) *[pageSize]int64 {
	h.pages[i] = new([pageSize]int64)
	return h.pages[i]
}

// reset forgets all values and keeps the memory.
func (h *histogram) reset() {
	if h.n == 0 {
		return
	}
	h.n = 0
	for _, page := range h.pages {
		if page != nil {
			clear(page[:])
		}
	}
}

// merge adds the values of other.
func (h *histogram) merge(other *histogram) {
	h.n += other.n
	for i, page := range other.pages {
		if page == nil {
			continue
		}
		into := h.pages[i]
		if into == nil {
			into = h.newPage(i)
		}
		for j, c := range page {
			into[j] += c
		}
	}
}

// highest is the largest value that falls into bucket j of page i.
func highest(i, j int) int64 {
	if i == 0 {
		return int64(j)
	}
	shift := uint(i - 1)
	return int64(j+pageSize+1)<<shift - 1
}

// atRanks returns, for each of the given ranks in rising order, the largest value of the bucket
// that holds the rank-th smallest value (1 is the smallest). Ranks above n are those of the
// largest value. It panics on an empty histogram.
func (h *histogram) atRanks(ranks []int64, out []int64) {
	if h.n == 0 {
		panic("experiment: quantile of an empty histogram")
	}
	k, seen, last := 0, int64(0), int64(0)
	for i, page := range h.pages {
		if page == nil {
			continue
		}
		for j, c := range page {
			if c == 0 {
				continue
			}
			seen += c
			last = highest(i, j)
			for k < len(ranks) && seen >= ranks[k] {
				out[k] = last
				k++
			}
			if k == len(ranks) {
				return
			}
		}
	}
	for ; k < len(ranks); k++ {
		out[k] = last
	}
}

// hdr returns the values as an HdrHistogram, whose exporters and readers other tools share.
func (h *histogram) hdr() *hdr.Histogram {
	out := hdr.New(1, maxLatency, 3)
	for i, page := range h.pages {
		if page == nil {
			continue
		}
		for j, c := range page {
			if c > 0 {
				// The value fits: a run is shorter than 104 days (Config.Validate).
				if err := out.RecordValues(min(highest(i, j), maxLatency), c); err != nil {
					panic("experiment: " + err.Error())
				}
			}
		}
	}
	return out
}
