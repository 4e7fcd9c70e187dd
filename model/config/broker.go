package config

import (
	"simrun/model/releases"
	"simrun/sim"
)

// BrokerRole is brokerRole of MessageStoreConfig, as far as the model knows it.
type BrokerRole uint8

// Roles of a master.
const (
	AsyncMaster BrokerRole = iota // ASYNC_MASTER: the answer never waits for a slave
	SyncMaster                    // SYNC_MASTER: it may, by the rules of the release
)

// FlushDiskType is flushDiskType of MessageStoreConfig.
type FlushDiskType uint8

// Flush modes.
const (
	AsyncFlush FlushDiskType = iota // ASYNC_FLUSH: the answer follows the page cache
	SyncFlush                       // SYNC_FLUSH: the answer follows the fsync
)

// Broker is a broker name: one master (broker id 0) and its slaves (ids 1, 2, …).
type Broker struct {
	Name    string
	Release string
	Role    BrokerRole
	Flush   FlushDiskType
	// Slaves is the number of slaves; 0..8.
	Slaves int
	// SendThreads is sendMessageThreadPoolNums: how many sends are served at once; 1..1024.
	SendThreads int
	// Service is the time one send holds a send thread, up to and including the append.
	Service sim.Sampler
	// Fsync is the time one fsync of the commit log takes.
	Fsync sim.Sampler
	// FlushInterval is flushIntervalCommitLog of ASYNC_FLUSH; > 0.
	FlushInterval sim.Duration
	// FlushLeastPages is flushCommitLogLeastPages: fewer dirty 4 KiB pages are left for later; >= 0.
	FlushLeastPages int
	// FlushThoroughInterval is flushCommitLogThoroughInterval: after it, whatever is dirty is flushed.
	FlushThoroughInterval sim.Duration
	// SyncFlushTimeout is syncFlushTimeout: a SYNC_FLUSH send answers FLUSH_DISK_TIMEOUT after it.
	SyncFlushTimeout sim.Duration
	// RegisterPeriod is registerNameServerPeriod; 10 s..60 s.
	RegisterPeriod sim.Duration
	// Startup is the time from a start of the process to the first registration and the open port.
	Startup sim.Duration

	// Behaviours replace named behaviours of the release, each as "name=value": see releases.Brokers.
	Behaviours []string

	// Append is the time that one append holds the put lock, after Service; nil is no time.
	Append sim.Sampler
	// QueueCapacity is sendThreadPoolQueueCapacity: one more request is refused with SYSTEM_BUSY;
	// 0 is no limit.
	QueueCapacity int
	// FastFailure is brokerFastFailureEnable: a request that waits WaitTimeInQueue
	// (waitTimeMillsInSendQueue) or longer for a send thread is answered SYSTEM_BUSY.
	FastFailure     bool
	WaitTimeInQueue sim.Duration
	// PageCacheBusyTimeout is osPageCacheBusyTimeOutMills: while one append has held the put lock for
	// longer, every send is refused; 0 is never.
	PageCacheBusyTimeout sim.Duration

	// LogSize is the length of the commit log at the start of the run, in bytes, flushed and
	// replicated.
	LogSize int64
	// FlushTimed is flushCommitLogTimed: the flush thread sleeps FlushInterval. Otherwise every put
	// wakes it. It is nil for the default of the release.
	FlushTimed *bool
	// TransientStorePool is transientStorePoolEnable: messages wait in memory outside the page cache
	// until they are committed to it, each CommitInterval (commitIntervalCommitLog) if at least
	// CommitLeastPages are there, and whatever there is each CommitThoroughInterval.
	TransientStorePool     bool
	CommitInterval         sim.Duration
	CommitLeastPages       int
	CommitThoroughInterval sim.Duration

	// SlaveTimeout is slaveTimeout of 4.9.3 and later, the longest wait for a slave; before, it was
	// SyncFlushTimeout.
	SlaveTimeout sim.Duration
	// SlaveFallbehindMax is haSlaveFallbehindMax (4.x) or haMaxGapNotInSync (5.x), in bytes: a slave
	// that lacks as much counts as absent; 0 is no limit.
	SlaveFallbehindMax int64
	// HAHousekeepingInterval is haHousekeepingInterval: a replication connection without a word for
	// longer is closed; 0 is never.
	HAHousekeepingInterval sim.Duration
	// HAHeartbeatInterval is haSendHeartbeatInterval: an idle slave reports its offset, and an
	// idle master says something, so often; 0 is never.
	HAHeartbeatInterval sim.Duration
	// InSyncReplicas (5.x) is how many replicas must have a message before a SYNC_MASTER answers, the
	// master included; 0 reads as 1, which waits for none. MinInSyncReplicas changes nothing: only
	// controller mode and slave acting master, which are not modelled, look at it.
	InSyncReplicas, MinInSyncReplicas int
	// ReplicationBandwidth is how many bytes a second flow to one slave; 0 is no limit.
	ReplicationBandwidth float64

	// Permission is brokerPermission: 6 or 0 for read and write, 4 for read only.
	Permission int
	// AutoCreateTopic is autoCreateTopicEnable: the default topic's route leads here.
	AutoCreateTopic bool
	// ColdFactor multiplies the service time of a process that has just started; it falls to 1 over
	// ColdFor, evenly. A value of 0 or 1 is a process that starts warm.
	ColdFactor float64
	ColdFor    sim.Duration
}

// Profile is the release's with the behaviours replaced. Its error names what is wrong.
func (b *Broker) Profile() (releases.Broker, error) {
	return releases.Brokers.Profile(b.Release, b.Behaviours)
}

// Permissions of a broker's queues. Source: PermName.PERM_READ and PERM_WRITE, all releases.
const (
	PermRead  = 4
	PermWrite = 2
)
