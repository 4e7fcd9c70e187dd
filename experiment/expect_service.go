package experiment

import (
	"simrun/internal/result"
	"simrun/scenarios"
	"simrun/sim"
)

// serviceMetrics are the metrics of how the service looks to callers. The goodput has a finding of its own.
var serviceMetrics = map[string]func(*result.Availability) int64{
	"goodput":               nil,
	"outages":               func(a *result.Availability) int64 { return int64(a.Outages) },
	"outage_time":           func(a *result.Availability) int64 { return a.OutageNS },
	"longest_outage":        func(a *result.Availability) int64 { return a.LongestNS },
	"worst_instance_outage": func(a *result.Availability) int64 { return a.WorstNS },
	"time_below_50":         func(a *result.Availability) int64 { return a.Below[0].NS },
	"time_below_90":         func(a *result.Availability) int64 { return a.Below[1].NS },
	"time_below_99":         func(a *result.Availability) int64 { return a.Below[2].NS },
	"time_below_999":        func(a *result.Availability) int64 { return a.Below[3].NS },
	"longest_below_50":      func(a *result.Availability) int64 { return a.Below[0].LongestNS },
	"longest_below_90":      func(a *result.Availability) int64 { return a.Below[1].LongestNS },
	"longest_below_99":      func(a *result.Availability) int64 { return a.Below[2].LongestNS },
	"longest_below_999":     func(a *result.Availability) int64 { return a.Below[3].LongestNS },
}

// rangedService is how the service looks in the window of an expectation.
type rangedService struct {
	rangedExperience
	worst rangedWorst
}

// callersOf are those that an expectation is about.
func (f *fold) callersOf(e *scenarios.Expectation) (which int, in func(slot) bool) {
	switch {
	case e.Producer >= 0:
		return f.availability.group[e.Producer], func(s slot) bool { return s.group == e.Producer }
	case e.Topic >= 0:
		return f.availability.topic[e.Topic], func(s slot) bool { return s.topic == e.Topic }
	}
	return 0, f.everySlot
}

// addService has the window of an expectation followed.
func (f *fold) addService(e *scenarios.Expectation) *rangedService {
	r := &rangedService{
		rangedExperience: rangedExperience{from: e.From, to: e.To},
		worst:            rangedWorst{from: e.From, to: e.To, streaks: make([]bool, f.instances.streaks)},
	}
	which, in := f.callersOf(e)
	f.availability.add(which, &r.rangedExperience)
	for i, slot := range f.slots.list {
		first := f.instances.first[slot.group]
		if e.Topic >= 0 {
			first = f.instances.streakOf[i]
		}
		for k := range f.cfg.Producers[slot.group].Count {
			r.worst.streaks[first+k] = r.worst.streaks[first+k] || in(slot)
		}
	}
	f.instances.ranged = append(f.instances.ranged, &r.worst)
	f.setNext()
	return r
}

// serviceFinding decides an expectation on how the service looks to callers.
func (j *judge) serviceFinding(i int, of func(*result.Availability) int64, l *leaf) finding {
	e := &j.list[i]
	var a result.Availability
	scheduled := l.scheduled()
	if r := j.services[i]; r != nil {
		a = r.result()
		a.WorstNS = int64(r.worst.worst)
	} else {
		which, in := j.fold.callersOf(e)
		for p, phase := range j.fold.cursor.phases {
			if phase.Name == e.Phase {
				a = j.fold.availability.callers[which].phases[p].result()
				_, worst := j.fold.worstOf(p, in, e.Topic >= 0)
				a.WorstNS = int64(worst)
			}
		}
	}
	switch {
	case of == nil && scheduled == 0:
		return undecided("no message scheduled in the window")
	case of == nil:
		a.Scheduled = scheduled
		value, _ := a.Goodput()
		return compare(e, value, words("%v succeeded, %v scheduled", a.Answered-a.Failed, scheduled))
	case a.Answered == 0:
		return undecided("no message answered in the window")
	}
	return compare(e, float64(of(&a)), words("%v of %v answered failed", a.Failed, a.Answered))
}

