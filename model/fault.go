package model

import (
	"slices"

	"simrun/model/config"
	"simrun/model/internal/timetable"
	"simrun/sim"
)

// planFaults makes the timetable of all faults, before anything happens.
func (w *World) planFaults() {
	w.delays = make([]dist, len(w.cfg.Faults))
	for i := range w.cfg.Faults {
		if f := &w.cfg.Faults[i]; f.Kind == config.PacketDelay {
			w.delays[i] = distOf(f.Latency)
		}
	}
	w.strikes = timetable.Plan(&w.cfg, w.places, func(fault int32, n, what uint64) sim.Draw {
		return sim.Key(w.cfg.Seed, drawTimetable, uint64(fault), n, what)
	})
	for i := range w.strikes {
		if w.cfg.Faults[w.strikes[i].Fault].Kind == config.DiskLoss {
			w.planDiskLoss(&w.strikes[i], +1)
		}
		w.eng.At(w.strikes[i].From, sim.PrioFault, w.self, evFaultBegin, uint32(i))
	}
}

// targetProc is the process that a target names, a broker or a name server.
func (w *World) targetProc(t config.Target) int32 {
	if t.Kind == config.NameServerTarget {
		return w.processOfNameServer(int32(t.Index))
	}
	return w.firstProc[t.Index] + int32(t.ID)
}

// faultBegins strikes all targets of a strike at once.
func (w *World) faultBegins(i int32) {
	s := &w.strikes[i]
	kind := w.cfg.Faults[s.Fault].Kind
	if kind == config.RollingRestart {
		w.rollBegins(i)
		return
	}
	w.striking = s.Fault
	if kind.OnLinks() {
		w.linkFails(i)
	}
	if kind == config.PowerLoss || kind == config.DiskLoss {
		for _, h := range s.Hosts {
			w.tellHost(h, FaultBegan, s.Fault)
			w.cutPower(h, s.Fault)
			if kind == config.DiskLoss {
				w.loseDisks(h, s.Fault)
			}
		}
	} else {
		for _, t := range s.Targets {
			w.tellTarget(t, FaultBegan, s.Fault)
			w.strike(i, t)
		}
	}
	if kind == config.DiskLoss {
		w.planDiskLoss(s, -1)
	}
	w.striking = none
	if s.To > 0 {
		w.eng.At(s.To, sim.PrioFault, w.self, evFaultEnd, uint32(i))
	}
}

// faultEnds lets all targets of a strike go.
func (w *World) faultEnds(i int32) {
	s := &w.strikes[i]
	kind := w.cfg.Faults[s.Fault].Kind
	if kind.OnLinks() {
		w.linkHeals(i)
	}
	if kind == config.PowerLoss || kind == config.DiskLoss {
		for _, h := range s.Hosts {
			w.tellHost(h, FaultEnded, s.Fault)
			w.givePower(h)
		}
		return
	}
	for _, t := range s.Targets {
		w.tellTarget(t, FaultEnded, s.Fault)
		w.release(i, t)
	}
}

// strike lays the hand of strike i on a target.
func (w *World) strike(i int32, t config.Target) {
	f := &w.cfg.Faults[w.strikes[i].Fault]
	kind := f.Kind
	if kind.OnLinks() {
		return // the links feel it, not the process
	}
	p := w.targetProc(t)
	switch kind {
	case config.Kill:
		w.kill(p)
	case config.Vanish:
		w.kill(p)
		w.addresses[p].gone++
		w.addresses[p].kernel++
	case config.Slow:
		w.procs[p].slowed = append(w.procs[p].slowed, i)
		w.slow(p)
	case config.Pause:
		w.pause(p)
	case config.Shutdown:
		w.shutDown(p, w.strikes[i].Fault)
	case config.WipeWritePerm:
		w.wipeWritePerm(f, w.procs[p].broker)
	case config.BrokerPermission:
		w.setPermission(p, uint8(f.Permission))
	default:
		if !w.strikeDisk(p, w.strikes[i].Fault, +1) {
			panic("model: fault kind not modelled") // Validate refuses it
		}
	}
}

