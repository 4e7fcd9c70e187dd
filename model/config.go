package model

import (
	"fmt"

	"simrun/model/rate"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// Config is one simulated world: everything a run depends on besides the binary.
// Durations are sim.Duration (nanoseconds), rates are events per second, sizes are bytes.
// Use Validate before New; New panics on a configuration that Validate refuses.
type Config struct {
	// Seed keys every random draw of the run.
	Seed uint64
	// Duration is the simulated time the run covers; > 0.
	Duration sim.Duration
	// Warmup is the part at the start that is left out of every phase; 0 <= Warmup < Duration.
	Warmup sim.Duration

	Network     Network
	NameServers []NameServer // at least one
	Topics      []Topic      // at least one
	Brokers     []Broker     // at least one; the order is the order of figures and tables
	Producers   []Producer   // at least one
	Faults      []Fault
	// Hosts are the machines that run more than one process, or belong to a zone. Every process that
	// none of them runs has a host to itself.
	Hosts []Host
	// Zones name sets of hosts and of processes with a host to themselves.
	Zones []Zone
	// ZoneLinks are the ways between zones that take longer, or shorter, than Network says.
	ZoneLinks []ZoneLink
	// Start says how the producers' life begins.
	Start Start
}

// Start says how the run begins for the producers. The zero value is the middle of their life: their
// periodic tasks have a phase, connections are open and routes known. Brokers and name servers are in
// the middle of theirs in any case.
type Start struct {
	// Cold: the clients start in the run. They know no route and have no connection; their tasks begin
	// with their initial delays.
	Cold bool
	// Spread is the time over which the instances start, evenly at random; 0 is all at once.
	Spread sim.Duration
}

// Host is a machine. What strikes a machine (power, cable) strikes everything that it runs.
type Host struct {
	Name string
	// Zone is the name of the zone it stands in, "" for none.
	Zone string
	// Runs are the processes on it.
	Runs []Target
}

// Zone is a place with hosts in it.
type Zone struct {
	Name string
	// Runs are the processes in it whose hosts have no name.
	Runs []Target
}

// ZoneLink is the way between two zones, in both directions.
type ZoneLink struct {
	Name string
	// A and B are the names of the zones.
	A, B string
	// Latency is the one-way delay of a packet between them, instead of that of Network.
	Latency sim.Sampler
}

// Network describes the wire between any two hosts.
type Network struct {
	// Latency is the one-way delay of a packet (not of the bytes behind it).
	Latency sim.Sampler
}

// NameServer is one name server process.
type NameServer struct {
	Name    string
	Release string
	// Behaviours replace named behaviours of the release, each as "name=value": see
	// releases.NameServers.
	Behaviours []string
	// Startup is the time from a start of the process to the open port; it starts with no route.
	Startup sim.Duration
}

// Profile is the release's with the behaviours replaced. Its error names what is wrong.
func (n *NameServer) Profile() (releases.NameServer, error) {
	return releases.NameServers.Profile(n.Release, n.Behaviours)
}

// Topic says where a topic has queues.
type Topic struct {
	Name string
	// WriteQueueNums is the number of write queues on each broker; 1..1024.
	WriteQueueNums int
	// Brokers names the brokers that hold the topic; empty means all of them.
	Brokers []string
	// Absent: nobody has created the topic. Clients find the route of the default topic TBW102 on
	// the brokers with AutoCreateTopic, and the first send to a broker creates it there.
	Absent bool
	// Ordered: the name servers have an ORDER_TOPIC_CONFIG for it. Publish lists follow that and list
	// every broker of Brokers in that order, writable or not, with a master or without.
	Ordered bool
}

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

// Producer is a group of identical producer instances, each with its own fault table.
type Producer struct {
	Name string
	// Client is the library, Release its release: of the Java client one of package strategy; of the Go
	// client one of GoReleases.
	Client  Client
	Release string
	// Count is the number of instances; >= 1.
	Count int
	// Threads is the number of application threads of an instance; a synchronous send holds one.
	Threads int
	// Rate is messages per second of all instances together, the basis of Shape; > 0, and 0 of a closed
	// or recorded load.
	Rate float64
	// Arrivals is how the intended send times follow each other.
	Arrivals Arrivals
	// Shape is how the rate goes up and down.
	Shape rate.Shape
	// Recorded are the arrivals of RecordedArrivals, in order of time.
	Recorded []Arrival
	// Think is the time between an answer and the thread's next send, of ClosedLoop; nil is none.
	Think sim.Sampler
	// OnFailure is what the caller does about a send that failed.
	OnFailure OnFailure
	// Topics are what the group sends to; at least one.
	Topics []TopicShare
	// MessageSize is the number of bytes of a message's body and properties.
	MessageSize sim.Sampler
	// Batch is how many messages a send carries, send(Collection); 0 and 1 are a plain message.
	Batch int
	// Mode is how the group calls send, Choice who picks the queue.
	Mode   SendMode
	Choice QueueChoice
	// Queue is the queue of ChooseQueue.
	Queue QueueName
	// Keys is how many ordering keys there are (ChooseByHash), each as likely as another; 1 is global
	// order. 0 is a key of its own for every message.
	Keys int
	// Policy names the rule that picks queues, one of strategy.Policies; "rocketmq" is the Java
	// client's own, the others are baselines to compare it with.
	Policy string
	// Behaviours replace named behaviours of the release, each as "name=value": see releases.Clients.
	Behaviours []string
	// Settings are the client's own settings, defaults of the release filled in.
	Settings strategy.Settings
	// Remoting are the settings of the client below the send loop.
	Remoting Remoting
	// PollNameServerInterval is pollNameServerInterval; > 0.
	PollNameServerInterval sim.Duration
	// HeartbeatBrokerInterval is heartbeatBrokerInterval; > 0.
	HeartbeatBrokerInterval sim.Duration
	// TimerWakeup is how late a thread wakes from a timed wait.
	TimerWakeup sim.Sampler
}

// Profile is what the release decides, with the behaviours of package strategy replaced. Its error
// names what is wrong.
//
// Of the Go client, which has releases of its own, it has nothing but the name.
func (p *Producer) Profile() (strategy.Profile, error) {
	if p.Client == GoClient {
		_, err := strategy.LookupGo(p.Release)
		return strategy.Profile{Release: p.Release}, err
	}
	return releases.Decisions(p.Release, p.Behaviours)
}

// Wire is what the client's release does on the wire, with the behaviours replaced. Its error names what
// is wrong; behaviours of package strategy are left to Profile.
func (p *Producer) Wire() (releases.Client, error) {
	if p.Client == GoClient {
		_, err := releases.LookupGo(p.Release)
		return releases.GoWire(), err
	}
	return releases.Clients.Profile(p.Release, p.Behaviours)
}

// Client is a client library.
type Client uint8

// Client libraries.
const (
	JavaClient Client = iota // rocketmq-client, of the releases in package strategy
	GoClient                 // rocketmq-client-go v2
)

// TopicShare is a topic with its share of a group's messages.
type TopicShare struct {
	Name string
	// Weight is the share, relative to those of the other topics; 0 reads as 1.
	Weight float64
}

// OneTopic is the Topics of a group that sends to one topic only.
func OneTopic(name string) []TopicShare { return []TopicShare{{Name: name}} }

// SendMode is how a producer calls send (CommunicationMode).
type SendMode uint8

// Send modes.
const (
	Sync   SendMode = iota // the caller's thread waits for the answer
	Async                  // a callback gets the answer
	OneWay                 // nobody asks for one
)

var sendModeNames = []string{"sync", "async", "oneway"}

// String is the name that a scenario uses.
func (m SendMode) String() string { return sendModeNames[m] }

// SendModes names every mode, in the order of the constants.
func SendModes() []string { return append([]string(nil), sendModeNames...) }

// QueueChoice is who picks the queue of a send. All but ChooseByPolicy make one attempt (asynchronous
// ones may repeat it on the same queue), ask no fault table, and tell it nothing but how asynchronous
// attempts end.
type QueueChoice uint8

// Queue choices.
const (
	ChooseByPolicy      QueueChoice = iota // the client: send(message)
	ChooseQueue                            // the caller: send(message, queue)
	ChooseByHash                           // a selector by hash of the message's key
	ChooseByRandom                         // a selector at random
	ChooseByMachineRoom                    // a selector that prefers brokers in the producer's zone
)

var queueChoiceNames = []string{"policy", "queue", "hash", "random", "machine-room"}

// String is the name that a scenario uses.
func (c QueueChoice) String() string { return queueChoiceNames[c] }

// QueueChoices names every choice, in the order of the constants.
func QueueChoices() []string { return append([]string(nil), queueChoiceNames...) }

// QueueName is a queue of a topic.
type QueueName struct {
	Broker string
	ID     int
}

// Remoting are the client's settings below the send loop. A zero value is RocketMQ's default.
type Remoting struct {
	// APITimeout is mqClientApiTimeout (4.9.2 and later): of lookups and heartbeats; default 3 s.
	APITimeout sim.Duration
	// CompressOver is compressMsgBodyOverHowmuch: a message of as many bytes or more is compressed, to
	// CompressedTo (0..1) of its size; defaults 4096 and 1. A batch is never compressed.
	CompressOver int64
	CompressedTo float64
	// MaxMessageSize is maxMessageSize: a larger one is refused before anything is sent; default 4 MiB.
	MaxMessageSize int64
	// DefaultTopicQueueNums is defaultTopicQueueNums of a topic that the first send creates; default 4.
	DefaultTopicQueueNums int
	// Backpressure is enableBackpressureForAsyncMode (5.0.0 and later), with
	// backPressureForAsyncSendNum and backPressureForAsyncSendSize.
	Backpressure     bool
	BackpressureNum  int
	BackpressureSize int64
	// Cores is the number of processors a client sees: the threads of its executor of asynchronous
	// sends, and of its callback executor; default 4.
	Cores int
}

// OnFailure is what a caller does about a send that ended in an exception. The zero value drops the
// message.
type OnFailure struct {
	// Resends is how often it is sent again at most, Delay how long after it failed; nil is at once.
	Resends int
	Delay   sim.Sampler
}

// Arrivals is an arrival process.
type Arrivals uint8

// Arrival processes.
const (
	Poisson          Arrivals = iota // independent exponential gaps
	Constant                         // equal gaps, instances taking turns
	RecordedArrivals                 // as Producer.Recorded says
	ClosedLoop                       // each thread sends again, Think after it has its answer
)

// Arrival is one recorded arrival.
type Arrival struct {
	At sim.Duration
	// Size is the message's size in bytes, 0 to draw it as any other.
	Size int64
	// Key is the message's ordering key, if HasKey; else it is drawn.
	Key    uint32
	HasKey bool
}

// FaultKind is a way to fail.
type FaultKind uint8

// Faults. Each is physics: what the caller sees follows from the wire, the clock and the disk.
const (
	// PowerLoss cuts the power of the host: nothing leaves it any more, page caches are gone. At the
	// end the host is powered up again and its processes start.
	PowerLoss FaultKind = iota
	// Kill is kill -9: the kernel lives on, closes the sockets and refuses connections; page caches stay.
	Kill
	// Slow multiplies the service time by Factor and adds Delay to it, both growing over Ramp.
	Slow
	// Pause stops the process (SIGSTOP, a long collection): the kernel still accepts connections and bytes.
	Pause
	// Shutdown is SIGTERM: the process ends in the order of its release. At the end it starts again.
	Shutdown
	// Vanish is a kill whose address goes with it (a pod, a VM): sockets are closed, as by Kill, and
	// then nothing answers at the address, as with no power.
	Vanish
	// DiskLoss is PowerLoss, and the disk is gone, too: the process starts again with an empty log.
	DiskLoss
	// CablePull cuts the host off the network, in both directions. Its processes go on.
	CablePull
	// BlackHole drops what is sent to the process's port by producers: its own connections live on.
	BlackHole
	// Partition cuts Targets off from To, in both directions or, if OneWay, from Targets to To only.
	Partition
	// PacketLoss loses the share Loss of the packets between Targets and To.
	PacketLoss
	// PacketDelay makes packets between Targets and To take Latency longer.
	PacketDelay
	// DiskStall stops the disk: no fsync ends, and an append that needs the disk holds the put lock.
	DiskStall
	// LockHold has something hold the put lock all the while.
	LockHold
	// FsyncStall lets no fsync end; appends to the page cache go on.
	FsyncStall
	// FsyncLie has fsync report success though the data stays in the volatile cache of the drive, until the
	// first fsync after the fault.
	FsyncLie
	// DiskFull leaves no room: the store refuses new messages from its next look at the disk on.
	DiskFull
	// ReadOnlyDisk lets nothing be written to the disk: fsync fails, the page cache goes on. No later
	// fsync writes what one that failed has not.
	ReadOnlyDisk
	// WipeWritePerm is mqadmin wipeWritePerm of the broker names on the name servers in To (all, if
	// empty); at the end comes addWritePerm.
	WipeWritePerm
	// BrokerPermission is mqadmin updateBrokerConfig brokerPermission=Permission; at the end, it is
	// as before.
	BrokerPermission
	// RollingRestart is Shutdown of one target after the other: each stays down for Down, the next
	// follows Gap after its port has opened again. With Wipe, wipeWritePerm comes WipeBefore earlier.
	RollingRestart
	numFaultKinds
)

var faultKindNames = [numFaultKinds]string{
	"power-loss", "kill", "slow", "pause", "shutdown", "vanish", "disk-loss", "cable-pull",
	"black-hole", "partition", "packet-loss", "packet-delay", "disk-stall", "lock-hold", "fsync-stall",
	"fsync-lie", "disk-full", "read-only-disk", "wipe-write-perm", "broker-permission",
	"rolling-restart",
}

// FaultKinds names every kind, in the order of the constants.
func FaultKinds() []string { return append([]string(nil), faultKindNames[:]...) }

// String is the name a scenario uses.
func (k FaultKind) String() string { return faultKindNames[k] }

// Fault is a planned fault of some processes.
type Fault struct {
	Name string
	Kind FaultKind
	// Targets are the processes it strikes, all at once.
	Targets []Target
	// At is when it strikes, 0 <= At <= Config.Duration.
	At sim.Duration
	// Duration is how long it lasts; 0 means to the end of the run.
	Duration sim.Duration
	// Factor (Slow) multiplies the service time; > 0, 1 leaves it.
	Factor float64
	// Delay (Slow) is added to the service time; >= 0.
	Delay sim.Duration
	// Ramp (Slow) is how long Factor and Delay take to grow to what they say, evenly.
	Ramp sim.Duration

	// To is the other side (Partition, PacketLoss, PacketDelay, WipeWritePerm); empty is everyone
	// else. OneWay leaves the way back alone.
	To     []Target
	OneWay bool
	// Loss (PacketLoss) is the share of packets lost, 0..1.
	Loss float64
	// Latency (PacketDelay) is what a packet takes longer.
	Latency sim.Sampler
	// Permission (BrokerPermission) is 4 for read only, 6 for both.
	Permission int
	// Down, Gap, Wipe and WipeBefore are of RollingRestart; Down is of flapping and random faults, too.
	Down, Gap  sim.Duration
	Wipe       bool
	WipeBefore sim.Duration

	// Period makes the fault flap from At on for Duration: it strikes once in each Period, up to
	// Jitter late, and lasts for Down each time; 0 is a fault that strikes once.
	Period, Jitter sim.Duration
	// Rate makes the fault strike at random from At on for Duration: each target on its own, Rate
	// times a second of the time that it is well, for a time drawn from Repair. The timetable is
	// drawn before the run.
	Rate   float64
	Repair sim.Sampler
}

// TargetKind is a kind of process.
type TargetKind uint8

// Kinds of processes.
const (
	BrokerTarget     TargetKind = iota // process ID of Config.Brokers[Index]
	NameServerTarget                   // Config.NameServers[Index]
	ProducerTarget                     // instance ID of Config.Producers[Index]
)

// Target is one process.
type Target struct {
	Kind TargetKind
	// Index is the place in Config.Brokers, Config.NameServers or Config.Producers, by Kind.
	Index int
	// ID is the broker id (0 for the master, 1.. for a slave) or the producer instance; 0 for a name
	// server.
	ID int
}

// TargetName is a target as a scenario writes it: "a:0", "name_server:n1", "producer:p#3". It must
// exist.
func (c *Config) TargetName(t Target) string {
	switch t.Kind {
	case NameServerTarget:
		return "name_server:" + c.NameServers[t.Index].Name
	case ProducerTarget:
		return fmt.Sprintf("producer:%s#%d", c.Producers[t.Index].Name, t.ID)
	}
	return fmt.Sprintf("%s:%d", c.Brokers[t.Index].Name, t.ID)
}
