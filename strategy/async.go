package strategy

// Async is one asynchronous send as a state machine: told what became of an attempt, it names the
// next one. It owns no clock and no network. Begin, or BeginFixed, starts it, and starts it again
// after it is over, without allocation.
//
// An attempt is handed over to the network, which either takes it (Handed, once for the send) or
// throws (Threw); what is taken ends later (Ended). In 5.3.0 and later the network can tell of the end
// of one attempt twice: each is passed on, and the caller's callback may run twice, see Callbacks.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl in mode ASYNC, MQClientAPIImpl.sendMessageAsync and
// onExceptionImpl, 4.0.0-5.3.3.
type Async struct {
	policy   Policy
	profile  *Profile
	settings *Settings
	route    *Route // nil: the caller chose the queue
	trace    *Trace

	first Queue // the first choice; a retry keeps its id, whatever broker it goes to
	entry int32 // 1 + the first choice's position in the list, 0 if it is not in the list
	// begin is when the send began, from when the attempt in flight did.
	begin, from Millis
	broker      Broker // of the attempt in flight
	before      Broker // of the attempt before it
	left        Millis // what the attempt in flight was given
	times       int    // failures so far
	attempts    int
	callbacks   int
	result      Result
}

// Begin starts a send at now that chooses its queue itself, with left of its time left: what the
// executor's queue took is gone. false means that it is over: it has a result, and no attempt is made.
// A nil or empty route ends it at once. Select and what follows run on the thread th.
func (a *Async) Begin(
	now, left Millis, pol Policy, p *Profile, s *Settings, r *Route, th *Thread, src Source, tr *Trace,
) (Attempt, bool) {
	a.reset(now, left, pol, p, s, tr)
	if r == nil || len(r.Queues) == 0 {
		a.tell(Result{Exception: MQClientException, Code: CodeNotFoundTopic, Broker: NoBroker})
		return Attempt{}, false
	}
	a.route = r
	th.entry = 0
	q, ok := pol.Select(now, r, th, src, Request{Last: NoBroker, Attempt: 1}, tr)
	if !ok || left < 0 {
		a.tell(Result{Exception: RemotingTooMuchRequestException, Broker: NoBroker})
		return Attempt{}, false
	}
	a.first, a.entry = q, th.entry
	return a.attempt(now, q.Broker)
}

// BeginFixed starts a send to a queue that the caller, or its selector, chose. It keeps to that queue,
// and only the end of an attempt updates the table.
//
// Source: DefaultMQProducerImpl.send(Message, MessageQueue, SendCallback) and sendSelectImpl,
// 4.0.0-5.3.3.
func (a *Async) BeginFixed(
	now, left Millis, pol Policy, p *Profile, s *Settings, q Queue, tr *Trace,
) (Attempt, bool) {
	a.reset(now, left, pol, p, s, tr)
	tr.chose(RuleCaller)
	if left < 0 {
		a.tell(Result{Exception: RemotingTooMuchRequestException, Broker: NoBroker})
		return Attempt{}, false
	}
	a.first = q
	return a.attempt(now, q.Broker)
}

// BeginSelected is BeginFixed with a queue that a selector chooses among those of a route, by a key. An
// exception of the selector, or none of the queues, ends the send.
//
// Source: DefaultMQProducerImpl.sendSelectImpl, 4.0.0-5.3.3.
func (a *Async) BeginSelected(
	now, left Millis, pol Policy, p *Profile, s *Settings, sel QueueSelector, key int32, r *Route,
	src Source, tr *Trace,
) (Attempt, bool) {
	q, ok := selectQueue(sel, key, r, src)
	if !ok {
		a.reset(now, left, pol, p, s, tr)
		a.tell(Result{Exception: MQClientException, Code: CodeNone, Broker: NoBroker})
		return Attempt{}, false
	}
	return a.BeginFixed(now, left, pol, p, s, q, tr)
}

func (a *Async) reset(now, left Millis, pol Policy, p *Profile, s *Settings, tr *Trace) {
	*a = Async{
		policy: pol, profile: p, settings: s, trace: tr, begin: now, left: left,
		first: Queue{Broker: NoBroker}, broker: NoBroker, before: NoBroker,
	}
}

// attempt makes the next attempt, with what is left.
func (a *Async) attempt(now Millis, b Broker) (Attempt, bool) {
	a.before, a.broker, a.from = a.broker, b, now
	a.attempts++
	refused := false
	if a.route != nil {
		refused = refuses(a.policy, a.settings, now, b)
		a.policy.Sent(now, b)
	}
	return Attempt{
		Number: a.attempts, Queue: Queue{Broker: b, ID: a.first.ID}, Timeout: a.left, Refused: refused,
	}, true
}

// Handed tells that the hand-over of the first attempt is over, that of retries that it set off
// included: the send updates the table as if it had been answered. That begins the item's time anew in
// releases that overwrite, and ends the isolation that a failed hand-over has just begun.
func (a *Async) Handed(now Millis) {
	if a.route == nil {
		return
	}
	a.policy.Ended(now, Ended{
		Broker: a.HandedTo(), Latency: now - a.begin, Reachable: true, OK: true, Handed: true,
	}, a.trace)
}

// HandedTo is the broker that Handed tells the table of, NoBroker if it tells nothing: that of the queue
// chosen first, as the client reads it now.
func (a *Async) HandedTo() Broker {
	switch {
	case a.route == nil:
		return NoBroker
	case a.entry > 0:
		return a.route.Queues[a.entry-1].Broker // another thread may have rewritten the entry
	}
	return a.first.Broker
}

