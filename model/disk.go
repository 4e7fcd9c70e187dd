package model

import (
	"fmt"

	"simrun/sim"
	"simrun/strategy"
)

// commitLog is the log of one process: what is in the page cache and how much of it is on the disk.
type commitLog struct {
	end, flushed int64 // bytes
	fsyncing     bool
	target       int64 // what the running fsync covers
	// thorough is when everything dirty was last asked to be flushed; least is how many dirty pages
	// the flush thread wants to see when it wakes.
	thorough sim.Time
	least    int64
	fsyncs   uint64
	tick     sim.Timer
	fsync    sim.Timer
}

// masterLog holds the copies in a master's log that are not fsynced, by falling age, and those it lost
// while a slave still has them.
type masterLog struct {
	unflushed fifo[logCopy]
	// left counts the copies that have left unflushed: the place of a copy is its number less this.
	left    uint64
	orphans []orphan
	// appended and lost are bytes in all.
	appended, lost int64
}

// logCopy is a message's copy: it ends at offset end of the log. msg is the message's record, none
// while the record is parked here.
type logCopy struct {
	end    int64
	msg    int32
	parked message
}

// record is the record of the copy's message, wherever it is.
func (w *World) record(c *logCopy) *message {
	if c.msg == none {
		return &c.parked
	}
	return &w.msgs.items[c.msg]
}

// appendToLog appends a message that an attempt brought to broker b's log and returns the offset
// behind it.
func (w *World) appendToLog(b, m, try int32) int64 {
	p := w.firstProc[b]
	log := &w.procs[p].log
	ml := &w.logs[b]
	r := &w.msgs.items[m]
	log.end += int64(r.size)
	ml.appended += int64(r.size)
	r.place, r.placeOn = ml.left+uint64(ml.unflushed.len()), uint8(b)
	c := ml.unflushed.add()
	c.end, c.msg = log.end, m
	w.copyStored(m, b, try)
	w.replicate(b)
	return log.end
}

// startFlushing begins a round of the flush thread of ASYNC_FLUSH: it decides how many pages have to
// be dirty (any number once in flushCommitLogThoroughInterval), and sleeps flushIntervalCommitLog.
// With SYNC_FLUSH the same rounds only serve slaves: their log is flushed without anybody waiting.
//
// Source: CommitLog.FlushRealTimeService.run, 4.9.8 (flushCommitLogTimed is true from 4.9.1) and
// 5.3.3.
func (w *World) startFlushing(p int32, in sim.Duration) {
	cfg, log := w.brokerConfig(p), &w.procs[p].log
	log.least = int64(cfg.FlushLeastPages)
	if w.eng.Now() >= log.thorough.Add(cfg.FlushThoroughInterval) {
		log.thorough = w.eng.Now()
		log.least = 0
	}
	log.tick = w.timerAfter(in, evFlushTick, p)
}

// flushTick is the flush thread awake: it flushes if enough pages are dirty.
//
// Source: CommitLog.FlushRealTimeService.run, 4.9.8 and 5.3.3; MappedFile.isAbleToFlush, 4.9.8, and
// DefaultMappedFile.isAbleToFlush, 5.3.3, for the count of pages.
func (w *World) flushTick(p int32) {
	if w.deferWhilePaused(p, evFlushTick, p) {
		return
	}
	log := &w.procs[p].log
	dirty := log.end/pageSize - log.flushed/pageSize
	if log.fsyncing || log.end == log.flushed || dirty < log.least {
		w.startFlushing(p, w.brokerConfig(p).FlushInterval)
		return
	}
	w.startFsync(p)
}

// startFsync begins an fsync of everything that is in the log now.
func (w *World) startFsync(p int32) {
	log := &w.procs[p].log
	log.fsyncing, log.target = true, log.end
	log.fsyncs++
	d := w.sample(&w.dists[w.procs[p].broker].fsync, drawFsync, uint64(p), log.fsyncs, 0)
	log.fsync = w.timerAfter(d, evFsynced, p)
}

// fsynced is the disk done. The bytes are durable whatever the process does; that it notices, answers
// and goes on waits for the end of a pause.
func (w *World) fsynced(p int32) {
	pr := &w.procs[p]
	log := &pr.log
	if log.fsyncing {
		log.fsyncing = false
		log.flushed = log.target
		w.settle(p)
	}
	w.fsyncSeen(p)
}

// fsyncSeen is the process noticing that an fsync is done.
func (w *World) fsyncSeen(p int32) {
	pr := &w.procs[p]
	if w.deferWhilePaused(p, evFsyncSeen, p) || !pr.running {
		return
	}
	if w.brokerConfig(p).Flush == SyncFlush && w.isMaster(p) {
		w.answerFsynced(p)
		return
	}
	w.startFlushing(p, w.brokerConfig(p).FlushInterval)
}

