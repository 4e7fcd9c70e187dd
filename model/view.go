package model

import (
	"slices"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// view is what an instance knows of one topic of its group.
type view struct {
	topic int32
	// route is the publish list, TopicPublishInfo, hasRoute that a name server has ever given one.
	// World.routes holds, by view and broker, what the last route had.
	route    *strategy.Route
	hasRoute bool
	// wanted: somebody has sent to the topic, so that polls ask for its route.
	wanted bool
	// ordered: the publish list follows the order that the topic has of its own.
	ordered bool
	// selector is that of a Go client.
	selector strategy.QueueSelector
}

// groupTopic is a topic of a group; upTo is the share of messages for it and those before it.
type groupTopic struct {
	topic int32
	upTo  float64
}

// buildTopicShares finds the topics of a group and their shares.
func (w *World) buildTopicShares(cfg *config.Producer) []groupTopic {
	weight := func(t config.TopicShare) float64 {
		if t.Weight == 0 {
			return 1
		}
		return t.Weight
	}
	all, upTo := 0.0, 0.0
	for _, t := range cfg.Topics {
		all += weight(t)
	}
	topics := make([]groupTopic, 0, len(cfg.Topics))
	for _, t := range cfg.Topics {
		upTo += weight(t)
		topics = append(topics, groupTopic{topic: w.topicIndex(t.Name), upTo: upTo / all})
	}
	topics[len(topics)-1].upTo = 1
	return topics
}

// topicOf is the place among the group's topics of the one that a message is for. It follows from the
// message's number and is stored nowhere.
func (g *group) topicOf(w *World, number uint64) int32 {
	if len(g.topics) == 1 {
		return 0
	}
	d := sim.Key(w.cfg.Seed, drawTopic, uint64(g.index), number, 0)
	u := d.Float64()
	for k := range g.topics {
		if u < g.topics[k].upTo {
			return int32(k)
		}
	}
	panic("model: shares of topics that do not add up to 1")
}

// TopicOf is the index into Config.Topics of the topic that a message is for.
func (w *World) TopicOf(m *Message) int {
	g := &w.groups[m.Group]
	return int(g.topics[g.topicOf(w, m.Number)].topic)
}

// buildViews gives an instance what the middle of its life knows of each topic; a client that starts knows
// nothing. A topic that is absent has no route; who sends to it finds out.
func (w *World) buildViews(i int32) {
	in := &w.insts[i]
	warm := !w.cfg.Start.Cold
	for _, gt := range in.g.topics {
		tp := &w.topics[gt.topic]
		v := int32(len(w.views))
		for b := range int32(len(w.names)) {
			e := routeEntry(0)
			if warm && tp.on[b] {
				e = w.entry(in.lookups.nameServer, b, gt.topic)
				w.masters[w.channelOf(i, b)] = true
			}
			w.routes = append(w.routes, e)
		}
		known := warm && !tp.absent
		w.views = append(w.views, view{
			topic: gt.topic, hasRoute: known, wanted: known, ordered: w.heedsOrder(i, tp),
		})
		w.views[v].route = w.newRoute(i, v)
	}
}

// routeEntry is what the last route of a view said of a broker.
func (w *World) routeEntry(v, b int32) *routeEntry { return &w.routes[v*int32(len(w.names))+b] }

// newRoute makes the publish list of a view of instance i from its last route: writable queues of the
// brokers that have a master, in name order, unless the topic has an order of its own. The raw route also
// has those whose slaves alone are left.
// Instances with equal routes share one list, if their clients do not rewrite it or put it in an order of
// their own.
//
// Source: MQClientInstance.topicRouteData2TopicPublishInfo, 4.9.8 and 5.3.3.
func (w *World) newRoute(i, v int32) *strategy.Route {
	tp := &w.topics[w.views[v].topic]
	if w.insts[i].g.profile.Fallback == strategy.FallbackMutates || w.isGo(i) || tp.absent {
		return w.makeRoute(i, v)
	}
	n := int32(len(w.names))
	from := w.routes[v*n : (v+1)*n]
	if tp.shared == nil || !slices.Equal(tp.sharedFrom, from) {
		tp.shared, tp.sharedFrom = w.makeRoute(i, v), append(tp.sharedFrom[:0], from...)
	}
	return tp.shared
}

func (w *World) makeRoute(i, v int32) *strategy.Route {
	tp := &w.topics[w.views[v].topic]
	g := w.insts[i].g
	var listed, slaveOnly []strategy.RouteBroker
	for _, b := range tp.brokers {
		e := *w.routeEntry(v, b)
		entry := strategy.RouteBroker{
			Broker: strategy.Broker(b), WriteQueueNums: tp.queuesOn(g, b, e), Writable: e&routeWritable != 0,
		}
		switch {
		case e&1 != 0:
			listed = append(listed, entry)
		case e != 0:
			slaveOnly = append(slaveOnly, entry)
		}
	}
	if w.isGo(i) {
		w.goOrder(i, v, listed)
	}
	r := strategy.NewRoute(listed)
	r.Raw = append(r.Raw, slaveOnly...)
	if w.views[v].ordered && len(r.Raw) > 0 {
		r.Queues = orderedQueues(tp)
	}
	return r
}

// orderedQueues is the publish list of an ordered topic: what ORDER_TOPIC_CONFIG names, whether it can be
// written to or not.
//
// Source: MQClientInstance.topicRouteData2TopicPublishInfo, 4.2.0, 4.9.8 and 5.3.3.
func orderedQueues(tp *topic) []strategy.Queue {
	queues := make([]strategy.Queue, 0, len(tp.ordered)*int(tp.queues))
	for _, b := range tp.ordered {
		for id := range tp.queues {
			queues = append(queues, strategy.Queue{Broker: strategy.Broker(b), ID: id})
		}
	}
	return queues
}

// lists says whether the publish list of view v has broker b.
func (w *World) lists(v, b int32) bool {
	tp := &w.topics[w.views[v].topic]
	if w.views[v].ordered {
		return tp.on[b] && len(w.views[v].route.Queues) > 0
	}
	return w.routeEntry(v, b).publishes()
}

// viewsOf are the views of an instance, from and to.
func (w *World) viewsOf(i int32) (from, to int32) {
	in := &w.insts[i]
	return in.firstView, in.firstView + int32(len(in.g.topics))
}

// publishes says whether a publish list of an instance has broker b.
func (w *World) publishes(i, b int32) bool {
	from, to := w.viewsOf(i)
	for v := from; v < to; v++ {
		if w.lists(v, b) {
			return true
		}
	}
	return false
}

// offline says whether broker b is in no route that an instance has.
//
// Source: MQClientInstance.cleanOfflineBroker and isBrokerAddrExistInTopicRouteTable, 4.9.8 and 5.3.3.
func (w *World) offline(i, b int32) bool {
	from, to := w.viewsOf(i)
	hasRoute := false
	for v := from; v < to; v++ {
		if *w.routeEntry(v, b) != 0 {
			return false
		}
		hasRoute = hasRoute || w.views[v].hasRoute
	}
	return hasRoute
}

func (w *World) routeChanged(i, v int32) {
	in := &w.insts[i]
	for b := range w.said.brokers {
		w.said.brokers[b] = w.lists(v, int32(b))
	}
	w.said.route = RouteChange{
		At: w.eng.Now(), Group: in.group, Instance: i - in.g.first,
		Topic: w.views[v].topic, Brokers: w.said.brokers,
	}
	w.obs.RouteChanged(&w.said.route)
}
