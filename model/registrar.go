package model

import "simrun/sim"

// nameServerLink is a broker process's connection to one name server, as the broker sees it, and the
// requests on it that wait for an answer.
type nameServerLink struct {
	state channelState
	// number counts the connections made: a packet of an old one means nothing to a new one.
	number         uint32
	connect, retry sim.Timer
	calls          [numCalls]linkCall
}

// linkCall is a request to a name server, or none if kind is 0.
type linkCall struct {
	kind   uint16 // the event at the name server
	oneway bool
	limit  sim.Timer
}

// Places of calls: a link carries at most one of each at a time.
const (
	registerCall = iota // registerBroker, unregisterBroker
	pollCall            // getBrokerClusterInfo
	numCalls
)

// nameServerCallTimeout is how long a broker waits for the answer to anything but a registration.
// Source: BrokerOuterAPI, unregisterBroker, 4.2.0, 4.9.8 and 5.3.3; refreshMetadata, 5.3.3.
const nameServerCallTimeout = 3000 * sim.Millisecond

// registrar is what a broker process does with name servers beside its links: one scheduled thread
// registers and polls, and a send that makes a topic registers, too. Registrations follow each other.
type registrar struct {
	origin origin // of handshakes
	// busy: the scheduled thread is at something; registerDue and pollDue came meanwhile.
	busy                 bool
	registerDue, pollDue bool
	register, poll       sim.Timer
	lastNS               int32 // the name server its cluster polls go to
	// job is the registration that is on, left counts the name servers it waits for, turn is the one it
	// is at if they are asked in turn. jobs come after it.
	job  registration
	on   bool
	left int32
	turn int32
	jobs fifo[registration]
}

// registration is one round of registering with every name server, or of unregistering.
type registration struct {
	kind registrationKind
	// scheduled: the scheduled thread waits for it. request is the send that does, because it made topic,
	// none if none does.
	scheduled bool
	request   int32
	topic     int32
	oneway    bool
	// version is that of the topics it carries; makesVersion: there is a new one after it.
	version      uint32
	makesVersion bool
}

type registrationKind uint8

const (
	registerAll registrationKind = iota // the whole topic table
	registerOne                         // one topic
	unregister                          // leave
)

// linkBits of the index of a packet between a broker and a name server number the connection.
const linkBits = 10

// onLink is the index of a packet on the connection of link i.
func (w *World) onLink(i int32) int32 {
	return i<<linkBits | int32(w.brokerLinks[i].number&(1<<linkBits-1))
}

// linkOf is the link of such an index, and whether the connection is still the broker's.
func (w *World) linkOf(index int32) (i int32, current bool) {
	i = index >> linkBits
	return i, w.brokerLinks[i].state != channelClosed && w.onLink(i) == index
}

// startRegistering begins the registrations of a broker process that has run for long: the last one
// lies within one period in the past.
func (w *World) startRegistering(p int32) {
	period := w.brokerConfig(p).RegisterPeriod
	next := w.phase(ownerProcess(p), phaseRegister, period)
	pr := &w.procs[p]
	r := &pr.registrar
	r.origin.owner = ownerLinks(p)
	r.register = w.timerAfter(next, evRegister, p)
	last := sim.Time(next - period)
	d := sim.Key(w.cfg.Seed, drawNameServer, ownerProcess(p), 0, 0)
	r.lastNS = int32(d.IntN(len(w.nameServers)))
	for n := range int32(len(w.nameServers)) {
		i := w.regIndex(n, p)
		w.brokerLinks[i].state, w.brokerLinks[i].number = channelOpen, 1
		reg := &w.regs[i]
		reg.connection = w.onLink(i)
		reg.via, reg.registered, reg.lastUpdate, reg.lastActive = reg.connection, true, last, last
		w.watchIdle(i)
	}
	if pr.profile.ClusterPoll > 0 {
		next := w.phase(ownerProcess(p), phaseClusterPoll, pr.profile.ClusterPoll)
		r.poll = w.timerAfter(next, evClusterPoll, p)
		w.regs[w.regIndex(r.lastNS, p)].lastActive = max(last, sim.Time(next-pr.profile.ClusterPoll))
	}
}

// beginRegistering is what a broker process does as soon as its port is open. The thread that starts it
// registers; the scheduled ones follow.
//
// Source: BrokerController.start, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) beginRegistering(p int32) {
	pr := &w.procs[p]
	r := &pr.registrar
	w.registerWith(p, registration{request: none})
	r.register = w.timerAfter(w.scaled(firstReregister), evRegister, p)
	if pr.profile.ClusterPoll > 0 {
		r.poll = w.timerAfter(w.scaled(firstReregister), evClusterPoll, p)
	}
}

