package model

import (
	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// asyncSend is an asynchronous send under way. Its attempts share a call of its own. It needs a thread
// only to do something: to begin, to connect in releases where that blocks, and to run a callback.
type asyncSend struct {
	async strategy.Async
	inst  int32
	view  int32
	msg   int32
	call  int32
	// caller is the application thread that made it, thread the one that is at work on it, none if none is.
	caller, thread int32
	began          sim.Time
	first          sim.Duration    // how long the first attempt took
	calledAt       strategy.Millis // by the client's clock
	last           strategy.Broker // of the attempt before the one in flight
	before         int32           // the attempts of the message's earlier sends
	// next is what a thread of a pool has to do about it, out how its attempt ended, if that is why.
	next sendStep
	out  strategy.Outcome
	// handing: the first attempt is being handed over. told: the caller has its answer. kept: it has, but
	// an attempt goes on, so the record of the message is kept.
	handing, told, kept bool
	permits             permits
}

// sendStep is what a thread of a pool has to do about a send.
type sendStep uint8

const (
	stepBegin sendStep = iota // begin it
	stepEnded                 // run the callback of the attempt that ended
)

// submit has application thread t make an asynchronous send of message m.
//
// Source: DefaultMQProducerImpl.send(Message, SendCallback, long), 4.2.0, 4.3.2 and 4.9.8;
// executeAsyncMessageSend, 5.0.0, 5.1.4 and 5.3.1.
func (w *World) submit(t, m int32) {
	th := &w.threads[t]
	if w.msgs.items[m].size == tooLarge {
		w.traceThrow(th.call, TooLarge)
		th.msg = none
		w.hangUp(t)
		n := w.msgs.items[m].Number
		if w.told(m, teller{began: th.began, callbacks: 1}, tooLargeResult) {
			w.callerGoesOn(t, n)
		}
		w.letGo(t)
		return
	}
	s, c := w.sends.alloc(), th.call
	w.sends.items[s] = asyncSend{
		inst: th.inst, view: th.view, msg: m, call: c, caller: t, thread: t, began: th.began,
		calledAt: w.clock(th.inst), last: strategy.NoBroker, before: int32(w.calls.items[c].before),
	}
	w.calls.items[c] = call{
		inst: th.inst, thread: none, msg: m, broker: none, request: none, kind: callAsync, send: s,
	}
	th.msg, th.call = none, none // the send has them
	if w.insts[th.inst].g.holdsPermits() {
		w.acquire(s)
		return
	}
	w.execute(s)
}

// execute gives a send to the thread that its release has it run on.
func (w *World) execute(s int32) {
	sd := &w.sends.items[s]
	in := &w.insts[sd.inst]
	g := in.g
	ac := in.async
	pool := &ac.senders
	switch g.client.AsyncRuns {
	case releases.RunsInCaller:
		w.beginSend(s, sd.caller)
		return
	case releases.RunsInCallbacks:
		pool = &ac.callbacks
	case releases.RunsInSenders:
		if pool.idle.len() > 0 || pool.queue.len() < senderQueue {
			break
		}
		if g.cfg.Remoting.Backpressure && g.client.Backpressure != releases.NoBackpressure {
			w.beginSend(s, sd.caller)
			return
		}
		caller := sd.caller // RejectedExecutionException, to the caller itself
		w.tellSend(s, strategy.Result{
			Exception: strategy.MQClientException, Code: strategy.CodeNone, Broker: strategy.NoBroker,
		}, 0)
		w.endSend(s)
		w.letGo(caller)
		return
	}
	caller := sd.caller
	sd.thread, sd.next = none, stepBegin
	w.traceQueued(sd.call, Submitted, pool)
	pool.queue.push(s)
	w.letGo(caller)
	w.drain(pool)
}

// beginSend begins send s on thread t. To 4.2.0 what came before does not count against its time.
func (w *World) beginSend(s, t int32) {
	sd := &w.sends.items[s]
	in := &w.insts[sd.inst]
	g := in.g
	th := &w.threads[t]
	sd.thread, th.send, th.view = t, s, sd.view
	taken := w.clock(sd.inst) - sd.calledAt
	if g.client.AsyncRuns != releases.RunsInCaller && taken >= g.cfg.Settings.SendMsgTimeout {
		w.tellSend(s, tooMuchRequest, 1)
		w.endSend(s)
		w.letGo(t)
		return
	}
	if w.lacksRoute(t, sd.view) {
		w.traceCall(sd.call, RouteAsked)
		w.views[sd.view].wanted = true
		w.lookUp(t, asksTopic)
		return
	}
	w.chooseFirst(s, t)
}

// tooMuchRequest is the result of a send whose time is over before it has begun.
var tooMuchRequest = strategy.Result{
	Exception: strategy.RemotingTooMuchRequestException, Broker: strategy.NoBroker,
}

// sendRouteCame continues a send on thread t that had to ask for the route. threw says that no name
// server answered, in a release in which that throws.
func (w *World) sendRouteCame(t int32, threw bool) {
	s := w.threads[t].send
	if threw {
		w.traceCall(w.sends.items[s].call, RouteMissed)
		w.tellSend(s, strategy.Result{
			Exception: strategy.IllegalStateException, Broker: strategy.NoBroker,
		}, 1)
		w.endSend(s)
		w.letGo(t)
		return
	}
	w.traceCall(w.sends.items[s].call, RouteCame)
	w.chooseFirst(s, t)
}

// chooseFirst chooses the queue of a send's first attempt and makes that.
func (w *World) chooseFirst(s, t int32) {
	sd := &w.sends.items[s]
	in := &w.insts[sd.inst]
	g := in.g
	now := w.clock(sd.inst)
	left := g.cfg.Settings.SendMsgTimeout
	if g.profile.Budget == strategy.BudgetShared {
		left -= now - sd.calledAt
	}
	var a strategy.Attempt
	var more bool
	route, set, tr := w.views[sd.view].route, &g.cfg.Settings, w.traceLoop(sd.call, sd.calledAt)
	switch g.cfg.Choice {
	case config.ChooseByPolicy:
		a, more = sd.async.Begin(now, left, in.policy, &g.profile, set, route, w.idsOf(t),
			&w.threads[t].src, tr)
	case config.ChooseQueue:
		a, more = sd.async.BeginFixed(now, left, in.policy, &g.profile, set, g.queue, tr)
	default:
		r := &w.msgs.items[sd.msg]
		a, more = sd.async.BeginSelected(now, left, in.policy, &g.profile, set, w.selectorOf(in),
			w.keyHash(g, r.Number), route, w.selectorSource(g, r), tr)
	}
	w.traceSend(s, a, more)
	sd.handing = more
	w.proceed(s, t, a, more)
}

// proceed makes attempt a of send s on thread t, and those that follow at once, until the send waits for
// the network or is over. The thread goes on to something else.
func (w *World) proceed(s, t int32, a strategy.Attempt, more bool) {
	for more {
		out, over := w.invokeSend(s, a)
		if !over {
			w.settleSend(s, true)
			return
		}
		a, more = w.threw(s, t, out)
	}
	w.handOver(s)
	w.settleSend(s, false)
	w.endSend(s)
	w.letGo(t)
}

// invokeSend hands attempt a of send s to the network. over is true if that throws. Where it does not,
// the thread has been let go, unless it waits for the connection.
//
// Source: DefaultMQProducerImpl.sendKernelImpl, MQClientAPIImpl.onExceptionImpl (a retry without an
// address goes to the name server) and NettyRemotingClient.invokeAsync, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) invokeSend(s int32, a strategy.Attempt) (out strategy.Outcome, over bool) {
	sd := &w.sends.items[s]
	c := sd.call
	b := int32(a.Queue.Broker)
	ci := w.channelOf(sd.inst, b)
	known := w.masters[ci]
	if !known && a.Number > 1 {
		ci = w.nameServerChannel(sd.inst)
	}
	w.startCall(c, ci, a.Timeout)
	ca, r := &w.calls.items[c], &w.msgs.items[sd.msg]
	ca.broker, ca.attempt = b, a
	ca.attempt.Number += int(sd.before)
	r.attempts = max(r.attempts, uint8(ca.attempt.Number))
	switch {
	case known:
	case a.Number == 1:
		w.traceCall(c, NoMaster)
		return strategy.Outcome{Kind: strategy.OutcomeBrokerNotExist}, true
	case w.chans[ci].state != channelOpen:
		w.traceCall(c, NoMaster)
		return strategy.Outcome{Kind: strategy.OutcomeConnectFailed}, true
	default:
		w.traceCall(c, AskedNameServer)
	}
	if out, over = w.reach(c, ci); over || w.calls.items[c].request != none {
		return out, over
	}
	if w.insts[sd.inst].g.client.ConnectsAside {
		w.leaveSend(s)
	}
	return out, over
}

