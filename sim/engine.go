package sim

import (
	"fmt"
)

// Priority orders events of one instant: a lower one runs first. The constants
// are the order a model of machines needs; any other value may be used as well.
type Priority uint8

// The order of things that happen at one instant.
const (
	PrioFault   Priority = iota // a machine, disk or link changes its state
	PrioArrival                 // something reaches a host
	PrioTimer                   // a timer goes off
	PrioObserve                 // somebody looks at the state
)

// Handler is told of the events that were scheduled for it.
type Handler interface {
	// Handle is called at the time of the event. The kind says what happens
	// and the index to whom: both are the handler's own numbers, as it gave
	// them when the event was scheduled.
	Handle(kind uint16, index uint32)
}

// HandlerID names a registered [Handler] of one engine. The zero value names
// none.
type HandlerID uint16

// Events that the queue holds for itself use ids from the upper end.
const (
	viaTimer   HandlerID = 0xffff // index is a timer slot
	viaLane    HandlerID = 0xfffe // index is a lane, whose head is due
	maxHandler HandlerID = 0xfff0
)

// DefaultRunawayLimit is the number of events at one instant above which a run
// is taken for an endless loop.
const DefaultRunawayLimit = 10_000_000

// Runaway is the error of a run in which time no longer moves: more events than
// [Engine.RunawayLimit] happened at one instant.
type Runaway struct { //nolint:errname // reads better where it is used
	At      Time      // the instant
	Count   uint64    // how many events happened at it
	Handler HandlerID // whose event was the last
	Kind    uint16    // and its kind
}

func (r *Runaway) Error() string {
	return fmt.Sprintf("sim: %d events at %v and no end of it (the last: handler %d, kind %d)",
		r.Count, r.At, r.Handler, r.Kind)
}

// Engine is a virtual clock and the queue of the events to come. It must be made
// by [New], and is not safe for concurrent use: one simulation is one goroutine.
type Engine struct {
	// RunawayLimit is the number of events that may happen at one instant
	// before RunUntil gives up, at least 1. New sets DefaultRunawayLimit.
	RunawayLimit uint64

	now      Time
	sequence uint64 // of the newest event; the first one gets 1
	executed uint64
	instant  uint64 // the value of executed when the clock last moved
	pending  int    // live events: stopped timers are not among them
	stale    int    // entries of stopped timers in the queue
	halted   bool
	running  bool

	handlers []Handler // by id; the first is a placeholder
	timers   timerTable
	lanes    []*Lane
	funcs    funcTable
	queue    queue // last, for it is large, and what is near is read by shorter code
}

// New returns an engine whose clock stands at zero.
func New() *Engine {
	e := &Engine{RunawayLimit: DefaultRunawayLimit, queue: newQueue()}
	e.handlers = make([]Handler, 1, 8)
	return e
}

// Register gives h an id, for use in events. It panics if h is nil or 65,520
// handlers have been registered before: an id is meant for a kind of actor, whose
// members are told apart by the index.
func (e *Engine) Register(h Handler) HandlerID {
	if h == nil {
		panic("sim: Register of a nil handler")
	}
	id := HandlerID(len(e.handlers))
	if id >= maxHandler {
		panic(fmt.Sprintf("sim: Register of more than %d handlers", maxHandler-1))
	}
	e.handlers = append(e.handlers, h)
	return id
}

// Now returns the current virtual time.
func (e *Engine) Now() Time { return e.now }

// At schedules an event for time t. What is scheduled for [Never] does not
// happen. At panics if t is in the past or no handler has the id h.
func (e *Engine) At(t Time, p Priority, h HandlerID, kind uint16, index uint32) {
	if t == Never {
		return
	}
	e.check(t, h)
	e.queue.push(event{t, e.schedule(p), newAction(h, kind, index)})
}

// After schedules an event d from now. It panics if d is negative or no handler
// has the id h.
func (e *Engine) After(d Duration, p Priority, h HandlerID, kind uint16, index uint32) {
	e.At(e.now.Add(d), p, h, kind, index)
}

// check panics on an event that cannot be scheduled.
func (e *Engine) check(t Time, h HandlerID) {
	if t < e.now || h == 0 || int(h) >= len(e.handlers) {
		e.refuse(t, h)
	}
}

