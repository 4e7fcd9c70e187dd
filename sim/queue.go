package sim

// event is an entry of the queue: 24 bytes without pointers, which the garbage
// collector does not scan.
type event struct {
	at      Time
	rank    uint64 // priority in the upper 8 bits, sequence below
	index   uint32
	kind    uint16
	handler HandlerID
}

// sequenceBits is the width of the sequence number in a rank. At 10^7 events per
// second of wall time it lasts for two centuries.
const sequenceBits = 56

// before is the total order of events: (time, priority, sequence). No two events
// have one rank, so one of any two is before the other.
func (a *event) before(b *event) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.rank < b.rank
}

// arity is the number of children of a node. Four halve the depth of a binary
// heap, and four events of 24 bytes lie on two cache lines.
const arity = 4

// queue is a heap of events with the earliest first.
//
// Most events schedule another one, so pop leaves a hole at the root, for push to
// fill: one way down the heap instead of two.
type queue struct {
	events []event
	hole   bool // the root has been popped and not yet been replaced
	stale  int  // entries of stopped timers
}

// top returns the earliest event, or nil. It is valid until the next push or pop.
func (q *queue) top() *event {
	if q.hole {
		q.fill()
	}
	if len(q.events) == 0 {
		return nil
	}
	return &q.events[0]
}

// pop removes and returns the event that top returned.
func (q *queue) pop() event {
	q.hole = true
	return q.events[0]
}

// fill closes the hole with the last event.
func (q *queue) fill() {
	q.hole = false
	n := len(q.events) - 1
	last := q.events[n]
	q.events = q.events[:n]
	if n > 0 {
		q.down(0, last)
	}
}

func (q *queue) push(ev event) {
	if q.hole {
		q.hole = false
		q.down(0, ev)
		return
	}
	q.events = append(q.events, ev)
	q.up(len(q.events)-1, ev)
}

// up puts ev at the free place i or above it.
func (q *queue) up(i int, ev event) {
	h := q.events
	for i > 0 {
		parent := (i - 1) / arity
		if !ev.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = ev
}

// down puts ev at the free place i or below it.
func (q *queue) down(i int, ev event) {
	h := q.events
	for {
		first := arity*i + 1
		if first >= len(h) {
			break
		}
		best := first
		for c := first + 1; c < min(first+arity, len(h)); c++ {
			if h[c].before(&h[best]) {
				best = c
			}
		}
		if !h[best].before(&ev) {
			break
		}
		h[i] = h[best]
		i = best
	}
	h[i] = ev
}

// sweep removes the entries for which keep is false and restores the order of the
// heap.
func (q *queue) sweep(keep func(*event) bool) {
	if q.hole {
		q.fill()
	}
	kept := q.events[:0]
	for i := range q.events {
		if keep(&q.events[i]) {
			kept = append(kept, q.events[i])
		}
	}
	q.events = kept
	for i := (len(kept) - 2) / arity; i >= 0 && len(kept) > 1; i-- {
		q.down(i, kept[i])
	}
}
