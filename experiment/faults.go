package experiment

import (
	"cmp"
	"slices"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
)

// notYet stands for something that has not happened.
const notYet sim.Time = -1

// faultFold follows how each producer instance takes each fault of each broker.
type faultFold struct {
	cfg *config.Config
	// members[group][broker] is true if a topic of the group has queues on the broker.
	members [][]bool
	// has[slot][broker] is true if the topic of the slot has queues on it; lacking has, by instance, topic
	// of its group and broker, whether that publish list lacks it.
	has     [][]bool
	slots   *slots
	lacking []lists
	first   []int // first instance of a group
	total   int   // instances

	// order lists the faults that strike once by their beginning; those before begun have begun.
	order []int
	begun int
	// effects of fault i are effects[of[i]:of[i+1]]; open[b] are those of broker b that are looked
	// at, oldest first.
	effects []effect
	of      []int
	open    [][]*effect

	// Places of instances and brokers: see place.
	places []place
	// brokers and instances are how many faults have their hands on each.
	brokers, instances []hands
	// awaited are the effects that last until a process has started again.
	awaited []awaited
	// strikes are those of each fault, and across[i] the instances on the other side of fault i.
	strikes []strikes
	// downtimes are those of each fault that strikes repeatedly.
	downtimes []downtime
	across    [][]int
}

// hands counts the faults whose hand is on something; free is when the last one let go.
type hands struct {
	on   int
	free sim.Time
}

// explain says whether a fault's hand was there at some time since an instant.
func (h *hands) explain(since sim.Time) bool { return h.on > 0 || since <= h.free }

// awaited is an effect that lasts until a process serves again.
type awaited struct {
	effect *effect
	target config.Target
}

// place is one broker as one instance sees it.
type place struct {
	// refusedUntil is the end of the refusal, explainedUntil the same without what was isolated while
	// no fault explained it.
	refusedUntil, explainedUntil sim.Time
	// booked is up to when the refusal is added to the effects of faults.
	booked sim.Time
	// lacks is true while the publish list lacks the broker, in a group of several topics each list that
	// should have it; lackedUntil is when it last came back.
	lacks       bool
	lackedUntil sim.Time
}

// lists are the publish lists of an instance that lack a broker: [topic of the group*brokers+broker].
type lists []bool

func newFaultFold(cfg *config.Config, s *slots) faultFold {
	nb := len(cfg.Brokers)
	f := faultFold{
		cfg: cfg, slots: s, has: topicBrokers(cfg, s), open: make([][]*effect, nb), brokers: make([]hands, nb),
		strikes: make([]strikes, len(cfg.Faults)), downtimes: make([]downtime, len(cfg.Faults)),
	}
	for _, p := range cfg.Producers {
		f.first = append(f.first, f.total)
		f.total += p.Count
		for range p.Count {
			f.lacking = append(f.lacking, make(lists, len(p.Topics)*nb))
		}
	}
	f.members = f.memberships()
	f.instances = make([]hands, f.total)
	for _, list := range [][]hands{f.brokers, f.instances} {
		for i := range list {
			list[i].free = notYet
		}
	}
	f.places = make([]place, f.total*nb)
	for i := range cfg.Faults {
		if !cfg.Faults[i].Repeats() {
			f.order = append(f.order, i)
		}
		f.of = append(f.of, len(f.effects))
		f.effects = append(f.effects, f.effectsOf(i)...)
		var across []int
		for _, t := range cfg.Faults[i].To {
			if t.Kind == config.ProducerTarget {
				across = append(across, f.first[t.Index]+t.ID)
			}
		}
		f.across = append(f.across, across)
	}
	f.of = append(f.of, len(f.effects))
	slices.SortStableFunc(f.order, func(a, b int) int {
		return cmp.Compare(cfg.Faults[a].At, cfg.Faults[b].At)
	})
	return f
}

// topicBrokers says which slot's topic has queues on which broker.
func topicBrokers(cfg *config.Config, s *slots) [][]bool {
	out := make([][]bool, len(s.list))
	for i, slot := range s.list {
		out[i] = brokersWith(cfg, &cfg.Topics[slot.topic])
	}
	return out
}

// brokersWith says which brokers have queues of a topic, or can have.
func brokersWith(cfg *config.Config, t *config.Topic) []bool {
	out := make([]bool, len(cfg.Brokers))
	for b, broker := range cfg.Brokers {
		out[b] = len(t.Brokers) == 0 || slices.Contains(t.Brokers, broker.Name)
		if t.Absent {
			out[b] = broker.AutoCreateTopic
		}
	}
	return out
}

