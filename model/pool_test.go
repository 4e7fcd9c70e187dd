package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// The transient store pool: messages wait in memory of the process, outside the page cache.

func pooledConfig(release string) config.Config {
	cfg := limitedConfig("5.3.3", release, 1)
	b := &cfg.Brokers[0]
	b.TransientStorePool, b.CommitLeastPages = true, 4
	b.CommitInterval, b.CommitThoroughInterval = 200*ms, 200*ms
	return cfg
}

// broker.md §3: "messages sit in off-heap memory until commit (200 ms / 4 pages); a plain process kill
// loses them too". Source: CommitLog.CommitRealTimeService.run, 4.2.0, 4.9.8 and 5.3.3.
func TestKillLosesThePool(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.3.3"} {
		for _, rate := range []float64{1000, 12} {
			oldest, lost := sim.Duration(0), 0
			for seed := range uint64(12) {
				cfg := pooledConfig(release)
				cfg.Seed, cfg.Producers[0].Rate = seed, rate
				at := second + sim.Duration(seed)*7*ms
				cfg.Faults = []config.Fault{{Name: "kill", Kind: config.Kill, Targets: []config.Target{{}}, At: at}}
				o := newFateObserver()
				w := New(cfg, o)
				runTo(t, w, at-1)
				log := &w.procs[0].log
				tail := log.end - log.committed
				if tail >= 16<<10+1024 {
					t.Fatalf("%s: %d bytes wait in the pool", release, tail)
				}
				runTo(t, w, at)
				if n := o.causes[PoolLost]; int64(n)*1024 != tail || o.ever[Lost] != n {
					t.Fatalf("%s: %d messages lost of %d bytes in the pool; causes %v", release, n, tail, o.causes)
				}
				for _, m := range o.with(Lost) {
					oldest = max(oldest, sim.Time(at).Sub(o.when[m]))
					lost++
				}
				if err := w.Check(); err != nil {
					t.Fatal(err)
				}
			}
			if lost == 0 || oldest > 210*ms {
				t.Errorf("%s, %g/s: %d lost, the oldest %v old", release, rate, lost, oldest)
			}
		}
	}
}

// With the pool a stalled disk holds no put lock: appends go to memory. The pool lasts for three files
// of 1 GiB more than is committed; then requests are refused on arrival. broker.md §4: "transient pool
// empty => 2 [REJECTREQUEST] immediately".
func TestPoolOutlastsAStall(t *testing.T) {
	t.Parallel()
	cfg := pooledConfig("4.9.8")
	p := &cfg.Producers[0]
	p.Rate, p.MessageSize = 100, must(sim.Constant(int64(16<<20)))
	p.Remoting.MaxMessageSize = 16 << 20
	p.Settings.RetryTimesWhenSendFailed = 0
	strikeOne(&cfg, config.DiskStall, 5*second)
	var log attemptLog
	w := runWorld(t, cfg, &log)
	var first sim.Duration
	for _, a := range log.attempts {
		at := a.Began.Sub(sim.Time(10 * second))
		if a.Outcome.Kind == strategy.OutcomeOK {
			continue
		}
		if a.Outcome.Code != strategy.CodeSystemBusy || a.took() > ms || at > 5*second+ms {
			t.Fatalf("%v after %v at %v", a.Outcome, a.took(), at)
		}
		if first == 0 {
			first = at
		}
	}
	// 16 MiB x 100/s fill two to three files in 1.3 to 1.9 s, depending on where the log stood.
	if first < 1200*ms || first > 2*second {
		t.Errorf("the first was refused %v after the stall began", first)
	}
	if n := w.Load(0).Refused; n[RefusedPoolEmpty] < 300 || n[RefusedPageCacheBusy] > 0 {
		t.Errorf("refused: %v", n)
	}
}

// broker.md §3: "4.x only with ASYNC_FLUSH". From 5.0 a SYNC_FLUSH send waits for the commit, too, which
// it does not hasten. Source: MessageStoreConfig.isTransientStorePoolEnable, 4.9.8;
// CommitLog.DefaultFlushManager.handleDiskFlush and GroupCommitService.doCommit, 5.3.3.
func TestPoolWithSyncFlush(t *testing.T) {
	t.Parallel()
	for release, slow := range map[string]bool{"4.9.8": false, "5.3.3": true} {
		cfg := pooledConfig(release)
		cfg.Brokers[0].Flush, cfg.Producers[0].Rate = config.SyncFlush, 20
		var log attemptLog
		runWorld(t, cfg, &log)
		longest := sim.Duration(0)
		for _, a := range log.answers {
			longest = max(longest, a.At.Sub(a.Began))
			if a.Fate != Durable {
				t.Fatalf("%s: answered, and %v", release, a.Fate)
			}
		}
		if slow != (longest > 150*ms) || longest > 420*ms {
			t.Errorf("%s: the longest send took %v", release, longest)
		}
	}
}
