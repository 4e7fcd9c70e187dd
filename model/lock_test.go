package model

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/sim"
)

// lockedConfig is a broker whose appends keep each other waiting.
func lockedConfig(appends sim.Sampler, rate float64) config.Config {
	cfg := limitedConfig("5.3.3", "5.3.3", 1)
	b := &cfg.Brokers[0]
	b.SendThreads, b.FastFailure, b.QueueCapacity, b.Append = 8, false, 0, appends
	b.Service = must(sim.Exponential(100 * sim.Microsecond))
	cfg.Producers[0].Rate, cfg.Producers[0].Arrivals = rate, config.Poisson
	cfg.Network.Latency = must(sim.Exponential(100 * sim.Microsecond))
	cfg.Duration = 5 * second
	return cfg
}

// answersOf are the answers of a run by message.
func answersOf(t *testing.T, cfg config.Config, short sim.Duration) []Answer {
	t.Helper()
	var log attemptLog
	w := New(cfg, &log)
	for p := range w.procs {
		w.procs[p].shortAppend = min(w.procs[p].shortAppend, short)
	}
	runTo(t, w, cfg.Duration)
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(log.answers, func(a, b Answer) int { return int(a.Number) - int(b.Number) })
	return log.answers
}

// An append without an event of its own ends when one with an event does: no answer comes at another
// time. (Times are drawn from continuous distributions, so that nothing happens at one instant.)
func TestShortAppendsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{100, 3000, 15_000} {
		cfg := lockedConfig(must(sim.Uniform(20*sim.Microsecond, 90*sim.Microsecond)), rate)
		strikeOne(&cfg, config.DiskStall, 300*ms)
		cfg.Faults[0].At = 2 * second
		strikeOne(&cfg, config.LockHold, 150*ms)
		cfg.Faults[1].At = 3 * second
		events, short := answersOf(t, cfg, 0), answersOf(t, cfg, shortAppend)
		if len(events) < int(4*rate) || len(events) != len(short) {
			t.Fatalf("at %g/s %d and %d answers", rate, len(events), len(short))
		}
		for i := range events {
			a, b := events[i], short[i]
			if a.Number != b.Number || a.At != b.At || a.Result != b.Result {
				t.Fatalf("at %g/s message %d: %v at %v, message %d: %v at %v", rate, a.Number, a.Result, a.At,
					b.Number, b.Result, b.At)
			}
		}
	}
}

// One append at a time: whatever the number of threads, a broker stores no more than the lock lets
// through.
func TestLockBoundsThroughput(t *testing.T) {
	t.Parallel()
	for _, a := range []sim.Duration{90 * sim.Microsecond, ms} {
		cfg := lockedConfig(must(sim.Constant(a)), 1.5/a.Seconds())
		w := New(cfg, nil)
		runTo(t, w, second)
		before := w.Load(0)
		runTo(t, w, 3*second)
		after := w.Load(0)
		got, want := float64(after.Stored-before.Stored)/2, 1/a.Seconds()
		if math.Abs(got-want) > 0.01*want {
			t.Errorf("%.0f messages/s with appends of %v, want %.0f", got, a, want)
		}
		if wait := after.LockWait - before.LockWait; wait < 11*second {
			t.Errorf("8 threads waited for %v of 2 s for the lock", wait)
		}
	}
}

// The account of the send path is what one gets by looking at it all the time: busy threads, queue,
// threads that wait for the lock. Whatever the faults, the queue keeps its bound, and no request waits
// in it while a thread is free.
func TestLoadIsWhatOneSees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		cfg := drawConfig(rt)
		cfg.Duration = min(cfg.Duration, 5*second)
		for i := range cfg.Faults {
			cfg.Faults[i].At %= cfg.Duration
		}
		w := New(cfg, nil)
		seen, looks := make([]Load, len(cfg.Brokers)), make([]look, len(cfg.Brokers))
		for w.Now() < sim.Time(cfg.Duration) {
			for b := range looks {
				looks[b].at(w, b)
				checkSendPool(rt, w, b)
			}
			if !w.eng.Step() {
				break
			}
			for b := range looks {
				looks[b].addTo(&seen[b], w.Now())
			}
		}
		for b := range seen {
			l := w.Load(b)
			if l.Busy != seen[b].Busy || l.Queued != seen[b].Queued || l.LockWait != seen[b].LockWait {
				rt.Fatalf("broker %d: busy %v, queued %v, waited %v; seen %v, %v, %v", b, l.Busy, l.Queued,
					l.LockWait, seen[b].Busy, seen[b].Queued, seen[b].LockWait)
			}
		}
	})
}

// look is the send path of a broker between two events.
type look struct {
	Load
	from    sim.Time
	waiting int        // for the put lock
	ends    []sim.Time // of short appends under way
}

func (l *look) at(w *World, b int) {
	pr := &w.procs[w.firstProc[b]]
	l.Load, l.from, l.waiting, l.ends = w.Load(b), w.Now(), pr.lock.waiting.len(), l.ends[:0]
	for i := range pr.freeing.len() {
		if at := *pr.freeing.at(i); at > l.from {
			l.ends = append(l.ends, at)
		}
	}
}

// addTo adds what lasted until now.
func (l *look) addTo(seen *Load, now sim.Time) {
	d := now.Sub(l.from)
	seen.Queued += sim.Duration(l.QueueLength) * d
	seen.LockWait += sim.Duration(l.waiting) * d
	seen.Busy += sim.Duration(l.BusyThreads) * d
	for _, at := range l.ends {
		seen.Busy -= max(0, now.Sub(at))
	}
}

func checkSendPool(rt *rapid.T, w *World, b int) {
	cfg, l := &w.cfg.Brokers[b], w.Load(b)
	if cfg.QueueCapacity > 0 && l.QueueLength > cfg.QueueCapacity {
		rt.Fatalf("%d requests in a queue for %d", l.QueueLength, cfg.QueueCapacity)
	}
	pr := &w.procs[w.firstProc[b]]
	if l.BusyThreads < 0 || l.BusyThreads > l.Threads || l.QueueLength > 0 && pr.running &&
		!pr.stopped() && pr.busy < pr.threads {
		rt.Fatalf("%d of %d threads busy, %d requests wait, at %v", l.BusyThreads, l.Threads,
			l.QueueLength, w.Now())
	}
}
