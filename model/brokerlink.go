package model

import (
	"simrun/model/releases"
	"simrun/sim"
)

// The connections between brokers and name servers. Packets on them are control segments whose index
// is that of World.onLink.

func (w *World) brokerOf(i int32) int32     { return i % w.brokerProcs }
func (w *World) nameServerOf(i int32) int32 { return i / w.brokerProcs }

// toNameServer and toBroker send a packet over link i.
func (w *World) toNameServer(i int32, s *origin, kind uint16, index int32) {
	w.sendControl(w.endpointOfProcess(w.brokerOf(i)), w.endpointOfNameServer(w.nameServerOf(i)), s, kind,
		index)
}

func (w *World) toBroker(i int32, kind uint16, index int32) {
	n := w.endpointOfNameServer(w.nameServerOf(i))
	w.sendControl(n, w.endpointOfProcess(w.brokerOf(i)), &w.procs[n].origin, kind, index)
}

// callNameServer makes a call over a link, which connects first if it is closed.
//
// Source: NettyRemotingClient.invokeSync and invokeOneway, 4.9.8 and 5.3.3.
func (w *World) callNameServer(i int32, place int32, call linkCall, timeout sim.Duration) {
	l := &w.brokerLinks[i]
	call.limit = w.timerAfter(timeout, evLinkTimeout, i*numCalls+place)
	l.calls[place] = call
	switch l.state {
	case channelOpen:
		w.writeCall(i, place)
	case channelClosed:
		l.number++
		l.state = channelConnecting
		l.connect = w.timerAfter(w.scaled(releases.ConnectTimeout), evLinkConnectTimeout, i)
		l.retry = w.timerAfter(w.scaled(synRetry), evLinkSYNRetry, i)
		w.sendLinkSYN(i)
	}
}

func (w *World) sendLinkSYN(i int32) {
	p := w.brokerOf(i)
	w.sendSYN(w.endpointOfProcess(p), w.endpointOfNameServer(w.nameServerOf(i)),
		&w.procs[p].registrar.origin, evLinkSYN, w.onLink(i))
}

// writeCall puts a request on the wire. Nobody waits for the answer to a one-way request.
func (w *World) writeCall(i, place int32) {
	c := &w.brokerLinks[i].calls[place]
	w.toNameServer(i, &w.procs[w.brokerOf(i)].origin, c.kind, w.onLink(i))
	if c.oneway {
		w.callDone(i, place)
	}
}

// callDone ends a call, however it went.
func (w *World) callDone(i, place int32) {
	c := &w.brokerLinks[i].calls[place]
	if c.kind == 0 {
		return
	}
	w.eng.Stop(c.limit)
	*c = linkCall{}
	p := w.brokerOf(i)
	if place == pollCall {
		w.registrarDone(p)
		return
	}
	w.jobCallDone(p)
}

// linkEvent is a packet of a name server at the host of a broker. A stopped process reads it when it
// goes on.
func (w *World) linkEvent(kind uint16, index int32) {
	i, current := w.linkOf(index)
	if !current || w.deferWhilePaused(w.brokerOf(i), kind, index) {
		return
	}
	fails := w.procs[w.brokerOf(i)].remoting.FailFast
	switch kind {
	case evRegisterAnswer:
		w.learnMaster(w.brokerOf(i), w.nameServerOf(i))
		w.callDone(i, registerCall)
	case evPollAnswer:
		w.callDone(i, pollCall)
	case evLinkConnected:
		w.linkConnected(i)
	case evLinkReset: // no such process, or not the one that the connection led to
		w.closeLink(i, w.brokerLinks[i].state == channelConnecting || fails >= releases.FailOnReset)
	case evLinkClosed: // FIN
		w.closeLink(i, fails >= releases.FailOnClose)
	}
}

// linkConnected is a handshake complete at the broker: the calls that waited for it are written.
func (w *World) linkConnected(i int32) {
	l := &w.brokerLinks[i]
	if l.state != channelConnecting {
		return
	}
	w.stopHandshake(l)
	l.state = channelOpen
	for place := range int32(numCalls) {
		if l.calls[place].kind != 0 {
			w.writeCall(i, place)
		}
	}
}

func (w *World) stopHandshake(l *nameServerLink) {
	w.eng.Stop(l.connect)
	w.eng.Stop(l.retry)
}

// closeLink closes a link on the broker's side. With fail, the calls on it fail at once.
func (w *World) closeLink(i int32, fail bool) {
	l := &w.brokerLinks[i]
	w.stopHandshake(l)
	l.state = channelClosed
	if !fail {
		return
	}
	for place := range int32(numCalls) {
		w.callDone(i, place)
	}
}

// linkConnectTimedOut ends a handshake that took too long.
func (w *World) linkConnectTimedOut(i int32) {
	if w.brokerLinks[i].state == channelConnecting {
		w.closeLink(i, true)
	}
}

// linkTimedOut is a call whose time is over. From 4.9.1 the broker closes the connection, which makes
// the name server remove it.
//
// Source: NettyRemotingClient.invokeSync, 4.9.0 and 4.9.1.
func (w *World) linkTimedOut(at int32) {
	i, place := at/numCalls, at%numCalls
	p := w.brokerOf(i)
	if w.deferWhilePaused(p, evLinkTimeout, at) {
		return
	}
	l, pr := &w.brokerLinks[i], &w.procs[p]
	if l.state == channelOpen && pr.remoting.CloseOnTimeout != releases.CloseNever {
		w.sendFIN(w.endpointOfProcess(p), w.endpointOfNameServer(w.nameServerOf(i)), &pr.registrar.origin,
			evBrokerClosed, w.onLink(i))
		w.closeLink(i, pr.remoting.FailFast >= releases.FailOnReset)
	}
	w.callDone(i, place)
}

// closeLinks is the kernel of a broker's host closing what a process that ended leaves behind.
func (w *World) closeLinks(p int32) {
	for n := range int32(len(w.nameServers)) {
		if i := w.regIndex(n, p); w.brokerLinks[i].state == channelOpen {
			w.sendFIN(w.endpointOfProcess(p), w.endpointOfNameServer(n), &w.procs[p].origin, evBrokerClosed,
				w.onLink(i))
		}
	}
}

// forgetLinks is the end of a broker process, as far as it had to do with name servers.
func (w *World) forgetLinks(p int32) {
	w.endRegistering(p)
	for n := range int32(len(w.nameServers)) {
		l := &w.brokerLinks[w.regIndex(n, p)]
		w.stopHandshake(l)
		l.state = channelClosed
	}
}

// endRegistering ends all that a broker process has to do with name servers; nobody waits for answers.
func (w *World) endRegistering(p int32) {
	r := &w.procs[p].registrar
	w.eng.Stop(r.register)
	w.eng.Stop(r.poll)
	if r.on {
		w.dropJob(&r.job)
	}
	for r.jobs.len() > 0 {
		w.dropJob(r.jobs.head())
		r.jobs.skip()
	}
	r.busy, r.registerDue, r.pollDue, r.on = false, false, false, false
	for n := range int32(len(w.nameServers)) {
		l := &w.brokerLinks[w.regIndex(n, p)]
		for c := range l.calls {
			w.eng.Stop(l.calls[c].limit)
			l.calls[c] = linkCall{}
		}
	}
}

// dropJob forgets a round of registrations of a process that ended, and the send that waits for it.
func (w *World) dropJob(job *registration) {
	if job.request != none {
		w.drop(job.request)
	}
}
