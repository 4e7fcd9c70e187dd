package experiment

import (
	"math/bits"

	"simrun/internal/result"
)

// latency sums up times: of answered messages, of attempts, of waits.
type latency struct {
	// zeros counts the values of 0, which most waits have; hist has the others.
	zeros int64
	hist  histogram
	// The sum has 128 bits: 3·10^9 sends of 3 s each would overflow 63.
	sumHigh, sumLow uint64
	max             int64
}

// add counts a time n times, for the n messages of a send.
func (l *latency) add(ns, n int64) {
	if ns == 0 {
		l.zeros += n
		return
	}
	l.hist.add(ns, n)
	high, low := bits.Mul64(uint64(ns), uint64(n))
	var carry uint64
	l.sumLow, carry = bits.Add64(l.sumLow, low, 0)
	l.sumHigh += high + carry
	l.max = max(l.max, ns)
}

// n is the number of values.
func (l *latency) n() int64 { return l.zeros + l.hist.n() }

func (l *latency) merge(other *latency) {
	l.zeros += other.zeros
	l.hist.merge(&other.hist)
	var carry uint64
	l.sumLow, carry = bits.Add64(l.sumLow, other.sumLow, 0)
	l.sumHigh += other.sumHigh + carry
	l.max = max(l.max, other.max)
}

// reset forgets all values and keeps the memory.
func (l *latency) reset() {
	l.hist.reset()
	l.zeros, l.max, l.sumHigh, l.sumLow = 0, 0, 0, 0
}

// mean is rounded down to a nanosecond; 0 if there is no value.
func (l *latency) mean() int64 {
	if l.n() == 0 {
		return 0
	}
	mean, _ := bits.Div64(l.sumHigh, l.sumLow, uint64(l.n()))
	return int64(mean)
}

// exactMean is the mean as a float64, NaN if there is no value.
func (l *latency) exactMean() float64 {
	return (float64(l.sumHigh)*(1<<64) + float64(l.sumLow)) / float64(l.n())
}

// atRanks writes the values at some ranks, each at most as large as the largest value: the histogram
// rounds, the maximum is exact.
func (l *latency) atRanks(ranks, out []int64) {
	for i, rank := range ranks {
		out[i] = 0
		if rank > l.zeros {
			out[i] = min(l.hist.atRank(rank-l.zeros), l.max)
		}
	}
}

// quantile is a quantile that is shown, in thousandths: whole numbers keep the rank exact.
type quantile struct {
	name  string
	milli int64
}

var shown = [...]quantile{{"p50", 500}, {"p95", 950}, {"p99", 990}, {"p999", 999}}

// rankOf is the nearest rank of a quantile among n values: ⌈q n⌉, at least 1.
func rankOf(milli, n int64) int64 { return max(1, (milli*n+999)/1000) }

// fewestBeyond is how many values have to lie beyond a quantile for it to be worth a look.
const fewestBeyond = 10

// result returns the latencies as they are shown. Quantiles are those of the histogram, but never
// above the exact maximum.
func (l *latency) result() result.Latency {
	n := l.n()
	out := result.Latency{N: n}
	if n == 0 {
		return out
	}
	var ranks, at [len(shown)]int64
	for i, q := range shown {
		ranks[i] = rankOf(q.milli, n)
		if n-ranks[i] < fewestBeyond {
			out.Thin = append(out.Thin, q.name)
		}
	}
	l.atRanks(ranks[:], at[:])
	out.MeanNS, out.MaxNS = l.mean(), l.max
	out.P50NS, out.P95NS, out.P99NS, out.P999NS = at[0], at[1], at[2], at[3]
	return out
}
