package model

import (
	"simrun/model/releases"
	"simrun/sim"
)

// nameServer is what a name server process has beside what every process has. It keeps its own view of
// the brokers; views differ by what has reached whom.
type nameServer struct {
	profile releases.NameServer
	scan    sim.Timer
}

// brokerEntry is what one name server knows of one broker process.
type brokerEntry struct {
	registered bool
	// connection is the broker's latest connection, via the one that it registered over last, none if
	// there is none: see World.onLink.
	connection, via int32
	// lastUpdate is the last registration, lastActive the last packet on that connection.
	lastUpdate, lastActive sim.Time
	// version is the DataVersion of the topics that the broker registered with.
	version uint32
	idle    sim.Timer
}

func (w *World) regIndex(ns, p int32) int32 { return ns*w.brokerProcs + p }

// processOfNameServer is the process that name server n is.
func (w *World) processOfNameServer(n int32) int32 { return w.brokerProcs + n }

// buildNameServers registers every process as if it had run for long: its last registration lies
// within one period in the past.
func (w *World) buildNameServers() {
	for i := range w.cfg.NameServers {
		n := int32(i)
		profile, err := w.cfg.NameServers[i].Profile()
		if err != nil {
			panic(err) // Validate has looked it up
		}
		profile.Scan, profile.FirstScan = w.scaled(profile.Scan), w.scaled(profile.FirstScan)
		w.nameServers = append(w.nameServers, nameServer{profile: profile})
		w.procs = append(w.procs, process{
			origin: origin{owner: ownerNameServer(n)}, broker: none, id: none, nameServer: n,
			epoch: 1, running: true, factor: 1, roll: none,
		})
	}
	w.regs = make([]brokerEntry, len(w.nameServers)*int(w.brokerProcs))
	w.brokerLinks = make([]nameServerLink, len(w.regs))
	w.queues = make([]queueData, len(w.nameServers)*len(w.held))
	w.listed = make([]uint32, len(w.queues))
	for p := range w.brokerProcs {
		w.startRegistering(p)
	}
	for n := range int32(len(w.nameServers)) {
		for b := range int32(len(w.names)) {
			w.takeTopics(n, b, true)
		}
		w.shuffleListed(n)
		ns := &w.nameServers[n]
		ns.scan = w.timerAfter(w.phase(ownerNameServer(n), phaseScan, ns.profile.Scan), evScan, n)
	}
}

// watchIdle plans the next look at a channel that may have been silent for channelIdle.
func (w *World) watchIdle(i int32) {
	reg := &w.regs[i]
	w.eng.Stop(reg.idle)
	at := max(reg.lastActive.Add(w.scaled(channelIdle)), w.eng.Now())
	reg.idle = w.eng.StartTimer(at, sim.PrioTimer, w.self, evIdle, uint32(i))
}

// fromBroker is a packet of a broker at the host of a name server. It is false if no process there reads
// it now: the kernel does not know the connection, or the process is stopped and reads it later.
func (w *World) fromBroker(kind uint16, index int32) bool {
	i := index >> linkBits
	ns := w.endpointOfNameServer(w.nameServerOf(i))
	read := w.arriving.from == w.arriving.to // by a process that goes on: it came before
	if !read && (!w.procs[ns].running || w.regs[i].connection != index) {
		w.sendRST(ns, w.endpointOfProcess(w.brokerOf(i)), &w.procs[ns].origin, evLinkReset, index)
		return false
	}
	return !w.deferWhilePaused(ns, kind, index)
}

// brokerConnects is the SYN of a broker at the host of a name server.
func (w *World) brokerConnects(index int32) {
	i, current := w.linkOf(index)
	e := w.endpointOfNameServer(w.nameServerOf(i))
	ns := &w.procs[e]
	if !current || !ns.powered() {
		return
	}
	answer := evLinkReset
	if ns.running {
		w.regs[i].connection = index
		answer = evLinkConnected
	}
	w.sendSYN(e, w.endpointOfProcess(w.brokerOf(i)), &ns.origin, answer, index)
}

// registered is a registration at the name server. A process that was not there, or whose topics have
// changed, brings its topics with it.
//
// Source: RouteInfoManager.registerBroker, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) registered(index int32) {
	if !w.fromBroker(evRegistered, index) {
		return
	}
	i := index >> linkBits
	n, p := w.nameServerOf(i), w.brokerOf(i)
	reg := &w.regs[i]
	ns := &w.nameServers[n].profile
	job := &w.procs[p].registrar.job
	first, version := !reg.registered, job.version
	w.toBroker(i, evRegisterAnswer, index)
	if first && job.kind == registerOne && ns.TopicByTopic {
		return // "can't register, because the broker has not registered"
	}
	reg.via, reg.lastUpdate, reg.lastActive = index, w.eng.Now(), w.eng.Now()
	w.watchIdle(i)
	reg.registered = true
	if w.bringsTopics(n, p) {
		w.bringTopics(i, first || reg.version != version)
	}
	reg.version = version
	if first {
		w.tellProcess(p, Registered, 0, n, none)
	}
}

// bringsTopics says whether a name server takes the topics that process p registers with: those of a
// master, from 5.0.0 on also those of the slave with the lowest id of a broker without one.
//
// Source: RouteInfoManager.registerBroker, 4.9.8 and 5.0.0 (isPrimeSlave).
func (w *World) bringsTopics(n, p int32) bool {
	pr := &w.procs[p]
	if pr.id == 0 {
		return true
	}
	if !w.nameServers[n].profile.SlaveTopics || !pr.profile.SlaveTopics {
		return false
	}
	for id := range pr.id {
		if w.regs[w.regIndex(n, w.firstProc[pr.broker]+id)].registered {
			return false
		}
	}
	return true
}

