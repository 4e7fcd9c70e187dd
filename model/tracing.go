package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// trace is a message that a World tells a Tracer about.
type trace struct {
	to     Tracer
	group  int32
	number uint64
	call   int32           // that carries it, none if none does
	left   int32           // that carries it once its thread is done with it, none if none does
	from   strategy.Millis // when its send loop began
	why    strategy.Trace
	step   Step
	choice Choice
	update TableUpdate
}

// Trace has a Tracer told about a message of a group. It must be called before the message comes into
// being, and once for a message; each of several messages may have a Tracer of its own. It changes nothing
// of what happens, and what is told of one message does not depend on whether others are followed, too.
func (w *World) Trace(group int, number uint64, to Tracer) {
	if w.isThere(&w.groups[group], number) {
		panic("model: the message to trace is there already")
	}
	if w.traceFor(&Message{Group: int32(group), Number: number}) != nil {
		panic("model: the message is traced already")
	}
	w.traces = append(w.traces, &trace{
		to: to, group: int32(group), number: number, call: none, left: none,
		choice: Choice{Avoided: make([]sim.Time, len(w.names))},
	})
}

// Settling says whether a message has come into being, and its caller waits for the answer, or anything of
// it is on the way, or copies on several brokers are not settled yet. When it no longer is, one copy at most
// can still change its fate, and nothing else follows.
func (w *World) Settling(group int, number uint64) bool {
	for m, used := range w.msgs.used() {
		if r := &w.msgs.items[m]; used && r.Number == number && r.Group == int32(group) {
			return true
		}
	}
	return false
}

// traceFor is the trace of a message, nil if nobody follows it.
func (w *World) traceFor(m *Message) *trace {
	for _, tr := range w.traces {
		if tr.number == m.Number && tr.group == m.Group {
			return tr
		}
	}
	return nil
}

// traceOf is the trace of the message that a call carries, nil if nobody follows it.
func (w *World) traceOf(c int32) *trace {
	for _, tr := range w.traces {
		if tr.call == c {
			return tr
		}
	}
	return nil
}

// traceTaken follows a message to the call of the thread that took it.
func (w *World) traceTaken(c, m int32) {
	if w.traces == nil {
		return
	}
	if tr := w.traceFor(&w.msgs.items[m].Message); tr != nil {
		tr.call = c
		w.traceCall(c, Taken)
	}
}

// traceLoop is where the send that has call c records its reasons, nil unless somebody looks.
func (w *World) traceLoop(c int32, from strategy.Millis) *strategy.Trace {
	tr := w.traceOf(c)
	if tr == nil {
		return nil
	}
	tr.from = from
	tr.why.Reset()
	return &tr.why
}

// traceCall tells a step of a call, or of the thread that makes it.
func (w *World) traceCall(c int32, what StepWhat) {
	if w.traces != nil {
		w.tellCall(c, what, 0)
	}
}

func (w *World) tellCall(c int32, what StepWhat, n int32) {
	tr := w.traceOf(c)
	ca := &w.calls.items[c]
	if tr == nil || ca.thread != none && w.threads[ca.thread].asks != asksNothing {
		return // nobody looks, or it is on the way to a name server
	}
	w.tellStep(tr, ca.broker, int32(ca.attempt.Number), what, 0, n)
}

// traceThrow tells why the thread with call c throws without a choice of a queue.
func (w *World) traceThrow(c int32, why StepWhat) {
	w.traceCall(c, why)
	if tr := w.traceOf(c); tr != nil {
		tr.call = none
	}
}

// traceRequest tells a step of a request.
func (w *World) traceRequest(r int32, what StepWhat, span sim.Duration, n int32) {
	if w.traces != nil {
		w.tellRequest(r, what, span, n)
	}
}

func (w *World) tellRequest(r int32, what StepWhat, span sim.Duration, n int32) {
	q := &w.requests.items[r]
	if q.msg == none {
		return
	}
	if tr := w.traceFor(&w.msgs.items[q.msg].Message); tr != nil {
		tr.step.Outcome = q.outcome
		w.tellStep(tr, w.chans[q.channel].broker, q.attempt, what, span, n)
	}
}

func (w *World) tellStep(tr *trace, broker, try int32, what StepWhat, span sim.Duration, n int32) {
	s := &tr.step
	s.At, s.Broker, s.Try, s.What, s.Span, s.N = w.eng.Now(), broker, try, what, span, n
	switch what {
	case Taken, RouteAsked, RouteCame, RouteMissed, TooLarge:
		s.Broker, s.Try = none, 0 // the thread remembers the send before
	}
	tr.to.Stepped(s)
}

