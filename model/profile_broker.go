package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// brokerProfile is what differs between releases of the broker.
type brokerProfile struct {
	// clusterPoll is the period at which the broker asks one name server for the cluster; 0: never.
	// It keeps that channel from being idle. Source: BrokerController.initializeScheduledTasks,
	// brokerOuterAPI.refreshMetadata, 5.0.0.
	clusterPoll sim.Duration
	// registersInTurn: a registration goes to one name server after the other, each waiting for the
	// answer of the one before; else to all at once. Source: BrokerOuterAPI.registerBrokerAll, 4.3.0.
	registersInTurn bool
	// registerTimeout is registerBrokerTimeoutMills, how long a registration waits for its answer.
	registerTimeout sim.Duration
	// fewSendThreads: sendMessageThreadPoolNums is 1 by default, else the number of cores, at most 4.
	fewSendThreads bool
	// firstReport is how long a slave that has connected to its master waits before it reports its
	// offset; nothing flows before. Source: HAService.HAClient, 4.9.8 (haSendHeartbeatInterval);
	// DefaultHAClient, 5.0.0 (at once).
	firstReport sim.Duration
	// slaveHousekeeping: a slave closes a connection on which it has read nothing for
	// haHousekeepingInterval. From 4.5.2 a 4.x slave looks at what it has written instead, and it
	// writes all the while: only TCP tells it. Source: HAService.HAClient, lastWriteTimestamp, 4.5.1
	// and 4.5.2; DefaultHAClient, lastReadTimestamp, 5.0.0.
	slaveHousekeeping bool
	// waitsToReconnect: a slave whose connection has ended waits haRetry before it tries again.
	// Source: HAService.HAClient.run, 4.9.8 (at once); DefaultHAClient.closeMasterAndWait, 5.0.0.
	waitsToReconnect bool
	// asyncPut: a wait for the disk or a slave does not hold the send thread.
	asyncPut bool
	// diskWait is how a send of a broker with SYNC_FLUSH waits for the fsync.
	diskWait diskWait
	// lateWaitFails: a wait for the disk or a slave that took longer than syncFlushTimeout is
	// answered FLUSH_SLAVE_TIMEOUT, however it ended. Source: CommitLog.GroupCommitRequest, 4.7.0.
	lateWaitFails bool
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
	// putsWakeFlush: with flushCommitLogTimed off, every put wakes the flush thread.
	putsWakeFlush bool
	// poolWithSyncFlush: the transient store pool works with SYNC_FLUSH, too.
	// Source: MessageStoreConfig.isTransientStorePoolEnable, 4.9.8 and 5.0.0-ALPHA.
	poolWithSyncFlush bool
	// checksDiskApart: a schedule of its own looks how full the disk is, beside the one that cleans:
	// from a second after the start on, not from a minute.
	// Source: DefaultMessageStore.addScheduleTask (isSpaceFull), 4.7.1 and 5.0.0.
	checksDiskApart bool
	// pageCacheBusyCode is the response code of a put that found the put lock held too long.
	pageCacheBusyCode int
	// unregistersFirst: an orderly shutdown begins with the name servers, not with the ports.
	unregistersFirst bool
	// storeShutdown is how long the shutdown of the store sleeps, schedulerShutdown the longest wait
	// for the scheduled tasks, both before an unregistration that comes last.
	storeShutdown, schedulerShutdown sim.Duration
	// permissionLate: a new brokerPermission goes out with the old DataVersion, so that name servers heed
	// it at the next registration only.
	permissionLate bool
	// slaveTopics: a slave says with its registration that name servers may take its topics.
	slaveTopics bool
	// registersOneTopic: who makes a topic registers that one and waits for the answers; else the whole
	// table, without waiting.
	registersOneTopic bool
}

// diskWait is how a send waits for an fsync that takes long.
type diskWait uint8

const (
	// diskWaitThread: the send thread waits, for syncFlushTimeout at most.
	// Source: CommitLog.handleDiskFlush, 4.6.1.
	diskWaitThread diskWait = iota
	// diskWaitEndless: nobody looks at the clock; the answer comes with the fsync.
	// Source: CommitLog.submitFlushRequest and GroupCommitService.doCommit, 4.7.0 and 4.9.2.
	diskWaitEndless
	// diskWaitWatched: FLUSH_DISK_TIMEOUT at syncFlushTimeout, looked at each 10 ms.
	// Source: FlushDiskWatcher, 4.9.3.
	diskWaitWatched
)

