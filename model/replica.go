package model

import (
	"slices"

	"simrun/sim"
)

// replica is what a slave process has beside its log: the connection to its master.
type replica struct {
	connected bool
	// reported: the master knows the slave's offset, so bytes may flow.
	reported bool
	// flowing: bytes up to upTo are on the way.
	flowing bool
	upTo    int64
	epoch   uint32 // the master's life they come from
	// missing is the offset below which the slave's bytes are not the master's: the master came back
	// shorter and wrote other bytes there.
	missing int64
	connect sim.Timer
	packets uint64
}

// orphan is a copy that its master lost in a power loss while slaves had it. on and fsynced are sets
// of slave ids (bit id). The slaves serve it while the master is away; when the master returns without
// it, nobody copies it back, and it is stranded.
type orphan struct {
	end         int64
	msg         int32
	on, fsynced uint16
	state       copyState
	// why is what took the master's copy.
	why Loss
}

// replicate sends the slaves of broker b what they lack. One run of bytes is on its way to a slave at
// a time; what is appended meanwhile goes with the next.
//
// Source: HAConnection.WriteSocketService, 4.9.8; DefaultHAConnection.WriteSocketService, 5.3.3.
func (w *World) replicate(b int32) {
	first := w.firstProc[b]
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		w.feed(first + id + 1)
	}
}

// feed starts the next run of bytes to slave process s if there is any and the way is free.
func (w *World) feed(s int32) {
	sl := &w.procs[s].slave
	master := &w.procs[w.firstProc[w.procs[s].broker]]
	if !sl.connected || !sl.reported || sl.flowing || !master.running ||
		master.log.end <= w.procs[s].log.end {
		return
	}
	sl.flowing, sl.upTo, sl.epoch = true, master.log.end, master.epoch
	sl.packets++
	d := w.sample(&w.latency, drawReplicaWire, uint64(s), sl.packets, 0)
	w.after(d, evReplicaBytes, s)
}

// replicaBytes is a run of bytes at the slave: in its page cache now.
func (w *World) replicaBytes(s int32) {
	if w.deferWhilePaused(s, evReplicaBytes, s) {
		return
	}
	pr := &w.procs[s]
	sl := &pr.slave
	sl.flowing = false
	if !pr.running || !sl.connected {
		return // what was on its way to the slave's last life is gone
	}
	if w.procs[w.firstProc[pr.broker]].epoch == sl.epoch {
		pr.log.end = sl.upTo
	}
	w.feed(s)
}

// replicaConnect is a slave trying to reach its master; it tries again every haRetry.
func (w *World) replicaConnect(s int32) {
	if w.deferWhilePaused(s, evReplicaConnect, s) {
		return
	}
	pr := &w.procs[s]
	master := &w.procs[w.firstProc[pr.broker]]
	if !pr.running || pr.slave.connected {
		return
	}
	if !master.running || !master.powered() {
		w.planReplicaConnect(s, haRetry)
		return
	}
	pr.slave.connected, pr.slave.reported, pr.slave.flowing = true, false, false
	w.timerAfter(pr.profile.firstReport+w.roundTrip(&w.procs[s].origin), evReplicaReport, s)
}

func (w *World) planReplicaConnect(s int32, in sim.Duration) {
	sl := &w.procs[s].slave
	w.eng.Stop(sl.connect)
	sl.connect = w.timerAfter(in, evReplicaConnect, s)
}

// replicaReport tells the master where the slave's log ends. If the master came back shorter, the
// slave's bytes behind the master's end are another history: nothing flows until the master's log has
// grown past them.
//
// Source: HAConnection.ReadSocketService, 4.9.8 (drops the connection meanwhile);
// DefaultHAConnection, 5.3.3 (takes the offset as it is).
func (w *World) replicaReport(s int32) {
	pr := &w.procs[s]
	if !pr.running || !pr.slave.connected {
		return
	}
	pr.slave.reported = true
	w.feed(s)
}

// deliverReplicaBytes lets what has left the master of broker b reach its slaves: that it dies now does
// not take the bytes off the wire.
func (w *World) deliverReplicaBytes(b int32) {
	first := w.firstProc[b]
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		pr := &w.procs[first+id+1]
		if pr.running && pr.slave.connected && pr.slave.flowing && pr.slave.epoch == w.procs[first].epoch {
			pr.log.end = pr.slave.upTo
		}
	}
}

// disconnectSlaves ends the replication of broker b when its master dies. The slaves look for it
// again.
func (w *World) disconnectSlaves(b int32) {
	first := w.firstProc[b]
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		s := first + id + 1
		pr := &w.procs[s]
		pr.slave.connected, pr.slave.reported = false, false
		if pr.running {
			w.planReplicaConnect(s, w.phase(ownerProcess(s), phaseReplica+uint64(w.procs[first].epoch)<<8,
				haRetry))
		}
	}
}

// holders is the set of slaves of broker b that have a copy ending at end, and of those that have it
// on disk.
func (w *World) holders(b int32, end int64, size int64) (on, fsynced uint16) {
	first := w.firstProc[b]
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		pr := &w.procs[first+id+1]
		if pr.log.end < end || end-size < pr.slave.missing {
			continue
		}
		on |= 1 << (id + 1)
		if pr.log.flushed >= end {
			fsynced |= 1 << (id + 1)
		}
	}
	return on, fsynced
}

// loseCopy is message m's copy that ends at end gone from its master's page cache: lost, unless a slave
// has it.
func (w *World) loseCopy(b int32, end int64, m int32, why Loss) {
	r := &w.msgs.items[m]
	on, fsynced := w.holders(b, end, int64(r.size))
	if on == 0 {
		w.copyMoves(r, b, copyAtRisk, copyGone, why)
		w.unref(m)
		return
	}
	o := orphan{end: end, msg: m, on: on, fsynced: fsynced, state: copyAtRisk, why: why}
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
		if o.on&(1<<pr.id) != 0 && o.end <= pr.log.flushed {
			o.fsynced |= 1 << pr.id
			w.moveOrphan(pr.broker, o, Loss{})
		}
	}
	w.closeStranded(pr.broker)
}

// closeStranded forgets the stranded copies that are on a disk.
func (w *World) closeStranded(b int32) {
	ml := &w.logs[b]
	ml.orphans = slices.DeleteFunc(ml.orphans, func(o orphan) bool {
		done := o.state == copyStranded && o.fsynced != 0
		if done {
			w.unref(o.msg)
		}
		return done
	})
}

// loseOrphans follows a power loss of slave process s. What it gets from the master after that is the
// master's, from where its log ends now.
func (w *World) loseOrphans(s int32, why Loss) {
	pr := &w.procs[s]
	pr.slave.missing = min(pr.slave.missing, pr.log.end)
	bit := uint16(1) << pr.id
	ml := &w.logs[pr.broker]
	for i := range ml.orphans {
		o := &ml.orphans[i]
		if o.on&bit != 0 && o.fsynced&bit == 0 {
			o.on &^= bit
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
		if end := w.procs[first].log.end; pr.log.end > end {
			pr.slave.missing = pr.log.end
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
