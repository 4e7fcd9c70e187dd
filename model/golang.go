package model

import (
	"strconv"

	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// goClient is what an instance of the Go client has beside what every instance has: rmqClient with its
// remotingClient, and the namesrvs with theirs.
type goClient struct {
	profile *releases.Go
	// firstLoop is the first of its places in World.goLoops, by application thread; firstServer of its
	// channels to the name servers, in their order.
	firstLoop, firstServer int32

	// dialing is the channel that somebody dials, holding connectionLocker all the while, none if
	// nobody does; head and tail are the calls that wait for the lock. passing: it is being handed on.
	dialing    int32
	head, tail int32
	passing    bool

	// poller is the goroutine of the route polls, beside the one of the heartbeats; polling and beating
	// say that a round is on, pollDue and beatDue that the ticker has ticked meanwhile.
	poller           int32
	polling, beating bool
	pollDue, beatDue bool
}

// isGo says whether an instance is one of the Go client.
func (w *World) isGo(i int32) bool { return w.insts[i].golang != none }

// goOf is the Go client of an instance that is one.
func (w *World) goOf(i int32) *goClient { return &w.goClients[w.insts[i].golang] }

// buildGo gives an instance what the Go client has. After a cold start it asks the first name server of
// its list first.
func (w *World) buildGo(i int32) {
	in := &w.insts[i]
	g := in.g
	in.golang = int32(len(w.goClients))
	gc := goClient{
		profile: g.golang, firstLoop: int32(len(w.goLoops)), dialing: none, head: none, tail: none,
		poller: w.addThread(i, in.threads+1, poller),
	}
	for range in.threads {
		w.goLoops = append(w.goLoops, strategy.GoLoop{})
	}
	if w.cfg.Start.Cold {
		in.lookups.nameServer = 0
	}
	w.chans[w.nameServerChannel(i)].state = channelClosed // it has one for each
	w.goClients = append(w.goClients, gc)
}

// goKeyHash is what the hash selector takes of a message's sharding key, a decimal string.
func (w *World) goKeyHash(g *group, number uint64) int32 {
	var digits [20]byte
	return strategy.GoHash(strconv.AppendUint(digits[:0], uint64(w.keyOf(g, number)), 10))
}

// buildGoSelectors gives each view of a Go client its selector. The counter of the round robin stands
// anywhere, but for a cold start.
func (w *World) buildGoSelectors(i int32) {
	from, to := w.viewsOf(i)
	rule := w.goOf(i).profile.Send.Index
	g := w.insts[i].g
	for v := from; v < to; v++ {
		s := &strategy.SelectGoRoundRobin{Rule: rule}
		if !w.cfg.Start.Cold {
			d := sim.Key(w.cfg.Seed, drawGoIndex, uint64(i), uint64(v-from), 0)
			s.StartAt(uint32(d.IntN(1 << 30)))
		}
		w.views[v].selector = s
		switch g.cfg.Choice {
		case config.ChooseQueue:
			w.views[v].selector = strategy.SelectFixed{Queue: g.queue}
		case config.ChooseByHash:
			w.views[v].selector = strategy.SelectGoHash{}
		case config.ChooseByRandom:
			w.views[v].selector = strategy.SelectByRandom{}
		}
	}
}

// buildGoServers opens the channels of the Go clients to the name servers.
func (w *World) buildGoServers() {
	for i := range int32(len(w.insts)) {
		if !w.isGo(i) {
			continue
		}
		w.goOf(i).firstServer = int32(len(w.chans))
		for n := range int32(len(w.nameServers)) {
			w.openChannel(i, none, w.processOfNameServer(n))
		}
	}
}

// channelTo is the channel of an instance to a process that has clients: a master or a name server.
func (w *World) channelTo(i, p int32) int32 {
	switch n := w.procs[p].nameServer; {
	case n == none:
		return w.channelOf(i, w.procs[p].broker)
	case w.isGo(i):
		return w.goOf(i).firstServer + n
	}
	return w.nameServerChannel(i)
}

// goLoop is the send loop of an application thread of a Go client.
func (w *World) goLoop(t int32) *strategy.GoLoop {
	in := &w.insts[w.threads[t].inst]
	return &w.goLoops[w.goClients[in.golang].firstLoop+t-in.firstThread]
}

// goBegin starts the send of the message that thread t has taken.
//
// Source: rocketmq-client-go producer/producer.go, sendSync and sendOneWay, v2.1.2 and 2173d07.
func (w *World) goBegin(t int32) {
	th := &w.threads[t]
	g := w.insts[th.inst].g
	mode := [...]strategy.GoMode{
		config.Sync: strategy.GoSync, config.Async: strategy.GoAsync,
		config.OneWay: strategy.GoOneWay,
	}
	sel, key := w.views[th.view].selector, int32(0)
	switch g.cfg.Choice {
	case config.ChooseByHash:
		key = w.goKeyHash(g, w.msgs.items[th.msg].Number)
	case config.ChooseByMachineRoom:
		sel = w.selectorOf(&w.insts[th.inst])
	}
	w.goLoop(t).Begin(&g.golang.Send, &g.cfg.Settings, sel, key, mode[g.cfg.Mode], &th.src,
		w.traceLoop(th.call, w.clock(th.inst)))
}

// goRun is run for the Go client. asked says that the name servers have just been asked for a route
// that was not known; an attempt without one is still an attempt.
//
// Source: rocketmq-client-go producer/producer.go, selectMessageQueue and tryToFindTopicPublishInfo,
// v2.1.2 and 2173d07.
func (w *World) goRun(t int32, asked bool) {
	th := &w.threads[t]
	l := w.goLoop(t)
	for {
		v := &w.views[th.view]
		var r *strategy.Route
		switch {
		case v.hasRoute:
			r = v.route
		case !asked:
			w.traceCall(th.call, RouteAsked)
			v.wanted = true
			w.lookUp(t, asksTopic)
			return
		}
		asked = false
		a, more := l.Next(r)
		if more {
			a.Number += int(w.calls.items[th.call].before)
		}
		w.traceNext(th.call, w.clock(th.inst), a, more)
		switch {
		case more && w.insts[th.inst].g.cfg.Mode == config.Async:
			if !w.goSubmit(t, a) || !w.goNextMessage(t) {
				return
			}
		case more:
			w.calls.items[th.call].attempt = a
			w.msgs.items[th.msg].attempts = uint8(a.Number)
			out, over := w.invoke(th.call, int32(a.Queue.Broker), a.Timeout)
			if !over {
				return
			}
			w.attemptEnds(t, out)
		case l.Over() && !w.finish(t, l.Result()):
			return
		}
	}
}

// goNextMessage has thread t begin with the next message after an asynchronous send. It is false if it has
// nothing to do.
func (w *World) goNextMessage(t int32) bool {
	return !w.closedLoop(t) && w.beginNext(t)
}

// goLookedUp continues a send that had to ask for the route. If a name server has answered that it does
// not know the topic, the send asks for the default topic's.
func (w *World) goLookedUp(t int32, what asks, failed bool) {
	if what == asksTopic && !failed && !w.views[w.threads[t].view].hasRoute {
		w.lookUp(t, asksDefault)
		return
	}
	w.traceCall(w.threads[t].call, RouteCame)
	w.goRun(t, true)
}
