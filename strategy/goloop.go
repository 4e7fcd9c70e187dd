package strategy

import "slices"

// GoMode is how a Go producer is called.
type GoMode uint8

// The modes: SendSync, SendOneWay and SendAsync, which makes one attempt.
const (
	GoSync GoMode = iota
	GoOneWay
	GoAsync
)

// GoLoop is one send of the official Go client as a state machine, as [Loop] is one of the Java client:
// asked for the next attempt, told its outcome. Begin starts it, and starts it
// again after it is over, without allocation.
//
// There is no fault table and no budget: each attempt has the whole of its time, and follows the one
// before at once. A deadline of the caller's own context is not modelled. Each attempt asks for the
// route anew and puts the choice to the selector, which, unlike in Java, is asked again on a retry even
// if it is the caller's own.
//
// Source: rocketmq-client-go producer/producer.go, sendSync, sendOneWay, sendAsync and
// selectMessageQueue, v2.1.0 to the head of master in December 2025.
type GoLoop struct {
	profile  *GoProfile
	settings *Settings
	selector QueueSelector
	src      Source
	trace    *Trace
	key      int32
	mode     GoMode

	tries    int // of the loop, those without a queue included
	attempts int // handed out
	last     Broker
	inFlight bool
	over     bool
	err      Exception // of the last try that had one
	result   Result
}

// Begin starts a send whose selector is given key (see [QueueSelector]). The loop keeps all its
// arguments until the send is over.
func (l *GoLoop) Begin(
	p *GoProfile, s *Settings, sel QueueSelector, key int32, mode GoMode, src Source, tr *Trace,
) {
	l.profile, l.settings, l.selector, l.key, l.mode = p, s, sel, key, mode
	l.src, l.trace = src, tr
	l.tries, l.attempts = 0, 0
	l.last = NoBroker
	l.inFlight, l.over = false, false
	l.err = ExceptionNone
}

// Next chooses the queue of the next attempt from the publish list as it is now. A nil or empty list
// takes up a try, each time: the caller of Next has asked the name servers before, if the list is not
// known. False means that the send is over, or, with a list that is nil, that the caller has to ask
// again before the next try: see Over.
func (l *GoLoop) Next(r *Route) (Attempt, bool) {
	if l.inFlight {
		panic("strategy: GoLoop.Next with an attempt in flight")
	}
	for !l.over && !l.spent() {
		l.tries++
		if q, ok := l.choose(r); ok {
			l.attempts++
			l.inFlight = true
			l.last = q.Broker
			return Attempt{Number: l.attempts, Queue: q, Timeout: l.timeout()}, true
		}
		l.err, l.last = GoRouteNotFound, NoBroker
		if r == nil {
			l.spent()
			break
		}
	}
	return Attempt{}, false
}

// spent ends the send if no try is left.
func (l *GoLoop) spent() bool {
	if l.tries < l.total() {
		return false
	}
	l.finish(Result{Exception: l.err, Broker: l.last})
	return true
}

// total is the number of tries.
func (l *GoLoop) total() int {
	if l.mode == GoAsync {
		return 1
	}
	return 1 + l.settings.RetryTimesWhenSendFailed
}

// timeout is the time of an attempt.
func (l *GoLoop) timeout() Millis {
	if l.profile.AttemptTimeout == GoTimeoutFixed {
		return goFixedTimeout
	}
	return l.settings.SendMsgTimeout
}

// choose asks the selector.
func (l *GoLoop) choose(r *Route) (Queue, bool) {
	l.trace.beginChoice()
	if r == nil || len(r.Queues) == 0 {
		return Queue{}, false
	}
	told := NoBroker
	if l.profile.LastBroker == GoLastTold || l.mode == GoOneWay && l.profile.LastBroker == GoLastOneWay {
		told = l.last
	}
	q, ok := l.selector.SelectQueue(r.Queues, l.key, told, l.src)
	if ok {
		l.trace.chose(RuleRoundRobin)
	}
	return q, ok
}

// Done tells how the attempt in flight ended. A one-way attempt that was handed to the socket ends with
// OutcomeOK.
func (l *GoLoop) Done(o Outcome) {
	if !l.inFlight {
		panic("strategy: GoLoop.Done without an attempt in flight")
	}
	l.inFlight = false
	err := goError(o.Kind)
	switch {
	case l.mode == GoAsync:
		l.finish(GoAsyncResult(l.profile, l.last, o))
	case err == ExceptionNone && l.mode == GoOneWay:
		l.finish(Result{Status: StatusHanded, Broker: l.last})
	case err == ExceptionNone:
		l.finish(Result{Status: o.Kind.status(), Broker: l.last})
	case err == GoRouteNotFound:
		l.finish(Result{Exception: err, Broker: l.last})
	case err != GoBrokerError:
		l.err = err
	case l.tries >= l.total() || !slices.Contains(l.profile.RetryResponseCodes, o.Code):
		l.finish(Result{Exception: err, Code: o.Code, Broker: l.last})
	}
}

// goError is the error that the Go client's call returns, ExceptionNone for an answer.
func goError(k OutcomeKind) Exception {
	switch k.exception() {
	case ExceptionNone:
		return ExceptionNone
	case MQBrokerException:
		return GoBrokerError
	case RemotingConnectException:
		return GoDialError
	case RemotingSendRequestException:
		return GoWriteError
	case MQClientException:
		return GoRouteNotFound
	default:
		return GoRequestTimeout
	}
}

func (l *GoLoop) finish(r Result) {
	r.Attempts = l.attempts
	l.result = r
	l.over = true
}

// Over says whether the send is over.
func (l *GoLoop) Over() bool { return l.over }

// Result is what the caller gets. It is valid once the send is over.
func (l *GoLoop) Result() Result { return l.result }

// GoAsyncResult is what the caller of SendAsync gets in the end, from the call or in its callback, if
// its only attempt on broker b ended with o. There is no second attempt.
//
// Source: rocketmq-client-go producer/producer.go, sendAsync, v2.1.1 and v2.1.2.
func GoAsyncResult(p *GoProfile, b Broker, o Outcome) Result {
	r := Result{Exception: goError(o.Kind), Status: o.Kind.status(), Broker: b, Attempts: 1}
	if r.Exception == GoBrokerError {
		r.Code = o.Code
		if p.AsyncRefusal == GoRefusalUnknown {
			r.Exception = GoUnknownStatus
		}
	}
	return r
}