func (e *Engine) refuse(t Time, h HandlerID) {
	if t < e.now {
		panic(fmt.Sprintf("sim: event for %v (handler %d) scheduled at %v, which is later",
			t, h, e.now))
	}
	panic(fmt.Sprintf("sim: event for %v scheduled at %v for handler %d; there are %d",
		t, e.now, h, len(e.handlers)-1))
}

// schedule counts a new event and returns its rank.
func (e *Engine) schedule(p Priority) uint64 {
	e.pending++
	e.sequence++
	return newRank(p, e.sequence)
}

// Step runs the next event. It reports false if there is none.
func (e *Engine) Step() bool {
	e.enter("Step")
	ev, ok := e.next(Never)
	if ok {
		e.execute(ev)
	}
	e.running = false
	return ok
}

// RunUntil runs all events up to and including those at t, and then sets the
// clock to t. With [Never] it runs until no event is left, and the clock stays at
// the last one.
//
// It returns early, with the clock at the last event, when [Engine.Halt] is
// called, and with a [*Runaway] when time stands still. It panics if t is in the
// past or a handler calls it.
func (e *Engine) RunUntil(t Time) error {
	if t < e.now {
		panic(fmt.Sprintf("sim: RunUntil(%v) at %v, which is later", t, e.now))
	}
	e.enter("RunUntil")
	e.halted = false
	for !e.halted {
		ev, ok := e.next(t)
		if !ok {
			if t != Never && t != e.now {
				e.moveTo(t)
			}
			break
		}
		e.execute(ev)
		if n := e.executed - e.instant; n > e.RunawayLimit {
			e.running = false
			return &Runaway{At: e.now, Count: n, Handler: ev.act.handler(), Kind: ev.act.kind()}
		}
	}
	e.running = false
	return nil
}

// Halt makes RunUntil return after the current event. It is for handlers; called
// from elsewhere it does nothing.
func (e *Engine) Halt() { e.halted = true }

// enter guards against a handler that runs the engine that runs it.
func (e *Engine) enter(method string) {
	if e.running {
		panic(fmt.Sprintf("sim: %s called from a handler at %v", method, e.now))
	}
	e.running = true
}

// next takes the next live event at or before limit from the queue.
func (e *Engine) next(limit Time) (event, bool) {
	for {
		ev, ok := e.queue.take(limit)
		if !ok || ev.act.handler() < maxHandler {
			return ev, ok
		}
		if act, live := e.resolve(ev); live {
			ev.act = act
			return ev, true
		}
	}
}

// resolve returns what the timer does that an entry of the queue stands for. It reports
// false if that timer has been stopped.
func (e *Engine) resolve(ev event) (action, bool) {
	if ev.act.handler() == viaLane {
		return e.lanes[ev.act.index()].due(ev.rank)
	}
	act, live := e.timers.fire(ev.act.index(), ev.rank)
	if !live {
		e.stale--
	}
	return act, live
}

// execute runs an event.
func (e *Engine) execute(ev event) {
	if ev.at != e.now {
		e.moveTo(ev.at)
	}
	e.executed++
	e.pending--
	e.handlers[ev.act.handler()].Handle(ev.act.kind(), ev.act.index())
}

// moveTo sets the clock.
func (e *Engine) moveTo(t Time) {
	e.now = t
	e.instant = e.executed
}

// Peek returns the time of the next event, or [Never] and false if there is none.
func (e *Engine) Peek() (Time, bool) {
	for {
		ev, ok := e.queue.first()
		if !ok {
			return Never, false
		}
		if e.isLive(ev) {
			return ev.at, true
		}
		e.queue.take(Never)
		e.resolve(ev)
	}
}

// isLive reports whether an entry of the queue is an event, or a timer that is pending.
func (e *Engine) isLive(ev event) bool {
	switch ev.act.handler() {
	case viaTimer:
		return e.timers.live(ev.act.index(), ev.rank)
	case viaLane:
		head := e.lanes[ev.act.index()].head()
		return head != nil && head.rank == ev.rank
	}
	return true
}

// Executed returns the number of events that have run.
func (e *Engine) Executed() uint64 { return e.executed }

// Pending returns the number of events and timers to come. A stopped timer is
// not counted.
func (e *Engine) Pending() int { return e.pending }
