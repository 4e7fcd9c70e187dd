package sim

// Lane holds timers of nearly equal delay, nearly all of which get stopped, such as the
// timeouts of requests. They are started in the order in which they would fire, so a
// ring keeps them sorted, and however many are pending, a start costs the same.
//
// A lane changes no order: its timers fire among the other events of the engine as if
// [Engine.StartTimer] had started them.
type Lane struct {
	e  *Engine
	id uint32

	ring  []laneEntry // its length is a power of two
	first uint32      // the place of the oldest entry, modulo the length
	count uint32      // entries, stale ones among them

	// The lane has at most one entry of its own in the queue. It is not after the first
	// pending timer of the ring; armed says that it is there.
	armed  bool
	newest laneEntry // the last to enter the ring
}

// laneEntry is that of a timer. It is stale when the timer has been stopped.
type laneEntry struct {
	at   Time
	rank uint64
	slot uint32
}

// laneMin is the length of a new ring.
const laneMin = 64

// NewLane returns an empty lane.
func (e *Engine) NewLane() *Lane {
	l := &Lane{e: e, id: uint32(len(e.lanes)), ring: make([]laneEntry, laneMin)}
	e.lanes = append(e.lanes, l)
	return l
}

// Start schedules an event for time t and returns a timer for it, as
// [Engine.StartTimer] does. It is cheap if t is not before that of the timer which was
// started last; else the timer goes to the queue of the engine.
func (l *Lane) Start(t Time, p Priority, h HandlerID, kind uint16, index uint32) Timer {
	e := l.e
	if t == Never || l.armed && !l.isNewest(t, p) {
		return e.StartTimer(t, p, h, kind, index)
	}
	e.check(t, h)
	rank := e.schedule(p)
	slot := e.timers.start(rank, newAction(h, kind, index), l.id+1)
	l.newest = laneEntry{t, rank, slot}
	l.append(l.newest)
	if !l.armed {
		l.arm(l.newest)
	}
	return Timer{rank, slot}
}

// isNewest reports whether an event at t, scheduled now, comes after all of the ring.
func (l *Lane) isNewest(t Time, p Priority) bool {
	if t != l.newest.at {
		return t > l.newest.at
	}
	return uint64(p) >= l.newest.rank>>sequenceBits
}

// arm puts an entry for the timer of le into the queue.
func (l *Lane) arm(le laneEntry) {
	l.armed = true
	l.e.queue.push(event{le.at, le.rank, newAction(viaLane, 0, l.id)})
}

// append adds an entry to the ring.
func (l *Lane) append(le laneEntry) {
	if int(l.count) == len(l.ring) {
		l.makeRoom()
	}
	*l.entry(l.count) = le
	l.count++
}

// entry returns the ith entry of the ring, or the place for it.
func (l *Lane) entry(i uint32) *laneEntry {
	return &l.ring[(l.first+i)&uint32(len(l.ring)-1)]
}

// makeRoom drops the stale entries of a full ring, and doubles it if more than half
// were pending.
func (l *Lane) makeRoom() {
	live := uint32(0)
	for i := range l.count {
		le := *l.entry(i)
		if l.e.timers.live(le.slot, le.rank) {
			*l.entry(live) = le
			live++
		}
	}
	l.count = live
	if int(live) <= len(l.ring)/2 {
		return
	}
	bigger := make([]laneEntry, 2*len(l.ring))
	for i := range live {
		bigger[i] = *l.entry(i)
	}
	l.ring, l.first = bigger, 0
}

// head drops stale entries from the front and returns the first pending one, or nil.
func (l *Lane) head() *laneEntry {
	for ; l.count > 0; l.first, l.count = l.first+1, l.count-1 {
		if le := l.entry(0); l.e.timers.live(le.slot, le.rank) {
			return le
		}
	}
	return nil
}

// due is called when the lane's entry, of the given rank, leaves the queue. It returns
// what the first pending timer does, if the entry stood for that one; else the timer it
// stood for has been stopped. The lane then gets an entry for what comes next.
func (l *Lane) due(rank uint64) (act action, fired bool) {
	l.armed = false
	if le := l.head(); le != nil && le.rank == rank {
		act, fired = l.e.timers.fire(le.slot, le.rank)
	}
	if le := l.head(); le != nil {
		l.arm(*le)
	}
	return act, fired
}
