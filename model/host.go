package model

import "simrun/model/internal/place"

// Every process is an endpoint of the network: broker processes come first, then name servers, both
// as in World.procs, then producer instances.

func (w *World) endpointOfProcess(p int32) int32 { return p }

func (w *World) endpointOfNameServer(n int32) int32 { return w.processOfNameServer(n) }

func (w *World) endpointOfInstance(i int32) int32 {
	return int32(len(w.procs)) + i
}

// host is a machine. Its processes have power together, and leave the network together.
type host struct {
	// off counts the faults that keep the power away.
	off int32
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

// buildHosts gives every process its address, on its host.
func (w *World) buildHosts() {
	w.places = place.New(&w.cfg)
	w.hosts = make([]host, w.places.Hosts())
	w.addresses = make([]address, w.places.Len()) // no host comes after this, so they stay where they are
	for e := range w.addresses {
		w.addresses[e].host = &w.hosts[w.places.Host(int32(e))]
	}
	for p := range w.procs {
		w.procs[p].addr = &w.addresses[p]
	}
	for i := range w.cfg.ZoneLinks {
		w.zoneLinks = append(w.zoneLinks, distOf(w.cfg.ZoneLinks[i].Latency))
	}
}

// way is the latency of a packet between two endpoints, in either direction.
func (w *World) way(a, b int32) *dist {
	if len(w.zoneLinks) == 0 {
		return &w.latency
	}
	return w.wayBetween(a, b)
}

func (w *World) wayBetween(a, b int32) *dist {
	if i := w.places.Way(a, b); i != place.None {
		return &w.zoneLinks[i]
	}
	return &w.latency
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
