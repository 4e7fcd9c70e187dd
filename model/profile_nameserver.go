package model

import "simrun/sim"

// nameServerProfile is what differs between releases of the name server.
type nameServerProfile struct {
	// scan is the period of the search for brokers that no longer register; firstScan is when the
	// first one runs after the start of the process.
	scan, firstScan sim.Duration
	// addsWritePerm: the name server knows addWritePerm; else it answers that it does not, and the
	// permission stays wiped.
	addsWritePerm bool
	// slaveTopics: while a broker name has no master, its topics are those of its slave with the lowest
	// id, if that registers with a release that lets them.
	slaveTopics bool
	// topicByTopic: a registration that changes nothing still brings the topics that the name server
	// lacks, and one of a single topic, of a broker that it does not know, is refused.
	topicByTopic bool
	// listsByHash: a route names its brokers in the order of a HashMap over their names; else in that in
	// which they registered. The Java client sorts them.
	listsByHash bool
}

// nameServerRows are the releases of the name server.
func nameServerRows() profileTable[nameServerProfile] {
	var t profileTable[nameServerProfile]
	// NamesrvController.initialize and DefaultRequestProcessor, rocketmq-4.0.0-incubating.
	p := nameServerProfile{scan: 10 * sim.Second, firstScan: 5 * sim.Second}
	t.add(p, "4.0.0", "4.1.0", "4.2.0", "4.3.0", "4.3.1", "4.3.2", "4.4.0", "4.5.1", "4.5.2",
		"4.6.0", "4.6.1", "4.7.0", "4.7.1", "4.8.0", "4.9.0", "4.9.1", "5.0.0-PREVIEW")

	p.addsWritePerm = true // DefaultRequestProcessor.addWritePermOfBroker, 4.9.2
	t.add(p, "4.9.2", "4.9.3", "5.0.0-ALPHA")

	p.listsByHash = true // RouteInfoManager.topicQueueTable, pickupTopicRouteData, 4.9.4
	t.add(p, "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8")

	p.scan = 5 * sim.Second           // NamesrvConfig.scanNotActiveBrokerInterval, 5.0.0
	p.firstScan = 5 * sim.Millisecond // NamesrvController.startScheduleService, 5.0.0
	p.slaveTopics = true              // RouteInfoManager.registerBroker, 5.0.0
	p.topicByTopic = true             // RouteInfoManager.isTopicConfigChanged, 5.0.0
	t.add(p, "5.0.0", "5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.2.0", "5.3.0", "5.3.1",
		"5.3.2", "5.3.3")
	return t
}

const (
	// brokerExpiry is how long after its last registration a scan removes a broker.
	// Source: RouteInfoManager, 4.9.8 BROKER_CHANNEL_EXPIRED_TIME, 5.3.3
	// DEFAULT_BROKER_CHANNEL_EXPIRED_TIME.
	brokerExpiry = 120 * sim.Second
	// channelIdle is how long a channel of the name server may be silent before it is closed, which
	// removes the broker behind it. Source: NettyServerConfig.serverChannelMaxIdleTimeSeconds.
	channelIdle = 120 * sim.Second
	// firstReregister is when a started broker registers for the second time.
	// Source: BrokerController.start, 4.9.8 and 5.3.3.
	firstReregister = 10 * sim.Second
)
