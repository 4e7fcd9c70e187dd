package model

import (
	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// flushThread is the thread that flushes a commit log: FlushRealTimeService with ASYNC_FLUSH,
// GroupCommitService with SYNC_FLUSH.
type flushThread struct {
	// round is when it last began to wait, or would have, to wake by itself one interval later. ticking
	// says that the event of that is planned, maybe for an earlier round.
	round   sim.Time
	ticking bool
	tick    sim.Timer
	// thorough is when everything dirty was last asked to be flushed; least is how many dirty pages
	// the thread wants to see when it wakes.
	thorough sim.Time
	least    int64
	// notified: it was woken while it flushed.
	notified bool
}

// groupIdle is how long GroupCommitService waits for a request before it flushes whatever is there.
// Source: CommitLog.GroupCommitService.run, 4.2.0, 4.9.8 and 5.3.3.
const groupIdle = 10 * sim.Millisecond

// flushInterval is how long the flush thread of a process waits for somebody to wake it.
func (w *World) flushInterval(p int32) sim.Duration {
	cfg := w.brokerConfig(p)
	if cfg.Flush == config.SyncFlush {
		return w.scaled(groupIdle)
	}
	return cfg.FlushInterval
}

// flushRound begins a round of the flush thread: it wakes by itself in the given time.
//
// With ASYNC_FLUSH it decides how many pages have to be dirty then: any number once in
// flushCommitLogThoroughInterval. If it is timed (flushCommitLogTimed) it sleeps meanwhile; else every
// put wakes it. With SYNC_FLUSH a put wakes it, if somebody waits for the put.
//
// Source: CommitLog.FlushRealTimeService.run and GroupCommitService.run, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) flushRound(p int32, in sim.Duration) {
	pr := &w.procs[p]
	log := &pr.log
	log.round = w.eng.Now().Add(in - w.flushInterval(p))
	if w.brokerConfig(p).Flush == config.SyncFlush {
		w.groupWaits(p)
		return
	}
	w.decideLeast(p)
	if log.notified {
		log.notified = false
		if w.flushIfDirty(p) {
			return
		}
		w.decideLeast(p)
	}
	w.planTick(p, in)
}

// decideLeast is how many pages the flush thread will want to see dirty when it wakes.
func (w *World) decideLeast(p int32) {
	cfg, log := w.brokerConfig(p), &w.procs[p].log
	log.least = int64(cfg.FlushLeastPages)
	if w.eng.Now() >= log.thorough.Add(cfg.FlushThoroughInterval) {
		log.thorough = w.eng.Now()
		log.least = 0
	}
}

func (w *World) planTick(p int32, in sim.Duration) {
	log := &w.procs[p].log
	if !log.ticking {
		log.ticking = true
		log.tick = w.timerAfter(in, evFlushTick, p)
	}
}

// groupWaits plans that the group commit, to which nobody comes, flushes what is dirty. A slave's log
// is never flushed otherwise.
func (w *World) groupWaits(p int32) {
	pr := &w.procs[p]
	if pr.written() == pr.log.flushed || pr.log.fsyncing {
		return
	}
	idle := w.eng.Now().Sub(pr.log.round)
	period := w.scaled(groupIdle)
	w.planTick(p, period-idle%period)
}

// dirtied is told that slave process p has got bytes from its master.
//
// Source: DefaultMessageStore.appendToCommitLog, 4.9.8 and 5.3.3: nobody wakes the flush thread.
func (w *World) dirtied(p int32) {
	if w.brokerConfig(p).Flush == config.SyncFlush {
		w.groupWaits(p)
	}
}

// flushTick is the flush thread awake by itself.
func (w *World) flushTick(p int32) {
	if w.deferWhilePaused(p, evFlushTick, p) {
		return
	}
	log := &w.procs[p].log
	log.ticking = false
	interval := w.flushInterval(p)
	if log.fsyncing {
		return // it is not waiting: something else has woken it
	}
	if wait := log.round.Add(interval).Sub(w.eng.Now()); wait > 0 {
		w.planTick(p, wait) // it was woken, and waits anew
		return
	}
	if !w.flushIfDirty(p) {
		w.flushRound(p, interval)
	}
}

// wakeFlush is a put that wakes the flush thread of ASYNC_FLUSH.
func (w *World) wakeFlush(p int32) {
	log := &w.procs[p].log
	if log.fsyncing {
		log.notified = true
		return
	}
	if !w.flushIfDirty(p) {
		log.round = w.eng.Now()
		w.decideLeast(p)
	}
}

