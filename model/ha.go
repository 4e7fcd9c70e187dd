package model

import (
	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
)

// haService is what a master knows of its slaves: HAService of RocketMQ, with its GroupTransferService.
type haService struct {
	// conns are the open connections, in the order in which they were accepted. One counts from then
	// on, before the slave has said anything.
	conns []int32
	// pushed is push2SlaveMaxOffset: how far the log of any slave has gone, by its reports. A master
	// that has just started knows of none.
	pushed int64

	transfers transfers
}

const (
	// haPoll is how long the loop that writes to a slave waits when it finds nothing to write. Only a
	// put that waits for a slave wakes it.
	// Source: HAConnection.WriteSocketService.run (allWaitForRunning) and CommitLog.submitReplicaRequest
	// (wakeupAll), 4.9.8; DefaultHAConnection.WriteSocketService.run and CommitLog.handleHA, 5.3.3.
	haPoll = 100 * sim.Millisecond
	// haTransferBatch is haTransferBatchSize: how many bytes are written in one go.
	// Source: MessageStoreConfig, 4.9.8 and 5.3.3.
	haTransferBatch = 32 << 10
	// mappedFileSize is mappedFileSizeCommitLog. A slave with an empty log is sent the last file only.
	// Source: HAConnection.WriteSocketService.run, 4.9.8; DefaultHAConnection.WriteSocketService.run,
	// 5.3.3; MessageStoreConfig.
	mappedFileSize = 1 << 30
	// selectTimeout is how long the loops that read from a peer wait at most before they look at the
	// clock. Source: HAConnection.ReadSocketService.run and HAService.HAClient.run, 4.9.8;
	// DefaultHAConnection.ReadSocketService.run and DefaultHAClient.transferFromMaster, 5.3.3.
	selectTimeout = sim.Second
)

// buildReplication connects every slave in the middle of its life: its log is its master's, and its
// last report lies within one interval in the past.
func (w *World) buildReplication() {
	w.ha = make([]haService, len(w.cfg.Brokers))
	for s := range w.brokerProcs {
		pr := &w.procs[s]
		if pr.id == 0 {
			w.ha[pr.broker].pushed = pr.log.end
			continue
		}
		pr.slave.life, pr.slave.knows = 1, true
		i := w.newHAConnection(s)
		c := &w.haConns.items[i]
		w.haAccept(i)
		c.requested, c.ack, c.next = true, pr.log.end, pr.log.end
		c.idle = -sim.Time(w.phase(ownerProcess(s), phaseReplicaPoll, w.scaled(haPoll)))
		last := -sim.Time(w.phase(ownerProcess(s), phaseReplicaReport, w.brokerConfig(s).HAHeartbeatInterval))
		pr.slave.reported = last
		c.ends[masterEnd].heard, c.ends[masterEnd].wrote = last, last
		w.planHABeat(i)
		w.planHAReport(i, last)
	}
}

// haAccept is the master accepting a slave's connection.
//
// Source: HAConnection, its constructor, 4.9.8; DefaultHAConnection, 5.3.3.
func (w *World) haAccept(i int32) {
	p := w.haProcess(i, masterEnd)
	e := &w.haConns.items[i].ends[masterEnd]
	now := w.eng.Now()
	e.open, e.kernel, e.heard, e.wrote = true, w.addresses[p].kernel, now, now
	e.left = now
	ha := &w.ha[w.procs[p].broker]
	ha.conns = append(ha.conns, i)
	w.planHAWatch(i, masterEnd)
}

// haRemove takes a connection that its master closes off the list. Nobody who waits for it is told.
func (w *World) haRemove(i int32) {
	c := &w.haConns.items[i]
	w.eng.Stop(c.feed)
	c.feeding = false
	ha := &w.ha[w.procs[c.slave].broker]
	for k, o := range ha.conns {
		if o == i {
			ha.conns = append(ha.conns[:k], ha.conns[k+1:]...)
			return
		}
	}
}