// settle makes durable what an fsync has covered.
func (w *World) settle(p int32) {
	pr := &w.procs[p]
	if pr.id > 0 {
		w.settleOrphans(p)
		return
	}
	ml := &w.logs[pr.broker]
	for ml.unflushed.len() > 0 && ml.unflushed.head().end <= pr.log.flushed {
		c := ml.unflushed.head()
		r := w.record(c)
		w.copyMoves(r, pr.broker, copyAtRisk, copyDurable, Loss{})
		if c.msg == none {
			w.parked--
		} else {
			w.unref(c.msg)
		}
		ml.drop()
	}
}

// awaitFsync makes an answer wait for the fsync that covers it. Requests that come while one runs
// share the next.
//
// Source: CommitLog.GroupCommitService, 4.9.8 and 5.3.3.
func (w *World) awaitFsync(p, r int32) {
	pr := &w.procs[p]
	w.requests.items[r].arrived = w.eng.Now() // the wait is bounded from here
	pr.awaiting.push(r)
	if !pr.watching {
		pr.watching = true
		w.timerAfter(w.brokerConfig(p).SyncFlushTimeout, evFlushDeadline, p)
	}
	if !pr.log.fsyncing {
		w.startFsync(p)
	}
}

// answerFsynced answers what the finished fsync covered and starts the next if there is more: the
// group commit flushes for every request, also for one whose wait has been answered with a timeout.
func (w *World) answerFsynced(p int32) {
	pr := &w.procs[p]
	for pr.awaiting.len() > 0 {
		r := *pr.awaiting.head()
		q := &w.requests.items[r]
		if q.end > pr.log.flushed {
			break
		}
		pr.awaiting.pop()
		w.waitDone(r, waitDisk, strategy.OutcomeOK)
	}
	if pr.log.end > pr.log.flushed && !pr.log.fsyncing {
		w.startFsync(p)
	}
}

// flushDeadline answers FLUSH_DISK_TIMEOUT to what has waited for syncFlushTimeout. The message stays
// in the log.
//
// Source: FlushDiskWatcher, 4.9.8 and 5.3.3.
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

// losePageCache is what a power loss does to a log: the bytes not yet flushed are gone. It returns how
// many. What was being written does not count as written. f is the fault that cut the power.
func (w *World) losePageCache(p, f int32) int64 {
	pr := &w.procs[p]
	log := &pr.log
	w.eng.Stop(log.fsync)
	log.fsyncing = false
	gone := log.end - log.flushed
	log.end = log.flushed
	why := Loss{Cause: PageCacheLost, Broker: pr.broker, Fault: f}
	if pr.id > 0 {
		w.loseOrphans(p, why)
		return gone
	}
	ml := &w.logs[pr.broker]
	ml.lost += gone
	for ml.unflushed.len() > 0 {
		c := ml.unflushed.head()
		w.unpark(c)
		w.loseCopy(pr.broker, c.end, c.msg, why)
		ml.drop()
	}
	return gone
}

// drop takes the oldest copy out of unflushed.
func (ml *masterLog) drop() {
	ml.unflushed.skip()
	ml.left++
}

// park moves a record that has nothing to wait for but the fsync of its only copy to that copy, where
// the fsync will find it in passing. Records in the table are then those in flight: few, and in the
// cache, instead of all that half a second of traffic leaves in the page caches.
func (w *World) park(m int32) {
	r := &w.msgs.items[m]
	ml := &w.logs[r.placeOn]
	if r.copies != 1 || r.refs != 1 || r.atRisk != 1 || r.place < ml.left {
		return // it has other copies or requests under way, or only slaves have it
	}
	c := ml.unflushed.at(int(r.place - ml.left))
	c.parked, c.msg = *r, none
	w.msgs.free(m)
	w.parked++
}

// unpark gives a parked record a place in the table again.
func (w *World) unpark(c *logCopy) {
	if c.msg != none {
		return
	}
	c.msg = w.msgs.alloc()
	w.msgs.items[c.msg] = c.parked
	w.parked--
}

// checkLogs verifies that the copies of each master that are not durable are exactly those that end
// behind the flushed offset.
func (w *World) checkLogs() error {
	for b := range w.logs {
		log, ml := &w.procs[w.firstProc[b]].log, &w.logs[b]
		if w.cfg.Brokers[b].LogSize+ml.appended-ml.lost != log.end || log.flushed > log.end {
			return fmt.Errorf("model: log of %s ends at %d (%d flushed), %d appended and %d lost at %v",
				w.names[b], log.end, log.flushed, ml.appended, ml.lost, w.Now())
		}
		last := log.flushed
		for i := range ml.unflushed.len() {
			c := ml.unflushed.at(i)
			if c.end <= last {
				return fmt.Errorf("model: copy at %d of %s behind %d at %v",
					c.end, w.names[b], last, w.Now())
			}
			last = c.end
		}
		if last != log.end {
			return fmt.Errorf("model: log of %s ends at %d, its copies at %d at %v",
				w.names[b], log.end, last, w.Now())
		}
	}
	return nil
}