// traceNext tells what the send loop of the thread with call c decided at now.
func (w *World) traceNext(c int32, now strategy.Millis, a strategy.Attempt, more bool) {
	if w.traces == nil {
		return
	}
	tr := w.traceOf(c)
	if tr == nil {
		return
	}
	ca := &w.calls.items[c]
	th := &w.threads[ca.thread]
	g := w.insts[th.inst].g
	attempts := 1 + int(ca.before)
	if !g.once {
		attempts += g.cfg.Settings.RetryTimesWhenSendFailed
	}
	w.tellChoice(tr, th.inst, th.view, attempts, now, a, more)
	if !more {
		tr.call, tr.left = tr.left, none
	}
}

// traceSend tells what an asynchronous send decided.
func (w *World) traceSend(s int32, a strategy.Attempt, more bool) {
	sd := &w.sends.items[s]
	if tr := w.traceOf(sd.call); tr != nil {
		g := w.insts[sd.inst].g
		attempts := 1 + g.cfg.Settings.RetryTimesWhenSendAsyncFailed + int(sd.before)
		if more {
			a.Number += int(sd.before)
		}
		w.tellChoice(tr, sd.inst, sd.view, attempts, w.clock(sd.inst), a, more)
	}
}

// tellChoice tells of the last choice of a queue, if there was one.
func (w *World) tellChoice(
	tr *trace, i, v int32, attempts int, now strategy.Millis, a strategy.Attempt, more bool,
) {
	if tr.why.Rule != strategy.RuleNone {
		in := &w.insts[i]
		g := in.g
		c := &tr.choice
		c.At, c.Made, c.Attempt, c.Route, c.Why = w.eng.Now(), more, a, w.views[v].route, &tr.why
		c.Attempts = attempts
		c.Left = g.cfg.Settings.SendMsgTimeout
		if g.profile.Budget == strategy.BudgetShared {
			c.Left -= now - tr.from
		}
		for b := range c.Avoided {
			c.Avoided[b] = 0
			if it, ok := in.policy.Item(strategy.Broker(b)); ok && it.Start > now {
				c.Avoided[b] = w.unclock(i, it.Start)
			}
		}
		tr.to.Chosen(c)
	}
	tr.why.Reset() // the loop may give up without another choice
}

// traceUpdate tells what the end of an attempt taught the table.
func (w *World) traceUpdate(c int32) {
	tr := w.traceOf(c)
	if tr == nil || !tr.why.Update.Happened {
		return
	}
	u := &tr.update
	u.At, u.Update = w.eng.Now(), tr.why.Update
	u.Until = w.unclock(w.calls.items[c].inst, u.After.Start)
	tr.to.Updated(u)
}

// traceLeft notes the call that a one-way request goes on with when the thread with call c is done with it.
func (w *World) traceLeft(c, left int32) {
	if tr := w.traceOf(c); tr != nil {
		tr.left = left
	}
}

// traceOneWayOver ends the story of a request that waited for its connection by itself.
func (w *World) traceOneWayOver(c int32) {
	if tr := w.traceOf(c); tr != nil {
		tr.call = none
	}
}

// traceQueued tells that a send waits for a thread of a pool.
func (w *World) traceQueued(c int32, what StepWhat, pool *workers) {
	if w.traces != nil {
		w.tellCall(c, what, int32(pool.queue.len()))
	}
}

// traceSendOver ends the story of an asynchronous send whose callback has run so many times.
func (w *World) traceSendOver(c int32, callbacks int) {
	tr := w.traceOf(c)
	if tr == nil {
		return
	}
	if callbacks > 1 {
		w.tellCall(c, CalledBackAgain, int32(callbacks))
	}
	tr.call = none
}

// traceClosed tells what a connection that is closed does to a request on it.
func (w *World) traceClosed(r int32, how closing, failFast bool) {
	if w.traces == nil {
		return
	}
	what := [...]StepWhat{ClosedByTimeout, ClosedByReset, ClosedByPeer}[how]
	switch {
	case failFast:
	case how == byPeer:
		what = LeftByPeer
	default:
		what = LeftByReset
	}
	w.tellRequest(r, what, 0, 0)
}

// traceResend tells that a message will be sent again.
func (w *World) traceResend(r *message, delay sim.Duration) {
	if tr := w.traceFor(&r.Message); tr != nil {
		w.tellStep(tr, none, 0, SendsAgain, delay, int32(r.resends))
	}
}
