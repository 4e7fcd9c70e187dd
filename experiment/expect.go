package experiment

import (
	"fmt"
	"math"

	"simrun/internal/result"
	"simrun/model"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// judge decides the expectations of a scenario. Every verdict is exact: counters and sums are kept
// for each window, and a quantile is compared by counting the latencies beyond its limits, never by
// reading a histogram.
type judge struct {
	fold *fold
	list []scenarios.Expectation
	// watch[i] counts for expectation i if it is on a quantile, ranged[i] if it has a window of its
	// own; else nil.
	watch  []*beyond
	ranged []*ranged
	// peaks[i] is that of expectation i if it is on the cluster and has a window of its own.
	peaks []*rangedPeak
	// services[i] is that of expectation i if it is on how the service looks in a window of its own.
	services []*rangedService
	// run is the result so far, when all is over.
	run *result.Run
	// loads[i] is that of expectation i if it is on the load of a broker in a window of its own.
	loads []*rangedLoad
}

// newJudge hangs the counters of the expectations into the fold.
func newJudge(f *fold, list []scenarios.Expectation) *judge {
	j := &judge{
		fold: f, list: list,
		watch: make([]*beyond, len(list)), ranged: make([]*ranged, len(list)),
		peaks: make([]*rangedPeak, len(list)), loads: make([]*rangedLoad, len(list)),
		services: make([]*rangedService, len(list)),
	}
	for i := range list {
		e := &list[i]
		if e.Skipped || e.Metric.Scope.OfFault() {
			continue
		}
		if e.Metric.Quantile > 0 {
			j.watch[i] = newBeyond(e)
		}
		if e.Phase == "" {
			j.addRanged(i)
		} else if j.watch[i] != nil {
			j.eachLeaf(e, func(l *leaf) { l.watches(e.Metric.Of, j.watch[i]) })
		}
	}
	return j
}

// newBeyond turns limits into whole nanoseconds: above 1.5 ns is above 1 ns, below it is below 2 ns.
func newBeyond(e *scenarios.Expectation) *beyond {
	b := &beyond{min: math.MinInt64, max: math.MaxInt64}
	if e.Min != nil {
		b.min = wholeNS(math.Ceil(*e.Min))
	}
	if e.Max != nil {
		b.max = wholeNS(math.Floor(*e.Max))
	}
	return b
}

// wholeNS converts a whole number, limited to what an int64 holds.
func wholeNS(x float64) int64 {
	switch {
	case x >= math.MaxInt64:
		return math.MaxInt64
	case x <= math.MinInt64:
		return math.MinInt64
	}
	return int64(x)
}

func (j *judge) addRanged(i int) {
	e := &j.list[i]
	if e.Metric.Scope == result.ScopeCluster {
		j.peaks[i] = &rangedPeak{from: e.From, to: e.To}
		j.fold.exposure.ranged = append(j.fold.exposure.ranged, j.peaks[i])
		return
	}
	if loadMetric(e.Metric.Name) {
		j.loads[i] = &rangedLoad{from: e.From, to: e.To, broker: e.Broker}
		j.fold.load.add(j.loads[i])
		return
	}
	r := &ranged{from: e.From, to: e.To, broker: int32(e.Broker), slots: j.slots(e)}
	if j.watch[i] != nil {
		r.leaf.watches(e.Metric.Of, j.watch[i])
	}
	if e.Metric.Scope == result.ScopeBroker {
		j.fold.brokers.ranged = append(j.fold.brokers.ranged, r)
	}
	if e.Metric.Scope == result.ScopeBalance {
		c := j.fold.queues.layout.counts()
		r.queues = &c
	}
	if _, ok := serviceMetrics[e.Metric.Name]; ok {
		j.services[i] = j.fold.addService(e)
	}
	j.ranged[i] = r
	j.fold.ranged = append(j.fold.ranged, r)
}

// slots says which slots an expectation is about.
func (j *judge) slots(e *scenarios.Expectation) []bool {
	out := make([]bool, len(j.fold.slots.list))
	for i, s := range j.fold.slots.list {
		out[i] = (e.Producer < 0 || e.Producer == s.group) && (e.Topic < 0 || e.Topic == s.topic)
	}
	return out
}

// groups says which producer groups it is about.
func (j *judge) groups(e *scenarios.Expectation) []bool {
	out := make([]bool, len(j.fold.cfg.Producers))
	for i, in := range j.slots(e) {
		g := j.fold.slots.list[i].group
		out[g] = out[g] || in
	}
	return out
}

// eachLeaf calls do for each leaf that belongs to the phase and the slots of an expectation.
func (j *judge) eachLeaf(e *scenarios.Expectation, do func(*leaf)) {
	slots := j.slots(e)
	for p := range j.fold.cursor.phases {
		if !j.fold.cursor.within(p, e.Phase) {
			continue
		}
		for i, in := range slots {
			if in {
				do(&j.fold.leaves[p*len(slots)+i])
			}
		}
	}
}

// messages is the sum of the messages an expectation is about.
func (j *judge) messages(i int) *leaf {
	if r := j.ranged[i]; r != nil {
		return &r.leaf
	}
	sum := &leaf{}
	j.eachLeaf(&j.list[i], func(l *leaf) { sum.merge(l) })
	return sum
}

// judgeAll decides all expectations at the end of a run, or where it was interrupted.
func (j *judge) judgeAll(now sim.Time, complete bool) []result.Expectation {
	out := make([]result.Expectation, 0, len(j.list))
	for i := range j.list {
		out = append(out, j.judge(i, now, complete))
	}
	return out
}

func (j *judge) judge(i int, now sim.Time, complete bool) result.Expectation {
	e := &j.list[i]
	out := result.Expectation{
		Name: e.Name, Metric: e.Metric.Name, Where: e.Where, Min: e.Min, Max: e.Max,
		Skipped: e.Skipped,
	}
	if e.Skipped {
		return out
	}
	var f finding
	switch e.Metric.Scope {
	case result.ScopeFault:
		f = j.faultFinding(e, now)
	case result.ScopeRecovery:
		f = j.recoveryFinding(e, now)
	case result.ScopeBalance:
		f = j.balanceFinding(i)
	case result.ScopeBroker:
		f = j.brokerFinding(i)
	case result.ScopeCluster:
		f = j.clusterFinding(i, now)
	default:
		f = j.messageFinding(i)
	}
	out.Verdict, out.Reason, out.Infinite = f.verdict, f.reason, f.infinite
	if f.known && !f.infinite {
		out.Actual = &f.value
	}
	if !complete {
		out.Verdict = result.Undecided
		out.Reason = "the run was interrupted"
	}
	return out
}

// finding is what came of one expectation.
type finding struct {
	value    float64
	known    bool // there is a value
	infinite bool // it is +∞
	verdict  result.Verdict
	reason   string
}

func undecided(format string, args ...any) finding {
	return finding{verdict: result.Undecided, reason: words(format, args...)}
}

// compare is the finding of an exact value.
func compare(e *scenarios.Expectation, value float64, reason string) finding {
	verdict := result.Passed
	if e.Min != nil && value < *e.Min || e.Max != nil && value > *e.Max {
		verdict = result.Failed
	}
	return finding{value: value, known: true, verdict: verdict, reason: reason}
}

// messageFinding decides an expectation on messages.
func (j *judge) messageFinding(i int) finding {
	e, l := &j.list[i], j.messages(i)
	if of, ok := serviceMetrics[e.Metric.Name]; ok {
		return j.serviceFinding(i, of, l)
	}
	n, answered := l.messages(), l.answered()
	if e.Metric.Name == "messages" {
		return compare(e, float64(n), "")
	}
	if e.Metric.Stat != result.StatNone && e.Metric.Of != result.SampleAnswers {
		return timeFinding(e, l.sample(e.Metric.Of), j.watch[i])
	}
	if n == 0 {
		return undecided("no message in the window")
	}
	if e.Metric.Stat == result.StatQuantile {
		return quantileFinding(e, l.sample(e.Metric.Of), j.watch[i])
	}
	if e.Metric.Name == "amplification" {
		return compare(e, float64(l.sent)/float64(n), words("%v attempts for %v messages", l.sent, n))
	}
	if value, reason, ok := countMetric(e.Metric.Name, l); ok {
		return compare(e, float64(value), reason)
	}
	if answered == 0 {
		return undecided("none of %v messages is answered", n)
	}
	if e.Metric.Stat != result.StatNone {
		return timeFinding(e, l.sample(e.Metric.Of), j.watch[i])
	}
	if e.Metric.Name == "effective_retries" {
		value, some := l.effectiveRetries()
		if !some {
			return undecided("no first attempt of %v messages failed", answered)
		}
		return compare(e, value, words("%v attempts for %v messages whose first one failed",
			l.retries, l.times[result.SampleFirstFailed].n()))
	}
	value, reason := ratioMetric(e.Metric.Name, l)
	return compare(e, value, reason)
}

// timeFinding decides an expectation on a statistic of some times.
func timeFinding(e *scenarios.Expectation, times *latency, b *beyond) finding {
	some := sampleWords[e.Metric.Of]
	if times.n() == 0 {
		return undecided("no %s in the window", some[0])
	}
	of := words("of %v %s", times.n(), some[1])
	switch e.Metric.Stat {
	case result.StatQuantile:
		return quantileFinding(e, times, b)
	case result.StatMax:
		return compare(e, float64(times.max), of)
	case result.StatMean:
		return compare(e, times.exactMean(), of)
	case result.StatNone:
	}
	panic("experiment: metric " + e.Metric.Name + " is registered but not measured")
}

// sampleWords name what times are of, by Sample: one, and several of them.
var sampleWords = [samples + 1][2]string{
	result.SampleAnswers:        {"answered message", "messages"},
	result.SampleAttempts:       {"attempt", "attempts"},
	result.SampleAttemptsOK:     {"attempt that did not fail", "attempts that did not fail"},
	result.SampleAttemptsFailed: {"failed attempt", "failed attempts"},
	result.SampleFirstFailed:    {"failed first attempt", "first attempts"},
	result.SampleWaits:          {"answered message", "messages"},
}

// countMetric is the value of a metric that counts messages, of whatever fate and answer.
func countMetric(name string, l *leaf) (value int64, reason string, ok bool) {
	switch name {
	case "failed":
		value = sum(&l.failed)
	case "resends":
		value = l.resends
	case "resent":
		value = l.resent
	case "double_callbacks":
		value = l.doubled
	case "handed_over":
		value = sum(&l.handed)
	case "handed_over_missed":
		value = l.handedMissed()
	case "weaker_status":
		value = l.okStatus()
	case "flush_disk_timeout":
		value = l.statuses[strategy.StatusFlushDiskTimeout]
	case "flush_slave_timeout":
		value = l.statuses[strategy.StatusFlushSlaveTimeout]
	case "slave_not_available":
		value = l.statuses[strategy.StatusSlaveNotAvailable]
	case "lost":
		value = l.fate(model.Lost)
	case "stranded":
		value = l.fate(model.Stranded)
	case "acked_lost":
		value = l.ackedLost()
	case "extra_copies":
		value = l.extra + l.extraInFlight
	case "failed_stored":
		value = l.failedStored()
	default:
		return 0, "", false
	}
	return value, words("of %v messages", l.messages()), true
}

// ratioMetric is the value of a metric over answered messages, of which there are some.
func ratioMetric(name string, l *leaf) (value float64, reason string) {
	n := l.answered()
	switch name {
	case "success_rate":
		failed := sum(&l.failed)
		return float64(n-failed) / float64(n), words("%v of %v failed", failed, n)
	case "first_attempt_success_rate":
		return float64(n-l.firstFailed) / float64(n),
			words("%v of %v failed at first", l.firstFailed, n)
	case "retry_success_rate":
		retried := l.statuses[strategy.StatusSendOK] - l.okFirst
		return float64(retried) / float64(n), words("%v of %v on a retry", retried, n)
	case "attempts_per_message":
		sent := l.attempts - l.unsent
		return float64(sent) / float64(n), words("%v attempts for %v messages", sent, n)
	}
	panic("experiment: metric " + name + " is registered but not measured")
}

// quantileFinding decides an expectation on a quantile of some times, by nearest rank: q ≤ x means that
// at most n − ⌈qn⌉ of them lie above x, and q ≥ x that fewer than ⌈qn⌉ lie below it.
func quantileFinding(e *scenarios.Expectation, times *latency, b *beyond) finding {
	n := times.n()
	milli := int64(math.Round(e.Metric.Quantile * 1000))
	if need := 10 * 1000 / (1000 - milli); n < need {
		what := "answered messages"
		if of := e.Metric.Of; of != result.SampleAnswers && of != result.SampleWaits {
			what = sampleWords[of][1]
		}
		return undecided("%v %s, at least %v are needed", n, what, need)
	}
	rank := rankOf(milli, n)
	var at [1]int64
	times.atRanks([]int64{rank}, at[:])
	value := at[0]
	f := finding{known: true, verdict: result.Passed}
	// The value shown is read from a histogram of three digits: put it on the side of the limit
	// that was counted.
	if e.Max != nil {
		f.reason = words("%v of %v above %v, %v may be", b.above, n, ns(b.max), n-rank)
		if b.above <= n-rank {
			value = min(value, b.max)
		} else {
			value, f.verdict = max(value, b.max+1), result.Failed
		}
	}
	if e.Min != nil {
		if f.reason == "" {
			f.reason = words("%v of %v below %v, %v may be", b.below, n, ns(b.min), rank-1)
		}
		if b.below < rank {
			value = max(value, b.min)
		} else {
			value, f.verdict = min(value, b.min-1), result.Failed
		}
	}
	f.value = float64(value)
	return f
}

// words are a sentence for people: whole numbers in it have their thousands apart.
func words(format string, args ...any) string {
	for i, a := range args {
		switch n := a.(type) {
		case int:
			args[i] = result.Thousands(int64(n))
		case int64:
			args[i] = result.Thousands(n)
		}
	}
	return fmt.Sprintf(format, args...)
}

// ns writes a number of nanoseconds for people.
func ns(n int64) sim.Duration { return sim.Duration(n) }