// haReport is a slave's report at its master: how far its log goes. The first of a connection says
// where the bytes begin. It is false if the master closes the connection for it.
//
// Source: HAConnection.ReadSocketService.processReadEvent, 4.2.0, 4.9.8;
// DefaultHAConnection.ReadSocketService.processReadEvent, 5.3.3; HAService.notifyTransferSome, 4.9.8.
func (w *World) haReport(i int32, offset int64) bool {
	c := &w.haConns.items[i]
	p := w.haProcess(i, masterEnd)
	pr := &w.procs[p]
	first := !c.requested
	switch {
	case first:
		c.requested, c.next = true, offset
		if offset == 0 {
			c.next = pr.written() - pr.written()%mappedFileSize
		}
	case pr.profile.ShorterMaster == releases.ShorterDrops && offset > pr.written():
		w.haHangUp(i, masterEnd, true)
		return false
	}
	c.ack = offset
	if first {
		w.planHABeat(i)
		w.haFeed(i)
	}
	ha := &w.ha[pr.broker]
	highest := offset > ha.pushed
	ha.pushed = max(offset, ha.pushed)
	w.transferAcked(pr.broker, highest)
	return true
}

// replicate sees to it that the slaves of broker b get what was appended: the loops that write to them
// find it when they look again.
func (w *World) replicate(b int32) {
	poll := w.scaled(haPoll)
	for _, i := range w.ha[b].conns {
		c := &w.haConns.items[i]
		if c.feeding || c.full || !c.requested {
			continue
		}
		waited := w.eng.Now().Sub(c.idle)
		w.planHAFeed(i, c.idle.Add(waited-waited%poll+poll))
	}
}

// wakeReplication has the loops of broker b look at once: a put waits for the slaves.
func (w *World) wakeReplication(b int32) {
	for _, i := range w.ha[b].conns {
		c := &w.haConns.items[i]
		if c.full || !c.requested || c.ends[masterEnd].left > w.eng.Now() {
			continue // it does not wait
		}
		w.eng.Stop(c.feed)
		w.haFeed(i)
	}
}

func (w *World) planHAFeed(i int32, at sim.Time) {
	c := &w.haConns.items[i]
	c.feeding = true
	c.feed = w.eng.StartTimer(at, sim.PrioTimer, w.self, evHAFeed, uint32(i))
}

// haFeed is the loop that writes to a slave at work: it sends what the slave lacks.
//
// Source: HAConnection.WriteSocketService.run, 4.9.8; DefaultHAConnection.WriteSocketService.run,
// 5.3.3.
func (w *World) haFeed(i int32) {
	c := &w.haConns.items[i]
	p := w.haProcess(i, masterEnd)
	c.feeding = false
	if w.deferWhilePaused(p, evHAFeed, i) {
		c.feeding = true
		return
	}
	e := &c.ends[masterEnd]
	now, end := w.eng.Now(), w.procs[p].written()
	switch {
	case !e.open || c.next >= end:
		c.idle = now
		return
	case e.rto > 0 || e.pieces.len() >= haWindow:
		c.full = true
		return
	}
	from, leaves := c.next, now
	bandwidth := w.brokerConfig(p).ReplicationBandwidth
	if bandwidth > 0 {
		end = min(end, from+haTransferBatch)
		takes := float64(end-from) / bandwidth * float64(sim.Second)
		leaves = max(now, e.left).Add(sim.Duration(min(takes, float64(config.MaxDelay))))
	}
	c.next, e.wrote = end, now
	w.haWrite(i, masterEnd, piece{what: pieceBytes, from: from, end: end}, leaves)
	if leaves > now {
		w.planHAFeed(i, leaves)
		return
	}
	c.idle = now
}

// planHABeat plans the master's next sign of life to a slave. None is sent before the slave's first
// report.
func (w *World) planHABeat(i int32) {
	c := &w.haConns.items[i]
	e := &c.ends[masterEnd]
	interval := w.brokerConfig(c.slave).HAHeartbeatInterval
	if interval == 0 {
		return
	}
	at := max(e.wrote.Add(interval), w.eng.Now())
	e.beat = w.eng.StartTimer(at, sim.PrioTimer, w.self, evHABeat, uint32(i))
}

