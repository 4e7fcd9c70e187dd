package releases

import (
	"fmt"
	"strconv"

	"simrun/sim"
	"simrun/strategy"
)

// Broker is what differs between releases of the broker.
type Broker struct {
	// ClusterPoll is the period at which the broker asks one name server for the cluster; 0: never.
	// It keeps that channel from being idle. Source: BrokerController.initializeScheduledTasks,
	// brokerOuterAPI.refreshMetadata, 5.0.0.
	ClusterPoll sim.Duration
	// RegistersInTurn: a registration goes to one name server after the other, each waiting for the
	// answer of the one before; else to all at once. Source: BrokerOuterAPI.registerBrokerAll, 4.3.0.
	RegistersInTurn bool
	// RegisterTimeout is registerBrokerTimeoutMills, how long a registration waits for its answer.
	RegisterTimeout sim.Duration
	// FewSendThreads: sendMessageThreadPoolNums is 1 by default, else the number of cores, at most 4.
	FewSendThreads bool
	// FirstReport is how long a slave that has connected to its master waits before it reports its
	// offset; nothing flows before. Source: HAService.HAClient, 4.9.8 (haSendHeartbeatInterval);
	// DefaultHAClient, 5.0.0 (at once).
	FirstReport sim.Duration
	// SlaveHousekeeping: a slave closes a connection on which it has read nothing for
	// haHousekeepingInterval. From 4.5.2 a 4.x slave looks at what it has written instead, and it
	// writes all the while: only TCP tells it. Source: HAService.HAClient, lastWriteTimestamp, 4.5.1
	// and 4.5.2; DefaultHAClient, lastReadTimestamp, 5.0.0.
	SlaveHousekeeping bool
	// WaitsToReconnect: a slave whose connection has ended waits haRetry before it tries again.
	// Source: HAService.HAClient.run, 4.9.8 (at once); DefaultHAClient.closeMasterAndWait, 5.0.0.
	WaitsToReconnect bool
	// AsyncPut: a wait for the disk or a slave does not hold the send thread.
	AsyncPut bool
	// DiskWait is how a send of a broker with SYNC_FLUSH waits for the fsync.
	DiskWait DiskWait
	// LateWaitFails: a wait for the disk or a slave that took longer than syncFlushTimeout is
	// answered FLUSH_SLAVE_TIMEOUT, however it ended. Source: CommitLog.GroupCommitRequest, 4.7.0.
	LateWaitFails bool
	// ReplicaCheck is what the master looks at before it waits for a slave.
	ReplicaCheck ReplicaCheck
	// ReplicaWait is how a send of a SYNC_MASTER waits for its slaves.
	ReplicaWait ReplicaWait
	// ShorterMaster is what becomes of a slave whose log is longer than its master's.
	ShorterMaster ShorterMaster
	// WaitsInTurn: the wait for the disk and that for the slave follow each other.
	WaitsInTurn bool
	// FlushTimed is the default of flushCommitLogTimed.
	FlushTimed bool
	// PutsWakeFlush: with flushCommitLogTimed off, every put wakes the flush thread.
	PutsWakeFlush bool
	// PoolWithSyncFlush: the transient store pool works with SYNC_FLUSH, too.
	// Source: MessageStoreConfig.isTransientStorePoolEnable, 4.9.8 and 5.0.0-ALPHA.
	PoolWithSyncFlush bool
	// ChecksDiskApart: a schedule of its own looks how full the disk is, beside the one that cleans:
	// from a second after the start on, not from a minute.
	// Source: DefaultMessageStore.addScheduleTask (isSpaceFull), 4.7.1 and 5.0.0.
	ChecksDiskApart bool
	// PageCacheBusyCode is the response code of a put that found the put lock held too long.
	PageCacheBusyCode int
	// UnregistersFirst: an orderly shutdown begins with the name servers, not with the ports.
	UnregistersFirst bool
	// StoreShutdown is how long the shutdown of the store sleeps, SchedulerShutdown the longest wait
	// for the scheduled tasks, both before an unregistration that comes last.
	StoreShutdown, SchedulerShutdown sim.Duration
	// PermissionLate: a new brokerPermission goes out with the old DataVersion, so that name servers heed
	// it at the next registration only.
	PermissionLate bool
	// SlaveTopics: a slave says with its registration that name servers may take its topics.
	SlaveTopics bool
	// RegistersOneTopic: who makes a topic registers that one and waits for the answers; else the whole
	// table, without waiting.
	RegistersOneTopic bool
}

