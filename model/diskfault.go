package model

import (
	"simrun/model/config"
	"simrun/sim"
)

// diskState is what faults do to the disk of a process, as counts of faults that last, and what the
// store of the process knows of it.
type diskState struct {
	// stalls: nothing that needs the disk ends, appends among it. fsyncStalls: no fsync ends; stalls
	// are among them.
	stalls, fsyncStalls int32
	// lies: fsync reports success and writes nothing. readOnly: fsync fails.
	lies, readOnly int32
	// full: no room is left. unwritable is the flag of the store that follows it: it refuses messages.
	full       int32
	unwritable bool
	// looks is one of its periodic looks at the disk, or the first; looking says that one is planned.
	looks   sim.Time
	looking bool
	look    sim.Timer
	// fault is the latest of the faults with a lie or a failing fsync.
	fault int32
}

// The looks of a store at its disk. Source: DefaultMessageStore.addScheduleTask (cleanFilesPeriodically)
// and MessageStoreConfig.cleanResourceInterval, 4.2.0, 4.9.8 and 5.3.3; for a schedule apart (isSpaceFull,
// with the same interval), 4.7.1.
const (
	cleanResourceInterval = 10 * sim.Second
	cleanResourceDelay    = sim.Minute
	diskCheckDelay        = sim.Second
)

// strikeDisk has a disk fault begin (by = 1) or end (by = -1) for process p. It is false if f is no
// disk fault.
func (w *World) strikeDisk(p, f, by int32) bool {
	d := &w.procs[p].disk
	switch w.cfg.Faults[f].Kind {
	case config.DiskStall:
		d.stalls += by
		w.procs[p].engage()
		w.stallFsync(p, by)
		if d.stalls == 0 {
			w.stallOver(p)
		}
	case config.FsyncStall:
		w.stallFsync(p, by)
	case config.LockHold:
		if by > 0 {
			w.holdPutLock(p)
		} else {
			w.letPutLock(p)
		}
	case config.FsyncLie:
		d.lies += by
		d.fault = f
	case config.ReadOnlyDisk:
		d.readOnly += by
		d.fault = f
	case config.DiskFull:
		d.full += by
		w.planLook(p)
	default:
		return false
	}
	return true
}

// stallFsync begins or ends a fault in which no fsync ends. The one that runs goes on afterwards.
func (w *World) stallFsync(p, by int32) {
	pr := &w.procs[p]
	d, log := &pr.disk, &pr.log
	d.fsyncStalls += by
	switch {
	case !log.fsyncing:
	case by > 0 && d.fsyncStalls == 1:
		w.eng.Stop(log.fsync)
		log.left = log.ends.Sub(w.eng.Now())
	case by < 0 && d.fsyncStalls == 0:
		w.goOnFsync(p)
	}
}

// stallOver lets an append that the disk has kept waiting go on, with the put lock in its hands.
func (w *World) stallOver(p int32) {
	if w.deferWhilePaused(p, evStallOver, p) {
		return
	}
	pr := &w.procs[p]
	w.unstick(p)
	if pr.log.blocked && pr.running {
		w.commitIfEnough(p)
	}
	r := pr.lock.holder
	if !pr.lock.holding || w.requests.items[r].stage != stageStalled {
		return
	}
	if d := w.appendTime(pr, r); d > 0 {
		w.holdLock(p, r, d)
		return
	}
	w.appendOver(p, r)
}

// reachDisk is the end of an fsync at the disk. What it wrote is durable, if it wrote and nothing
// before is missing. The process notices no difference: an error of force() is logged, and the flushed
// position advances anyway.
//
// A drive that lied has the bytes in its volatile cache, and the next honest fsync flushes that with all
// that came before. After an fsync that failed the kernel takes the pages for clean, and no later one
// writes them.
//
// Source: MappedFile.flush, 4.2.0 and 4.9.8; DefaultMappedFile.flush, 5.3.3.
func (w *World) reachDisk(p int32) {
	pr := &w.procs[p]
	d, log := &pr.disk, &pr.log
	cause := NotLost
	switch {
	case d.readOnly > 0:
		cause = FsyncFailed
	case d.lies > 0:
		cause = FsyncLied
	}
	if cause != NotLost {
		if log.target > log.disk && log.hole.Cause < cause {
			log.hole = Loss{Cause: cause, Broker: pr.broker, Fault: d.fault}
		}
		return
	}
	if log.hole.Cause == FsyncFailed {
		return
	}
	log.hole = Loss{}
	log.disk = log.target
	w.settle(p)
}

// settle makes durable what has come to the disk.
func (w *World) settle(p int32) {
	pr := &w.procs[p]
	if pr.id > 0 {
		w.settleOrphans(p)
		return
	}
	ml := &w.logs[pr.broker]
	for ml.unflushed.len() > 0 && ml.unflushed.head().end <= pr.log.disk {
		c := ml.unflushed.head()
		r := w.record(c)
		w.copyMoves(r, pr.broker, copyAtRisk, copyDurable, Loss{})
		switch {
		case ml.masterDisks > 0:
			*ml.kept.add() = *c
		case c.msg == none:
			w.parked--
		default:
			w.unref(c.msg)
		}
		ml.drop()
	}
}

// planLook plans the store's next look at a disk of which it does not know how full it is.
func (w *World) planLook(p int32) {
	pr := &w.procs[p]
	d := &pr.disk
	if d.looking || !pr.running || d.unwritable == (d.full > 0) {
		return
	}
	at := w.nextLook(d.looks)
	if pr.profile.ChecksDiskApart {
		at = min(at, w.nextLook(d.looks.Add(w.scaled(diskCheckDelay-cleanResourceDelay))))
	}
	d.looking = true
	d.look = w.eng.StartTimer(at, sim.PrioTimer, w.self, evDiskLook, uint32(p))
}

// nextLook is the next of the looks whose first is at a time.
func (w *World) nextLook(first sim.Time) sim.Time {
	now := w.eng.Now()
	if first >= now {
		return first
	}
	interval := w.scaled(cleanResourceInterval)
	return now.Add(interval - now.Sub(first)%interval)
}

// diskLook is the store looking at its disk: above diskSpaceWarningLevelRatio it takes no message.
//
// Source: DefaultMessageStore.CleanCommitLogService.isSpaceToDelete, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) diskLook(p int32) {
	if w.deferWhilePaused(p, evDiskLook, p) {
		return
	}
	d := &w.procs[p].disk
	d.looking = false
	d.unwritable = d.full > 0
}
