package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// none is the null of every index and list.
const none = int32(-1)

// role is what a thread is for.
type role uint8

const (
	sender      role = iota // an application thread: it sends messages
	heartbeater             // the scheduled thread of polls and heartbeats
	detector                // the scheduled thread of the detector
)

// thread is a thread of an instance: an application thread with the synchronous send it is in, or one
// of the client's own that send heartbeats and probes. It makes one call at a time.
type thread struct {
	loop  strategy.Loop
	ids   strategy.Thread
	src   sim.Stream
	inst  int32
	index uint64       // among all threads of the world, for draws
	msg   int32        // the message being sent, none if idle
	began sim.Time     // when the thread took it
	first sim.Duration // how long its first attempt took
	// calledAt is when the send began, by the client's clock, while it looks up the route.
	calledAt strategy.Millis

	// The call it is in.
	call    call
	wakeups uint64 // timed waits that woke late so far
	role    role
	asks    asks  // what it asks a name server for
	next    int32 // in the list of threads that wait for a connection, or for their turn to look up
	at      int32 // heartbeats and probes: the broker they are at
}

// call is one request-response call of a thread: NettyRemotingClient.invokeSync.
type call struct {
	attempt strategy.Attempt
	timeout strategy.Millis
	broker  int32 // none for a name server
	channel int32
	began   sim.Time
	beganAt strategy.Millis // by the client's clock
	left    strategy.Millis // what was left for the answer when the request was written
	request int32           // the request on the wire, none before it is written
	timer   sim.Timer
}

func newThread(seed uint64, inst, t int32) thread {
	return thread{
		inst: inst, msg: none, next: none, index: uint64(inst)<<20 | uint64(t),
		src:  sim.NewStream(seed, drawIndex, uint64(inst), uint64(t)),
		call: call{request: none},
	}
}

// begin gives message m to thread t. It is false when the instance has no queue to send to: then the
// thread first asks the name server itself.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl and tryToFindTopicPublishInfo, 4.9.8 and 5.3.3.
func (w *World) begin(t, m int32) bool {
	th := &w.threads[t]
	th.msg = m
	th.began = w.eng.Now()
	w.traceTaken(t, m)
	in := &w.insts[th.inst]
	if len(in.route.Queues) == 0 {
		w.traceThread(t, RouteAsked)
		th.calledAt = w.clock(th.inst)
		in.wanted = true
		w.lookUp(t, asksTopic)
		return false
	}
	w.beginLoop(t, w.clock(th.inst))
	return true
}

// beginLoop starts the send loop, whose budget counts from the client's time `from`.
func (w *World) beginLoop(t int32, from strategy.Millis) {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	g := &w.groups[in.group]
	th.loop.Begin(from, in.policy, &g.profile, &g.cfg.Settings, in.route, &th.ids, &th.src,
		w.traceLoop(t, from))
}

// sendLookedUp continues a send that had to ask for the route itself. If the name server does not know
// the topic, and the client never had a route of it, the send asks for the default topic's.
//
// Source: DefaultMQProducerImpl.tryToFindTopicPublishInfo, 4.2.0, 4.9.8 and 5.3.3;
// MQClientInstance.updateTopicRouteInfoFromNameServer, 4.5.2 (catches everything) and 4.9.8.
func (w *World) sendLookedUp(t int32, what asks, failed bool) {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	if failed && w.groups[in.group].client.nameServerThrows {
		w.traceMissed(t)
		if w.finish(t, strategy.Result{
			Exception: strategy.IllegalStateException, Broker: strategy.NoBroker,
		}) {
			w.run(t)
		}
		return
	}
	if what == asksTopic && !in.hasRoute {
		w.lookUp(t, asksDefault)
		return
	}
	w.traceThread(t, RouteCame)
	w.beginLoop(t, th.calledAt)
	w.run(t)
}

