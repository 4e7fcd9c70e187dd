package strategy

import "math"

// Thread holds what one client thread remembers for one producer: the two thread-local indexes of
// the Java client. The zero value is a thread that never sent. A thread that sends to several
// topics needs one Thread for each.
type Thread struct {
	sendWhichQueue threadIndex // of the current Route
	whichItemWorst threadIndex // of the fault table; named randomItem in 5.1.0-5.1.3
	// entry is 1 + the position in Route.Queues of the queue chosen last, 0 if the choice is not
	// an element of the list. See Loop: releases that share list entries read them again later.
	entry int32
	// stale says that the route changed: the next first attempt starts a new sendWhichQueue.
	stale bool
}

// RouteChanged tells that the thread's next send will use a new Route: its sendWhichQueue starts
// afresh, its index into the fault table goes on. It takes effect at the next choice for a first
// attempt, so it may be called at any time: a send in flight keeps its Route and its index, as the
// Java client keeps one TopicPublishInfo for all attempts of a send.
func (t *Thread) RouteChanged() { t.stale = true }

// Turn is where in a publish list of n queues the thread's next choice begins to look, once it has made its
// first one. Asking for it changes nothing.
func (t *Thread) Turn(p *Profile, n int) int {
	x := t.sendWhichQueue
	return int(position(x.step(p.Index), int32(n)))
}

// beginChoice forgets the index of a route that is gone.
func (t *Thread) beginChoice(attempt int) {
	if t.stale && attempt <= 1 {
		t.sendWhichQueue = threadIndex{}
		t.stale = false
	}
}

// threadIndex is one thread's value of a ThreadLocalIndex.
type threadIndex struct {
	value   int32
	started bool
}

// next advances the index and returns what the release's getAndIncrement or incrementAndGet
// returns: in all of them the value after the increment.
//
// Source: ThreadLocalIndex.getAndIncrement (4.0.0-4.8.0), incrementAndGet (4.9.0-5.3.3).
func (x *threadIndex) next(rule IndexRule, src Source) int32 {
	if !x.started {
		x.begin(rule, src)
	}
	return x.step(rule)
}

// begin draws the index's start, if it has none yet.
func (x *threadIndex) begin(rule IndexRule, src Source) {
	if !x.started {
		x.started = true
		x.value = rule.start(src.Int32())
	}
}

// step advances an index that has begun.
func (x *threadIndex) step(rule IndexRule) int32 {
	switch rule {
	case IndexToZero:
		x.value = max(abs32(x.value+1), 0)
		return x.value
	case IndexStuck:
		x.value = abs32(x.value + 1)
		return x.value
	case IndexReversed:
		x.value++
		return abs32(x.value)
	default: // IndexMaskedAbsStart, IndexMasked
		x.value++
		return x.value & math.MaxInt32
	}
}

// reset starts the index at a fresh random place.
//
// Source: ThreadLocalIndex.reset, 5.1.4-5.3.3.
func (x *threadIndex) reset(src Source) {
	x.value = src.Int31n(math.MaxInt32)
	x.started = true
}

// abs32 is Java's Math.abs(int): the smallest int has no positive counterpart and stays negative.
func abs32(v int32) int32 {
	if v < 0 {
		return -v
	}
	return v
}

// position is an index folded into a list of n: |v| modulo n, and 0 where that is negative.
//
// Source: TopicPublishInfo.selectOneMessageQueue and MQFaultStrategy.selectOneMessageQueue,
// 4.0.0-5.0.0 and 4.9.x. From 5.1.0 the guard is gone where v is never negative anyway.
func position(v, n int32) int32 {
	return max(abs32(v)%n, 0)
}