// Threw tells that the network threw instead of taking the attempt in flight: there is no connection,
// or no time. The next attempt, if there is one, is chosen on thread th.
func (a *Async) Threw(now Millis, o Outcome, th *Thread, src Source) (Attempt, bool) {
	thrown := o.Kind.exception()
	if a.attempts == 1 && (thrown == MQClientException || a.profile.AsyncThrow == AsyncThrowEnds) {
		return a.threwFirst(now, o)
	}
	if a.profile.AsyncThrow == AsyncThrowRetries {
		a.update(now, a.broker, now-a.from, true, a.profile.Flags == FlagsIsolate)
		a.left -= now - a.from
		return a.failed(now, true, Result{Exception: thrown, Broker: a.broker}, th, src)
	}
	if a.route != nil {
		a.policy.Ended(now, Ended{Broker: a.broker, Latency: now - a.from, Untold: true}, nil)
	}
	if thrown == RemotingTooMuchRequestException {
		return a.failed(now, false, Result{Exception: thrown, Broker: a.broker}, th, src)
	}
	// The attempt before has ended already: what follows is for the table alone.
	a.policy.Ended(now, Ended{
		Broker: a.before, Latency: asyncBlame, Isolation: true, Reachable: true, Handed: true,
	}, a.trace)
	return a.failed(now, true, Result{Exception: thrown, Broker: a.broker}, th, src)
}

// asyncBlame is the latency that a retry which cannot be handed over writes down for the broker of
// the attempt before it.
//
// Source: MQClientAPIImpl.onExceptionImpl, 4.0.0-4.9.2.
const asyncBlame Millis = 3000

// threwFirst ends a send whose first attempt the network did not take, as the synchronous loop with
// one attempt does. A send to a queue of the caller's choice passes the exception on as it is.
func (a *Async) threwFirst(now Millis, o Outcome) (Attempt, bool) {
	thrown := o.Kind.exception()
	if a.route == nil {
		a.tell(Result{Exception: thrown, Broker: a.broker})
		return Attempt{}, false
	}
	l := Loop{profile: a.profile, settings: a.settings, last: thrown}
	isolation, reachable := l.flags(thrown)
	a.update(now, a.broker, now-a.from, isolation, reachable)
	a.tell(Result{Exception: MQClientException, Code: l.code(), Cause: thrown, Broker: a.broker})
	return Attempt{}, false
}

// Ended tells how an attempt that the network took ended. written is when its request was written, or
// when it began if it never was. The next attempt, if there is one, is chosen on thread th, which is
// one of the network's.
func (a *Async) Ended(now, written Millis, o Outcome, th *Thread, src Source) (Attempt, bool) {
	since := written
	if a.profile.AsyncLatency == AsyncLatencyBegun {
		since = a.from
	}
	thrown := o.Kind.exception()
	a.update(now, a.broker, now-since, thrown != ExceptionNone, true)
	if thrown == ExceptionNone {
		a.tell(Result{Status: o.Kind.status(), Broker: a.broker})
		return Attempt{}, false
	}
	a.left -= now - a.from
	if a.profile.AsyncRetry == AsyncRetryZero {
		a.left = 0
	}
	r := Result{Exception: MQClientException, Code: CodeNone, Cause: thrown, Broker: a.broker}
	again := true
	switch thrown {
	case MQBrokerException:
		r = Result{Exception: thrown, Code: o.Code, Broker: a.broker}
		again = false
	case RemotingTooMuchRequestException:
		again = false
	}
	return a.failed(now, again, r, th, src)
}

// failed counts a failure and makes the next attempt, or tells the caller.
func (a *Async) failed(now Millis, again bool, r Result, th *Thread, src Source) (Attempt, bool) {
	a.times++
	again = again && a.times <= a.settings.RetryTimesWhenSendAsyncFailed
	if again && a.profile.AsyncRetry == AsyncRetryIfLeft {
		again = a.left > 0
	}
	if !again {
		a.tell(r)
		return Attempt{}, false
	}
	b := a.broker
	if a.route == nil && a.profile.AsyncRepeat == AsyncRepeatThrows {
		return Attempt{}, false // and nobody is told
	}
	if a.route != nil {
		req := Request{Last: a.broker, Attempt: a.attempts + 1}
		if q, ok := a.policy.Select(now, a.route, th, src, req, a.trace); ok {
			b = q.Broker
		}
	}
	return a.attempt(now, b)
}

func (a *Async) update(now Millis, b Broker, latency Millis, isolation, reachable bool) {
	a.policy.Ended(now, Ended{
		Broker: b, Latency: latency, Isolation: isolation, Reachable: reachable, OK: !isolation,
	}, a.trace)
}

// tell runs the caller's callback.
func (a *Async) tell(r Result) {
	if a.callbacks++; a.callbacks > 1 {
		return
	}
	r.Attempts = a.attempts
	a.result = r
}

// Callbacks is how often the caller's callback has run; more than once only in 5.3.0 and later. It is 0 of a
// send that is over only where AsyncRepeatThrows: nobody will ever be told.
func (a *Async) Callbacks() int { return a.callbacks }

// Result is what the callback got the first time. It is valid once Callbacks is above 0.
func (a *Async) Result() Result { return a.result }
