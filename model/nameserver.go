package model

import "simrun/sim"

// nameServer is one name server process. It keeps its own view of the brokers; views differ by what
// has reached whom.
type nameServer struct {
	scan sim.Duration
}

// registration is what one name server knows of one broker process.
type registration struct {
	registered bool
	// lastUpdate is the last registration, lastActive the last packet on the channel.
	lastUpdate, lastActive sim.Time
	// closed is the life of the process whose channel has been seen to close; what of it is still on
	// the way means nothing.
	closed uint32
	idle   sim.Timer
}

func (w *World) regIndex(ns, p int32) int32 { return ns*int32(len(w.procs)) + p }

// buildNameServers registers every process as if it had run for long: its last registration lies
// within one period in the past.
func (w *World) buildNameServers() {
	for i := range w.cfg.NameServers {
		profile, err := w.cfg.NameServers[i].profile()
		if err != nil {
			panic(err) // Validate has looked it up
		}
		w.nameServers = append(w.nameServers, nameServer{scan: profile.scan})
	}
	w.regs = make([]registration, len(w.nameServers)*len(w.procs))
	for p := range w.procs {
		w.startRegistering(int32(p))
	}
	for n := range w.nameServers {
		first := w.phase(ownerNameServer(int32(n)), phaseScan, w.nameServers[n].scan)
		w.timerAfter(first, evScan, int32(n))
	}
}

func (w *World) startRegistering(p int32) {
	period := w.brokerConfig(p).RegisterPeriod
	next := w.phase(ownerProcess(p), phaseRegister, period)
	pr := &w.procs[p]
	pr.register = w.timerAfter(next, evRegister, p)
	last := sim.Time(next - period)
	d := sim.Key(w.cfg.Seed, drawNameServer, ownerProcess(p), 0, 0)
	pr.lastNS = int32(d.IntN(len(w.nameServers)))
	for n := range int32(len(w.nameServers)) {
		reg := &w.regs[w.regIndex(n, p)]
		reg.registered, reg.lastUpdate, reg.lastActive = true, last, last
		w.watchIdle(w.regIndex(n, p))
	}
	if pr.profile.clusterPoll > 0 {
		next := w.phase(ownerProcess(p), phaseClusterPoll, pr.profile.clusterPoll)
		pr.poll = w.timerAfter(next, evClusterPoll, p)
		w.regs[w.regIndex(pr.lastNS, p)].lastActive = max(last, sim.Time(next-pr.profile.clusterPoll))
	}
}

// watchIdle plans the next look at a channel that may have been silent for channelIdle.
func (w *World) watchIdle(i int32) {
	reg := &w.regs[i]
	w.eng.Stop(reg.idle)
	at := max(reg.lastActive.Add(channelIdle), w.eng.Now())
	reg.idle = w.eng.StartTimer(at, sim.PrioTimer, w.self, evIdle, uint32(i))
}

// register is a process registering with every name server, each registerNameServerPeriod.
//
// Source: BrokerController.registerBrokerAll, 4.9.8 and 5.3.3.
func (w *World) register(p int32) {
	if w.deferWhilePaused(p, evRegister, p) {
		return
	}
	w.sendRegistrations(p)
	w.procs[p].register = w.timerAfter(w.brokerConfig(p).RegisterPeriod, evRegister, p)
}

func (w *World) sendRegistrations(p int32) {
	for n := range int32(len(w.nameServers)) {
		w.sendControl(w.endpointOfProcess(p), w.endpointOfNameServer(n), &w.procs[p].origin,
			evRegistered, w.regIndex(n, p))
	}
}

// clusterPoll keeps the channel to one name server busy.
func (w *World) clusterPoll(p int32) {
	if w.deferWhilePaused(p, evClusterPoll, p) {
		return
	}
	pr := &w.procs[p]
	w.sendControl(w.endpointOfProcess(p), w.endpointOfNameServer(pr.lastNS), &pr.origin, evPolled,
		w.regIndex(pr.lastNS, p))
	pr.poll = w.timerAfter(pr.profile.clusterPoll, evClusterPoll, p)
}

// registered is a registration at the name server. Bytes of a life whose FIN came before it do not
// arrive: TCP keeps the order that the drawn latencies may not.
func (w *World) registered(i int32) {
	reg := &w.regs[i]
	p := i % int32(len(w.procs))
	if pr := &w.procs[p]; !pr.running && reg.closed == pr.epoch-1 {
		return
	}
	reg.lastUpdate, reg.lastActive = w.eng.Now(), w.eng.Now()
	w.watchIdle(i)
	if !reg.registered {
		reg.registered = true
		w.tellProcess(p, Registered, 0, i/int32(len(w.procs)), none)
	}
}

// brokerClosed is the FIN of a broker process at the name server, which removes it at once.
//
// Source: BrokerHousekeepingService.onChannelClose and RouteInfoManager.onChannelDestroy, 4.9.8 and
// 5.3.3 (queued to BatchUnregistrationService, which drains at once).
func (w *World) brokerClosed(i int32) {
	pr := &w.procs[i%int32(len(w.procs))]
	if pr.running {
		return // it has registered again over another channel, and that one counts
	}
	w.regs[i].closed = pr.epoch - 1
	w.unregister(i)
}

// idle closes a channel that was silent for channelIdle, which removes the broker behind it.
//
// Source: NettyRemotingServer, IdleStateHandler (serverChannelMaxIdleTimeSeconds), and
// BrokerHousekeepingService.onChannelIdle, 4.9.8 and 5.3.3.
func (w *World) idle(i int32) {
	reg := &w.regs[i]
	if reg.lastActive.Add(channelIdle) > w.eng.Now() {
		w.watchIdle(i)
		return
	}
	w.unregister(i)
}

// scan removes the brokers whose last registration is more than brokerExpiry ago.
//
// Source: RouteInfoManager.scanNotActiveBroker, 4.9.8 and 5.3.3.
func (w *World) scan(n int32) {
	for p := range int32(len(w.procs)) {
		i := w.regIndex(n, p)
		if w.regs[i].lastUpdate.Add(brokerExpiry) < w.eng.Now() {
			w.unregister(i)
		}
	}
	w.timerAfter(w.nameServers[n].scan, evScan, n)
}

// unregister takes a process out of a name server's routes. QueueData of the broker name stay while
// another replica is registered; routes are read from the registrations, so nothing else is kept.
func (w *World) unregister(i int32) {
	reg := &w.regs[i]
	w.eng.Stop(reg.idle)
	if !reg.registered {
		return
	}
	reg.registered = false
	w.tellProcess(i%int32(len(w.procs)), Unregistered, 0, i/int32(len(w.procs)), none)
}

// view is the set of registered ids of broker b at a name server: bit 0 is the master.
func (w *World) view(ns, b int32) uint16 {
	mask := uint16(0)
	for id := range int32(w.cfg.Brokers[b].Slaves) + 1 {
		if w.regs[w.regIndex(ns, w.firstProc[b]+id)].registered {
			mask |= 1 << id
		}
	}
	return mask
}

// fullMask has all replicas of broker b.
func (w *World) fullMask(b int32) uint16 {
	return uint16(1)<<(w.cfg.Brokers[b].Slaves+1) - 1
}
