package model

import (
	"fmt"

	"simrun/sim"
)

// commitLog is the log of one process: what is in the page cache and how much of it is on the disk.
type commitLog struct {
	end int64 // bytes
	// committed is the end of what is in the page cache; the rest is in the transient store pool.
	committed int64
	// flushed is the end of what the process takes for flushed, disk of what a power loss leaves. They
	// differ once an fsync has not written what it was asked to: the recovery after a power loss ends
	// at the first message that is not there, so whatever follows it is not safe either. hole is why.
	flushed, disk int64
	hole          Loss
	// lost is what the next recovery has to say.
	lost int64

	fsyncing bool
	target   int64 // what the running fsync covers
	fsyncs   uint64
	fsync    sim.Timer
	ends     sim.Time // of the running fsync; left is what is left of it while the disk is stalled
	left     sim.Duration

	flushThread
	commitThread
}

// written is the end of what the page cache has, which is what is flushed and replicated.
// Source: MappedFile.getReadPosition, 4.9.8; DefaultMappedFile.getReadPosition, 5.3.3.
func (pr *process) written() int64 {
	if pr.pooled {
		return pr.log.committed
	}
	return pr.log.end
}

// masterLog holds the copies in a master's log that are not fsynced, by falling age, and those it lost
// while a slave still has them.
type masterLog struct {
	unflushed fifo[logCopy]
	// left counts the copies that have left unflushed: the place of a copy is its number less this.
	left    uint64
	orphans []orphan
	// masterDisks and slaveDisks are how often the disk of the master, or that of a slave, is still going
	// to be lost; kept are the copies on the master's disk meanwhile.
	masterDisks, slaveDisks int32
	kept                    fifo[logCopy]
	// appended and lost are bytes in all, copies is the number ever appended.
	appended, lost, copies int64
	// messages counts those in the copies: a copy of a batch has several.
	messages int64
	// old are the bytes from before the run that are still there.
	old int64
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
	pr := &w.procs[p]
	log := &pr.log
	ml := &w.logs[b]
	r := &w.msgs.items[m]
	log.end += int64(r.size)
	ml.appended += int64(r.size)
	r.place, r.placeOn = ml.left+uint64(ml.unflushed.len()), uint8(b)
	c := ml.unflushed.add()
	c.end, c.msg = log.end, m
	ml.copies++
	ml.messages += w.ledger.weight(r.Group)
	w.copyStored(m, b, try)
	if pr.pooled {
		w.wakeCommit(p)
		return log.end
	}
	w.replicate(b)
	if pr.wakesFlush {
		w.wakeFlush(p)
	}
	return log.end
}

// losePageCache is what a power loss does to a log: the bytes that are not on the disk are gone. It
// returns how many. What was being written does not count as written. f is the fault that cut the
// power.
func (w *World) losePageCache(p, f int32) int64 {
	log := &w.procs[p].log
	w.eng.Stop(log.fsync)
	log.fsyncing = false
	gone := w.cutLog(p, log.disk, f)
	log.hole = Loss{}
	return gone
}

// cutLog loses what process p has behind an offset and returns how many bytes that is. f is the fault
// that makes it so.
func (w *World) cutLog(p int32, to int64, f int32) int64 {
	pr := &w.procs[p]
	log := &pr.log
	was := *log
	was.committed = pr.written()
	gone := log.end - to
	log.end, log.committed, log.flushed = to, min(was.committed, to), min(log.flushed, to)
	log.lost += gone
	why := Loss{Cause: PageCacheLost, Broker: pr.broker, Fault: f}
	if pr.id > 0 {
		if was.hole.Cause != NotLost {
			why = was.hole
		}
		w.loseOrphans(p, why)
		return gone
	}
	ml := &w.logs[pr.broker]
	ml.lost += gone
	kept := ml.unflushed.len()
	for kept > 0 && ml.unflushed.at(kept-1).end > to {
		kept--
	}
	for i := kept; i < ml.unflushed.len(); i++ {
		c := ml.unflushed.at(i)
		why := Loss{Cause: PageCacheLost, Broker: pr.broker, Fault: f}
		switch {
		case c.end > was.committed:
			why.Cause = PoolLost
		case c.end <= was.flushed:
			why = was.hole
		}
		w.unpark(c)
		w.loseCopy(pr.broker, c.end, c.msg, copyAtRisk, why)
	}
	ml.unflushed.truncate(kept)
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
	i := int(r.place - ml.left)
	if i >= ml.unflushed.len() || ml.unflushed.at(i).msg != m {
		return // likewise
	}
	c := ml.unflushed.at(i)
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
// behind what is on the disk.
func (w *World) checkLogs() error {
	for b := range w.logs {
		log, ml := &w.procs[w.firstProc[b]].log, &w.logs[b]
		if w.cfg.Brokers[b].LogSize+ml.appended-ml.lost != log.end || log.flushed > log.end ||
			log.disk > log.flushed {
			return fmt.Errorf("model: log of %s ends at %d (%d flushed, %d on disk), %d appended and %d "+
				"lost at %v", w.names[b], log.end, log.flushed, log.disk, ml.appended, ml.lost, w.Now())
		}
		last := log.disk
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
