package model

// zones are the places of processes, and the ways between them that have a latency of their own.
type zones struct {
	// of is the zone of each endpoint, none if it is in none; empty if there are no zones.
	of []int32
	// ways has the place of a way in links, by pair of zones, none where Network.Latency holds; empty if
	// it holds everywhere.
	ways  []int32
	links []dist
	n     int32
}

// buildZones finds out where every endpoint is.
func (w *World) buildZones() {
	z := &w.zones
	z.n = int32(len(w.cfg.Zones))
	if z.n == 0 {
		return
	}
	z.of = make([]int32, len(w.hostOf))
	for e := range z.of {
		z.of[e] = none
	}
	for i := range w.cfg.Zones {
		for _, t := range w.cfg.Zones[i].Runs {
			z.of[w.endpointOf(t)] = int32(i)
		}
	}
	for i := range w.cfg.Hosts {
		for _, t := range w.cfg.Hosts[i].Runs {
			z.of[w.endpointOf(t)] = w.zoneIndex(w.cfg.Hosts[i].Zone)
		}
	}
	if len(w.cfg.ZoneLinks) == 0 {
		return
	}
	z.ways = make([]int32, z.n*z.n)
	for i := range z.ways {
		z.ways[i] = none
	}
	for i := range w.cfg.ZoneLinks {
		l := &w.cfg.ZoneLinks[i]
		a, b := w.zoneIndex(l.A), w.zoneIndex(l.B)
		z.ways[a*z.n+b], z.ways[b*z.n+a] = int32(i), int32(i)
		z.links = append(z.links, distOf(l.Latency))
	}
}

// zoneIndex is the place of a zone in Config.Zones, none if it is not there.
func (w *World) zoneIndex(name string) int32 {
	for i := range w.cfg.Zones {
		if w.cfg.Zones[i].Name == name {
			return int32(i)
		}
	}
	return none
}

// way is the latency of a packet between two endpoints, in either direction.
func (w *World) way(a, b int32) *dist {
	if len(w.zones.ways) == 0 {
		return &w.latency
	}
	return w.wayBetween(w.zones.of[a], w.zones.of[b])
}

func (w *World) wayBetween(a, b int32) *dist {
	if a == none || b == none {
		return &w.latency
	}
	i := w.zones.ways[a*w.zones.n+b]
	if i == none {
		return &w.latency
	}
	return &w.zones.links[i]
}
