package model

import "slices"

// orphan is a copy that its master lost, with its power or its disk, while slaves had it. on and
// fsynced are sets of slave ids (bit id). The slaves serve it while the master is away; when the master
// returns without it, nobody copies it back, and it is stranded.
type orphan struct {
	end         int64
	msg         int32
	on, fsynced uint16
	state       copyState
	// why is what took the master's copy.
	why Loss
}

// holders is the set of slaves of broker b that have a copy ending at end, and of those that have it
// on disk.
func (w *World) holders(b int32, end int64, size int64) (on, fsynced uint16) {
	first := w.firstProc[b]
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		pr := &w.procs[first+id+1]
		if !pr.has(end-size, end) {
			continue
		}
		on |= 1 << (id + 1)
		if pr.log.disk >= end {
			fsynced |= 1 << (id + 1)
		}
	}
	return on, fsynced
}

// has says whether a slave has its master's bytes from one offset to another.
func (pr *process) has(start, end int64) bool {
	sl := &pr.slave
	return pr.log.end >= end && (sl.foreign == sl.missing || end <= sl.foreign || start >= sl.missing)
}

// loseCopy is message m's copy that ends at end, in a given state, gone from its master: lost, unless a
// slave has it.
func (w *World) loseCopy(b int32, end int64, m int32, from copyState, why Loss) {
	r := &w.msgs.items[m]
	on, fsynced := w.holders(b, end, int64(r.size))
	if on == 0 {
		w.copyMoves(r, b, from, copyGone, why)
		w.unref(m)
		return
	}
	o := orphan{end: end, msg: m, on: on, fsynced: fsynced, state: from, why: why}
	w.moveOrphan(b, &o, why)
	w.logs[b].orphans = append(w.logs[b].orphans, o)
}

// moveOrphan follows an orphan's state: durable once a slave has it on disk, gone with the last one.
// why is what took a slave's copy, if that is what happened.
func (w *World) moveOrphan(b int32, o *orphan, why Loss) {
	to := copyAtRisk
	switch {
	case o.on == 0:
		to = copyGone
	case o.state == copyStranded:
		to = copyStranded
	case o.fsynced != 0:
		to = copyDurable
	}
	if from := o.state; to != from {
		o.state = to
		w.copyMoves(&w.msgs.items[o.msg], b, from, to, why)
	}
}

// settleOrphans follows an fsync of slave process s.
func (w *World) settleOrphans(s int32) {
	pr := &w.procs[s]
	for i := range w.logs[pr.broker].orphans {
		o := &w.logs[pr.broker].orphans[i]
		if o.on&(1<<pr.id) != 0 && o.end <= pr.log.disk {
			o.fsynced |= 1 << pr.id
			w.moveOrphan(pr.broker, o, Loss{})
		}
	}
	w.closeStranded(pr.broker)
}

// closeStranded forgets the stranded copies that are on a disk which stays.
func (w *World) closeStranded(b int32) {
	ml := &w.logs[b]
	ml.orphans = slices.DeleteFunc(ml.orphans, func(o orphan) bool {
		done := o.state == copyStranded && o.fsynced != 0 && ml.slaveDisks == 0
		if done {
			w.unref(o.msg)
		}
		return done
	})
}

// loseOrphans follows a power loss of slave process s, or the loss of its disk. What it gets from the
// master after that is the master's, from where its log ends now.
func (w *World) loseOrphans(s int32, why Loss) {
	pr := &w.procs[s]
	pr.slave.missing = min(pr.slave.missing, pr.log.end)
	pr.slave.foreign = min(pr.slave.foreign, pr.slave.missing)
	bit := uint16(1) << pr.id
	ml := &w.logs[pr.broker]
	for i := range ml.orphans {
		o := &ml.orphans[i]
		if o.on&bit != 0 && (o.fsynced&bit == 0 || why.Cause == DiskGone) {
			o.on &^= bit
			o.fsynced &^= bit
			w.moveOrphan(pr.broker, o, why)
		}
	}
	ml.orphans = slices.DeleteFunc(ml.orphans, func(o orphan) bool {
		if o.on == 0 {
			w.unref(o.msg)
		}
		return o.on == 0
	})
}

// strandOrphans is the return of a master that lost its tail: what only its slaves have is not served
// any more, and no slave with a longer log is fed until the master has passed it.
func (w *World) strandOrphans(b int32) {
	first := w.firstProc[b]
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		pr := &w.procs[first+id+1]
		sl, end := &pr.slave, w.procs[first].log.end
		if pr.log.end > end {
			if sl.foreign == sl.missing {
				sl.foreign = end
			}
			sl.foreign, sl.missing = min(sl.foreign, end), pr.log.end
		}
	}
	ml := &w.logs[b]
	for i := range ml.orphans {
		o := &ml.orphans[i]
		w.copyMoves(&w.msgs.items[o.msg], b, o.state, copyStranded, o.why)
		o.state = copyStranded
	}
	w.closeStranded(b)
}
