package experiment

import (
	"simrun/internal/result"
	"simrun/model/config"
)

// asyncSources are the places in the Java client's source of what asynchronous sends do otherwise than
// synchronous ones, which are in clientSources; oneWaySources and selectorSources likewise.
var (
	asyncSources = map[string]string{
		result.StoryNothingLeft: "MQClientAPIImpl.java, sendMessage; NettyRemotingClient.java, invokeAsync",
		result.StoryUpdated: "MQFaultStrategy.java, computeNotAvailableDuration; " +
			"LatencyFaultToleranceImpl.java, updateFaultItem; what counts as a failure: " +
			"MQClientAPIImpl.java, sendMessageAsync and onExceptionImpl, and " +
			"DefaultMQProducerImpl.java, sendDefaultImpl, for which the attempt is over at once",
		result.StoryAnswered: "MQClientAPIImpl.java, sendMessageAsync and onExceptionImpl",
	}
	oneWaySources = map[string]string{
		result.StoryNothingLeft: "NettyRemotingClient.java, invokeOneway",
		result.StoryAnswered:    "DefaultMQProducerImpl.java, sendOneway",
	}
	selectorSources = map[string]string{
		result.StoryAnswered: "DefaultMQProducerImpl.java, sendSelectImpl and sendKernelImpl",
	}
)

// modeSource is where an entry has its rule from, if that is another place than for synchronous sends
// to a queue that the client chose; else it is empty.
func (s *storyteller) modeSource(kind string) string {
	where := ""
	switch s.group().Mode {
	case config.Async:
		where = asyncSources[kind]
	case config.OneWay:
		where = oneWaySources[kind]
	case config.Sync:
		if s.group().Choice != config.ChooseByPolicy {
			where = selectorSources[kind]
		}
	}
	return where
}

// rest adds what the parts so far leave of the time that a message took, if they leave any: between its
// attempts it was in the client's own hands.
func (s *storyteller) rest(took int64) {
	for _, p := range s.story.Parts {
		took -= p.SpanNS
	}
	if took > 0 {
		s.story.Parts = append(s.story.Parts, result.StoryPart{What: result.PartClient, SpanNS: took})
	}
}