// bringTopics is a name server taking what a registration brings. changed says that it does not know the
// broker's process with this version of its topics.
func (w *World) bringTopics(i int32, changed bool) {
	n, b := w.nameServerOf(i), w.procs[w.brokerOf(i)].broker
	if job := &w.procs[w.brokerOf(i)].registrar.job; job.kind == registerOne {
		w.listQueues(w.queuesAt(n, b, job.topic), b)
		return
	}
	if changed || w.nameServers[n].profile.TopicByTopic {
		w.takeTopics(n, b, changed)
	}
}

// pollArrives is a cluster poll at the name server.
func (w *World) pollArrives(index int32) {
	if !w.fromBroker(evPolled, index) {
		return
	}
	i := index >> linkBits
	if w.regs[i].via == index {
		w.regs[i].lastActive = w.eng.Now()
	}
	w.toBroker(i, evPollAnswer, index)
}

// unregisters is a broker leaving.
//
// Source: RouteInfoManager.unregisterBroker, 4.9.8 and 5.3.3.
func (w *World) unregisters(index int32) {
	if !w.fromBroker(evUnregistered, index) {
		return
	}
	i := index >> linkBits
	w.unregister(i)
	w.toBroker(i, evRegisterAnswer, index)
}

// brokerClosed is the FIN of a broker at the name server, which removes it at once if that is the
// connection it registered over.
//
// Source: BrokerHousekeepingService.onChannelClose and RouteInfoManager.onChannelDestroy, 4.9.8 and
// 5.3.3 (queued to BatchUnregistrationService, which drains at once).
func (w *World) brokerClosed(index int32) {
	i := index >> linkBits
	reg := &w.regs[i]
	if reg.connection == index {
		reg.connection = none
	}
	ns := w.endpointOfNameServer(w.nameServerOf(i))
	if !w.procs[ns].running || w.deferWhilePaused(ns, evBrokerClosed, index) {
		return
	}
	if reg.via == index {
		w.unregister(i)
	}
}

// closeBroker is the name server closing the connection that a broker registered over.
func (w *World) closeBroker(i int32) {
	reg := &w.regs[i]
	if reg.via != none && reg.via == reg.connection {
		ns := w.endpointOfNameServer(w.nameServerOf(i))
		w.sendFIN(ns, w.endpointOfProcess(w.brokerOf(i)), &w.procs[ns].origin, evLinkClosed, reg.via)
		reg.connection = none
	}
	w.unregister(i)
}

// idle closes a channel that was silent for channelIdle, which removes the broker behind it.
//
// Source: NettyRemotingServer, IdleStateHandler (serverChannelMaxIdleTimeSeconds), and
// BrokerHousekeepingService.onChannelIdle, 4.9.8 and 5.3.3.
func (w *World) idle(i int32) {
	if w.deferWhilePaused(w.processOfNameServer(w.nameServerOf(i)), evIdle, i) {
		return
	}
	reg := &w.regs[i]
	if reg.lastActive.Add(w.scaled(channelIdle)) > w.eng.Now() {
		w.watchIdle(i)
		return
	}
	w.closeBroker(i)
}

// scan removes the brokers whose last registration is more than brokerExpiry ago.
//
// Source: RouteInfoManager.scanNotActiveBroker, 4.9.8 and 5.3.3.
func (w *World) scan(n int32) {
	if w.deferWhilePaused(w.processOfNameServer(n), evScan, n) {
		return
	}
	for p := range w.brokerProcs {
		i := w.regIndex(n, p)
		if w.regs[i].registered && w.regs[i].lastUpdate.Add(w.scaled(brokerExpiry)) < w.eng.Now() {
			w.closeBroker(i)
		}
	}
	ns := &w.nameServers[n]
	ns.scan = w.timerAfter(ns.profile.Scan, evScan, n)
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
	n, p := w.nameServerOf(i), w.brokerOf(i)
	w.dropTopics(n, w.procs[p].broker)
	w.tellProcess(p, Unregistered, 0, n, none)
}

// nameServerUp starts a name server, which knows nothing.
//
// Source: NamesrvController.initialize, 4.9.8; startScheduleService, 5.3.3.
func (w *World) nameServerUp(n int32) {
	ns := &w.nameServers[n]
	ns.scan = w.timerAfter(ns.profile.FirstScan, evScan, n)
}

// nameServerEnds forgets what a name server knew.
func (w *World) nameServerEnds(n int32) {
	w.eng.Stop(w.nameServers[n].scan)
	for p := range w.brokerProcs {
		reg := &w.regs[w.regIndex(n, p)]
		w.eng.Stop(reg.idle)
		*reg = brokerEntry{connection: none, via: none}
	}
	all := int32(len(w.held))
	clear(w.queues[n*all : (n+1)*all])
}

// closeBrokers is the kernel of a name server's host closing what a process that ended leaves behind.
func (w *World) closeBrokers(n int32) {
	ns := w.endpointOfNameServer(n)
	for p := range w.brokerProcs {
		if reg := &w.regs[w.regIndex(n, p)]; reg.connection != none {
			w.sendFIN(ns, w.endpointOfProcess(p), &w.procs[ns].origin, evLinkClosed, reg.connection)
		}
	}
}

const (
	// brokerExpiry is how long after its last registration a scan removes a broker.
	// Source: RouteInfoManager, 4.9.8 BROKER_CHANNEL_EXPIRED_TIME, 5.3.3
	// DEFAULT_BROKER_CHANNEL_EXPIRED_TIME.
	brokerExpiry = 120 * sim.Second
	// channelIdle is how long a channel of the name server may be silent before it is closed, which
	// removes the broker behind it. Source: NettyServerConfig.serverChannelMaxIdleTimeSeconds.
	channelIdle = 120 * sim.Second
)
