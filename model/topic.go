package model

// topicVersion is the DataVersion of broker b's topics; slaves copy their master's.
func (w *World) topicVersion(b int32) uint32 { return w.procs[w.firstProc[b]].topicVersion }

// makesTopic is a send thread with a send for a topic that its broker does not have: it makes the topic
// after the default one, and registers before it goes on. It is false if the broker has the topic.
//
// Source: AbstractSendMessageProcessor.msgCheck and TopicConfigManager.createTopicInSendMessageMethod,
// 4.2.0, 4.9.8 and 5.1.4 (registers the one topic, and waits for the answers).
func (w *World) makesTopic(p, r int32) bool {
	pr, q := &w.procs[p], &w.requests.items[r]
	t := w.groups[w.msgs.items[q.msg].Group].topic
	if *w.holds(pr.broker, t) {
		return false
	}
	*w.holds(pr.broker, t) = true
	pr.topicVersion++
	job := registration{kind: registerAll, request: r, topic: t, oneway: true}
	if pr.profile.registersOneTopic {
		job.kind, job.oneway = registerOne, false
	}
	w.registerWith(p, job)
	return true
}

// topicMade lets the send go on that made a topic.
func (w *World) topicMade(r int32) { w.beginService(w.requests.items[r].to, r) }
