package model

import (
	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
)

// process is one process that listens on a port: a broker, master or slave, or a name server.
type process struct {
	origin origin
	addr   *address
	// broker and id say which broker process it is, nameServer which name server; the others are none.
	broker, id int32
	nameServer int32
	profile    releases.Broker
	// epoch counts the lives of the process; connections lead to one of them.
	epoch uint32
	// running: the port is open. Killed and paused count the faults that hold it so.
	running        bool
	killed, paused int32
	// shut counts the faults that have shut it down. closed: the port is closed, though it runs;
	// storeShut: and it stores nothing any more. roll is the rolling restart that is at it, none if none is.
	shut              int32
	closed, storeShut bool
	// haClosed: likewise its connections to slaves or to its master.
	haClosed bool
	ending   ending
	roll     int32
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

	sendPool
	lock putLock
	disk diskState
	// shortAppend is the longest append that is no event of its own, pooled says that there is a
	// transient store pool, flushTimed that the flush thread sleeps, wakesFlush that puts wake it.
	shortAppend                    sim.Duration
	pooled, flushTimed, wakesFlush bool
	// inbox holds requests in the socket buffers of a paused process; frozen what its threads were at.
	inbox  []int32
	frozen []frozenService
	// deferred are the events of the process that fell into a pause, stuck those that wait for the put
	// lock or the disk.
	deferred, stuck []deferredEvent

	log      commitLog
	awaiting fifo[int32] // SYNC_FLUSH: answered by the fsync that covers them
	watching bool        // a flushDeadline event is planned

	slave replica
	start sim.Timer
	// remoting is how the process's own connections, to name servers, behave.
	remoting  releases.Client
	registrar registrar
	// topicVersion is the DataVersion of its topic table, savedVersion the one in its file, permission
	// its brokerPermission.
	topicVersion, savedVersion uint32
	permission                 uint8
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

func (w *World) brokerConfig(p int32) *config.Broker { return &w.cfg.Brokers[w.procs[p].broker] }

// buildBrokers starts every process in the middle of its life.
func (w *World) buildBrokers() {
	w.logs = make([]masterLog, len(w.cfg.Brokers))
	for b := range w.cfg.Brokers {
		cfg := &w.cfg.Brokers[b]
		profile, err := cfg.Profile()
		if err != nil {
			panic(err) // Validate has looked it up
		}
		remoting, err := releases.Clients.Profile(cfg.Release, nil)
		if err != nil {
			panic(err) // likewise
		}
		w.scaleProfile(&profile)
		w.names = append(w.names, cfg.Name)
		w.dists = append(w.dists, brokerDists{distOf(cfg.Service), distOf(cfg.Fsync), distOf(cfg.Append)})
		w.firstProc = append(w.firstProc, int32(len(w.procs)))
		for id := range int32(cfg.Slaves) + 1 {
			w.procs = append(w.procs, process{
				origin: origin{owner: ownerProcess(int32(len(w.procs)))},
				broker: int32(b), id: id, nameServer: none, profile: profile, remoting: remoting, epoch: 1,
				permission: permissionOf(cfg), running: true, factor: 1, roll: none,
				slave: replica{conn: none},
			})
		}
	}
	w.brokerProcs = int32(len(w.procs))
	for p := range w.brokerProcs {
		w.buildStore(p)
	}
}

// buildStore puts the store and the send path of a process in the middle of their life.
func (w *World) buildStore(p int32) {
	cfg, pr := w.brokerConfig(p), &w.procs[p]
	pr.threads, pr.capacity = int32(cfg.SendThreads), int32(cfg.QueueCapacity)
	pr.flushTimed = pr.profile.FlushTimed
	if cfg.FlushTimed != nil {
		pr.flushTimed = *cfg.FlushTimed
	}
	pr.pooled = cfg.TransientStorePool && pr.id == 0 &&
		(cfg.Flush == config.AsyncFlush || pr.profile.PoolWithSyncFlush)
	pr.wakesFlush = cfg.Flush == config.AsyncFlush && pr.id == 0 && !pr.flushTimed && !pr.pooled &&
		pr.profile.PutsWakeFlush
	if cfg.Flush == config.AsyncFlush && cfg.Role == config.AsyncMaster {
		pr.shortAppend = w.scaled(shortAppend)
	}
	before := func(which uint64, period sim.Duration) sim.Time {
		return -sim.Time(w.phase(ownerProcess(p), which, period))
	}
	log := &pr.log
	log.end, log.committed, log.flushed, log.disk = cfg.LogSize, cfg.LogSize, cfg.LogSize, cfg.LogSize
	w.logs[pr.broker].old = cfg.LogSize
	log.thorough = before(phaseThorough, cfg.FlushThoroughInterval)
	log.commitRound = before(phaseCommit, cfg.CommitInterval)
	log.commits = log.commitRound
	pr.sweep.period = w.scaled(sweepPeriod)
	pr.sweep.from = before(phaseSweep, pr.sweep.period)
	pr.disk.looks = before(phaseDiskLook, w.scaled(cleanResourceInterval))
	w.flushRound(p, w.phase(ownerProcess(p), phaseFlush, w.flushInterval(p)))
}

// startStore has a started process recover its log and begin what the store and the send path do.
//
// Source: CommitLog.recoverAbnormally, 4.2.0, 4.9.8 and 5.3.3: the log ends behind the last message
// that is there.
func (w *World) startStore(p int32) {
	pr := &w.procs[p]
	log, now := &pr.log, w.eng.Now()
	w.tellProcess(p, Recovered, log.lost, none, none)
	log.lost = 0
	log.thorough, log.commitRound, log.commits = now, now, now
	pr.sweep.from = now.Add(w.scaled(sweepDelay))
	pr.disk.unwritable, pr.disk.looks = false, now.Add(w.scaled(cleanResourceDelay))
	w.planLook(p)
	w.lockFree(p)
	if !log.fsyncing {
		w.flushRound(p, w.flushInterval(p))
	}
}

// endStore is the end of the process's part of the store: its threads, and the memory of its pool. f is
// the fault that ended it.
func (w *World) endStore(p, f int32) {
	pr := &w.procs[p]
	log := &pr.log
	w.eng.Stop(log.tick)
	w.eng.Stop(log.commitTick)
	w.eng.Stop(pr.disk.look)
	pr.stuck = pr.stuck[:0]
	log.ticking, log.notified, log.committing, pr.disk.looking = false, false, false, false
	log.blocked = false
	w.losePool(p, f)
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

// deferWhileStuck puts an event off that appends to the log of slave process p, which needs the put
// lock and a disk that answers. It is false if it has both.
//
// Source: CommitLog.appendData, 4.9.8 and 5.3.3.
func (w *World) deferWhileStuck(p int32, kind uint16, index int32) bool {
	pr := &w.procs[p]
	if pr.lock.engaged {
		pr.stuck = append(pr.stuck, deferredEvent{kind, index})
	}
	return pr.lock.engaged
}

// deferBehindStuck puts an event off that the thread would bring about that waits so.
func (w *World) deferBehindStuck(p int32, kind uint16, index int32) bool {
	pr := &w.procs[p]
	stuck := len(pr.stuck) > 0
	if stuck {
		pr.stuck = append(pr.stuck, deferredEvent{kind, index})
	}
	return stuck
}

// unstick runs the events that waited for the put lock or the disk.
func (w *World) unstick(p int32) {
	pr := &w.procs[p]
	if pr.lock.engaged || len(pr.stuck) == 0 {
		return
	}
	stuck := pr.stuck
	pr.stuck = nil
	for _, e := range stuck {
		w.handleServer(e.kind, e.index)
	}
}
