package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// accept is a request read from the socket by a running process. Heartbeats and probes have pools of
// their own and are answered at once, as lookups are by a name server.
func (w *World) accept(p, r int32) {
	q := &w.requests.items[r]
	if q.msg == none {
		if n := w.procs[p].nameServer; n != none {
			w.answerLookup(n, r)
		}
		q.outcome = strategy.Outcome{Kind: strategy.OutcomeOK}
		w.respond(r)
		return
	}
	pr := &w.procs[p]
	q.arrived = w.eng.Now()
	if pr.busy < int32(w.brokerConfig(p).SendThreads) {
		w.serve(p, r)
		return
	}
	w.traceRequest(r, Queued, 0, int32(pr.queue.len()))
	pr.queue.push(r)
}

// serve gives a request to a send thread.
func (w *World) serve(p, r int32) {
	w.procs[p].busy++
	w.traceRequest(r, Accepted, 0, 0)
	if w.absent && w.makesTopic(p, r) {
		return
	}
	w.beginService(p, r)
}

func (w *World) beginService(p, r int32) {
	pr, q := &w.procs[p], &w.requests.items[r]
	b := pr.broker
	m := &w.msgs.items[q.msg]
	d := w.sample(&w.dists[b].service, drawService, uint64(m.Group), m.Number, uint64(q.attempt))
	if factor, delay := w.slowness(p); factor != 1 || delay != 0 {
		d = slowed(d, factor, delay)
	}
	q.pausedBefore = pr.pausedTotal
	w.eng.After(d, sim.PrioTimer, w.self, evServed, uint32(r))
}

// slowed is a service time under slow faults. Beyond a year it does not matter how long.
func slowed(d sim.Duration, factor float64, delay sim.Duration) sim.Duration {
	return sim.Duration(min(float64(d)*factor, float64(maxDelay))) + delay
}

// served is a send thread done with a request: the message is in the page cache now.
func (w *World) served(r int32) {
	q := &w.requests.items[r]
	b := w.chans[q.channel].broker
	p := w.firstProc[b]
	pr := &w.procs[p]
	if pr.epoch != q.epoch {
		w.drop(r)
		return
	}
	behind := pr.pausedTotal - q.pausedBefore // what pauses took from it
	if pr.stopped() {
		left := behind + w.eng.Now().Sub(pr.pausedAt)
		w.traceRequest(r, Frozen, 0, 0)
		pr.frozen = append(pr.frozen, frozenService{r, left})
		return
	}
	if behind > 0 {
		q.pausedBefore = pr.pausedTotal
		w.eng.After(behind, sim.PrioTimer, w.self, evServed, uint32(r))
		return
	}
	w.appendMessage(b, r)
	if !q.holds {
		w.freeSendThread(p)
	}
}

// appendMessage appends to the commit log and answers, or makes the answer wait for what has to follow:
// the disk, slaves.
//
// Source: CommitLog.putMessage, 4.6.1 (the waits follow each other, in the send thread);
// CommitLog.asyncPutMessage, 4.9.8 and 5.3.3 (they run side by side and hold no send thread).
func (w *World) appendMessage(b, r int32) {
	q := &w.requests.items[r]
	p := w.firstProc[b]
	pr := &w.procs[p]
	q.end = w.appendToLog(b, q.msg, q.attempt)
	q.disk, q.replica = strategy.OutcomeOK, strategy.OutcomeOK
	q.waits = 0
	if w.brokerConfig(p).Flush == SyncFlush {
		q.waits = waitDisk
	}
	if (q.waits == 0 || !pr.profile.waitsInTurn) && w.awaitReplica(p, r, q.end) {
		q.waits |= waitReplica
	}
	if q.waits&waitDisk != 0 {
		w.traceRequest(r, AwaitsFsync, 0, 0)
		w.awaitFsync(p, r)
	}
	if q.waits == 0 {
		w.answer(p, r)
		return
	}
	q.holds = !pr.profile.asyncPut
}

// wait is something that the answer to an appended message waits for; several are a set.
type wait uint8

const (
	waitDisk    wait = 1 << iota // the fsync that covers it
	waitReplica                  // slaves' acknowledgements
)

// waitDone is the end of one of the waits of a request, and how it ended. The last one answers.
func (w *World) waitDone(r int32, which wait, how strategy.OutcomeKind) {
	q := &w.requests.items[r]
	p := w.firstProc[w.chans[q.channel].broker]
	if which == waitDisk {
		q.disk = how
	} else {
		q.replica = how
	}
	q.waits &^= which
	if which == waitDisk && w.procs[p].profile.waitsInTurn && w.awaitReplica(p, r, q.end) {
		q.waits |= waitReplica
	}
	if q.waits == 0 {
		w.answer(p, r)
	}
}

// dropWait forgets one wait of a request whose process died, and with the last one the request.
func (w *World) dropWait(r int32, which wait) {
	q := &w.requests.items[r]
	q.waits &^= which
	if q.waits == 0 {
		w.drop(r)
	}
}

// answer answers an appended message. What the slaves did hides what the disk did.
//
// Source: CommitLog.handleDiskFlush and handleHA, 4.2.0; CommitLog.asyncPutMessage, 4.9.8;
// CommitLog.handleDiskFlushAndHA, 5.3.3.
func (w *World) answer(p, r int32) {
	q := &w.requests.items[r]
	q.outcome = strategy.Outcome{Kind: q.disk}
	if q.replica != strategy.OutcomeOK {
		q.outcome.Kind = q.replica
	}
	held := q.holds
	w.respond(r)
	if held {
		w.freeSendThread(p)
	}
}

// freeSendThread is a send thread done with a request: it takes the next.
func (w *World) freeSendThread(p int32) {
	pr := &w.procs[p]
	pr.busy--
	if pr.queue.len() > 0 {
		w.serve(p, pr.queue.pop())
	}
}
