package model

import "simrun/sim"

// clientProfile is what a release of the Java client does on the wire. What it decides (queues,
// table, budget) is in package strategy.
type clientProfile struct {
	// failFastOnFIN: requests in flight fail at once when the peer closes in an orderly way. From
	// 5.1.3 the channelInactive override closes the channel too; before, a FIN leaves them waiting
	// for their timeout.
	// Source: NettyRemotingClient.NettyConnectManageHandler, 4.9.8 (no override), 5.3.3.
	failFastOnFIN bool
	// writesAtZero: a request whose budget is spent to the millisecond is still written, and times
	// out at once. 5.1.4 and later refuse it before writing.
	// Source: NettyRemotingClient.invokeSync, 4.9.8 (timeout < cost), 5.3.3 (left <= 0).
	writesAtZero bool
	// sparesShortWaits: a timeout closes the channel only if the wait had more than 100 ms, or more
	// than a quarter of the request's timeout; before 5.1.4 every timeout does.
	// Source: NettyRemotingClient.invokeSync, 5.3.3 (MIN_CLOSE_TIMEOUT_MILLIS).
	sparesShortWaits bool
	// failFast: requests in flight fail at once when the client closes their channel.
	failFast bool
	// closesOnTimeout: the timeout of a request closes its channel (clientCloseSocketIfTimeout).
	closesOnTimeout bool
	// deductsConnect: the time spent on connecting comes off the time for the answer.
	deductsConnect bool
	// nameServerThrows: a name server that does not answer makes a send throw at once, not with
	// "no route info" after it has tried the default topic.
	nameServerThrows bool
}

// The constants both releases share.
const (
	// connectTimeout is connectTimeoutMillis of NettyClientConfig. It bounds a connect whatever the
	// send's own timeout. Source: NettyRemotingClient.createChannel, 4.9.8;
	// getAndCreateChannel and createChannelAsync, 5.3.3.
	connectTimeout = 3000 * sim.Millisecond
	// heartbeatAfterPoll is how long after the first route poll (10 ms) the first heartbeat (1 s)
	// runs; both then keep the period, so the distance stays.
	// Source: MQClientInstance.startScheduledTask, 4.9.8 and 5.3.3.
	heartbeatAfterPoll = 990 * sim.Millisecond
	// heartbeatTimeout is mqClientApiTimeout. Source: ClientConfig, 4.9.2 and later.
	heartbeatTimeout = 3000
	// minCloseTimeout is MIN_CLOSE_TIMEOUT_MILLIS. Source: NettyRemotingClient, 5.3.3.
	minCloseTimeout = 100
	// synRetry is when Linux sends a SYN again that got no answer (the next one, 3 s after the first,
	// comes together with connectTimeout).
	synRetry = sim.Second
	// firstRTO is the first retransmission of data on a connection; each later gap is twice as long.
	firstRTO = 200 * sim.Millisecond
)

// brokerProfile is what differs between releases of the broker.
type brokerProfile struct {
	// clusterPoll is the period at which the broker asks one name server for the cluster; 0: never.
	// It keeps that channel from being idle. Source: BrokerController.startBasicService,
	// brokerOuterAPI.refreshMetadata, 5.3.3.
	clusterPoll sim.Duration
	// firstReport is how long a slave that has connected to its master waits before it reports its
	// offset; nothing flows before. Source: HAService.HAClient, 4.9.8 (haSendHeartbeatInterval);
	// DefaultHAClient, 5.3.3 (at once).
	firstReport sim.Duration
	// asyncPut: a wait for the disk or a slave does not hold the send thread.
	asyncPut bool
	// replicaCheck is what the master looks at before it waits for a slave.
	replicaCheck replicaCheck
	// replicaWait is how a send of a SYNC_MASTER waits for its slaves.
	replicaWait replicaWait
	// shorterMaster is what becomes of a slave whose log is longer than its master's.
	shorterMaster shorterMaster
	// waitsInTurn: the wait for the disk and that for the slave follow each other.
	waitsInTurn bool
	// flushTimed is the default of flushCommitLogTimed.
	flushTimed bool
	// pageCacheBusyCode is the response code of a put that found the put lock held too long.
	pageCacheBusyCode int
	// unregistersFirst: an orderly shutdown begins with the name servers, not with the ports.
	unregistersFirst bool
	// storeShutdown is how long the shutdown of the store sleeps, schedulerShutdown the longest wait
	// for the scheduled tasks, both before an unregistration that comes last.
	storeShutdown, schedulerShutdown sim.Duration
	// permissionReplaces: brokerPermission takes the place of the topic's permission in a
	// registration; otherwise both must allow.
	permissionReplaces bool
}

