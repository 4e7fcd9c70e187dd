package model

import "simrun/sim"

// Kinds of events. The comment says what the index of each is.
const (
	evArrival            uint16 = iota // group: its next message is due
	evRequest                          // request: reaches the broker's host
	evServed                           // request: its send thread is done with it
	evResponse                         // request: the answer reaches the client
	evReset                            // request: the RST it provoked reaches the client
	evTimeout                          // call: the wait for its answer is over by the clock
	evWake                             // call: and now its thread has woken up
	evLookupLock                       // thread: it has waited too long for its turn to look up a route
	evSYN                              // channel: the SYN reaches the broker's host
	evSYNRetry                         // channel: no answer to the SYN yet, send it again
	evConnected                        // channel: the handshake is complete
	evRefused                          // channel: the handshake was refused
	evConnectTimeout                   // channel: the handshake took too long
	evPeerClosed                       // channel: FIN or RST from the broker
	evFlushTick                        // process: the flush thread wakes
	evFsynced                          // process: an fsync is done
	evFlushDeadline                    // process: the oldest SYNC_FLUSH wait may be over
	evRegister                         // process: registers with every name server
	evClusterPoll                      // process: asks its name server for the cluster
	evLinkSYN                          // packet to a name server: SYN of a broker
	evRegistered                       // packet to a name server: registration
	evUnregistered                     // packet to a name server: the broker leaves
	evPolled                           // packet to a name server: cluster poll
	evBrokerClosed                     // packet to a name server: FIN of a broker
	evLinkConnected                    // packet to a broker: the handshake is complete
	evLinkReset                        // packet to a broker: RST
	evLinkClosed                       // packet to a broker: FIN of a name server
	evRegisterAnswer                   // packet to a broker: the name server has registered or removed it
	evPollAnswer                       // packet to a broker: the cluster
	evLinkSYNRetry                     // link: no answer to the SYN yet, send it again
	evLinkConnectTimeout               // link: the handshake took too long
	evLinkTimeout                      // call on a link: the answer took too long
	evIdle                             // link: the name server's end may be idle for too long
	evScan                             // name server: looks for expired brokers
	evPermissionSet                    // process: updateBrokerConfig brokerPermission reaches it
	evWritePerm                        // see writePermOperated
	evEnding                           // process: its shutdown goes on
	evRollWipe                         // rolling restart
	evRollStop                         // rolling restart
	evRollStart                        // rolling restart
	evRoutePoll                        // instance: route poll is due
	evHeartbeat                        // instance: heartbeat round is due
	evDetect                           // instance: detector round is due
	evFaultBegin                       // strike
	evFaultEnd                         // strike
	evProcessUp                        // process: start-up is done
	evFsyncSeen                        // process: notices, after a pause, that an fsync was done
	evSegment                          // segment: comes to the host it is for
	evPipe                             // pipe: its oldest bytes come to their host again
	evPutLock                          // process: an append is over that somebody waits for
	evThreadFree                       // process: likewise, for the send thread
	evSweep                            // process: a run of fast failure that may find something
	evCommitTick                       // process: the thread that commits the pool wakes
	evDiskLook                         // process: its store looks how full the disk is
	evStallOver                        // process: notices, after a pause, that its disk answers again
	evStart                            // instance: it starts
	evResend                           // message: its caller sends it again
	evThought                          // thread: of a closed loop, its next message is due
	evResponseScan                     // instance: looks for asynchronous requests whose time is over
	evPermitTimeout                    // asynchronous send: its caller has waited too long for permits
)

// Kinds of events of replication.
const (
	evHAConnect        uint16 = 100 + iota // process: a slave tries to reach its master
	evHASYN                                // process: its SYN reaches the master's host
	evHASYNRetry                           // process: no answer to the SYN yet, send it again
	evHARefused                            // process: the handshake was refused
	evHAConnected                          // process: the SYN-ACK reaches the slave
	evHAEstablished                        // process: the slave goes on with the connection
	evHAConnectTimeout                     // process: the handshake took too long
	evHAReport                             // replication connection: the slave's report may be due
	evHAFeed                               // replication connection: the master looks for bytes to send
	evHABeat                               // replication connection: the master's sign of life may be due
	evHAArrives                            // end that wrote it: its oldest piece reaches the other
	evHAReset                              // end: an RST reaches it
	evHAGone                               // end: its process notices that the connection is gone
	evHAWatch                              // end: it may have heard nothing for too long
	evTransfer                             // process: a master's wait for a slave may be over
)

// Handle runs one event. It implements sim.Handler.
func (w *World) Handle(kind uint16, index uint32) {
	i := int32(index)
	switch kind {
	case evArrival:
		w.arrive(i)
	case evRequest:
		w.requestArrives(i)
	case evServed:
		w.served(i)
	case evResponse:
		w.responseArrives(i)
	case evTimeout:
		w.waitOver(i)
	case evWake:
		w.wake(i)
	case evThought:
		w.thought(i)
	default:
		w.handleRare(kind, i)
	}
	for w.failing.len() > 0 {
		w.failRequest(w.failing.pop())
	}
}

