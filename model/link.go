package model

import (
	"simrun/model/config"
	"simrun/model/internal/timetable"
	"simrun/sim"
)

// link is a fault of the network while it lasts.
type link struct {
	strike int32
	// cuts: nothing comes through. Else loss is the share of packets lost, and delay, if it is there,
	// what a packet takes longer.
	cuts  bool
	loss  float64
	delay *dist
	side  *timetable.Side
}

// linkFails begins strike i of a fault of the network.
func (w *World) linkFails(i int32) {
	s := &w.strikes[i]
	f := &w.cfg.Faults[s.Fault]
	l := link{strike: i, side: s.Side}
	switch f.Kind {
	case config.PacketLoss:
		l.loss, l.cuts = f.Loss, f.Loss >= 1
	case config.PacketDelay:
		l.delay = &w.delays[s.Fault]
		w.delaying++
	default:
		l.cuts = true
	}
	w.links = append(w.links, l)
}

// linkHeals ends strike i of a fault of the network.
func (w *World) linkHeals(i int32) {
	for at := range w.links {
		if w.links[at].strike != i {
			continue
		}
		if w.links[at].delay != nil {
			w.delaying--
		}
		w.links = append(w.links[:at], w.links[at+1:]...)
		return
	}
}

// cut says whether nothing comes through from one endpoint to another now.
func (w *World) cut(from, to int32) bool {
	for i := range w.links {
		if l := &w.links[i]; l.cuts && l.side.Hits(from, to) {
			return true
		}
	}
	return false
}

// loss is the share of packets from one endpoint to another that are lost now.
func (w *World) loss(from, to int32) float64 {
	through := 1.0
	for i := range w.links {
		if l := &w.links[i]; l.loss > 0 && l.side.Hits(from, to) {
			through *= 1 - l.loss
		}
	}
	return 1 - through
}

// longer is what a packet takes longer now; (owner, packet) is whose it is.
func (w *World) longer(from, to int32, owner, packet uint64) sim.Duration {
	var d sim.Duration
	for i := range w.links {
		if l := &w.links[i]; l.delay != nil && l.side.Hits(from, to) {
			d += w.sample(l.delay, drawDelay, owner, packet, uint64(l.strike))
		}
	}
	return d
}

// risk draws whether a packet is lost that has the given chance.
func (w *World) risk(chance float64, owner, packet, try uint64) bool {
	if chance <= 0 {
		return false
	}
	w.draw = sim.Key(w.cfg.Seed, drawLoss, owner, packet, try)
	return w.draw.Float64() < chance
}

// losesControl draws whether a packet is lost that belongs to no message, sent by s.
func (w *World) losesControl(from, to int32, s *origin) bool {
	chance := w.loss(from, to)
	if chance > 0 {
		s.risks++
	}
	return w.risk(chance, s.owner, s.risks, 0)
}

// delayOfControl draws what a packet takes longer that belongs to no message, sent by s.
func (w *World) delayOfControl(from, to int32, s *origin) sim.Duration {
	s.risks++
	return w.longer(from, to, s.owner, s.risks)
}

// packetOf keys the draws of a request, or of its answer, on a faulty link.
func (w *World) packetOf(m *message, q *request, back bool) (owner, packet, try uint64) {
	way := uint64(q.attempt) << 1
	if back {
		way |= 1
	}
	return ownerGroup(m.Group), m.Number, way<<8 | uint64(q.tries)
}

// losesRequest draws whether a request, or its answer, is lost on its way.
func (w *World) losesRequest(r int32, back bool) bool {
	q := &w.requests.items[r]
	from, to := w.endsOf(q, back)
	if q.msg == none {
		return w.losesControl(from, to, &w.insts[w.chans[q.channel].inst].origin)
	}
	owner, packet, try := w.packetOf(&w.msgs.items[q.msg], q, back)
	return w.risk(w.loss(from, to), owner, packet, try)
}

// requestDelay draws what a request, or its answer, takes longer.
func (w *World) requestDelay(q *request, back bool) sim.Duration {
	from, to := w.endsOf(q, back)
	if q.msg == none {
		return w.delayOfControl(from, to, &w.insts[w.chans[q.channel].inst].origin)
	}
	owner, packet, try := w.packetOf(&w.msgs.items[q.msg], q, back)
	return w.longer(from, to, owner, packet<<16|try>>8)
}