// writeAsync writes the request of an asynchronous call, if its time is not over.
//
// Source: NettyRemotingClient.invokeAsync and NettyRemotingAbstract.invokeAsyncImpl, 4.2.0, 4.9.8 and
// 5.3.3.
func (w *World) writeAsync(c int32) (out strategy.Outcome, over bool) {
	ca := &w.calls.items[c]
	now := w.clock(ca.inst)
	ca.left = ca.timeout
	if w.insts[ca.inst].g.client.DeductsConnect {
		ca.left -= now - ca.beganAt
	}
	if ca.left < 0 {
		w.traceCall(c, NothingLeft)
		return strategy.Outcome{Kind: strategy.OutcomeTooMuchRequest}, true
	}
	ca.writtenAt = now
	ca.request = w.newRequest(c, ca.channel)
	w.traceRequest(ca.request, Written, w.millis(ca.left), 0)
	w.sendRequest(ca.request)
	w.awaitAnswer(c)
	w.leaveSend(ca.send)
	return strategy.Outcome{}, false
}

// leaveSend has the thread at work on a send go on to something else: the network has the attempt.
func (w *World) leaveSend(s int32) {
	w.handOver(s)
	sd := &w.sends.items[s]
	t := sd.thread
	sd.thread = none
	if t != none {
		w.letGo(t)
	}
}