// DiskWait is how a send waits for an fsync that takes long.
type DiskWait uint8

const (
	// DiskWaitThread: the send thread waits, for syncFlushTimeout at most.
	// Source: CommitLog.handleDiskFlush, 4.6.1.
	DiskWaitThread DiskWait = iota
	// DiskWaitEndless: nobody looks at the clock; the answer comes with the fsync.
	// Source: CommitLog.submitFlushRequest and GroupCommitService.doCommit, 4.7.0 and 4.9.2.
	DiskWaitEndless
	// DiskWaitWatched: FLUSH_DISK_TIMEOUT at syncFlushTimeout, looked at each 10 ms.
	// Source: FlushDiskWatcher, 4.9.3.
	DiskWaitWatched
)

var diskWaitNames = []string{"thread", "endless", "watched"}

func (v DiskWait) String() string { return diskWaitNames[v] }

// ReplicaCheck is what a SYNC_MASTER looks at before it waits.
type ReplicaCheck uint8

const (
	// CheckConnections: a connected slave that lacks less than haSlaveFallbehindMax, else
	// SLAVE_NOT_AVAILABLE at once. Source: HAService.isSlaveOK, 4.9.8.
	CheckConnections ReplicaCheck = iota
	// CheckNothing: inSyncReplicas alone says for how many acknowledgements a send waits.
	// Source: CommitLog.calcNeedAckNums and handleHA, 5.0.0.
	CheckNothing
)

var replicaCheckNames = []string{"connections", "nothing"}

func (v ReplicaCheck) String() string { return replicaCheckNames[v] }

// ReplicaWait is how long a send waits for a slave, and who waits.
type ReplicaWait uint8

const (
	// WaitRounds: five waits of up to a second each, any acknowledgement ends one.
	// Source: HAService.GroupTransferService.doWaitTransfer, 4.2.0.
	WaitRounds ReplicaWait = iota
	// WaitClock: syncFlushTimeout by the clock. Source: the same, 4.6.0.
	WaitClock
	// WaitSerial: syncFlushTimeout each, one after the other. Source: the same, 4.7.1.
	WaitSerial
	// WaitPolled: slaveTimeout from the creation of the request, looked at once a second.
	// Source: the same, 4.9.8; GroupTransferService.doWaitTransfer, 5.0.0.
	WaitPolled
	// WaitExact: slaveTimeout from the creation, looked at each millisecond.
	// Source: GroupTransferService.doWaitTransfer, 5.1.2.
	WaitExact
	// WaitWatched: syncFlushTimeout from the creation, looked at each 10 ms by the watcher of the
	// disk, which answers FLUSH_DISK_TIMEOUT. Source: CommitLog.submitReplicaRequest, 5.0.0-ALPHA.
	WaitWatched
)

var replicaWaitNames = []string{"rounds", "clock", "serial", "polled", "exact", "watched"}

func (v ReplicaWait) String() string { return replicaWaitNames[v] }

// ShorterMaster is what a master does with a slave that reports an offset beyond its own log.
type ShorterMaster uint8

const (
	// ShorterTakes: it takes the offset as acknowledged. Source: HAConnection.ReadSocketService,
	// 4.2.0; DefaultHAConnection.ReadSocketService, 5.3.3.
	ShorterTakes ShorterMaster = iota
	// ShorterDrops: it takes the first report of a connection and closes the connection on the next.
	// Source: HAConnection.ReadSocketService.processReadEvent, 4.9.3.
	ShorterDrops
)

var shorterMasterNames = []string{"takes", "drops"}

func (v ShorterMaster) String() string { return shorterMasterNames[v] }

