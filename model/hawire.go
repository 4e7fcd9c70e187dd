package model

import "simrun/sim"

// haConnection is the TCP connection over which a slave copies its master's log: bytes one way,
// reports of how far the slave's log goes the other way. Each end learns that the other is gone from
// what comes over the wire, or does not, so for a while one may be open without the other.
type haConnection struct {
	slave int32  // process
	life  uint32 // of the master's process that accepted it, or will
	ends  [2]haEnd

	// The master's side, HAConnection of RocketMQ. requested: the first report has come; ack is the
	// newest, next is where the bytes to write begin.
	requested bool
	ack, next int64
	// idle is since when the write loop has found nothing to write. feeding: feed is when it looks
	// again. full: it waits for room in the socket's buffer.
	idle          sim.Time
	feeding, full bool
	feed          sim.Timer

	// The slave's side, HAClient of RocketMQ: the offset that it reported last.
	reported int64
}

// haEnd is one process's end of the connection.
type haEnd struct {
	open bool
	// kernel is the one that was there when the end was made: it repeats what this end wrote.
	kernel uint32
	// heard is when the process last read something, wrote when it last wrote something.
	heard, wrote sim.Time
	// watch ends a silent connection, beat is the next sign of life, reset an RST on its way here.
	watch, beat, reset sim.Timer
	// What this end wrote and the other has not read yet, oldest first.
	pieces fifo[piece]
	// arrives is the event that delivers the oldest, last when the newest comes, left when all of it
	// has left the sender.
	arrives    sim.Timer
	last, left sim.Time
	// waits: the oldest has come to a process that is stopped or waits for its disk, and waits there.
	waits bool
	// rto is the next gap of retransmission while the oldest is not acknowledged, since when that is.
	// received: the oldest has come, and only its acknowledgement is missing.
	rto      sim.Duration
	since    sim.Time
	received bool
}

// The ends of a connection. An end's events have the index 2*connection + end.
const (
	masterEnd = int32(0)
	slaveEnd  = int32(1)
)

// piece is what an end wrote in one go.
type piece struct {
	what      pieceWhat
	from, end int64 // offsets in the log: of bytes, or, as end alone, of a report
	at        sim.Time
}

type pieceWhat uint8

const (
	pieceOpens  pieceWhat = iota // the end of the handshake: the master accepts
	pieceBytes                   // bytes of the log
	pieceReport                  // the slave's log goes to here
	pieceBeat                    // the master has nothing to say
	pieceCloses                  // FIN
)

// haWindow is how many pieces are under way at most: then the socket's buffers are full.
const haWindow = 64

// haProcess is the process at an end of connection i.
func (w *World) haProcess(i, end int32) int32 {
	s := w.haConns.items[i].slave
	if end == slaveEnd {
		return s
	}
	return w.firstProc[w.procs[s].broker]
}

// haWrite puts a piece on the wire. It leaves at a time not before now, and does not overtake another.
func (w *World) haWrite(i, end int32, p piece, leaves sim.Time) {
	e := &w.haConns.items[i].ends[end]
	n := e.pieces.len()
	if n > 1 && (e.rto > 0 || n >= haWindow) && e.pieces.at(n-1).what == p.what {
		e.pieces.at(n - 1).end = p.end // it stays in the socket's buffer; what counts is the newest
		return
	}
	p.at = max(e.last, leaves.Add(w.haLatency(i, end)))
	e.last, e.left = p.at, leaves
	e.pieces.push(p)
	if e.pieces.len() == 1 && e.rto == 0 {
		w.planHAArrival(i, end)
	}
}

// haLatency draws the latency of a piece.
func (w *World) haLatency(i, end int32) (d sim.Duration) {
	s := w.haConns.items[i].slave
	sl := &w.procs[s].slave
	from, to := w.haProcess(i, end), w.haProcess(i, 1-end)
	if end == masterEnd {
		sl.packets++
		d = w.sample(w.way(from, to), drawReplicaWire, uint64(s), sl.packets, 0)
	} else {
		sl.reports++
		d = w.sample(w.way(from, to), drawReport, uint64(s), sl.reports, 0)
	}
	if w.delaying > 0 {
		d += w.delayOfControl(from, to, &w.procs[from].origin)
	}
	return d
}

