package experiment

import (
	"simrun/internal/result"
	"simrun/model/config"
	"simrun/strategy"
)

// choiceSource is where the rule that chose is in the client's source.
func (s *storyteller) choiceSource(rule strategy.Rule, attempt int) string {
	if s.isGo() {
		return s.goChoice()
	}
	if where := s.selectorSource(); where != "" {
		return where + " (" + s.client() + ")"
	}
	if s.foreign() {
		return s.foreignSource()
	}
	filters := s.profile.Selection == strategy.SelectionFilters
	where := "MQFaultStrategy.java, selectOneMessageQueue"
	switch {
	case rule == strategy.RuleAvailable && filters:
		where += ": availableFilter and brokerFilter"
	case rule == strategy.RuleReachable:
		where += ": reachableFilter and brokerFilter"
	case rule == strategy.RuleRoundRobin && filters:
		where += ": brokerFilter alone"
	case rule == strategy.RuleRoundRobin:
		where = "TopicPublishInfo.java, selectOneMessageQueue(lastBrokerName)"
	case rule == strategy.RulePickOneAtLeast:
		where += " after LatencyFaultToleranceImpl.java, pickOneAtLeast"
	case rule == strategy.RuleLastResort:
		where = "TopicPublishInfo.java, selectOneMessageQueue()"
	}
	time := "DefaultMQProducerImpl.java, sendDefaultImpl"
	if s.group().Mode == config.Async && attempt > 1 {
		time = "MQClientAPIImpl.java, onExceptionImpl"
	}
	return where + "; the time: " + time + " (" + s.client() + ")"
}

// client is the release of the client, and whether some of its behaviours are not the release's.
func (s *storyteller) client() string {
	if len(s.profile.Overrides()) > 0 {
		return s.profile.Release + ", some behaviours replaced"
	}
	return s.profile.Release
}

// foreign says that the group's policy is not RocketMQ's own.
func (s *storyteller) foreign() bool { return s.policy() != "rocketmq" }

func (s *storyteller) policy() string { return s.sc.Setup.Producers[s.pick.Producer].Policy }

func (s *storyteller) foreignSource() string {
	return "the policy " + s.policy() + ", which is not RocketMQ's"
}

