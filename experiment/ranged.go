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
	broker   int32 // which broker is looked at, -1 for none
	row      brokerRow
	sent     int64 // attempts sent to all brokers
	// queues are the attempts sent to each queue, of an expectation on balance.
	queues *queueCounts
}

func (r *ranged) holds(m *model.Message, slot int) bool {
	return r.from <= m.Scheduled && m.Scheduled < r.to && r.slots[slot]
}

// sees says whether it is about a broker, and an instant is in its window.
func (r *ranged) sees(broker int, at sim.Time) bool {
	return int(r.broker) == broker && r.from <= at && at < r.to
}

// rangedLeaves calls tell with the leaf of each range that holds a message of a slot.
func (f *fold) rangedLeaves(m *model.Message, slot int, tell func(*leaf)) {
	for _, r := range f.ranged {
		if r.holds(m, slot) {
			tell(&r.leaf)
		}
	}
}

// rangedAttempt tells all ranges of an attempt for n messages of a slot.
func (f *fold) rangedAttempt(a *model.Attempt, slot int, n int64) {
	for _, r := range f.ranged {
		r.attempt(a, slot, f.slots.list[slot].topic, &f.queues.layout, n)
	}
}

// attempt tells of an attempt for n messages of a slot, and of its topic.
func (r *ranged) attempt(a *model.Attempt, slot, topic int, l *queueLayout, n int64) {
	if a.Began < r.from || a.Began >= r.to || !r.slots[slot] {
		return
	}
	r.leaf.attempt(a, n)
	if !a.Unsent {
		r.sent += n
		if r.queues != nil {
			l.add(r.queues, topic, a, n)
		}
	}
	if int32(a.Queue.Broker) == r.broker {
		r.row.attempt(a, n)
	}
}