func (w *World) planHAArrival(i, end int32) {
	e := &w.haConns.items[i].ends[end]
	at := max(e.pieces.head().at, w.eng.Now())
	e.arrives = w.eng.StartTimer(at, sim.PrioArrival, w.self, evHAArrives, uint32(2*i+end))
}

// haArrives is the oldest piece that an end wrote at the host of the other. The kernel there hands it
// to the process, or answers RST if it knows no such connection. What does not come, or whose
// acknowledgement does not come back, is sent again, and what is behind it waits.
func (w *World) haArrives(index int32) {
	i, end := index>>1, index&1
	e := &w.haConns.items[i].ends[end]
	if e.pieces.len() == 0 && !e.received {
		return // it was read already, when a pause was over
	}
	from, to := w.haProcess(i, end), w.haProcess(i, 1-end)
	back := w.arrives(to, from)
	e.waits = false
	switch {
	case !w.arrives(from, to) || e.received && !back ||
		len(w.links) > 0 && w.losesControl(from, to, &w.procs[from].origin):
		w.haStall(i, end)
	case !w.haKnows(i, 1-end):
		w.haStall(i, end)
		w.haAnswerReset(i, end)
	case w.deferWhilePaused(to, evHAArrives, index),
		end == masterEnd && w.deferWhileStuck(to, evHAArrives, index): // a slave appends what it reads
		e.waits = true
	default:
		w.haRead(i, end, back)
	}
}

// haKnows says whether the kernel at an end knows the connection.
func (w *World) haKnows(i, end int32) bool {
	c := &w.haConns.items[i]
	if c.ends[end].open {
		return true
	}
	o := &c.ends[1-end]
	if end == slaveEnd || o.pieces.len() == 0 || o.pieces.head().what != pieceOpens {
		return false
	}
	m := &w.procs[w.haProcess(i, masterEnd)]
	return m.running && !m.haClosed && m.epoch == c.life
}

// haRead has the process at the other end read what has come of what an end wrote. back says whether
// an acknowledgement comes back.
func (w *World) haRead(i, end int32, back bool) {
	e := &w.haConns.items[i].ends[end]
	all := e.rto > 0 // what waited behind a piece that was lost comes with it
	e.rto, e.received = 0, false
	for e.pieces.len() > 0 && (all || e.pieces.head().at <= w.eng.Now()) {
		if !w.haReads(i, end, e.pieces.pop()) {
			break // and what is left meets an RST
		}
		e = &w.haConns.items[i].ends[end]
	}
	c := &w.haConns.items[i]
	e = &c.ends[end]
	switch {
	case !back && e.open:
		e.received = true
		w.haStall(i, end)
		return
	case end == masterEnd && c.full:
		c.full = false
		w.haFeed(i)
	}
	if w.eng.Stop(e.arrives); e.pieces.len() > 0 {
		w.planHAArrival(i, end)
	}
}

// haReads is the process at the other end reading a piece that an end wrote. It is false if it closes
// its end for it.
func (w *World) haReads(i, end int32, p piece) bool {
	w.haConns.items[i].ends[1-end].heard = w.eng.Now()
	switch p.what {
	case pieceOpens:
		w.haAccept(i)
	case pieceBytes:
		return w.haBytes(i, p)
	case pieceReport:
		return w.haReport(i, p.end)
	case pieceBeat: // to be heard is all
	case pieceCloses:
		w.haHangUp(i, 1-end, true)
		return false
	}
	return true
}

// haStall plans the next try of the oldest piece that an end wrote. The kernel gives up after a time,
// and with it the process's end; it is shorter if the process has closed it.
func (w *World) haStall(i, end int32) {
	c := &w.haConns.items[i]
	e := &c.ends[end]
	w.eng.Stop(e.arrives)
	if e.kernel != w.addresses[w.haProcess(i, end)].kernel {
		w.haForget(i, end) // there is no such kernel any more
		return
	}
	now := w.eng.Now()
	if e.rto == 0 {
		e.rto, e.since = w.scaled(firstRTO), now
	}
	limit := w.scaled(giveUp)
	if !e.open {
		limit = w.scaled(orphanLife)
	}
	if now.Sub(e.since) > limit {
		w.haForget(i, end)
		w.haGone(2*i + end)
		return
	}
	e.arrives = w.eng.StartTimer(now.Add(e.rto), sim.PrioArrival, w.self, evHAArrives, uint32(2*i+end))
	e.rto = min(2*e.rto, w.scaled(maxRTO))
}

