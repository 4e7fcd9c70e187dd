package model

import "simrun/strategy"

// What asynchronous sends tell the observer and the fault table.

// attemptOver tells how the attempt in flight of a send ended.
func (w *World) attemptOver(s int32, out strategy.Outcome) {
	sd := &w.sends.items[s]
	ca := &w.calls.items[sd.call]
	w.tellAttempt(sd.msg, ca, int(sd.before), out)
	if ca.attempt.Number == 1 {
		sd.first = w.eng.Now().Sub(ca.began)
	}
}

// threw tells a send that the network did not take its attempt, and returns the next. Where requests wait
// for their connection aside, nothing is thrown: a callback is told, on the network's own thread; of a
// connection that came too late it is told twice.
//
// Source: NettyRemotingClient.invokeAsync, 4.9.8, 5.2.0 and 5.3.0-5.3.3 (a return is missing behind the
// first of two failures).
func (w *World) threw(s, t int32, out strategy.Outcome) (a strategy.Attempt, more bool) {
	sd := &w.sends.items[s]
	in := &w.insts[sd.inst]
	g := in.g
	w.attemptOver(s, out)
	if g.client.ConnectsAside && out.Kind != strategy.OutcomeBrokerNotExist {
		t = in.async.loop
		w.threads[t].view = sd.view
		a, more = w.ended(s, t, out)
		if out.Kind == strategy.OutcomeTooMuchRequest {
			a, more = w.ended(s, t, strategy.Outcome{Kind: strategy.OutcomeTimeout})
		}
		return a, more
	}
	ca := &w.calls.items[sd.call]
	ends := g.profile.AsyncThrow == strategy.AsyncThrowEnds
	about := ca.attempt.Queue.Broker
	if ca.attempt.Number == 1+int(sd.before) && (ends || out.Kind == strategy.OutcomeBrokerNotExist) {
		sd.handing = false // the exception ends the hand-over
	} else if ends {
		about = sd.last
		if out.Kind == strategy.OutcomeTooMuchRequest {
			about = strategy.NoBroker
		}
	}
	now := w.clock(sd.inst)
	l := w.learns(sd.inst, about)
	sd.last = ca.attempt.Queue.Broker
	a, more = sd.async.Threw(now, out, w.idsOf(t), &w.threads[t].src)
	w.learned(sd.call, l, out)
	w.traceSend(s, a, more)
	return a, more
}

// ended tells a send how an attempt that the network took ended, and returns the next.
func (w *World) ended(s, t int32, out strategy.Outcome) (a strategy.Attempt, more bool) {
	sd := &w.sends.items[s]
	ca := &w.calls.items[sd.call]
	l := w.learns(sd.inst, ca.attempt.Queue.Broker)
	sd.last = ca.attempt.Queue.Broker
	a, more = sd.async.Ended(w.clock(sd.inst), ca.writtenAt, out, w.idsOf(t), &w.threads[t].src)
	w.learned(sd.call, l, out)
	w.traceSend(s, a, more)
	return a, more
}

// handOver ends the hand-over of a send's first attempt, if it is on.
func (w *World) handOver(s int32) {
	sd := &w.sends.items[s]
	if !sd.handing {
		return
	}
	sd.handing = false
	l := w.learns(sd.inst, sd.async.HandedTo())
	sd.async.Handed(w.clock(sd.inst))
	w.learned(sd.call, l, strategy.Outcome{Kind: strategy.OutcomeHanded})
}

// lesson is what a fault table has of a broker before it is told something. In this order it has 32 bytes,
// which go through registers.
type lesson struct {
	before strategy.Item
	broker strategy.Broker
	known  bool
}

// learns remembers what an instance's table has of a broker.
func (w *World) learns(i int32, b strategy.Broker) lesson {
	in := &w.insts[i]
	l := lesson{broker: b}
	if !in.g.cfg.Settings.SendLatencyFaultEnable || b == strategy.NoBroker {
		return l
	}
	if l.before, l.known = in.policy.Item(b); !l.known {
		l.before.Reachable = true // as a broker without an item counts
	}
	return l
}

// learned tells the observer what the table of call c's instance has learned of a broker.
func (w *World) learned(c int32, l lesson, out strategy.Outcome) {
	i := w.calls.items[c].inst
	in := &w.insts[i]
	w.traceUpdate(c)
	if !in.g.cfg.Settings.SendLatencyFaultEnable || l.broker == strategy.NoBroker {
		return
	}
	now := w.clock(i)
	if after, exists := in.policy.Item(l.broker); exists && tellsSomething(now, l.before, after) {
		w.tableChanged(i, now, l, after, out)
	}
}

// settleSend gives the caller its answer, if its callback has run and it has none yet. goesOn says that
// another attempt follows all the same.
func (w *World) settleSend(s int32, goesOn bool) {
	sd := &w.sends.items[s]
	n := sd.async.Callbacks()
	if n == 0 {
		return
	}
	if !sd.told {
		if goesOn {
			sd.kept = true
			w.msgs.items[sd.msg].refs++
		}
		w.tellSend(s, sd.async.Result(), int32(n))
	}
	w.giveBack(s, n)
}

// tellSend gives the caller of a send its answer, by a callback that has run so many times, or else by
// throwing.
func (w *World) tellSend(s int32, res strategy.Result, callbacks int32) {
	sd := &w.sends.items[s]
	sd.told = true
	m := sd.msg
	if callbacks > 0 {
		w.giveBack(s, int(callbacks))
		sd = &w.sends.items[s]
	}
	caller, n := sd.caller, w.msgs.items[m].Number
	if w.told(m, teller{began: sd.began, first: sd.first, callbacks: callbacks}, res) {
		w.callerGoesOn(caller, n)
	}
}

// endSend forgets a send that has nothing in flight. If it has not been told, it never will be: its message
// is in flight for ever.
func (w *World) endSend(s int32) {
	sd := &w.sends.items[s]
	m, kept := sd.msg, sd.kept
	if !sd.told {
		sd.told = true
		w.silenced++
	}
	w.traceSendOver(sd.call, sd.async.Callbacks())
	w.calls.free(sd.call)
	w.sends.free(s)
	if kept {
		w.unref(m)
	}
}
