package strategy

import "strconv"

// The behaviours that changed between releases. Each is a small enumeration; a Profile holds one
// value of each, With sets one by its name.

// IndexRule is how a ThreadLocalIndex starts, advances and overflows.
//
// Source: ThreadLocalIndex.getAndIncrement, 4.0.0-4.8.0, and incrementAndGet, 4.9.0-5.3.3.
type IndexRule uint8

const (
	// IndexToZero: |draw|, then |v+1|; after 2147483647 comes 0.
	IndexToZero IndexRule = iota
	// IndexStuck: |draw|, then |v+1| without a guard: after 2147483647 it alternates between
	// -2147483648 and 2147483647 for ever.
	IndexStuck
	// IndexReversed: the stored value wraps and its absolute value is returned: after 2147483647
	// comes -2147483648 once, then 2147483647, 2147483646 … downwards.
	IndexReversed
	// IndexMaskedAbsStart: |draw|, then the low 31 bits of v+1: after 2147483647 comes 0.
	IndexMaskedAbsStart
	// IndexMasked: the raw draw, then the low 31 bits of v+1.
	IndexMasked
)

// String returns the value's name, as With accepts it.
func (v IndexRule) String() string { return nameOf(indexRuleNames, uint8(v), "IndexRule") }

var indexRuleNames = []string{"to-zero", "stuck", "reversed", "masked-abs-start", "masked"}

// start folds the first random draw.
func (v IndexRule) start(draw int32) int32 {
	switch v {
	case IndexToZero:
		return max(abs32(draw), 0)
	case IndexMasked:
		return draw
	default:
		return abs32(draw)
	}
}

// Selection is how a queue is chosen while avoidance is on.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.0.0-5.3.3.
type Selection uint8

const (
	// SelectionScan: one step of the index, a walk over the list from there to the first queue
	// that will do; if none will, pickOneAtLeast.
	SelectionScan Selection = iota
	// SelectionFilters: a walk over available brokers, then one over reachable ones, then the next
	// queue whatever it is. Every queue looked at is a step of the index.
	SelectionFilters
)

// String returns the value's name, as With accepts it.
func (v Selection) String() string { return nameOf(selectionNames, uint8(v), "Selection") }

var selectionNames = []string{"scan", "filters"}

// LastBroker is what a retry makes of the broker of the attempt before, with avoidance on. The
// last resorts never look at it.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.0.0-5.1.3; MQFaultStrategy.BrokerFilter,
// 5.1.4-5.3.3.
type LastBroker uint8

const (
	// LastBrokerMustEqual: only that broker will do. The comparison is the wrong way round.
	LastBrokerMustEqual LastBroker = iota
	// LastBrokerIgnored: any available broker will do.
	LastBrokerIgnored
	// LastBrokerMustDiffer: any other available broker will do.
	LastBrokerMustDiffer
)

// String returns the value's name, as With accepts it.
func (v LastBroker) String() string { return nameOf(lastBrokerNames, uint8(v), "LastBroker") }

var lastBrokerNames = []string{"must-equal", "ignored", "must-differ"}

// allows says whether a queue on b passes the rule.
func (v LastBroker) allows(b, last Broker) bool {
	switch {
	case last == NoBroker || v == LastBrokerIgnored:
		return true
	case v == LastBrokerMustEqual:
		return b == last
	default:
		return b != last
	}
}

// ScanOverflow is what happens when the walk of SelectionScan passes 2147483647.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.0.0-5.1.3.
type ScanOverflow uint8

const (
	// ScanOverflowFolds: the negative value is folded into the list and the walk goes on.
	ScanOverflowFolds ScanOverflow = iota
	// ScanOverflowThrows: a negative position is an IndexOutOfBoundsException, which is caught:
	// the next queue is taken whatever it is.
	ScanOverflowThrows
)

// String returns the value's name, as With accepts it.
func (v ScanOverflow) String() string { return nameOf(scanOverflowNames, uint8(v), "ScanOverflow") }

