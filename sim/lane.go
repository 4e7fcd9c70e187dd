package sim

// Lane is a queue for timers of nearly equal delay which nearly all get stopped,
// such as the timeouts of requests. They are started in the order in which they
// would fire, so a ring holds them without a heap, and a start costs the same
// however many are pending.
//
// Order among all events of the engine is kept: a lane's timers fire as if they
// had been started by [Engine.StartTimer].
type Lane struct {
	e  *Engine
	id uint32

	ring  []event // the length is a power of two; index is a timer slot
	first uint32  // place of the oldest entry, modulo the length of the ring
	count uint32  // entries in the ring, stopped ones among them

	// The lane's own entry in the heap is due no later than its first live
	// timer; armed says that there is one.
	armed  bool
	newest event // the latest that was put into the ring since it was armed
}

// laneMin is the length of a new ring.
const laneMin = 64

// NewLane returns an empty lane.
func (e *Engine) NewLane() *Lane {
	l := &Lane{e: e, id: uint32(len(e.lanes)), ring: make([]event, laneMin)}
	e.lanes = append(e.lanes, l)
	return l
}

// Start schedules an event for time t, as [Engine.StartTimer] does. It is cheap
// if t is not earlier than the lane's newest timer; else the timer goes to the
// engine's heap.
func (l *Lane) Start(t Time, p Priority, h HandlerID, kind uint16, index uint32) Timer {
	e := l.e
	if t == Never {
		return Timer{}
	}
	e.check(t, h)
	ev := event{at: t, rank: uint64(p)<<sequenceBits | (e.sequence + 1)}
	if l.armed && ev.before(&l.newest) {
		return e.StartTimer(t, p, h, kind, index)
	}
	e.sequence++
	e.pending++
	tm := e.timers.start(ev.rank, l.id, h, kind, index)
	ev.index = tm.slot
	l.newest = ev
	if !l.armed {
		l.arm(&ev)
	}
	l.append(ev)
	return tm
}

// arm puts an entry for the timer ev into the heap.
func (l *Lane) arm(ev *event) {
	l.armed = true
	l.e.queue.push(event{ev.at, ev.rank, l.id, 0, viaLane})
}

func (l *Lane) append(ev event) {
	if int(l.count) == len(l.ring) {
		l.makeRoom()
	}
	mask := uint32(len(l.ring) - 1)
	l.ring[(l.first+l.count)&mask] = ev
	l.count++
}

// makeRoom drops the stopped timers from a full ring, and doubles it if more than
// half were live.
func (l *Lane) makeRoom() {
	mask := uint32(len(l.ring) - 1)
	live := uint32(0)
	for i := range l.count {
		ev := &l.ring[(l.first+i)&mask]
		if l.e.timers.live(ev.index, ev.rank) {
			l.ring[(l.first+live)&mask] = *ev
			live++
		}
	}
	l.count = live
	if int(live) <= len(l.ring)/2 {
		return
	}
	bigger := make([]event, 2*len(l.ring))
	n := copy(bigger, l.ring[l.first&mask:])
	copy(bigger[n:], l.ring[:l.first&mask])
	l.ring, l.first = bigger, 0
}

// head drops stopped timers and returns the first live one, or nil.
func (l *Lane) head() *event {
	mask := uint32(len(l.ring) - 1)
	for l.count > 0 {
		ev := &l.ring[l.first&mask]
		if l.e.timers.live(ev.index, ev.rank) {
			return ev
		}
		l.first++
		l.count--
	}
	return nil
}

// headIs reports whether the first live timer has that rank.
func (l *Lane) headIs(rank uint64) bool {
	head := l.head()
	return head != nil && head.rank == rank
}

// due is called with the lane's entry when that leaves the heap. If the first live
// timer is the one the entry stands for, due turns the entry into its event. In
// any case the lane gets an entry for what comes next.
func (l *Lane) due(ev *event) bool {
	l.armed = false
	fired := l.headIs(ev.rank)
	if fired {
		ev.index = l.ring[l.first&uint32(len(l.ring)-1)].index
		l.e.timers.fire(ev)
	}
	if next := l.head(); next != nil {
		l.arm(next)
	}
	return fired
}