// brokerBehaviours are the broker's.
var brokerBehaviours = []behaviour[Broker]{
	span("cluster_poll", 0, func(p *Broker) *sim.Duration { return &p.ClusterPoll }),
	either("register", "at-once", "in-turn", func(p *Broker) *bool { return &p.RegistersInTurn }),
	span("register_timeout", sim.Millisecond,
		func(p *Broker) *sim.Duration { return &p.RegisterTimeout }),
	defaultOf("send_message_thread_pool_nums",
		either("send_threads", "cores-to-4", "1", func(p *Broker) *bool { return &p.FewSendThreads })),
	either("put", "blocks", "async", func(p *Broker) *bool { return &p.AsyncPut }),
	either("waits", "together", "in-turn", func(p *Broker) *bool { return &p.WaitsInTurn }),
	choice("disk_wait", diskWaitNames, func(p *Broker) *DiskWait { return &p.DiskWait }),
	either("late_wait", "counts", "fails", func(p *Broker) *bool { return &p.LateWaitFails }),
	choice("replica_check", replicaCheckNames,
		func(p *Broker) *ReplicaCheck { return &p.ReplicaCheck }),
	choice("replica_wait", replicaWaitNames,
		func(p *Broker) *ReplicaWait { return &p.ReplicaWait }),
	choice("shorter_master", shorterMasterNames,
		func(p *Broker) *ShorterMaster { return &p.ShorterMaster }),
	either("slave_housekeeping", "writes", "reads",
		func(p *Broker) *bool { return &p.SlaveHousekeeping }),
	either("slave_reconnect", "at-once", "after-5s",
		func(p *Broker) *bool { return &p.WaitsToReconnect }),
	span("first_report", 0, func(p *Broker) *sim.Duration { return &p.FirstReport }),
	defaultOf("flush_commit_log_timed",
		either("flush", "woken", "timed", func(p *Broker) *bool { return &p.FlushTimed })),
	either("put_wakes_flush", "no", "yes", func(p *Broker) *bool { return &p.PutsWakeFlush }),
	either("pool_with_sync_flush", "no", "yes",
		func(p *Broker) *bool { return &p.PoolWithSyncFlush }),
	either("disk_check", "when-cleaning", "apart", func(p *Broker) *bool { return &p.ChecksDiskApart }),
	{
		key: "page_cache_busy", values: []string{"1", "2"},
		get: func(p *Broker) string { return strconv.Itoa(p.PageCacheBusyCode) },
		set: func(p *Broker, value string) error {
			code, err := strconv.Atoi(value)
			if err != nil || code != strategy.CodeSystemError && code != strategy.CodeSystemBusy {
				return fmt.Errorf("want one of %d, %d", strategy.CodeSystemError, strategy.CodeSystemBusy)
			}
			p.PageCacheBusyCode = code
			return nil
		},
	},
	either("unregister", "last", "first", func(p *Broker) *bool { return &p.UnregistersFirst }),
	span("store_shutdown", 0, func(p *Broker) *sim.Duration { return &p.StoreShutdown }),
	span("scheduler_shutdown", 0, func(p *Broker) *sim.Duration { return &p.SchedulerShutdown }),
	either("broker_permission", "at-once", "next-registration",
		func(p *Broker) *bool { return &p.PermissionLate }),
	either("slave_topics", "withheld", "offered",
		func(p *Broker) *bool { return &p.SlaveTopics }),
	either("new_topic", "registers-all", "registers-one",
		func(p *Broker) *bool { return &p.RegistersOneTopic }),
}

// Brokers are the releases of the broker.
var Brokers = brokerRows()

