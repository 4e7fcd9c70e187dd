package model

import "simrun/sim"

// replica is what a slave process has beside its log: the search for its master, and the connection
// to it.
type replica struct {
	// conn is the connection, none without one.
	conn int32
	// knows: the slave has learnt its master's address from a name server.
	knows bool
	// connecting: a handshake is under way. life is that of the master's process that answered.
	connecting bool
	life       uint32
	tries      int32
	// connect is the next attempt, retry the next SYN of this one, timeout its end.
	connect, retry, timeout sim.Timer
	// reported is when the slave last reported its offset, over this connection or another.
	reported sim.Time
	// From foreign to missing the slave's bytes are not the master's: the master came back shorter and
	// wrote other bytes there, or the slave has a new disk and nothing.
	foreign, missing int64
	// Packets of bytes to it and of reports from it so far.
	packets, reports uint64
	// selects counts the waits in select of the process, whatever its role.
	selects uint64
}

// haConnectTimeout bounds a slave's connect. Source: RemotingUtil.connect, 4.9.8;
// NetworkUtil.connect, 5.3.3.
const haConnectTimeout = 5 * sim.Second

// planHAConnect plans a slave's next attempt to reach its master.
func (w *World) planHAConnect(s int32, in sim.Duration) {
	sl := &w.procs[s].slave
	w.eng.Stop(sl.connect)
	sl.connect = w.timerAfter(in, evHAConnect, s)
}

// learnMaster is the answer of a name server to a slave's registration: it has the master's address,
// if the name server knows it.
//
// Source: BrokerController.doRegisterBrokerAll, 4.9.8; handleRegisterBrokerResult, 5.3.3.
func (w *World) learnMaster(p, ns int32) {
	pr := &w.procs[p]
	if pr.id > 0 && w.regs[w.regIndex(ns, w.firstProc[pr.broker])].registered {
		pr.slave.knows = true
	}
}

// haConnect is a slave trying to reach its master; it tries again haRetry after it has failed.
//
// Source: HAService.HAClient.run and connectMaster, 4.9.8; DefaultHAClient.run and connectMaster,
// 5.3.3.
func (w *World) haConnect(s int32) {
	if w.deferWhilePaused(s, evHAConnect, s) {
		return
	}
	pr := &w.procs[s]
	sl := &pr.slave
	if !pr.running || pr.haClosed || sl.conn != none || sl.connecting {
		return
	}
	if !sl.knows {
		w.planHAConnect(s, w.scaled(haRetry))
		return
	}
	sl.connecting, sl.tries = true, 0
	sl.timeout = w.timerAfter(w.scaled(haConnectTimeout), evHAConnectTimeout, s)
	w.haSYN(s)
}

// haSYN sends a SYN, and plans the next: Linux sends it again after 1, 2, 4 … s.
func (w *World) haSYN(s int32) {
	pr := &w.procs[s]
	sl := &pr.slave
	w.sendSYN(s, w.firstProc[pr.broker], &pr.origin, evHASYN, s)
	sl.retry = w.timerAfter(w.scaled(synRetry)<<sl.tries, evHASYNRetry, s)
	sl.tries++
}

// haSYNArrives is a SYN at the master's host: refused without a process, else a handshake by the
// kernel.
func (w *World) haSYNArrives(s int32) {
	pr := &w.procs[s]
	p := w.firstProc[pr.broker]
	m := &w.procs[p]
	if !pr.slave.connecting || !m.powered() {
		return
	}
	kind := evHARefused
	if m.running && !m.haClosed {
		kind = evHAConnected
		pr.slave.life = m.epoch
	}
	w.sendSYN(p, s, &m.origin, kind, s)
}

// haRefused ends an attempt that failed.
func (w *World) haRefused(s int32) {
	sl := &w.procs[s].slave
	if !sl.connecting {
		return
	}
	w.haConnectOver(s)
	w.planHAConnect(s, w.scaled(haRetry))
}

// haConnectTimedOut ends an attempt that nobody answered.
func (w *World) haConnectTimedOut(s int32) {
	if w.deferWhilePaused(s, evHAConnectTimeout, s) {
		return
	}
	w.haConnectOver(s)
	w.planHAConnect(s, w.scaled(haRetry))
}

func (w *World) haConnectOver(s int32) {
	sl := &w.procs[s].slave
	sl.connecting = false
	w.eng.Stop(sl.retry)
	w.eng.Stop(sl.timeout)
}

// haConnected is the SYN-ACK at the slave's kernel.
func (w *World) haConnected(s int32) {
	sl := &w.procs[s].slave
	if !sl.connecting {
		return
	}
	w.eng.Stop(sl.retry)
	w.eng.Stop(sl.timeout)
	w.haEstablished(s)
}

// haEstablished is the slave going on with a connection. How far its log goes now is what it will
// report first; a 4.x slave starts the time to its next report anew.
//
// Source: HAService.HAClient.connectMaster, 4.9.8; DefaultHAClient.connectMaster, 5.3.3.
func (w *World) haEstablished(s int32) {
	if w.deferWhilePaused(s, evHAEstablished, s) {
		return
	}
	w.haConnectOver(s)
	pr := &w.procs[s]
	i := w.newHAConnection(s)
	now := w.eng.Now()
	if pr.profile.FirstReport > 0 {
		pr.slave.reported = now
	}
	w.haWrite(i, slaveEnd, piece{what: pieceOpens}, now)
	if w.brokerConfig(s).HAHeartbeatInterval == 0 {
		w.haConns.items[i].ends[slaveEnd].beat = w.timerAfter(pr.profile.FirstReport, evHAReport, i)
		return
	}
	w.planHAReport(i, now)
}

