package model

import (
	"fmt"
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Disks that stall, lie, fail and fill up. Answers follow what the process believes, the ledger what is
// really on the disk.

// broker.md §1: FLUSH_DISK_TIMEOUT (10) is stored, in the page cache, and a SendStatus. apache/rocketmq
// issue 2909: it is returned as it is, after one attempt, unless retryAnotherBrokerWhenNotStoreOK is set:
// then the next attempt stores a second copy.
func TestFlushDiskTimeoutIsNoFailure(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"4.8.0", "4.9.8", "5.3.3"} {
		for _, again := range []bool{false, true} {
			cfg := limitedConfig(client, "4.9.8", 2)
			b, p := &cfg.Brokers[0], &cfg.Producers[0]
			b.Flush, b.SyncFlushTimeout = config.SyncFlush, 500*ms
			p.Rate, p.Settings.RetryAnotherBrokerWhenNotStoreOK = 50, again
			strikeOne(&cfg, config.FsyncStall, 5*second)
			var log attemptLog
			w := runWorld(t, cfg, &log)
			weak := 0
			for _, a := range log.answers {
				switch a.Result.Status {
				case strategy.StatusFlushDiskTimeout:
					weak++
					if a.Attempts != 1 || a.Copies != 1 {
						t.Fatalf("%s: %d attempts, %d copies of %v", client, a.Attempts, a.Copies, a.Result.Status)
					}
				case strategy.StatusNone:
					t.Fatalf("%s: %v", client, a.Result)
				}
			}
			extra := w.Ledger().ExtraCopies
			if again && (weak > 0 || extra < 80) || !again && (weak < 80 || extra > 0) {
				t.Errorf("%s, retry %v: %d weak statuses, %d extra copies", client, again, weak, extra)
			}
		}
	}
}

// broker.md §0.6: in 4.2 to 4.6 a wait for the disk blocks a send thread, and there is one: everything
// else queued for more than 200 ms gets SYSTEM_BUSY. Later releases block nobody.
func TestWaitForTheDiskHoldsTheSendThread(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.6.1", "4.7.1", "4.9.8", "5.3.3"} {
		cfg := limitedConfig("4.8.0", release, 1)
		cfg.Brokers[0].Flush, cfg.Producers[0].Rate = config.SyncFlush, 100
		strikeOne(&cfg, config.FsyncStall, second)
		w := runWorld(t, cfg, nil)
		holds := release < "4.7"
		busy := w.Load(0).BusyReplies()
		if holds && (busy < 75 || busy > 85) || !holds && busy > 0 { // 800 ms of arrivals
			t.Errorf("%s: %d busy replies", release, busy)
		}
	}
}

// Batch-shared fsync: with SYNC_FLUSH a message waits for the fsync that runs and for its own, which it
// shares with all that came meanwhile. broker.md §3: "Latency = fsync of the current batch (+ the one
// running). Requests of one batch share one fsync."
func TestBatchesShareAnFsync(t *testing.T) {
	t.Parallel()
	const fsync = 20 * ms
	cfg := limitedConfig("5.3.3", "5.3.3", 1)
	cfg.Brokers[0].Flush, cfg.Brokers[0].Fsync = config.SyncFlush, must(sim.Constant(fsync))
	cfg.Brokers[0].SendThreads = 4
	var log attemptLog
	w := runWorld(t, cfg, &log)
	longest := sim.Duration(0)
	for _, a := range log.answers {
		took := a.At.Sub(a.Began)
		longest = max(longest, took)
		if took < fsync || took > 2*fsync+2*ms {
			t.Fatalf("answered after %v", took)
		}
	}
	if longest < 2*fsync-ms {
		t.Errorf("the longest wait is %v, want two fsyncs", longest)
	}
	if n := w.procs[0].log.fsyncs; n > uint64(cfg.Duration/fsync)+1 {
		t.Errorf("%d fsyncs for %d messages", n, len(log.answers))
	}
}

