package model

// topicVersion is the DataVersion of broker b's topics; slaves copy their master's.
func (w *World) topicVersion(b int32) uint32 { return w.procs[w.firstProc[b]].topicVersion }

// newTopicVersion is DataVersion.nextVersion: it carries the time, so that it is like none before.
func (w *World) newTopicVersion(p int32) {
	w.topicVersions++
	w.procs[p].topicVersion = w.topicVersions
}

// loadTopics is what a started broker has of its topics: those in its file, with the version there. A
// topic that is made writes the file, brokerPermission that is set does not, so that after a start name
// servers see another version, too.
//
// Source: TopicConfigManager.load, persist and createTopicInSendMessageMethod,
// AdminBrokerProcessor.updateBrokerConfig, 4.2.0, 4.9.8, 5.3.3 (which writes it in an orderly shutdown,
// too; but then the broker registers anew).
func (w *World) loadTopics(p int32) { w.procs[p].topicVersion = w.procs[p].savedVersion }

// makesTopic is a send thread with a send for a topic that its broker does not have: it makes the topic
// after the default one, and registers before it goes on. It is false if the broker has the topic.
//
// Source: AbstractSendMessageProcessor.msgCheck and TopicConfigManager.createTopicInSendMessageMethod,
// 4.2.0, 4.9.8 and 5.1.4 (registers the one topic, and waits for the answers).
func (w *World) makesTopic(p, r int32) bool {
	pr, q := &w.procs[p], &w.requests.items[r]
	t := int32(w.TopicOf(&w.msgs.items[q.msg].Message))
	if *w.holds(pr.broker, t) {
		return false
	}
	*w.holds(pr.broker, t) = true
	tp := &w.topics[t]
	tp.made[pr.broker] = tp.defaultQueues(&w.groups[w.msgs.items[q.msg].Group])
	w.newTopicVersion(p)
	pr.savedVersion = pr.topicVersion
	job := registration{kind: registerAll, request: r, topic: t, oneway: true}
	if pr.profile.RegistersOneTopic {
		job.kind, job.oneway = registerOne, false
	}
	w.registerWith(p, job)
	return true
}

// defaultQueues is how many queues a group takes a topic to have that nobody has made, on each broker, and
// how many the broker makes that it sends to first: what the client says, and no more than TBW102 has.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer and
// TopicConfigManager.createTopicInSendMessageMethod, 4.2.0, 4.9.8 and 5.3.3.
func (tp *topic) defaultQueues(g *group) int32 {
	if n := g.cfg.Remoting.DefaultTopicQueueNums; n > 0 {
		return min(int32(n), defaultTopicQueues)
	}
	return min(tp.queues, defaultTopicQueues)
}

// queuesOn is how many queues a route says that a topic has on broker b, where its entry is e.
func (tp *topic) queuesOn(g *group, b int32, e routeEntry) int32 {
	switch {
	case !tp.absent:
		return tp.queues
	case e&routeDefault != 0:
		return tp.defaultQueues(g)
	}
	return tp.made[b]
}

// topicMade lets the send go on that made a topic.
func (w *World) topicMade(r int32) { w.beginService(w.requests.items[r].to, r) }

// defaultTopicQueues is defaultTopicQueueNums of the broker: how many queues TBW102 has, and a
// topic made after it at most. Source: BrokerConfig, 4.2.0, 4.9.8 and 5.3.3.
const defaultTopicQueues = 8
