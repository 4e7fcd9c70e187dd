// Package place says where everything is: every process and producer instance is an endpoint of the network,
// stands on a host and may be in a zone. It is worked out from the configuration once; nothing moves. The
// package imports model/config; packages timetable and model ask it.
package place

import "simrun/model/config"

// None is the index of nothing.
const None = -1

// Map has the place of every endpoint. Broker processes come first, each master before its slaves, then
// name servers, then producer instances.
type Map struct {
	cfg *config.Config
	// firstProc is the master of each broker, firstInstance the first instance of each group.
	firstProc, firstInstance []int32
	// brokers and processes are the numbers of broker processes, and of those with the name servers.
	brokers, processes int32

	hostOf []int32   // by endpoint
	runs   [][]int32 // the endpoints of each host

	// zoneOf is by endpoint, None for one in no zone; ways are by pair of zones, None where
	// Network.Latency holds. Both are empty if there is nothing to say.
	zoneOf, ways []int32
}

// New puts every process where a configuration that has no mistake says. It keeps cfg.
func New(cfg *config.Config) *Map {
	m := &Map{cfg: cfg}
	for i := range cfg.Brokers {
		m.firstProc = append(m.firstProc, m.brokers)
		m.brokers += int32(1 + cfg.Brokers[i].Slaves)
	}
	m.processes = m.brokers + int32(len(cfg.NameServers))
	n := m.processes
	for i := range cfg.Producers {
		m.firstInstance = append(m.firstInstance, n)
		n += int32(cfg.Producers[i].Count)
	}
	m.buildHosts(n)
	m.buildZones(n)
	return m
}

// Len is the number of endpoints.
func (m *Map) Len() int { return len(m.hostOf) }

// Endpoint is the endpoint that a target names.
func (m *Map) Endpoint(t config.Target) int32 {
	switch t.Kind {
	case config.BrokerTarget:
		return m.firstProc[t.Index] + int32(t.ID)
	case config.NameServerTarget:
		return m.brokers + int32(t.Index)
	case config.ProducerTarget:
		return m.firstInstance[t.Index] + int32(t.ID)
	}
	panic("place: target of an unknown kind")
}

// Target is the process at an endpoint, as a target names it.
func (m *Map) Target(e int32) config.Target {
	switch {
	case e < m.brokers:
		i := last(m.firstProc, e)
		return config.Target{Kind: config.BrokerTarget, Index: i, ID: int(e - m.firstProc[i])}
	case e < m.processes:
		return config.Target{Kind: config.NameServerTarget, Index: int(e - m.brokers)}
	}
	i := last(m.firstInstance, e)
	return config.Target{Kind: config.ProducerTarget, Index: i, ID: int(e - m.firstInstance[i])}
}

// last is the place of the last entry of a rising list that is not above e.
func last(firsts []int32, e int32) int {
	i := len(firsts) - 1
	for firsts[i] > e {
		i--
	}
	return i
}

// IsInstance says whether an endpoint is a producer instance.
func (m *Map) IsInstance(e int32) bool { return e >= m.processes }

// IsNameServer says whether an endpoint is a name server.
func (m *Map) IsNameServer(e int32) bool { return e >= m.brokers && e < m.processes }

// buildHosts puts every endpoint on its host: the one that runs it by the configuration, or one of its own.
func (m *Map) buildHosts(n int32) {
	m.hostOf = make([]int32, n)
	for e := range m.hostOf {
		m.hostOf[e] = None
	}
	for i := range m.cfg.Hosts {
		var runs []int32
		for _, t := range m.cfg.Hosts[i].Runs {
			e := m.Endpoint(t)
			m.hostOf[e] = int32(len(m.runs))
			runs = append(runs, e)
		}
		m.runs = append(m.runs, runs)
	}
	for e := range m.hostOf {
		if m.hostOf[e] == None {
			m.hostOf[e] = int32(len(m.runs))
			m.runs = append(m.runs, []int32{int32(e)})
		}
	}
}

// Hosts is the number of hosts: those of the configuration in its order, then the hosts of one process.
func (m *Map) Hosts() int { return len(m.runs) }

// Host is the host that an endpoint stands on.
func (m *Map) Host(e int32) int32 { return m.hostOf[e] }

// Runs are the endpoints on a host.
func (m *Map) Runs(host int32) []int32 { return m.runs[host] }

// buildZones finds out which zone every endpoint is in, and which ways between zones are of their own.
func (m *Map) buildZones(n int32) {
	cfg := m.cfg
	if len(cfg.Zones) == 0 {
		return
	}
	m.zoneOf = make([]int32, n)
	for e := range m.zoneOf {
		m.zoneOf[e] = None
	}
	for i := range cfg.Zones {
		for _, t := range cfg.Zones[i].Runs {
			m.zoneOf[m.Endpoint(t)] = int32(i)
		}
	}
	for i := range cfg.Hosts {
		for _, t := range cfg.Hosts[i].Runs {
			m.zoneOf[m.Endpoint(t)] = m.zone(cfg.Hosts[i].Zone)
		}
	}
	if len(cfg.ZoneLinks) == 0 {
		return
	}
	zones := int32(len(cfg.Zones))
	m.ways = make([]int32, zones*zones)
	for i := range m.ways {
		m.ways[i] = None
	}
	for i := range cfg.ZoneLinks {
		a, b := m.zone(cfg.ZoneLinks[i].A), m.zone(cfg.ZoneLinks[i].B)
		m.ways[a*zones+b], m.ways[b*zones+a] = int32(i), int32(i)
	}
}

// zone is the place of a zone in Config.Zones, None if it is not there.
func (m *Map) zone(name string) int32 {
	for i := range m.cfg.Zones {
		if m.cfg.Zones[i].Name == name {
			return int32(i)
		}
	}
	return None
}

// Way is the place in Config.ZoneLinks of the way between two endpoints, in either direction; None where
// Network.Latency holds. There must be a zone link.
func (m *Map) Way(a, b int32) int32 {
	from, to := m.zoneOf[a], m.zoneOf[b]
	if from == None || to == None {
		return None
	}
	return m.ways[from*int32(len(m.cfg.Zones))+to]
}
