package model

import "simrun/sim"

// putLock is putMessageLock of a commit log: one send appends at a time, the others wait in turn.
//
// Source: CommitLog.putMessage, 4.2.0; CommitLog.asyncPutMessage, 4.9.8 and 5.3.3. (Its default is a
// spin lock before 5.0, which keeps no order; the model is fair.)
type putLock struct {
	// engaged: somebody has the lock for an unknown time or waits for it, or whoever takes it would
	// keep it. Each put looks here first.
	engaged bool
	// fault: a fault has it; holds counts the faults that want it.
	fault bool
	holds int32
	// holding: a request has it, holder. An append that is too short for an event of its own leaves
	// only until, when it gives it back.
	holding bool
	holder  int32
	// since is when the holder took it (beginTimeInLock).
	since, until sim.Time
	waiting      fifo[int32]
	// planned: an evPutLock event is planned for until.
	planned bool
}

// held: the lock is in hands that do not say when they let it go.
func (l *putLock) held() bool { return l.fault || l.holding }

// shortAppend is the longest append that is no event of its own: its thread and its answer come that
// much later, but the lock is only found taken by whoever comes meanwhile.
const shortAppend = 100 * sim.Microsecond

// engage works out whether puts have to look closely at the lock of a process.
func (pr *process) engage() {
	l := &pr.lock
	l.engaged = l.held() || l.waiting.len() > 0 || pr.disk.stalls > 0
}

// put has request r appended as soon as it gets the lock. Its send thread waits.
func (w *World) put(p, r int32) {
	pr := &w.procs[p]
	l := &pr.lock
	if a := &w.dists[pr.broker].append; !l.engaged && a.isFixed && a.fixed == 0 {
		w.appended(p, r)
		return
	}
	if l.held() || l.waiting.len() > 0 || l.until > w.eng.Now() {
		w.traceRequest(r, AwaitsLock, 0, int32(l.waiting.len()))
		pr.load.lockWait -= w.eng.Now()
		l.waiting.push(r)
		pr.engage()
		w.planLock(p)
		return
	}
	w.lockTaken(p, r)
}

// lockTaken is request r in possession of the lock. An append that needs a disk that does not answer
// keeps it.
func (w *World) lockTaken(p, r int32) {
	pr := &w.procs[p]
	l := &pr.lock
	l.since = w.eng.Now()
	if pr.disk.stalls > 0 && !pr.pooled {
		w.traceRequest(r, AwaitsDisk, 0, 0)
		w.requests.items[r].stage = stageStalled
		l.holding, l.holder = true, r
		pr.engage()
		w.planSweep(p)
		return
	}
	d := w.appendTime(pr, r)
	switch {
	case d == 0:
		w.appended(p, r)
	case d <= pr.shortAppend:
		l.until = l.since.Add(d)
		w.appendedShortly(p, r, d)
	default:
		l.holding, l.holder = true, r
		pr.engage()
		w.holdLock(p, r, d)
	}
}

// appendTime draws how long request r needs the lock.
func (w *World) appendTime(pr *process, r int32) sim.Duration {
	q := &w.requests.items[r]
	m := &w.msgs.items[q.msg]
	return w.sample(&w.dists[pr.broker].append, drawAppend, uint64(m.Group), m.Number,
		uint64(q.attempt))
}

// holdLock has the holder of the lock keep it for d.
func (w *World) holdLock(p, r int32, d sim.Duration) {
	q := &w.requests.items[r]
	q.stage, q.pausedBefore = stageAppend, w.procs[p].pausedTotal
	w.eng.After(d, sim.PrioTimer, w.self, evServed, uint32(r))
}

// appendOver is the holder of the lock done with its append.
func (w *World) appendOver(p, r int32) {
	w.procs[p].lock.holding = false
	w.appended(p, r)
	w.lockFree(p)
}

// lockFree hands a free lock on: to a fault that wants it, else to the requests that wait, one after
// the other.
func (w *World) lockFree(p int32) {
	if w.deferWhilePaused(p, evPutLock, p) {
		return
	}
	pr := &w.procs[p]
	l := &pr.lock
	if l.holds > 0 && !l.held() && pr.running {
		l.fault, l.since = true, max(w.eng.Now(), l.until)
		w.planSweep(p)
	}
	for l.waiting.len() > 0 && !l.held() && l.until <= w.eng.Now() {
		pr.load.lockWait += w.eng.Now()
		w.lockTaken(p, l.waiting.pop())
	}
	pr.engage()
	w.planLock(p)
	w.unstick(p)
}

// planLock makes an event of the end of a short append that somebody waits for.
func (w *World) planLock(p int32) {
	l := &w.procs[p].lock
	if !l.planned && !l.held() && l.waiting.len() > 0 {
		l.planned = true
		w.timerAfter(l.until.Sub(w.eng.Now()), evPutLock, p)
	}
}

// putLockEvent is the end of a short append that somebody waited for.
func (w *World) putLockEvent(p int32) {
	w.procs[p].lock.planned = false
	w.lockFree(p)
}

// pageCacheBusy says that the lock has been held for longer than osPageCacheBusyTimeOutMills.
//
// Source: DefaultMessageStore.isOSPageCacheBusy, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) pageCacheBusy(p int32) bool {
	l := &w.procs[p].lock
	limit := w.brokerConfig(p).PageCacheBusyTimeout
	return l.held() && limit > 0 && w.eng.Now().Sub(l.since) > limit
}

// holdPutLock is a fault that takes the lock, as soon as nobody else has it, and keeps it.
func (w *World) holdPutLock(p int32) {
	w.procs[p].lock.holds++
	w.lockFree(p)
}

// letPutLock is such a fault letting go.
func (w *World) letPutLock(p int32) {
	l := &w.procs[p].lock
	l.holds--
	if l.holds == 0 {
		l.fault = false
		w.lockFree(p)
	}
}

// loseLock forgets the lock of a process that has died, and who waited for it. A holder in the middle
// of its append finds the epoch changed when its time comes.
func (w *World) loseLock(pr *process) {
	l := &pr.lock
	for l.waiting.len() > 0 {
		pr.load.lockWait += w.eng.Now()
		w.drop(l.waiting.pop())
	}
	if l.holding && w.requests.items[l.holder].stage == stageStalled {
		w.drop(l.holder)
	}
	l.holding, l.fault, l.until = false, false, 0
	pr.engage()
}
