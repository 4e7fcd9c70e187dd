package experiment

import (
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/sim"
)

// notYet stands for something that has not happened.
const notYet sim.Time = -1

// faultFold follows how each producer instance takes each fault of each broker.
type faultFold struct {
	cfg *model.Config
	// members[group][broker] is true if the group's topic has queues on the broker.
	members [][]bool
	first   []int // first instance of a group
	total   int   // instances

	// order lists the faults by their beginning; those before begun have begun.
	order []int
	begun int
	// effects of fault i are effects[of[i]:of[i+1]]; open[b] are those of broker b that are looked
	// at, oldest first.
	effects []effect
	of      []int
	open    [][]*effect

	// Places of instances and brokers: see place.
	places []place
	// touching[b] counts the faults whose hand is on broker b, untouched is when the last one let go.
	touching  []int
	untouched []sim.Time
	// awaited[b] lists the effects that last until the master of broker b has started again.
	awaited [][]*effect
}

// effect is one fault of one broker, as the instances see it. It is looked at from the beginning of
// the fault until the next fault of the broker that begins after its end, or the end of the run.
type effect struct {
	fault, broker int
	begin, end    sim.Time
	// letGo is when the fault's hand left the broker: its end, and if it stopped the process, when
	// that served again. Never before that.
	letGo sim.Time
	// horizon is how far it was looked at; notYet while it is open.
	horizon sim.Time
	// By instance, over all groups: when it happened, notYet if it did not.
	detect, avoid, gone, back []sim.Time
	failedAttempts, bytesLost int64
}

// place is one broker as one instance sees it.
type place struct {
	// refusedUntil is the end of the refusal, explainedUntil the same without what was isolated while
	// no fault explained it.
	refusedUntil, explainedUntil sim.Time
	// lacks is true while the publish list lacks the broker, lackedUntil is when it last came back.
	lacks       bool
	lackedUntil sim.Time
}

func newFaultFold(cfg *model.Config) faultFold {
	nb := len(cfg.Brokers)
	f := faultFold{
		cfg: cfg, members: memberships(cfg),
		open: make([][]*effect, nb), touching: make([]int, nb), untouched: make([]sim.Time, nb),
		awaited: make([][]*effect, nb),
	}
	for b := range f.untouched {
		f.untouched[b] = notYet
	}
	for _, p := range cfg.Producers {
		f.first = append(f.first, f.total)
		f.total += p.Count
	}
	f.places = make([]place, f.total*nb)
	for i := range cfg.Faults {
		f.order = append(f.order, i)
		f.of = append(f.of, len(f.effects))
		f.effects = append(f.effects, f.effectsOf(i)...)
	}
	f.of = append(f.of, len(f.effects))
	slices.SortStableFunc(f.order, func(a, b int) int {
		return int(min(1, max(-1, cfg.Faults[a].At-cfg.Faults[b].At)))
	})
	return f
}

// memberships says which group's topic has queues on which broker.
func memberships(cfg *model.Config) [][]bool {
	out := make([][]bool, len(cfg.Producers))
	for g, p := range cfg.Producers {
		out[g] = make([]bool, len(cfg.Brokers))
		for _, t := range cfg.Topics {
			if t.Name != p.Topic {
				continue
			}
			for b, broker := range cfg.Brokers {
				out[g][b] = len(t.Brokers) == 0 || slices.Contains(t.Brokers, broker.Name)
			}
		}
	}
	return out
}