var diskWaitNames = []string{"thread", "endless", "watched"}

func (v diskWait) String() string { return diskWaitNames[v] }

// replicaCheck is what a SYNC_MASTER looks at before it waits.
type replicaCheck uint8

const (
	// checkConnections: a connected slave that lacks less than haSlaveFallbehindMax, else
	// SLAVE_NOT_AVAILABLE at once. Source: HAService.isSlaveOK, 4.9.8.
	checkConnections replicaCheck = iota
	// checkNothing: inSyncReplicas alone says for how many acknowledgements a send waits.
	// Source: CommitLog.calcNeedAckNums and handleHA, 5.0.0.
	checkNothing
)

var replicaCheckNames = []string{"connections", "nothing"}

func (v replicaCheck) String() string { return replicaCheckNames[v] }

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
	// Source: the same, 4.9.8; GroupTransferService.doWaitTransfer, 5.0.0.
	waitPolled
	// waitExact: slaveTimeout from the creation, looked at each millisecond.
	// Source: GroupTransferService.doWaitTransfer, 5.1.2.
	waitExact
	// waitWatched: syncFlushTimeout from the creation, looked at each 10 ms by the watcher of the
	// disk, which answers FLUSH_DISK_TIMEOUT. Source: CommitLog.submitReplicaRequest, 5.0.0-ALPHA.
	waitWatched
)

var replicaWaitNames = []string{"rounds", "clock", "serial", "polled", "exact", "watched"}

func (v replicaWait) String() string { return replicaWaitNames[v] }

// shorterMaster is what a master does with a slave that reports an offset beyond its own log.
type shorterMaster uint8

const (
	// shorterTakes: it takes the offset as acknowledged. Source: HAConnection.ReadSocketService,
	// 4.2.0; DefaultHAConnection.ReadSocketService, 5.3.3.
	shorterTakes shorterMaster = iota
	// shorterDrops: it takes the first report of a connection and closes the connection on the next.
	// Source: HAConnection.ReadSocketService.processReadEvent, 4.9.3.
	shorterDrops
)

var shorterMasterNames = []string{"takes", "drops"}

func (v shorterMaster) String() string { return shorterMasterNames[v] }