// haForget drops what an end wrote.
func (w *World) haForget(i, end int32) {
	e := &w.haConns.items[i].ends[end]
	w.eng.Stop(e.arrives)
	for e.pieces.len() > 0 {
		e.pieces.skip()
	}
	e.rto, e.received, e.waits = 0, false, false
}

// haAnswerReset sends an RST back to an end.
func (w *World) haAnswerReset(i, end int32) {
	c := &w.haConns.items[i]
	e := &c.ends[end]
	w.eng.Stop(e.reset)
	at := w.eng.Now().Add(w.haLatency(i, 1-end))
	e.reset = w.eng.StartTimer(at, sim.PrioArrival, w.self, evHAReset, uint32(2*i+end))
}

// haReset is an RST at an end.
func (w *World) haReset(index int32) {
	i, end := index>>1, index&1
	p := w.haProcess(i, end)
	if !w.arrives(w.haProcess(i, 1-end), p) {
		return // what provoked it is sent again
	}
	w.haForget(i, end)
	w.haGone(index)
}

// haGone is a process noticing that the kernel has ended the connection at its end.
func (w *World) haGone(index int32) {
	i, end := index>>1, index&1
	if !w.haConns.items[i].ends[end].open || w.deferWhilePaused(w.haProcess(i, end), evHAGone, index) {
		return
	}
	w.haHangUp(i, end, false)
}

// haHangUp is a process closing its end because of what it read there, or did not. fin says whether
// its kernel tells the other end. A slave then looks for its master again.
func (w *World) haHangUp(i, end int32, fin bool) {
	c := &w.haConns.items[i]
	if !c.ends[end].open {
		return
	}
	s := c.slave
	w.haClose(i, end, fin)
	if end == slaveEnd {
		w.haDisconnected(s)
	}
}

// haClose closes a process's end, whatever the reason.
func (w *World) haClose(i, end int32, fin bool) {
	c := &w.haConns.items[i]
	e := &c.ends[end]
	if !e.open {
		return
	}
	e.open = false
	w.eng.Stop(e.watch)
	w.eng.Stop(e.beat)
	if end == masterEnd {
		w.haRemove(i)
	} else {
		w.procs[c.slave].slave.conn = none
	}
	if fin {
		w.haWrite(i, end, piece{what: pieceCloses}, max(w.eng.Now(), e.left))
	}
	if c.ends[masterEnd].open || c.ends[slaveEnd].open {
		return
	}
	for o := range c.ends {
		w.haForget(i, int32(o))
		w.eng.Stop(c.ends[o].reset)
	}
	w.haConns.free(i)
}

// haCloseAll closes the ends of process p, which ends. fin says whether its kernel tells the others.
func (w *World) haCloseAll(p int32, fin bool) {
	pr := &w.procs[p]
	if pr.id > 0 {
		if i := pr.slave.conn; i != none {
			w.haClose(i, slaveEnd, fin)
			w.haUnread(i, masterEnd)
		}
		return
	}
	for ha := &w.ha[pr.broker]; len(ha.conns) > 0; {
		w.haClose(ha.conns[0], masterEnd, fin)
	}
	for id := range int32(w.cfg.Brokers[pr.broker].Slaves) {
		if i := w.procs[p+id+1].slave.conn; i != none {
			w.haUnread(i, slaveEnd) // accepted or not
		}
	}
}

// haUnread is what an end wrote, had come to the other and was not read there before the process died:
// for the end that wrote it, it is as if it came now.
func (w *World) haUnread(i, end int32) {
	e := &w.haConns.items[i].ends[end]
	if e.waits {
		e.waits = false
		e.arrives = w.eng.StartTimer(w.eng.Now(), sim.PrioArrival, w.self, evHAArrives, uint32(2*i+end))
	}
}
