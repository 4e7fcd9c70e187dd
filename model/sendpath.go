package model

import (
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// sendPool are the send threads of a broker and what waits for one of them.
type sendPool struct {
	threads, capacity int32 // capacity 0 is no limit
	// busy counts the threads in use. Those that freeing names are in use until then; they are not
	// waited for by an event unless a request needs one (freePlanned).
	busy        int32
	queue       fifo[int32]
	freeing     fifo[sim.Time]
	freePlanned bool
	sweep       sweep
	load        loadAccount
}

// stage is what a send thread is at with a request.
type stage uint8

const (
	stageService stage = iota // all but the append
	stageAppend               // it has the lock and appends
	stageStalled              // it has the lock, and the disk does not answer
)

// accept is a request read from the socket by a running process. Heartbeats and probes have pools of
// their own and are answered at once, as lookups are by a name server.
//
// Source: NettyRemotingAbstract.processRequestCommand, 4.2.0, 4.9.8 and 5.3.3.
func (w *World) accept(p, r int32) {
	q := &w.requests.items[r]
	if q.msg == none {
		if n := w.procs[p].nameServer; n != none {
			w.answerLookup(n, r)
		}
		q.outcome = strategy.Outcome{Kind: strategy.OutcomeOK}
		w.respond(r)
		return
	}
	pr := &w.procs[p]
	if pr.nameServer != none {
		q.outcome = strategy.Outcome{
			Kind: strategy.OutcomeBrokerError, Code: strategy.CodeRequestNotSupported,
		}
		w.respond(r)
		return
	}
	if pr.lock.engaged || pr.pooled {
		if why := w.rejects(p); why != notRefused {
			w.refuse(p, r, strategy.CodeSystemBusy, why)
			return
		}
	}
	q.arrived = w.eng.Now()
	if pr.busy >= pr.threads {
		w.reap(pr)
	}
	if pr.busy < pr.threads {
		w.serve(p, r)
		return
	}
	w.enqueue(p, r)
}

// rejects says why a process takes no send now, before it queues it.
//
// Source: SendMessageProcessor.rejectRequest, 4.2.0 and 5.3.3.
func (w *World) rejects(p int32) Refusal {
	switch {
	case w.pageCacheBusy(p):
		return RefusedPageCacheBusy
	case w.poolDeficient(p):
		return RefusedPoolEmpty
	}
	return notRefused
}

// enqueue makes a request wait for a send thread, if there is room.
func (w *World) enqueue(p, r int32) {
	pr := &w.procs[p]
	if pr.capacity > 0 && pr.queue.len() >= int(pr.capacity) {
		w.refuse(p, r, strategy.CodeSystemBusy, RefusedQueueFull)
		return
	}
	w.traceRequest(r, Queued, 0, int32(pr.queue.len()))
	pr.load.queued -= w.eng.Now()
	pr.queue.push(r)
	w.planFree(p)
	if !pr.sweep.planned {
		w.planSweep(p)
	}
}

// dequeue takes the request that waits longest.
func (w *World) dequeue(pr *process) int32 {
	pr.load.queued += w.eng.Now()
	return pr.queue.pop()
}

// serve gives a request to a send thread.
func (w *World) serve(p, r int32) {
	pr := &w.procs[p]
	pr.busy++
	pr.load.busy -= w.eng.Now()
	w.traceRequest(r, Accepted, 0, 0)
	if w.absent && w.makesTopic(p, r) {
		return
	}
	w.beginService(p, r)
}

func (w *World) beginService(p, r int32) {
	pr, q := &w.procs[p], &w.requests.items[r]
	m := &w.msgs.items[q.msg]
	d := w.sample(&w.dists[pr.broker].service, drawService, uint64(m.Group), m.Number,
		uint64(q.attempt))
	if factor, delay := w.slowness(p); factor != 1 || delay != 0 {
		d = slowed(d, factor, delay)
	}
	q.pausedBefore = pr.pausedTotal
	w.eng.After(d, sim.PrioTimer, w.self, evServed, uint32(r))
}

// slowed is a service time under slow faults. Beyond a year it does not matter how long.
func slowed(d sim.Duration, factor float64, delay sim.Duration) sim.Duration {
	return sim.Duration(min(float64(d)*factor, float64(config.MaxDelay))) + delay
}

// served is a send thread done with a stage of a request.
func (w *World) served(r int32) {
	q := &w.requests.items[r]
	p := w.firstProc[w.chans[q.channel].broker]
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
	if q.stage == stageAppend {
		w.appendOver(p, r)
		return
	}
	if pr.storeShut { // SERVICE_NOT_AVAILABLE, and nobody to tell
		w.drop(r)
		w.freeSendThread(p)
		return
	}
	if code, why := w.checkStore(p); code != 0 {
		w.refuse(p, r, code, why)
		w.freeSendThread(p)
		return
	}
	w.put(p, r)
}

// checkStore is what the store looks at before it appends: the response code and the reason, if it
// does not.
//
// Source: DefaultMessageStore.putMessage, 4.2.0; DefaultMessageStore.checkStoreStatus, 4.9.8;
// HookUtils.checkBeforePutMessage, 5.3.3. (Sizes, which differ in their place, are always right here.)
func (w *World) checkStore(p int32) (code int, why Refusal) {
	pr := &w.procs[p]
	if pr.disk.unwritable {
		return strategy.CodeServiceNotAvailable, RefusedDiskFull
	}
	if pr.lock.engaged && w.pageCacheBusy(p) {
		return pr.profile.PageCacheBusyCode, RefusedPageCacheBusyPut
	}
	return 0, notRefused
}

// refuse answers a request with a code: it is not stored.
func (w *World) refuse(p, r int32, code int, why Refusal) {
	w.procs[p].load.refused[why]++
	w.requests.items[r].outcome = strategy.Outcome{Kind: strategy.OutcomeBrokerError, Code: code}
	w.traceRequest(r, Refused, 0, int32(why))
	w.respond(r)
}

// freeSendThread is a send thread done with a request: it takes the next.
func (w *World) freeSendThread(p int32) {
	pr := &w.procs[p]
	pr.busy--
	pr.load.busy += w.eng.Now()
	if pr.queue.len() > 0 {
		w.serve(p, w.dequeue(pr))
	}
}

// reap takes back the threads whose short append is over.
func (w *World) reap(pr *process) {
	for pr.freeing.len() > 0 && *pr.freeing.head() <= w.eng.Now() {
		pr.load.busy += pr.freeing.pop()
		pr.busy--
	}
}

// planFree makes an event of the end of a short append whose thread a request waits for.
func (w *World) planFree(p int32) {
	pr := &w.procs[p]
	if !pr.freePlanned && pr.freeing.len() > 0 && pr.queue.len() > 0 {
		pr.freePlanned = true
		w.timerAfter(pr.freeing.head().Sub(w.eng.Now()), evThreadFree, p)
	}
}

// threadFree is the end of such an append.
func (w *World) threadFree(p int32) {
	if w.deferWhilePaused(p, evThreadFree, p) {
		return
	}
	pr := &w.procs[p]
	pr.freePlanned = false
	w.reap(pr)
	for pr.busy < pr.threads && pr.queue.len() > 0 {
		w.serve(p, w.dequeue(pr))
	}
	w.planFree(p)
}

// dropRequests forgets what a process that died had in hand. The requests in service find the epoch
// changed when their time comes.
func (w *World) dropRequests(pr *process) {
	now := w.eng.Now()
	for pr.queue.len() > 0 {
		w.drop(w.dequeue(pr))
	}
	for pr.awaiting.len() > 0 {
		w.dropWait(pr.awaiting.pop(), waitDisk)
	}
	for _, r := range pr.inbox {
		w.drop(r)
	}
	for _, f := range pr.frozen {
		w.drop(f.request)
	}
	pr.inbox, pr.frozen, pr.deferred = pr.inbox[:0], pr.frozen[:0], pr.deferred[:0]
	if pr.id == 0 {
		w.dropTransfers(pr.broker)
	}
	w.loseLock(pr)
	for pr.freeing.len() > 0 {
		pr.load.busy += min(now, pr.freeing.pop())
		pr.busy--
	}
	pr.load.busy += sim.Time(pr.busy) * now
	pr.busy, pr.freePlanned = 0, false
	w.eng.Stop(pr.sweep.timer)
	pr.sweep.planned = false
}

// drop forgets a request that died with its process.
func (w *World) drop(r int32) {
	w.traceRequest(r, Dropped, 0, 0)
	w.serverDone(r)
}
