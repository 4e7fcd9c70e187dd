package experiment

import (
	"simrun/internal/result"
	"simrun/model/config"
	"simrun/strategy"
)

// goSources are the places in the source of the Go client, rocketmq-client-go.
var goSources = map[string]string{
	result.StoryRouteAsked:       "producer/producer.go, tryToFindTopicPublishInfo",
	result.StoryRouteMissed:      "producer/producer.go, selectMessageQueue",
	result.StoryNoMaster:         "producer/producer.go, sendSync: FindBrokerAddrByName",
	result.StoryAwaitsDial:       "internal/remote/remote_client.go, connect: connectionLocker",
	result.StoryConnectBegan:     "internal/remote/remote_client.go, connect",
	result.StoryConnectRefused:   "internal/remote/tcp_conn.go, initConn",
	result.StoryConnectTimedOut:  "internal/remote/tcp_conn.go, initConn",
	result.StoryWriteFailed:      "internal/remote/remote_client.go, doRequest",
	result.StoryWaitOver:         "internal/remote/future.go, waitResponse",
	result.StoryKeptConnection:   "internal/remote/remote_client.go, InvokeSync: it closes nothing",
	result.StoryClosedByReset:    "internal/remote/remote_client.go, receiveResponse and closeConnection",
	result.StoryClosedByPeer:     "internal/remote/remote_client.go, receiveResponse and closeConnection",
	result.StoryLeftByPeer:       "internal/remote/remote_client.go, closeConnection: futures are not told",
	result.StoryLeftByReset:      "internal/remote/remote_client.go, closeConnection: futures are not told",
	result.StoryAnswered:         "producer/producer.go, sendSync",
	result.StorySparedConnection: "internal/remote/remote_client.go, InvokeSync: it closes nothing",
}

// goChoice is where the Go client chooses a queue.
func (s *storyteller) goChoice() string {
	selector := "roundRobinQueueSelector"
	switch s.group().Choice {
	case config.ChooseByHash:
		selector = "hashQueueSelector"
	case config.ChooseByRandom:
		selector = "randomQueueSelector"
	case config.ChooseQueue:
		selector = "manualQueueSelector"
	case config.ChooseByPolicy, config.ChooseByMachineRoom:
	}
	send := "sendSync"
	switch s.group().Mode {
	case config.Async:
		send = "sendAsync"
	case config.OneWay:
		send = "sendOneWay"
	case config.Sync:
	}
	return "producer/selector.go, " + selector + ".Select; the time: producer/producer.go, " + send +
		" (Go " + s.group().Release + ")"
}

// goNote says of a retry of the Go client what its selector is not told, "" if it is.
func (s *storyteller) goNote(attempt int) string {
	g := s.group()
	if g.Client != config.GoClient || attempt < 2 || g.Choice != config.ChooseByPolicy {
		return ""
	}
	p, err := strategy.LookupGo(g.Release)
	told := p.LastBroker == strategy.GoLastTold ||
		p.LastBroker == strategy.GoLastOneWay && g.Mode == config.OneWay
	if err != nil || told {
		return ""
	}
	return "this release does not tell the selector which broker has failed"
}

// group is the producer group of the message.
func (s *storyteller) group() *config.Producer { return &s.sc.Config.Producers[s.pick.Producer] }

// isGo says that the client is the Go client.
func (s *storyteller) isGo() bool { return s.group().Client == config.GoClient }

// choiceRule is what chose the queue, in words.
func (s *storyteller) choiceRule(rule strategy.Rule) string {
	switch s.group().Choice {
	case config.ChooseQueue:
		return result.RuleCaller
	case config.ChooseByHash:
		return "selector: hash of the key"
	case config.ChooseByRandom:
		return "selector: at random"
	case config.ChooseByMachineRoom:
		return "selector: machine room"
	case config.ChooseByPolicy:
	}
	if s.isGo() {
		return "round robin of all goroutines"
	}
	return rule.String()
}

// selectorSource is where Java's selectors are, "" if the client itself chose.
func (s *storyteller) selectorSource() string {
	switch s.group().Choice {
	case config.ChooseQueue:
		return "DefaultMQProducerImpl.java, send(msg, mq) and sendKernelImpl"
	case config.ChooseByHash:
		return "SelectMessageQueueByHash.java, select; DefaultMQProducerImpl.java, sendSelectImpl"
	case config.ChooseByRandom:
		return "SelectMessageQueueByRandom.java, select; DefaultMQProducerImpl.java, sendSelectImpl"
	case config.ChooseByMachineRoom:
		return "the caller's own (SelectMessageQueueByMachineRoom.java returns null); " +
			"DefaultMQProducerImpl.java, sendSelectImpl"
	case config.ChooseByPolicy:
	}
	return ""
}