var scanOverflowNames = []string{"folds", "throws"}

// Fallback is how the broker of pickOneAtLeast becomes a queue.
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.0.0-5.1.3.
type Fallback uint8

const (
	// FallbackMutates: the next entry of the shared list is overwritten with the broker and a
	// queue id, for every thread and producer that shares it, until the route changes.
	FallbackMutates Fallback = iota
	// FallbackCopies: a new queue; the list stays as it is.
	FallbackCopies
)

// String returns the value's name, as With accepts it.
func (v Fallback) String() string { return nameOf(fallbackNames, uint8(v), "Fallback") }

var fallbackNames = []string{"mutates", "copies"}

// WriteQueues is which raw entries the number of write queues is looked up in.
//
// Source: TopicPublishInfo.getQueueIdByBroker, 4.0.0-5.1.0, and getWriteQueueIdByBroker,
// 5.1.1-5.1.3.
type WriteQueues uint8

const (
	// WriteQueuesAny: the first entry of the broker, writable or not.
	WriteQueuesAny WriteQueues = iota
	// WriteQueuesWritable: the first writable entry of the broker.
	WriteQueuesWritable
)

// String returns the value's name, as With accepts it.
func (v WriteQueues) String() string { return nameOf(writeQueuesNames, uint8(v), "WriteQueues") }

var writeQueuesNames = []string{"any", "writable"}

// PlainScan is how a retry looks for another broker while avoidance is off.
//
// Source: TopicPublishInfo.selectOneMessageQueue(String), 4.0.0-5.1.3;
// MQFaultStrategy.selectOneMessageQueue with BrokerFilter alone, 5.1.4-5.3.3.
type PlainScan uint8

const (
	// PlainScanOneStep: one step of the index however many queues were looked at.
	PlainScanOneStep PlainScan = iota
	// PlainScanStepEach: one step for each queue looked at.
	PlainScanStepEach
)

// String returns the value's name, as With accepts it.
func (v PlainScan) String() string { return nameOf(plainScanNames, uint8(v), "PlainScan") }

var plainScanNames = []string{"one-step", "step-each"}

// ResetIndex is whether a synchronous retry, with avoidance on, starts at a new random place.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl and MQFaultStrategy.selectOneMessageQueue,
// 5.1.4-5.3.3.
type ResetIndex uint8

const (
	// ResetIndexNever: the index goes on.
	ResetIndexNever ResetIndex = iota
	// ResetIndexOnRetry: every attempt after the first starts at a new random place.
	ResetIndexOnRetry
)

// String returns the value's name, as With accepts it.
func (v ResetIndex) String() string { return nameOf(resetIndexNames, uint8(v), "ResetIndex") }

var resetIndexNames = []string{"never", "on-retry"}

// PickOneAtLeast is how the fault table names a broker when none is available.
//
// Source: LatencyFaultToleranceImpl.pickOneAtLeast, 4.0.0-5.3.3.
type PickOneAtLeast uint8

const (
	// PickShuffleSortHalf: shuffle, sort by (available, latency, start), take the next of the
	// better half in turn.
	PickShuffleSortHalf PickOneAtLeast = iota
	// PickSortHalf: the same without the shuffle, so that ties stay in hash order.
	PickSortHalf
	// PickFirstReachable: shuffle, take the first reachable one. The producer of the releases that
	// have it never asks.
	PickFirstReachable
)

// String returns the value's name, as With accepts it.
func (v PickOneAtLeast) String() string {
	return nameOf(pickOneAtLeastNames, uint8(v), "PickOneAtLeast")
}

var pickOneAtLeastNames = []string{"shuffle-sort-half", "sort-half", "first-reachable"}

// UpdateRule is what an attempt that ended does to an item's start time.
//
// Source: LatencyFaultToleranceImpl.updateFaultItem, 4.0.0-5.1.3, and
// FaultItem.updateNotAvailableDuration, 5.1.4-5.3.3.
type UpdateRule uint8

