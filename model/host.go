package model

// Every process is an endpoint of the network: broker processes come first, then name servers, then
// producer instances.

func (w *World) endpointOfProcess(p int32) int32 { return p }

func (w *World) endpointOfNameServer(n int32) int32 { return int32(len(w.procs)) + n }

func (w *World) endpointOfInstance(i int32) int32 {
	return int32(len(w.procs)+len(w.cfg.NameServers)) + i
}

// reaches says whether a packet that leaves endpoint from now comes to the host of endpoint to: both
// have power, and nothing between them is cut. It says nothing about the processes there.
func (w *World) reaches(from, to int32) bool {
	return w.poweredAt(from) && w.poweredAt(to)
}

// poweredAt says whether the host of an endpoint has power.
func (w *World) poweredAt(e int32) bool {
	if int(e) < len(w.procs) {
		return w.procs[e].powered()
	}
	return true
}
