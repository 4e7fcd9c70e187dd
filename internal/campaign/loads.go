package main

import (
	"simrun/model"
	"simrun/sim"
)

// loads holds what the brokers say of themselves against their bounds: queues are no longer than they
// may be, no more threads work than there are, and nothing that is counted ever falls.
type loads struct {
	before []model.Load
	at     sim.Time
}

func (l *loads) look(w *watcher) {
	if l.before == nil {
		l.before = make([]model.Load, len(w.cfg.Brokers))
	}
	var stored int64
	span := w.world.Now().Sub(l.at)
	for b := range w.cfg.Brokers {
		cfg, was, is := &w.cfg.Brokers[b], &l.before[b], w.world.Load(b)
		stored += is.Stored
		switch {
		case cfg.QueueCapacity > 0 && is.QueueLength > cfg.QueueCapacity:
			w.fail("queue of a broker", "%s has %d requests, capacity %d", cfg.Name, is.QueueLength,
				cfg.QueueCapacity)
		case is.QueueLength < 0 || is.BusyThreads < 0 || is.BusyThreads > is.Threads:
			w.fail("threads of a broker", "%s: %d of %d busy, %d queued", cfg.Name, is.BusyThreads,
				is.Threads, is.QueueLength)
		case is.Busy < was.Busy || is.Busy-was.Busy > span*sim.Duration(is.Threads):
			w.fail("busy time of a broker", "%s: %v, then %v, with %d threads in %v", cfg.Name, was.Busy,
				is.Busy, is.Threads, span)
		case is.Queued < was.Queued || is.LockWait < was.LockWait || is.Stored < was.Stored:
			w.fail("counters of a broker", "%s: %+v, then %+v", cfg.Name, *was, is)
		}
		for i := range is.Refused {
			if is.Refused[i] < was.Refused[i] {
				w.fail("counters of a broker", "%s: %+v, then %+v", cfg.Name, *was, is)
			}
		}
		l.before[b] = is
		w.exposed(b, is.Stored)
	}
	l.at = w.world.Now()
	if copies := w.copies(); stored != copies {
		w.fail("copies", "brokers have stored %d, told of %d", stored, copies)
	}
}

// exposed holds what is at risk on a broker against what there is.
func (w *watcher) exposed(b int, stored int64) {
	e := w.world.Exposure(b)
	if min(e.UnsyncedBytes, e.SingleBytes, e.Unreadable, e.UnreadableBytes) < 0 ||
		e.Unreadable > stored+1 {
		w.fail("exposure", "%s: %+v of %d copies", w.cfg.Brokers[b].Name, e, stored)
	}
}

// copies is the number of all copies told of.
func (w *watcher) copies() int64 { return w.stored }
