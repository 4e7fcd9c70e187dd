package model

import (
	"simrun/model/config"
	"simrun/model/releases"
	"simrun/sim"
)

// senderQueue is how many asynchronous sends wait for a thread of AsyncSenderExecutor at most. Callbacks
// wait without a limit.
//
// Source: DefaultMQProducerImpl.asyncSenderExecutor, 4.4.0 and 5.3.3; NettyRemotingClient.publicExecutor,
// 4.2.0, 4.9.8 and 5.3.3.
const senderQueue = 50000

// defaultCores is how many processors a client sees that is not told otherwise.
const defaultCores = 4

// asyncClient is what an instance has for asynchronous sends.
type asyncClient struct {
	// senders begin sends (4.4.0 and later), callbacks run callbacks, and in 4.3.x begin sends, too.
	senders, callbacks workers
	// loop is the network's own thread, none in releases in which nothing is decided on it.
	loop int32
	// head and tail are the calls whose requests are unanswered, oldest first (responseTable); scanAt is
	// when that is looked through next, 0 if it is not planned, scanBefore when the scan before that would
	// be; phase is the place of scans in their period.
	head, tail         int32
	scanAt, scanBefore sim.Time
	scan               sim.Timer
	phase              sim.Duration
	// messages and bytes are the permits of backpressure.
	messages, bytes semaphore
}

// workers is a pool of threads and the sends that wait for one of them.
type workers struct {
	idle, queue fifo[int32]
	draining    bool
}

// buildAsync gives an instance what asynchronous sends need.
func (w *World) buildAsync(i int32) {
	in := &w.insts[i]
	g := in.g
	if g.cfg.Mode != config.Async || g.cfg.Client != config.JavaClient {
		return
	}
	ac := &asyncClient{loop: none, head: none, tail: none}
	cores := int32(g.cfg.Remoting.Cores)
	if cores == 0 {
		cores = defaultCores
	}
	in.firstWorker = int32(len(w.threads))
	t := in.threads + 2 // behind those of buildThreads and startDetector
	add := func(r role, n int32, pool *workers) {
		for range n {
			th := w.addThread(i, t, r)
			pool.idle.push(th)
			t++
		}
	}
	if g.client.AsyncRuns == releases.RunsInSenders {
		add(asyncSender, cores, &ac.senders)
	}
	add(callbackRunner, cores, &ac.callbacks)
	if g.client.ConnectsAside {
		ac.loop = w.addThread(i, t, eventLoop)
	}
	in.workers = int32(len(w.threads)) - in.firstWorker
	ac.phase = w.firstRun(i, phaseResponseScan, g.client.ScanEvery, w.scaled(firstScan)+g.client.ScanEvery)
	ac.messages.free, ac.bytes.free = g.permits()
	w.insts[i].async = ac
}

// drain has the idle threads of a pool take up what waits for them.
func (w *World) drain(pool *workers) {
	if pool.draining {
		return
	}
	pool.draining = true
	for pool.idle.len() > 0 && pool.queue.len() > 0 {
		t, s := pool.idle.pop(), pool.queue.pop()
		if w.sends.items[s].next == stepBegin {
			w.beginSend(s, t)
		} else {
			w.runCallback(s, t)
		}
	}
	pool.draining = false
}

// letGo is a thread done with an asynchronous send: it goes on to something else.
func (w *World) letGo(t int32) {
	th := &w.threads[t]
	th.send = none
	switch th.role {
	case asyncSender:
		pool := &w.insts[th.inst].async.senders
		pool.idle.push(t)
		w.drain(pool)
	case callbackRunner:
		pool := &w.insts[th.inst].async.callbacks
		pool.idle.push(t)
		w.drain(pool)
	case sender:
		th.free = true
		if !th.submitting && !w.closedLoop(t) {
			w.takeNext(t)
		}
	}
}

// submitAll has application thread t send message m asynchronously, and then what waits, until it has to
// wait itself or nothing is left.
func (w *World) submitAll(t, m int32) {
	th := &w.threads[t]
	if th.submitting {
		panic("model: a thread submits inside of a submission")
	}
	th.submitting, th.free = true, false
	w.submit(t, m)
	for w.threads[t].free && w.insts[th.inst].waiting.len() > 0 {
		w.threads[t].free = false
		m = w.insts[th.inst].waiting.pop()
		w.take(t, m)
		w.submit(t, m)
	}
	th = &w.threads[t]
	th.submitting = false
	if th.free && !w.closedLoop(t) {
		w.rest(&w.insts[th.inst], t)
	}
}

// closedLoop says whether thread t waits for the answers to what it sends.
func (w *World) closedLoop(t int32) bool {
	return w.insts[w.threads[t].inst].g.cfg.Arrivals == config.ClosedLoop
}

// callerGoesOn has application thread t go on if it waited for the answer to message n.
func (w *World) callerGoesOn(t int32, n uint64) {
	if w.closedLoop(t) {
		w.thinkOn(t, n)
	}
}

// takeNext has application thread t take what waits longest, or makes it idle.
func (w *World) takeNext(t int32) {
	if w.beginNext(t) {
		w.run(t)
	}
}
