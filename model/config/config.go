package config

import (
	"fmt"

	"simrun/model/releases"
	"simrun/sim"
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

// StartupOf is how long a process takes to start; 0 if it is not there or does not end by faults.
func (c *Config) StartupOf(t Target) sim.Duration {
	switch {
	case t.Index < 0:
	case t.Kind == BrokerTarget && t.Index < len(c.Brokers):
		return c.Brokers[t.Index].Startup
	case t.Kind == NameServerTarget && t.Index < len(c.NameServers):
		return c.NameServers[t.Index].Startup
	}
	return 0
}

// ZoneOf is the zone that a process stands in, "" if it is in none.
func (c *Config) ZoneOf(t Target) string {
	for _, h := range c.Hosts {
		for _, r := range h.Runs {
			if r == t {
				return h.Zone
			}
		}
	}
	for _, z := range c.Zones {
		for _, r := range z.Runs {
			if r == t {
				return z.Name
			}
		}
	}
	return ""
}