// run drives a thread until it waits for the network or has nothing to do. Everything in it takes
// no simulated time.
func (w *World) run(t int32) {
	th := &w.threads[t]
	for {
		now := w.clock(th.inst)
		a, more := th.loop.Next(now)
		w.traceNext(t, now, a, more)
		if !more {
			if !w.finish(t, th.loop.Result()) {
				return
			}
			continue
		}
		th.call.attempt = a
		w.msgs.items[th.msg].attempts = uint8(a.Number)
		out, over := w.invoke(t, int32(a.Queue.Broker), a.Timeout)
		if !over {
			return
		}
		w.attemptEnds(t, out)
	}
}

// finish gives the caller its answer and takes the next waiting message. It is false if the thread
// has nothing to run now.
func (w *World) finish(t int32, result strategy.Result) bool {
	th := &w.threads[t]
	m := th.msg
	th.msg = none
	w.told(m, t, result)
	in := &w.insts[th.inst]
	if in.waiting.len() == 0 {
		in.idle.push(t)
		return false
	}
	return w.begin(t, in.waiting.pop())
}

// attemptEnds tells the loop and the observer how the attempt ended, and what that did to the table.
func (w *World) attemptEnds(t int32, out strategy.Outcome) {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	a := &th.call.attempt
	w.said.attempt = Attempt{
		Message: w.msgs.items[th.msg].Message, Try: int32(a.Number), Queue: a.Queue,
		Began: th.call.began, Ended: w.eng.Now(), Outcome: out,
	}
	w.obs.AttemptEnded(&w.said.attempt)
	if a.Number == 1 {
		th.first = w.eng.Now().Sub(th.call.began)
	}
	if out.Kind != strategy.OutcomeOK {
		w.msgs.items[th.msg].attemptEnded(int32(a.Number), out.Kind)
	}
	if !w.groups[in.group].cfg.Settings.SendLatencyFaultEnable {
		th.loop.Done(w.clock(th.inst), out)
		return
	}
	now := w.clock(th.inst)
	before, known := in.policy.Item(a.Queue.Broker)
	if !known {
		before.Reachable = true // as a broker without an item counts
	}
	th.loop.Done(now, out)
	w.traceUpdate(t)
	after, exists := in.policy.Item(a.Queue.Broker)
	if exists && tellsSomething(now, before, after) {
		w.tableChanged(th, now, before, after, known, out)
	}
}

// tellsSomething is false for an update that changes only the latency of a broker that stays
// available: each success makes one.
func tellsSomething(now strategy.Millis, before, after strategy.Item) bool {
	return after.Start > now || before.Start > now || after.Reachable != before.Reachable
}

func (w *World) tableChanged(
	th *thread, now strategy.Millis, before, after strategy.Item, known bool, out strategy.Outcome,
) {
	in := &w.insts[th.inst]
	b := th.call.attempt.Queue.Broker
	w.said.table = TableChange{
		At: w.eng.Now(), Group: in.group, Instance: th.inst - w.groups[in.group].first,
		Broker: int32(b), Outcome: out, Before: before, After: after, Known: known, ClockMillis: now,
		Until: w.unclock(th.inst, after.Start),
	}
	w.obs.TableChanged(&w.said.table)
}

// invoke starts a call to broker b's master. over is true if it ended at once, with the outcome.
//
// Source: DefaultMQProducerImpl.sendKernelImpl (address lookup) and NettyRemotingClient.invokeSync,
// 4.9.8 and 5.3.3.
func (w *World) invoke(t, b int32, timeout strategy.Millis) (out strategy.Outcome, over bool) {
	ci := w.channelOf(w.threads[t].inst, b)
	w.startCall(t, ci, timeout)
	if !w.masters[ci] {
		w.traceThread(t, NoMaster)
		return strategy.Outcome{Kind: strategy.OutcomeBrokerNotExist}, true
	}
	w.closeIdle(t, ci)
	switch w.chans[ci].state {
	case channelOpen:
		return w.write(t)
	case channelClosed:
		w.traceThread(t, ConnectBegan)
		w.connect(ci)
	case channelConnecting:
		w.traceThread(t, ConnectJoined)
	}
	w.waitForConnection(ci, t)
	return strategy.Outcome{}, false
}

