package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// scanGrace is how long after its time an unanswered asynchronous request is over at the earliest.
//
// Source: NettyRemotingAbstract.scanResponseTable, 4.2.0, 4.9.8 and 5.3.3.
const scanGrace = 1000

// firstScan is how much longer than a period the first scan takes to come, after a client has started.
//
// Source: NettyRemotingClient.start, 4.2.0, 4.9.8 and 5.3.3.
const firstScan = 2000 * sim.Millisecond

// awaitAnswer puts the call of an asynchronous attempt among those whose answer is to come. No timer of
// its own ends it: a scan of all of them does, from time to time. Scans that would find nothing are left
// out.
func (w *World) awaitAnswer(c int32) {
	ca := &w.calls.items[c]
	ac := w.insts[ca.inst].async
	ca.expires = ca.writtenAt + ca.left + scanGrace
	ca.prev, ca.next = ac.tail, none
	if ac.tail == none {
		ac.head = c
	} else {
		w.calls.items[ac.tail].next = c
	}
	ac.tail = c
	if at := w.unclock(ca.inst, ca.expires); ac.scanAt == 0 || at <= ac.scanBefore {
		w.planScan(ca.inst, at)
	}
}

// unwait takes a call out of those whose answer is to come.
func (w *World) unwait(c int32) {
	ca := &w.calls.items[c]
	ac := w.insts[ca.inst].async
	if ca.prev == none {
		ac.head = ca.next
	} else {
		w.calls.items[ca.prev].next = ca.next
	}
	if ca.next == none {
		ac.tail = ca.prev
	} else {
		w.calls.items[ca.next].prev = ca.prev
	}
}

// planScan plans the first scan of an instance that runs no sooner than a time. Each runs a little late, as
// its thread wakes late; so one that has just begun something without any time may find it over a second
// later, or not yet.
func (w *World) planScan(i int32, notBefore sim.Time) {
	ac := w.insts[i].async
	every := sim.Time(w.insts[i].g.client.ScanEvery)
	k := max(0, notBefore-sim.Time(ac.phase)) / every
	at := w.scanTime(i, k)
	if at < notBefore {
		k++
		at = w.scanTime(i, k)
	}
	w.eng.Stop(ac.scan)
	ac.scanAt, ac.scanBefore = at, w.scanTime(i, k-1)
	ac.scan = w.eng.StartTimer(at, sim.PrioTimer, w.self, evResponseScan, uint32(i))
}

// scanTime is when the k-th scan of an instance runs.
func (w *World) scanTime(i int32, k sim.Time) sim.Time {
	in := &w.insts[i]
	g := in.g
	at := sim.Time(in.async.phase) + k*sim.Time(g.client.ScanEvery)
	return at.Add(w.sample(&g.wakeup, drawScan, in.origin.owner, uint64(k), 0))
}

// scanResponses ends the asynchronous calls of an instance whose time is over. It closes no connection.
//
// Source: NettyRemotingAbstract.scanResponseTable, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) scanResponses(i int32) {
	ac := w.insts[i].async
	ac.scan, ac.scanAt = sim.Timer{}, 0
	now := w.clock(i)
	earliest := strategy.Millis(0)
	for c := ac.head; c != none; {
		ca := &w.calls.items[c]
		next := ca.next
		switch {
		case ca.expires <= now:
			w.traceCall(c, ScanFound)
			w.clientDone(ca.request)
			ca.request = none
			w.unwait(c)
			w.callBack(ca.send, strategy.Outcome{Kind: strategy.OutcomeTimeout})
		case earliest == 0 || ca.expires < earliest:
			earliest = ca.expires
		}
		c = next
	}
	if earliest > 0 {
		w.planScan(i, w.unclock(i, earliest))
	}
	w.drain(&ac.callbacks)
}
