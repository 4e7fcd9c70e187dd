package model

import (
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// goKernelDial is how long Linux tries to connect: tcp_syn_retries is 6.
const goKernelDial = 127 * sim.Second

// goInvoke is invoke for the Go client: whoever wants a connection, be it there or not, takes the one
// lock of its client, and whoever dials holds it meanwhile. The lock is fair to those that wait.
//
// Source: rocketmq-client-go internal/remote/remote_client.go, connect, v2.1.0 to 2173d07.
func (w *World) goInvoke(c, ci int32) (out strategy.Outcome, over bool) {
	gc := w.goOf(w.calls.items[c].inst)
	if gc.dialing == none && !gc.passing {
		return w.goConnect(c, ci)
	}
	w.traceCall(c, AwaitsDial)
	w.calls.items[c].next = none
	if gc.head == none {
		gc.head = c
	} else {
		w.calls.items[gc.tail].next = c
	}
	gc.tail = c
	return strategy.Outcome{}, false
}

// goConnect is a call that has the lock: it writes, or dials.
func (w *World) goConnect(c, ci int32) (out strategy.Outcome, over bool) {
	w.goReadLimit(ci)
	if w.chans[ci].state == channelOpen {
		return w.goWrite(c)
	}
	limit := w.goDialLimit(c)
	if limit <= 0 {
		w.traceCall(c, ConnectTimedOut)
		return strategy.Outcome{Kind: strategy.OutcomeConnectFailed}, true
	}
	w.traceCall(c, ConnectBegan)
	gc := w.goOf(w.calls.items[c].inst)
	if w.chans[ci].broker != none {
		gc.dialing = ci
	}
	w.chans[ci].lastWord = w.eng.Now()
	w.connectWithin(ci, limit)
	w.waitForConnection(ci, c)
	return strategy.Outcome{}, false
}

// goDeadline is when the context of a call is over; a one-way call has none.
//
// Source: rocketmq-client-go internal/client.go, InvokeSync and InvokeOneWay, v2.1.0 to 2173d07.
func (w *World) goDeadline(c int32) (at sim.Time, ok bool) {
	ca := &w.calls.items[c]
	return ca.began.Add(w.millis(ca.timeout)), !w.goOneWay(c)
}

// goOneWay says whether nobody waits for the answer to a call.
func (w *World) goOneWay(c int32) bool {
	ca := &w.calls.items[c]
	return ca.msg != none && w.insts[ca.inst].g.cfg.Mode == config.OneWay
}

// goDialLimit is how long a call may dial.
//
// Source: rocketmq-client-go internal/remote/tcp_conn.go, initConn, v2.1.0 and v2.1.1.
func (w *World) goDialLimit(c int32) sim.Duration {
	limit := w.scaled(w.goOf(w.calls.items[c].inst).profile.ConnectionTimeout)
	if limit == 0 {
		limit = w.scaled(goKernelDial)
	}
	if at, ok := w.goDeadline(c); ok {
		limit = min(limit, at.Sub(w.eng.Now()))
	}
	return limit
}

// goSYNAgain plans the next SYN of a dial: each gap is twice the one before.
func (w *World) goSYNAgain(ci int32) {
	ch := &w.chans[ci]
	if w.isGo(ch.inst) {
		ch.retry = w.timerAfter(w.eng.Now().Sub(ch.lastWord)+w.scaled(synRetry), evSYNRetry, ci)
	}
}

// goDialed is the end of a dial: its call goes on, and the lock goes to the next that waits. What comes
// for it meanwhile waits behind those.
func (w *World) goDialed(c, ci int32, how StepWhat) {
	gc := w.goOf(w.chans[ci].inst)
	if w.chans[ci].broker != none {
		gc.dialing = none
		gc.passing = true
	}
	w.traceCall(c, how)
	out, over := strategy.Outcome{Kind: strategy.OutcomeConnectFailed}, true
	if how == Connected {
		w.chans[ci].lastRead = w.eng.Now()
		out, over = w.goWrite(c)
	}
	if over {
		w.callEnds(c, out)
	}
	if w.chans[ci].broker == none {
		return
	}
	for gc.dialing == none && gc.head != none {
		u := gc.head
		if gc.head = w.calls.items[u].next; gc.head == none {
			gc.tail = none
		}
		if out, over := w.goConnect(u, w.calls.items[u].channel); over {
			w.callEnds(u, out)
		}
	}
	gc.passing = false
}

// goWrite is write for the Go client. There is no look at the time before it, but from 2173d07 on the
// context's deadline is that of the write as well: one that is over fails, and a write that fails
// closes the connection, whoever else uses it.
//
// Source: rocketmq-client-go internal/remote/remote_client.go, doRequest, v2.1.2 and 2173d07.
func (w *World) goWrite(c int32) (out strategy.Outcome, over bool) {
	ca := &w.calls.items[c]
	deadline, waits := w.goDeadline(c)
	left := deadline.Sub(w.eng.Now())
	late := waits && left <= 0
	if late && !w.goOf(ca.inst).profile.WritesLate {
		w.traceCall(c, WriteFailed)
		w.closeChannel(ca.channel, byTimeout)
		return strategy.Outcome{Kind: strategy.OutcomeSendRequestFailed}, true
	}
	ca.left = strategy.Millis(max(0, left) / w.millis(1))
	ca.request = w.newRequest(c, ca.channel)
	w.requests.items[ca.request].oneWay = !waits
	if !waits || late {
		left = 0
	}
	w.traceRequest(ca.request, Written, left, 0)
	w.sendRequest(ca.request)
	if !waits || late {
		w.clientDone(ca.request)
		ca.request = none
	}
	switch {
	case !waits:
		return strategy.Outcome{Kind: strategy.OutcomeHanded}, true
	case late:
		return strategy.Outcome{Kind: strategy.OutcomeTimeout}, true
	}
	ca.timer = w.responseTimeouts.Start(deadline, sim.PrioTimer, w.self, evTimeout, uint32(c))
	if ca.kind == callGo {
		w.goWritten(c)
	}
	return strategy.Outcome{}, false
}

// goDetach takes a request from its call, whose connection is closed: nobody tells the call.
//
// Source: rocketmq-client-go internal/remote/remote_client.go, closeConnection, v2.1.0 to 2173d07.
func (w *World) goDetach(r int32) {
	q := &w.requests.items[r]
	w.calls.items[q.call].request = none
	w.clientDone(r)
}

// goReadLimit closes a connection on which nothing has been read for too long: it was closed when that
// was so. (Until somebody wants to use it, nobody notices.)
//
// Source: rocketmq-client-go internal/remote/remote_client.go, receiveResponse, v2.1.1 and later.
func (w *World) goReadLimit(ci int32) {
	ch := &w.chans[ci]
	limit := w.scaled(w.goOf(ch.inst).profile.ReadTimeout)
	if limit > 0 && ch.state == channelOpen && w.eng.Now().Sub(ch.lastRead) >= limit {
		w.closeChannel(ci, byTimeout)
	}
}

// goReads is an answer at a Go client, before it is looked at.
func (w *World) goReads(q *request) {
	if w.current(q) {
		w.goReadLimit(q.channel)
		w.chans[q.channel].lastRead = w.eng.Now()
	}
}
