package sim

// Timer names an event that can be stopped. The zero value names none. A timer
// is never confused with a later one: it carries the sequence number of its
// event, which no other event of the engine has.
type Timer struct {
	rank uint64
	slot uint32
}

// StartTimer schedules an event for time t, as [Engine.At] does, and returns a
// timer that can stop it.
func (e *Engine) StartTimer(t Time, p Priority, h HandlerID, kind uint16, index uint32) Timer {
	if t == Never {
		return Timer{}
	}
	e.check(t, h)
	e.pending++
	tm := e.timers.start(e.nextRank(p), noLane, h, kind, index)
	e.queue.push(event{t, tm.rank, tm.slot, 0, viaTimer})
	return tm
}

// Stop prevents the event of t. It reports whether t was pending: stopping a
// timer that has fired, has been stopped, or is zero does nothing.
func (e *Engine) Stop(t Timer) bool {
	if !e.timers.live(t.slot, t.rank) {
		return false
	}
	lane := e.timers.free(t.slot)
	e.pending--
	if lane != noLane {
		return true // a lane sweeps itself when it is full
	}
	// The entry of a stopped timer stays in the heap until its time comes or
	// more than half of the heap is stale; then all of them go at once.
	e.queue.stale++
	if e.queue.stale > sweepMin && e.queue.stale > len(e.queue.events)/2 {
		e.queue.sweep(func(ev *event) bool {
			return ev.handler != viaTimer || e.timers.live(ev.index, ev.rank)
		})
		e.queue.stale = 0
	}
	return true
}

// sweepMin is the number of stale entries below which sweeping isn't worth it.
const sweepMin = 64

// noLane is the lane of a timer whose entry is in the heap.
const noLane = ^uint32(0)

// timerTable holds what the pending timers stand for. The entry of a timer in the
// heap or a lane has the number of a slot here and the timer's rank; it is stale
// when the slot no longer has that rank. So a slot is free for reuse at once
// when its timer is stopped, and the table is as small as the number of pending
// timers.
type timerTable struct {
	slots    []timerSlot
	freeList uint32 // 1 + the first free slot, 0 if there is none
}

type timerSlot struct {
	rank    uint64 // of the pending timer; 0 if the slot is free
	index   uint32 // of its event; of a free slot, the rest of the free list
	kind    uint16
	handler HandlerID
	lane    uint32
}

// start takes a slot for a timer.
func (tt *timerTable) start(
	rank uint64, lane uint32, h HandlerID, kind uint16, index uint32,
) Timer {
	slot := tt.freeList
	if slot == 0 {
		tt.slots = append(tt.slots, timerSlot{})
		slot = uint32(len(tt.slots))
	} else {
		tt.freeList = tt.slots[slot-1].index
	}
	slot--
	tt.slots[slot] = timerSlot{rank, index, kind, h, lane}
	return Timer{rank, slot}
}

// live reports whether the timer of that slot and rank is pending.
func (tt *timerTable) live(slot uint32, rank uint64) bool {
	return rank != 0 && int(slot) < len(tt.slots) && tt.slots[slot].rank == rank
}

// free gives a slot back and returns the lane of its timer.
func (tt *timerTable) free(slot uint32) uint32 {
	s := &tt.slots[slot]
	s.rank = 0
	s.index = tt.freeList
	tt.freeList = slot + 1
	return s.lane
}

// fire turns the entry of a pending timer into its event. It reports false if the
// timer has been stopped.
func (tt *timerTable) fire(ev *event) bool {
	slot := ev.index
	if !tt.live(slot, ev.rank) {
		return false
	}
	s := &tt.slots[slot]
	ev.index, ev.kind, ev.handler = s.index, s.kind, s.handler
	tt.free(slot)
	return true
}