// clientSources are the places in the client's source of what is the same in all releases modelled.
var clientSources = map[string]string{
	result.StoryRouteAsked:       "DefaultMQProducerImpl.java, tryToFindTopicPublishInfo",
	result.StoryRouteCame:        "MQClientInstance.java, updateTopicRouteInfoFromNameServer",
	result.StoryConnectRefused:   "NettyRemotingClient.java, createChannel: RemotingConnectException",
	result.StoryResponseLate:     "NettyRemotingAbstract.java, processResponseCommand: responseTable",
	result.StoryRouteMissed:      "MQClientInstance.java, updateTopicRouteInfoFromNameServer",
	result.StoryTooLarge:         "Validators.java, checkMessage",
	result.StoryNoMaster:         "DefaultMQProducerImpl.java, sendKernelImpl",
	result.StoryConnectBegan:     "NettyRemotingClient.java, getAndCreateChannel and createChannel",
	result.StoryConnectJoined:    "NettyRemotingClient.java, getAndCreateChannel and what it calls",
	result.StoryConnectTimedOut:  "NettyRemotingClient.java, getAndCreateChannel and what it calls",
	result.StoryNothingLeft:      "NettyRemotingClient.java, invokeSync",
	result.StoryWaitOver:         "NettyRemotingAbstract.java, invokeSyncImpl",
	result.StoryClosedItself:     "NettyRemotingClient.java, invokeSync",
	result.StorySparedConnection: "NettyRemotingClient.java, invokeSync: MIN_CLOSE_TIMEOUT_MILLIS",
	result.StoryClosedByTimeout: "NettyRemotingClient.java, NettyConnectManageHandler.close: " +
		"failFast",
	result.StoryClosedByReset: "NettyRemotingClient.java, NettyConnectManageHandler.exceptionCaught",
	result.StoryClosedByPeer:  "NettyRemotingClient.java, NettyConnectManageHandler.channelInactive",
	result.StoryLeftByPeer: "NettyRemotingClient.java, NettyConnectManageHandler: " +
		"no channelInactive",
	result.StoryLeftByReset:    "NettyRemotingClient.java: no failFast",
	result.StoryKeptConnection: "NettyClientConfig.java, clientCloseSocketIfTimeout",
	result.StorySubmitted:      "DefaultMQProducerImpl.java, send(Message, SendCallback, long)",
	result.StoryPermitAwaited:  "DefaultMQProducerImpl.java, executeAsyncMessageSend",
	result.StoryCallbackQueued: "NettyRemotingAbstract.java, executeInvokeCallback",
	result.StoryScanFound:      "NettyRemotingAbstract.java, scanResponseTable",
	result.StoryAskedNameServer: "MQClientAPIImpl.java, onExceptionImpl; NettyRemotingClient.java, " +
		"getAndCreateChannel",
	result.StoryConnectsAside:   "NettyRemotingClient.java, invokeAsync and invokeOneway",
	result.StoryHandedOver:      "NettyRemotingAbstract.java, invokeOnewayImpl",
	result.StoryLostUntold:      "NettyRemotingClient.java, invokeOneway",
	result.StoryCalledBackAgain: "NettyRemotingClient.java, invokeAsync: a return is missing",
	result.StoryIdleClosed:      "NettyClientConfig.java, clientChannelMaxIdleTimeSeconds",
	result.StoryUpdated: "MQFaultStrategy.java, computeNotAvailableDuration; " +
		"LatencyFaultToleranceImpl.java, updateFaultItem; what counts as a failure: " +
		"DefaultMQProducerImpl.java, sendDefaultImpl",
	result.StoryAnswered: "DefaultMQProducerImpl.java, sendDefaultImpl",
}

// brokerSources are those in the broker's.
var brokerSources = map[string]string{
	result.StoryStored:       "CommitLog.java, putMessage or asyncPutMessage",
	result.StoryQueued:       "BrokerController.java: sendMessageExecutor",
	result.StoryNotAnswered:  "NettyRemotingAbstract.java, processRequestCommand: isOnewayRPC",
	result.StoryAwaitsFsync:  "CommitLog.java: GroupCommitService",
	result.StoryAwaitsSlaves: "HAService.java (4.x) or GroupTransferService.java (5.x), doWaitTransfer",
	result.StoryAwaitsLock:   "CommitLog.java: putMessageLock",
	result.StoryRefused: "NettyRemotingAbstract.java, processRequestCommand; BrokerFastFailure.java; " +
		"DefaultMessageStore.java, isOSPageCacheBusy",
}

// source is where in RocketMQ's source an entry has its rule from, empty if it is no rule of RocketMQ.
func (s *storyteller) source(e *result.StoryEntry) string {
	if e.Kind == result.StoryUpdated && s.foreign() {
		return s.foreignSource()
	}
	if s.isGo() {
		if where := goSources[e.Kind]; where != "" {
			return where + " (Go " + s.group().Release + ")"
		}
	} else if where := s.modeSource(e.Kind); where != "" {
		return where + " (" + s.client() + ")"
	} else if where := clientSources[e.Kind]; where != "" {
		return where + " (" + s.client() + ")"
	}
	where := brokerSources[e.Kind]
	if where == "" {
		return ""
	}
	for i := range s.sc.Config.Brokers {
		if b := &s.sc.Config.Brokers[i]; b.Name == e.Broker {
			where += " (" + b.Release + ")"
		}
	}
	return where
}

// routeSource is where the client makes its publish list.
func (s *storyteller) routeSource() string {
	if s.isGo() {
		return "internal/route.go, routeData2PublishInfo (Go " + s.group().Release + ")"
	}
	return "MQClientInstance.java, topicRouteData2TopicPublishInfo (" + s.client() + ")"
}