// memberships says on which broker a topic of which group has queues.
func (f *faultFold) memberships() [][]bool {
	out := make([][]bool, len(f.cfg.Producers))
	for g := range out {
		out[g] = make([]bool, len(f.cfg.Brokers))
	}
	for i, slot := range f.slots.list {
		for b, has := range f.has[i] {
			out[slot.group][b] = out[slot.group][b] || has
		}
	}
	return out
}

// next is when the next fault that strikes once begins.
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
			f.touch(&f.effects[i], sim.Time(f.cfg.Faults[fault].At))
		}
	}
}

func (f *faultFold) at(instance, broker int) *place {
	return &f.places[instance*len(f.open)+broker]
}

// attempt tells of an attempt for n messages that is over.
func (f *faultFold) attempt(a *model.Attempt, n int64) {
	for _, e := range f.open[a.Queue.Broker] {
		if a.Began > e.end {
			continue
		}
		e.attempts += n
		if f.cfg.Producers[a.Group].Settings.SendLatencyFaultEnable {
			e.avoiding += n
		}
	}
}

// attemptFailed tells of a failed attempt for n messages.
func (f *faultFold) attemptFailed(a *model.Attempt, n int64) {
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
			e.failedAttempts += n
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
// returns whether a fault explains it: one of the broker, or one of the instance.
func (f *faultFold) isolated(c *model.TableChange, began sim.Time) bool {
	i := f.first[c.Group] + int(c.Instance)
	for _, e := range f.open[c.Broker] {
		if e.explains(began) {
			e.detect[i] = firstOf(e.detect[i], c.At)
			e.avoid[i] = firstOf(e.avoid[i], c.At)
		}
	}
	return f.brokers[c.Broker].explain(began) || f.instances[i].explain(began)
}

// table follows the refusals of a fault table. An unexplained isolation may cut an explained one
// short (a release that overwrites), but does not prolong it.
func (f *faultFold) table(c *model.TableChange, explained bool) {
	p := f.at(f.first[c.Group]+int(c.Instance), int(c.Broker))
	f.bookRefusal(p, int(c.Broker), c.At)
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
	slot := f.slots.of[int(r.Group)*f.slots.topics+int(r.Topic)]
	list := f.lacking[i][(slot-f.slots.groups[r.Group].first)*len(f.open):]
	for b, has := range r.Brokers {
		p := f.at(i, b)
		list[b] = !has
		lacks := f.lacks(int(r.Group), i, b)
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

// lacks says whether each publish list of an instance that should have a broker lacks it.
func (f *faultFold) lacks(group, instance, broker int) bool {
	first := f.slots.groups[group].first
	for k := range f.cfg.Producers[group].Topics {
		if f.has[first+k][broker] && !f.lacking[instance][k*len(f.open)+broker] {
			return false
		}
	}
	return f.members[group][broker]
}

// process follows faults as they strike and let go. A fault that stops a process has its hand on the
// broker until the process serves again.
func (f *faultFold) process(p *model.ProcessEvent) {
	switch p.What {
	case model.FaultBegan:
		f.strikes[p.Fault].begins(p.At)
		f.instancesFeel(p, +1)
		if spec := &f.cfg.Faults[p.Fault]; spec.Repeats() && stops(spec.Kind) {
			f.downtimes[p.Fault].stops(p.Target, p.At)
		}
		if f.cfg.Faults[p.Fault].Repeats() {
			for _, e := range f.feeling(p) {
				f.touch(e, p.At)
			}
		}
	case model.FaultEnded:
		f.strikes[p.Fault].ends(p.At)
		f.instancesFeel(p, -1)
		for _, e := range f.feeling(p) {
			f.letGo(e, p.Target, p.At)
		}
	case model.Started:
		for i := range f.downtimes {
			f.downtimes[i].starts(p.Target, p.At)
		}
		f.awaited = slices.DeleteFunc(f.awaited, func(a awaited) bool {
			if a.target != p.Target {
				return false
			}
			a.effect.awaits--
			f.settle(a.effect, p.At)
			return true
		})
	case model.BytesLost:
		if p.Fault >= 0 && p.Target.ID == 0 {
			for _, e := range f.feeling(p) {
				e.bytesLost += p.Bytes
			}
		}
	}
}

// instancesFeel counts the hands of a strike on producer instances: its target, and those on the other
// side of the fault.
func (f *faultFold) instancesFeel(p *model.ProcessEvent, by int) {
	feel := func(i int) {
		f.instances[i].on += by
		if f.instances[i].on == 0 {
			f.instances[i].free = p.At
		}
	}
	if p.Target.Kind == config.ProducerTarget {
		feel(f.first[p.Target.Index] + p.Target.ID)
	}
	for _, i := range f.across[p.Fault] {
		feel(i)
	}
}