// apache/rocketmq issues 5235 and 3129: the disk turns read-only, force() fails, the flushed position
// advances: SEND_OK with SYNC_FLUSH, and the messages are lost with the power. broker.md §1: "fsync errors
// are logged and the flushed position advances anyway, so a failing disk still yields PUT_OK". What was
// flushed before is still there; what comes after, even flushed, is behind a hole at which the recovery
// stops. The same for an fsync that lies, up to the power loss.
func TestFlushedAndLost(t *testing.T) {
	t.Parallel()
	for kind, cause := range map[config.FaultKind]LossCause{
		config.FsyncLie:     FsyncLied,
		config.ReadOnlyDisk: FsyncFailed,
	} {
		lasts := sim.Duration(0)
		if kind == config.ReadOnlyDisk {
			lasts = 2 * second
		}
		cfg := limitedConfig("5.3.3", "5.3.3", 1)
		cfg.Brokers[0].Flush, cfg.Brokers[0].SendThreads, cfg.Producers[0].Rate = config.SyncFlush, 4, 200
		strikeOne(&cfg, kind, lasts)
		cfg.Faults = append(cfg.Faults, config.Fault{
			Name: "cut", Kind: config.PowerLoss, Targets: []config.Target{{}}, At: 15 * second, Duration: second,
		})
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, 14900*ms)
		if n := len(o.ok); n < 2900 || o.ever[Lost] > 0 {
			t.Errorf("%v: %d SEND_OK, %d lost before the power loss", kind, n, o.ever[Lost])
		}
		runTo(t, w, cfg.Duration)
		if err := w.Check(); err != nil {
			t.Error(err)
		}
		lost := 0
		for _, m := range o.with(Lost) {
			if at := o.when[m]; at < sim.Time(10*second) {
				t.Fatalf("%v: message %d, stored at %v before the fault, is lost", kind, m, at)
			}
			if o.ok[m] {
				lost++
			}
		}
		if lost < 990 || lost > 1010 { // 5 s of 200/s
			t.Errorf("%v: %d acknowledged messages are lost, want about 1000", kind, lost)
		}
		if c := o.causes[cause]; c < 990 {
			t.Errorf("%v: causes are %v", kind, o.causes)
		}
	}
}

// A drive that lied has everything in its volatile cache: the first honest fsync makes it durable. After
// an fsync that failed the kernel takes the pages for clean, and no later fsync mends that, not even if
// the hole began with a lie.
func TestHonestFsyncHealsALie(t *testing.T) {
	t.Parallel()
	for _, failed := range []bool{false, true} {
		cfg := limitedConfig("5.3.3", "5.3.3", 1)
		cfg.Brokers[0].Flush, cfg.Brokers[0].SendThreads, cfg.Producers[0].Rate = config.SyncFlush, 4, 200
		strikeOne(&cfg, config.FsyncLie, 2*second)
		if failed {
			strikeOne(&cfg, config.ReadOnlyDisk, 500*ms)
			cfg.Faults[1].At = 11 * second
		}
		cfg.Faults = append(cfg.Faults, config.Fault{
			Name: "cut", Kind: config.PowerLoss, Targets: []config.Target{{}}, At: 15 * second, Duration: second,
		})
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, 11900*ms)
		if log := &w.procs[0].log; log.flushed-log.disk < 300*1024 {
			t.Errorf("only %d bytes are flushed and not on the disk", log.flushed-log.disk)
		}
		runTo(t, w, 12100*ms)
		if log := &w.procs[0].log; (log.flushed == log.disk) == failed {
			t.Errorf("failed %v: %d bytes are flushed, %d on the disk", failed, log.flushed, log.disk)
		}
		runTo(t, w, cfg.Duration)
		if err := w.Check(); err != nil {
			t.Error(err)
		}
		lost := 0
		for _, m := range o.with(Lost) {
			if o.ok[m] {
				lost++
			}
		}
		if !failed && lost+o.causes[FsyncLied] > 0 {
			t.Errorf("%d acknowledged messages are lost, causes %v", lost, o.causes)
		}
		if failed && (lost < 990 || o.causes[FsyncFailed] < 990 || o.causes[FsyncLied] > 0) {
			t.Errorf("%d acknowledged messages are lost, causes %v", lost, o.causes)
		}
	}
}

// Without a power loss nothing of that shows: a kill leaves the page cache, and its restart serves it.
func TestLiesDoNotMatterToAKill(t *testing.T) {
	t.Parallel()
	cfg := limitedConfig("5.3.3", "4.9.8", 1)
	strikeOne(&cfg, config.FsyncLie, 0)
	cfg.Faults = append(cfg.Faults, config.Fault{
		Name: "kill", Kind: config.Kill, Targets: []config.Target{{}}, At: 12 * second, Duration: second,
	})
	o := newFateObserver()
	runWorld(t, cfg, o)
	if n := o.ever[Lost] + o.ever[Stranded]; n > 0 {
		t.Errorf("%d messages lost or stranded", n)
	}
}

