package model

import "simrun/sim"

// The times at which the kernel gives a peer up that acknowledges nothing, after the first try.
//
// Source: Linux, ip-sysctl: tcp_retries2 (15) comes to 924.6 s with a first timeout of 200 ms;
// tcp_orphan_retries (8), for a socket that its process has closed, to 102.2 s.
const (
	maxRTO     = 120 * sim.Second // TCP_RTO_MAX
	giveUp     = 924600 * sim.Millisecond
	orphanLife = 102200 * sim.Millisecond
	// orphanTries is how often something is sent again in that time.
	orphanTries = 9
	// synRetry is when Linux sends a SYN again that got no answer (the next one, 3 s after the first,
	// comes together with connectTimeout).
	synRetry = sim.Second
	// firstRTO is the first retransmission of data on a connection; each later gap is twice as long.
	firstRTO = 200 * sim.Millisecond
)

// segment is data on a connection that belongs to no request of a producer: a registration, a poll, an
// answer to one, bytes for a slave, a FIN. What does not come to its host is sent again, after a gap
// that doubles, by the kernel that sent it.
type segment struct {
	from, to int32 // endpoints
	index    int32
	kind     uint16
	// closes is a FIN: the kernel repeats it though the process is gone. once is an RST: nobody repeats
	// it.
	closes, once bool
	// life and kernel are the sender's when it was sent, toLife the receiver's.
	life, kernel, toLife uint32
	sender               *origin
	sent                 sim.Time
	rto                  sim.Duration
}

// arrival is what a handler may ask about the control segment that it is called for; it is the zero
// value in every other call.
type arrival struct {
	from, to int32
	// life is the sender's life that sent it.
	life uint32
	// stale: the receiving process is not running the life that it was sent to, so the kernel knows
	// no such connection and answers RST.
	stale bool
}

// sendControl sends a segment from one endpoint to another. The event (kind, index) follows when it
// comes to the host of to: at once after one latency, or after it has been sent again. It never does
// if the sender's process ends before, or to stays out of reach until the kernel gives up. What the
// process there makes of it is up to the handler; World.arriving tells whom it was meant for. s is the
// sender, for the draws.
func (w *World) sendControl(from, to int32, s *origin, kind uint16, index int32) {
	d := w.controlWire(from, to, s)
	w.transmit(d, segment{from: from, to: to, kind: kind, index: index, sender: s})
}

// sendFIN is sendControl for the end of a connection: the kernel repeats it, whatever becomes of the
// process, while the host has power.
func (w *World) sendFIN(from, to int32, s *origin, kind uint16, index int32) {
	d := w.controlWire(from, to, s)
	w.transmit(d, segment{from: from, to: to, kind: kind, index: index, sender: s, closes: true})
}

// sendRST is sendFIN for a connection with unread bytes: it is sent once.
func (w *World) sendRST(from, to int32, s *origin, kind uint16, index int32) {
	d := w.controlWire(from, to, s)
	w.transmit(d, segment{from: from, to: to, kind: kind, index: index, sender: s, once: true})
}

// sendSYN sends a packet of a handshake, which the kernel of the client takes care of: what does not
// come is not repeated. It is the receiver's business that the packet does not come to a host without
// power.
func (w *World) sendSYN(from, to int32, s *origin, kind uint16, index int32) {
	d := w.controlWire(from, to, s)
	if len(w.links) > 0 {
		if w.delaying > 0 {
			d += w.delayOfControl(from, to, s)
		}
		if w.cut(from, to) || w.losesControl(from, to, s) {
			return
		}
	}
	w.after(d, kind, index)
}

// transmit puts a segment on the wire for a drawn latency.
func (w *World) transmit(d sim.Duration, seg segment) {
	seg.life, seg.kernel = w.lifeOf(seg.from), w.addresses[seg.from].kernel
	seg.toLife = w.lifeOf(seg.to)
	seg.sent, seg.rto = w.eng.Now(), w.scaled(firstRTO)
	if w.delaying > 0 {
		d += w.delayOfControl(seg.from, seg.to, seg.sender)
	}
	i := w.segments.alloc()
	w.segments.items[i] = seg
	w.after(d, evSegment, i)
}

// segmentArrives delivers a segment, or sends it again.
func (w *World) segmentArrives(i int32) {
	seg := &w.segments.items[i]
	if !w.arrives(seg.from, seg.to) || len(w.links) > 0 && w.losesControl(seg.from, seg.to, seg.sender) {
		w.repeatSegment(i)
		return
	}
	kind, index := seg.kind, seg.index
	w.arriving = arrival{
		from: seg.from, to: seg.to, life: seg.life, stale: seg.toLife != w.lifeOf(seg.to),
	}
	w.segments.free(i)
	w.handleRare(kind, index)
	w.arriving = arrival{}
}

// repeatSegment plans the next try of a segment, if its sender still makes one.
func (w *World) repeatSegment(i int32) {
	seg := &w.segments.items[i]
	limit := w.scaled(giveUp)
	if seg.closes {
		limit = w.scaled(orphanLife)
	}
	gone := seg.kernel != w.addresses[seg.from].kernel || !seg.closes && seg.life != w.lifeOf(seg.from)
	if seg.once || gone || w.eng.Now().Sub(seg.sent) >= limit {
		w.segments.free(i)
		return
	}
	w.after(seg.rto, evSegment, i)
	seg.rto = min(2*seg.rto, w.scaled(maxRTO))
}

// arrives says whether a packet from one endpoint that is at the other's host now is received there.
func (w *World) arrives(from, to int32) bool { return w.poweredAt(to) && !w.cut(from, to) }

// reaches says whether a packet that leaves endpoint from now comes to the host of endpoint to: both
// have power, and nothing between them is cut. It says nothing about the processes there.
func (w *World) reaches(from, to int32) bool {
	return w.poweredAt(from) && w.arrives(from, to)
}
