package experiment

import (
	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// tellers watch some messages of a run beside the fold, each with a storyteller of its own.
type tellers struct {
	model.Observer // the fold
	sc             *scenarios.Scenario
	run            *runner
	list           []*storyteller
	of             map[messageID]*storyteller
	// isolated[group] has, by instance*brokers+broker, the last isolation of each broker in each instance;
	// nil of a group with nothing to tell.
	isolated [][]isolation
	messages []uint64 // by group, so far
}

// isolation is an attempt that isolated its broker.
type isolation struct {
	at, until sim.Time
	outcome   strategy.Outcome
}

// tell has a runner tell the stories of some messages beside its result.
func (r *runner) tell(picks []Pick) *tellers {
	groups := len(r.sc.Config.Producers)
	t := &tellers{
		sc: r.sc, run: r, of: map[messageID]*storyteller{},
		isolated: make([][]isolation, groups), messages: make([]uint64, groups),
	}
	for _, pick := range picks {
		id := messageID{int32(pick.Producer), pick.Message}
		s := t.of[id]
		if s == nil {
			s = newStoryteller(r.sc, pick, r)
			t.of[id] = s
		}
		t.list = append(t.list, s)
		if t.isolated[pick.Producer] == nil {
			t.isolated[pick.Producer] = make([]isolation, s.group().Count*len(r.sc.Config.Brokers))
		}
		s.isolated = t.isolated[pick.Producer]
	}
	r.make = func(cfg config.Config, obs model.Observer) world {
		t.Observer = obs
		w := model.New(cfg, t)
		followed := map[*storyteller]bool{}
		for _, s := range t.list {
			if !followed[s] {
				w.Trace(s.pick.Producer, s.pick.Message, s)
				followed[s] = true
			}
		}
		return w
	}
	return t
}

// Scheduled implements model.Observer.
func (t *tellers) Scheduled(m *model.Message) {
	t.Observer.Scheduled(m)
	t.messages[m.Group]++
	if s := t.teller(m); s != nil {
		s.scheduled(m)
	}
}

// AttemptEnded implements model.Observer.
func (t *tellers) AttemptEnded(a *model.Attempt) {
	t.Observer.AttemptEnded(a)
	if s := t.teller(&a.Message); s != nil {
		s.attemptEnded(a)
	}
}

// Answered implements model.Observer.
func (t *tellers) Answered(a *model.Answer) {
	t.Observer.Answered(a)
	if s := t.teller(&a.Message); s != nil {
		s.answered(a)
	}
}

// CopyStored implements model.Observer.
func (t *tellers) CopyStored(c *model.Copy) {
	t.Observer.CopyStored(c)
	if s := t.teller(&c.Message); s != nil {
		s.stored(c)
	}
}

// FateChanged implements model.Observer.
func (t *tellers) FateChanged(c *model.FateChange) {
	t.Observer.FateChanged(c)
	if s := t.teller(&c.Message); s != nil {
		s.fateChanged(c)
	}
}

// TableChanged implements model.Observer.
func (t *tellers) TableChanged(c *model.TableChange) {
	t.Observer.TableChanged(c)
	if list := t.isolated[c.Group]; list != nil && c.Until > c.At && c.After.Start != c.Before.Start {
		list[int(c.Instance)*len(t.sc.Config.Brokers)+int(c.Broker)] = isolation{c.At, c.Until, c.Outcome}
	}
}

// teller is who tells of a message, nil if nobody does.
func (t *tellers) teller(m *model.Message) *storyteller { return t.of[messageID{m.Group, m.Number}] }

// finish closes the stories; they are in the order of the picks.
func (t *tellers) finish() []result.Story {
	out := make([]result.Story, len(t.list))
	for i, s := range t.list {
		s.finish()
		out[i] = s.story
		out[i].Why = ""
	}
	return out
}