// release takes the hand of strike i off a target.
func (w *World) release(i int32, t config.Target) {
	kind := w.cfg.Faults[w.strikes[i].Fault].Kind
	if kind.OnLinks() {
		return
	}
	p := w.targetProc(t)
	pr := &w.procs[p]
	switch kind {
	case config.Kill:
		pr.killed--
		w.maybeStart(p)
	case config.Vanish:
		pr.killed--
		w.addresses[p].gone--
		w.maybeStart(p)
	case config.Slow:
		pr.slowed = slices.DeleteFunc(pr.slowed, func(j int32) bool { return j == i })
		w.slow(p)
	case config.Pause:
		w.resume(p)
	case config.Shutdown:
		w.start(p)
	case config.WipeWritePerm:
		w.addWritePerm(&w.cfg.Faults[w.strikes[i].Fault], pr.broker)
	case config.BrokerPermission:
		w.setPermission(p, permissionOf(w.brokerConfig(p)))
	default:
		if !w.strikeDisk(p, w.strikes[i].Fault, -1) {
			panic("model: fault kind not modelled") // Validate refuses it
		}
	}
}

// tellHost tells the observer what a fault did to everything on a host.
func (w *World) tellHost(h int32, what ProcessWhat, fault int32) {
	for _, e := range w.places.Runs(h) {
		w.tellTarget(w.places.Target(e), what, fault)
	}
}

// tellTarget tells the observer what a fault did to a target.
func (w *World) tellTarget(t config.Target, what ProcessWhat, fault int32) {
	w.said.process = ProcessEvent{
		At: w.eng.Now(), Target: t, What: what, NameServer: none, Fault: fault,
	}
	w.obs.Process(&w.said.process)
}

// cutPower takes the power from a host.
func (w *World) cutPower(h, f int32) {
	host := &w.hosts[h]
	host.off++
	if host.off > 1 {
		return
	}
	for _, e := range w.places.Runs(h) {
		w.addresses[e].kernel++
		if int(e) < len(w.procs) {
			w.losePower(e, f)
		}
	}
}

// givePower takes the hand of a fault off a host. With the last one its processes start.
func (w *World) givePower(h int32) {
	w.hosts[h].off--
	for _, e := range w.places.Runs(h) {
		if int(e) < len(w.procs) {
			w.maybeStart(e)
		}
	}
}

// losePower is what a process and its disk feel of it: no packet leaves them any more, so their peers
// learn nothing, and what was only in the page cache is gone.
func (w *World) losePower(p, f int32) {
	pr := &w.procs[p]
	if w.isMaster(p) {
		w.deliverReplicaBytes(pr.broker)
	}
	if pr.nameServer == none {
		if lost := w.losePageCache(p, f); lost > 0 {
			w.tellProcess(p, BytesLost, lost, none, f)
		}
	}
	w.die(p)
}

// kill is kill -9. The kernel closes the sockets: with FIN, or with RST where bytes were not read yet.
// The page cache stays.
func (w *World) kill(p int32) {
	pr := &w.procs[p]
	pr.killed++
	if !pr.running || !pr.powered() {
		w.die(p) // nothing to close, but a start-up under way ends
		return
	}
	w.closeSockets(p)
	w.die(p)
}

// closeSockets is the kernel closing what a process that ends leaves behind.
func (w *World) closeSockets(p int32) {
	pr := &w.procs[p]
	if !pr.closed {
		w.closeClients(p)
	}
	if pr.nameServer != none {
		w.closeBrokers(pr.nameServer)
	} else {
		w.closeLinks(p)
	}
}

// closeClients sends FIN, or RST where there are unread bytes, on every client connection of p.
func (w *World) closeClients(p int32) {
	pr := &w.procs[p]
	for i := range w.insts {
		ch := &w.chans[w.channelTo(int32(i), p)]
		if ch.peer == p && ch.state == channelOpen && ch.epoch == pr.epoch {
			ch.closing, ch.reset = ch.number, false
		}
	}
	for _, r := range pr.inbox {
		q := &w.requests.items[r]
		if ch := &w.chans[q.channel]; ch.number == q.number {
			ch.reset = true
		}
	}
	for i := range w.insts {
		ci := w.channelTo(int32(i), p)
		if ch := &w.chans[ci]; ch.peer == p && ch.state == channelOpen && ch.epoch == pr.epoch {
			w.closeClient(ci, &pr.origin)
		}
	}
}

