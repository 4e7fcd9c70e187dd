package experiment

import (
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// happening is what kind of thing one of two runs has told.
type happening uint8

const (
	happensSchedule happening = iota
	happensAttempt
	happensAnswer
	happensFate
	happensTable
)

// fact names a thing that happens in a run, so that the same thing can be found in another.
type fact struct {
	happening
	group int32
	// number is the message's, or of a table the instance; n is the attempt, the fate turn (from and to), or
	// the broker; seq counts the changes of a table entry.
	number uint64
	n, seq int32
}

// telling is what a run has to say of a fact.
type telling struct {
	side int8
	// at is when it was told, began when an attempt began (else at).
	at, began sim.Time
	instance  int32
	// Of attempts and answers. Brokers are those of the differ, not of the run.
	queue    strategy.Queue
	timeout  strategy.Millis
	outcome  strategy.Outcome
	result   strategy.Result
	attempts int32
	// Of a table: until when it refuses (at, if it does not), for how long, and whether the broker is
	// reachable. cause is the message of the attempt that it was told of, if there was one.
	refuses   sim.Duration
	reachable bool
	caused    bool
	cause     uint64
	fate      model.Fate
}

// side is the observer of one of two runs.
type side struct {
	model.NopObserver
	differ  *differ
	number  int8
	cfg     *config.Config
	world   *model.World
	brokers []int32 // by index into the config, those of the differ
	// changes count those of each table entry.
	changes map[fact]int32
	// flying are the messages without an answer, and when they were scheduled.
	flying map[messageID]sim.Time
	// last is the attempt that ended last.
	last model.Attempt
}

func (s *side) tell(f fact, t telling) {
	t.side = s.number
	s.differ.take(f, t)
}

// Scheduled implements model.Observer.
func (s *side) Scheduled(m *model.Message) {
	s.flying[messageID{m.Group, m.Number}] = m.Scheduled
	s.tell(fact{happening: happensSchedule, group: m.Group, number: m.Number},
		telling{at: m.Scheduled, began: m.Scheduled, instance: m.Instance})
}

// AttemptEnded implements model.Observer.
func (s *side) AttemptEnded(a *model.Attempt) {
	s.last = *a
	q := a.Queue
	q.Broker = strategy.Broker(s.brokers[q.Broker])
	s.tell(fact{happening: happensAttempt, group: a.Group, number: a.Number, n: a.Try},
		telling{at: a.Ended, began: a.Began, queue: q, timeout: a.Timeout, outcome: a.Outcome})
}

// Answered implements model.Observer.
func (s *side) Answered(a *model.Answer) {
	delete(s.flying, messageID{a.Group, a.Number})
	res := a.Result
	res.Broker, res.Attempts = strategy.NoBroker, 0 // the attempts have told
	s.tell(fact{happening: happensAnswer, group: a.Group, number: a.Number},
		telling{at: a.At, began: a.At, result: res, attempts: a.Attempts})
}

// FateChanged implements model.Observer.
func (s *side) FateChanged(c *model.FateChange) {
	turn := int32(c.From)<<8 | int32(c.To)
	s.tell(fact{happening: happensFate, group: c.Group, number: c.Number, n: turn},
		telling{at: c.At, began: c.At, fate: c.To})
}

// TableChanged implements model.Observer.
func (s *side) TableChanged(c *model.TableChange) {
	f := fact{happening: happensTable, group: c.Group, number: uint64(c.Instance), n: s.brokers[c.Broker]}
	s.changes[f]++
	t := telling{
		at: c.At, began: c.At, refuses: max(0, c.Until.Sub(c.At)), reachable: c.After.Reachable,
		instance: c.Instance,
	}
	l := &s.last
	if !c.Probe && l.Ended == c.At && l.Group == c.Group && l.Instance == c.Instance &&
		int32(l.Queue.Broker) == c.Broker {
		t.caused, t.cause = true, l.Number
	}
	f.seq = s.changes[f]
	s.tell(f, t)
}
