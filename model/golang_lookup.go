package model

import (
	"slices"

	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// goAsk is ask for the Go client: the name servers take turns, one for each request, over connections
// that stay; one that fails is followed by the next, until each has been asked once.
//
// Source: rocketmq-client-go internal/route.go, queryTopicRouteInfoFromServer, and internal/namesrv.go,
// getNameServerAddress, v2.1.0 to 2173d07.
func (w *World) goAsk(t int32) {
	i := w.threads[t].inst
	l := &w.insts[i].lookups
	l.asking, l.tried = t, 0
	if w.threads[t].asks == asksTurn {
		w.threads[t].asks = asksNothing
		w.cleanOffline(i)
		w.passLookup(i)
		w.nextHeartbeat(i)
		return
	}
	if out, over := w.goAskNext(t); over {
		w.answered(t, out)
	}
}

// goAskNext asks the next name server.
func (w *World) goAskNext(t int32) (out strategy.Outcome, over bool) {
	i := w.threads[t].inst
	l := &w.insts[i].lookups
	gc := w.goOf(i)
	l.tried++
	ci := gc.firstServer + l.nameServer
	l.nameServer = (l.nameServer + 1) % int32(len(w.nameServers))
	c := w.threads[t].call
	w.startCall(c, ci, strategy.Millis(gc.profile.RequestTimeout/sim.Millisecond))
	return w.goConnect(c, ci)
}

// goAsksOn asks one name server after the other as long as they fail; it is false when out is final.
func (w *World) goAsksOn(t int32, out *strategy.Outcome) bool {
	l := &w.insts[w.threads[t].inst].lookups
	for out.Kind != strategy.OutcomeOK && int(l.tried) < len(w.nameServers) {
		next, over := w.goAskNext(t)
		if !over {
			return true
		}
		*out = next
	}
	return false
}

// goOrder puts the brokers of a new publish list, which are sorted by name, in the client's order.
func (w *World) goOrder(i, v int32, brokers []strategy.RouteBroker) {
	list := w.goOf(i).profile.List
	if list == releases.GoListSorted {
		return
	}
	w.routeOrder(w.insts[i].lookups.answerer, w.views[v].topic, brokers)
	if list == releases.GoListReversed {
		slices.Reverse(brokers)
	}
}

// heedsOrder says whether the publish lists of instance i follow the order that a topic has of its own.
//
// Source: rocketmq-client-go internal/route.go, TopicRouteData.decode, v2.1.2 (leaves orderTopicConf out)
// and 2173d07.
func (w *World) heedsOrder(i int32, tp *topic) bool {
	return tp.ordered != nil && (!w.isGo(i) || !w.goOf(i).profile.IgnoresOrder)
}

// goPollDue begins a round of route polls, unless one is on: then the next follows it at once.
//
// Source: rocketmq-client-go internal/client.go, rmqClient.Start (time.Ticker), v2.1.0 to 2173d07.
func (w *World) goPollDue(i int32) {
	gc := w.goOf(i)
	if gc.polling {
		gc.pollDue = true
		return
	}
	gc.polling = true
	from, _ := w.viewsOf(i)
	w.goPollNext(i, from)
}

// goPollNext polls the topics from view v on of which the client has a publish list, or ends the round.
//
// Source: rocketmq-client-go producer/producer.go, PublishTopicList, v2.1.0 to 2173d07.
func (w *World) goPollNext(i, v int32) {
	gc := w.goOf(i)
	for _, to := w.viewsOf(i); v < to; v++ {
		if w.views[v].hasRoute {
			w.threads[gc.poller].view = v
			w.lookUp(gc.poller, asksTopic)
			return
		}
	}
	w.goRoundDone(i, poller)
}

// goBeatDue does so for heartbeats, which wait until no lookup is on before they look which brokers are
// in no route any more.
//
// Source: rocketmq-client-go internal/route.go, cleanOfflineBroker (lockNamesrv), v2.1.0 to 2173d07.
func (w *World) goBeatDue(i int32) {
	gc := w.goOf(i)
	if gc.beating {
		gc.beatDue = true
		return
	}
	gc.beating = true
	in := &w.insts[i]
	w.threads[in.scheduled].at = none
	w.lookUp(in.scheduled, asksTurn)
}

// goRoundDone is the end of a round, of polls or of heartbeats.
func (w *World) goRoundDone(i int32, r role) {
	gc := w.goOf(i)
	if r == poller {
		gc.polling = false
		if gc.pollDue {
			gc.pollDue = false
			w.goPollDue(i)
		}
		return
	}
	gc.beating = false
	if gc.beatDue {
		gc.beatDue = false
		w.goBeatDue(i)
	}
}
