package sim

// Timer names an event that can be stopped. The zero value names none. A timer is never
// taken for a later one, however long it is kept: it carries the sequence number of its
// event, which no other event of the engine has.
type Timer struct {
	rank uint64
	slot uint32
}

// StartTimer schedules an event for time t, as [Engine.At] does, and returns a timer
// that can stop it. The timer of an event at [Never] is zero.
func (e *Engine) StartTimer(t Time, p Priority, h HandlerID, kind uint16, index uint32) Timer {
	if t == Never {
		return Timer{}
	}
	e.check(t, h)
	rank := e.schedule(p)
	slot := e.timers.start(rank, newAction(h, kind, index), noLane)
	e.queue.push(event{t, rank, newAction(viaTimer, 0, slot)})
	return Timer{rank, slot}
}

// Stop prevents the event of t. It reports whether t was pending: stopping a timer that
// has fired, has been stopped, or is zero does nothing.
func (e *Engine) Stop(t Timer) bool {
	if !e.timers.live(t.slot, t.rank) {
		return false
	}
	e.pending--
	if e.timers.release(t.slot) != noLane {
		return true // its lane will see to it
	}
	// The entry of a stopped timer stays in the queue until its time comes. When more
	// than half of the queue is such, it is swept.
	e.stale++
	if e.stale > sweepMin && e.stale > e.pending {
		e.queue.sweep(func(ev event) bool {
			return ev.act.handler() != viaTimer || e.timers.live(ev.act.index(), ev.rank)
		})
		e.stale = 0
	}
	return true
}

// sweepMin is the number of stale entries below which sweeping isn't worth it.
const sweepMin = 256

// timerTable holds what the pending timers stand for. The entry of a timer in the queue
// or a lane has the number of a slot here and the timer's rank; it is stale when the
// slot no longer has that rank. So the slot is free again as soon as the timer is
// stopped, and the table stays as small as the number of pending timers.
type timerTable struct {
	slots []timerSlot
	free  uint32 // 1 + the first free slot; 0 if there is none
}

type timerSlot struct {
	rank uint64 // of the pending timer; 0 if the slot is free
	act  action
	lane uint32 // 1 + the lane that holds the timer's entry; noLane if the queue does
	next uint32 // of a free slot: the rest of the free list
}

const noLane = 0

// start takes a slot for a timer and returns its number.
func (tt *timerTable) start(rank uint64, act action, lane uint32) uint32 {
	if tt.free == 0 {
		tt.slots = append(tt.slots, timerSlot{rank: rank, act: act, lane: lane})
		return uint32(len(tt.slots) - 1)
	}
	slot := tt.free - 1
	s := &tt.slots[slot]
	tt.free = s.next
	s.rank, s.act, s.lane = rank, act, lane
	return slot
}

// live reports whether the timer of that slot and rank is pending.
func (tt *timerTable) live(slot uint32, rank uint64) bool {
	return rank != 0 && int(slot) < len(tt.slots) && tt.slots[slot].rank == rank
}

// release frees a slot and returns the lane of its timer.
func (tt *timerTable) release(slot uint32) (lane uint32) {
	s := &tt.slots[slot]
	s.rank, s.next = 0, tt.free
	tt.free = slot + 1
	return s.lane
}

// fire frees the slot of a pending timer and returns what it does. It reports false if
// the timer has been stopped.
func (tt *timerTable) fire(slot uint32, rank uint64) (action, bool) {
	if !tt.live(slot, rank) {
		return 0, false
	}
	tt.release(slot)
	return tt.slots[slot].act, true
}