// brokerRows are the releases of the broker.
func brokerRows() profileTable[brokerProfile] {
	var t profileTable[brokerProfile]
	// BrokerController, BrokerConfig, BrokerOuterAPI, CommitLog, DefaultMessageStore, HAService,
	// HAConnection and MessageStoreConfig of rocketmq-4.0.0-incubating.
	p := brokerProfile{
		registersInTurn: true, registerTimeout: 6 * sim.Second, fewSendThreads: true,
		firstReport: 5 * sim.Second, slaveHousekeeping: true, diskWait: diskWaitThread,
		replicaCheck: checkConnections, replicaWait: waitRounds, shorterMaster: shorterTakes,
		waitsInTurn: true, putsWakeFlush: true,
		pageCacheBusyCode: strategy.CodeSystemError, storeShutdown: 3 * sim.Second,
		schedulerShutdown: 5 * sim.Second, permissionLate: true,
	}
	t.add(p, "4.0.0", "4.1.0", "4.2.0")

	p.registersInTurn = false    // BrokerOuterAPI.registerBrokerAll, 4.3.0
	p.storeShutdown = sim.Second // DefaultMessageStore.shutdown, 4.3.0
	p.permissionLate = false     // AdminBrokerProcessor.updateBrokerConfig, 4.3.0
	t.add(p, "4.3.0", "4.3.1", "4.3.2", "4.4.0", "4.5.1")

	p.slaveHousekeeping = false // HAService.HAClient.reportSlaveMaxOffset, 4.5.2
	t.add(p, "4.5.2")

	p.replicaWait = waitClock // HAService.GroupTransferService.doWaitTransfer, 4.6.0
	t.add(p, "4.6.0", "4.6.1")

	p.asyncPut = true            // SendMessageProcessor.asyncSendMessage, 4.7.0
	p.waitsInTurn = false        // CommitLog.asyncPutMessage, 4.7.0
	p.diskWait = diskWaitEndless // CommitLog.submitFlushRequest, 4.7.0
	p.replicaWait = waitSerial   // CommitLog.submitReplicaRequest, 4.7.0
	p.lateWaitFails = true       // CommitLog.GroupCommitRequest.wakeupCustomer, 4.7.0
	t.add(p, "4.7.0")

	p.lateWaitFails = false  // CommitLog.GroupCommitRequest.wakeupCustomer, 4.7.1
	p.checksDiskApart = true // DefaultMessageStore.addScheduleTask, 4.7.1
	t.add(p, "4.7.1", "4.8.0", "4.9.0", "5.0.0-PREVIEW")

	p.flushTimed = true      // MessageStoreConfig.flushCommitLogTimed, 4.9.1
	p.fewSendThreads = false // BrokerConfig.sendMessageThreadPoolNums, 4.9.1
	t.add(p, "4.9.1", "4.9.2")

	p.diskWait = diskWaitWatched   // FlushDiskWatcher, 4.9.3
	p.replicaWait = waitPolled     // HAService.GroupTransferService.doWaitTransfer, 4.9.3
	p.shorterMaster = shorterDrops // HAConnection.ReadSocketService.processReadEvent, 4.9.3
	t.add(p, "4.9.3", "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8")

	p.poolWithSyncFlush = true // MessageStoreConfig.isTransientStorePoolEnable, 5.0.0-ALPHA
	alpha := p
	alpha.clusterPoll = 5 * sim.Second // BrokerController.initialize, 5.0.0-ALPHA
	// CommitLog.submitFlushRequest, 5.0.0-ALPHA, gives the watcher no request of the disk.
	alpha.diskWait = diskWaitEndless
	alpha.replicaWait = waitWatched // CommitLog.submitReplicaRequest, 5.0.0-ALPHA
	t.add(alpha, "5.0.0-ALPHA")

	p.clusterPoll = 5 * sim.Second      // BrokerController.initializeScheduledTasks, 5.0.0
	p.registerTimeout = 24 * sim.Second // BrokerConfig.registerBrokerTimeoutMills, 5.0.0
	p.firstReport = 0                   // DefaultHAClient.connectMaster, 5.0.0
	p.slaveHousekeeping = true          // DefaultHAClient.run, 5.0.0
	p.waitsToReconnect = true           // DefaultHAClient.closeMasterAndWait, 5.0.0
	p.replicaCheck = checkNothing       // CommitLog.handleHA, 5.0.0
	p.shorterMaster = shorterTakes      // DefaultHAConnection.ReadSocketService, 5.0.0
	p.checksDiskApart = false           // DefaultMessageStore.addScheduleTask, 5.0.0
	p.unregistersFirst = true           // BrokerController.shutdownBasicService, 5.0.0
	p.storeShutdown = 3 * sim.Second    // DefaultMessageStore.shutdown, 5.0.0
	p.slaveTopics = true                // BrokerOuterAPI.registerBrokerAll (enableActingMaster), 5.0.0
	t.add(p, "5.0.0", "5.1.0", "5.1.1")

	p.replicaWait = waitExact // GroupTransferService.doWaitTransfer, 5.1.2
	t.add(p, "5.1.2", "5.1.3")

	p.registersOneTopic = true // TopicConfigManager.registerBrokerData, 5.1.4
	t.add(p, "5.1.4", "5.2.0")

	p.pageCacheBusyCode = strategy.CodeSystemBusy // SendMessageProcessor.handlePutMessageResult, 5.3.0
	t.add(p, "5.3.0", "5.3.1")

	p.putsWakeFlush = false // CommitLog.DefaultFlushManager.handleDiskFlush, 5.3.2
	t.add(p, "5.3.2", "5.3.3")
	return t
}

const (
	// haRetry is the pause between a slave's attempts to reach its master.
	// Source: HAService.HAClient.run, 4.9.8; DefaultHAClient.run, 5.3.3.
	haRetry = 5 * sim.Second
	// defaultTopicQueues is defaultTopicQueueNums of the broker: how many queues TBW102 has, and a
	// topic made after it at most. Source: BrokerConfig, 4.2.0, 4.9.8 and 5.3.3.
	defaultTopicQueues = 8
	// pageSize is OS_PAGE_SIZE. Source: MappedFile, 4.9.8; DefaultMappedFile, 5.3.3.
	pageSize = 4096
)
