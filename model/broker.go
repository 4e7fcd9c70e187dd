package model

import "simrun/sim"

// process is one process that listens on a port: a broker, master or slave, or a name server.
type process struct {
	origin origin
	addr   *address
	// broker and id say which broker process it is, nameServer which name server; the others are none.
	broker, id int32
	nameServer int32
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
	// slowed are the strikes of slow faults that last; factor and delay are what they do together, from
	// changes on. Until coldUntil the process is cold.
	slowed             []int32
	factor             float64
	delay              sim.Duration
	changes, coldUntil sim.Time

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

	slave replica
	start sim.Timer
	// remoting is how the process's own connections, to name servers, behave.
	remoting  clientProfile
	registrar registrar
	// topicVersion is the DataVersion of its topic table, permission its brokerPermission.
	topicVersion uint32
	permission   uint8
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

// powered: the host has power and its address is there, so its kernel answers.
func (p *process) powered() bool { return p.addr.answers() }

// stopped: the process is paused. Its kernel is not.
func (p *process) stopped() bool { return p.paused > 0 && p.pausedLife == p.epoch }

func (w *World) isMaster(p int32) bool { return w.procs[p].id == 0 }

func (w *World) brokerConfig(p int32) *Broker { return &w.cfg.Brokers[w.procs[p].broker] }

// buildBrokers starts every process in the middle of its life.
func (w *World) buildBrokers() {
	w.logs = make([]masterLog, len(w.cfg.Brokers))
	for b := range w.cfg.Brokers {
		cfg := &w.cfg.Brokers[b]
		profile, err := cfg.profile()
		if err != nil {
			panic(err) // Validate has looked it up
		}
		remoting, err := clientTable.lookup(cfg.Release)
		if err != nil {
			panic(err) // likewise
		}
		w.names = append(w.names, cfg.Name)
		w.dists = append(w.dists, brokerDists{distOf(cfg.Service), distOf(cfg.Fsync)})
		w.firstProc = append(w.firstProc, int32(len(w.procs)))
		for id := range int32(cfg.Slaves) + 1 {
			w.procs = append(w.procs, process{
				origin: origin{owner: ownerProcess(int32(len(w.procs)))},
				broker: int32(b), id: id, nameServer: none, profile: profile, remoting: remoting, epoch: 1,
				permission: cfg.permission(), running: true, factor: 1,
				slave: replica{conn: none},
			})
		}
	}
	w.brokerProcs = int32(len(w.procs))
	for p := range w.brokerProcs {
		cfg := w.brokerConfig(p)
		w.procs[p].log.end, w.procs[p].log.flushed = cfg.LogSize, cfg.LogSize
		w.procs[p].log.thorough = -sim.Time(w.phase(ownerProcess(p), phaseThorough,
			cfg.FlushThoroughInterval))
		w.startFlushing(p, w.phase(ownerProcess(p), phaseFlush, cfg.FlushInterval))
	}
}

// dropRequests forgets what a process that died had in hand. The requests in service find the epoch
// changed when their time comes.
func (w *World) dropRequests(pr *process) {
	for pr.queue.len() > 0 {
		w.drop(pr.queue.pop())
	}
	for pr.awaiting.len() > 0 {
		w.dropWait(pr.awaiting.pop(), waitDisk)
	}
	if pr.id == 0 {
		w.dropTransfers(pr.broker)
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
