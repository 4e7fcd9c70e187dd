package model

import (
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// resending is what is known of messages whose first send has failed.
type resending struct {
	// pending counts those that wait for their next send. They are in flight, and nobody's hands.
	pending int64
	first   map[int32]firstSend // by message
}

// firstSend is what the answer tells of a message's first send.
type firstSend struct {
	began sim.Time
	// first is how long its first attempt took, if it was tried.
	first sim.Duration
	tried bool
}

// sendsAgain plans the next send of a message whose send has ended in an exception, if its caller sends it
// again. Until then it is in flight, and in an open loop no thread waits with it.
func (w *World) sendsAgain(m int32, by *teller) bool {
	r := &w.msgs.items[m]
	g := &w.groups[r.Group]
	if int(r.resends) >= g.cfg.OnFailure.Resends {
		return false
	}
	r.resends++
	w.keepFirst(m, by)
	w.resending.pending++
	delay := w.sample(&g.delay, drawResend, uint64(g.index), r.Number, uint64(r.resends))
	w.traceResend(r, delay)
	w.after(delay, evResend, m)
	return true
}

// keepFirst remembers the first send of a message, and its first attempt, which is of a later send if the
// first had none.
func (w *World) keepFirst(m int32, by *teller) {
	if w.resending.first == nil {
		w.resending.first = map[int32]firstSend{}
	}
	f, known := w.resending.first[m]
	if !known {
		f.began = by.began
	}
	if !f.tried && w.msgs.items[m].attempts > 0 {
		f.first, f.tried = by.first, true
	}
	w.resending.first[m] = f
}

// recall has the answer to a message that was sent again tell of its first send.
func (w *World) recall(m int32, by *teller) {
	f := w.resending.first[m]
	delete(w.resending.first, m)
	by.began = f.began
	if f.tried {
		by.first = f.first
	}
}

// resend is the next send of a message: it goes to the end of its instance's line, or in a closed loop to the
// thread that it comes from.
func (w *World) resend(m int32) {
	w.resending.pending--
	r := &w.msgs.items[m]
	g := &w.groups[r.Group]
	i := g.first + r.Instance
	if g.cfg.Arrivals == config.ClosedLoop {
		w.startSend(w.threadOf(g, r.Number), m)
		return
	}
	w.line(i, m)
}

// line gives a message to a thread of instance i, or has it wait for one.
func (w *World) line(i, m int32) {
	in := &w.insts[i]
	if in.resting == 0 {
		in.waiting.push(m)
		return
	}
	w.startSend(w.rise(in), m)
}

// startSend has a thread that is free send a message.
func (w *World) startSend(t, m int32) {
	if w.begin(t, m) {
		w.run(t)
	}
}

// acknowledged says whether the caller was told that the message is stored.
func (r *message) acknowledged() bool {
	s := strategy.Status(r.answer)
	return r.answer != answerInFlight && int(s) <= statuses && s != strategy.StatusHanded
}
