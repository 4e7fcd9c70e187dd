package experiment

import (
	"cmp"
	"math/bits"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/strategy"
)

// fates is the number of fates a message can have.
const fates = int(model.Lost) + 1

// statuses is the number of statuses of an answer, and of their absence.
const statuses = int(strategy.StatusHanded) + 1

// failure counts the messages whose caller caught an exception with a code.
type failure struct {
	exception strategy.Exception
	code      int
	n         int64
}

// name is the exception with the name of its code.
func (f failure) name() string {
	if f.code > 0 {
		return f.exception.String() + " " + strategy.CodeName(f.code)
	}
	return f.exception.String()
}

// leaf counts the messages of one phase and one producer group, the finest breakdown there is; the
// coarser ones are sums of leaves. Every message of the two is in exactly one cell of the three
// columns by fate, at every instant.
type leaf struct {
	inFlight, ok, failed [fates]int64

	// Of the answered ones: those with a status, those with SEND_OK at the first attempt, those whose
	// first attempt failed, and all attempts.
	statuses                       [statuses]int64
	okFirst, firstFailed, attempts int64
	// Copies stored beyond the first of each message, of those in flight and of those answered.
	extraInFlight, extra int64
	// failures are the failed ones by what the caller caught: a few kinds.
	failures []failure

	latency latency
	// firstTook is how long the first attempts took that failed.
	firstTook latency
	// watch are the limits that latencies are compared with, for expectations on a quantile.
	watch []*beyond
}

// beyond counts the latencies on the wrong side of an expectation's limits.
type beyond struct {
	min, max     int64
	below, above int64
}

func (b *beyond) add(ns int64) {
	if ns > b.max {
		b.above++
	}
	if ns < b.min {
		b.below++
	}
}

// latency sums up the latencies of answered messages, or of attempts.
type latency struct {
	hist histogram
	// The sum has 128 bits: 3·10^9 sends of 3 s each would overflow 63.
	sumHigh, sumLow uint64
	max             int64
}

func (l *latency) add(ns int64) {
	l.hist.add(ns)
	var carry uint64
	l.sumLow, carry = bits.Add64(l.sumLow, uint64(ns), 0)
	l.sumHigh += carry
	l.max = max(l.max, ns)
}

func (l *latency) merge(other *latency) {
	l.hist.merge(&other.hist)
	var carry uint64
	l.sumLow, carry = bits.Add64(l.sumLow, other.sumLow, 0)
	l.sumHigh += other.sumHigh + carry
	l.max = max(l.max, other.max)
}

// mean is rounded down to a nanosecond; 0 if there is no value.
func (l *latency) mean() int64 {
	if l.hist.n() == 0 {
		return 0
	}
	mean, _ := bits.Div64(l.sumHigh, l.sumLow, uint64(l.hist.n()))
	return int64(mean)
}

// exactMean is the mean as a float64, NaN if there is no value.
func (l *latency) exactMean() float64 {
	return (float64(l.sumHigh)*(1<<64) + float64(l.sumLow)) / float64(l.hist.n())
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
	n := l.hist.n()
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
	l.hist.atRanks(ranks[:], at[:])
	for i := range at {
		at[i] = min(at[i], l.max)
	}
	out.MeanNS, out.MaxNS = l.mean(), l.max
	out.P50NS, out.P95NS, out.P99NS, out.P999NS = at[0], at[1], at[2], at[3]
	return out
}

// merge adds the messages of other. Watches stay where they are.
func (l *leaf) merge(other *leaf) {
	for f := range fates {
		l.inFlight[f] += other.inFlight[f]
		l.ok[f] += other.ok[f]
		l.failed[f] += other.failed[f]
	}
	for s, n := range other.statuses {
		l.statuses[s] += n
	}
	l.okFirst += other.okFirst
	l.firstFailed += other.firstFailed
	l.attempts += other.attempts
	l.extraInFlight += other.extraInFlight
	l.extra += other.extra
	for _, f := range other.failures {
		l.fail(f.exception, f.code, f.n)
	}
	l.latency.merge(&other.latency)
	l.firstTook.merge(&other.firstTook)
}

// fail counts messages that ended in an exception.
func (l *leaf) fail(e strategy.Exception, code int, n int64) {
	for i := range l.failures {
		if f := &l.failures[i]; f.exception == e && f.code == code {
			f.n += n
			return
		}
	}
	l.failures = append(l.failures, failure{e, code, n})
}

// okStatus is the number of messages acknowledged with a weaker status.
func (l *leaf) okStatus() int64 { return sum(&l.ok) - l.statuses[strategy.StatusSendOK] }

// takeInFlight moves the messages in flight from other to l: a fault has begun.
func (l *leaf) takeInFlight(other *leaf) {
	for f := range fates {
		l.inFlight[f] += other.inFlight[f]
		other.inFlight[f] = 0
	}
	l.extraInFlight += other.extraInFlight
	other.extraInFlight = 0
}

func sum(cells *[fates]int64) int64 {
	var n int64
	for _, c := range cells {
		n += c
	}
	return n
}

func (l *leaf) answered() int64 { return sum(&l.ok) + sum(&l.failed) }
func (l *leaf) messages() int64 { return l.answered() + sum(&l.inFlight) }

// fate is the number of messages with a fate.
func (l *leaf) fate(f model.Fate) int64 { return l.inFlight[f] + l.ok[f] + l.failed[f] }

func (l *leaf) ackedLost() int64 { return l.ok[model.Lost] + l.ok[model.Stranded] }

func (l *leaf) failedStored() int64 { return l.failed[model.AtRisk] + l.failed[model.Durable] }

// stats returns the leaf as a row of the results, without its names.
func (l *leaf) stats() result.Stats {
	return result.Stats{
		Messages:        l.messages(),
		OK:              l.statuses[strategy.StatusSendOK],
		OKFirst:         l.okFirst,
		OKStatus:        l.okStatus(),
		Statuses:        l.otherStatuses(),
		Failed:          sum(&l.failed),
		InFlight:        sum(&l.inFlight),
		FirstFailed:     l.firstFailed,
		FirstFailedTook: l.firstTook.result(),
		Exceptions:      l.exceptions(),
		Attempts:        l.attempts,
		Latency:         l.latency.result(),
		NeverStored:     l.fate(model.NeverStored),
		AtRisk:          l.fate(model.AtRisk),
		Durable:         l.fate(model.Durable),
		Stranded:        l.fate(model.Stranded),
		Lost:            l.fate(model.Lost),
		AckedLost:       l.ackedLost(),
		FailedStored:    l.failedStored(),
		ExtraCopies:     l.extra + l.extraInFlight,
	}
}

func (l *leaf) otherStatuses() []result.Count {
	var out []result.Count
	for s := strategy.StatusFlushDiskTimeout; int(s) < statuses; s++ {
		out = append(out, result.Count{Name: s.String(), N: l.statuses[s]})
	}
	return counted(out)
}

func (l *leaf) exceptions() []result.Count {
	var out []result.Count
	for _, f := range l.failures {
		out = append(out, result.Count{Name: f.name(), N: f.n})
	}
	return counted(out)
}

// counted leaves zeros out and sorts by falling count, then name.
func counted(out []result.Count) []result.Count {
	out = slices.DeleteFunc(out, func(c result.Count) bool { return c.N == 0 })
	if len(out) == 0 {
		return nil
	}
	slices.SortFunc(out, func(a, b result.Count) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
	return out
}
