package releases

import "simrun/sim"

// NameServer is what differs between releases of the name server.
type NameServer struct {
	// Scan is the period of the search for brokers that no longer register; FirstScan is when the
	// first one runs after the start of the process.
	Scan, FirstScan sim.Duration
	// AddsWritePerm: the name server knows addWritePerm; else it answers that it does not, and the
	// permission stays wiped.
	AddsWritePerm bool
	// SlaveTopics: while a broker name has no master, its topics are those of its slave with the lowest
	// id, if that registers with a release that lets them.
	SlaveTopics bool
	// TopicByTopic: a registration that changes nothing still brings the topics that the name server
	// lacks, and one of a single topic, of a broker that it does not know, is refused.
	TopicByTopic bool
	// ListsByHash: a route names its brokers in the order of a HashMap over their names; else in that in
	// which they registered. The Java client sorts them.
	ListsByHash bool
}

// nameServerBehaviours are the name server's.
var nameServerBehaviours = []behaviour[NameServer]{
	span("scan", sim.Millisecond, func(p *NameServer) *sim.Duration { return &p.Scan }),
	span("first_scan", 0, func(p *NameServer) *sim.Duration { return &p.FirstScan }),
	either("add_write_perm", "unknown", "known",
		func(p *NameServer) *bool { return &p.AddsWritePerm }),
	either("slave_topics", "ignored", "taken",
		func(p *NameServer) *bool { return &p.SlaveTopics }),
	either("topics", "by-version", "one-by-one",
		func(p *NameServer) *bool { return &p.TopicByTopic }),
	either("route_order", "registration", "hash",
		func(p *NameServer) *bool { return &p.ListsByHash }),
}

// NameServers are the releases of the name server.
var NameServers = nameServerRows()

func nameServerRows() *Role[NameServer] {
	r := &Role[NameServer]{behaviours: nameServerBehaviours}
	// NamesrvController.initialize and DefaultRequestProcessor, rocketmq-4.0.0-incubating.
	p := NameServer{Scan: 10 * sim.Second, FirstScan: 5 * sim.Second}
	r.add(p, "4.0.0", "4.1.0", "4.2.0", "4.3.0", "4.3.1", "4.3.2", "4.4.0", "4.5.1", "4.5.2",
		"4.6.0", "4.6.1", "4.7.0", "4.7.1", "4.8.0", "4.9.0", "4.9.1", "5.0.0-PREVIEW")

	p.AddsWritePerm = true // DefaultRequestProcessor.addWritePermOfBroker, 4.9.2
	r.add(p, "4.9.2", "4.9.3", "5.0.0-ALPHA")

	p.ListsByHash = true // RouteInfoManager.topicQueueTable, pickupTopicRouteData, 4.9.4
	r.add(p, "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8")

	p.Scan = 5 * sim.Second           // NamesrvConfig.scanNotActiveBrokerInterval, 5.0.0
	p.FirstScan = 5 * sim.Millisecond // NamesrvController.startScheduleService, 5.0.0
	p.SlaveTopics = true              // RouteInfoManager.registerBroker, 5.0.0
	p.TopicByTopic = true             // RouteInfoManager.isTopicConfigChanged, 5.0.0
	r.add(p, "5.0.0", "5.1.0", "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.2.0", "5.3.0", "5.3.1",
		"5.3.2", "5.3.3")
	return r
}
