// Package concurrent makes RocketMQ's decisions safe to share between goroutines, for use in a real
// client: [Policy] is strategy's policy with its fault table in atomic variables, and [Producer] is
// a synchronous producer around it that wants only something to send with. Any other policy, one of
// strategy's baselines or one's own, is made safe by [NewLocked], under a mutex.
//
// # Contract
//
// A Policy belongs to one producer, and any number of goroutines may call any of its methods at any
// time. What a call is given belongs to the caller: a strategy.Thread, strategy.Loop,
// strategy.Source and strategy.Trace must not be used by two goroutines at once. A Route is shared
// and never written to. Nothing waits for anything but the short critical sections named below;
// nothing reads a clock or draws a random value that was not injected; no goroutine is started.
//
// The order of calls is the caller's: an attempt's end that is told before a choice begins is seen
// by it. Of calls at the same moment each sees the other or not, per broker, as in Java, where a
// fault item's fields are volatile and are written one after the other.
//
// # How it scales
//
// Choosing by the first rule, which is all that happens while some broker is available, takes a few
// atomic loads per queue looked at and no store. The end of an attempt on a known broker writes
// only what it changes: the latency has a cache line of its own, which no choice reads, and the
// rest stays as it is as long as the broker is healthy (from 5.1.4 on; to 5.1.3 every end sets the
// start of its broker's availability, at most once a millisecond). So cores do not pull lines from
// each other.
//
// A mutex is taken when a broker is met for the first time or forgotten, when no broker is
// available and the last resorts decide, when a [strategy.Trace] is asked for, and by the detector.
//
// # Where it is not Java
//
// Java keeps the index into the queue list in a thread-local. Goroutines have no locals, so the
// index is in the strategy.Thread that the caller brings: one for each worker goroutine is Java's
// behaviour exactly. [Producer] lends them from a sync.Pool instead: a send gets an index that
// nobody else uses meanwhile, mostly one that was last used on the same processor, and sometimes a
// new one with a new random start, because the pool drops what it holds when memory is collected.
//
// To 4.9.7, and in 5.0.0-5.1.3, Java rewrites entries of the shared queue list, which in Go would
// be a data race. A Policy of such a release makes a new queue instead, as 4.9.8 does; everything
// else is as in that release.
//
// Java's rule of 5.1.4 that an isolation is only ever extended is a check and a write; of two at
// once, the shorter may win. Here the longer does.
package concurrent
