package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// process is one broker process, master or slave.
type process struct {
	origin     origin
	host       *host
	broker, id int32
	profile    brokerProfile
	// epoch counts the lives of the process; connections lead to one of them.
	epoch uint32
	// running: the port is open. Killed and paused count the faults that hold it so.
	running        bool
	killed, paused int32
	// pausedLife is the life that the pauses hold: a process started meanwhile is not stopped.
	pausedLife  uint32
	pausedAt    sim.Time
	pausedTotal sim.Duration
	// slowed are the slow faults that last; factor and delay are what they do together.
	slowed []int32
	factor float64
	delay  sim.Duration

	// Send pool: requests in service, and those that wait for one of its threads.
	busy  int32
	queue fifo[int32]
	// inbox holds requests in the socket buffers of a paused process; frozen what its threads were at.
	inbox  []int32
	frozen []frozenService
	// deferred are the events of the process that fell into a pause.
	deferred []deferredEvent

	log      commitLog
	awaiting fifo[int32] // SYNC_FLUSH: answered by the fsync that covers them
	watching bool        // a flushDeadline event is planned

	slave    replica
	register sim.Timer
	poll     sim.Timer
	start    sim.Timer
	lastNS   int32 // the name server its cluster polls go to
}

// frozenService is a request whose service was stopped by a pause, and what was left of it.
type frozenService struct {
	request int32
	left    sim.Duration
}

type deferredEvent struct {
	kind  uint16
	index int32
}

// powered: the host has power, so its kernel answers.
func (p *process) powered() bool { return p.host.off == 0 }

// stopped: the process is paused. Its kernel is not.
func (p *process) stopped() bool { return p.paused > 0 && p.pausedLife == p.epoch }

func (w *World) isMaster(p int32) bool { return w.procs[p].id == 0 }

func (w *World) brokerConfig(p int32) *Broker { return &w.cfg.Brokers[w.procs[p].broker] }

// buildBrokers starts every process in the middle of its life.
func (w *World) buildBrokers() {
	w.logs = make([]masterLog, len(w.cfg.Brokers))
	for b := range w.cfg.Brokers {
		cfg := &w.cfg.Brokers[b]
		rel, _ := lookupRelease(cfg.Release)
		w.names = append(w.names, cfg.Name)
		w.dists = append(w.dists, brokerDists{distOf(cfg.Service), distOf(cfg.Fsync)})
		w.firstProc = append(w.firstProc, int32(len(w.procs)))
		for id := range int32(cfg.Slaves) + 1 {
			w.procs = append(w.procs, process{
				origin: origin{owner: ownerProcess(int32(len(w.procs)))},
				broker: int32(b), id: id, profile: rel.broker, epoch: 1, running: true, factor: 1,
				slave: replica{connected: id > 0, reported: id > 0},
			})
		}
	}
	for p := range int32(len(w.procs)) {
		cfg := w.brokerConfig(p)
		w.procs[p].log.thorough = -sim.Time(w.phase(ownerProcess(p), phaseThorough,
			cfg.FlushThoroughInterval))
		w.startFlushing(p, w.phase(ownerProcess(p), phaseFlush, cfg.FlushInterval))
	}
}

// accept is a request read from the socket by a running process. Heartbeats and probes have pools of
// their own and are answered at once.
func (w *World) accept(p, r int32) {
	q := &w.requests.items[r]
	if q.msg == none {
		q.outcome = strategy.Outcome{Kind: strategy.OutcomeOK}
		w.respond(r)
		return
	}
	pr := &w.procs[p]
	q.arrived = w.eng.Now()
	if pr.busy < int32(w.brokerConfig(p).SendThreads) {
		w.serve(p, r)
		return
	}
	w.traceRequest(r, Queued, 0, int32(pr.queue.len()))
	pr.queue.push(r)
}

