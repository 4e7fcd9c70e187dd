package strategy

// Millis is a time or a span in whole milliseconds, as Java's System.currentTimeMillis() counts
// them. A RocketMQ client never measures anything finer.
type Millis int64

// Broker is a broker name, as an index into the caller's own table of names (0..n-1). A name
// stands for a master and its slaves.
type Broker int32

// NoBroker stands where Java has a null broker name.
const NoBroker Broker = -1

// Queue is one message queue of the topic at hand: a broker name and a queue id on it.
//
// The id is signed because three releases really compute a negative one: in 4.8.0 and in
// 4.9.0-4.9.3 the index that overflowed is taken modulo the number of queues as it is (see
// [IndexStuck] and [IndexReversed]).
type Queue struct {
	Broker Broker
	ID     int32
}

// Source is where random values come from: java.util.Random as the client uses it. One Source
// belongs to one client thread; every call advances it.
type Source interface {
	// Int32 is Random.nextInt(): any int32.
	Int32() int32
	// Int31n is Random.nextInt(n): 0 <= value < n, for n > 0. The start of an index after a reset
	// is Int31n(math.MaxInt32); a shuffle asks for Int31n(i), i = size..2.
	Int31n(n int32) int32
}

// Request says which choice of one send this is.
type Request struct {
	// Last is the broker of the previous attempt, NoBroker on the first.
	Last Broker
	// Attempt is the number of the attempt that the choice is for, 1 for the first.
	Attempt int
	// ResetIndex asks for a new random start of the thread's index, as a synchronous retry does
	// from 5.1.4 on. Releases before that, and a producer with avoidance off, ignore it.
	ResetIndex bool
}

// Ended tells a policy how an attempt ended: the arguments of updateFaultItem, and whether there
// was an answer.
type Ended struct {
	Broker Broker
	// Latency is what the attempt took: connecting, waiting for locks and the answer.
	Latency Millis
	// Isolation asks to treat the attempt as slow as [Profile.IsolationLatency] whatever it took.
	Isolation bool
	// Reachable is what the fault item's flag becomes, in releases that have one.
	Reachable bool
	// OK is whether the broker took the message: it answered with any [Status], and the client threw
	// no exception. No policy of this package looks at it. It is for a policy of the caller's own
	// that counts failures or the rate of success: Isolation does not tell them apart, as it is
	// also false for an interrupt and for a broker name without an address.
	OK bool
	// Handed is whether the attempt is not over, but only handed over: an asynchronous send updates
	// the table then, too, as if there had been an answer. Only RocketMQ's own rules heed it.
	Handed bool
	// Untold is whether the client ended the attempt without a word to the table. RocketMQ's own rules
	// do not heed it; a policy that counts what is in flight has to.
	Untold bool
}

// Item is what a fault table holds about one broker.
type Item struct {
	// Latency is the elapsed time of the last attempt that ended there.
	Latency Millis
	// Start is when the broker is available again; in the past if it is. 0 = never isolated.
	Start Millis
	// Reachable is the flag of 5.1.4 and later; always true in releases before.
	Reachable bool
}

// Probe says what came of a probe that [Policy.NextProbe] asked for.
type Probe uint8

const (
	// ProbeUnresolved: the broker's name has no master address any more, nothing was sent.
	ProbeUnresolved Probe = iota
	// ProbeFailed: no answer in time, or an error.
	ProbeFailed
	// ProbeAnswered: the broker answered the read.
	ProbeAnswered
)

// String returns the result in words.
func (p Probe) String() string {
	return nameOf(probeNames[:], uint8(p), "Probe")
}

var probeNames = [...]string{"unresolved", "failed", "answered"}

// Policy decides where one producer's messages go, and learns from how they fared. It is pure: it
// is told the time, owns no clock, network, lock or goroutine, and is not safe for concurrent use.
// Package concurrent has RocketMQ's made safe, with atomic variables (NewPolicy), and puts any other
// under a mutex (NewLocked), as long as its release has not [FallbackMutates].
//
// One value belongs to one producer, as RocketMQ's MQFaultStrategy does: it spans topics. A
// [Route], in contrast, may be shared by several producers, and a [Thread] belongs to one client
// thread.
//
// The contract of a call: now never goes back; every Select whose queue is used is followed by
// Sent, and every Sent by exactly one Ended that is not Handed; an Ended may come without a Sent, of
// an asynchronous send whose queue the caller chose; a Broker is below the number of names the policy
// was made with; tr may be nil.
type Policy interface {
	// Select chooses the queue for an attempt. It is false only if the route has no queue.
	Select(now Millis, r *Route, th *Thread, src Source, req Request, tr *Trace) (Queue, bool)
	// Sent tells that an attempt was handed to the network.
	Sent(now Millis, b Broker)
	// Ended tells that an attempt ended.
	Ended(now Millis, e Ended, tr *Trace)
	// Budget is the timeout for attempt 1..attempts, given what is left of the whole send.
	Budget(attempt, attempts int, remaining Millis) Millis
	// Item is the table's entry for a broker, false if there is none.
	Item(b Broker) (Item, bool)
	// Available says whether the table would let b be chosen now. A broker without an item is
	// available. It changes nothing.
	Available(now Millis, b Broker) bool
	// NextProbe names the next broker that a detector round has to probe, after the given one
	// (NoBroker begins the round), and marks it as probed at now. It is false at the end of the
	// round, and always in a policy without probes.
	NextProbe(now Millis, after Broker) (Broker, bool)
	// Probed tells what came of it.
	Probed(now Millis, b Broker, p Probe, tr *Trace)
}

// DetectRound runs one whole detector round at one instant: every broker that is due is resolved,
// and probed if it resolves. A caller whose probes take time uses NextProbe and Probed itself:
// RocketMQ probes one broker after the other on a single thread.
func DetectRound(now Millis, p Policy, resolvable, responding func(Broker) bool, tr *Trace) {
	b, more := p.NextProbe(now, NoBroker)
	for more {
		switch {
		case !resolvable(b):
			p.Probed(now, b, ProbeUnresolved, tr)
		case responding(b):
			p.Probed(now, b, ProbeAnswered, tr)
		default:
			p.Probed(now, b, ProbeFailed, tr)
		}
		b, more = p.NextProbe(now, b)
	}
}
