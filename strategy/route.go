package strategy

// RouteBroker is one entry of a topic's raw route: QueueData in RocketMQ.
type RouteBroker struct {
	Broker Broker
	// WriteQueueNums is the number of queues that accept writes, at least 0.
	WriteQueueNums int32
	// Writable is the write permission of the topic on this broker. A broker that is not writable
	// has no queue in the list but stays in the raw route.
	Writable bool
}

// Route is what a client knows about where a topic can be written: TopicPublishInfo. Clients of
// one process may share it, as the producers of one MQClientInstance do; to 4.9.7 and in
// 5.0.0-5.1.3 a choice may rewrite an entry of Queues for all of them (see [FallbackMutates]).
//
// A new Route stands for a new TopicPublishInfo: threads that start using it forget their index
// ([Thread.RouteChanged]).
type Route struct {
	// Queues is the queue list in client order: grouped by broker, brokers in name order, ids
	// ascending.
	Queues []Queue
	// Raw is the route as the name server gave it, in list order. pickOneAtLeast's number of
	// write queues is looked up here, so brokers without a queue in the list count.
	Raw []RouteBroker
}

// NewRoute builds the queue list of a raw route: broker by broker in the order given (the client
// sorts them by name), queues 0..WriteQueueNums-1 of the writable ones. The slice is kept.
//
// Brokers without a master do not belong into raw unless the caller wants RocketMQ's quirk that
// such a broker can still win pickOneAtLeast: then it adds them to Raw afterwards.
//
// Source: MQClientInstance.topicRouteData2TopicPublishInfo, 4.0.0-5.3.3.
func NewRoute(raw []RouteBroker) *Route {
	n := 0
	for _, b := range raw {
		if b.Writable {
			n += int(max(b.WriteQueueNums, 0))
		}
	}
	queues := make([]Queue, 0, n)
	for _, b := range raw {
		if !b.Writable {
			continue
		}
		for id := range b.WriteQueueNums {
			queues = append(queues, Queue{Broker: b.Broker, ID: id})
		}
	}
	return &Route{Queues: queues, Raw: raw}
}

// writeQueueNums is the number of write queues of the first raw entry of b, -1 if there is none.
// NoBroker has none. Only 4.9.8 passes over entries that are not writable.
//
// Source: TopicPublishInfo.getQueueIdByBroker (4.0.0-5.1.0), named getWriteQueueIdByBroker in
// 5.1.1-5.1.3 and getWriteQueueNumsByBroker from 5.1.4: the name promised an id, the value is a
// count in all of them.
func (r *Route) writeQueueNums(b Broker, writableOnly bool) int32 {
	for i := range r.Raw {
		if r.Raw[i].Broker == b && (r.Raw[i].Writable || !writableOnly) {
			return r.Raw[i].WriteQueueNums
		}
	}
	return -1
}
