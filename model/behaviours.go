package model

import (
	"fmt"
	"slices"
	"strconv"

	"simrun/sim"
	"simrun/strategy"
)

// clientBehaviours are the client's on the wire; its names and those of package strategy differ.
var clientBehaviours = behaviourList[clientProfile]{
	choice("fail_fast", failFastNames, func(p *clientProfile) *failFast { return &p.failFast }),
	choice("close_on_timeout", closeOnTimeoutNames,
		func(p *clientProfile) *closeOnTimeout { return &p.closeOnTimeout }),
	either("connect_time", "extra", "deducted",
		func(p *clientProfile) *bool { return &p.deductsConnect }),
	either("zero_budget", "refused", "written",
		func(p *clientProfile) *bool { return &p.writesAtZero }),
	either("name_server_tries", "one", "all",
		func(p *clientProfile) *bool { return &p.triesNameServers }),
	either("name_server_failure", "no-route", "throws",
		func(p *clientProfile) *bool { return &p.nameServerThrows }),
	choice("async_send", asyncRunsNames, func(p *clientProfile) *asyncRuns { return &p.asyncRuns }),
	either("unawaited_connect", "blocks", "aside",
		func(p *clientProfile) *bool { return &p.connectsAside }),
	span("response_scan", sim.Millisecond, func(p *clientProfile) *sim.Duration { return &p.scanEvery }),
	choice("backpressure", backpressureNames,
		func(p *clientProfile) *backpressure { return &p.backpressure }),
	either("async_batch", "absent", "there", func(p *clientProfile) *bool { return &p.asyncBatch }),
}

// brokerBehaviours are the broker's.
var brokerBehaviours = behaviourList[brokerProfile]{
	span("cluster_poll", 0, func(p *brokerProfile) *sim.Duration { return &p.clusterPoll }),
	either("register", "at-once", "in-turn", func(p *brokerProfile) *bool { return &p.registersInTurn }),
	span("register_timeout", sim.Millisecond,
		func(p *brokerProfile) *sim.Duration { return &p.registerTimeout }),
	defaultOf("send_message_thread_pool_nums",
		either("send_threads", "cores-to-4", "1", func(p *brokerProfile) *bool { return &p.fewSendThreads })),
	either("put", "blocks", "async", func(p *brokerProfile) *bool { return &p.asyncPut }),
	either("waits", "together", "in-turn", func(p *brokerProfile) *bool { return &p.waitsInTurn }),
	choice("disk_wait", diskWaitNames, func(p *brokerProfile) *diskWait { return &p.diskWait }),
	either("late_wait", "counts", "fails", func(p *brokerProfile) *bool { return &p.lateWaitFails }),
	choice("replica_check", replicaCheckNames,
		func(p *brokerProfile) *replicaCheck { return &p.replicaCheck }),
	choice("replica_wait", replicaWaitNames,
		func(p *brokerProfile) *replicaWait { return &p.replicaWait }),
	choice("shorter_master", shorterMasterNames,
		func(p *brokerProfile) *shorterMaster { return &p.shorterMaster }),
	either("slave_housekeeping", "writes", "reads",
		func(p *brokerProfile) *bool { return &p.slaveHousekeeping }),
	either("slave_reconnect", "at-once", "after-5s",
		func(p *brokerProfile) *bool { return &p.waitsToReconnect }),
	span("first_report", 0, func(p *brokerProfile) *sim.Duration { return &p.firstReport }),
	defaultOf("flush_commit_log_timed",
		either("flush", "woken", "timed", func(p *brokerProfile) *bool { return &p.flushTimed })),
	either("put_wakes_flush", "no", "yes", func(p *brokerProfile) *bool { return &p.putsWakeFlush }),
	either("pool_with_sync_flush", "no", "yes",
		func(p *brokerProfile) *bool { return &p.poolWithSyncFlush }),
	either("disk_check", "when-cleaning", "apart", func(p *brokerProfile) *bool { return &p.checksDiskApart }),
	{
		key: "page_cache_busy", values: []string{"1", "2"},
		get: func(p *brokerProfile) string { return strconv.Itoa(p.pageCacheBusyCode) },
		set: func(p *brokerProfile, value string) error {
			code, err := strconv.Atoi(value)
			if err != nil || code != strategy.CodeSystemError && code != strategy.CodeSystemBusy {
				return fmt.Errorf("want one of %d, %d", strategy.CodeSystemError, strategy.CodeSystemBusy)
			}
			p.pageCacheBusyCode = code
			return nil
		},
	},
	either("unregister", "last", "first", func(p *brokerProfile) *bool { return &p.unregistersFirst }),
	span("store_shutdown", 0, func(p *brokerProfile) *sim.Duration { return &p.storeShutdown }),
	span("scheduler_shutdown", 0, func(p *brokerProfile) *sim.Duration { return &p.schedulerShutdown }),
	either("broker_permission", "at-once", "next-registration",
		func(p *brokerProfile) *bool { return &p.permissionLate }),
	either("slave_topics", "withheld", "offered",
		func(p *brokerProfile) *bool { return &p.slaveTopics }),
	either("new_topic", "registers-all", "registers-one",
		func(p *brokerProfile) *bool { return &p.registersOneTopic }),
}

