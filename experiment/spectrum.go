package experiment

import (
	"math/bits"

	"simrun/internal/result"
)

// spectra are the distributions of the latencies of answered messages: by phase of all of them, and of each
// producer group if there are several. A group without an answer in the phase has none.
func (f *fold) spectra() []result.Spectrum {
	var out []result.Spectrum
	for _, phase := range f.cursor.phases {
		add := func(dim result.Dimension, name string, in func(slot) bool) {
			if buckets := f.answersIn(phase.Name, in).buckets(); len(buckets) > 0 {
				out = append(out, result.Spectrum{Phase: phase.Name, Dim: dim, Name: name, Buckets: buckets})
			}
		}
		add(result.DimAll, "", f.everySlot)
		if len(f.cfg.Producers) < 2 {
			continue
		}
		for i, p := range f.cfg.Producers {
			add(result.DimProducer, p.Name, func(s slot) bool { return s.group == i })
		}
	}
	return out
}

// answersIn adds up how long answers took, in a phase (in all phases of "all") and of some slots.
func (f *fold) answersIn(phase string, in func(slot) bool) *latency {
	total := &latency{}
	n := len(f.slots.list)
	for i := range f.leaves {
		if f.cursor.within(i/n, phase) && in(f.slots.list[i%n]) {
			total.merge(&f.leaves[i].times[result.SampleAnswers])
		}
	}
	return total
}

// spectrumBits is the precision of a spectrum: its buckets have so many significant binary digits, so that
// none is wider than 1/128 of its values, as in an HdrHistogram of two decimal digits.
const spectrumBits = 8

// buckets are the counts by value, reduced to the precision of a spectrum. The last ends with the largest
// value.
func (l *latency) buckets() []result.Bucket {
	var out []result.Bucket
	if l.zeros > 0 {
		out = append(out, result.Bucket{N: l.zeros})
	}
	if l.hist.n() == 0 {
		return out
	}
	for i, n := range l.hist.hdr.Export().Counts {
		if n == 0 {
			continue
		}
		upTo := coarse(highestOf(int64(i)))
		if last := len(out) - 1; last < 0 || out[last].UpToNS != upTo {
			out = append(out, result.Bucket{UpToNS: upTo})
		}
		out[len(out)-1].N += n
	}
	out[len(out)-1].UpToNS = l.max
	return out
}

// coarse is the largest value that shares its first significant digits with v.
func coarse(v int64) int64 {
	shift := max(0, bits.Len64(uint64(v))-spectrumBits)
	return v | (1<<shift - 1)
}

// fineBits is the number of significant binary digits that an HdrHistogram of three decimal digits keeps:
// 2^11 is the first power of two of at least 2·10^3.
const fineBits = 11

// highestOf is the largest value that counts at an index of an HdrHistogram of three digits. The first
// 2^11 values have an index each; from there on each power of two has 2^10 of them.
func highestOf(i int64) int64 {
	const half = 1 << (fineBits - 1)
	shift := max(0, i/half-1)
	return (i-shift*half+1)<<shift - 1
}