// balanceFinding decides an expectation on how even attempts are: of one topic, or the one that is least so.
func (j *judge) balanceFinding(i int) finding {
	e := &j.list[i]
	var c queueCounts
	if r := j.ranged[i]; r != nil {
		c = *r.queues
	} else {
		c = j.fold.queuesOf(e.Phase)
	}
	of, cv := result.BalanceBrokers, false
	switch e.Metric.Name {
	case "broker_cv":
		cv = true
	case "queue_imbalance":
		of = result.BalanceQueues
	case "queue_cv":
		of, cv = result.BalanceQueues, true
	}
	worst, reason := -1.0, ""
	made := j.fold.queuesMade()
	for t := range j.fold.cfg.Topics {
		if e.Topic >= 0 && e.Topic != t {
			continue
		}
		b, ok := balanceOf(j.fold.queueRows(&c, t, made), of)
		value := b.MaxOverMean
		if cv {
			value = b.CV
		}
		if ok && value > worst {
			worst = value
			reason = words("%s got most of %v %s of %s", b.Largest, b.N, of, j.fold.cfg.Topics[t].Name)
		}
	}
	if worst < 0 {
		return undecided("no attempt in the window")
	}
	return compare(e, worst, reason)
}

// aftermathFinding decides an expectation on what a fault cost: the broker with most of it, or their sum.
func (j *judge) aftermathFinding(e *scenarios.Expectation, now sim.Time) finding {
	f := &j.fold.faults
	worst, lost, struck := -1.0, int64(0), false
	broker := ""
	for i := f.of[e.Fault]; i < f.of[e.Fault+1]; i++ {
		effect := &f.effects[i]
		if e.Broker >= 0 && e.Broker != effect.broker || effect.begin == notYet {
			continue
		}
		struck = true
		lost += effect.bytesLost
		if e.Metric.Name == "starved_time" && effect.end > now {
			return undecided("the fault did not end in the run")
		}
		r := f.effectResult(effect)
		value, ok := r.StarvedPerInstance()
		if e.Metric.Name == "isolation_per_fault" {
			value, ok = r.IsolationPerFault()
		}
		if ok && value > worst {
			worst, broker = value, r.Broker
		}
	}
	switch {
	case !struck:
		return undecided("the fault struck no broker")
	case e.Metric.Name == "bytes_lost":
		return compare(e, float64(lost), "")
	case worst < 0:
		return undecided("no producer that sends to the broker has avoidance on")
	}
	return compare(e, worst, "most of it on "+broker)
}

// recoveryFinding decides an expectation on the way back to normal.
func (j *judge) recoveryFinding(e *scenarios.Expectation, now sim.Time) finding {
	f := &j.run.Faults[e.Fault]
	b := f.Baseline
	if b == nil {
		return undecided("the fault did not end in the run")
	}
	ns := b.SuccessNS
	switch e.Metric.Name {
	case "time_to_baseline_p99":
		ns = b.P99NS
	case "time_to_baseline_share":
		ns = b.ShareNS
	}
	if ns != nil {
		return compare(e, float64(*ns), "")
	}
	waited := j.watchedAfter(f, now)
	switch {
	case waited <= 0:
		return undecided("there is nothing to compare with, or another fault went on")
	case e.Max != nil && float64(waited) > *e.Max:
		return finding{
			known: true, infinite: true, verdict: result.Failed, reason: words("not within %v", waited),
		}
	case e.Max == nil && float64(waited) >= *e.Min:
		return finding{
			known: true, infinite: true, verdict: result.Passed, reason: words("not within %v", waited),
		}
	}
	return undecided("not within %v, when the look ended", waited)
}

// watchedAfter is for how long the way back from a fault was looked at; 0 if there was nothing to see.
func (j *judge) watchedAfter(f *result.Fault, now sim.Time) sim.Duration {
	until := int64(now)
	for i := range j.run.Faults {
		switch other := &j.run.Faults[i]; {
		case other.FromNS >= f.ToNS:
			until = min(until, other.FromNS)
		case other.ToNS > f.ToNS:
			return 0
		}
	}
	if !usualOf(j.run, nil).known {
		return 0
	}
	return sim.Duration(until - f.ToNS)
}
