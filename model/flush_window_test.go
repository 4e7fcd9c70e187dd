package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

// How much of what is stored no fsync has covered, release by release: the window that a power loss
// destroys. Looked at after every event, so that each of these bounds is met by some instant.

// window is the largest unsynced tail and the greatest age of a message in it, over a run.
type window struct {
	bytes int64
	age   sim.Duration
}

// windowOf runs a broker at a rate of messages of 1 KiB.
func windowOf(release string, rate float64, fsync, duration sim.Duration) window {
	cfg := limitedConfig("5.3.3", release, 1)
	cfg.Duration = duration
	cfg.Brokers[0].Fsync = must(sim.Constant(fsync))
	cfg.Producers[0].Rate = rate
	o := newFateObserver()
	w := New(cfg, o)
	var out window
	log := &w.procs[0].log
	for w.Now() < sim.Time(duration) && w.eng.Step() {
		out.bytes = max(out.bytes, log.end-log.disk)
		if un := &w.logs[0].unflushed; un.len() > 0 {
			out.age = max(out.age, w.Now().Sub(o.when[w.record(un.head()).Number]))
		}
	}
	return out
}

// broker.md §3, "Unflushed window": busy topic: up to 4.9.0 less than 16 KiB and what arrives during an
// fsync, for every put wakes the flush thread; from 4.9.1 the last 0.5 s and the fsync, for it sleeps
// (flushCommitLogTimed). Quiet broker (less than 16 KiB per interval): up to some 10.5 s. alibaba/rocketmq
// issue 416, what a master that is gone takes along: rate x (0.5 s + fsync).
func TestUnflushedWindowByRelease(t *testing.T) {
	t.Parallel()
	const rate, fsync = 500, 20 * ms
	during := int64(fsync.Seconds() * rate * 1024)
	for _, release := range []string{"4.2.0", "4.6.1", "4.9.0"} {
		got := windowOf(release, rate, fsync, 5*second)
		// What arrives during the fsync that runs, and what has during the one before.
		if limit := 16<<10 + 1024 + 2*during; got.bytes > limit || got.bytes < 16<<10 {
			t.Errorf("%s: up to %d bytes are not flushed, want up to %d", release, got.bytes, limit)
		}
		if got.age > 4*fsync {
			t.Errorf("%s: the oldest was %v old", release, got.age)
		}
	}
	for _, release := range []string{"4.9.1", "4.9.8", "5.0.0", "5.3.3"} {
		got := windowOf(release, rate, fsync, 5*second)
		if got.age > 500*ms+2*fsync || got.age < 500*ms {
			t.Errorf("%s: the oldest was %v old, want up to 0.5 s and the fsync", release, got.age)
		}
		if limit := int64((500*ms+2*fsync).Seconds()*rate*1024) + 1024; got.bytes > limit {
			t.Errorf("%s: up to %d bytes are not flushed, want up to %d", release, got.bytes, limit)
		}
	}
	for _, release := range []string{"4.2.0", "4.9.0", "4.9.1", "4.9.8", "5.3.3"} {
		got := windowOf(release, 0.9, fsync, 120*second)
		if got.age > 10500*ms+600*ms || got.age < 8*second {
			t.Errorf("%s: on a quiet broker the oldest was %v old, want up to some 10.5 s", release, got.age)
		}
		if got.bytes >= 16<<10 {
			t.Errorf("%s: on a quiet broker up to %d bytes were not flushed", release, got.bytes)
		}
	}
}

// flushCommitLogTimed can be set against the default of the release. In 5.3.2 and later a put wakes the
// flush thread only if wakeFlushWhenPutMessage says so, which is off: it waits its interval all the same.
// Source: CommitLog.DefaultFlushManager.handleDiskFlush, 5.3.2.
func TestFlushTimedCanBeSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		timed   bool
		wakes   bool
	}{{"4.9.0", true, false}, {"4.9.8", false, true}, {"5.3.1", false, true}, {"5.3.3", false, false}} {
		cfg := limitedConfig("5.3.3", c.release, 1)
		cfg.Brokers[0].FlushTimed = &c.timed
		w := New(cfg, nil)
		runTo(t, w, 10*second)
		fsyncs := w.procs[0].log.fsyncs
		if c.wakes != (fsyncs > 500) || !c.wakes && (fsyncs < 18 || fsyncs > 21) {
			t.Errorf("%s, timed %v: %d fsyncs in 10 s of 1000/s", c.release, c.timed, fsyncs)
		}
	}
}

// broker.md §3, last row of the table: "slave with SYNC_FLUSH flushes each 10 ms, after the ack". Source:
// CommitLog.GroupCommitService.run, 4.9.8 and 5.3.3: it waits 10 ms for a request, and none comes.
func TestSlaveWithSyncFlush(t *testing.T) {
	t.Parallel()
	cfg := limitedConfig("5.3.3", "5.3.3", 1)
	cfg.Brokers[0].Flush, cfg.Brokers[0].Slaves = config.SyncFlush, 1
	cfg.Brokers[0].Fsync = must(sim.Constant(ms))
	w := New(cfg, nil)
	slave := &w.procs[1].log
	since, longest := sim.Time(0), sim.Duration(0)
	for w.Now() < sim.Time(5*second) && w.eng.Step() {
		if slave.end == slave.disk {
			since = w.Now()
		}
		longest = max(longest, w.Now().Sub(since))
	}
	if longest > 12*ms || longest < 5*ms {
		t.Errorf("the slave's log was not flushed for %v, want some 10 ms", longest)
	}
}