// closeClient sends FIN or RST on a client's connection. An RST throws away what was not sent yet.
func (w *World) closeClient(ci int32, s *origin) {
	ch := &w.chans[ci]
	from, to := w.ends(ch.inst, ch.peer, toClient)
	if !ch.reset {
		w.sendFIN(from, to, s, evPeerClosed, ci)
		return
	}
	if ch.back != none {
		w.dropPipe(ch.back)
	}
	w.sendRST(from, to, s, evPeerClosed, ci)
}

// die ends the life of a process, whatever ended it.
func (w *World) die(p int32) {
	pr := &w.procs[p]
	for _, t := range [...]sim.Timer{pr.start, pr.slave.connect, pr.ending.timer} {
		w.eng.Stop(t)
	}
	w.dropRequests(pr)
	if !pr.running {
		return
	}
	w.endStore(p, w.striking)
	pr.running, pr.closed, pr.storeShut, pr.haClosed = false, false, false, false
	pr.ending.step = endNone
	pr.epoch++
	w.rolledDown(p)
	if pr.nameServer != none {
		w.nameServerEnds(pr.nameServer)
		return
	}
	w.forgetLinks(p)
	w.endReplication(p)
}

// maybeStart starts a process once nothing holds it down any more. The port opens after Startup.
func (w *World) maybeStart(p int32) {
	pr := &w.procs[p]
	if !pr.powered() || pr.killed > 0 || pr.shut > 0 || pr.running {
		return
	}
	w.eng.Stop(pr.start)
	pr.start = w.timerAfter(w.startup(p), evProcessUp, p)
}

// startup is how long a process takes from its start to the open port.
func (w *World) startup(p int32) sim.Duration {
	if n := w.procs[p].nameServer; n != none {
		return w.cfg.NameServers[n].Startup
	}
	return w.brokerConfig(p).Startup
}

// processUp opens the port: a broker serves, flushes and registers.
func (w *World) processUp(p int32) {
	pr := &w.procs[p]
	pr.running = true
	if pr.nameServer == none {
		w.startStore(p)
	}
	w.tellProcess(p, Started, 0, none, none)
	w.rolledUp(p)
	if pr.nameServer != none {
		w.nameServerUp(pr.nameServer)
		return
	}
	w.startCold(p)
	w.loadTopics(p)
	w.beginRegistering(p)
	if w.isMaster(p) {
		w.strandOrphans(pr.broker)
		return
	}
	w.startReplica(p)
}

// pause stops a process: its timers and threads stand still, its kernel does not.
func (w *World) pause(p int32) {
	pr := &w.procs[p]
	if pr.running && !pr.stopped() {
		pr.pausedAt, pr.pausedLife = w.eng.Now(), pr.epoch
	}
	pr.paused++
}

// resume lets a process go on: threads finish what they were at, then what came meanwhile is read, and
// timers that are overdue fire.
func (w *World) resume(p int32) {
	pr := &w.procs[p]
	stopped := pr.stopped()
	pr.paused--
	if pr.paused > 0 || !stopped {
		return // another pause lasts, or the process that was stopped has died
	}
	pr.pausedTotal += w.eng.Now().Sub(pr.pausedAt)
	for _, f := range pr.frozen {
		w.requests.items[f.request].pausedBefore = pr.pausedTotal
		w.eng.After(f.left, sim.PrioTimer, w.self, evServed, uint32(f.request))
	}
	pr.frozen = pr.frozen[:0]
	inbox, deferred := pr.inbox, pr.deferred
	pr.inbox, pr.deferred = nil, nil
	for _, r := range inbox {
		w.accept(p, r)
	}
	for _, e := range deferred {
		if e.kind == evScan || e.kind == evIdle { // packets that wait are read first
			w.timerAfter(0, e.kind, e.index)
			continue
		}
		w.handleServer(e.kind, e.index)
	}
}

// tellProcess tells the observer what happened to a process.
func (w *World) tellProcess(p int32, what ProcessWhat, bytes int64, ns, fault int32) {
	w.said.process = ProcessEvent{
		At: w.eng.Now(), Target: w.places.Target(w.endpointOfProcess(p)),
		What: what, Bytes: bytes, NameServer: ns, Fault: fault,
	}
	w.obs.Process(&w.said.process)
}
