package model

import "simrun/model/releases"

// startPolls plans an instance's route polls and heartbeats. Both run on one scheduled thread with one
// phase: the heartbeat comes heartbeatAfterPoll after the poll.
func (w *World) startPolls(i int32) {
	cfg := w.insts[i].g.cfg
	next := w.firstRun(i, phaseRoutePoll, cfg.PollNameServerInterval, w.scaled(firstPoll))
	w.timerAfter(next, evRoutePoll, i)
	beat := (next + w.scaled(releases.HeartbeatAfterPoll)) % cfg.HeartbeatBrokerInterval
	if w.cfg.Start.Cold {
		beat = w.startOf(i) + w.scaled(firstHeartbeat)
	}
	w.timerAfter(beat, evHeartbeat, i)
}

// routePoll asks the name server for the route, or puts that off if the scheduled thread is busy.
//
// Source: MQClientInstance.startScheduledTask and updateTopicRouteInfoFromNameServer, 4.9.8, 5.3.3.
func (w *World) routePoll(i int32) {
	in := &w.insts[i]
	w.timerAfter(in.g.cfg.PollNameServerInterval, evRoutePoll, i)
	if w.isGo(i) {
		w.goPollDue(i)
		return
	}
	if in.busy {
		in.pollDue = w.eng.Now()
		return
	}
	w.poll(i)
}

func (w *World) poll(i int32) {
	in := &w.insts[i]
	in.busy = true
	w.threads[in.scheduled].view = in.firstView
	w.lookUp(in.scheduled, asksTopic)
}

// polled ends the look-up of one topic and goes on to the next. To 4.5.2 a name server that does not
// answer does not end it: the default topic, which every producer polls too, is asked for as well.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer, 4.5.2 and 4.6.0;
// DefaultMQProducerImpl.start (the default topic is in topicPublishInfoTable).
func (w *World) polled(t int32, what asks, failed bool) {
	i := w.threads[t].inst
	in := &w.insts[i]
	g := in.g
	if w.isGo(i) {
		w.goPollNext(i, w.threads[t].view+1)
		return
	}
	if failed && what == asksTopic && !g.client.NameServerThrows {
		w.lookUp(t, asksDefault)
		return
	}
	if v := w.threads[t].view + 1; v < in.firstView+int32(len(g.topics)) {
		w.threads[t].view = v
		w.lookUp(t, asksTopic)
		return
	}
	w.scheduledDone(i)
}

// scheduledDone lets the scheduled thread go on to what became due while it was busy.
func (w *World) scheduledDone(i int32) {
	in := &w.insts[i]
	in.busy = false
	poll, beat := in.pollDue, in.beatDue
	switch {
	case poll > 0 && (beat == 0 || poll <= beat):
		in.pollDue = 0
		w.poll(i)
	case beat > 0:
		in.beatDue = 0
		w.heartbeat(i)
	}
}

// applyRoute installs the route of view v that a name server gave, if it differs from the last one. A
// topic without any replica is unknown to the name server (code 17): the client then keeps what it has.
// What a poll learns of the default topic stays with that.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer, 4.9.8 and 5.3.3.
func (w *World) applyRoute(i, v int32, what asks) {
	in, view := &w.insts[i], &w.views[v]
	tp := &w.topics[view.topic]
	if !view.wanted || what == asksDefault && view.hasRoute {
		return
	}
	known, changed := false, false
	for _, b := range tp.brokers {
		known = known || in.lookups.answer[b] != 0
		changed = changed || in.lookups.answer[b] != *w.routeEntry(v, b)
	}
	if !known || !changed {
		return
	}
	for _, b := range tp.brokers {
		e := in.lookups.answer[b]
		*w.routeEntry(v, b) = e
		if e != 0 { // brokerAddrTable keeps the brokers that the route does not name
			w.masters[w.channelOf(i, b)] = e&1 != 0
		}
	}
	view.route, view.hasRoute = w.newRoute(i, v), true
	k := v - in.firstView
	for t := in.firstThread; t < in.firstThread+in.threads; t++ {
		w.idsAt(t, k).RouteChanged()
	}
	for t := in.firstWorker; t < in.firstWorker+in.workers; t++ {
		w.idsAt(t, k).RouteChanged()
	}
	w.routeChanged(i, v)
}

// heartbeatDue begins a heartbeat round, or puts it off if the scheduled thread is busy.
func (w *World) heartbeatDue(i int32) {
	in := &w.insts[i]
	w.timerAfter(in.g.cfg.HeartbeatBrokerInterval, evHeartbeat, i)
	if w.isGo(i) {
		w.goBeatDue(i)
		return
	}
	if in.busy {
		in.beatDue = w.eng.Now()
		return
	}
	w.heartbeat(i)
}

// heartbeat is a heartbeat round: forget the addresses of brokers that are in no route, then one
// synchronous heartbeat to each master after the other.
//
// Source: MQClientInstance.cleanOfflineBroker and sendHeartbeatToAllBroker, 4.9.8 and 5.3.3. A client
// with producers only talks to masters.
func (w *World) heartbeat(i int32) {
	in := &w.insts[i]
	w.cleanOffline(i)
	in.busy = true
	w.threads[in.scheduled].at = none
	w.nextHeartbeat(i)
}

// cleanOffline forgets the addresses of brokers that are in no route.
func (w *World) cleanOffline(i int32) {
	for b := range int32(len(w.names)) {
		if w.offline(i, b) {
			w.masters[w.channelOf(i, b)] = false
		}
	}
}

// nextHeartbeat goes on to the next master, or ends the round.
func (w *World) nextHeartbeat(i int32) {
	in := &w.insts[i]
	th := &w.threads[in.scheduled]
	for th.at++; th.at < int32(len(w.names)); th.at++ {
		if !w.masters[w.channelOf(i, th.at)] {
			continue
		}
		if _, over := w.invoke(w.callOf(in.scheduled), th.at, w.apiTimeout(i)); !over {
			return
		}
	}
	w.hangUp(in.scheduled)
	if w.isGo(i) {
		w.goRoundDone(i, heartbeater)
		return
	}
	w.scheduledDone(i)
}
