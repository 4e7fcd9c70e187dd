package experiment

import (
	"simrun/internal/result"
	"simrun/scenarios"
	"simrun/sim"
)

// faultFinding decides an expectation on a "time to": the slowest instance, on the slowest broker of
// the fault. An instance for which it has not happened has the value +∞ once the run outlasted the
// limit; before that nobody can tell.
func (j *judge) faultFinding(e *scenarios.Expectation, now sim.Time) finding {
	if sim.Time(j.fold.cfg.Faults[e.Fault].At) > now {
		return undecided("the fault did not begin")
	}
	switch e.Metric.Name {
	case "starved_time", "isolation_per_fault", "bytes_lost":
		return j.aftermathFinding(e, now)
	}
	var w slowest
	struck := false
	for i := j.fold.faults.of[e.Fault]; i < j.fold.faults.of[e.Fault+1]; i++ {
		effect := &j.fold.faults.effects[i]
		if e.Broker >= 0 && e.Broker != effect.broker || effect.begin == notYet {
			continue
		}
		struck = true
		if e.Metric.Name == "time_to_return" && effect.end > now {
			return undecided("the fault did not end in the run")
		}
		w.look(&j.fold.faults, effect, e.Metric.Name, j.groups(e))
	}
	if !struck {
		return undecided("the fault struck no broker")
	}
	return w.finding(e)
}

// slowest collects the largest of some times to something.
type slowest struct {
	instances, missing int // pairs of instance and broker
	// known is the largest value; waited the longest that one was waited for in vain.
	known, waited sim.Duration
}

// look adds the instances of some groups, for one broker of a fault. Those without avoidance count for
// the time to avoid only if none of the groups has it on.
func (w *slowest) look(f *faultFold, e *effect, metric string, groups []bool) {
	at, since := e.times(metric)
	some := false
	for g, in := range groups {
		some = some || in && f.members[g][e.broker] && f.avoids(g)
	}
	for g, in := range groups {
		if !in || !f.members[g][e.broker] || metric == "time_to_avoid" && some && !f.avoids(g) {
			continue
		}
		for i := f.first[g]; i < f.first[g]+f.cfg.Producers[g].Count; i++ {
			w.instances++
			if at[i] == notYet {
				w.missing++
				w.waited = max(w.waited, e.horizon.Sub(since))
			} else {
				w.known = max(w.known, at[i].Sub(since))
			}
		}
	}
}

// times are the instants that a metric is about, and the one from which it counts.
func (e *effect) times(metric string) (at []sim.Time, since sim.Time) {
	switch metric {
	case "time_to_detect":
		return e.detect, e.begin
	case "time_to_avoid":
		return e.avoid, e.begin
	case "time_to_route_removal":
		return e.gone, e.begin
	case "time_to_return":
		return e.back, e.end
	}
	panic("experiment: metric " + metric + " is registered but not measured")
}

func (w *slowest) finding(e *scenarios.Expectation) finding {
	if w.instances == 0 {
		return undecided("no producer sends to the broker")
	}
	if w.missing == 0 {
		return compare(e, float64(w.known), words("slowest of %v", w.instances))
	}
	f := finding{known: true, infinite: true, verdict: result.Undecided}
	f.reason = words("%v of %v not within %v", w.missing, w.instances, w.waited)
	atLeast := float64(max(w.known, w.waited)) // a lower bound of the value
	switch {
	case e.Max != nil && (float64(w.known) > *e.Max || float64(w.waited) > *e.Max):
		f.verdict = result.Failed
	case e.Max != nil:
		f.known, f.infinite = false, false
	case atLeast >= *e.Min:
		f.verdict = result.Passed
	default:
		f.known, f.infinite = false, false
	}
	return f
}

// overall sums up the verdicts of expectations: failed beats undecided beats passed.
func overall(list []result.Expectation) result.Verdict {
	verdict := result.NoExpectations
	for _, e := range list {
		switch {
		case e.Skipped:
		case e.Verdict == result.Failed:
			return result.Failed
		case e.Verdict == result.Undecided:
			verdict = result.Undecided
		case verdict == result.NoExpectations:
			verdict = e.Verdict
		}
	}
	return verdict
}