// flushIfDirty begins an fsync if enough pages are dirty.
//
// Source: MappedFile.isAbleToFlush, 4.9.8; DefaultMappedFile.isAbleToFlush, 5.3.3.
func (w *World) flushIfDirty(p int32) bool {
	pr := &w.procs[p]
	log, end := &pr.log, pr.written()
	if end == log.flushed || end/pageSize-log.flushed/pageSize < log.least {
		return false
	}
	w.startFsync(p)
	return true
}

// startFsync begins an fsync of everything that is in the page cache now.
func (w *World) startFsync(p int32) {
	pr := &w.procs[p]
	log := &pr.log
	log.fsyncing, log.target = true, pr.written()
	log.fsyncs++
	log.left = w.sample(&w.dists[pr.broker].fsync, drawFsync, uint64(p), log.fsyncs, 0)
	if pr.disk.fsyncStalls == 0 {
		w.goOnFsync(p)
	}
}

// goOnFsync lets the running fsync go on for what is left of it.
func (w *World) goOnFsync(p int32) {
	log := &w.procs[p].log
	log.ends = w.eng.Now().Add(log.left)
	log.fsync = w.timerAfter(log.left, evFsynced, p)
}

// fsynced is the disk done. The bytes are durable whatever the process does; that it notices, answers
// and goes on waits for the end of a pause.
func (w *World) fsynced(p int32) {
	log := &w.procs[p].log
	if log.fsyncing {
		log.fsyncing = false
		log.flushed = log.target
		w.reachDisk(p)
	}
	w.fsyncSeen(p)
}

// fsyncSeen is the process noticing that an fsync is done.
func (w *World) fsyncSeen(p int32) {
	pr := &w.procs[p]
	if w.deferWhilePaused(p, evFsyncSeen, p) || !pr.running {
		return
	}
	if w.brokerConfig(p).Flush == config.SyncFlush && w.isMaster(p) {
		w.answerFsynced(p)
		return
	}
	w.flushRound(p, w.flushInterval(p))
}

// awaitFsync makes an answer wait for the fsync that covers it. Requests that come while one runs
// share the next.
//
// Source: CommitLog.GroupCommitService, 4.9.8 and 5.3.3.
func (w *World) awaitFsync(p, r int32) {
	pr := &w.procs[p]
	w.requests.items[r].arrived = w.eng.Now() // the wait is bounded from here
	pr.awaiting.push(r)
	if !pr.watching && pr.profile.DiskWait != releases.DiskWaitEndless {
		pr.watching = true
		w.timerAfter(w.brokerConfig(p).SyncFlushTimeout, evFlushDeadline, p)
	}
	if !pr.log.fsyncing && pr.written() > pr.log.flushed {
		w.startFsync(p)
	}
}

// answerFsynced answers what the finished fsync covered and starts the next if there is more: the
// group commit flushes for every request, also for one whose wait has been answered with a timeout.
func (w *World) answerFsynced(p int32) {
	pr := &w.procs[p]
	pr.log.round = w.eng.Now()
	for pr.awaiting.len() > 0 {
		r := *pr.awaiting.head()
		if w.requests.items[r].end > pr.log.flushed {
			break
		}
		pr.awaiting.pop()
		w.waitDone(r, waitDisk, w.diskStatus(p, r))
	}
	if pr.written() > pr.log.flushed && !pr.log.fsyncing {
		w.startFsync(p)
	}
}

// diskStatus is how the wait of request r for the disk ends when an fsync ends it.
func (w *World) diskStatus(p, r int32) strategy.OutcomeKind {
	waited := w.eng.Now().Sub(w.requests.items[r].arrived)
	if w.procs[p].profile.LateWaitFails && waited > w.brokerConfig(p).SyncFlushTimeout {
		return strategy.OutcomeFlushSlaveTimeout
	}
	return strategy.OutcomeOK
}

// flushDeadline answers FLUSH_DISK_TIMEOUT to what has waited for syncFlushTimeout. The message stays
// in the log.
//
// Source: CommitLog.GroupCommitRequest.waitForFlush, 4.6.1; FlushDiskWatcher, 4.9.3, 4.9.8 and 5.3.3.
func (w *World) flushDeadline(p int32) {
	if w.deferWhilePaused(p, evFlushDeadline, p) {
		return
	}
	pr := &w.procs[p]
	pr.watching = false
	for pr.awaiting.len() > 0 {
		r := *pr.awaiting.head()
		due := w.requests.items[r].arrived.Add(w.brokerConfig(p).SyncFlushTimeout)
		if due > w.eng.Now() {
			pr.watching = true
			w.timerAfter(due.Sub(w.eng.Now()), evFlushDeadline, p)
			return
		}
		pr.awaiting.pop()
		w.waitDone(r, waitDisk, strategy.OutcomeFlushDiskTimeout)
	}
}

// pageSize is OS_PAGE_SIZE. Source: MappedFile, 4.9.8; DefaultMappedFile, 5.3.3.
const pageSize = 4096