// effectsOf makes the effects of a fault: one for each broker whose master is among its targets, in
// their order. Producers talk to masters only, so a fault of a slave has no effect on them.
func (f *faultFold) effectsOf(fault int) []effect {
	var out []effect
	spec := &f.cfg.Faults[fault]
	for _, t := range spec.Targets {
		if t.Kind != model.BrokerTarget || t.ID > 0 {
			continue
		}
		end := sim.Never
		if spec.Duration > 0 {
			end = sim.Time(spec.At).Add(spec.Duration)
		}
		out = append(out, effect{
			fault: fault, broker: t.Index, begin: sim.Time(spec.At), end: end,
			letGo: sim.Never, horizon: notYet,
			detect: f.nobody(), avoid: f.nobody(), gone: f.nobody(), back: f.nobody(),
		})
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

// next is when the next fault begins.
func (f *faultFold) next() sim.Time {
	if f.begun == len(f.order) {
		return sim.Never
	}
	return sim.Time(f.cfg.Faults[f.order[f.begun]].At)
}

// beginUpTo opens the effects of the faults that begin up to now.
func (f *faultFold) beginUpTo(now sim.Time) {
	for f.next() <= now {
		fault := f.order[f.begun]
		f.begun++
		for i := f.of[fault]; i < f.of[fault+1]; i++ {
			f.begin(&f.effects[i])
		}
	}
}

func (f *faultFold) begin(e *effect) {
	f.open[e.broker] = slices.DeleteFunc(f.open[e.broker], func(old *effect) bool {
		over := old.end <= e.begin
		if over {
			f.close(old, e.begin)
		}
		return over
	})
	f.open[e.broker] = append(f.open[e.broker], e)
	f.touching[e.broker]++
	for i := range f.total {
		p := f.at(i, e.broker)
		if p.refusedUntil > e.begin {
			e.avoid[i] = e.begin
		}
		if p.lacks {
			e.gone[i] = e.begin
		}
	}
}

func (f *faultFold) at(instance, broker int) *place {
	return &f.places[instance*len(f.open)+broker]
}

// close ends the look at an effect and finds out who has returned to the broker.
func (f *faultFold) close(e *effect, now sim.Time) {
	e.horizon = now
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

// closeAll ends the look at everything: the run is over.
func (f *faultFold) closeAll(now sim.Time) {
	for b := range f.open {
		for _, e := range f.open[b] {
			f.close(e, now)
		}
		f.open[b] = nil
	}
}

// explains says whether a fault explains what befell an attempt that began at a time and is over
// now: its hand was on the broker during the attempt.
func (e *effect) explains(began sim.Time) bool { return began <= e.letGo }

// attemptFailed tells of a failed attempt.
func (f *faultFold) attemptFailed(a *model.Attempt) {
	open := f.open[a.Queue.Broker]
	if len(open) == 0 {
		return
	}
	i := f.first[a.Group] + int(a.Instance)
	for _, e := range open {
		if !e.explains(a.Began) {
			continue
		}
		e.detect[i] = firstOf(e.detect[i], a.Ended)
		if a.Began <= e.end {
			e.failedAttempts++
		}
	}
}

// firstOf keeps the first of two instants, told in order.
func firstOf(before, now sim.Time) sim.Time {
	if before == notYet {
		return now
	}
	return before
}

// isolated tells of a table change that isolates a broker after an attempt that began at a time. It
// returns whether a fault explains it.
func (f *faultFold) isolated(c *model.TableChange, began sim.Time) bool {
	i := f.first[c.Group] + int(c.Instance)
	for _, e := range f.open[c.Broker] {
		if e.explains(began) {
			e.detect[i] = firstOf(e.detect[i], c.At)
			e.avoid[i] = firstOf(e.avoid[i], c.At)
		}
	}
	return f.touching[c.Broker] > 0 || began <= f.untouched[c.Broker]
}

// table follows the refusals of a fault table. An unexplained isolation may cut an explained one
// short (a release that overwrites), but does not prolong it.
func (f *faultFold) table(c *model.TableChange, explained bool) {
	p := f.at(f.first[c.Group]+int(c.Instance), int(c.Broker))
	until := max(c.At, c.Until)
	if explained {
		p.explainedUntil = until
	} else {
		p.explainedUntil = min(p.explainedUntil, until)
	}
	p.refusedUntil = until
}

// route tells of a new publish list.
func (f *faultFold) route(r *model.RouteChange) {
	i := f.first[r.Group] + int(r.Instance)
	for b, has := range r.Brokers {
		p := f.at(i, b)
		lacks := f.members[r.Group][b] && !has
		if p.lacks && !lacks {
			p.lackedUntil = r.At
		}
		p.lacks = lacks
		if !lacks {
			continue
		}
		for _, e := range f.open[b] {
			e.gone[i] = firstOf(e.gone[i], r.At)
		}
	}
}

// process follows when faults let go of brokers. A fault that stops a process has its hand on the
// broker until the process serves again.
func (f *faultFold) process(p *model.ProcessEvent) {
	if p.Target.Kind != model.BrokerTarget || p.Target.ID > 0 {
		return
	}
	b := p.Target.Index
	switch p.What {
	case model.FaultEnded:
		e := f.effect(int(p.Fault), b)
		if e == nil {
			return // it struck the host of another process
		}
		if stops(f.cfg.Faults[p.Fault].Kind) {
			f.awaited[b] = append(f.awaited[b], e)
			return
		}
		f.letGo(e, p.At)
	case model.Started:
		for _, e := range f.awaited[b] {
			f.letGo(e, p.At)
		}
		f.awaited[b] = f.awaited[b][:0]
	case model.BytesLost:
		if p.Fault < 0 {
			return
		}
		if e := f.effect(int(p.Fault), b); e != nil {
			e.bytesLost += p.Bytes
		}
	}
}

// stops says whether a fault stops the process, so that it has to start again.
func stops(k model.FaultKind) bool {
	return k == model.PowerLoss || k == model.Kill || k == model.Vanish
}

// effect is the effect of a fault on one of its brokers, nil if the broker is none of them.
func (f *faultFold) effect(fault, broker int) *effect {
	of := f.effects[f.of[fault]:f.of[fault+1]]
	i := slices.IndexFunc(of, func(e effect) bool { return e.broker == broker })
	if i < 0 {
		return nil
	}
	return &of[i]
}

func (f *faultFold) letGo(e *effect, now sim.Time) {
	e.letGo = now
	f.touching[e.broker]--
	f.untouched[e.broker] = now
}

// spread summarises times by instance as durations since an instant, over the instances whose topic
// has the broker. The median is the nearest rank, and absent where an instance that never got there
// has it.
func (f *faultFold) spread(e *effect, at []sim.Time, since sim.Time) result.Spread {
	var s result.Spread
	var reached []int64
	for g := range f.members {
		if !f.members[g][e.broker] {
			continue
		}
		for i := f.first[g]; i < f.first[g]+f.cfg.Producers[g].Count; i++ {
			s.Instances++
			if at[i] != notYet {
				reached = append(reached, int64(at[i].Sub(since)))
			}
		}
	}
	s.Reached = len(reached)
	slices.Sort(reached)
	if rank := (s.Instances + 1) / 2; rank > 0 && rank <= s.Reached {
		s.MedianNS = &reached[rank-1]
	}
	if s.Reached > 0 && s.Reached == s.Instances {
		s.MaxNS = &reached[s.Reached-1]
	}
	return s
}

// targetName is the address of a process: "a:0" is the master of broker a.
func targetName(cfg *model.Config, t model.Target) string {
	return cfg.TargetName(t)
}

// results returns what came of all faults by now, the end of the run.
func (f *faultFold) results(now sim.Time) []result.Fault {
	out := []result.Fault{}
	for i := range f.cfg.Faults {
		spec := &f.cfg.Faults[i]
		r := result.Fault{
			Name: spec.Name, Kind: spec.Kind.String(), FromNS: int64(spec.At),
			ToNS:  int64(f.cfg.Duration),
			Began: sim.Time(spec.At) <= now,
		}
		if spec.Duration > 0 {
			r.ToNS = min(r.ToNS, int64(spec.At+spec.Duration))
		}
		for _, t := range spec.Targets {
			r.Targets = append(r.Targets, targetName(f.cfg, t))
		}
		r.Effects = slaveEffects(f.cfg, spec)
		for j := f.of[i]; j < f.of[i+1]; j++ {
			e := &f.effects[j]
			r.Effects = append(r.Effects, result.FaultEffect{
				Broker:         f.cfg.Brokers[e.broker].Name,
				Detect:         f.spread(e, e.detect, e.begin),
				Avoid:          f.spread(e, e.avoid, e.begin),
				RouteGone:      f.spread(e, e.gone, e.begin),
				Return:         f.spread(e, e.back, e.end),
				FailedAttempts: e.failedAttempts,
				BytesLost:      e.bytesLost,
			})
		}
		out = append(out, r)
	}
	return out
}

// slaveEffects are the rows of brokers of which a fault strikes slaves only: there is nothing that a
// producer could see of it.
func slaveEffects(cfg *model.Config, spec *model.Fault) []result.FaultEffect {
	var out []result.FaultEffect
	for _, t := range spec.Targets {
		if t.Kind != model.BrokerTarget {
			continue
		}
		name := cfg.Brokers[t.Index].Name
		struck := slices.Contains(spec.Targets, model.Target{Index: t.Index})
		listed := slices.ContainsFunc(out, func(e result.FaultEffect) bool { return e.Broker == name })
		if !struck && !listed {
			out = append(out, result.FaultEffect{Broker: name})
		}
	}
	return out
}
