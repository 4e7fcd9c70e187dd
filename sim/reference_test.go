package sim

import (
	"cmp"
	"fmt"
	"slices"
)

// A reference is a simulator that is too simple to be wrong: a slice of everything that
// is pending. It is given the same events as an engine, which is then asked whether it
// runs them in the same order.
type reference struct {
	engine *Engine
	id     HandlerID
	lanes  []*Lane

	now     Time
	pending []refEvent
	made    uint32 // events so far; an event's index is the value before it was made
	timers  []refTimer
	errors  []string

	// during is called by each event, and may schedule and stop.
	during func()
}

type refEvent struct {
	at    Time
	prio  Priority
	index uint32 // its order of creation, and so the sequence
}

type refTimer struct {
	timer Timer
	index uint32
}

func newReference(lanes int) *reference {
	r := &reference{engine: New(), during: func() {}}
	r.id = r.engine.Register(r)
	for range lanes {
		r.lanes = append(r.lanes, r.engine.NewLane())
	}
	return r
}

// refKind is derived from the index, to see that both arrive together.
func refKind(index uint32) uint16 { return uint16(index * 7) }

// next notes a new event and returns its index.
func (r *reference) next(t Time, p Priority) uint32 {
	index := r.made
	r.made++
	r.pending = append(r.pending, refEvent{t, p, index})
	return index
}

func (r *reference) at(t Time, p Priority) {
	i := r.next(t, p)
	r.engine.At(t, p, r.id, refKind(i), i)
}

func (r *reference) start(t Time, p Priority) {
	i := r.next(t, p)
	r.timers = append(r.timers, refTimer{r.engine.StartTimer(t, p, r.id, refKind(i), i), i})
}

func (r *reference) startIn(lane int, t Time, p Priority) {
	i := r.next(t, p)
	l := r.lanes[lane%len(r.lanes)]
	r.timers = append(r.timers, refTimer{l.Start(t, p, r.id, refKind(i), i), i})
}

// stop stops one of the timers made so far, which may have fired or be stopped.
func (r *reference) stop(n int) {
	if len(r.timers) == 0 {
		return
	}
	t := r.timers[n%len(r.timers)]
	i := slices.IndexFunc(r.pending, func(ev refEvent) bool { return ev.index == t.index })
	if i >= 0 {
		r.pending = slices.Delete(r.pending, i, i+1)
	}
	if got := r.engine.Stop(t.timer); got != (i >= 0) {
		r.failf("Stop(event %d) = %v at %v", t.index, got, r.now)
	}
}

// Handle checks that the event is the one whose turn it is.
func (r *reference) Handle(kind uint16, index uint32) {
	if len(r.pending) == 0 {
		r.failf("event %d came at %v, and none was pending", index, r.engine.Now())
		return
	}
	i := 0
	for k, ev := range r.pending {
		if ev.before(r.pending[i]) {
			i = k
		}
	}
	want := r.pending[i]
	r.pending = slices.Delete(r.pending, i, i+1)
	r.now = want.at
	if index != want.index || kind != refKind(index) || r.engine.Now() != want.at {
		r.failf("event %d (kind %d) came at %v, want %+v", index, kind, r.engine.Now(), want)
	}
	r.during()
	r.checkPending()
}

// before is written as the documentation has it.
func (a refEvent) before(b refEvent) bool {
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.prio != b.prio:
		return a.prio < b.prio
	}
	return a.index < b.index
}

func (r *reference) runUntil(t Time) {
	if err := r.engine.RunUntil(t); err != nil {
		r.failf("RunUntil(%v): %v", t, err)
	}
	if t != Never {
		r.now = t
	}
	for _, ev := range r.pending {
		if ev.at <= r.now {
			r.failf("RunUntil(%v) left %+v", t, ev)
		}
	}
	if r.engine.Now() != r.now {
		r.failf("Now is %v after RunUntil(%v), want %v", r.engine.Now(), t, r.now)
	}
}

func (r *reference) step() {
	want := len(r.pending) > 0
	if got := r.engine.Step(); got != want {
		r.failf("Step is %v at %v, want %v", got, r.now, want)
	}
}

func (r *reference) peek() {
	got, ok := r.engine.Peek()
	if ok != (len(r.pending) > 0) {
		r.failf("Peek found an event: %v; %d are pending", ok, len(r.pending))
		return
	}
	if !ok {
		return
	}
	want := slices.MinFunc(r.pending, func(a, b refEvent) int { return cmp.Compare(a.at, b.at) })
	if got != want.at {
		r.failf("Peek says %v, the next event is %+v", got, want)
	}
}

func (r *reference) checkPending() {
	if got := r.engine.Pending(); got != len(r.pending) {
		r.failf("Pending is %d at %v, want %d", got, r.now, len(r.pending))
	}
}

func (r *reference) failf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