func brokerRows() *Role[Broker] {
	r := &Role[Broker]{behaviours: brokerBehaviours}
	// BrokerController, BrokerConfig, BrokerOuterAPI, CommitLog, DefaultMessageStore, HAService,
	// HAConnection and MessageStoreConfig of rocketmq-4.0.0-incubating.
	p := Broker{
		RegistersInTurn: true, RegisterTimeout: 6 * sim.Second, FewSendThreads: true,
		FirstReport: 5 * sim.Second, SlaveHousekeeping: true, DiskWait: DiskWaitThread,
		ReplicaCheck: CheckConnections, ReplicaWait: WaitRounds, ShorterMaster: ShorterTakes,
		WaitsInTurn: true, PutsWakeFlush: true,
		PageCacheBusyCode: strategy.CodeSystemError, StoreShutdown: 3 * sim.Second,
		SchedulerShutdown: 5 * sim.Second, PermissionLate: true,
	}
	r.add(p, "4.0.0", "4.1.0", "4.2.0")

	p.RegistersInTurn = false    // BrokerOuterAPI.registerBrokerAll, 4.3.0
	p.StoreShutdown = sim.Second // DefaultMessageStore.shutdown, 4.3.0
	p.PermissionLate = false     // AdminBrokerProcessor.updateBrokerConfig, 4.3.0
	r.add(p, "4.3.0", "4.3.1", "4.3.2", "4.4.0", "4.5.1")

	p.SlaveHousekeeping = false // HAService.HAClient.reportSlaveMaxOffset, 4.5.2
	r.add(p, "4.5.2")

	p.ReplicaWait = WaitClock // HAService.GroupTransferService.doWaitTransfer, 4.6.0
	r.add(p, "4.6.0", "4.6.1")

	p.AsyncPut = true            // SendMessageProcessor.asyncSendMessage, 4.7.0
	p.WaitsInTurn = false        // CommitLog.asyncPutMessage, 4.7.0
	p.DiskWait = DiskWaitEndless // CommitLog.submitFlushRequest, 4.7.0
	p.ReplicaWait = WaitSerial   // CommitLog.submitReplicaRequest, 4.7.0
	p.LateWaitFails = true       // CommitLog.GroupCommitRequest.wakeupCustomer, 4.7.0
	r.add(p, "4.7.0")

	p.LateWaitFails = false  // CommitLog.GroupCommitRequest.wakeupCustomer, 4.7.1
	p.ChecksDiskApart = true // DefaultMessageStore.addScheduleTask, 4.7.1
	r.add(p, "4.7.1", "4.8.0", "4.9.0", "5.0.0-PREVIEW")

	p.FlushTimed = true      // MessageStoreConfig.flushCommitLogTimed, 4.9.1
	p.FewSendThreads = false // BrokerConfig.sendMessageThreadPoolNums, 4.9.1
	r.add(p, "4.9.1", "4.9.2")

	p.DiskWait = DiskWaitWatched   // FlushDiskWatcher, 4.9.3
	p.ReplicaWait = WaitPolled     // HAService.GroupTransferService.doWaitTransfer, 4.9.3
	p.ShorterMaster = ShorterDrops // HAConnection.ReadSocketService.processReadEvent, 4.9.3
	r.add(p, "4.9.3", "4.9.4", "4.9.5", "4.9.6", "4.9.7", "4.9.8")

	p.PoolWithSyncFlush = true // MessageStoreConfig.isTransientStorePoolEnable, 5.0.0-ALPHA
	alpha := p
	alpha.ClusterPoll = 5 * sim.Second // BrokerController.initialize, 5.0.0-ALPHA
	// CommitLog.submitFlushRequest, 5.0.0-ALPHA, gives the watcher no request of the disk.
	alpha.DiskWait = DiskWaitEndless
	alpha.ReplicaWait = WaitWatched // CommitLog.submitReplicaRequest, 5.0.0-ALPHA
	r.add(alpha, "5.0.0-ALPHA")

	p.ClusterPoll = 5 * sim.Second      // BrokerController.initializeScheduledTasks, 5.0.0
	p.RegisterTimeout = 24 * sim.Second // BrokerConfig.registerBrokerTimeoutMills, 5.0.0
	p.FirstReport = 0                   // DefaultHAClient.connectMaster, 5.0.0
	p.SlaveHousekeeping = true          // DefaultHAClient.run, 5.0.0
	p.WaitsToReconnect = true           // DefaultHAClient.closeMasterAndWait, 5.0.0
	p.ReplicaCheck = CheckNothing       // CommitLog.handleHA, 5.0.0
	p.ShorterMaster = ShorterTakes      // DefaultHAConnection.ReadSocketService, 5.0.0
	p.ChecksDiskApart = false           // DefaultMessageStore.addScheduleTask, 5.0.0
	p.UnregistersFirst = true           // BrokerController.shutdownBasicService, 5.0.0
	p.StoreShutdown = 3 * sim.Second    // DefaultMessageStore.shutdown, 5.0.0
	p.SlaveTopics = true                // BrokerOuterAPI.registerBrokerAll (enableActingMaster), 5.0.0
	r.add(p, "5.0.0", "5.1.0", "5.1.1")

	p.ReplicaWait = WaitExact // GroupTransferService.doWaitTransfer, 5.1.2
	r.add(p, "5.1.2", "5.1.3")

	p.RegistersOneTopic = true // TopicConfigManager.registerBrokerData, 5.1.4
	r.add(p, "5.1.4", "5.2.0")

	p.PageCacheBusyCode = strategy.CodeSystemBusy // SendMessageProcessor.handlePutMessageResult, 5.3.0
	r.add(p, "5.3.0", "5.3.1")

	p.PutsWakeFlush = false // CommitLog.DefaultFlushManager.handleDiskFlush, 5.3.2
	r.add(p, "5.3.2", "5.3.3")
	return r
}
