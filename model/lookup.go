package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// asks is what a thread asks a name server for.
type asks uint8

const (
	asksNothing asks = iota
	asksTopic        // the route of the topic of its view
	asksDefault      // the route of the default topic, which stands for that of an absent one
	asksTurn         // nothing: it has to wait until nobody asks
)

const (
	// lookupLock is LOCK_TIMEOUT_MILLIS of MQClientInstance: how long a thread waits for its turn to
	// ask.
	lookupLock = 3000 * sim.Millisecond
)

// lookups is an instance's way to the name servers: one thread at a time asks, over one channel.
type lookups struct {
	// nameServer is the one it uses.
	nameServer int32
	// asking is the thread whose turn it is, none if nobody asks; head and tail are those that wait.
	asking, head, tail int32
	// tried counts the name servers that the thread tried to connect to.
	tried int32
	// answer is the route that the name server gave the thread that asks, answerer the place of that.
	answer   []routeEntry
	answerer int32
}

// lookUp makes thread t ask for a route, as soon as no other thread of its instance asks. It ends with
// lookedUp.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer (lockNamesrv), 4.2.0, 4.9.8 and 5.3.3.
func (w *World) lookUp(t int32, what asks) {
	th := &w.threads[t]
	th.asks = what
	c := w.callOf(t)
	l := &w.insts[th.inst].lookups
	if l.asking == none {
		w.ask(t)
		return
	}
	th.next = none
	if l.head == none {
		l.head = t
	} else {
		w.threads[l.tail].next = t
	}
	l.tail = t
	if w.isGo(th.inst) {
		return // it waits as long as it takes
	}
	w.calls.items[c].timer = w.timerAfter(w.scaled(lookupLock)+w.late(th.inst), evLookupLock, t)
}

// lockTimedOut is a thread tired of waiting for its turn: it goes on with what the instance knows.
func (w *World) lockTimedOut(t int32) {
	l := &w.insts[w.threads[t].inst].lookups
	last := none
	for u := l.head; u != t; u = w.threads[u].next {
		last = u
	}
	next := w.threads[t].next
	if last == none {
		l.head = next
	} else {
		w.threads[last].next = next
	}
	if l.tail == t {
		l.tail = last
	}
	w.calls.items[w.threads[t].call].timer = sim.Timer{}
	w.lookedUp(t, false)
}

// ask sends the request, over the open channel or a new one.
//
// Source: NettyRemotingClient.getAndCreateNameserverChannel, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) ask(t int32) {
	th := &w.threads[t]
	if w.isGo(th.inst) {
		w.goAsk(t)
		return
	}
	l := &w.insts[th.inst].lookups
	l.asking, l.tried = t, 0
	ci := w.nameServerChannel(th.inst)
	w.startCall(th.call, ci, w.apiTimeout(th.inst))
	w.closeIdle(th.call, ci)
	if w.chans[ci].state != channelOpen {
		w.connectNext(t)
		return
	}
	if out, over := w.write(th.call); over {
		w.answered(t, out)
	}
}

// connectNext goes on to the next name server.
func (w *World) connectNext(t int32) {
	i := w.threads[t].inst
	l := &w.insts[i].lookups
	ci := w.nameServerChannel(i)
	l.tried++
	l.nameServer = w.nextNameServer(ownerInstance(i), l.nameServer)
	w.chans[ci].peer = w.processOfNameServer(l.nameServer)
	w.connect(ci)
	w.waitForConnection(ci, w.threads[t].call)
}

// nextNameServer is the one behind n in the list of a client, which it has shuffled.
//
// Source: NettyRemotingClient.updateNameServerAddressList, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) nextNameServer(owner uint64, n int32) int32 {
	place := func(m int32) uint64 {
		d := sim.Key(w.cfg.Seed, drawNameServer, owner, uint64(m)+1, 0)
		return d.Uint64()
	}
	here := place(n)
	next, first := none, n
	for m := range int32(len(w.nameServers)) {
		at := place(m)
		if at < place(first) {
			first = m
		}
		if at > here && (next == none || at < place(next)) {
			next = m
		}
	}
	if next == none {
		return first
	}
	return next
}

// answerLookup is a lookup at name server n: what it knows now goes back.
func (w *World) answerLookup(n, r int32) {
	q := &w.requests.items[r]
	if !q.client {
		return // nobody waits for the answer any more
	}
	th := &w.threads[w.calls.items[q.call].thread]
	in := &w.insts[th.inst]
	t := w.views[th.view].topic
	asked := t
	if th.asks == asksDefault {
		asked = w.defaultTopic()
	}
	in.lookups.answerer = n
	for _, b := range w.topics[t].brokers {
		in.lookups.answer[b] = w.entry(n, b, asked)
	}
}

// answered is the end of the request of a lookup.
func (w *World) answered(t int32, out strategy.Outcome) {
	i := w.threads[t].inst
	in := &w.insts[i]
	l := &in.lookups
	if w.isGo(i) && w.goAsksOn(t, &out) {
		return
	}
	if !w.isGo(i) && out.Kind == strategy.OutcomeConnectFailed && l.tried > 0 &&
		int(l.tried) < len(w.nameServers) && in.g.client.TriesNameServers {
		w.connectNext(t)
		return
	}
	failed := out.Kind != strategy.OutcomeOK
	if !failed {
		w.applyRoute(i, w.threads[t].view, w.threads[t].asks)
	}
	w.passLookup(i)
	w.lookedUp(t, failed)
}

// passLookup lets the next thread ask.
func (w *World) passLookup(i int32) {
	l := &w.insts[i].lookups
	l.asking = none
	if u := l.head; u != none {
		l.head = w.threads[u].next
		if l.head == none {
			l.tail = none
		}
		w.eng.Stop(w.calls.items[w.threads[u].call].timer)
		w.ask(u)
	}
}

// lookedUp lets a thread go on after a lookup. failed says that there was no answer; whatever the
// answer was, the instance has taken it.
func (w *World) lookedUp(t int32, failed bool) {
	th := &w.threads[t]
	what := th.asks
	th.asks = asksNothing
	if th.msg == none {
		w.hangUp(t)
	}
	if th.role == heartbeater || th.role == poller {
		w.polled(t, what, failed)
		return
	}
	w.sendLookedUp(t, what, failed)
}
