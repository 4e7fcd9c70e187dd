package model

import (
	"simrun/model/releases"
	"simrun/sim"
)

// The permits of backpressure that a producer begins with, and the fewest it may have.
//
// Source: DefaultMQProducer.backPressureForAsyncSendNum and backPressureForAsyncSendSize;
// DefaultMQProducerImpl, constructor, 5.1.4 and 5.3.3.
const (
	defaultPermits, leastPermits         = 10000, 10
	defaultBytePermits, leastBytePermits = 100 << 20, 1 << 20
)

// semaphore is a fair semaphore: whoever waits longest comes first.
type semaphore struct {
	free    int64
	waiting fifo[int32] // sends
}

// permits are those of a send.
type permits struct {
	// message and bytes are held; wants is how many the caller waits for, of the bytes if ofBytes.
	message bool
	ofBytes bool
	bytes   int64
	wants   int64
	timer   sim.Timer
	given   int32 // how many callbacks have given them back
}

// holdsPermits says whether callers wait for permits.
func (g *group) holdsPermits() bool {
	return g.cfg.Remoting.Backpressure && g.client.Backpressure >= releases.LeakingBackpressure
}

// permits are those of an instance at the start.
func (g *group) permits() (messages, bytes int64) {
	messages, bytes = int64(g.cfg.Remoting.BackpressureNum), g.cfg.Remoting.BackpressureSize
	if messages == 0 {
		messages = defaultPermits
	}
	if bytes == 0 {
		bytes = defaultBytePermits
	}
	return max(messages, leastPermits), max(bytes, leastBytePermits)
}

// acquire makes the caller of a send wait for its permits: one for the message, then one for each byte.
//
// Source: DefaultMQProducerImpl.executeAsyncMessageSend, 5.1.4 and 5.3.1.
func (w *World) acquire(s int32) {
	sd := &w.sends.items[s]
	ac := w.insts[sd.inst].async
	sd.permits.wants = 1
	if !w.grant(s, &ac.messages) {
		return
	}
	w.acquireBytes(s)
}

func (w *World) acquireBytes(s int32) {
	sd := &w.sends.items[s]
	ac := w.insts[sd.inst].async
	sd.permits.ofBytes = true
	sd.permits.wants = max(1, int64(w.msgs.items[sd.msg].size))
	if w.grant(s, &ac.bytes) {
		w.execute(s)
	}
}

// grant takes what a send wants of a semaphore, if nobody waits and there is enough. Else the caller waits,
// as long as the send's time lasts.
func (w *World) grant(s int32, sem *semaphore) bool {
	sd := &w.sends.items[s]
	p := &sd.permits
	ends := sd.calledAt + w.insts[sd.inst].g.cfg.Settings.SendMsgTimeout
	if w.clock(sd.inst) >= ends {
		w.unpermitted(s)
		return false
	}
	if sem.waiting.len() == 0 && sem.free >= p.wants {
		sem.take(p)
		return true
	}
	w.traceCall(sd.call, PermitAwaited)
	sem.waiting.push(s)
	th := &w.threads[sd.caller]
	th.wakeups++
	g := w.insts[sd.inst].g
	late := w.sample(&g.wakeup, drawWakeup, th.index, th.wakeups, 0)
	at := max(w.unclock(sd.inst, ends), w.eng.Now()).Add(late)
	p.timer = w.eng.StartTimer(at, sim.PrioTimer, w.self, evPermitTimeout, uint32(s))
	return false
}

// take gives permits to a send.
func (sem *semaphore) take(p *permits) {
	sem.free -= p.wants
	if p.ofBytes {
		p.bytes = p.wants
	} else {
		p.message = true
	}
}

// permitTimedOut is a caller that has waited for permits for as long as its send may take.
func (w *World) permitTimedOut(s int32) {
	sd := &w.sends.items[s]
	ac := w.insts[sd.inst].async
	sem := &ac.messages
	if sd.permits.ofBytes {
		sem = &ac.bytes
	}
	for range sem.waiting.len() {
		if u := sem.waiting.pop(); u != s {
			sem.waiting.push(u)
		}
	}
	sd.permits.timer = sim.Timer{}
	w.unpermitted(s)
	w.serveWaiting(ac) // one that wants less may stand behind it
}

// unpermitted ends a send whose caller has waited in vain: the callback runs on the caller's own thread.
// In some releases the permit for the message is then never given back.
func (w *World) unpermitted(s int32) {
	sd := &w.sends.items[s]
	if w.insts[sd.inst].g.client.Backpressure == releases.LeakingBackpressure {
		sd.permits.message = false
	}
	caller := sd.caller
	w.tellSend(s, tooMuchRequest, 1)
	w.endSend(s)
	w.letGo(caller)
}

// giveBack gives the permits of a send back, once for each time that its callback has run.
//
// Source: DefaultMQProducerImpl.BackpressureSendCallBack, 5.1.4 and 5.3.3.
func (w *World) giveBack(s int32, callbacks int) {
	p := &w.sends.items[s].permits
	again := int64(callbacks) - int64(p.given)
	if again <= 0 || !p.message && p.bytes == 0 {
		return
	}
	p.given = int32(callbacks)
	ac := w.insts[w.sends.items[s].inst].async
	if p.message {
		ac.messages.free += again
	}
	ac.bytes.free += again * p.bytes
	w.serveWaiting(ac)
}

// serveWaiting lets go on who waits for permits, as far as they reach.
func (w *World) serveWaiting(ac *asyncClient) {
	for ac.messages.waiting.len() > 0 && ac.messages.free >= 1 {
		s := ac.messages.waiting.pop()
		w.permitted(s, &ac.messages)
		w.acquireBytes(s)
	}
	for ac.bytes.waiting.len() > 0 {
		s := *ac.bytes.waiting.head()
		if ac.bytes.free < w.sends.items[s].permits.wants {
			return
		}
		ac.bytes.waiting.skip()
		w.permitted(s, &ac.bytes)
		w.execute(s)
	}
}

// permitted gives permits to a send whose caller has waited for them.
func (w *World) permitted(s int32, sem *semaphore) {
	p := &w.sends.items[s].permits
	w.eng.Stop(p.timer)
	p.timer = sim.Timer{}
	sem.take(p)
}
