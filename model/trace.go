package model

import (
	"simrun/sim"
	"simrun/strategy"
)

// Tracer is told about one message what an Observer is not: why each queue was chosen, what happened
// to its requests on the way, and what its attempts taught the fault table. Both are told in one
// order. Arguments are valid during the call only, and a Tracer must not call back into the World.
type Tracer interface {
	// Chosen: the policy was asked for a queue.
	Chosen(c *Choice)
	// Stepped: something happened to the message or to one of its requests.
	Stepped(s *Step)
	// Updated: the end of an attempt changed the item of its broker in the instance's fault table.
	Updated(u *TableUpdate)
}

// Choice is one choice of a queue, with the reasons.
type Choice struct {
	At sim.Time
	// Made is false if no attempt followed, because the time of the send was up: the queue was chosen
	// all the same, and Attempt is zero.
	Made    bool
	Attempt strategy.Attempt
	// Attempts is how many the send may take in all.
	Attempts int
	// Left is what was left of the send's time; Attempt.Timeout may be less.
	Left strategy.Millis
	// Route is the publish list, Why what the policy recorded.
	Route *strategy.Route
	Why   *strategy.Trace
	// Avoided[b] is when the fault table lets broker b be chosen again, on the simulation clock; 0 if
	// the table lets it be chosen now, or does not know it.
	Avoided []sim.Time
}

// TableUpdate is what the end of an attempt did to the fault table.
type TableUpdate struct {
	At sim.Time
	strategy.Update
	// Until is After.Start on the simulation clock. It is not after At if the broker is available.
	Until sim.Time
}

// Step is something that happened to the message or to one of its requests.
type Step struct {
	At sim.Time
	// Try is the attempt it belongs to, 0 before the first. A request may outlive its attempt.
	Try    int32
	Broker int32
	What   StepWhat
	// Span, N and Outcome are set where StepWhat says so.
	Span    sim.Duration
	N       int32
	Outcome strategy.Outcome
}

// StepWhat tells what happened in a Step.
type StepWhat uint8

// Kinds of Step.
const (
	Taken            StepWhat = iota // a free thread of the instance took the message
	RouteAsked                       // no queue is known: the thread asks the name server
	RouteCame                        // it goes on with the route it has now
	NoMaster                         // the client knows no master address of the broker
	ConnectBegan                     // no connection: the thread begins a handshake
	ConnectJoined                    // another thread began one that is pending: it waits for that
	Connected                        // the handshake is complete
	ConnectRefused                   // the handshake was refused
	ConnectTimedOut                  // the handshake took too long
	NothingLeft                      // connecting used up the attempt's time: nothing was written
	Written                          // the request is on its way; Span is the time for the answer
	HostSilent                       // it came to a host without power; TCP tries again after Span
	HostGone                         // TCP gives up: the client has closed the connection meanwhile
	RequestMissed                    // it did not come through; TCP tries again after Span
	ProcessGone                      // it came to a host without that process: RST
	ProcessPaused                    // it came to a stopped process and stays in its socket buffer
	Accepted                         // a send thread of the broker has it
	Queued                           // it waits for one, behind N others
	Frozen                           // its send thread was stopped in the middle of it
	Dropped                          // it died with the process
	AwaitsFsync                      // it is in the page cache; the answer waits for the disk
	AwaitsSlaves                     // likewise; the answer waits for slaves
	Responded                        // the answer with Outcome is on its way
	ResponseMissed                   // it did not come through; TCP tries again after Span
	ResponseCame                     // the thread has it
	ResponseLate                     // it came, and nobody waits for it
	ResetCame                        // the RST came to the client
	WaitOver                         // the time for the answer is over; the thread will wake soon
	ClosedByTimeout                  // a timeout of another request closed the connection under it
	ClosedByReset                    // an RST did
	ClosedByPeer                     // a FIN did
	LeftByPeer                       // a FIN did, and this release does not tell the one that waits
	LeftByReset                      // an RST or a timeout did, and this release does not tell either
	ClosedItself                     // its own timeout closed the connection
	SparedConnection                 // its own timeout was too short to close the connection
	KeptConnection                   // this release closes no connection because of a timeout
	IdleClosed                       // the connection had been idle for too long and was closed
	RouteMissed                      // no name server answered the thread: it throws
	Refused                          // the broker does not store it; N is the Refusal
	AwaitsLock                       // its send thread waits for the put lock, behind N others
	AwaitsDisk                       // it has the put lock, and the disk does not answer
	TooLarge                         // it is larger than maxMessageSize: the client throws
	SendsAgain                       // the send failed; the caller's N-th resend follows after Span
	AwaitsDial                       // Go: another connection is being dialed, and only one can be at a time
	WriteFailed                      // Go: its time is over before it is written; the connection is closed
	Submitted                        // an executor has the asynchronous send, behind N others
	PermitAwaited                    // its caller waits for permits of backpressure
	CallbackQueued                   // its attempt has ended, but no thread is free to say so; N wait before it
	ScanFound                        // a scan of what is unanswered found its time over for a second or more
	AskedNameServer                  // no address of the broker: the request goes to the name server
	HandedOver                       // a one-way request is on its way; nobody asks for an answer
	NotAnswered                      // the broker is done with it, with Outcome, and tells nobody
	LostUntold                       // its connection did not come about, and nobody is told
	CalledBackAgain                  // the callback of a send has run N times
	ConnectsAside                    // no connection: the client begins a handshake, and no thread waits for it
)