// asyncCallEnds is the end of the call of a send's attempt. What was written is answered, or its
// connection closed: a callback follows. Else the connection did not come about, or it took too long.
func (w *World) asyncCallEnds(c int32, out strategy.Outcome) {
	ca := &w.calls.items[c]
	s := ca.send
	sd := &w.sends.items[s]
	ac := w.insts[sd.inst].async
	if ca.request != none {
		w.clientDone(ca.request)
		ca.request = none
		w.unwait(c)
		w.callBack(s, out)
		w.drain(&ac.callbacks)
		return
	}
	t := sd.thread
	if t == none {
		t = ac.loop
		w.threads[t].view = sd.view
	}
	a, more := w.threw(s, t, out)
	w.proceed(s, t, a, more)
}

// callBack has a thread run the callback of an attempt that ended.
func (w *World) callBack(s int32, out strategy.Outcome) {
	sd := &w.sends.items[s]
	pool := &w.insts[sd.inst].async.callbacks
	sd.next, sd.out = stepEnded, out
	if pool.idle.len() == 0 {
		w.traceQueued(sd.call, CallbackQueued, pool)
	}
	pool.queue.push(s)
}

// runCallback runs on thread t the callback of an attempt of send s.
func (w *World) runCallback(s, t int32) {
	sd := &w.sends.items[s]
	th := &w.threads[t]
	sd.thread, th.send, th.view = t, s, sd.view
	w.attemptOver(s, sd.out)
	a, more := w.ended(s, t, sd.out)
	w.proceed(s, t, a, more)
}