// haBeat sends it, if nothing else was written meanwhile.
//
// Source: HAConnection.WriteSocketService.run, 4.9.8; DefaultHAConnection.WriteSocketService.run,
// 5.3.3.
func (w *World) haBeat(i int32) {
	c := &w.haConns.items[i]
	if w.deferWhilePaused(w.haProcess(i, masterEnd), evHABeat, i) {
		return
	}
	e := &c.ends[masterEnd]
	now := w.eng.Now()
	if now.Sub(e.wrote) >= w.brokerConfig(c.slave).HAHeartbeatInterval {
		e.wrote = now
		w.haWrite(i, masterEnd, piece{what: pieceBeat}, max(now, e.left))
	}
	w.planHABeat(i)
}

// planHAWatch plans an end's next look at how long it has heard nothing.
func (w *World) planHAWatch(i, end int32) {
	p := w.haProcess(i, end)
	limit := w.brokerConfig(p).HAHousekeepingInterval
	if limit == 0 || end == slaveEnd && !w.procs[p].profile.SlaveHousekeeping {
		return
	}
	e := &w.haConns.items[i].ends[end]
	at := w.selectSees(p, e.heard, e.heard, limit)
	e.watch = w.eng.StartTimer(at, sim.PrioTimer, w.self, evHAWatch, uint32(2*i+end))
}

// haWatch closes an end that has heard nothing for haHousekeepingInterval. A slave then connects again
// at once.
//
// Source: HAConnection.ReadSocketService.run, 4.2.0 and 4.9.8; HAService.HAClient.run, 4.2.0;
// DefaultHAConnection.ReadSocketService.run and DefaultHAClient.run, 5.3.3.
func (w *World) haWatch(index int32) {
	i, end := index>>1, index&1
	p := w.haProcess(i, end)
	if w.deferWhilePaused(p, evHAWatch, index) || w.deferBehindStuck(p, evHAWatch, index) {
		return
	}
	c := &w.haConns.items[i]
	if o := &c.ends[1-end]; o.rto == 0 && o.pieces.len() > 0 && o.pieces.head().at < w.eng.Now() {
		w.haArrives(2*i + 1 - end) // after a pause: the loop reads first
		if c = &w.haConns.items[i]; !c.ends[end].open {
			return
		}
	}
	if w.eng.Now().Sub(c.ends[end].heard) <= w.brokerConfig(p).HAHousekeepingInterval {
		w.planHAWatch(i, end)
		return
	}
	s := c.slave
	w.haClose(i, end, true)
	if end == slaveEnd {
		w.planHAConnect(s, 0)
	}
}

// selectSees is when a loop of process p that began to wait in select at `from` first sees that more
// than limit has passed since another time. It looks each selectTimeout, by a clock of whole
// milliseconds; whether the waits have come to a millisecond too much, which decides a tie, is luck.
func (w *World) selectSees(p int32, from, since sim.Time, limit sim.Duration) sim.Time {
	due := since.Add(limit)
	if due < from {
		return from
	}
	timeout := w.scaled(selectTimeout)
	rounds := (due.Sub(from) + timeout - 1) / timeout
	sl := &w.procs[p].slave
	sl.selects++
	draw := sim.Key(w.cfg.Seed, drawSelect, uint64(p), sl.selects, 0)
	late := sim.Duration(draw.Float64() * float64(w.scaled(2*sim.Millisecond)))
	at := from.Add(rounds*timeout + late)
	if at.Sub(since) < limit+w.scaled(sim.Millisecond) {
		at = at.Add(timeout)
	}
	return at
}

// Replicas is the number of slaves whose connection the master of a broker counts now.
func (w *World) Replicas(broker int) int { return len(w.ha[broker].conns) }
