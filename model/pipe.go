package model

import "simrun/sim"

// The two directions of a client's connection.
const (
	toBroker = false
	toClient = true
)

// pipe is one direction of a client's connection while its sender misses an acknowledgement. The
// kernel sends the oldest bytes again after 0.2, 0.4, 0.8 … s. Until the first of these tries new
// bytes still leave at once; from then on they wait behind it (the congestion window is one segment),
// and when it comes through, everything follows. A closed connection is a pipe, too, as long as its
// kernel tries to get rid of what its process had written.
//
// Order is kept no further than that: bytes that pass while others are missed are not held back.
type pipe struct {
	channel int32
	peer    int32  // the process that it leads to
	number  uint32 // of the channel's connection
	life    uint32 // of the process
	kernel  uint32 // of the process's host
	back    bool   // toClient
	orphan  bool   // the client has closed the connection
	twin    int32  // then, the other direction, if it has something to send again, too
	fin     bool   // the broker has: a FIN follows the bytes
	stalled bool   // the first try to send again has failed
	unheard bool   // the oldest bytes have been received, but no acknowledgement comes back
	// head and tail are the requests whose bytes, or whose answers', wait here, linked by wait.
	head, tail int32
	began      sim.Time
	rto        sim.Duration
	timer      sim.Timer
	due        sim.Time
}

// ends are the endpoints of a packet between a client and a process.
func (w *World) ends(inst, p int32, back bool) (from, to int32) {
	from, to = w.endpointOfInstance(inst), w.endpointOfProcess(p)
	if back {
		return to, from
	}
	return from, to
}

// endsOf are those of a request, or of its answer.
func (w *World) endsOf(q *request, back bool) (from, to int32) {
	return w.ends(w.chans[q.channel].inst, q.to, back)
}

// current says whether a request's connection is the one that the client has now.
func (w *World) current(q *request) bool {
	ch := &w.chans[q.channel]
	return ch.state == channelOpen && ch.number == q.number
}

// requestComes says whether a request at the far end of the wire, or its answer, is received there
// while links fail. What is not is sent again.
func (w *World) requestComes(r int32, back bool) bool {
	q := &w.requests.items[r]
	from, to := w.endsOf(q, back)
	if w.cut(from, to) {
		w.missed(r, back)
		return false
	}
	if w.losesRequest(r, back) {
		w.repeatRequest(r, back)
		return false
	}
	if w.current(q) && w.cut(to, from) {
		w.pipes.items[w.pipeOf(q, back)].unheard = true
	}
	return true
}

// repeatRequest sends the one packet again that was lost by chance. Those around it are not held up.
func (w *World) repeatRequest(r int32, back bool) {
	q := &w.requests.items[r]
	pr := &w.procs[q.to]
	if back && (!w.current(q) || !pr.powered()) || q.tries > orphanTries && !w.current(q) {
		w.serverDone(r)
		return
	}
	w.traceSilence(r, back, q.rto)
	kind := evRequest
	if back {
		kind = evResponse
	}
	w.after(q.rto, kind, r)
	q.rto = min(2*q.rto, w.scaled(maxRTO))
	q.tries++
}

// missed puts a request, or its answer, that did not come through where it waits for the next try.
func (w *World) missed(r int32, back bool) {
	q := &w.requests.items[r]
	if !w.current(q) {
		pr := &w.procs[q.to]
		if back || pr.epoch != q.epoch {
			w.traceRequest(r, HostGone, 0, 0)
			w.serverDone(r)
			return
		}
		i := w.newPipe(q, back)
		w.pipes.items[i].orphan = true
		w.queueUp(i, r)
		return
	}
	w.queueUp(w.pipeOf(q, back), r)
}

// pipeOf is the pipe of a request's connection, which is open. It begins when there is none.
func (w *World) pipeOf(q *request, back bool) int32 {
	ch := &w.chans[q.channel]
	at := &ch.out
	if back {
		at = &ch.back
	}
	if *at == none {
		*at = w.newPipe(q, back)
	}
	return *at
}

func (w *World) newPipe(q *request, back bool) int32 {
	i := w.pipes.alloc()
	p := &w.pipes.items[i]
	*p = pipe{
		channel: q.channel, peer: q.to, number: q.number, life: q.epoch,
		kernel: w.addresses[w.endpointOfProcess(q.to)].kernel, back: back, head: none, tail: none, twin: none,
		began: w.eng.Now(), rto: w.scaled(firstRTO),
	}
	w.tryLater(i)
	return i
}

// tryLater plans the next try of a pipe.
func (w *World) tryLater(i int32) {
	p := &w.pipes.items[i]
	p.due = w.eng.Now().Add(p.rto)
	p.timer = w.eng.StartTimer(p.due, sim.PrioArrival, w.self, evPipe, uint32(i))
	p.rto = min(2*p.rto, w.scaled(maxRTO))
}

// queueUp puts a request at the end of a pipe.
func (w *World) queueUp(i, r int32) {
	p := &w.pipes.items[i]
	w.requests.items[r].wait = none
	if p.tail == none {
		p.head = r
	} else {
		w.requests.items[p.tail].wait = r
	}
	p.tail = r
	w.traceSilence(r, p.back, p.due.Sub(w.eng.Now()))
}