// startCall begins a call of thread t over channel ci.
func (w *World) startCall(t, ci int32, timeout strategy.Millis) {
	th := &w.threads[t]
	c := &th.call
	c.broker, c.channel, c.timeout = w.chans[ci].broker, ci, timeout
	c.began, c.beganAt, c.request = w.eng.Now(), w.clock(th.inst), none
}

// write puts the request on the wire, if the time spent on connecting left any, and starts the wait
// for the answer.
func (w *World) write(t int32) (out strategy.Outcome, over bool) {
	th := &w.threads[t]
	c := &th.call
	g := &w.groups[w.insts[th.inst].group]
	c.left = c.timeout
	if g.client.deductsConnect {
		c.left -= w.clock(th.inst) - c.beganAt
	}
	if c.left < 0 || c.left == 0 && !g.client.writesAtZero {
		w.traceThread(t, NothingLeft)
		w.timedOut(t)
		return strategy.Outcome{Kind: strategy.OutcomeTimeout}, true
	}
	c.request = w.newRequest(t, c.channel)
	w.traceRequest(c.request, Written, sim.Duration(c.left)*sim.Millisecond, 0)
	w.sendRequest(c.request)
	if c.left == 0 { // await(0) does not park
		w.timedOut(t)
		return strategy.Outcome{Kind: strategy.OutcomeTimeout}, true
	}
	at := w.eng.Now().Add(sim.Duration(c.left) * sim.Millisecond)
	c.timer = w.responseTimeouts.Start(at, sim.PrioTimer, w.self, evTimeout, uint32(t))
	return strategy.Outcome{}, false
}

// waitOver is the end of a wait by the clock; the thread wakes a little later. An answer that comes
// until then still counts: the wait looks at the result first when it wakes.
func (w *World) waitOver(t int32) {
	th := &w.threads[t]
	th.wakeups++
	w.traceThread(t, WaitOver)
	s := &w.groups[w.insts[th.inst].group].wakeup
	late := w.sample(s, drawWakeup, th.index, th.wakeups, 0)
	th.call.timer = w.timerAfter(late, evWake, t)
}

// wake ends a call without an answer.
func (w *World) wake(t int32) {
	w.timedOut(t)
	w.callEnds(t, strategy.Outcome{Kind: strategy.OutcomeTimeout})
}

// timedOut does what a timeout does to the channel: nothing up to 4.9.0; later releases close it, from
// 5.1.4 on only if the wait was not a short one. Everything else in flight on it fails with it.
//
// Source: NettyRemotingClient.invokeSync, catch of RemotingTimeoutException, 4.9.0, 4.9.8 and 5.1.4.
func (w *World) timedOut(t int32) {
	th := &w.threads[t]
	c := &th.call
	ci := c.channel
	current := true // a FIN may have detached the request from a channel that is open again
	if c.request != none {
		current = w.requests.items[c.request].number == w.chans[ci].number
		w.clientDone(c.request)
		c.request = none
	}
	rule := w.groups[w.insts[th.inst].group].client.closeOnTimeout
	if rule == closeUnlessShort && c.left <= minCloseTimeout && c.left <= c.timeout/4 {
		w.traceThread(t, SparedConnection)
		return
	}
	if rule == closeNever {
		w.traceThread(t, KeptConnection)
		return
	}
	if current {
		w.traceThread(t, ClosedItself)
		w.closeChannel(ci, byTimeout)
	}
}

// callEnds ends a thread's call with an outcome and lets it go on.
func (w *World) callEnds(t int32, out strategy.Outcome) {
	th := &w.threads[t]
	w.eng.Stop(th.call.timer)
	th.call.timer = sim.Timer{}
	if th.call.request != none {
		w.clientDone(th.call.request)
		th.call.request = none
	}
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