// newHAConnection makes a connection of slave s to its master's process, open at the slave's end.
func (w *World) newHAConnection(s int32) int32 {
	i := w.haConns.alloc()
	c := &w.haConns.items[i]
	pr := &w.procs[s]
	*c = haConnection{slave: s, life: pr.slave.life, reported: pr.log.end}
	e := &c.ends[slaveEnd]
	e.open, e.kernel, e.heard, e.left = true, w.addresses[s].kernel, w.eng.Now(), w.eng.Now()
	pr.slave.conn = i
	w.planHAWatch(i, slaveEnd)
	return i
}

// haDisconnected is a slave that has closed its connection because of what it read there.
//
// Source: HAService.HAClient.run, 4.9.8 (connects again at once); DefaultHAClient.closeMasterAndWait,
// 5.3.3.
func (w *World) haDisconnected(s int32) {
	if w.procs[s].profile.WaitsToReconnect {
		w.planHAConnect(s, w.scaled(haRetry))
		return
	}
	w.planHAConnect(s, 0)
}

// planHAReport plans a slave's next report of its offset when nothing comes from its master. Its loop
// began to wait at `from`.
func (w *World) planHAReport(i int32, from sim.Time) {
	c := &w.haConns.items[i]
	interval := w.brokerConfig(c.slave).HAHeartbeatInterval
	if interval == 0 {
		return
	}
	at := w.selectSees(c.slave, from, w.procs[c.slave].slave.reported, interval)
	c.ends[slaveEnd].beat = w.eng.StartTimer(at, sim.PrioTimer, w.self, evHAReport, uint32(i))
}

// haReportDue reports the offset, if that was not done meanwhile.
//
// Source: HAService.HAClient.run and isTimeToReportOffset, 4.9.8; DefaultHAClient.transferFromMaster,
// 5.3.3.
func (w *World) haReportDue(i int32) {
	c := &w.haConns.items[i]
	if w.deferWhilePaused(c.slave, evHAReport, i) || w.deferBehindStuck(c.slave, evHAReport, i) {
		return
	}
	sl := &w.procs[c.slave].slave
	interval := w.brokerConfig(c.slave).HAHeartbeatInterval
	if interval == 0 || w.eng.Now().Sub(sl.reported) > interval {
		w.reportOffset(i)
	}
	w.planHAReport(i, sl.reported)
}

// reportOffset tells the master how far the slave's log goes: in the page cache, not on the disk.
func (w *World) reportOffset(i int32) {
	c := &w.haConns.items[i]
	w.procs[c.slave].slave.reported = w.eng.Now()
	w.haWrite(i, slaveEnd, piece{what: pieceReport, end: c.reported}, w.eng.Now())
}

// haBytes is bytes of the master's log at the slave: they go to its page cache, and it reports. It is
// false if the slave closes the connection because they do not follow what it has.
//
// Source: HAService.HAClient.dispatchReadRequest and reportSlaveMaxOffsetPlus, 4.9.8;
// DefaultHAClient.dispatchReadRequest, 5.3.3.
func (w *World) haBytes(i int32, p piece) bool {
	c := &w.haConns.items[i]
	pr := &w.procs[c.slave]
	log := &pr.log
	switch {
	case log.end == 0 && p.from > 0: // a new disk
		log.end, log.flushed, log.disk = p.from, p.from, p.from
		pr.slave.foreign, pr.slave.missing = 0, p.from
	case log.end != p.from && log.end != 0:
		w.haHangUp(i, slaveEnd, true)
		return false
	}
	log.end = p.end
	w.dirtied(c.slave)
	if p.end > c.reported {
		c.reported = p.end
		w.reportOffset(i)
	}
	return true
}

// deliverReplicaBytes lets what has left the master of broker b reach its slaves: that its host loses
// power now does not take the bytes off the wire.
func (w *World) deliverReplicaBytes(b int32) {
	first := w.firstProc[b]
	for id := range int32(w.cfg.Brokers[b].Slaves) {
		pr := &w.procs[first+id+1]
		if pr.slave.conn == none || w.cut(first, first+id+1) {
			continue
		}
		e := &w.haConns.items[pr.slave.conn].ends[masterEnd]
		for k := 0; e.rto == 0 && k < e.pieces.len(); k++ {
			if p := e.pieces.at(k); p.what == pieceBytes && pr.log.end == p.from {
				pr.log.end = p.end
				w.dirtied(first + id + 1)
				p.what = pieceBeat // what comes has been read
			}
		}
	}
}

// startReplica is a slave process that starts. Its thread looks for the master before the process has
// registered, so it does not know the address at its first look.
//
// Source: BrokerController.start, 4.9.8 and 5.3.3 (the store starts before the registration).
func (w *World) startReplica(s int32) {
	w.procs[s].slave.knows = false
	w.planHAConnect(s, w.scaled(haRetry))
}

// haShutdown is the store of a process in an orderly shutdown closing its connections to slaves or to
// its master, and its port for slaves.
//
// Source: DefaultMessageStore.shutdown and HAService.shutdown, 4.2.0, 4.9.8; DefaultHAService.shutdown,
// 5.3.3.
func (w *World) haShutdown(p int32) {
	w.procs[p].haClosed = true
	w.haCloseAll(p, true)
}

// endReplication ends what a process that dies had with its slaves or its master. Its kernel closes
// the connections, if it lives on.
func (w *World) endReplication(p int32) {
	pr := &w.procs[p]
	w.haCloseAll(p, pr.powered())
	if pr.id == 0 {
		w.ha[pr.broker].pushed = 0
		return
	}
	w.haConnectOver(p)
	w.eng.Stop(pr.slave.connect)
}

// haRetry is the pause between a slave's attempts to reach its master.
// Source: HAService.HAClient.run, 4.9.8; DefaultHAClient.run, 5.3.3.
const haRetry = 5 * sim.Second
