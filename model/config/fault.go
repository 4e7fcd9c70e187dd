package config

import (
	"slices"

	"simrun/sim"
)

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

// OnLinks says whether faults of this kind are of the network: the processes are well, what they send
// and get is not.
func (k FaultKind) OnLinks() bool {
	switch k {
	case CablePull, BlackHole, Partition, PacketLoss, PacketDelay:
		return true
	}
	return false
}

// OnHosts says whether a kind of fault strikes a whole host, so everything on it.
func (k FaultKind) OnHosts() bool { return k == PowerLoss || k == DiskLoss || k == CablePull }

// Ends says whether a kind of fault ends processes, which then have to start.
func (k FaultKind) Ends() bool {
	switch k {
	case PowerLoss, DiskLoss, Kill, Shutdown, Vanish:
		return true
	default:
		return false
	}
}

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

// Struck are the processes that feel a fault: its targets, and whatever else runs on their hosts if it
// strikes hosts.
func (c *Config) Struck(f *Fault) []Target {
	if !f.Kind.OnHosts() {
		return f.Targets
	}
	var out []Target
	for _, t := range f.Targets {
		for _, u := range c.hostMates(t) {
			if !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	return out
}

// hostMates are the processes on the host of a process, itself among them.
func (c *Config) hostMates(t Target) []Target {
	for i := range c.Hosts {
		if slices.Contains(c.Hosts[i].Runs, t) {
			return c.Hosts[i].Runs
		}
	}
	return []Target{t}
}

// Repeats says whether a fault can strike more than once, or its targets one after the other.
func (f *Fault) Repeats() bool {
	return f.Period > 0 || f.Rate > 0 || f.Kind == RollingRestart
}