// handleRare runs the events that are not part of every send.
func (w *World) handleRare(kind uint16, i int32) {
	switch kind {
	case evReset:
		w.resetArrives(i)
	case evLookupLock:
		w.lockTimedOut(i)
	case evSYN:
		w.synArrives(i)
	case evSYNRetry:
		w.synAgain(i)
	case evConnected:
		w.connected(i)
	case evRefused:
		w.connectFailed(i, ConnectRefused)
	case evConnectTimeout:
		w.connectFailed(i, ConnectTimedOut)
	case evPeerClosed:
		w.peerClosed(i)
	case evResend:
		w.resend(i)
	case evStart:
		w.starts(i)
	case evRoutePoll:
		w.routePoll(i)
	case evHeartbeat:
		w.heartbeatDue(i)
	case evDetect:
		w.detectDue(i)
	case evPipe:
		w.tryAgain(i)
	case evSegment:
		w.segmentArrives(i)
	case evResponseScan:
		w.scanResponses(i)
	case evPermitTimeout:
		w.permitTimedOut(i)
	case evFaultBegin:
		w.faultBegins(i)
	case evFaultEnd:
		w.faultEnds(i)
	default:
		w.handleServer(kind, i)
	}
}

// handleServer runs the events of broker processes and name servers.
func (w *World) handleServer(kind uint16, i int32) {
	switch kind {
	case evFlushTick:
		w.flushTick(i)
	case evFsynced:
		w.fsynced(i)
	case evFlushDeadline:
		w.flushDeadline(i)
	case evFsyncSeen:
		w.fsyncSeen(i)
	case evPutLock:
		w.putLockEvent(i)
	case evThreadFree:
		w.threadFree(i)
	case evSweep:
		w.sweepRun(i)
	case evCommitTick:
		w.commitTick(i)
	case evDiskLook:
		w.diskLook(i)
	case evStallOver:
		w.stallOver(i)
	case evRegister:
		w.register(i)
	case evClusterPoll:
		w.clusterPoll(i)
	case evRegistered:
		w.registered(i)
	case evPolled:
		w.pollArrives(i)
	case evEnding:
		w.endOn(i)
	case evRollWipe:
		w.rollWipes(i)
	case evRollStop:
		w.rollStops(i)
	case evRollStart:
		w.rollStarts(i)
	case evPermissionSet:
		w.permissionSet(i)
	case evWritePerm:
		w.writePermOperated(i)
	case evUnregistered:
		w.unregisters(i)
	case evLinkSYN:
		w.brokerConnects(i)
	case evLinkConnected, evLinkReset, evLinkClosed, evRegisterAnswer, evPollAnswer:
		w.linkEvent(kind, i)
	case evLinkSYNRetry:
		w.sendLinkSYN(i)
	case evLinkConnectTimeout:
		w.linkConnectTimedOut(i)
	case evLinkTimeout:
		w.linkTimedOut(i)
	case evBrokerClosed:
		w.brokerClosed(i)
	case evIdle:
		w.idle(i)
	case evScan:
		w.scan(i)
	case evProcessUp:
		w.processUp(i)
	default:
		w.handleReplication(kind, i)
	}
}

// handleReplication runs the events between masters and slaves.
func (w *World) handleReplication(kind uint16, i int32) {
	switch kind {
	case evHAFeed:
		w.haFeed(i)
	case evHAArrives:
		w.haArrives(i)
	case evTransfer:
		w.transferDue(i)
	case evHAReport:
		w.haReportDue(i)
	case evHABeat:
		w.haBeat(i)
	case evHAWatch:
		w.haWatch(i)
	case evHAReset:
		w.haReset(i)
	case evHAGone:
		w.haGone(i)
	case evHAConnect:
		w.haConnect(i)
	case evHASYN:
		w.haSYNArrives(i)
	case evHASYNRetry:
		w.haSYN(i)
	case evHARefused:
		w.haRefused(i)
	case evHAConnected:
		w.haConnected(i)
	case evHAEstablished:
		w.haEstablished(i)
	case evHAConnectTimeout:
		w.haConnectTimedOut(i)
	default:
		panic("model: unknown event kind")
	}
}

// after schedules an event that is an arrival at a host.
func (w *World) after(d sim.Duration, kind uint16, index int32) {
	w.eng.After(d, sim.PrioArrival, w.self, kind, uint32(index))
}

// timerAfter schedules a timer that may be stopped.
func (w *World) timerAfter(d sim.Duration, kind uint16, index int32) sim.Timer {
	return w.eng.StartTimer(w.eng.Now().Add(d), sim.PrioTimer, w.self, kind, uint32(index))
}