const (
	// UpdateOverwrites: start = now + duration, always: a fast success ends an isolation.
	UpdateOverwrites UpdateRule = iota
	// UpdateExtends: start = now + duration if the duration is positive and that is later: an
	// isolation is never shortened.
	UpdateExtends
)

// String returns the value's name, as With accepts it.
func (v UpdateRule) String() string { return nameOf(updateRuleNames, uint8(v), "UpdateRule") }

var updateRuleNames = []string{"overwrites", "extends"}

// AvailableRule is when an item's broker is available.
//
// Source: LatencyFaultToleranceImpl.FaultItem.isAvailable, 4.0.0-5.3.3.
type AvailableRule uint8

const (
	// AvailableByTime: now >= start.
	AvailableByTime AvailableRule = iota
	// AvailableIfReachable: now >= start, and the reachable flag is set.
	AvailableIfReachable
)

// String returns the value's name, as With accepts it.
func (v AvailableRule) String() string {
	return nameOf(availableRuleNames, uint8(v), "AvailableRule")
}

var availableRuleNames = []string{"by-time", "if-reachable"}

// EventFlags is which arguments an attempt's end gives updateFaultItem.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, its catch clauses, 4.0.0-5.3.3.
type EventFlags uint8

const (
	// FlagsIsolate: every exception isolates. There is no reachable flag.
	FlagsIsolate EventFlags = iota
	// FlagsReachable: an exception of the remoting layer isolates, and clears reachable if the
	// detector is on; a broker's error isolates and clears reachable; a client's own exception
	// (no address for the broker) does neither.
	FlagsReachable
)

// String returns the value's name, as With accepts it.
func (v EventFlags) String() string { return nameOf(eventFlagsNames, uint8(v), "EventFlags") }

var eventFlagsNames = []string{"isolate", "reachable"}

// Detector is whether a release probes brokers, and how it is switched on.
//
// Source: LatencyFaultToleranceImpl.startDetector, 5.1.4-5.3.3; ClientConfig.startDetectorEnable,
// 5.1.4; DefaultMQProducer.setStartDetectorEnable, 5.2.0-5.3.3.
type Detector uint8

const (
	// DetectorNone: there is none.
	DetectorNone Detector = iota
	// DetectorProperty: only the JVM property com.rocketmq.startDetectorEnable switches it on.
	DetectorProperty
	// DetectorSetter: setStartDetectorEnable works too.
	DetectorSetter
)

// String returns the value's name, as With accepts it.
func (v Detector) String() string { return nameOf(detectorNames, uint8(v), "Detector") }

var detectorNames = []string{"none", "property", "setter"}

// BudgetRule is what sendMsgTimeout means in a synchronous send.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, 4.0.0-4.2.0 and 4.3.0-5.3.3.
type BudgetRule uint8

const (
	// BudgetPerAttempt: every attempt gets all of it.
	BudgetPerAttempt BudgetRule = iota
	// BudgetShared: all attempts together get it; an attempt gets what is left.
	BudgetShared
)

// String returns the value's name, as With accepts it.
func (v BudgetRule) String() string { return nameOf(budgetRuleNames, uint8(v), "BudgetRule") }

var budgetRuleNames = []string{"per-attempt", "shared"}

// RequestCap is whether sendMsgMaxTimeoutPerRequest exists.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, 5.3.3.
type RequestCap uint8

const (
	// RequestCapNone: it does not.
	RequestCapNone RequestCap = iota
	// RequestCapButLast: it bounds the timeout of every attempt but the last.
	RequestCapButLast
)

// String returns the value's name, as With accepts it.
func (v RequestCap) String() string { return nameOf(requestCapNames, uint8(v), "RequestCap") }

var requestCapNames = []string{"none", "all-but-last"}

// RetryCodes is whether the response codes that retry can be set.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, 4.0.0-4.9.1; DefaultMQProducer.retryResponseCodes,
// 4.9.2-5.3.3.
type RetryCodes uint8

