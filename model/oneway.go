package model

import (
	"simrun/model/config"
	"simrun/strategy"
)

// beginOnce starts a send of one attempt on application thread t: a one-way one, or a synchronous one whose
// queue the client does not choose. Its budget counts from the client's time `from`.
func (w *World) beginOnce(t int32, from strategy.Millis) {
	th := &w.threads[t]
	in := &w.insts[th.inst]
	g := in.g
	route, set, tr := w.views[th.view].route, &g.cfg.Settings, w.traceLoop(th.call, from)
	now, l := w.clock(th.inst), w.loopOf(t)
	switch g.cfg.Choice {
	case config.ChooseByPolicy:
		l.ahead, l.more = l.once.Begin(from, now, in.policy, &g.profile, set, route, w.idsOf(t), &th.src, tr)
	case config.ChooseQueue:
		l.ahead, l.more = l.once.BeginFixed(from, now, &g.profile, set, g.queue, tr)
	default:
		r := &w.msgs.items[th.msg]
		l.ahead, l.more = l.once.BeginSelected(from, now, &g.profile, set, w.selectorOf(in),
			w.keyHash(g, r.Number), route, w.selectorSource(g, r), tr)
	}
}

// lacksRoute says whether a send on thread t has to look up the route first. A send to a queue of the
// caller's choice needs none, if the client knows the broker's address.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, sendSelectImpl and sendKernelImpl, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) lacksRoute(t, v int32) bool {
	if len(w.views[v].route.Queues) > 0 {
		return false
	}
	i := w.threads[t].inst
	g := w.insts[i].g
	return g.cfg.Choice != config.ChooseQueue || !w.masters[w.channelOf(i, int32(g.queue.Broker))]
}

// writeOneWay writes a request that nobody answers, and that nobody follows.
//
// Source: NettyRemotingClient.invokeOneway and NettyRemotingAbstract.invokeOnewayImpl, 4.2.0, 4.9.8 and
// 5.3.3.
func (w *World) writeOneWay(c int32) (out strategy.Outcome, over bool) {
	r := w.newRequest(c, w.calls.items[c].channel)
	q := &w.requests.items[r]
	w.unlink(r)
	q.client, q.oneWay = false, true
	w.traceRequest(r, HandedOver, 0, 0)
	w.sendRequest(r)
	return strategy.Outcome{Kind: strategy.OutcomeHanded}, true
}

// leaveOneWay has a request wait for its connection by itself: the thread that made call c goes on.
//
// Source: NettyRemotingClient.invokeOneway, 5.3.0.
func (w *World) leaveOneWay(c int32) (out strategy.Outcome, over bool) {
	f := w.calls.alloc()
	ca := &w.calls.items[f]
	w.calls.items[c].sent = true
	*ca = w.calls.items[c]
	ca.kind, ca.thread, ca.send = callOneWay, none, none
	w.msgs.items[ca.msg].refs++
	w.traceLeft(c, f)
	w.waitForConnection(ca.channel, f)
	return strategy.Outcome{Kind: strategy.OutcomeHanded}, true
}

// oneWayEnds ends the call of a request that waited for its connection by itself.
func (w *World) oneWayEnds(c int32, out strategy.Outcome) {
	if out.Kind != strategy.OutcomeHanded {
		w.traceCall(c, LostUntold)
	}
	w.traceOneWayOver(c)
	m := w.calls.items[c].msg
	w.traceSendOver(c, 0)
	w.calls.free(c)
	w.unref(m)
}