// tryAgain is the oldest bytes of a pipe at their host once more.
func (w *World) tryAgain(i int32) {
	p := &w.pipes.items[i]
	from, to := w.ends(w.chans[p.channel].inst, p.peer, p.back)
	pr := &w.procs[p.peer]
	if p.back && w.addresses[from].kernel != p.kernel || p.orphan && pr.epoch != p.life {
		w.dropPipe(i)
		return
	}
	comes := w.poweredAt(to) && !w.cut(from, to)
	if comes && p.head != none && w.losesRequest(p.head, p.back) {
		comes = false
		w.requests.items[p.head].tries++
	}
	switch {
	case comes && p.back && p.orphan:
		w.abortOrphan(i)
	case comes && !w.cut(to, from):
		w.comesThrough(i)
	case comes && p.head != none && !p.unheard && (p.back || pr.listening() && pr.epoch == p.life):
		p.unheard = true
		r := p.head
		p.head = w.requests.items[r].wait
		if p.head == none {
			p.tail = none
		}
		back := p.back
		w.stall(i)
		w.received(r, back) // may close the connection, and its pipes
	default:
		w.stall(i)
	}
}

func (w *World) received(r int32, back bool) {
	if back {
		w.responseReceived(r)
		return
	}
	w.requestReceived(r)
}

// comesThrough lets everything go that waits in a pipe.
func (w *World) comesThrough(i int32) {
	p := w.pipes.items[i]
	w.freePipe(i)
	if p.twin != none {
		w.dropPipe(p.twin) // the broker reads the end of the connection
	}
	for r := p.head; r != none; {
		next := w.requests.items[r].wait
		w.received(r, p.back)
		r = next
	}
	if p.fin {
		w.peerClosed(p.channel)
	}
}

// stall plans the next try of a pipe, unless the kernel gives up.
func (w *World) stall(i int32) {
	p := &w.pipes.items[i]
	p.stalled = true
	limit := w.scaled(giveUp)
	if p.orphan || p.fin {
		limit = w.scaled(orphanLife)
	}
	if w.eng.Now().Sub(p.began) >= limit {
		w.giveUpPipe(i)
		return
	}
	span := p.rto
	w.tryLater(i)
	if w.traces != nil {
		for r := p.head; r != none; r = w.requests.items[r].wait {
			w.traceSilence(r, p.back, span)
		}
	}
}

// giveUpPipe is a kernel that tells its process that the connection has timed out. The other side
// knows nothing of that, and hears RST when it sends the next time.
func (w *World) giveUpPipe(i int32) {
	p := &w.pipes.items[i]
	ch := &w.chans[p.channel]
	switch {
	case p.orphan || p.fin || ch.number != p.number:
	case p.back:
		ch.epoch = p.life - 1
	default:
		w.closeChannel(p.channel, byReset)
		return
	}
	w.dropPipe(i)
}

// dropPipe forgets a pipe and what waits in it.
func (w *World) dropPipe(i int32) {
	p := w.pipes.items[i]
	w.freePipe(i)
	for r := p.head; r != none; {
		next := w.requests.items[r].wait
		w.traceRequest(r, HostGone, 0, 0)
		w.serverDone(r)
		r = next
	}
}

// abortOrphan is an answer at a connection that the client has closed. Its kernel answers RST and throws
// away what it still had to send.
//
// Source: Linux, tcp_rcv_state_process (TCPAbortOnData).
func (w *World) abortOrphan(i int32) {
	if out := w.pipes.items[i].twin; out != none {
		w.dropPipe(out)
	}
	w.dropPipe(i)
}

func (w *World) freePipe(i int32) {
	p := &w.pipes.items[i]
	w.eng.Stop(p.timer)
	if p.twin != none {
		w.pipes.items[p.twin].twin = none
	}
	ch := &w.chans[p.channel]
	if ch.out == i {
		ch.out = none
	}
	if ch.back == i {
		ch.back = none
	}
	w.pipes.free(i)
}

// leavePipes is what becomes of a connection's pipes when the client closes it. If that is its own
// doing, its kernel goes on for a while with what was written; nobody reads what would come back.
func (w *World) leavePipes(ci int32, how closing) {
	ch := &w.chans[ci]
	out, back := ch.out, ch.back
	ch.out, ch.back = none, none
	rest := how == byTimeout && out != none && w.pipes.items[out].head != none
	switch {
	case !rest && out != none:
		w.dropPipe(out)
	case rest:
		w.pipes.items[out].orphan = true
	}
	switch {
	case back == none:
	case rest && w.pipes.items[back].head != none:
		p := &w.pipes.items[back]
		p.orphan, p.twin = true, out
		w.pipes.items[out].twin = back
	default:
		w.dropPipe(back)
	}
}

// traceSilence tells that a request, or its answer, has not come through, and when the next try is.
func (w *World) traceSilence(r int32, back bool, span sim.Duration) {
	if w.traces == nil {
		return
	}
	q := &w.requests.items[r]
	what := RequestMissed
	switch {
	case back:
		what = ResponseMissed
	case !w.procs[q.to].powered():
		what = HostSilent
	}
	w.traceRequest(r, what, span, 0)
}