// nameServerBehaviours are the name server's.
var nameServerBehaviours = behaviourList[nameServerProfile]{
	span("scan", sim.Millisecond, func(p *nameServerProfile) *sim.Duration { return &p.scan }),
	span("first_scan", 0, func(p *nameServerProfile) *sim.Duration { return &p.firstScan }),
	either("add_write_perm", "unknown", "known",
		func(p *nameServerProfile) *bool { return &p.addsWritePerm }),
	either("slave_topics", "ignored", "taken",
		func(p *nameServerProfile) *bool { return &p.slaveTopics }),
	either("topics", "by-version", "one-by-one",
		func(p *nameServerProfile) *bool { return &p.topicByTopic }),
	either("route_order", "registration", "hash",
		func(p *nameServerProfile) *bool { return &p.listsByHash }),
}

// ProducerBehaviours lists the names that Producer.Behaviours may replace, in the order of the
// documentation: those of package strategy, and the client's own on the wire.
func ProducerBehaviours() []string {
	return slices.Concat(strategy.Behaviours(), clientBehaviours.keys())
}

// BrokerBehaviours lists the names that Broker.Behaviours may replace.
func BrokerBehaviours() []string { return brokerBehaviours.keys() }

// NameServerBehaviours lists the names that NameServer.Behaviours may replace.
func NameServerBehaviours() []string { return nameServerBehaviours.keys() }

// BehaviourValues lists the values of a behaviour of a kind of process, nil if it takes a time, a
// list, or does not exist.
func BehaviourValues(kind TargetKind, key string) []string {
	switch kind {
	case BrokerTarget:
		return brokerBehaviours.values(key)
	case NameServerTarget:
		return nameServerBehaviours.values(key)
	default:
		if values := clientBehaviours.values(key); values != nil {
			return values
		}
		return strategy.BehaviourValues(key)
	}
}

// CheckBehaviours says what is wrong with behaviours, each "name=value", of a kind of process. An
// unknown name or value is an error that lists the valid ones; so is a name that is there twice.
func CheckBehaviours(kind TargetKind, behaviours []string) (err error) {
	switch kind {
	case BrokerTarget:
		_, err = (&Broker{Release: newestRelease(), Behaviours: behaviours}).profile()
	case NameServerTarget:
		_, err = (&NameServer{Release: newestRelease(), Behaviours: behaviours}).profile()
	default:
		p := &Producer{Release: newestRelease(), Behaviours: behaviours}
		if _, err = p.wire(); err == nil {
			_, err = p.Profile()
		}
	}
	if err != nil {
		return err
	}
	var named []string
	for _, b := range behaviours {
		key, _ := cutBehaviour(b)
		if slices.Contains(named, key) {
			return fmt.Errorf("%s is there twice", key)
		}
		named = append(named, key)
	}
	return nil
}

func newestRelease() string {
	known := strategy.Releases()
	return known[len(known)-1]
}

// profile is the release's with the behaviours replaced. Its error names what is wrong.
func (b *Broker) profile() (brokerProfile, error) {
	p, err := brokerTable.lookup(b.Release)
	if err != nil {
		return p, err
	}
	return brokerBehaviours.with(p, b.Behaviours, nil)
}

// profile is the release's with the behaviours replaced. Its error names what is wrong.
func (n *NameServer) profile() (nameServerProfile, error) {
	p, err := nameServerTable.lookup(n.Release)
	if err != nil {
		return p, err
	}
	return nameServerBehaviours.with(p, n.Behaviours, nil)
}

// wire is what the client's release does on the wire, with the behaviours replaced. Its error names
// what is wrong; behaviours of package strategy are left to Profile.
func (p *Producer) wire() (clientProfile, error) {
	if p.Client == GoClient {
		_, err := lookupGo(p.Release)
		return goWire(), err
	}
	c, err := clientTable.lookup(p.Release)
	if err != nil {
		return c, err
	}
	return clientBehaviours.with(c, p.Behaviours, strategy.Behaviours())
}

// VersionTable is the table of releases of a kind of process as text, in the layout of
// strategy.VersionTable: each behaviour, its values, and the releases that have them. For a producer
// it is what the client does on the wire.
func VersionTable(kind TargetKind) string {
	switch kind {
	case BrokerTarget:
		return versionTable(brokerBehaviours, brokerTable)
	case NameServerTarget:
		return versionTable(nameServerBehaviours, nameServerTable)
	default:
		return versionTable(clientBehaviours, clientTable)
	}
}

// DefaultSendThreads is sendMessageThreadPoolNums of a release on a host with so many cores; that of
// the newest for a release that does not exist.
func DefaultSendThreads(release string, cores int) int {
	p, err := brokerTable.lookup(release)
	if err == nil && p.fewSendThreads {
		return 1
	}
	return max(1, min(cores, 4))
}

// DefaultFlushTimed is flushCommitLogTimed of a release, that of the newest for one that does not exist.
func DefaultFlushTimed(release string) bool {
	p, err := brokerTable.lookup(release)
	return err != nil || p.flushTimed
}
