package model

import (
	"simrun/strategy"
)

// startPolls plans an instance's route polls and heartbeats. Both run on one scheduled thread with one
// phase: the heartbeat comes heartbeatAfterPoll after the poll.
func (w *World) startPolls(i int32) {
	cfg := w.groups[w.insts[i].group].cfg
	next := w.phase(ownerInstance(i), phaseRoutePoll, cfg.PollNameServerInterval)
	w.timerAfter(next, evRoutePoll, i)
	beat := (next + heartbeatAfterPoll) % cfg.HeartbeatBrokerInterval
	w.timerAfter(beat, evHeartbeat, i)
}

// routePoll asks the name server for the route, unless the scheduled thread is busy with heartbeats:
// then the poll runs when they are done.
//
// Source: MQClientInstance.startScheduledTask and updateTopicRouteInfoFromNameServer, 4.9.8, 5.3.3.
func (w *World) routePoll(i int32) {
	in := &w.insts[i]
	w.timerAfter(w.groups[in.group].cfg.PollNameServerInterval, evRoutePoll, i)
	if in.beating {
		in.pollDue = true
		return
	}
	w.sendRoutePoll(i)
}

// sendRoutePoll puts a route poll on its way.
func (w *World) sendRoutePoll(i int32) {
	in := &w.insts[i]
	w.sendControl(w.endpointOfInstance(i), w.endpointOfNameServer(in.nameServer), &in.origin,
		evRoutePollSeen, i)
}

// routePollSeen is the poll at the name server: what it knows now goes back.
func (w *World) routePollSeen(i int32) {
	w.readRoute(i)
	in := &w.insts[i]
	w.sendControl(w.endpointOfNameServer(in.nameServer), w.endpointOfInstance(i), &in.origin,
		evRouteReply, i)
}

// readRoute copies the name server's view of the topic's brokers.
func (w *World) readRoute(i int32) {
	in := &w.insts[i]
	for _, b := range w.topics[w.groups[in.group].topic].brokers {
		in.seen[b] = w.view(in.nameServer, b)
	}
}

func (w *World) routeReply(i int32) { w.applyRoute(i) }

// applyRoute installs the route a name server gave, if it differs from the last one. A topic without
// any replica is unknown to the name server (code 17): the client then keeps what it has.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer, 4.9.8 and 5.3.3.
func (w *World) applyRoute(i int32) {
	in := &w.insts[i]
	tp := &w.topics[w.groups[in.group].topic]
	known, changed := false, false
	for _, b := range tp.brokers {
		known = known || in.seen[b] != 0
		changed = changed || in.seen[b] != w.routeMasks[w.channelOf(i, b)]
	}
	if !known || !changed {
		return
	}
	for _, b := range tp.brokers {
		at := w.channelOf(i, b)
		w.routeMasks[at] = in.seen[b]
		if in.seen[b] != 0 { // brokerAddrTable keeps the brokers that the route does not name
			w.masters[at] = in.seen[b]&1 != 0
		}
	}
	in.route = w.newRoute(i)
	for t := in.firstThread; t < in.firstThread+in.threads; t++ {
		w.threads[t].ids.RouteChanged()
	}
	w.routeChanged(i)
}

// newRoute makes the publish list of an instance from its last route: writable queues of the brokers
// that have a master, in name order. The raw route also has those whose slaves alone are left.
//
// Source: MQClientInstance.topicRouteData2TopicPublishInfo, 4.9.8 and 5.3.3.
func (w *World) newRoute(i int32) *strategy.Route {
	tp := &w.topics[w.groups[w.insts[i].group].topic]
	var listed, slaveOnly []strategy.RouteBroker
	for _, b := range tp.brokers {
		entry := strategy.RouteBroker{
			Broker: strategy.Broker(b), WriteQueueNums: tp.queues, Writable: true,
		}
		switch mask := w.routeMasks[w.channelOf(i, b)]; {
		case mask&1 != 0:
			listed = append(listed, entry)
		case mask != 0:
			slaveOnly = append(slaveOnly, entry)
		}
	}
	r := strategy.NewRoute(listed)
	r.Raw = append(r.Raw, slaveOnly...)
	return r
}

// publishes says whether an instance's publish list has broker b.
func (w *World) publishes(i, b int32) bool { return w.routeMasks[w.channelOf(i, b)]&1 != 0 }

func (w *World) routeChanged(i int32) {
	in := &w.insts[i]
	for b := range w.said.brokers {
		w.said.brokers[b] = w.publishes(i, int32(b))
	}
	w.said.route = RouteChange{
		At: w.eng.Now(), Group: in.group, Instance: i - w.groups[in.group].first,
		Brokers: w.said.brokers,
	}
	w.obs.RouteChanged(&w.said.route)
}

// heartbeatDue begins a heartbeat round: forget the addresses of brokers that are in no route, then
// one synchronous heartbeat to each master after the other.
//
// Source: MQClientInstance.cleanOfflineBroker and sendHeartbeatToAllBroker, 4.9.8 and 5.3.3. A client
// with producers only talks to masters.
func (w *World) heartbeatDue(i int32) {
	in := &w.insts[i]
	w.timerAfter(w.groups[in.group].cfg.HeartbeatBrokerInterval, evHeartbeat, i)
	if in.beating {
		return // the last round is not over: scheduleAtFixedRate does not run a task twice at once
	}
	for b := range int32(len(w.names)) {
		if at := w.channelOf(i, b); w.routeMasks[at] == 0 {
			w.masters[at] = false
		}
	}
	in.beating = true
	w.threads[in.heartbeat].at = none
	w.nextHeartbeat(i)
}

// nextHeartbeat goes on to the next master, or ends the round and runs a poll that waited for it.
func (w *World) nextHeartbeat(i int32) {
	in := &w.insts[i]
	th := &w.threads[in.heartbeat]
	for th.at++; th.at < int32(len(w.names)); th.at++ {
		if !w.masters[w.channelOf(i, th.at)] {
			continue
		}
		if _, over := w.invoke(in.heartbeat, th.at, heartbeatTimeout); !over {
			return
		}
	}
	in.beating = false
	if in.pollDue {
		in.pollDue = false
		w.sendRoutePoll(i)
	}
}
