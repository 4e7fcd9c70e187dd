package strategy

// Once is a send of one attempt as a state machine: a one-way send, or a synchronous one to a queue
// that the caller, or its selector, chose. Begin, BeginFixed or BeginSelected starts it, and starts it
// again after it is over, without allocation; Done ends it.
//
// A one-way send is over as soon as its request is handed to the socket, which is OutcomeHanded. If
// the client chose the queue, the table then learns of an answer that took no time, which to 5.1.3
// ends an isolation. Whatever the broker makes of the request, nobody is told. From 5.3.0 on that goes
// for the connection, too: the request waits for it, and if it does not come about nobody is told.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl in mode ONEWAY, sendSelectImpl, send(Message,
// MessageQueue) and sendOneway, MQClientAPIImpl.sendMessage, 4.0.0-5.3.3;
// NettyRemotingClient.invokeOneway, 5.2.0 and 5.3.0.
type Once struct {
	policy   Policy
	profile  *Profile
	settings *Settings
	route    *Route // nil: the caller chose the queue
	trace    *Trace

	entry  int32 // 1 + the choice's position in the list, 0 if it is not in the list
	queue  Queue
	from   Millis // when the attempt began
	result Result
}

// Begin starts a one-way send at now that chooses its queue itself; it was called at began, and what
// it has taken since, on a look-up of the route, counts against the budget. false means that it is
// over: it has a result, and no attempt is made. A nil or empty route ends it at once.
func (o *Once) Begin(
	began, now Millis, pol Policy, p *Profile, s *Settings, r *Route, th *Thread, src Source, tr *Trace,
) (Attempt, bool) {
	*o = Once{policy: pol, profile: p, settings: s, trace: tr, from: now, queue: Queue{Broker: NoBroker}}
	if r == nil || len(r.Queues) == 0 {
		return o.over(Result{Exception: MQClientException, Code: CodeNotFoundTopic, Broker: NoBroker})
	}
	o.route = r
	th.entry = 0
	q, ok := pol.Select(now, r, th, src, Request{Last: NoBroker, Attempt: 1}, tr)
	left := budgetLeft(p, s, now-began)
	if !ok || left < 0 {
		return o.over(Result{Exception: RemotingTooMuchRequestException, Broker: NoBroker})
	}
	o.queue, o.entry = q, th.entry
	refused := refuses(pol, s, now, q.Broker)
	pol.Sent(now, q.Broker)
	return Attempt{Number: 1, Queue: q, Timeout: left, Refused: refused}, true
}

// BeginFixed starts a send at now to a queue of the caller's choice, with what is left since began.
// Nothing of it touches a fault table.
func (o *Once) BeginFixed(
	began, now Millis, p *Profile, s *Settings, q Queue, tr *Trace,
) (Attempt, bool) {
	*o = Once{profile: p, settings: s, trace: tr, from: now, queue: q}
	tr.chose(RuleCaller)
	left := budgetLeft(p, s, now-began)
	if left < 0 {
		return o.over(Result{Exception: RemotingTooMuchRequestException, Broker: NoBroker})
	}
	return Attempt{Number: 1, Queue: q, Timeout: left}, true
}

// BeginSelected is BeginFixed with a queue that a selector chooses among those of a route, by a key. An
// exception of the selector, or none of the queues, ends the send.
//
// Source: DefaultMQProducerImpl.sendSelectImpl, 4.0.0-5.3.3.
func (o *Once) BeginSelected(
	began, now Millis, p *Profile, s *Settings, sel QueueSelector, key int32, r *Route, src Source,
	tr *Trace,
) (Attempt, bool) {
	q, ok := selectQueue(sel, key, r, src)
	if !ok {
		*o = Once{}
		return o.over(Result{Exception: MQClientException, Code: CodeNone, Broker: NoBroker})
	}
	return o.BeginFixed(began, now, p, s, q, tr)
}

// selectQueue asks a selector for a queue of a route that may be nil. False is an MQClientException
// without a code, whatever the reason.
func selectQueue(sel QueueSelector, key int32, r *Route, src Source) (Queue, bool) {
	if r == nil || len(r.Queues) == 0 {
		return Queue{}, false
	}
	return sel.SelectQueue(r.Queues, key, NoBroker, src)
}

// budgetLeft is what is left of a send's time after so much of it. A budget of each attempt's own is
// always left.
func budgetLeft(p *Profile, s *Settings, taken Millis) Millis {
	if p.Budget == BudgetShared {
		return s.SendMsgTimeout - taken
	}
	return s.SendMsgTimeout
}

// Done tells how the attempt ended, or that it was handed over. The exceptions of a send to a queue of
// the caller's choice are passed on as they are.
func (o *Once) Done(now Millis, out Outcome) {
	thrown := out.Kind.exception()
	if o.route == nil {
		o.result = Result{
			Status: out.Kind.status(), Exception: thrown, Code: out.Code, Broker: o.queue.Broker, Attempts: 1,
		}
		if thrown == MQClientException {
			o.result.Code = CodeNone
		}
		return
	}
	l := Loop{profile: o.profile, settings: o.settings, last: thrown}
	isolation, reachable := l.flags(thrown)
	b := o.queue.Broker
	if o.entry > 0 {
		b = o.route.Queues[o.entry-1].Broker // another thread may have rewritten the entry
	}
	o.policy.Ended(now, Ended{
		Broker: b, Latency: now - o.from, Isolation: isolation, Reachable: reachable,
		OK: thrown == ExceptionNone,
	}, o.trace)
	o.result = Result{Status: out.Kind.status(), Broker: o.queue.Broker, Attempts: 1}
	if thrown != ExceptionNone {
		o.result.Exception, o.result.Code, o.result.Cause = MQClientException, l.code(), thrown
	}
}

func (o *Once) over(r Result) (Attempt, bool) {
	o.result = r
	return Attempt{}, false
}

// Result is what the caller gets. It is valid after Done, and after a beginning that was false.
func (o *Once) Result() Result { return o.result }
