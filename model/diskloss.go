package model

import "simrun/model/internal/timetable"

// A copy on a disk is of no interest any more, and its record is closed: nothing can take it. Unless the
// disk itself is lost. While a fault still has that to do, the records of the copies on it stay, some 80
// bytes each, so the memory of such a run grows with the messages that the broker stores before.

// planDiskLoss notes what a strike of DiskLoss is going to do.
func (w *World) planDiskLoss(s *timetable.Strike, by int32) {
	for _, h := range s.Hosts {
		for _, e := range w.places.Runs(h) {
			if e >= w.brokerProcs {
				continue
			}
			pr := &w.procs[e]
			ml := &w.logs[pr.broker]
			if pr.id == 0 {
				ml.masterDisks += by
			} else {
				ml.slaveDisks += by
			}
		}
	}
}

// loseDisks takes the disk of a host, whose power is off already.
func (w *World) loseDisks(h, f int32) {
	for _, e := range w.places.Runs(h) {
		if e < w.brokerProcs {
			w.loseDisk(e, f)
		}
	}
}

// loseDisk takes the whole log of a process. What its slaves have is theirs; a slave's log begins anew
// with what its master sends it.
func (w *World) loseDisk(p, f int32) {
	pr := &w.procs[p]
	log := &pr.log
	gone := log.end
	why := Loss{Cause: DiskGone, Broker: pr.broker, Fault: f}
	log.end, log.committed, log.flushed, log.disk, log.hole = 0, 0, 0, 0, Loss{}
	log.lost += gone
	if pr.id > 0 {
		w.loseOrphans(p, why)
	} else {
		ml := &w.logs[pr.broker]
		ml.lost += gone
		ml.old = 0
		for ml.kept.len() > 0 {
			c := ml.kept.head()
			w.unpark(c)
			w.loseCopy(pr.broker, c.end, c.msg, copyDurable, why)
			ml.kept.skip()
		}
	}
	if gone > 0 {
		w.tellProcess(p, BytesLost, gone, none, f)
	}
}
