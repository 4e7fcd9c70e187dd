package experiment

import (
	"simrun/model"
	"simrun/sim"
)

// ranged is what an expectation with a window of its own counts: the messages scheduled in
// [from, to), wherever phases begin and end, and the attempts that began in it.
type ranged struct {
	from, to sim.Time
	slots    []bool // which slots count
	leaf     leaf
	broker   int32 // whose attempts are counted, -1 for none
	// Attempts sent to all brokers, those sent to the broker, those made, and the failed ones of them.
	attempts, onBroker, madeOnBroker, failedOnBroker int64
}

func (r *ranged) holds(m *model.Message, slot int) bool {
	return r.from <= m.Scheduled && m.Scheduled < r.to && r.slots[slot]
}

// attempt tells of an attempt for n messages of a slot.
func (r *ranged) attempt(a *model.Attempt, slot int, n int64) {
	if a.Began < r.from || a.Began >= r.to || !r.slots[slot] {
		return
	}
	r.leaf.attempt(a, n)
	if r.broker < 0 {
		return
	}
	sent := n
	if a.Unsent {
		sent = 0
	}
	r.attempts += sent
	if int32(a.Queue.Broker) != r.broker {
		return
	}
	r.onBroker += sent
	r.madeOnBroker += n
	if !succeeded(a.Outcome) {
		r.failedOnBroker += n
	}
}
