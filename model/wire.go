package model

import "simrun/sim"

// sendRequest puts a request on the wire, or behind what the connection sends again.
func (w *World) sendRequest(r int32) {
	q := &w.requests.items[r]
	ch := &w.chans[q.channel]
	q.server = true
	d := w.requestWire(q, drawRequestWire)
	if ch.out != none && w.pipes.items[ch.out].stalled {
		w.queueUp(ch.out, r)
		return
	}
	if w.delaying > 0 {
		d += w.requestDelay(q, toBroker)
	}
	w.after(d, evRequest, r)
}

// respond puts an answer on the wire, or behind what the connection sends again.
func (w *World) respond(r int32) { w.respondAfter(r, 0) }

// respondAfter does so after a delay. A process whose port is closed has no connection for it.
func (w *World) respondAfter(r int32, delay sim.Duration) {
	q := &w.requests.items[r]
	if w.procs[q.to].closed {
		w.drop(r)
		return
	}
	if q.oneWay {
		w.traceRequest(r, NotAnswered, 0, 0)
		w.serverDone(r)
		return
	}
	w.traceRequest(r, Responded, 0, 0)
	d := delay + w.requestWire(q, drawResponseWire)
	q.rto, q.tries = w.scaled(firstRTO), 0
	if ch := &w.chans[q.channel]; ch.back != none && ch.number == q.number &&
		w.pipes.items[ch.back].stalled {
		w.queueUp(ch.back, r)
		return
	}
	if w.delaying > 0 {
		d += w.requestDelay(q, toClient)
	}
	w.after(d, evResponse, r)
}

// requestWire draws the latency of a request or of its answer.
func (w *World) requestWire(q *request, p sim.Purpose) sim.Duration {
	i := w.chans[q.channel].inst
	client := w.endpointOfInstance(i)
	if q.msg == none {
		return w.controlWire(client, q.to, &w.insts[i].origin)
	}
	m := &w.msgs.items[q.msg]
	return w.sample(w.way(client, q.to), p, uint64(m.Group), m.Number, uint64(q.attempt))
}

// requestArrives is a request at the broker's host, if it comes that far: TCP sends again what does
// not.
func (w *World) requestArrives(r int32) {
	q := &w.requests.items[r]
	pr := &w.procs[q.to]
	if !pr.powered() {
		w.missed(r, toBroker)
		return
	}
	if len(w.links) > 0 && !w.requestComes(r, toBroker) {
		return
	}
	w.requestReceived(r)
}

// requestReceived is a request in the kernel of the broker's host. One without that connection answers
// RST; a stopped process leaves the bytes in its socket buffer.
func (w *World) requestReceived(r int32) {
	q := &w.requests.items[r]
	p := q.to
	pr := &w.procs[p]
	switch {
	case !pr.listening() || pr.epoch != q.epoch:
		w.traceRequest(r, ProcessGone, 0, 0)
		w.after(w.requestWire(q, drawResponseWire), evReset, r)
	case pr.stopped():
		w.traceRequest(r, ProcessPaused, 0, 0)
		pr.inbox = append(pr.inbox, r)
	default:
		w.accept(p, r)
	}
}

// resetArrives is an RST at the client: the channel is closed and all that is in flight on it fails.
// An RST is not repeated; what provoked it is.
func (w *World) resetArrives(r int32) {
	q := &w.requests.items[r]
	open := w.current(q)
	if open && len(w.links) > 0 {
		if from, to := w.endsOf(q, toClient); w.cut(from, to) || w.losesRequest(r, toClient) {
			w.missed(r, toBroker)
			return
		}
	}
	w.traceRequest(r, ResetCame, 0, 0)
	if open {
		w.closeChannel(q.channel, byReset)
	}
	w.serverDone(r)
}

// responseArrives is an answer at the client, if it comes that far.
func (w *World) responseArrives(r int32) {
	if len(w.links) > 0 && !w.requestComes(r, toClient) {
		return
	}
	w.responseReceived(r)
}

// responseReceived is an answer at the client. Nobody waits for it if the client has closed the
// connection, or has given the request up.
func (w *World) responseReceived(r int32) {
	q := &w.requests.items[r]
	if w.isGo(w.chans[q.channel].inst) {
		w.goReads(q)
	}
	c, waits, out := q.call, q.client, q.outcome
	w.chans[q.channel].lastWord = w.eng.Now()
	if waits {
		w.traceRequest(r, ResponseCame, 0, 0)
	} else {
		w.traceRequest(r, ResponseLate, 0, 0)
	}
	w.serverDone(r)
	if waits {
		w.callEnds(c, out)
	}
}
