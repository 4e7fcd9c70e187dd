package model

import (
	"strings"

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
}

// Topic says where a topic has queues.
type Topic struct {
	Name string
	// WriteQueueNums is the number of write queues on each broker; 1..1024.
	WriteQueueNums int
	// Brokers names the brokers that hold the topic; empty means all of them.
	Brokers []string
}

// BrokerRole is brokerRole of MessageStoreConfig, as far as the model knows it.
type BrokerRole uint8

// Roles of a master.
const (
	AsyncMaster BrokerRole = iota // ASYNC_MASTER: the answer never waits for a slave
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
}

// Producer is a group of identical producer instances, each with its own fault table.
type Producer struct {
	Name string
	// Release of the Java client.
	Release string
	// Count is the number of instances; >= 1.
	Count int
	// Threads is the number of application threads of an instance; a synchronous send holds one.
	Threads int
	// Rate is messages per second of all instances together; > 0.
	Rate float64
	// Arrivals is how the intended send times follow each other.
	Arrivals Arrivals
	// Topic is the name of the one topic the group sends to.
	Topic string
	// MessageSize is the number of bytes a message takes in the commit log.
	MessageSize sim.Sampler
	// Policy names the rule that picks queues, one of strategy.Policies; "rocketmq" is the Java
	// client's own, the others are baselines to compare it with.
	Policy string
	// Behaviours replace named behaviours of the release, each as "name=value": see
	// strategy.Behaviours and strategy.BehaviourValues.
	Behaviours []string
	// Settings are the client's own settings, defaults of the release filled in.
	Settings strategy.Settings
	// PollNameServerInterval is pollNameServerInterval; > 0.
	PollNameServerInterval sim.Duration
	// HeartbeatBrokerInterval is heartbeatBrokerInterval; > 0.
	HeartbeatBrokerInterval sim.Duration
	// TimerWakeup is how late a thread wakes from a timed wait.
	TimerWakeup sim.Sampler
}

// Profile is the release's profile with the behaviours replaced. Its error names what is wrong.
func (p *Producer) Profile() (strategy.Profile, error) {
	profile, err := strategy.Lookup(p.Release)
	if err != nil {
		return profile, err
	}
	for _, b := range p.Behaviours {
		name, value, _ := strings.Cut(b, "=")
		if profile, err = profile.With(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return profile, err
		}
	}
	return profile, nil
}

// Arrivals is an arrival process.
type Arrivals uint8

// Arrival processes of an open loop.
const (
	Poisson  Arrivals = iota // independent exponential gaps
	Constant                 // equal gaps, instances taking turns
)

// FaultKind is a way to fail.
type FaultKind uint8

// Faults. Each is physics: what the caller sees follows from the wire, the clock and the disk.
const (
	// PowerLoss cuts the power of the host: nothing leaves it any more, page caches are gone. At the
	// end the host is powered up again and the process starts.
	PowerLoss FaultKind = iota
	// Kill is kill -9: the kernel lives on, closes the sockets and refuses connections; page caches stay.
	Kill
	// Slow multiplies the service time by Factor and adds Delay to it.
	Slow
	// Pause stops the process (SIGSTOP, a long collection): the kernel still accepts connections and bytes.
	Pause
)

// String is the name a scenario uses.
func (k FaultKind) String() string {
	return [...]string{"power-loss", "kill", "slow", "pause"}[k]
}

// Fault is a planned fault of some broker processes.
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
}

// Target is one broker process: Config.Brokers[Broker], id 0 for the master, 1.. for a slave.
type Target struct {
	Broker int
	ID     int
}