// trace is the one message that a World tells its Tracer about.
type trace struct {
	to     Tracer
	group  int32
	number uint64
	call   int32           // that carries it, none if none does
	left   int32           // that carries it once its thread is done with it, none if none does
	from   strategy.Millis // when its send loop began
	why    strategy.Trace
	step   Step
	choice Choice
	update TableUpdate
}

// Trace has a Tracer told about one message of a group. It must be called before the message comes
// into being, and only once. It changes nothing of what happens.
func (w *World) Trace(group int, number uint64, to Tracer) {
	if w.trace != nil {
		panic("model: a message is traced already")
	}
	if w.isThere(&w.groups[group], number) {
		panic("model: the message to trace is there already")
	}
	w.trace = &trace{
		to: to, group: int32(group), number: number, call: none, left: none,
		choice: Choice{Avoided: make([]sim.Time, len(w.names))},
	}
}

// is says whether a record is the message's.
func (tr *trace) is(m *Message) bool { return m.Number == tr.number && m.Group == tr.group }

// traceTaken follows a thread that took a message.
func (w *World) traceTaken(t, m int32) {
	if tr := w.trace; tr != nil && tr.is(&w.msgs.items[m].Message) {
		tr.call = t
		w.traceCall(t, Taken)
	}
}

// traceLoop is where the send loop of a thread records its reasons, nil unless somebody looks.
func (w *World) traceLoop(t int32, from strategy.Millis) *strategy.Trace {
	tr := w.trace
	if tr == nil || tr.call != t {
		return nil
	}
	tr.from = from
	tr.why.Reset()
	return &tr.why
}

// traceCall tells a step of a call, or of the thread that makes it.
func (w *World) traceCall(c int32, what StepWhat) {
	if w.trace != nil && w.trace.call == c {
		if w.hasThread(c) && w.threads[c].asks != asksNothing {
			return // on the way to a name server
		}
		ca := &w.calls.items[c]
		w.tellStep(ca.broker, int32(ca.attempt.Number), what, 0, 0)
	}
}

// traceThrow tells why a thread throws without a choice of a queue.
func (w *World) traceThrow(t int32, why StepWhat) {
	w.traceCall(t, why)
	if w.trace != nil && w.trace.call == t {
		w.trace.call = none
	}
}

// traceRequest tells a step of a request.
func (w *World) traceRequest(r int32, what StepWhat, span sim.Duration, n int32) {
	if w.trace != nil {
		w.tellRequest(r, what, span, n)
	}
}

func (w *World) tellRequest(r int32, what StepWhat, span sim.Duration, n int32) {
	q := &w.requests.items[r]
	if q.msg != none && w.trace.is(&w.msgs.items[q.msg].Message) {
		w.trace.step.Outcome = q.outcome
		w.tellStep(w.chans[q.channel].broker, q.attempt, what, span, n)
	}
}

func (w *World) tellStep(broker, try int32, what StepWhat, span sim.Duration, n int32) {
	s := &w.trace.step
	s.At, s.Broker, s.Try, s.What, s.Span, s.N = w.eng.Now(), broker, try, what, span, n
	switch what {
	case Taken, RouteAsked, RouteCame, RouteMissed, TooLarge:
		s.Broker, s.Try = none, 0 // the thread remembers the send before
	}
	w.trace.to.Stepped(s)
}

