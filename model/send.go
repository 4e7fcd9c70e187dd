package model

import (
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// none is the null of every index and list.
const none = int32(-1)

// role is what a thread is for.
type role uint8

const (
	sender         role = iota // an application thread: it sends messages
	heartbeater                // the scheduled thread of polls and heartbeats
	detector                   // the scheduled thread of the detector
	poller                     // the goroutine of route polls of a Go client; heartbeater is the other
	asyncSender                // of AsyncSenderExecutor
	callbackRunner             // of the executor of callbacks
	eventLoop                  // the network's own
)

// thread is a thread of an instance: an application thread with the synchronous send it is in, or one
// of the client's own that send heartbeats and probes.
type thread struct {
	// What every send needs comes first, in one cache line: see lookAhead. Its call is in World.calls, and
	// the state of its loop in World.loops: none if there is none.

	ids0  strategy.Thread // its indexes into the list of the first topic
	began sim.Time        // when the thread took the message
	first sim.Duration    // how long its first attempt took
	inst  int32
	call  int32
	loop  int32
	view  int32 // what it sends to, or asks for: a place in World.views
	msg   int32 // the message being sent, none if idle
	role  role
	asks  asks // what it asks a name server for
	// submitting: it is handing asynchronous sends over; free: the last of them needs it no more.
	submitting, free bool

	src     sim.Stream
	ids     int32  // the first of its places in World.ids, for the second topic of its group and more
	send    int32  // the asynchronous send that it is at work on
	next    int32  // in the list of threads that wait for their turn to look up
	at      int32  // heartbeats and probes: the broker they are at
	index   uint64 // among all threads of the world, for draws
	wakeups uint64 // timed waits that woke late so far
	sent    uint64 // messages of a closed loop so far
	// calledAt is when the send began, by the client's clock, while it looks up the route.
	calledAt strategy.Millis
	_        [8]byte
}

// sendLoop is the send that a thread is in, and nothing else: there are many more threads than sends, and
// the places of those that are over are used again while they are at hand.
type sendLoop struct {
	loop  strategy.Loop
	once  strategy.Once // instead, of a send of one attempt: ahead is that, if more
	ahead strategy.Attempt
	more  bool
}

// loopOf is the send that thread t is in.
func (w *World) loopOf(t int32) *sendLoop { return &w.loops.items[w.threads[t].loop] }

// addThread makes the t-th thread of instance inst.
func (w *World) addThread(inst, t int32, r role) int32 {
	id := int32(len(w.threads))
	w.resting = append(w.resting, none)
	w.threads = append(w.threads, thread{
		inst: inst, call: none, loop: none, msg: none, send: none, next: none, role: r,
		index: uint64(inst)<<20 | uint64(t), ids: int32(len(w.ids)),
		src: sim.NewStream(w.cfg.Seed, drawIndex, uint64(inst), uint64(t)),
	})
	for range w.insts[inst].g.topics[1:] {
		w.ids = append(w.ids, strategy.Thread{})
	}
	return id
}

// idsOf are the indexes of thread t into the list of what it sends to.
func (w *World) idsOf(t int32) *strategy.Thread {
	th := &w.threads[t]
	return w.idsAt(t, th.view-w.insts[th.inst].firstView)
}

// idsAt are those into the list of the k-th topic of its group.
func (w *World) idsAt(t, k int32) *strategy.Thread {
	th := &w.threads[t]
	if k == 0 {
		return &th.ids0
	}
	return &w.ids[th.ids+k-1]
}

// begin gives message m to thread t. It is false if the thread has nothing to run now: the instance has no
// queue to send to, so that the thread first asks the name server itself, or the client refuses the message
// and no other waits.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl and tryToFindTopicPublishInfo, 4.9.8 and 5.3.3.
func (w *World) begin(t, m int32) bool {
	th := &w.threads[t]
	w.take(t, m)
	if w.insts[th.inst].async != nil {
		w.submitAll(t, m)
		return false
	}
	if w.msgs.items[m].size == tooLarge {
		w.traceThrow(th.call, TooLarge)
		return w.finish(t, tooLargeResult)
	}
	if w.isGo(th.inst) {
		w.goBegin(t)
		return true
	}
	if w.lacksRoute(t, th.view) {
		w.traceCall(th.call, RouteAsked)
		th.calledAt = w.clock(th.inst)
		w.views[th.view].wanted = true
		w.lookUp(t, asksTopic)
		return false
	}
	w.beginLoop(t, w.clock(th.inst))
	return true
}

// take has thread t take message m in hand.
func (w *World) take(t, m int32) {
	th := &w.threads[t]
	th.msg = m
	th.began = w.eng.Now()
	c := w.callOf(t)
	w.traceTaken(c, m)
	r := &w.msgs.items[m]
	w.calls.items[c].before = r.attempts
	th.view = w.insts[th.inst].firstView + w.groups[r.Group].topicOf(w, r.Number)
}

// beginLoop starts the send loop, whose budget counts from the client's time `from`.
func (w *World) beginLoop(t int32, from strategy.Millis) {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	g := in.g
	th.loop = w.loops.alloc()
	if g.once {
		w.beginOnce(t, from)
		return
	}
	w.loopOf(t).loop.Begin(from, in.policy, &g.profile, &g.cfg.Settings, w.views[th.view].route, w.idsOf(t),
		&th.src, w.traceLoop(th.call, from))
}

// sendLookedUp continues a send that had to ask for the route itself. If the name server does not know
// the topic, and the client never had a route of it, the send asks for the default topic's.
//
// Source: DefaultMQProducerImpl.tryToFindTopicPublishInfo, 4.2.0, 4.9.8 and 5.3.3;
// MQClientInstance.updateTopicRouteInfoFromNameServer, 4.5.2 (catches everything) and 4.9.8.
func (w *World) sendLookedUp(t int32, what asks, failed bool) {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	if w.isGo(th.inst) {
		w.goLookedUp(t, what, failed)
		return
	}
	threw := failed && in.g.client.NameServerThrows
	if what == asksTopic && !threw && !w.views[th.view].hasRoute {
		w.lookUp(t, asksDefault)
		return
	}
	if th.send != none {
		w.sendRouteCame(t, threw)
		return
	}
	if threw {
		w.traceThrow(th.call, RouteMissed)
		if w.finish(t, strategy.Result{
			Exception: strategy.IllegalStateException, Broker: strategy.NoBroker,
		}) {
			w.run(t)
		}
		return
	}
	w.traceCall(th.call, RouteCame)
	w.beginLoop(t, th.calledAt)
	w.run(t)
}

// run drives a thread until it waits for the network or has nothing to do. Everything in it takes
// no simulated time.
func (w *World) run(t int32) {
	th := &w.threads[t]
	if w.isGo(th.inst) {
		w.goRun(t, false)
		return
	}
	for {
		now := w.clock(th.inst)
		a, more := w.next(t, now)
		ca := &w.calls.items[th.call]
		if more {
			a.Number += int(ca.before)
		}
		w.traceNext(th.call, now, a, more)
		if !more {
			if !w.finish(t, w.resultOf(t)) {
				return
			}
			continue
		}
		ca.attempt = a
		w.msgs.items[th.msg].attempts = uint8(a.Number)
		out, over := w.invoke(th.call, int32(a.Queue.Broker), a.Timeout)
		if !over {
			return
		}
		w.attemptEnds(t, out)
	}
}

// next is the next attempt of the send that thread t is in; false is its end.
func (w *World) next(t int32, now strategy.Millis) (strategy.Attempt, bool) {
	l := w.loopOf(t)
	if w.insts[w.threads[t].inst].g.once {
		more := l.more
		l.more = false
		return l.ahead, more
	}
	return l.loop.Next(now)
}

// resultOf is the result of the send that thread t is in.
func (w *World) resultOf(t int32) strategy.Result {
	l := w.loopOf(t)
	if w.insts[w.threads[t].inst].g.once {
		return l.once.Result()
	}
	return l.loop.Result()
}

// doneWith tells the send that thread t is in how its attempt ended.
func (w *World) doneWith(t int32, now strategy.Millis, out strategy.Outcome) {
	l := w.loopOf(t)
	if w.insts[w.threads[t].inst].g.once {
		l.once.Done(now, out)
		return
	}
	l.loop.Done(now, out)
}

// finish gives the caller its answer and takes the next waiting message. It is false if the thread
// has nothing to run now.
func (w *World) finish(t int32, result strategy.Result) bool {
	th := &w.threads[t]
	m := th.msg
	n := w.msgs.items[m].Number
	th.msg = none
	if th.loop != none {
		w.loops.free(th.loop)
		th.loop = none
	}
	w.hangUp(t)
	answered := w.told(m, teller{began: th.began, first: th.first}, result)
	in := &w.insts[th.inst]
	if in.g.cfg.Arrivals == config.ClosedLoop {
		if answered {
			w.thinkOn(t, n)
		}
		return false
	}
	return w.beginNext(t)
}

// beginNext gives thread t the message that waits longest, or makes it idle. It is false if the thread has
// nothing to run now.
func (w *World) beginNext(t int32) bool {
	in := &w.insts[w.threads[t].inst]
	if in.resting > 0 || in.waiting.len() == 0 {
		w.rest(in, t)
		return false
	}
	return w.begin(t, in.waiting.pop())
}

// rest puts thread t behind the idle ones of its instance: like Java's pools, they take turns.
func (w *World) rest(in *instance, t int32) {
	at := in.restFrom + in.resting
	if at >= in.threads {
		at -= in.threads
	}
	w.resting[in.firstThread+at] = t
	in.resting++
}

// rise is the thread that has been idle for longest; there must be one.
func (w *World) rise(in *instance) int32 {
	t := w.resting[in.firstThread+in.restFrom]
	if in.restFrom++; in.restFrom == in.threads {
		in.restFrom = 0
	}
	in.resting--
	return t
}

// tellAttempt tells the observer, and the record of message m, how the attempt of call c ended. Earlier sends
// of the message had begun so many attempts before.
func (w *World) tellAttempt(m int32, c *call, before int, out strategy.Outcome) {
	r, try := &w.msgs.items[m], c.attempt.Number
	a := &w.said.attempt // field by field: one of these a message
	a.Message, a.Try, a.Queue = r.Message, int32(try), c.attempt.Queue
	a.Began, a.Ended, a.Outcome = c.began, w.eng.Now(), out
	a.Timeout, a.Refused = c.attempt.Timeout, c.attempt.Refused
	a.Unsent, a.Again = !c.sent, try > before+1
	w.obs.AttemptEnded(a)
	if out.Kind != strategy.OutcomeOK {
		r.attemptEnded(int32(try), out.Kind)
	}
}

// attemptEnds tells the loop and the observer how the attempt ended, and what that did to the table.
func (w *World) attemptEnds(t int32, out strategy.Outcome) {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	c := &w.calls.items[th.call]
	a := &c.attempt
	w.tellAttempt(th.msg, c, int(c.before), out)
	if a.Number == 1 {
		th.first = w.eng.Now().Sub(c.began)
	}
	if w.isGo(th.inst) {
		w.goLoop(t).Done(out)
		return
	}
	now := w.clock(th.inst)
	if !in.g.cfg.Settings.SendLatencyFaultEnable {
		w.doneWith(t, now, out)
		return
	}
	l := w.learns(th.inst, a.Queue.Broker)
	w.doneWith(t, now, out)
	w.learned(th.call, l, out)
}

// tellsSomething is false for an update that changes only the latency of a broker that stays
// available: each success makes one.
func tellsSomething(now strategy.Millis, before, after strategy.Item) bool {
	return after.Start > now || before.Start > now || after.Reachable != before.Reachable
}

func (w *World) tableChanged(
	i int32, now strategy.Millis, l lesson, after strategy.Item, out strategy.Outcome,
) {
	in := &w.insts[i]
	w.said.table = TableChange{
		At: w.eng.Now(), Group: in.group, Instance: i - in.g.first,
		Broker: int32(l.broker), Outcome: out, Before: l.before, After: after, Known: l.known,
		ClockMillis: now, Until: w.unclock(i, after.Start),
	}
	w.obs.TableChanged(&w.said.table)
}
