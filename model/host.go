package model

import "simrun/model/config"

// Every process is an endpoint of the network: broker processes come first, then name servers, both
// as in World.procs, then producer instances.

func (w *World) endpointOfProcess(p int32) int32 { return p }

func (w *World) endpointOfNameServer(n int32) int32 { return w.processOfNameServer(n) }

func (w *World) endpointOfInstance(i int32) int32 {
	return int32(len(w.procs)) + i
}

// endpointOf is the endpoint that a target names.
func (w *World) endpointOf(t config.Target) int32 {
	switch t.Kind {
	case config.BrokerTarget:
		return w.endpointOfProcess(w.targetProc(t))
	case config.NameServerTarget:
		return w.endpointOfNameServer(int32(t.Index))
	case config.ProducerTarget:
		first := 0
		for g := range t.Index {
			first += w.cfg.Producers[g].Count
		}
		return w.endpointOfInstance(int32(first + t.ID))
	}
	panic("model: target of an unknown kind")
}

// targetOf is the process at an endpoint, as a target names it.
func (w *World) targetOf(e int32) config.Target {
	procs, all := w.brokerProcs, int32(len(w.procs))
	switch {
	case e < procs:
		pr := &w.procs[e]
		return config.Target{Kind: config.BrokerTarget, Index: int(pr.broker), ID: int(pr.id)}
	case e < all:
		return config.Target{Kind: config.NameServerTarget, Index: int(e - procs)}
	}
	i := int(e - all)
	for g := range w.cfg.Producers {
		if i < w.cfg.Producers[g].Count {
			return config.Target{Kind: config.ProducerTarget, Index: g, ID: i}
		}
		i -= w.cfg.Producers[g].Count
	}
	panic("model: no such endpoint")
}

// host is a machine. Its processes have power together, and leave the network together.
type host struct {
	// off counts the faults that keep the power away.
	off int32
	// runs are the endpoints on it.
	runs []int32
}

// address is where a process is reached: on its host, unless a fault has taken the address away.
type address struct {
	host *host
	// gone counts the faults that have.
	gone int32
	// kernel counts the kernels that were there before: of what they had to repeat nothing comes.
	kernel uint32
}

// answers: a kernel is there that answers.
func (a *address) answers() bool { return a.host.off == 0 && a.gone == 0 }

// buildHosts puts every process on its host: the one that runs it by the configuration, or one of its
// own.
func (w *World) buildHosts() {
	n := len(w.procs)
	for g := range w.cfg.Producers {
		n += w.cfg.Producers[g].Count
	}
	w.hostOf = make([]int32, n)
	for e := range w.hostOf {
		w.hostOf[e] = none
	}
	for i := range w.cfg.Hosts {
		var h host
		for _, t := range w.cfg.Hosts[i].Runs {
			e := w.endpointOf(t)
			w.hostOf[e] = int32(len(w.hosts))
			h.runs = append(h.runs, e)
		}
		w.hosts = append(w.hosts, h)
	}
	for e := range w.hostOf {
		if w.hostOf[e] == none {
			w.hostOf[e] = int32(len(w.hosts))
			w.hosts = append(w.hosts, host{runs: []int32{int32(e)}})
		}
	}
	w.addresses = make([]address, n) // no host comes after this, so they stay where they are
	for e := range w.addresses {
		w.addresses[e].host = &w.hosts[w.hostOf[e]]
	}
	for p := range w.procs {
		w.procs[p].addr = &w.addresses[p]
	}
	w.buildZones()
}

func (w *World) isInstance(e int32) bool { return e >= w.endpointOfInstance(0) }

func (w *World) isNameServer(e int32) bool {
	return e >= w.endpointOfNameServer(0) && !w.isInstance(e)
}

// poweredAt says whether there is a kernel that answers at an endpoint.
func (w *World) poweredAt(e int32) bool { return w.addresses[e].answers() }

// lifeOf is the life of the process at an endpoint: connections lead from one life to another.
func (w *World) lifeOf(e int32) uint32 {
	if int(e) < len(w.procs) {
		return w.procs[e].epoch
	}
	return 0
}