// traceNext tells what the send loop of a thread decided at now.
func (w *World) traceNext(t int32, now strategy.Millis, a strategy.Attempt, more bool) {
	tr := w.trace
	if tr == nil || tr.call != t {
		return
	}
	th := &w.threads[t]
	g := &w.groups[w.insts[th.inst].group]
	attempts := 1 + int(th.before)
	if !g.once {
		attempts += g.cfg.Settings.RetryTimesWhenSendFailed
	}
	w.tellChoice(th.inst, th.view, attempts, now, a, more)
	if !more {
		tr.call, tr.left = tr.left, none
	}
}

// traceSend tells what an asynchronous send decided.
func (w *World) traceSend(s int32, a strategy.Attempt, more bool) {
	sd := &w.sends.items[s]
	if tr := w.trace; tr != nil && tr.call == sd.call {
		g := &w.groups[w.insts[sd.inst].group]
		attempts := 1 + g.cfg.Settings.RetryTimesWhenSendAsyncFailed + int(sd.before)
		if more {
			a.Number += int(sd.before)
		}
		w.tellChoice(sd.inst, sd.view, attempts, w.clock(sd.inst), a, more)
	}
}

// tellChoice tells of the last choice of a queue, if there was one.
func (w *World) tellChoice(
	i, v int32, attempts int, now strategy.Millis, a strategy.Attempt, more bool,
) {
	tr := w.trace
	if tr.why.Rule != strategy.RuleNone {
		in := &w.insts[i]
		g := &w.groups[in.group]
		c := &tr.choice
		c.At, c.Made, c.Attempt, c.Route, c.Why = w.eng.Now(), more, a, w.views[v].route, &tr.why
		c.Attempts = attempts
		c.Left = g.cfg.Settings.SendMsgTimeout
		if g.profile.Budget == strategy.BudgetShared {
			c.Left -= now - tr.from
		}
		for b := range c.Avoided {
			c.Avoided[b] = 0
			if it, ok := in.policy.Item(strategy.Broker(b)); ok && it.Start > now {
				c.Avoided[b] = w.unclock(i, it.Start)
			}
		}
		tr.to.Chosen(c)
	}
	tr.why.Reset() // the loop may give up without another choice
}

// traceUpdate tells what the end of an attempt taught the table.
func (w *World) traceUpdate(c int32) {
	tr := w.trace
	if tr == nil || tr.call != c || !tr.why.Update.Happened {
		return
	}
	u := &tr.update
	u.At, u.Update = w.eng.Now(), tr.why.Update
	u.Until = w.unclock(w.calls.items[c].inst, u.After.Start)
	tr.to.Updated(u)
}

// traceSubmitted follows a message from the thread that took it to the call of its asynchronous send.
func (w *World) traceSubmitted(t, c int32) {
	if w.trace != nil && w.trace.call == t {
		w.trace.call = c
	}
}

// traceLeft notes the call that a one-way request goes on with when thread t is done with it.
func (w *World) traceLeft(t, c int32) {
	if w.trace != nil && w.trace.call == t {
		w.trace.left = c
	}
}

// traceOneWayOver ends the story of a request that waited for its connection by itself.
func (w *World) traceOneWayOver(c int32) {
	if w.trace != nil && w.trace.call == c {
		w.trace.call = none
	}
}

// traceQueued tells that a send waits for a thread of a pool.
func (w *World) traceQueued(c int32, what StepWhat, pool *workers) {
	if w.trace != nil && w.trace.call == c {
		ca := &w.calls.items[c]
		w.tellStep(ca.broker, int32(ca.attempt.Number), what, 0, int32(pool.queue.len()))
	}
}

// traceSendOver ends the story of an asynchronous send whose callback has run so many times.
func (w *World) traceSendOver(c int32, callbacks int) {
	if w.trace == nil || w.trace.call != c {
		return
	}
	if callbacks > 1 {
		ca := &w.calls.items[c]
		w.tellStep(ca.broker, int32(ca.attempt.Number), CalledBackAgain, 0, int32(callbacks))
	}
	w.trace.call = none
}

// traceClosed tells what a connection that is closed does to a request on it.
func (w *World) traceClosed(r int32, how closing, failFast bool) {
	if w.trace == nil {
		return
	}
	what := [...]StepWhat{ClosedByTimeout, ClosedByReset, ClosedByPeer}[how]
	switch {
	case failFast:
	case how == byPeer:
		what = LeftByPeer
	default:
		what = LeftByReset
	}
	w.tellRequest(r, what, 0, 0)
}
