package model

import "simrun/sim"

// endStep is how far an orderly shutdown has come.
type endStep uint8

const (
	endNone      endStep = iota
	endBegun             // SIGTERM has come
	endServers           // the ports are closed; a thread of the second server has yet to wake
	endStore             // the store takes nothing any more, and waits
	endFlush             // what is in the page cache goes to the disk
	endScheduled         // waits for the scheduled thread
	endLeaving           // leaves the name servers
)

// ending is the orderly shutdown of a process.
type ending struct {
	step  endStep
	fault int32 // that shuts it down
	timer sim.Timer
	until sim.Time // of endScheduled
}

const (
	// serverPoll is how long the thread that tells of closed connections sleeps if there is none: the
	// shutdown of a server waits for it. No client uses a broker's second port, so that sleeps.
	// Source: NettyRemotingAbstract.NettyEventExecutor.run and NettyRemotingServer.shutdown, 4.2.0, 4.9.8
	// and 5.3.3.
	serverPoll = 3 * sim.Second
	// flushPoll is how often a shutdown looks whether everything is on the disk.
	flushPoll = 10 * sim.Millisecond
)

// shutDown is SIGTERM, by a fault. The process stays down until start.
func (w *World) shutDown(p, fault int32) {
	pr := &w.procs[p]
	pr.shut++
	if pr.running && pr.ending.step == endNone {
		pr.ending.step, pr.ending.fault = endBegun, fault
		w.endOn(p)
		return
	}
	if !pr.running {
		w.eng.Stop(pr.start)
	}
}

// start lets a process that was shut down start, as soon as it has ended.
func (w *World) start(p int32) {
	w.procs[p].shut--
	w.maybeStart(p)
}

// endLater goes on with a shutdown after a time.
func (w *World) endLater(p int32, in sim.Duration, step endStep) {
	e := &w.procs[p].ending
	e.step = step
	e.timer = w.timerAfter(in, evEnding, p)
}

// endOn goes on with a shutdown. To 4.9.8: ports, store, scheduled thread, name servers. From 5.0.0: name
// servers, ports, store.
//
// Source: BrokerController.shutdown, 4.2.0 and 4.9.8; shutdownBasicService, 5.0.0 and 5.3.3;
// DefaultMessageStore.shutdown, 4.2.0, 4.9.8 and 5.3.3; NamesrvController.shutdown.
func (w *World) endOn(p int32) {
	pr := &w.procs[p]
	if w.deferWhilePaused(p, evEnding, p) {
		return
	}
	switch pr.ending.step {
	case endBegun:
		switch {
		case pr.nameServer != none:
			w.exit(p)
		case pr.profile.UnregistersFirst:
			w.leave(p)
		default:
			w.closePort(p)
		}
	case endServers:
		pr.storeShut = true
		w.endLater(p, pr.profile.StoreShutdown, endStore)
	case endStore:
		w.haShutdown(p)
		w.endFlushing(p)
	case endFlush:
		w.endFlushing(p)
	case endScheduled:
		if pr.registrar.busy && w.eng.Now() < pr.ending.until {
			return // registrarDone comes back
		}
		w.eng.Stop(pr.ending.timer)
		w.leave(p)
	}
}

// closePort closes the listening socket and every connection of a client. Send threads go on with what
// they have, but there is no one left to answer.
func (w *World) closePort(p int32) {
	pr := &w.procs[p]
	pr.closed = true
	w.closeClients(p)
	wait := w.phase(ownerProcess(p), phaseServer+uint64(pr.epoch)<<8, w.scaled(serverPoll))
	w.endLater(p, wait, endServers)
}

// endFlushing puts everything on the disk, and then goes on. What a read-only disk does not take from the
// transient store pool is lost with the process.
//
// Source: CommitLog.shutdown, FlushRealTimeService.run and CommitRealTimeService.run, 4.9.8 and 5.3.3.
func (w *World) endFlushing(p int32) {
	pr := &w.procs[p]
	log := &pr.log
	if pr.pooled && log.committed < log.end && pr.disk.stalls == 0 && pr.disk.readOnly == 0 {
		log.committed = log.end
		w.replicate(pr.broker)
	}
	switch {
	case pr.written() > log.flushed || pr.disk.stalls > 0 && log.end > log.flushed:
		if !log.fsyncing && pr.written() > log.flushed {
			w.startFsync(p)
		}
		w.endLater(p, w.scaled(flushPoll), endFlush)
	case pr.profile.UnregistersFirst:
		w.exit(p)
	default:
		w.eng.Stop(pr.registrar.register)
		w.eng.Stop(pr.registrar.poll)
		pr.registrar.registerDue, pr.registrar.pollDue = false, false
		pr.ending.until = w.eng.Now().Add(pr.profile.SchedulerShutdown)
		w.endLater(p, pr.profile.SchedulerShutdown, endScheduled)
		w.endOn(p)
	}
}

// leave unregisters from one name server after the other; whatever else the process has to do with them
// ends.
func (w *World) leave(p int32) {
	pr := &w.procs[p]
	pr.ending.step = endLeaving
	w.endRegistering(p)
	w.startJob(p, registration{kind: unregister, request: none})
}

// left is a process that has unregistered.
func (w *World) left(p int32) {
	if w.procs[p].profile.UnregistersFirst {
		w.closePort(p)
		return
	}
	w.exit(p)
}

// exit ends a process that has been shut down: its kernel closes what is open.
func (w *World) exit(p int32) {
	w.striking = w.procs[p].ending.fault
	w.closeSockets(p)
	w.die(p)
	w.striking = none
	w.maybeStart(p)
}

// listening says whether a process accepts connections and takes what comes over them.
func (p *process) listening() bool { return p.running && !p.closed }