// replicaCheck is what a SYNC_MASTER looks at before it waits.
type replicaCheck uint8

const (
	// checkConnections: a connected slave that lacks less than haSlaveFallbehindMax, else
	// SLAVE_NOT_AVAILABLE at once. Source: HAService.isSlaveOK, 4.9.8.
	checkConnections replicaCheck = iota
	// checkNothing: inSyncReplicas alone says for how many acknowledgements a send waits.
	// Source: CommitLog.calcNeedAckNums and handleHA, 5.3.3.
	checkNothing
)

// replicaWait is how long a send waits for a slave, and who waits.
type replicaWait uint8

const (
	// waitRounds: five waits of up to a second each, any acknowledgement ends one.
	// Source: HAService.GroupTransferService.doWaitTransfer, 4.2.0.
	waitRounds replicaWait = iota
	// waitClock: syncFlushTimeout by the clock. Source: the same, 4.6.0.
	waitClock
	// waitSerial: syncFlushTimeout each, one after the other. Source: the same, 4.7.1.
	waitSerial
	// waitPolled: slaveTimeout from the creation of the request, looked at once a second.
	// Source: the same, 4.9.8.
	waitPolled
	// waitExact: slaveTimeout from the creation, looked at each millisecond.
	// Source: GroupTransferService.doWaitTransfer, 5.3.3.
	waitExact
)

// shorterMaster is what a master does with a slave that reports an offset beyond its own log.
type shorterMaster uint8

const (
	// shorterTakes: it takes the offset as acknowledged. Source: HAConnection.ReadSocketService,
	// 4.2.0; DefaultHAConnection.ReadSocketService, 5.3.3.
	shorterTakes shorterMaster = iota
	// shorterDrops: it closes the connection on every report. Source: the same, 4.9.8.
	shorterDrops
)

// nameServerProfile is what differs between releases of the name server.
type nameServerProfile struct {
	// scan is the period of the search for brokers that no longer register.
	// Source: NamesrvController.initialize, 4.9.8 (10 s); NamesrvConfig.scanNotActiveBrokerInterval,
	// 5.3.3 (5 s).
	scan sim.Duration
	// addsWritePerm: the name server knows addWritePerm. Source: DefaultRequestProcessor, 4.9.2.
	addsWritePerm bool
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
	// haRetry is the pause between a slave's attempts to reach its master.
	// Source: HAService.HAClient.run, 4.9.8; DefaultHAClient.run, 5.3.3.
	haRetry = 5 * sim.Second
	// pageSize is OS_PAGE_SIZE. Source: MappedFile, 4.9.8; DefaultMappedFile, 5.3.3.
	pageSize = 4096
)

// release is one row of the table below.
type release struct {
	names      []string
	client     clientProfile
	broker     brokerProfile
	nameServer nameServerProfile
}

// releases lists what the wire, the broker and the name server do, a row for each behaviour, with the
// releases that behave so. Every release of package strategy that is not here is not modelled yet.
var releases = []release{
	{
		names: []string{"4.9.8"},
		client: clientProfile{
			writesAtZero: true, failFast: true, closesOnTimeout: true, deductsConnect: true,
			nameServerThrows: true,
		},
		broker: brokerProfile{
			firstReport: 5 * sim.Second, asyncPut: true, replicaWait: waitPolled,
			shorterMaster: shorterDrops, flushTimed: true, pageCacheBusyCode: 1,
			storeShutdown: sim.Second, schedulerShutdown: 5 * sim.Second, permissionReplaces: true,
		},
		nameServer: nameServerProfile{scan: 10 * sim.Second, addsWritePerm: true},
	},
	{
		names: []string{"5.3.3"},
		client: clientProfile{
			failFastOnFIN: true, sparesShortWaits: true, failFast: true, closesOnTimeout: true,
			deductsConnect: true, nameServerThrows: true,
		},
		broker: brokerProfile{
			clusterPoll: 5 * sim.Second, asyncPut: true, replicaCheck: checkNothing,
			replicaWait: waitExact, flushTimed: true, pageCacheBusyCode: 2, unregistersFirst: true,
		},
		nameServer: nameServerProfile{scan: 5 * sim.Second, addsWritePerm: true},
	},
}

// Releases names the releases whose wire, broker and name server are modelled.
func Releases() []string {
	var names []string
	for _, r := range releases {
		names = append(names, r.names...)
	}
	return names
}

func lookupRelease(name string) (release, bool) {
	for _, r := range releases {
		for _, n := range r.names {
			if n == name {
				return r, true
			}
		}
	}
	return release{}, false
}
