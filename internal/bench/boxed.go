package main

import (
	"container/heap"
	"time"
)

// handler is what a boxedEvent calls.
type handler interface {
	Handle(kind int, who int)
}

// boxedEvent is an event of the reference for the hold model.
type boxedEvent struct {
	at      time.Duration
	seq     uint64 // breaks ties
	handler handler
	kind    int
	who     int
}

// boxedQueue implements heap.Interface. Like the integers of that package's first example, an event
// is boxed on its way in and on its way out: Push and Pop speak of any.
type boxedQueue []boxedEvent

func (q boxedQueue) Len() int { return len(q) }

func (q boxedQueue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}

func (q boxedQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *boxedQueue) Push(x any) { *q = append(*q, x.(boxedEvent)) }

func (q *boxedQueue) Pop() any {
	old := *q
	n := len(old)
	ev := old[n-1]
	old[n-1] = boxedEvent{} // don't keep its handler alive
	*q = old[:n-1]
	return ev
}

// boxedEngine is a simulator in forty lines.
type boxedEngine struct {
	now   time.Duration
	seq   uint64
	queue boxedQueue
}

// after schedules an event.
func (e *boxedEngine) after(d time.Duration, h handler, kind, who int) {
	e.seq++
	heap.Push(&e.queue, boxedEvent{at: e.now + d, seq: e.seq, handler: h, kind: kind, who: who})
}

// run executes n events, or all if there are fewer.
func (e *boxedEngine) run(n int) {
	for ; n > 0 && len(e.queue) > 0; n-- {
		ev := heap.Pop(&e.queue).(boxedEvent)
		e.now = ev.at
		ev.handler.Handle(ev.kind, ev.who)
	}
}
