package model

import "simrun/sim"

// nameServer is what a name server process has beside what every process has. It keeps its own view of
// the brokers; views differ by what has reached whom.
type nameServer struct {
	profile nameServerProfile
	scan    sim.Timer
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

func (w *World) regIndex(ns, p int32) int32 { return ns*w.brokerProcs + p }

// processOfNameServer is the process that name server n is.
func (w *World) processOfNameServer(n int32) int32 { return w.brokerProcs + n }

// buildNameServers registers every process as if it had run for long: its last registration lies
// within one period in the past.
func (w *World) buildNameServers() {
	for i := range w.cfg.NameServers {
		n := int32(i)
		profile, err := w.cfg.NameServers[i].profile()
		if err != nil {
			panic(err) // Validate has looked it up
		}
		w.nameServers = append(w.nameServers, nameServer{profile: profile})
		w.procs = append(w.procs, process{
			origin: origin{owner: ownerNameServer(n)}, broker: none, id: none, nameServer: n,
			epoch: 1, running: true, factor: 1,
		})
	}
	w.regs = make([]registration, len(w.nameServers)*int(w.brokerProcs))
	w.queues = make([]queueData, len(w.nameServers)*len(w.held))
	for p := range w.brokerProcs {
		w.startRegistering(p)
	}
	for n := range int32(len(w.nameServers)) {
		for b := range int32(len(w.names)) {
			w.takeTopics(n, b)
		}
		ns := &w.nameServers[n]
		ns.scan = w.timerAfter(w.phase(ownerNameServer(n), phaseScan, ns.profile.scan), evScan, n)
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
	n, p := i/w.brokerProcs, i%w.brokerProcs
	if pr := &w.procs[p]; !pr.running && reg.closed == pr.epoch-1 {
		return
	}
	reg.lastUpdate, reg.lastActive = w.eng.Now(), w.eng.Now()
	w.watchIdle(i)
	if !reg.registered {
		reg.registered = true
		if w.isMaster(p) {
			w.takeTopics(n, w.procs[p].broker)
		}
		w.tellProcess(p, Registered, 0, n, none)
	}
}

// brokerClosed is the FIN of a broker process at the name server, which removes it at once.
//
// Source: BrokerHousekeepingService.onChannelClose and RouteInfoManager.onChannelDestroy, 4.9.8 and
// 5.3.3 (queued to BatchUnregistrationService, which drains at once).
func (w *World) brokerClosed(i int32) {
	pr := &w.procs[i%w.brokerProcs]
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
	for p := range w.brokerProcs {
		i := w.regIndex(n, p)
		if w.regs[i].lastUpdate.Add(brokerExpiry) < w.eng.Now() {
			w.unregister(i)
		}
	}
	ns := &w.nameServers[n]
	ns.scan = w.timerAfter(ns.profile.scan, evScan, n)
}

// unregister takes a process out of a name server's routes. The queues of the broker name stay while
// another replica is registered.
func (w *World) unregister(i int32) {
	reg := &w.regs[i]
	w.eng.Stop(reg.idle)
	if !reg.registered {
		return
	}
	reg.registered = false
	n, p := i/w.brokerProcs, i%w.brokerProcs
	w.dropTopics(n, w.procs[p].broker)
	w.tellProcess(p, Unregistered, 0, n, none)
}
