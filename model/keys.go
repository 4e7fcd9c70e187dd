package model

import "simrun/sim"

// Purposes of keyed draws. The numbers are part of what a seed means: never reuse or reorder them.
const (
	drawGap          sim.Purpose = iota + 1 // (group, message, 0): gap before the message
	drawInstance                            // (group, message, 0): which instance sends it
	drawSize                                // (group, message, of a batch): its bytes
	drawRequestWire                         // (group, message, attempt): request's way to the broker
	drawResponseWire                        // (group, message, attempt): answer's way back
	drawService                             // (group, message, attempt): service time
	drawWakeup                              // (thread, count, 0): how late a timed wait wakes
	drawFsync                               // (process, count, 0): duration of an fsync
	drawReplicaWire                         // (process, count, 0): bytes on their way to a slave
	drawControlWire                         // (sender, count, what): every other packet
	drawPhase                               // (owner, which, 0): phase of a periodic task
	drawClock                               // (instance, 0, 0): sub-millisecond phase of a clock
	drawNameServer                          // (owner, 0, 0): which name server it sticks to
	drawIndex                               // stream of (instance, thread): the client's Random
	drawTimetable                           // (fault, number, what): timetables of faults
	drawLoss                                // (owner, packet, try): whether a packet is lost
	drawAppend                              // (group, message, attempt): time under the put lock
	drawDelay                               // (owner, packet, fault): how much longer a packet takes
	drawReport                              // (process, count, 0): a slave's report on its way
	drawSelect                              // (process, count, 0): how late waits in select have come
	drawTopic                               // (group, message, 0): which topic it is for
	drawThink                               // (group, message, first): how long its thread thinks then
	drawKey                                 // (group, message, 0): its ordering key
	drawGoIndex                             // (instance, topic of its group, 0): a Go client's counter
	drawRouteOrder                          // (name server, broker, 0): when it came to know it, once
	drawStart                               // (instance, 0, 0): when it starts
	drawSelector                            // (group, message, resend): what a selector draws for it
	drawScan                                // (instance, count, 0): how late a scan of responses runs
	drawResend                              // (group, message, resend): how long before it
)

// dist is a sampler; one that always gives the same value needs no draw.
type dist struct {
	sampler sim.Sampler
	fixed   sim.Duration
	isFixed bool
}

func distOf(s sim.Sampler) dist {
	if s == nil {
		return dist{isFixed: true} // no time
	}
	v, ok := sim.Fixed(s)
	return dist{sampler: s, fixed: sim.Duration(v), isFixed: ok}
}

// sample draws from s with the key (purpose, a, b, c).
func (w *World) sample(s *dist, p sim.Purpose, a, b, c uint64) sim.Duration {
	if s.isFixed {
		return s.fixed
	}
	w.draw = sim.Key(w.cfg.Seed, p, a, b, c)
	return sim.Duration(s.sampler.Sample(&w.draw))
}

// phase draws where in its period a periodic task of owner stands at time 0: 0 <= phase < period.
// A run starts in the middle of life, so tasks of different processes are out of step.
func (w *World) phase(owner, which uint64, period sim.Duration) sim.Duration {
	d := sim.Key(w.cfg.Seed, drawPhase, owner, which, 0)
	return sim.Duration(d.Float64() * float64(period))
}

// Which periodic task a phase is drawn for. Owners are numbered by owner().
const (
	phaseFlush uint64 = iota + 1
	phaseRegister
	phaseClusterPoll
	phaseScan
	phaseRoutePoll
	phaseReplica
	phaseArrivals
	phaseDetector
	phaseThorough
	phaseServer
	phaseReplicaPoll
	phaseReplicaReport
	phaseCommit
	phaseSweep
	phaseDiskLook
	phaseResponseScan
)

// Owners of phases and control packets: processes, name servers, instances and groups do not share
// numbers.
func ownerProcess(p int32) uint64    { return 1<<32 | uint64(p) }
func ownerNameServer(n int32) uint64 { return 2<<32 | uint64(n) }
func ownerInstance(i int32) uint64   { return 3<<32 | uint64(i) }
func ownerGroup(g int32) uint64      { return 4<<32 | uint64(g) }
func ownerLinks(p int32) uint64      { return 5<<32 | uint64(p) }

// origin is a host that sends packets which belong to no attempt. It counts them, so that what one
// sender does leaves the luck of the others alone.
type origin struct {
	owner   uint64
	packets uint64
	// risks counts the draws of loss and delay on faulty links.
	risks uint64
}

// controlWire draws the latency of a packet that belongs to no attempt: registrations, route polls,
// heartbeats, handshakes and closes.
func (w *World) controlWire(from, to int32, s *origin) sim.Duration {
	s.packets++
	return w.sample(w.way(from, to), drawControlWire, s.owner, s.packets, 0)
}
