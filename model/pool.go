package model

import (
	"simrun/model/config"
	"simrun/sim"
)

// commitThread is CommitRealTimeService: it takes messages from the transient store pool, which is
// memory of the process, to the page cache.
type commitThread struct {
	// commitRound is when it last began to wait, commits when it last committed or was asked to commit
	// everything. committing says that its next wake by itself is planned, blocked that it is writing to
	// a disk that does not answer.
	commitRound, commits sim.Time
	committing, blocked  bool
	commitTick           sim.Timer
}

// The buffers of the pool. Each holds one file of the commit log. One is in use ahead of the log, which
// the next file will need.
//
// Source: MessageStoreConfig (transientStorePoolSize, mappedFileSizeCommitLog) and
// AllocateMappedFileService.putRequestAndReturnMappedFile, 4.2.0, 4.9.8 and 5.3.3.
const (
	poolBuffers = 5
	poolBuffer  = 1 << 30
)

// poolDeficient says that no buffer of the pool is left. A buffer comes back when its file is committed.
//
// Source: DefaultMessageStore.isTransientStorePoolDeficient, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) poolDeficient(p int32) bool {
	pr := &w.procs[p]
	files := pr.log.end/poolBuffer - pr.log.committed/poolBuffer + 1
	return pr.pooled && files+1 >= poolBuffers
}

// wakeCommit is a put that wakes the commit thread: it commits if commitCommitLogLeastPages are there,
// and whatever is there if commitCommitLogThoroughInterval has passed since it did. Else it waits for
// commitIntervalCommitLog, or the next put.
//
// Source: CommitLog.CommitRealTimeService.run, 4.2.0, 4.9.8 and 5.3.3; MappedFile.isAbleToCommit,
// 4.9.8; DefaultMappedFile.isAbleToCommit, 5.3.3. SYNC_FLUSH, which has a pool from 5.0, does not wake
// it: CommitLog.DefaultFlushManager.handleDiskFlush, 5.3.3.
func (w *World) wakeCommit(p int32) {
	pr := &w.procs[p]
	if w.brokerConfig(p).Flush == config.AsyncFlush {
		w.commitIfEnough(p)
	}
	if log := &pr.log; log.end > log.committed && !log.committing {
		log.committing = true
		interval := w.brokerConfig(p).CommitInterval
		idle := w.eng.Now().Sub(log.commitRound)
		log.commitTick = w.timerAfter(interval-idle%interval, evCommitTick, p)
	}
}

// commitTick is the commit thread awake by itself.
func (w *World) commitTick(p int32) {
	if w.deferWhilePaused(p, evCommitTick, p) {
		return
	}
	pr := &w.procs[p]
	log := &pr.log
	log.committing = false
	interval := w.brokerConfig(p).CommitInterval
	wait := log.commitRound.Add(interval).Sub(w.eng.Now())
	if wait <= 0 {
		w.commitIfEnough(p)
		wait = interval
	}
	if log.end > log.committed {
		log.committing = true
		log.commitTick = w.timerAfter(wait, evCommitTick, p)
	}
}

// commitIfEnough is one round of the commit thread. It waits for a disk that does not answer; what a
// disk does not take, it tries again.
//
// Source: MappedFile.commit0, 4.2.0 and 4.9.8; DefaultMappedFile.commit0, 5.3.3.
func (w *World) commitIfEnough(p int32) {
	pr := &w.procs[p]
	cfg, log := w.brokerConfig(p), &pr.log
	least := int64(cfg.CommitLeastPages)
	log.commitRound = w.eng.Now()
	if w.eng.Now() >= log.commits.Add(cfg.CommitThoroughInterval) {
		log.commits = w.eng.Now()
		least = 0
	}
	if log.end == log.committed || log.end/pageSize-log.committed/pageSize < least ||
		pr.disk.readOnly > 0 {
		return
	}
	if log.blocked = pr.disk.stalls > 0; log.blocked {
		return
	}
	log.commits = w.eng.Now()
	log.committed = log.end
	w.replicate(pr.broker)
	switch {
	case cfg.Flush == config.SyncFlush:
		if !log.fsyncing {
			w.startFsync(p)
		}
	case !pr.flushTimed:
		w.wakeFlush(p)
	}
}

// losePool is the end of a process whose pool was not committed. f is the fault that ended it.
func (w *World) losePool(p, f int32) {
	pr := &w.procs[p]
	if !pr.pooled || pr.log.end == pr.log.committed {
		return
	}
	if lost := w.cutLog(p, pr.log.committed, f); lost > 0 {
		w.tellProcess(p, BytesLost, lost, none, f)
	}
}
