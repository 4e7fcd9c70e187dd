package sim

// queue holds the events to come and gives them back in their order. A moment, the
// edge, divides them. Those up to and including it are few and completely sorted;
// those after it are many and only roughly sorted, by the wheel. When the near ones have
// run out, the first slot of the wheel is poured out and the edge moves behind it.
//
// So an event is written a few times, wherever it belongs by its time, and then compared
// with a few neighbours only: the cost hardly grows with the number of events. As long as
// there are few, the edge is Never and the wheel empty.
//
// Source: the idea of a sorted bottom below unsorted rungs is that of Tang, Goh, Thng:
// Ladder queue (2005).
type queue struct {
	edge Time

	// The near events are in run, from head on, earliest first. If there are too many
	// for that, since much happens at one instant, the others are in crowd.
	run   []event
	head  int
	crowd heap

	// When crowd is larger than crowdMax, the edge moves back, but not below floor: that
	// and the edge are in one slot, now empty, of the wheel as it was divided last, so
	// for all that is in the wheel they make no difference.
	floor    Time
	crowdMax int

	wheel wheel
}

const (
	// runMax is the number of events up to which inserting into a sorted array is
	// cheaper than anything more clever.
	runMax = 64
	// pourMax is the number of events up to which a slot of the wheel is poured out
	// as it is; a larger one is split first.
	pourMax = 32
)

func newQueue() queue {
	return queue{edge: Never, run: make([]event, 0, 2*runMax), crowdMax: runMax}
}

// push adds an event.
func (q *queue) push(ev event) {
	switch {
	case ev.at > q.edge:
		q.wheel.add(ev, q.edge)
	case len(q.run)-q.head < runMax:
		q.insert(ev)
	default:
		q.join(ev)
	}
}

// take removes the earliest event and returns it, if it is not after limit.
func (q *queue) take(limit Time) (event, bool) {
	if len(q.crowd) > 0 || q.head == len(q.run) {
		return q.takeAny(limit)
	}
	ev := q.run[q.head]
	if ev.at > limit {
		return event{}, false
	}
	q.head++
	return ev, true
}

// takeAny is take when there is a crowd, or nothing near.
func (q *queue) takeAny(limit Time) (event, bool) {
	if q.head == len(q.run) && len(q.crowd) == 0 && !q.pour(limit) {
		return event{}, false
	}
	if q.head < len(q.run) {
		ev := q.run[q.head]
		if len(q.crowd) == 0 || ev.before(q.crowd[0]) {
			if ev.at > limit {
				return event{}, false
			}
			q.head++
			return ev, true
		}
	}
	if q.crowd[0].at > limit {
		return event{}, false
	}
	return q.crowd.pop(), true
}

// first returns the earliest event, which stays.
func (q *queue) first() (event, bool) {
	if q.head == len(q.run) && len(q.crowd) == 0 && !q.pour(Never) {
		return event{}, false
	}
	if q.head == len(q.run) || len(q.crowd) > 0 && q.crowd[0].before(q.run[q.head]) {
		return q.crowd[0], true
	}
	return q.run[q.head], true
}

// join adds an event to the crowd.
func (q *queue) join(ev event) {
	q.crowd.push(ev)
	if len(q.crowd) > q.crowdMax {
		q.disperse()
	}
}

// insert adds an event to run. A model has many periodic events far ahead and a few at hand, so
// its place is mostly close to one of the ends: it is looked for from the nearer one, and the
// events on that side make room.
func (q *queue) insert(ev event) {
	if q.head > 0 && q.head < len(q.run) {
		a := q.run[q.head-1:] // the first place is free
		if ev.before(a[len(a)/2]) {
			q.head--
			i := 1
			for ; i < len(a) && a[i].before(ev); i++ {
				a[i-1] = a[i]
			}
			a[i-1] = ev
			return
		}
	}
	q.insertBack(ev)
}

// insertBack moves the events after ev one place towards the end.
func (q *queue) insertBack(ev event) {
	if len(q.run) == cap(q.run) {
		n := copy(q.run, q.run[q.head:])
		q.run, q.head = q.run[:n], 0
	}
	i := len(q.run)
	a := q.run[:i+1]
	for ; i > q.head; i-- {
		prev := a[i-1]
		if prev.before(ev) {
			break
		}
		a[i] = prev
	}
	a[i] = ev
	q.run = a
}

// pour gets near events from the wheel when there are none. It reports false if there
// are none up to and including limit in the wheel either; then the edge stays, so that
// what is scheduled for the time between can still go to the wheel.
func (q *queue) pour(limit Time) bool {
	w := &q.wheel
	q.run, q.head = q.run[:0], 0
	for len(q.run) == 0 {
		if w.empty() {
			return false
		}
		at := w.first()
		start, end := at.span(q.edge)
		if start > limit {
			return false
		}
		s := w.take(at)
		q.floor = start
		if s.count <= pourMax {
			q.edge = end
		} else {
			q.edge = start // the slot is split: what is after its start is put back
		}
		for c := s.head; c != nil; c = w.release(c) {
			for i := range c.n {
				q.push(c.events[i])
			}
		}
	}
	if w.empty() {
		q.edge = Never
	}
	q.crowdMax = max(runMax, 2*len(q.crowd))
	return true
}

// disperse moves the edge back to the first event, or as far as it may, and what comes
// after it to the wheel. If everything happens at one instant, nothing changes, and the
// crowd must double before that is tried again.
func (q *queue) disperse() {
	first, _ := q.first()
	edge := max(first.at, q.floor)
	if edge < q.edge {
		q.edge, q.floor = edge, edge
		n := len(q.run)
		for ; n > q.head && q.run[n-1].at > edge; n-- {
			q.wheel.add(q.run[n-1], edge)
		}
		q.run = q.run[:n]
		q.crowd.filter(func(ev event) bool {
			if ev.at > edge {
				q.wheel.add(ev, edge)
			}
			return ev.at <= edge
		})
	}
	q.crowdMax = max(runMax, 2*len(q.crowd))
}

// sweep removes the events for which keep is false.
func (q *queue) sweep(keep func(event) bool) {
	kept := q.run[:q.head]
	for _, ev := range q.run[q.head:] {
		if keep(ev) {
			kept = append(kept, ev)
		}
	}
	q.run = kept
	q.crowd.filter(keep)
	q.wheel.filter(keep, q.edge)
}
