package model

import (
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// channel is the one TCP connection an instance has to a master, or to its name server, shared by all
// its threads.
type channel struct {
	// What every request needs comes first, in one cache line.

	// lastWord is when the client last wrote to it or read from it, or began to dial; lastRead is when a
	// Go client last read.
	lastWord, lastRead sim.Time
	inst, broker       int32 // broker is none for a name server
	// peer is the process at the other end.
	peer  int32
	state channelState
	reset bool
	// number counts the connections made: a packet of an old one means nothing to a new one.
	number uint32
	// epoch is the life of the broker process that the connection leads to.
	epoch uint32
	// head and tail are the requests in flight, oldest first.
	head, tail int32
	// out and back are its pipes, to the broker and to the client, none while nothing is missed.
	out, back int32
	// closing is the connection that a FIN or RST is on its way for; reset tells which.
	closing uint32
	// waitHead and waitTail are the calls that wait for the handshake.
	waitHead, waitTail int32
	timeout, retry     sim.Timer
	_                  [24]byte
}

// clientIdle is how long a client keeps a connection on which nothing happens; servers have the same
// limit. A request with a longer timeout than that is not disturbed.
//
// Source: NettyClientConfig.clientChannelMaxIdleTimeSeconds; NettyRemotingClient.start
// (IdleStateHandler) and NettyConnectManageHandler.userEventTriggered, 4.2.0, 4.9.8 and 5.3.3.
const clientIdle = 120 * sim.Second

// closeIdle closes the channel that call c is about to use if it has been idle for too long: it was
// closed when that was so, and nobody noticed.
func (w *World) closeIdle(c, ci int32) {
	ch := &w.chans[ci]
	if ch.state == channelOpen && w.eng.Now().Sub(ch.lastWord) >= w.scaled(clientIdle) && ch.head == none {
		w.traceCall(c, IdleClosed)
		w.closeChannel(ci, byTimeout)
	}
}

type channelState uint8

const (
	channelClosed channelState = iota
	channelConnecting
	channelOpen
)

// request is a request on the wire, in the broker, or answered and on its way back. Its place is free
// again once neither the client nor the server side refers to it.
type request struct {
	msg     int32 // none for a heartbeat, a probe or a lookup
	call    int32
	channel int32
	to      int32  // the process it is meant for
	number  uint32 // of the channel's connection
	epoch   uint32 // of that process
	attempt int32
	// client: its call waits for it, and it is linked into its channel (unless detached by a FIN).
	// server: an event or the broker refers to it.
	client, server, linked bool
	// oneWay: nobody asks for an answer, and none is sent.
	oneWay     bool
	prev, next int32
	wait       int32 // the next in a pipe
	tries      uint8 // that were lost by chance

	outcome strategy.Outcome
	// rto is the next gap of retransmission, while nobody acknowledges it.
	rto sim.Duration
	// pausedBefore is how long the process had been paused in all when the service began.
	pausedBefore sim.Duration
	arrived      sim.Time
	// end is the log offset behind the message once it is appended. waits is what the answer waits for
	// then, disk and replica are what those waits have come to, holds says that they hold a send thread.
	end           int64
	waits         wait
	stage         stage
	disk, replica strategy.OutcomeKind
	holds         bool
}

// channelOf is the channel of an instance to a master; nameServerChannel, behind those to the masters,
// is its channel to the name server it uses.
func (w *World) channelOf(inst, broker int32) int32 { return inst*int32(len(w.names)+1) + broker }

func (w *World) nameServerChannel(inst int32) int32 { return w.channelOf(inst, int32(len(w.names))) }

// newRequest links a request of call c into channel ci.
func (w *World) newRequest(c, ci int32) int32 {
	r := w.requests.alloc()
	ch, ca := &w.chans[ci], &w.calls.items[c]
	q := &w.requests.items[r]
	*q = request{} // then field by field: a literal would be built aside and copied
	q.msg, q.call, q.channel, q.to = ca.msg, c, ci, ch.peer
	q.number, q.epoch, q.attempt = ch.number, ch.epoch, int32(ca.attempt.Number)
	q.client, q.linked, q.prev, q.next = true, true, ch.tail, none
	q.rto = w.scaled(firstRTO)
	if ch.tail == none {
		ch.head = r
	} else {
		w.requests.items[ch.tail].next = r
	}
	ch.tail, ch.lastWord = r, w.eng.Now()
	ca.sent = ch.broker != none
	if q.msg != none {
		w.msgs.items[q.msg].refs++
	}
	return r
}

// unlink takes a request out of its channel's list of requests in flight.
func (w *World) unlink(r int32) {
	q := &w.requests.items[r]
	if !q.linked {
		return
	}
	ch := &w.chans[q.channel]
	if q.prev == none {
		ch.head = q.next
	} else {
		w.requests.items[q.prev].next = q.next
	}
	if q.next == none {
		ch.tail = q.prev
	} else {
		w.requests.items[q.next].prev = q.prev
	}
	q.linked = false
}

// clientDone and serverDone drop one side's hold on a request.
func (w *World) clientDone(r int32) {
	w.unlink(r)
	w.requests.items[r].client = false
	w.freeRequest(r)
}

func (w *World) serverDone(r int32) {
	w.requests.items[r].server = false
	w.freeRequest(r)
}

func (w *World) freeRequest(r int32) {
	q := &w.requests.items[r]
	if q.client || q.server {
		return
	}
	m := q.msg
	w.requests.free(r)
	if m != none {
		w.unref(m)
	}
}

// peerClosed is the broker's FIN or RST at the client. What of it fails the requests in flight is the
// release's; else they wait for their timeout.
func (w *World) peerClosed(ci int32) {
	ch := &w.chans[ci]
	if ch.state != channelOpen || ch.number != ch.closing {
		return
	}
	if ch.back != none && !ch.reset {
		w.pipes.items[ch.back].fin = true // behind the bytes that are missed
		return
	}
	how := byPeer
	if ch.reset {
		how = byReset
	}
	w.closeChannel(ci, how)
}

// closing is what makes a client close a connection.
type closing uint8

const (
	byTimeout closing = iota // of a request on it
	byReset                  // RST
	byPeer                   // FIN
)

// closeChannel closes the connection on the client's side. Whether what is in flight on it fails now
// or is left to its timeouts depends on how it closes and on the client's release. The broker goes on
// with what it has.
//
// Source: NettyRemotingClient.NettyConnectManageHandler and failFast, 4.2.0, 4.3.0 and 5.1.3.
func (w *World) closeChannel(ci int32, how closing) {
	ch := &w.chans[ci]
	if ch.state != channelOpen {
		return
	}
	ch.state = channelClosed
	least := releases.FailOnReset
	if how == byPeer {
		least = releases.FailOnClose
	}
	failFast := w.insts[ch.inst].g.client.FailFast >= least
	for r := ch.head; r != none; {
		q := &w.requests.items[r]
		next := q.next
		q.linked = false
		w.traceClosed(r, how, failFast)
		switch {
		case failFast:
			w.failing.push(r)
		case w.isGo(ch.inst):
			w.goDetach(r)
		}
		r = next
	}
	ch.head, ch.tail = none, none
	w.leavePipes(ci, how)
}

// failRequest fails a request whose channel was closed under it.
func (w *World) failRequest(r int32) {
	q := &w.requests.items[r]
	w.callEnds(q.call, strategy.Outcome{Kind: strategy.OutcomeSendRequestFailed})
}

// connect starts a handshake.
func (w *World) connect(ci int32) { w.connectWithin(ci, w.scaled(releases.ConnectTimeout)) }

// connectWithin starts a handshake that may take so long.
func (w *World) connectWithin(ci int32, limit sim.Duration) {
	ch := &w.chans[ci]
	ch.state = channelConnecting
	ch.number++
	w.sendSYNOf(ci)
	ch.timeout = w.timerAfter(limit+w.late(ch.inst), evConnectTimeout, ci)
	ch.retry = w.timerAfter(w.scaled(synRetry), evSYNRetry, ci)
}

// late draws how late a timer of an instance's own threads fires.
func (w *World) late(inst int32) sim.Duration {
	in := &w.insts[inst]
	in.origin.packets++
	return w.sample(&in.g.wakeup, drawWakeup, in.origin.owner, in.origin.packets, 0)
}

// waitForConnection puts a call at the end of those that share a pending handshake. They wait for what
// remains of it, whatever their own timeout.
func (w *World) waitForConnection(ci, c int32) {
	ch := &w.chans[ci]
	w.calls.items[c].next, w.calls.items[c].sent = none, ch.broker != none
	if ch.waitTail == none {
		ch.waitHead = c
	} else {
		w.calls.items[ch.waitTail].next = c
	}
	ch.waitTail = c
}

// synArrives is a SYN at the broker's host: silence without power, RST without a listening process, a
// handshake by the kernel else (a stopped process has a kernel too).
func (w *World) synArrives(ci int32) {
	ch := &w.chans[ci]
	if ch.state != channelConnecting {
		return
	}
	pr := &w.procs[ch.peer]
	if !pr.powered() {
		return
	}
	kind := evRefused
	if pr.listening() {
		kind = evConnected
		ch.epoch = pr.epoch
	}
	from, to := w.ends(ch.inst, ch.peer, toClient)
	w.sendSYN(from, to, &w.insts[ch.inst].origin, kind, ci)
}

func (w *World) synAgain(ci int32) {
	w.sendSYNOf(ci)
	w.goSYNAgain(ci)
}

// sendSYNOf sends the SYN of a channel.
func (w *World) sendSYNOf(ci int32) {
	ch := &w.chans[ci]
	from, to := w.ends(ch.inst, ch.peer, toBroker)
	w.sendSYN(from, to, &w.insts[ch.inst].origin, evSYN, ci)
}

// handshakeOver stops the timers of a handshake and detaches the calls that wait for it.
func (w *World) handshakeOver(ci int32, state channelState) int32 {
	ch := &w.chans[ci]
	w.eng.Stop(ch.timeout)
	w.eng.Stop(ch.retry)
	ch.state, ch.lastWord = state, w.eng.Now()
	c := ch.waitHead
	ch.waitHead, ch.waitTail = none, none
	return c
}

// connected completes a handshake: the calls that waited write their requests.
func (w *World) connected(ci int32) {
	ch := &w.chans[ci]
	if ch.state != channelConnecting {
		return
	}
	if pr := &w.procs[ch.peer]; !pr.listening() || pr.epoch != ch.epoch {
		// The process died while the SYN-ACK was on its way; what the client writes next meets an RST.
		ch.epoch = pr.epoch - 1
	}
	c := w.handshakeOver(ci, channelOpen)
	if w.isGo(ch.inst) {
		w.goDialed(c, ci, Connected)
		return
	}
	for c != none {
		next := w.calls.items[c].next
		w.traceCall(c, Connected)
		out, over := strategy.Outcome{Kind: strategy.OutcomeConnectFailed}, true
		if w.chans[ci].state == channelOpen {
			out, over = w.write(c)
		}
		if over {
			w.callEnds(c, out)
		}
		c = next
	}
}

// connectFailed ends a handshake that was refused or took too long; how is which.
func (w *World) connectFailed(ci int32, how StepWhat) {
	if w.chans[ci].state != channelConnecting {
		return
	}
	c := w.handshakeOver(ci, channelClosed)
	if w.isGo(w.chans[ci].inst) {
		w.goDialed(c, ci, how)
		return
	}
	for c != none {
		next := w.calls.items[c].next
		w.traceCall(c, how)
		w.callEnds(c, strategy.Outcome{Kind: strategy.OutcomeConnectFailed})
		c = next
	}
}
