package experiment

import (
	"simrun/model"
	"simrun/sim"
)

// ranged is what an expectation with a window of its own counts: the messages scheduled in
// [from, to), wherever phases begin and end, and the attempts that began in it.
type ranged struct {
	from, to sim.Time
	groups   []bool // which producer groups count
	leaf     leaf
	broker   int32 // whose attempts are counted, -1 for none
	// Attempts of all brokers, those to the broker, and the failed ones of those.
	attempts, onBroker, failedOnBroker int64
}

func (r *ranged) holds(m *model.Message) bool {
	return r.from <= m.Scheduled && m.Scheduled < r.to && r.groups[m.Group]
}

func (r *ranged) attempt(a *model.Attempt) {
	if r.broker < 0 || a.Began < r.from || a.Began >= r.to || !r.groups[a.Group] {
		return
	}
	r.attempts++
	if int32(a.Queue.Broker) != r.broker {
		return
	}
	r.onBroker++
	if !answered(a.Outcome) {
		r.failedOnBroker++
	}
}