// broker.md §1: SERVICE_NOT_AVAILABLE (14) when the disk is full, checked each cleanResourceInterval
// 10 s; not stored, retried. The store notices at its next look, in both directions.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	phases := map[sim.Duration]bool{}
	for seed := range uint64(10) {
		cfg := limitedConfig("4.9.8", "5.3.3", 2)
		cfg.Seed, cfg.Duration, cfg.Producers[0].Rate = seed, 60*second, 100
		strikeOne(&cfg, config.DiskFull, 25*second)
		var log attemptLog
		w := New(cfg, &log)
		full, off, on := sim.Time(10*second), sim.Time(0), sim.Time(0)
		for at := full; at < sim.Time(cfg.Duration); at += sim.Time(50 * ms) {
			runTo(t, w, sim.Duration(at))
			switch unwritable := w.procs[0].disk.unwritable; {
			case unwritable && off == 0:
				off = at
			case !unwritable && off > 0 && on == 0:
				on = at
			}
		}
		if off.Sub(full) > 10*second || on.Sub(full) < 25*second || on.Sub(full) > 35*second ||
			on.Sub(off)%(10*second) != 0 {
			t.Errorf("seed %d: refuses from %v to %v after the disk was full", seed, off.Sub(full), on.Sub(full))
		}
		phases[off.Sub(full)/second] = true
		coded := log.coded(strategy.CodeServiceNotAvailable)
		if n := len(log.failed()); n > 0 || len(coded) < 20 {
			t.Errorf("%d sends failed and %d were retried, though the other broker has room", n, len(coded))
		}
		for _, a := range coded {
			if a.Ended < off-sim.Time(50*ms) || a.Ended > on+sim.Time(ms) {
				t.Errorf("seed %d: refused at %v", seed, a.Ended)
			}
		}
	}
	if len(phases) < 4 {
		t.Errorf("the looks have the same phase in every run: %v", phases)
	}
}

// The fsync that runs when the disk stalls is over as much later as the stall lasts.
func TestStallSuspendsFsync(t *testing.T) {
	t.Parallel()
	for _, kind := range []config.FaultKind{config.DiskStall, config.FsyncStall} {
		cfg := limitedConfig("5.3.3", "5.3.3", 1)
		cfg.Brokers[0].Flush, cfg.Brokers[0].Fsync = config.SyncFlush, must(sim.Constant(100*ms))
		cfg.Producers[0].Rate = 2
		w := New(cfg, nil)
		for !w.procs[0].log.fsyncing {
			w.eng.Step()
		}
		began := w.Now()
		runTo(t, w, sim.Duration(began)+30*ms)
		w.cfg.Faults = []config.Fault{{Kind: kind}}
		w.strikeDisk(0, 0, 1)
		runTo(t, w, sim.Duration(began)+430*ms)
		w.strikeDisk(0, 0, -1)
		runTo(t, w, sim.Duration(began)+499*ms)
		if !w.procs[0].log.fsyncing {
			t.Errorf("%v: the fsync was over before its time", kind)
		}
		runTo(t, w, sim.Duration(began)+501*ms)
		if w.procs[0].log.fsyncing && w.procs[0].log.target == 1024 {
			t.Errorf("%v: the fsync goes on", kind)
		}
	}
}

// A slave whose disk stalls, or whose put lock is held, takes nothing from its master; it catches up
// afterwards. Source: CommitLog.appendData, 4.9.8 and 5.3.3.
func TestStalledSlaveTakesNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []config.FaultKind{config.DiskStall, config.LockHold} {
		cfg := limitedConfig("5.3.3", "5.3.3", 1)
		cfg.Brokers[0].Slaves, cfg.Producers[0].Rate = 1, 200
		strikeOne(&cfg, kind, 3*second)
		cfg.Faults[0].Targets = []config.Target{{ID: 1}}
		w := New(cfg, nil)
		runTo(t, w, 10500*ms)
		end := w.procs[1].log.end
		runTo(t, w, 12900*ms)
		if now := w.procs[1].log.end; now != end {
			t.Errorf("%v: the slave got %d bytes", kind, now-end)
		}
		runTo(t, w, 13500*ms)
		if gap := w.procs[0].log.end - w.procs[1].log.end; gap > 50*1024 {
			t.Errorf("%v: the slave is %d bytes behind after the fault", kind, gap)
		}
	}
}

// A start says what the log has lost since the process ended, whatever ended it.
func TestStartSaysWhatIsLost(t *testing.T) {
	t.Parallel()
	for _, kind := range []config.FaultKind{config.PowerLoss, config.Kill} {
		cfg := limitedConfig("5.3.3", "4.9.8", 1)
		strikeOne(&cfg, kind, second)
		var told []string
		o := &processLog{what: func(p *ProcessEvent) {
			if p.What == BytesLost || p.What == Recovered || p.What == Started {
				told = append(told, fmt.Sprint(p.What, p.Bytes))
			}
		}}
		w := New(cfg, o)
		runTo(t, w, 10*second-1)
		want := []string{fmt.Sprint(Recovered, 0), fmt.Sprint(Started, 0)}
		if kind == config.PowerLoss {
			gone := w.procs[0].log.end - w.procs[0].log.disk
			want = []string{fmt.Sprint(BytesLost, gone), fmt.Sprint(Recovered, gone), fmt.Sprint(Started, 0)}
		}
		runTo(t, w, cfg.Duration)
		if fmt.Sprint(told) != fmt.Sprint(want) {
			t.Errorf("%v: told %v, want %v", kind, told, want)
		}
	}
}

// processLog is told what happens to processes.
type processLog struct {
	NopObserver
	what func(*ProcessEvent)
}

func (l *processLog) Process(p *ProcessEvent) { l.what(p) }
