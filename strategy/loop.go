package strategy

// Loop is one synchronous send as a state machine: asked for the next attempt, told its outcome.
// It owns no clock and no network. Begin starts it, and starts it again after it is over, without
// allocation.
//
//	loop.Begin(now, policy, &profile, &settings, route, &thread, source, nil)
//	for attempt, more := loop.Next(now()); more; attempt, more = loop.Next(now()) {
//		loop.Done(now(), call(attempt.Queue, attempt.Timeout))
//	}
//	result := loop.Result()
//
// Source: DefaultMQProducerImpl.sendDefaultImpl in mode SYNC, 4.0.0-5.3.3. What Java's kernel
// checks of the timeout once more below the loop belongs to the network call, which then answers
// OutcomeTooMuchRequest or OutcomeTimeout.
type Loop struct {
	over        bool
	inFlight    bool
	callTimeout bool
	entry       int32 // 1 + its position in the list, 0 if it is not in the list

	policy   Policy
	profile  *Profile
	settings *Settings
	route    *Route
	thread   *Thread
	src      Source
	trace    *Trace

	began       Millis    // when the send began
	attemptFrom Millis    // when the attempt in flight began
	attempts    int       // handed out so far
	queue       Queue     // as it was chosen
	sentTo      Broker    // of the last attempt handed out
	last        Exception // of the last attempt that threw
	lastCode    int       // of the last MQBrokerException
	answer      Status    // of the last answer that was not accepted
	answerFrom  Broker
	result      Result
}

// Attempt is what the network is asked to do.
type Attempt struct {
	// Number is 1 for the first attempt.
	Number int
	Queue  Queue
	// Timeout bounds the call. It may be 0: a budget that is used up to the very millisecond still
	// allows an attempt.
	Timeout Millis
	// Refused says that the policy would not have let the broker be chosen at that moment, had it found
	// another: it has avoidance on, and takes what is left.
	Refused bool
}

// Begin starts a send at now. A look-up of the route counts against the budget: now is the time
// before it. A nil or empty route ends the send at once. The loop keeps all its arguments until
// the send is over; the profile is the one that the policy follows, or for a policy of its own,
// the release whose loop it runs in.
func (l *Loop) Begin(
	now Millis, pol Policy, p *Profile, s *Settings, r *Route, th *Thread, src Source, tr *Trace,
) {
	// Field by field: a composite literal would be built aside and copied.
	l.policy, l.profile, l.settings = pol, p, s
	l.route, l.thread, l.src, l.trace = r, th, src, tr
	l.began, l.attemptFrom = now, now
	l.attempts, l.entry = 0, 0
	l.queue = Queue{Broker: NoBroker}
	l.sentTo, l.answerFrom = NoBroker, NoBroker
	l.inFlight, l.over, l.callTimeout = false, false, false
	l.last, l.lastCode, l.answer = ExceptionNone, 0, StatusNone
	if r == nil || len(r.Queues) == 0 {
		l.finish(Result{
			Exception: MQClientException, Code: CodeNotFoundTopic, Broker: NoBroker,
		})
	}
}

// Next chooses the queue and the timeout of the next attempt; false means the send is over. The
// queue is chosen before the budget is looked at, so a send that ran out of time moves the index
// (and in old releases may rewrite an entry of the list) for an attempt that never is.
func (l *Loop) Next(now Millis) (Attempt, bool) {
	if l.over {
		return Attempt{}, false
	}
	if l.inFlight {
		panic("strategy: Loop.Next with an attempt in flight")
	}
	total := 1 + l.settings.RetryTimesWhenSendFailed
	if l.attempts >= total || !l.choose(now) {
		l.giveUp()
		return Attempt{}, false
	}
	l.attemptFrom = now
	remaining := l.settings.SendMsgTimeout
	if l.profile.Budget == BudgetShared {
		remaining -= now - l.began
		if remaining < 0 {
			l.callTimeout = true
			l.giveUp()
			return Attempt{}, false
		}
	}
	l.attempts++
	l.inFlight = true
	l.sentTo = l.queue.Broker
	timeout := l.policy.Budget(l.attempts, total, remaining)
	refused := refuses(l.policy, l.settings, now, l.sentTo)
	l.policy.Sent(now, l.sentTo)
	return Attempt{Number: l.attempts, Queue: l.queue, Timeout: timeout, Refused: refused}, true
}

