package model

import (
	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// transfers is GroupTransferService: the one thread of a master that waits for the slaves'
// acknowledgements. It stays with the oldest wait until that is over, so the next may be answered later
// than it could be. Nothing wakes it when a connection ends.
type transfers struct {
	waits fifo[transfer]
	// given counts the oldest waits whose end nobody expects any more.
	given int
	// reached is when the thread came to the oldest; looked: it has looked at it since. from is when
	// its present pause began, rounds how many it has made for the oldest.
	reached, from sim.Time
	looked        bool
	rounds        int64
	// notified: an acknowledgement came while there was no pause to end, so the next one ends at once.
	notified bool
	timer    sim.Timer
}

// transfer is one wait: for acknowledgements up to offset end.
type transfer struct {
	request int32
	end     int64
	made    sim.Time
}

// transferRounds is how many pauses a wait lasts where they are counted.
// Source: HAService.GroupTransferService.doWaitTransfer, 4.2.0.
const transferRounds = 5

// awaitReplica decides whether the answer to request r, appended by master process p up to offset end,
// waits for slaves, and makes it wait. If it does not, it may have set the request's replica outcome.
//
// Source: CommitLog.handleHA, 4.2.0; CommitLog.submitReplicaRequest, 4.9.8; CommitLog.handleHA and
// needHandleHA, 5.3.3.
func (w *World) awaitReplica(p, r int32, end int64) (needed bool) {
	cfg := w.brokerConfig(p)
	if cfg.Role != config.SyncMaster {
		return false
	}
	b := w.procs[p].broker
	ha := &w.ha[b]
	if w.procs[p].profile.ReplicaCheck == releases.CheckNothing {
		if cfg.InSyncReplicas <= 1 { // the master itself counts
			return false
		}
	} else if !w.slaveOK(b, end) {
		w.requests.items[r].replica = strategy.OutcomeSlaveNotAvailable
		return false
	}
	t := &ha.transfers
	if t.waits.len() == 0 && w.acknowledged(b, end) {
		return false // the thread has nothing to do, and looks before it waits
	}
	w.traceRequest(r, AwaitsSlaves, 0, 0)
	t.waits.push(transfer{request: r, end: end, made: w.eng.Now()})
	patience, _ := w.transferPatience(b)
	switch {
	case t.waits.len() == 1:
		w.transferReaches(b)
		w.transferLooks(b)
	case patience > 0 && t.given == t.waits.len()-1: // all before it are given up
		w.planTransfer(b, w.transferEnds(b))
	}
	w.wakeReplication(b)
	return true
}

// slaveOK says whether a slave is there and not too far behind an offset. That is not known to be any
// particular slave: the connections are counted, and the offset is the highest ever reported.
//
// Source: HAService.isSlaveOK, 4.2.0 and 4.9.8.
func (w *World) slaveOK(b int32, end int64) bool {
	ha, limit := &w.ha[b], w.cfg.Brokers[b].SlaveFallbehindMax
	return len(ha.conns) > 0 && (limit == 0 || end-ha.pushed < limit)
}

// acknowledged says whether enough slaves have reported an offset: any of them in 4.x, inSyncReplicas
// less the master in 5.x, of those that are connected now.
//
// Source: GroupTransferService.doWaitTransfer, 4.9.8 (push2SlaveMaxOffset), 5.3.3 (getSlaveAckOffset).
func (w *World) acknowledged(b int32, end int64) bool {
	ha := &w.ha[b]
	if w.procs[w.firstProc[b]].profile.ReplicaCheck != releases.CheckNothing {
		return ha.pushed >= end
	}
	acks := 1
	for _, i := range ha.conns {
		if c := &w.haConns.items[i]; c.requested && c.ack >= end {
			acks++
		}
	}
	return acks >= w.cfg.Brokers[b].InSyncReplicas
}

// transferReaches is the thread coming to the oldest wait.
func (w *World) transferReaches(b int32) {
	t := &w.ha[b].transfers
	t.reached, t.looked, t.rounds = w.eng.Now(), false, 0
}

// transferLooks has the thread look at one wait after the other, until it has to pause for one.
//
// Source: GroupTransferService.doWaitTransfer, 4.2.0, 4.7.1, 4.9.8, 5.3.3.
func (w *World) transferLooks(b int32) {
	t := &w.ha[b].transfers
	for t.waits.len() > 0 {
		// From 5.0.0 the thread does not look at a wait that it reaches after its deadline.
		late := !t.looked && w.procs[w.firstProc[b]].profile.ReplicaCheck == releases.CheckNothing &&
			w.transferTimedOut(b)
		t.looked = true
		switch {
		case !late && w.acknowledged(b, t.waits.head().end):
			w.transferOver(b, strategy.OutcomeOK)
		case w.transferTimedOut(b):
			w.transferOver(b, strategy.OutcomeFlushSlaveTimeout)
		case t.notified:
			t.notified = false
			t.rounds++
		default:
			t.from = w.eng.Now()
			w.planTransfer(b, w.transferEnds(b))
			return
		}
	}
	w.eng.Stop(t.timer)
}

// transferTimedOut says whether the thread gives the oldest wait up when it has looked in vain.
func (w *World) transferTimedOut(b int32) bool {
	t := &w.ha[b].transfers
	if w.procs[w.firstProc[b]].profile.ReplicaWait == releases.WaitRounds {
		return t.rounds >= transferRounds
	}
	return w.eng.Now() >= w.transferLimit(b)
}

// transferLimit is when the time of the oldest wait is over by the clock.
func (w *World) transferLimit(b int32) sim.Time {
	t, cfg := &w.ha[b].transfers, &w.cfg.Brokers[b]
	switch w.procs[w.firstProc[b]].profile.ReplicaWait {
	case releases.WaitClock, releases.WaitSerial:
		return t.reached.Add(cfg.SyncFlushTimeout)
	case releases.WaitWatched:
		return t.waits.head().made.Add(cfg.SyncFlushTimeout)
	default:
		return t.waits.head().made.Add(cfg.SlaveTimeout)
	}
}

// transferStep is how long the thread pauses at most before it looks again.
func (w *World) transferStep(b int32) sim.Duration {
	if w.procs[w.firstProc[b]].profile.ReplicaWait == releases.WaitExact {
		return w.scaled(sim.Millisecond)
	}
	return w.scaled(sim.Second)
}

// transferEnds is when the thread, which pauses from now on, will give the oldest wait up.
func (w *World) transferEnds(b int32) sim.Time {
	t, step := &w.ha[b].transfers, w.transferStep(b)
	if w.procs[w.firstProc[b]].profile.ReplicaWait == releases.WaitRounds {
		return t.from.Add(sim.Duration(transferRounds-t.rounds) * step)
	}
	left := w.transferLimit(b).Sub(t.from)
	return t.from.Add((left + step - 1) / step * step)
}

// planTransfer plans the next time that something may change without an acknowledgement.
func (w *World) planTransfer(b int32, at sim.Time) {
	t := &w.ha[b].transfers
	if patience, _ := w.transferPatience(b); patience > 0 && t.given < t.waits.len() {
		at = min(at, t.waits.at(t.given).made.Add(patience))
	}
	w.eng.Stop(t.timer)
	t.timer = w.eng.StartTimer(at, sim.PrioTimer, w.self, evTransfer, uint32(w.firstProc[b]))
}

// transferDue is that time. The thread looks at the end of each pause.
func (w *World) transferDue(p int32) {
	if w.deferWhilePaused(p, evTransfer, p) {
		return
	}
	b := w.procs[p].broker
	w.giveUpTransfers(b)
	t := &w.ha[b].transfers
	if t.waits.len() == 0 {
		return
	}
	paused, step := w.eng.Now().Sub(t.from), w.transferStep(b)
	if paused%step != 0 && w.eng.Now() < w.transferEnds(b) {
		w.planTransfer(b, w.transferEnds(b))
		return
	}
	t.rounds += int64(paused / step)
	w.transferLooks(b)
}

// transferAcked is a report that has come. It ends the thread's pause only if it is the highest ever;
// of any other, which may count in 5.x, it learns when it looks next.
//
// Source: HAService.notifyTransferSome, 4.9.8; DefaultHAService.notifyTransferSome, 5.3.3.
func (w *World) transferAcked(b int32, highest bool) {
	t, step := &w.ha[b].transfers, w.transferStep(b)
	paused := w.eng.Now().Sub(t.from)
	switch {
	case t.waits.len() == 0:
		t.notified = t.notified || highest
	case highest:
		t.rounds += int64(paused/step) + 1
		w.transferLooks(b)
	case w.acknowledged(b, t.waits.head().end):
		w.planTransfer(b, t.from.Add((paused+step-1)/step*step))
	}
}

// transferOver ends the oldest wait.
//
// Source: CommitLog.GroupCommitRequest.wakeupCustomer, 4.7.0, for a wait that took too long.
func (w *World) transferOver(b int32, how strategy.OutcomeKind) {
	t := &w.ha[b].transfers
	x := t.waits.pop()
	if t.waits.len() > 0 {
		w.transferReaches(b)
	}
	if t.given > 0 {
		t.given--
		return
	}
	late := w.eng.Now().Sub(x.made) > w.cfg.Brokers[b].SyncFlushTimeout
	if late && w.procs[w.firstProc[b]].profile.LateWaitFails {
		how = strategy.OutcomeFlushSlaveTimeout
	}
	w.waitDone(x.request, waitReplica, how)
}

// transferPatience is how long the end of a wait is expected, and what becomes of it then, whatever the
// thread does; 0 is no limit. A send thread that waits does so for syncFlushTimeout.
//
// Source: CommitLog.GroupCommitRequest.waitForFlush, 4.2.0 and 4.6.1; CommitLog.submitReplicaRequest
// and FlushDiskWatcher, 5.0.0-ALPHA.
func (w *World) transferPatience(b int32) (sim.Duration, strategy.OutcomeKind) {
	profile, patience := &w.procs[w.firstProc[b]].profile, w.cfg.Brokers[b].SyncFlushTimeout
	switch {
	case profile.ReplicaWait == releases.WaitWatched:
		return patience, strategy.OutcomeFlushDiskTimeout
	case !profile.AsyncPut:
		return patience, strategy.OutcomeFlushSlaveTimeout
	}
	return 0, 0
}

// giveUpTransfers ends the waits that have lasted so long. The thread will come to them all the same.
func (w *World) giveUpTransfers(b int32) {
	t := &w.ha[b].transfers
	patience, how := w.transferPatience(b)
	for patience > 0 && t.given < t.waits.len() {
		x := t.waits.at(t.given)
		if x.made.Add(patience) > w.eng.Now() {
			return
		}
		t.given++
		w.waitDone(x.request, waitReplica, how)
	}
}

// dropTransfers forgets the waits of a master that died.
func (w *World) dropTransfers(b int32) {
	t := &w.ha[b].transfers
	w.eng.Stop(t.timer)
	for t.waits.len() > 0 {
		if x := t.waits.pop(); t.given > 0 {
			t.given--
		} else {
			w.dropWait(x.request, waitReplica)
		}
	}
	t.notified = false
}
