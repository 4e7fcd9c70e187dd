package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// goSend is an asynchronous send of a Go client: its one attempt has a call of its own.
type goSend struct {
	caller int32    // the application thread that called SendAsync
	began  sim.Time // when it took the message
	// holds: the caller is not back yet, as it waits for the connection itself. submits: it has only just
	// made the call.
	holds, submits bool
}

// goSubmit makes the attempt of an asynchronous send by thread t. It is true if the caller is back then:
// where it does not wait for the connection, a goroutine of the send's own does.
//
// Source: rocketmq-client-go producer/producer.go, sendAsync, and internal/remote/remote_client.go,
// InvokeAsync, v2.1.2 and 2173d07.
func (w *World) goSubmit(t int32, a strategy.Attempt) bool {
	th := &w.threads[t]
	g := w.insts[th.inst].g
	s, c := w.goSends.alloc(), th.call
	own := g.golang.Send.AsyncDial == strategy.GoAsyncDialOwn
	w.goSends.items[s] = goSend{caller: t, began: th.began, holds: !own, submits: true}
	m := th.msg
	w.calls.items[c] = call{
		inst: th.inst, thread: none, msg: m, broker: none, request: none, kind: callGo, send: s, attempt: a,
	}
	th.msg, th.call = none, none // the send has them
	w.msgs.items[m].attempts = uint8(a.Number)
	out, over := w.invoke(c, int32(a.Queue.Broker), a.Timeout)
	if over {
		w.goAsyncEnds(c, out)
		return true
	}
	w.goSends.items[s].submits = false
	return !w.goSends.items[s].holds
}

// goWritten has the caller of an asynchronous send go on, if it is the one that waited.
func (w *World) goWritten(c int32) {
	sd := &w.goSends.items[w.calls.items[c].send]
	if !sd.holds {
		return
	}
	sd.holds = false
	if !sd.submits && !w.closedLoop(sd.caller) {
		w.takeNext(sd.caller)
	}
}

// goAsyncEnds is the end of the one attempt of an asynchronous send.
func (w *World) goAsyncEnds(c int32, out strategy.Outcome) {
	ca := &w.calls.items[c]
	sd := w.goSends.items[ca.send]
	g := w.insts[ca.inst].g
	w.eng.Stop(ca.timer)
	if ca.request != none {
		w.clientDone(ca.request)
	}
	m, r := ca.msg, &w.msgs.items[ca.msg]
	took := w.eng.Now().Sub(ca.began)
	w.tellAttempt(m, ca, ca.attempt.Number-1, out)
	res := strategy.GoAsyncResult(&g.golang.Send, ca.attempt.Queue.Broker, out)
	callbacks := int32(1)
	if w.goTellsCaller(g, res.Exception) {
		callbacks = 0
	}
	number := r.Number
	w.traceSendOver(c, int(callbacks))
	w.goSends.free(ca.send)
	w.calls.free(c)
	if w.told(m, teller{began: sd.began, first: took, callbacks: callbacks}, res) {
		w.callerGoesOn(sd.caller, number)
	}
	if sd.holds && !sd.submits && !w.closedLoop(sd.caller) {
		w.takeNext(sd.caller)
	}
}

// goTellsCaller says whether an error is what SendAsync returns, and not what the callback gets.
func (w *World) goTellsCaller(g *group, e strategy.Exception) bool {
	switch e {
	case strategy.GoRouteNotFound:
		return true
	case strategy.GoDialError, strategy.GoWriteError:
		return g.golang.Send.AsyncDial == strategy.GoAsyncDialCaller
	}
	return false
}

// goWaitOver is waitOver for a call without a thread.
func (w *World) goWaitOver(c int32) {
	w.traceCall(c, WaitOver)
	w.calls.items[c].timer = w.timerAfter(w.late(w.calls.items[c].inst), evWake, c)
}
