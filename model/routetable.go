package model

import (
	"cmp"
	"slices"

	"simrun/sim"
	"simrun/strategy"
)

// routeEntry is what a route says of one broker name: bit 0 for the master, bits 1 to 8 for its slaves,
// and about the topic's queues there the flags below. It is 0 if the route does not have the broker.
type routeEntry uint16

const (
	// routeDefault: these are the queues of the default topic.
	routeDefault routeEntry = 1 << 14
	// routeWritable: the queues have write permission.
	routeWritable routeEntry = 1 << 15
)

// publishes says whether the entry's queues are in a publish list: they have write permission and the
// broker has a master.
//
// Source: MQClientInstance.topicRouteData2TopicPublishInfo, 4.9.8 and 5.3.3.
func (e routeEntry) publishes() bool { return e&1 != 0 && e&routeWritable != 0 }

// queueData is what a name server knows of the queues of one topic on one broker name.
type queueData uint8

const (
	queuesListed   queueData = 1 << iota // there are queues
	queuesWritable                       // with write permission
)

// defaultTopic is the place of the default topic, TBW102, behind those of the configuration.
func (w *World) defaultTopic() int32 { return int32(len(w.cfg.Topics)) }

// queuesAt is the place in World.queues of what name server n knows of topic t on broker b.
func (w *World) queuesAt(n, b, t int32) int32 {
	return (n*int32(len(w.names))+b)*(w.defaultTopic()+1) + t
}

// holds says whether broker b has the topic: whether its topic table does.
func (w *World) holds(b, t int32) *bool { return &w.held[b*(w.defaultTopic()+1)+t] }

// entry is what name server n tells of topic t on broker b. Whatever the queues are, they are known as
// long as a replica is registered.
//
// Source: RouteInfoManager.pickupTopicRouteData, 4.9.8 and 5.3.3.
func (w *World) entry(n, b, t int32) routeEntry {
	q := w.queues[w.queuesAt(n, b, t)]
	if q&queuesListed == 0 {
		return 0
	}
	e := routeEntry(0)
	for id := range int32(w.cfg.Brokers[b].Slaves) + 1 {
		if w.regs[w.regIndex(n, w.firstProc[b]+id)].registered {
			e |= 1 << id
		}
	}
	if e == 0 {
		return 0
	}
	if q&queuesWritable != 0 {
		e |= routeWritable
	}
	if t == w.defaultTopic() {
		e |= routeDefault
	}
	return e
}

// takeTopics is a name server taking over the topics that a registration of broker b names: all of them,
// or only those that it lacks, of which there can be some from 5.0.0 on.
//
// Source: RouteInfoManager.registerBroker and createAndUpdateQueueData, 4.9.8; isTopicConfigChanged, 5.0.0.
func (w *World) takeTopics(n, b int32, all bool) {
	for t := range w.defaultTopic() + 1 {
		if at := w.queuesAt(n, b, t); *w.holds(b, t) && (all || w.queues[at] == 0) {
			w.listQueues(at, b)
		}
	}
}

// listQueues is a name server noting the queues of a topic on broker b.
func (w *World) listQueues(at, b int32) {
	if w.queues[at] == 0 {
		w.comers++
		w.listed[at] = w.comers
	}
	w.queues[at] = w.queuesOf(b)
}

// shuffleListed gives the brokers that a name server knows at first an order in which they once came.
func (w *World) shuffleListed(n int32) {
	for b := range int32(len(w.names)) {
		d := sim.Key(w.cfg.Seed, drawRouteOrder, uint64(n), uint64(b), 0)
		came := uint32(d.IntN(firstComer))
		for t := range w.defaultTopic() + 1 {
			w.listed[w.queuesAt(n, b, t)] = came
		}
	}
	w.comers = firstComer
}

// firstComer is above the numbers of those that are there at first.
const firstComer = 1 << 30

// routeOrder sorts brokers as the answer of name server n to a lookup of topic t names them.
//
// Source: RouteInfoManager.pickupTopicRouteData, 4.9.3 (a list) and 4.9.4 (the values of a HashMap);
// java.util.HashMap of OpenJDK 8: hash, resize (which keeps the order within a bin).
func (w *World) routeOrder(n, t int32, brokers []strategy.RouteBroker) {
	bins := uint32(16)
	for uint32(len(brokers)) > bins-bins/4 {
		bins *= 2
	}
	bin := func(b strategy.Broker) uint32 {
		h := uint32(strategy.JavaHash(w.names[b]))
		return (h ^ h>>16) & (bins - 1)
	}
	slices.SortStableFunc(brokers, func(a, b strategy.RouteBroker) int {
		if w.nameServers[n].profile.ListsByHash {
			if d := cmp.Compare(bin(a.Broker), bin(b.Broker)); d != 0 {
				return d
			}
		}
		return cmp.Compare(w.listed[w.queuesAt(n, int32(a.Broker), t)],
			w.listed[w.queuesAt(n, int32(b.Broker), t)])
	})
}

// dropTopics is a name server forgetting a broker name: the last of its replicas is gone.
//
// Source: RouteInfoManager.onChannelDestroy and removeTopicByBrokerName, 4.9.8;
// cleanTopicByUnRegisterRequests, 5.3.3.
func (w *World) dropTopics(n, b int32) {
	for id := range int32(w.cfg.Brokers[b].Slaves) + 1 {
		if w.regs[w.regIndex(n, w.firstProc[b]+id)].registered {
			return
		}
	}
	for t := range w.defaultTopic() + 1 {
		w.queues[w.queuesAt(n, b, t)] = 0
	}
}
