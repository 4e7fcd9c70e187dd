package model

import (
	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// call is one request-response call below the send loop. A thread makes one at a time and waits for it:
// NettyRemotingClient.invokeSync. Others are made and left: nobody waits for them.
type call struct {
	inst    int32
	thread  int32 // that waits for it, none if none does
	msg     int32 // the message it carries, none of heartbeats, probes and lookups
	broker  int32 // none for a name server
	channel int32
	attempt strategy.Attempt
	timeout strategy.Millis
	began   sim.Time
	beganAt strategy.Millis // by the client's clock
	left    strategy.Millis // what was left for the answer when the request was written
	request int32           // the request on the wire, none before it is written
	// prev and next are in the list of calls that wait for a connection, or of unanswered asynchronous ones.
	prev, next int32
	timer      sim.Timer
	kind       callKind
	// sent: it was written, or waits or waited for a connection, to a broker.
	sent bool
	// before counts the attempts of the message's earlier sends.
	before uint8
	// send is the asynchronous send whose call it is. writtenAt and expires are when its request was
	// written, and when it is over at the earliest, by the client's clock.
	send               int32
	writtenAt, expires strategy.Millis
}

// callKind is what becomes of a call once its request is written.
type callKind uint8

const (
	callAwaited callKind = iota // a thread waits for the answer
	callAsync                   // a callback gets it
	callOneWay                  // there is none
	callGo                      // an asynchronous send of a Go client does
)

// callOf is the call of thread t, which gets one if it has none. It keeps that until it hangs up, through
// all that it sends or asks meanwhile. There are many more threads than calls, and the places of those that
// are over are used again while they are at hand.
func (w *World) callOf(t int32) int32 {
	th := &w.threads[t]
	if th.call == none {
		th.call = w.calls.alloc()
		c := &w.calls.items[th.call]
		*c = call{} // then field by field: a literal would be built aside and copied
		c.inst, c.thread = th.inst, t
		c.msg, c.broker, c.request, c.next, c.send = none, none, none, none, none
	}
	return th.call
}

// hangUp takes the call from a thread that has nothing more to send or to ask.
func (w *World) hangUp(t int32) {
	th := &w.threads[t]
	if th.call != none {
		w.calls.free(th.call)
		th.call = none
	}
}

// invoke starts a call to broker b's master. over is true if it ended at once, with the outcome.
//
// Source: DefaultMQProducerImpl.sendKernelImpl (address lookup) and NettyRemotingClient.invokeSync,
// 4.9.8 and 5.3.3.
func (w *World) invoke(c, b int32, timeout strategy.Millis) (out strategy.Outcome, over bool) {
	ci := w.channelOf(w.calls.items[c].inst, b)
	w.startCall(c, ci, timeout)
	if !w.masters[ci] {
		w.traceCall(c, NoMaster)
		return strategy.Outcome{Kind: strategy.OutcomeBrokerNotExist}, true
	}
	if w.isGo(w.calls.items[c].inst) {
		return w.goInvoke(c, ci)
	}
	return w.reach(c, ci)
}

// reach writes the request of a call over channel ci, or waits for its connection.
func (w *World) reach(c, ci int32) (out strategy.Outcome, over bool) {
	w.closeIdle(c, ci)
	switch w.chans[ci].state {
	case channelOpen:
		return w.write(c)
	case channelClosed:
		if w.aside(c) {
			w.traceCall(c, ConnectsAside)
		} else {
			w.traceCall(c, ConnectBegan)
		}
		w.connect(ci)
	case channelConnecting:
		w.traceCall(c, ConnectJoined)
	}
	if w.calls.items[c].kind == callOneWay && w.aside(c) {
		return w.leaveOneWay(c)
	}
	w.waitForConnection(ci, c)
	return strategy.Outcome{}, false
}

// aside says whether the request of a call waits for its connection without a thread.
func (w *World) aside(c int32) bool {
	ca := &w.calls.items[c]
	return ca.kind != callAwaited && w.insts[ca.inst].g.client.ConnectsAside
}

// startCall begins a call over channel ci.
func (w *World) startCall(c, ci int32, timeout strategy.Millis) {
	ca := &w.calls.items[c]
	ca.broker, ca.channel, ca.timeout = w.chans[ci].broker, ci, timeout
	ca.began, ca.beganAt, ca.request, ca.sent = w.eng.Now(), w.clock(ca.inst), none, false
	if ca.thread != none {
		th := &w.threads[ca.thread]
		ca.msg, ca.kind = th.msg, callAwaited
		switch {
		case th.asks != asksNothing:
			ca.msg = none
		case th.msg != none && w.insts[ca.inst].g.cfg.Mode == config.OneWay:
			ca.kind = callOneWay
		}
	}
}

// write puts the request on the wire, if the time spent on connecting left any, and starts the wait
// for the answer.
func (w *World) write(c int32) (out strategy.Outcome, over bool) {
	ca := &w.calls.items[c]
	switch ca.kind {
	case callAsync:
		return w.writeAsync(c)
	case callOneWay:
		return w.writeOneWay(c)
	}
	g := w.insts[ca.inst].g
	ca.left = ca.timeout
	if g.client.DeductsConnect {
		ca.left -= w.clock(ca.inst) - ca.beganAt
	}
	if ca.left < 0 || ca.left == 0 && !g.client.WritesAtZero {
		w.traceCall(c, NothingLeft)
		w.timedOut(c)
		return strategy.Outcome{Kind: strategy.OutcomeTimeout}, true
	}
	ca.request = w.newRequest(c, ca.channel)
	w.traceRequest(ca.request, Written, w.millis(ca.left), 0)
	w.sendRequest(ca.request)
	if ca.left == 0 { // await(0) does not park
		w.timedOut(c)
		return strategy.Outcome{Kind: strategy.OutcomeTimeout}, true
	}
	at := w.eng.Now().Add(w.millis(ca.left))
	ca.timer = w.responseTimeouts.Start(at, sim.PrioTimer, w.self, evTimeout, uint32(c))
	return strategy.Outcome{}, false
}

// waitOver is the end of the wait for call c by the clock; its thread wakes a little later. An answer that
// comes until then still counts: the wait looks at the result first when it wakes.
func (w *World) waitOver(c int32) {
	ca := &w.calls.items[c]
	if ca.thread == none {
		w.goWaitOver(c)
		return
	}
	th := &w.threads[ca.thread]
	th.wakeups++
	w.traceCall(c, WaitOver)
	s := &w.insts[th.inst].g.wakeup
	late := w.sample(s, drawWakeup, th.index, th.wakeups, 0)
	ca.timer = w.timerAfter(late, evWake, c)
}

// wake ends a call without an answer.
func (w *World) wake(c int32) {
	w.timedOut(c)
	w.callEnds(c, strategy.Outcome{Kind: strategy.OutcomeTimeout})
}

// timedOut does what the timeout of a synchronous call does to the channel: nothing up to 4.9.0; later
// releases close it, from 5.1.4 on only if the wait was not a short one. Everything else in flight on it
// fails with it.
//
// Source: NettyRemotingClient.invokeSync, catch of RemotingTimeoutException, 4.9.0, 4.9.8 and 5.1.4.
func (w *World) timedOut(c int32) {
	ca := &w.calls.items[c]
	ci := ca.channel
	current := true // a FIN may have detached the request from a channel that is open again
	if ca.request != none {
		current = w.requests.items[ca.request].number == w.chans[ci].number
		w.clientDone(ca.request)
		ca.request = none
	}
	rule := w.insts[ca.inst].g.client.CloseOnTimeout
	if rule == releases.CloseUnlessShort && ca.left <= minCloseTimeout && ca.left <= ca.timeout/4 {
		w.traceCall(c, SparedConnection)
		return
	}
	if rule == releases.CloseNever {
		w.traceCall(c, KeptConnection)
		return
	}
	if current {
		w.traceCall(c, ClosedItself)
		w.closeChannel(ci, byTimeout)
	}
}

// callEnds ends a call with an outcome and lets whoever made it go on.
func (w *World) callEnds(c int32, out strategy.Outcome) {
	ca := &w.calls.items[c]
	t := ca.thread
	if t == none {
		switch ca.kind {
		case callAsync:
			w.asyncCallEnds(c, out)
		case callGo:
			w.goAsyncEnds(c, out)
		default:
			w.oneWayEnds(c, out)
		}
		return
	}
	w.eng.Stop(ca.timer)
	ca.timer = sim.Timer{}
	if ca.request != none {
		w.clientDone(ca.request)
		ca.request = none
	}
	th := &w.threads[t]
	if th.asks != asksNothing {
		w.answered(t, out)
		return
	}
	switch th.role {
	case heartbeater:
		w.nextHeartbeat(th.inst)
		return
	case detector:
		w.probeEnds(th.inst, out)
		return
	}
	w.attemptEnds(t, out)
	w.run(t)
}

// minCloseTimeout is MIN_CLOSE_TIMEOUT_MILLIS. Source: NettyRemotingClient, 5.1.4.
const minCloseTimeout = 100
