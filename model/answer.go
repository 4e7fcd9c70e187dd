package model

import (
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// appended appends request r's message to the commit log of master process p and answers, or makes the
// answer wait for what has to follow: the disk, slaves.
//
// Source: CommitLog.putMessage, 4.6.1 (the waits follow each other, in the send thread);
// CommitLog.asyncPutMessage, 4.9.8 and 5.3.3 (they run side by side and hold no send thread).
func (w *World) appended(p, r int32) {
	q := &w.requests.items[r]
	pr := &w.procs[p]
	q.end = w.appendToLog(pr.broker, q.msg, q.attempt)
	q.disk, q.replica = strategy.OutcomeOK, strategy.OutcomeOK
	q.waits = 0
	if w.brokerConfig(p).Flush == config.SyncFlush {
		q.waits = waitDisk
	}
	if (q.waits == 0 || !pr.profile.WaitsInTurn) && w.awaitReplica(p, r, q.end) {
		q.waits |= waitReplica
	}
	if q.waits&waitDisk != 0 {
		w.traceRequest(r, AwaitsFsync, 0, 0)
		w.awaitFsync(p, r)
	}
	q.holds = q.waits != 0 && !pr.profile.AsyncPut
	if q.waits == 0 {
		w.answer(r)
	}
	if !q.holds {
		w.freeSendThread(p)
	}
}

// appendedShortly is appended for an append that takes the short time d under the lock and whose
// answer waits for nothing else: thread and answer follow it.
func (w *World) appendedShortly(p, r int32, d sim.Duration) {
	q := &w.requests.items[r]
	pr := &w.procs[p]
	q.end = w.appendToLog(pr.broker, q.msg, q.attempt)
	q.outcome = strategy.Outcome{Kind: strategy.OutcomeOK}
	w.respondAfter(r, d)
	pr.freeing.push(pr.lock.until)
	w.planFree(p)
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
	if which == waitDisk && w.procs[p].profile.WaitsInTurn && w.awaitReplica(p, r, q.end) {
		q.waits |= waitReplica
	}
	if q.waits != 0 {
		return
	}
	held := q.holds
	w.answer(r)
	if held {
		w.freeSendThread(p)
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
func (w *World) answer(r int32) {
	q := &w.requests.items[r]
	q.outcome = strategy.Outcome{Kind: q.disk}
	if q.replica != strategy.OutcomeOK {
		q.outcome.Kind = q.replica
	}
	w.respond(r)
}