const (
	// RetryCodesFixed: they are written into the loop.
	RetryCodesFixed RetryCodes = iota
	// RetryCodesSettable: retryResponseCodes holds them, addRetryResponseCode adds.
	RetryCodesSettable
)

// String returns the value's name, as With accepts it.
func (v RetryCodes) String() string { return nameOf(retryCodesNames, uint8(v), "RetryCodes") }

var retryCodesNames = []string{"fixed", "settable"}

// AsyncRetry is with how much time an asynchronous send tries again.
//
// Source: MQClientAPIImpl.sendMessageAsync and onExceptionImpl, 4.0.0-4.6.1, 4.7.0-5.3.1 and
// 5.3.2-5.3.3.
type AsyncRetry uint8

const (
	// AsyncRetryZero: with no time at all.
	AsyncRetryZero AsyncRetry = iota
	// AsyncRetryRemaining: with what the attempt before left over, though that may be less than
	// nothing.
	AsyncRetryRemaining
	// AsyncRetryIfLeft: with what is left over, and not at all if nothing is.
	AsyncRetryIfLeft
)

// String returns the value's name, as With accepts it.
func (v AsyncRetry) String() string { return nameOf(asyncRetryNames, uint8(v), "AsyncRetry") }

var asyncRetryNames = []string{"zero-timeout", "remaining", "if-left"}

// AsyncThrow is what comes of an asynchronous attempt that cannot even be handed over.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl and MQClientAPIImpl.onExceptionImpl, 4.0.0-4.9.2;
// MQClientAPIImpl.sendMessageAsync, 4.9.3-5.3.3.
type AsyncThrow uint8

const (
	// AsyncThrowEnds: the first attempt ends the send, as if it were synchronous and the last; a
	// retry blames the broker of the attempt before it, with 3 s.
	AsyncThrowEnds AsyncThrow = iota
	// AsyncThrowRetries: any attempt blames its own broker and is followed by the next.
	AsyncThrowRetries
)

// String returns the value's name, as With accepts it.
func (v AsyncThrow) String() string { return nameOf(asyncThrowNames, uint8(v), "AsyncThrow") }

var asyncThrowNames = []string{"ends", "retries"}

// AsyncRepeat is what comes of the retry of an asynchronous send to a queue of the caller's choice.
//
// Source: MQClientAPIImpl.onExceptionImpl, 4.0.0 and 4.1.0-5.3.3.
type AsyncRepeat uint8

const (
	// AsyncRepeatThrows: there is no publish info to choose from, a NullPointerException on a thread of
	// the network's: no callback ever runs (ROCKETMQ-101).
	AsyncRepeatThrows AsyncRepeat = iota
	// AsyncRepeatSameBroker: it goes to the same queue.
	AsyncRepeatSameBroker
)

// String returns the value's name, as With accepts it.
func (v AsyncRepeat) String() string { return nameOf(asyncRepeatNames, uint8(v), "AsyncRepeat") }

var asyncRepeatNames = []string{"throws", "same-broker"}

// AsyncLatency is from when the latency of an asynchronous attempt counts.
//
// Source: MQClientAPIImpl.sendMessageAsync, 4.0.0-5.1.4 (ResponseFuture.getBeginTimestamp) and
// 5.2.0-5.3.3 (beginStartTime).
type AsyncLatency uint8

const (
	// AsyncLatencyWritten: from the write of the request, connecting not included.
	AsyncLatencyWritten AsyncLatency = iota
	// AsyncLatencyBegun: from the beginning of the attempt, connecting included.
	AsyncLatencyBegun
)

// String returns the value's name, as With accepts it.
func (v AsyncLatency) String() string { return nameOf(asyncLatencyNames, uint8(v), "AsyncLatency") }

var asyncLatencyNames = []string{"written", "begun"}

// nameOf is the name of an enumeration's value, or the type and number of one that has none.
func nameOf(names []string, v uint8, kind string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return kind + "(" + strconv.Itoa(int(v)) + ")"
}
