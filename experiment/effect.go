package experiment

import (
	"slices"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
)

// effect is one fault of one broker, as the instances see it. It is looked at from the first strike of
// the fault until the next fault of the broker that begins after its end, or the end of the run.
type effect struct {
	fault, broker int
	// across: the broker is on the other side of a fault of the network, and feels every strike.
	across bool
	// begin is the first strike, notYet before it. end is when the fault was over, Never before that;
	// of one that strikes repeatedly, when the last strike so far was.
	begin, end sim.Time
	// until is when no further strike can come.
	until sim.Time
	// hands counts the targets of the fault that it holds, awaits the processes that have to start
	// again. letGo is when both were none: Never before that.
	hands, awaits int
	letGo         sim.Time
	// strikes on this broker so far, and how long they lasted; since is when this one began.
	strikes int
	held    sim.Duration
	since   sim.Time
	// horizon is how far it was looked at; notYet while it is open.
	horizon sim.Time
	// By instance, over all groups: when it happened, notYet if it did not.
	detect, avoid, gone, back []sim.Time
	failedAttempts, bytesLost int64
	// avoided is how long tables refused the broker from begin on, starved the part of it after end.
	avoided, starved sim.Duration
	// attempts under way while the fault lasted, avoiding those of producers with avoidance on.
	attempts, avoiding int64
}

// effectsOf makes the effects of a fault: one for each broker that producers can feel it on, in the
// order of its targets. Producers talk to masters only, so a fault of a slave has no effect on them,
// unless its master waits for it.
func (f *faultFold) effectsOf(fault int) []effect {
	spec := &f.cfg.Faults[fault]
	var out []effect
	add := func(t config.Target, across bool) {
		if t.Kind != config.BrokerTarget || t.ID > 0 && f.cfg.Brokers[t.Index].Role != config.SyncMaster ||
			slices.ContainsFunc(out, func(e effect) bool { return e.broker == t.Index }) {
			return
		}
		e := effect{
			fault: fault, broker: t.Index, across: across, begin: notYet, end: sim.Never,
			until: sim.Never, letGo: sim.Never, horizon: notYet,
			detect: f.nobody(), avoid: f.nobody(), gone: f.nobody(), back: f.nobody(),
		}
		if spec.Duration > 0 {
			e.until = sim.Time(spec.At).Add(spec.Duration)
		}
		if !spec.Repeats() {
			e.end = e.until
		}
		out = append(out, e)
	}
	for _, t := range f.cfg.Struck(spec) {
		add(t, false)
	}
	if spec.Kind.OnLinks() {
		for _, t := range spec.To {
			add(t, true)
		}
	}
	return out
}

func (f *faultFold) nobody() []sim.Time {
	out := make([]sim.Time, f.total)
	for i := range out {
		out[i] = notYet
	}
	return out
}

// feeling are the effects of the fault of an event that its target brings about.
func (f *faultFold) feeling(p *model.ProcessEvent) []*effect {
	var out []*effect
	for i := f.of[p.Fault]; i < f.of[p.Fault+1]; i++ {
		e := &f.effects[i]
		if e.across || p.Target.Kind == config.BrokerTarget && p.Target.Index == e.broker {
			out = append(out, e)
		}
	}
	return out
}

// touch tells that a fault strikes a broker.
func (f *faultFold) touch(e *effect, now sim.Time) {
	if e.begin == notYet {
		f.begin(e, now)
	}
	e.hands++
	if e.hands > 1 {
		return
	}
	e.strikes++
	e.since = now
	if f.cfg.Faults[e.fault].Repeats() {
		e.end = sim.Never
		e.starved = 0 // it was not over
	}
	if e.awaits == 0 {
		e.letGo = sim.Never
		f.brokers[e.broker].on++
	}
}

// begin opens an effect, and closes those of the broker that are over.
func (f *faultFold) begin(e *effect, now sim.Time) {
	e.begin = now
	f.open[e.broker] = slices.DeleteFunc(f.open[e.broker], func(old *effect) bool {
		over := old.end <= now && old.until <= now
		if over {
			f.close(old, now)
		}
		return over
	})
	f.open[e.broker] = append(f.open[e.broker], e)
	for i := range f.total {
		p := f.at(i, e.broker)
		if p.refusedUntil > now {
			e.avoid[i] = now
		}
		if p.lacks {
			e.gone[i] = now
		}
	}
}