// choose asks the policy for the queue of the coming attempt.
func (l *Loop) choose(now Millis) bool {
	req := Request{
		Last:       l.broker(),
		Attempt:    l.attempts + 1,
		ResetIndex: l.attempts > 0 && l.profile.ResetIndex == ResetIndexOnRetry,
	}
	l.thread.entry = 0
	q, ok := l.policy.Select(now, l.route, l.thread, l.src, req, l.trace)
	if ok {
		l.queue, l.entry = q, l.thread.entry
	}
	return ok
}

// broker is the broker of the queue chosen last as the client reads it now: the queue may be an
// element of a list that another thread has rewritten since.
func (l *Loop) broker() Broker {
	if l.entry > 0 {
		return l.route.Queues[l.entry-1].Broker
	}
	return l.queue.Broker
}

// refuses says whether a policy would not let a broker be chosen now. Ask before Sent: for a policy that
// counts what is in flight, the attempt itself may close the door.
func refuses(p Policy, s *Settings, now Millis, b Broker) bool {
	return s.SendLatencyFaultEnable && !p.Available(now, b)
}

// Done tells how the attempt in flight ended.
func (l *Loop) Done(now Millis, o Outcome) {
	if !l.inFlight {
		panic("strategy: Loop.Done without an attempt in flight")
	}
	l.inFlight = false
	thrown := o.Kind.exception()
	isolation, reachable := l.flags(thrown)
	l.policy.Ended(now, Ended{
		Broker:    l.broker(),
		Latency:   now - l.attemptFrom,
		Isolation: isolation,
		Reachable: reachable,
		OK:        thrown == ExceptionNone,
	}, l.trace)
	switch thrown {
	case ExceptionNone:
		l.answered(o.Kind.status())
	case InterruptedException:
		l.finish(Result{Exception: thrown, Broker: l.sentTo})
	case MQBrokerException:
		l.last, l.lastCode = thrown, o.Code
		if !l.settings.retries(l.profile, o.Code) {
			l.refuse(o.Code)
		}
	default:
		l.last = thrown
	}
}

// flags are the arguments of updateFaultItem for an exception, or for an answer.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, 4.0.0-5.1.3 ([FlagsIsolate]) and 5.1.4-5.3.3.
func (l *Loop) flags(thrown Exception) (isolation, reachable bool) {
	switch {
	case thrown == ExceptionNone || thrown == InterruptedException:
		return false, true
	case l.profile.Flags == FlagsIsolate:
		return true, true
	case thrown == MQClientException:
		return false, true
	case thrown == MQBrokerException:
		return true, false
	default:
		return true, !l.settings.StartDetectorEnable
	}
}

// answered ends the send, unless the status asks for another broker.
func (l *Loop) answered(s Status) {
	l.answer, l.answerFrom = s, l.sentTo
	if s == StatusSendOK || !l.settings.RetryAnotherBrokerWhenNotStoreOK {
		l.finish(Result{Status: s, Broker: l.answerFrom})
	}
}

// refuse ends the send after a broker's error that is not tried again: with the answer of an
// earlier attempt if there is one.
func (l *Loop) refuse(code int) {
	if l.answer != StatusNone {
		l.finish(Result{Status: l.answer, Broker: l.answerFrom})
		return
	}
	l.finish(Result{Exception: MQBrokerException, Code: code, Broker: l.sentTo})
}

// giveUp ends the send when no further attempt is made.
func (l *Loop) giveUp() {
	switch {
	case l.answer != StatusNone:
		l.finish(Result{Status: l.answer, Broker: l.answerFrom})
	case l.callTimeout:
		l.finish(Result{Exception: RemotingTooMuchRequestException, Broker: l.sentTo})
	default:
		l.finish(Result{
			Exception: MQClientException, Code: l.code(), Cause: l.last, Broker: l.sentTo,
		})
	}
}

// code is the code of the MQClientException that wraps the last attempt's exception.
func (l *Loop) code() int {
	switch l.last {
	case MQBrokerException:
		return l.lastCode
	case RemotingConnectException:
		return CodeConnectBroker
	case RemotingTimeoutException:
		return CodeAccessTimeout
	case MQClientException:
		return CodeBrokerNotExist
	default:
		return CodeNone
	}
}

func (l *Loop) finish(r Result) {
	r.Attempts = l.attempts
	l.result = r
	l.over = true
}

// Over says whether the send is over. A send whose attempts may go on is not, until Next says so.
func (l *Loop) Over() bool { return l.over }

// Result is what the caller gets. It is valid once the send is over.
func (l *Loop) Result() Result { return l.result }