// serve gives a request to a send thread.
func (w *World) serve(p, r int32) {
	pr, q := &w.procs[p], &w.requests.items[r]
	b := pr.broker
	pr.busy++
	w.traceRequest(r, Accepted, 0, 0)
	m := &w.msgs.items[q.msg]
	d := w.sample(&w.dists[b].service, drawService, uint64(m.Group), m.Number, uint64(q.attempt))
	if pr.factor != 1 || pr.delay != 0 {
		d = slowed(d, pr.factor, pr.delay)
	}
	q.pausedBefore = pr.pausedTotal
	w.eng.After(d, sim.PrioTimer, w.self, evServed, uint32(r))
}

// slowed is a service time under slow faults. Beyond a year it does not matter how long.
func slowed(d sim.Duration, factor float64, delay sim.Duration) sim.Duration {
	return sim.Duration(min(float64(d)*factor, float64(maxDelay))) + delay
}

// served is a send thread done with a request: the message is in the page cache now.
func (w *World) served(r int32) {
	q := &w.requests.items[r]
	b := w.chans[q.channel].broker
	p := w.firstProc[b]
	pr := &w.procs[p]
	if pr.epoch != q.epoch {
		w.drop(r)
		return
	}
	behind := pr.pausedTotal - q.pausedBefore // what pauses took from it
	if pr.stopped() {
		left := behind + w.eng.Now().Sub(pr.pausedAt)
		w.traceRequest(r, Frozen, 0, 0)
		pr.frozen = append(pr.frozen, frozenService{r, left})
		return
	}
	if behind > 0 {
		q.pausedBefore = pr.pausedTotal
		w.eng.After(behind, sim.PrioTimer, w.self, evServed, uint32(r))
		return
	}
	w.appendMessage(b, r)
	pr.busy--
	if pr.queue.len() > 0 {
		w.serve(p, pr.queue.pop())
	}
}

// appendMessage appends to the commit log and answers, or makes the answer wait for the fsync.
//
// Source: CommitLog.asyncPutMessage and handleDiskFlush, 4.9.8 and 5.3.3. The put is asynchronous, so
// a wait for the disk holds no send thread.
func (w *World) appendMessage(b, r int32) {
	q := &w.requests.items[r]
	p := w.firstProc[b]
	end := w.appendToLog(b, q.msg, q.attempt)
	if w.cfg.Brokers[b].Flush == SyncFlush {
		q.end = end
		w.traceRequest(r, AwaitsFsync, 0, 0)
		w.awaitFsync(p, r)
		return
	}
	q.outcome = strategy.Outcome{Kind: strategy.OutcomeOK}
	w.respond(r)
}

// respond puts an answer on the wire.
func (w *World) respond(r int32) {
	w.traceRequest(r, Responded, 0, 0)
	w.after(w.requestWire(&w.requests.items[r], drawResponseWire), evResponse, r)
}

// dropRequests forgets what a process that died had in hand. The requests in service find the epoch
// changed when their time comes.
func (w *World) dropRequests(pr *process) {
	for pr.queue.len() > 0 {
		w.drop(pr.queue.pop())
	}
	for pr.awaiting.len() > 0 {
		w.drop(pr.awaiting.pop())
	}
	for _, r := range pr.inbox {
		w.drop(r)
	}
	for _, f := range pr.frozen {
		w.drop(f.request)
	}
	pr.inbox, pr.frozen, pr.deferred = pr.inbox[:0], pr.frozen[:0], pr.deferred[:0]
	pr.busy = 0
}

// drop forgets a request that died with its process.
func (w *World) drop(r int32) {
	w.traceRequest(r, Dropped, 0, 0)
	w.serverDone(r)
}

// deferWhilePaused puts an event of a paused process off until it is resumed. It is false if the
// process is not paused.
func (w *World) deferWhilePaused(p int32, kind uint16, index int32) bool {
	pr := &w.procs[p]
	if !pr.stopped() {
		return false
	}
	pr.deferred = append(pr.deferred, deferredEvent{kind, index})
	return true
}
