package experiment

import (
	"cmp"
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

// mostAttempts is the most attempts of a message that are told apart from more.
const mostAttempts = 15

// leaf counts the messages of one phase, one producer group and one topic, the finest breakdown there
// is; the coarser ones are sums of leaves. Every message of the three is in exactly one cell of the
// four columns by fate, at every instant. ok are those acknowledged, with whatever status; handed are
// the one-way ones, of which the client knows no more than that.
type leaf struct {
	inFlight, ok, handed, failed [fates]int64

	// Of the answered ones: those with a status, those with SEND_OK at the first attempt, those whose
	// first attempt failed, and all attempts.
	statuses                       [statuses]int64
	okFirst, firstFailed, attempts int64
	// byAttempts are the answered messages by how many attempts they took.
	byAttempts [mostAttempts + 1]int64
	// sent are the attempts that began in the phase and were sent.
	sent int64
	// moved are the messages in flight that came from other phases when a fault began, less those that went.
	moved int64
	// unsent are the attempts that never were sent, unsentRetries those that are retries, too.
	unsent, unsentRetries int64
	// retries are the attempts beyond the first of each send, resends the sends beyond the first, resent
	// the messages that had any, doubled those whose callback ran more than once.
	retries, resends, resent, doubled int64
	// Copies stored beyond the first of each message, of those in flight and of those answered.
	extraInFlight, extra int64
	// failures are the failed ones by what the caller caught: a few kinds.
	failures []failure

	// times are what took how long, watch the limits that they are compared with for expectations on a
	// quantile.
	times [samples]latency
	watch [samples][]*beyond
}

// samples is the number of samples that are kept apart.
const samples = int(result.SampleAttempts)

// took counts a time n times.
func (l *leaf) took(of result.Sample, ns, n int64) {
	l.times[of].add(ns, n)
	for _, w := range l.watch[of] {
		w.add(ns, n)
	}
}

// sample are the times of a kind. Do not add to what it returns.
func (l *leaf) sample(of result.Sample) *latency {
	if of != result.SampleAttempts {
		return &l.times[of]
	}
	all := &latency{}
	all.merge(&l.times[result.SampleAttemptsOK])
	all.merge(&l.times[result.SampleAttemptsFailed])
	return all
}

// watches hangs the limits of an expectation on a kind of times into a leaf.
func (l *leaf) watches(of result.Sample, b *beyond) {
	if of != result.SampleAttempts {
		l.watch[of] = append(l.watch[of], b)
		return
	}
	l.watches(result.SampleAttemptsOK, b)
	l.watches(result.SampleAttemptsFailed, b)
}

// beyond counts the latencies on the wrong side of an expectation's limits.
type beyond struct {
	min, max     int64
	below, above int64
}

func (b *beyond) add(ns, n int64) {
	if ns > b.max {
		b.above += n
	}
	if ns < b.min {
		b.below += n
	}
}

// merge adds the messages of other with their times. Watches stay where they are.
func (l *leaf) merge(other *leaf) {
	l.count(other)
	for i := range l.times {
		l.times[i].merge(&other.times[i])
	}
}

// count adds the messages of other, without their times.
func (l *leaf) count(other *leaf) {
	for f := range fates {
		l.inFlight[f] += other.inFlight[f]
		l.ok[f] += other.ok[f]
		l.handed[f] += other.handed[f]
		l.failed[f] += other.failed[f]
	}
	for s, n := range other.statuses {
		l.statuses[s] += n
	}
	for k, n := range other.byAttempts {
		l.byAttempts[k] += n
	}
	l.sent += other.sent
	l.moved += other.moved
	l.okFirst += other.okFirst
	l.firstFailed += other.firstFailed
	l.attempts += other.attempts
	l.unsent += other.unsent
	l.unsentRetries += other.unsentRetries
	l.retries += other.retries
	l.resends += other.resends
	l.resent += other.resent
	l.doubled += other.doubled
	l.extraInFlight += other.extraInFlight
	l.extra += other.extra
	for _, f := range other.failures {
		l.fail(f.exception, f.code, f.n)
	}
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
		l.moved += other.inFlight[f]
		other.moved -= other.inFlight[f]
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

func (l *leaf) answered() int64 { return sum(&l.ok) + sum(&l.handed) + sum(&l.failed) }
func (l *leaf) messages() int64 { return l.answered() + sum(&l.inFlight) }

// scheduled are the messages whose intended send time the phase owns.
func (l *leaf) scheduled() int64 { return l.messages() - l.moved }

// fate is the number of messages with a fate.
func (l *leaf) fate(f model.Fate) int64 { return l.inFlight[f] + l.ok[f] + l.handed[f] + l.failed[f] }

func (l *leaf) ackedLost() int64 { return l.ok[model.Lost] + l.ok[model.Stranded] }

// handedMissed counts those handed over of which nothing is left that will be served.
func (l *leaf) handedMissed() int64 {
	return l.handed[model.NeverStored] + l.handed[model.Lost] + l.handed[model.Stranded]
}

func (l *leaf) failedStored() int64 { return l.failed[model.AtRisk] + l.failed[model.Durable] }

// stats returns the leaf as a row of the results, without its names.
func (l *leaf) stats() result.Stats {
	s := result.Stats{
		Messages:        l.messages(),
		OK:              l.statuses[strategy.StatusSendOK],
		OKFirst:         l.okFirst,
		OKStatus:        l.okStatus(),
		Statuses:        l.otherStatuses(),
		Handed:          sum(&l.handed),
		HandedMissed:    l.handedMissed(),
		Failed:          sum(&l.failed),
		InFlight:        sum(&l.inFlight),
		FirstFailed:     l.firstFailed,
		FirstFailedTook: l.times[result.SampleFirstFailed].result(),
		Exceptions:      l.exceptions(),
		Attempts:        l.attempts,
		UnsentAttempts:  l.unsent,
		AttemptsSent:    l.sent,
		AttemptCounts:   l.attemptCounts(),
		Retries:         l.retries,
		UnsentRetries:   l.unsentRetries,
		Resends:         l.resends,
		Resent:          l.resent,
		DoubleCallbacks: l.doubled,
		Latency:         l.times[result.SampleAnswers].result(),
		ThreadWait:      l.times[result.SampleWaits].result(),

		AttemptLatency:       l.sample(result.SampleAttempts).result(),
		AttemptLatencyOK:     l.times[result.SampleAttemptsOK].result(),
		AttemptLatencyFailed: l.times[result.SampleAttemptsFailed].result(),

		NeverStored:  l.fate(model.NeverStored),
		AtRisk:       l.fate(model.AtRisk),
		Durable:      l.fate(model.Durable),
		Stranded:     l.fate(model.Stranded),
		Lost:         l.fate(model.Lost),
		AckedLost:    l.ackedLost(),
		FailedStored: l.failedStored(),
		ExtraCopies:  l.extra + l.extraInFlight,
	}
	if x, ok := l.effectiveRetries(); ok {
		s.EffectiveRetries = &x
	}
	return s
}

// effectiveRetries are the retries sent per message whose first attempt failed, if there is any.
func (l *leaf) effectiveRetries() (float64, bool) {
	n := l.times[result.SampleFirstFailed].n()
	if n == 0 {
		return 0, false
	}
	return float64(l.retries-l.unsentRetries) / float64(n), true
}

// attemptCounts are the answered messages by number of attempts, up to the most that any took.
func (l *leaf) attemptCounts() []int64 {
	n := len(l.byAttempts)
	for n > 0 && l.byAttempts[n-1] == 0 {
		n--
	}
	if n == 0 {
		return nil
	}
	return slices.Clone(l.byAttempts[:n])
}

func (l *leaf) otherStatuses() []result.Count {
	var out []result.Count
	for s := strategy.StatusFlushDiskTimeout; s <= strategy.StatusSlaveNotAvailable; s++ {
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