// letGo tells that a fault lets go of a target.
func (f *faultFold) letGo(e *effect, t config.Target, now sim.Time) {
	if e.hands > 0 {
		e.hands--
		if e.hands == 0 {
			e.held += now.Sub(e.since)
			e.end = now
			if f.cfg.Faults[e.fault].Kind == config.RollingRestart {
				e.until = now // it takes each of its targets once
			}
		}
	}
	if stops(f.cfg.Faults[e.fault].Kind) && t.Kind == config.BrokerTarget {
		e.awaits++
		f.awaited = append(f.awaited, awaited{e, t})
	}
	f.settle(e, now)
}

// holds says whether a fault has its hand on a broker, or on a producer instance.
func (f *faultFold) holds(fault, broker int, instance config.Target) bool {
	for i := f.of[fault]; i < f.of[fault+1]; i++ {
		if e := &f.effects[i]; e.broker == broker && e.hands+e.awaits > 0 {
			return true
		}
	}
	spec := &f.cfg.Faults[fault]
	return f.strikes[fault].hands > 0 &&
		(slices.Contains(f.cfg.Struck(spec), instance) || slices.Contains(spec.To, instance))
}

// settle notes that nothing holds a broker any more for the sake of a fault, if that is so.
func (f *faultFold) settle(e *effect, now sim.Time) {
	if e.hands == 0 && e.awaits == 0 && e.letGo == sim.Never {
		e.letGo = now
		f.brokers[e.broker].on--
		f.brokers[e.broker].free = now
	}
}

// stops says whether a fault stops the process, so that it has to start again.
func stops(k config.FaultKind) bool {
	switch k {
	case config.PowerLoss, config.Kill, config.Vanish, config.Shutdown, config.RollingRestart, config.DiskLoss:
		return true
	}
	return false
}

// explains says whether a fault explains what befell an attempt that began at a time and is over
// now: its hand was on the broker during the attempt.
func (e *effect) explains(began sim.Time) bool { return began <= e.letGo }

// close ends the look at an effect and finds out who has returned to the broker.
func (f *faultFold) close(e *effect, now sim.Time) {
	for i := range f.total {
		f.bookRefusal(f.at(i, e.broker), e.broker, now)
	}
	e.horizon = now
	if e.hands > 0 {
		e.held += now.Sub(e.since)
		e.since = now
	}
	if e.end > now {
		return
	}
	for i := range e.back {
		p := f.at(i, e.broker)
		if p.lacks || p.explainedUntil > now {
			continue
		}
		e.back[i] = max(e.end, p.explainedUntil, p.lackedUntil)
	}
}

// bookRefusal adds the time up to now in which a place was refused, and that is not booked yet, to the
// effects that are looked at.
func (f *faultFold) bookRefusal(p *place, broker int, now sim.Time) {
	from, to := p.booked, min(p.refusedUntil, now)
	p.booked = max(p.booked, now)
	for _, e := range f.open[broker] {
		e.avoided += max(0, to.Sub(max(from, e.begin)))
		e.starved += max(0, to.Sub(max(from, e.begin, e.end)))
	}
}

// closeAll ends the look at everything: the run is over.
func (f *faultFold) closeAll(now sim.Time) {
	for b := range f.open {
		for _, e := range f.open[b] {
			f.close(e, now)
		}
		f.open[b] = nil
	}
	for i := range f.strikes {
		if f.strikes[i].hands > 0 {
			f.strikes[i].book(now)
		}
		f.downtimes[i].closes(now)
	}
}

// mostSpans is how many strikes of a fault are kept with their times; further ones are counted.
const mostSpans = 200

// strikes are the times at which a fault held any of its targets.
type strikes struct {
	hands int
	since sim.Time
	n     int
	held  sim.Duration
	spans [][2]int64
}

func (s *strikes) begins(now sim.Time) {
	if s.hands == 0 {
		s.n++
		s.since = now
	}
	s.hands++
}

func (s *strikes) ends(now sim.Time) {
	s.hands--
	if s.hands == 0 {
		s.book(now)
	}
}

// book adds the strike that ends now.
func (s *strikes) book(now sim.Time) {
	s.held += now.Sub(s.since)
	if len(s.spans) < mostSpans {
		s.spans = append(s.spans, [2]int64{int64(s.since), int64(now)})
	}
}
