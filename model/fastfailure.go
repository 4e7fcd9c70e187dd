package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// sweepPeriod is that of BrokerFastFailure, sweepDelay the time from a start of the process to its
// first run. Source: BrokerFastFailure.start, 4.2.0, 4.9.8 and 5.3.3.
const (
	sweepPeriod = 10 * sim.Millisecond
	sweepDelay  = sim.Second
)

// sweep is the periodic task of BrokerFastFailure. Only those runs are events that may find something.
type sweep struct {
	from    sim.Time // a run of it, the first in this life of the process
	period  sim.Duration
	planned bool
	timer   sim.Timer
}

// next is the first run of the task at or after t.
func (s *sweep) next(t sim.Time) sim.Time {
	if t <= s.from {
		return s.from
	}
	over := t.Sub(s.from) % s.period
	if over == 0 {
		return t
	}
	return t.Add(s.period - over)
}

// planSweep plans the next run of fast failure that may find something in the queue of process p: the
// head too old, or the page cache busy. It is called when the queue gets its first request, and when
// the lock gets into hands that do not say when they let it go.
func (w *World) planSweep(p int32) {
	pr := &w.procs[p]
	cfg := w.brokerConfig(p)
	if !cfg.FastFailure || pr.queue.len() == 0 {
		return
	}
	due := w.requests.items[*pr.queue.head()].arrived.Add(cfg.WaitTimeInQueue)
	if l := &pr.lock; l.held() && cfg.PageCacheBusyTimeout > 0 {
		due = min(due, l.since.Add(cfg.PageCacheBusyTimeout+1))
	}
	w.eng.Stop(pr.sweep.timer)
	at := pr.sweep.next(max(due, w.eng.Now()))
	pr.sweep.planned = true
	pr.sweep.timer = w.eng.StartTimer(at, sim.PrioTimer, w.self, evSweep, uint32(p))
}

// sweepRun is one run of fast failure: while the page cache is busy it empties the queue, then it takes
// from its head what has waited for waitTimeMillsInSendQueue. None of that is stored.
//
// Source: BrokerFastFailure.cleanExpiredRequest and cleanExpiredRequestInQueue, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) sweepRun(p int32) {
	if w.deferWhilePaused(p, evSweep, p) {
		return
	}
	pr := &w.procs[p]
	pr.sweep.planned = false
	for pr.queue.len() > 0 && w.pageCacheBusy(p) {
		w.refuse(p, w.dequeue(pr), strategy.CodeSystemBusy, RefusedPageCacheBusyQueue)
	}
	limit := w.brokerConfig(p).WaitTimeInQueue
	for pr.queue.len() > 0 {
		r := *pr.queue.head()
		if w.eng.Now().Sub(w.requests.items[r].arrived) < limit {
			break
		}
		w.refuse(p, w.dequeue(pr), strategy.CodeSystemBusy, RefusedTimeInQueue)
	}
	w.planSweep(p)
}