// register is the scheduled registration of a process, each registerNameServerPeriod. It waits until
// the thread is done with what it is at.
//
// Source: BrokerController.start (scheduleAtFixedRate), 4.2.0, 4.9.8 and 5.3.3.
func (w *World) register(p int32) {
	if w.deferWhilePaused(p, evRegister, p) {
		return
	}
	r := &w.procs[p].registrar
	r.register = w.timerAfter(w.brokerConfig(p).RegisterPeriod, evRegister, p)
	if r.busy {
		r.registerDue = true
		return
	}
	r.busy = true
	w.registerWith(p, registration{scheduled: true, request: none})
}

// registerWith begins a round of registrations, after those that are on.
//
// Source: BrokerController.registerBrokerAll (synchronized), 4.2.0, 4.9.8 and 5.3.3.
func (w *World) registerWith(p int32, job registration) {
	r := &w.procs[p].registrar
	if r.on {
		r.jobs.push(job)
		return
	}
	w.startJob(p, job)
}

// startJob asks every name server, at once or in turn. An unregistration always takes turns.
//
// Source: BrokerOuterAPI.registerBrokerAll, 4.2.0 and 4.3.0; unregisterBrokerAll, 4.2.0 to 5.3.3.
func (w *World) startJob(p int32, job registration) {
	pr := &w.procs[p]
	r := &pr.registrar
	job.version = w.topicVersion(pr.broker)
	r.job, r.on, r.left, r.turn = job, true, int32(len(w.nameServers)), 0
	if pr.profile.RegistersInTurn || job.kind == unregister {
		w.callForJob(p, 0)
		return
	}
	for n := range r.left {
		w.callForJob(p, n)
	}
}

// callForJob asks one name server.
func (w *World) callForJob(p, n int32) {
	pr := &w.procs[p]
	call, timeout := linkCall{kind: evRegistered, oneway: pr.registrar.job.oneway}, pr.profile.RegisterTimeout
	if pr.registrar.job.kind == unregister {
		call.kind, timeout = evUnregistered, w.scaled(nameServerCallTimeout)
	}
	w.callNameServer(w.regIndex(n, p), registerCall, call, timeout)
}

// jobCallDone is the end of one call of the round that is on.
func (w *World) jobCallDone(p int32) {
	pr := &w.procs[p]
	r := &pr.registrar
	if !r.on {
		return
	}
	r.left--
	switch {
	case r.left == 0:
		w.jobDone(p)
	case pr.profile.RegistersInTurn || r.job.kind == unregister:
		r.turn++
		w.callForJob(p, r.turn)
	}
}

// jobDone lets whoever waited for the round go on, and begins the next.
func (w *World) jobDone(p int32) {
	r := &w.procs[p].registrar
	job := r.job
	r.on = false
	if job.makesVersion {
		w.newTopicVersion(p)
	}
	if r.jobs.len() > 0 {
		w.startJob(p, r.jobs.pop())
	}
	switch {
	case job.scheduled:
		w.registrarDone(p)
	case job.request != none:
		w.topicMade(job.request)
	case job.kind == unregister:
		w.left(p)
	}
}

// registrarDone lets the scheduled thread go on to what became due meanwhile.
func (w *World) registrarDone(p int32) {
	r := &w.procs[p].registrar
	r.busy = false
	if w.procs[p].ending.step == endScheduled {
		w.endOn(p)
		return
	}
	switch {
	case r.registerDue:
		r.registerDue, r.busy = false, true
		w.registerWith(p, registration{scheduled: true, request: none})
	case r.pollDue:
		r.pollDue = false
		w.pollCluster(p)
	}
}

// clusterPoll asks the name server that the process has chosen for the cluster, which keeps that channel
// busy.
//
// Source: BrokerController.start, brokerOuterAPI.refreshMetadata, 5.3.3.
func (w *World) clusterPoll(p int32) {
	if w.deferWhilePaused(p, evClusterPoll, p) {
		return
	}
	pr := &w.procs[p]
	r := &pr.registrar
	r.poll = w.timerAfter(pr.profile.ClusterPoll, evClusterPoll, p)
	if r.busy {
		r.pollDue = true
		return
	}
	w.pollCluster(p)
}

func (w *World) pollCluster(p int32) {
	r := &w.procs[p].registrar
	r.busy = true
	if w.brokerLinks[w.regIndex(r.lastNS, p)].state == channelClosed {
		r.lastNS = w.nextNameServer(ownerProcess(p), r.lastNS)
	}
	timeout := w.scaled(nameServerCallTimeout)
	w.callNameServer(w.regIndex(r.lastNS, p), pollCall, linkCall{kind: evPolled}, timeout)
}

// firstReregister is when a started broker registers for the second time.
// Source: BrokerController.start, 4.9.8 and 5.3.3.
const firstReregister = 10 * sim.Second
