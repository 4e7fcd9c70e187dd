package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// isolations notes how long each isolation lasts, and what became of acknowledged messages.
type isolations struct {
	NopObserver
	longest map[int32]sim.Duration // by broker
	first   map[int32]sim.Time
	used    []sim.Time // when broker 0 took an attempt that succeeded
}

func (o *isolations) TableChanged(c *TableChange) {
	if lasts := c.Until.Sub(c.At); lasts > 0 {
		o.longest[c.Broker] = max(o.longest[c.Broker], lasts)
		if _, known := o.first[c.Broker]; !known {
			o.first[c.Broker] = c.At
		}
	}
}

func (o *isolations) AttemptEnded(a *Attempt) {
	if a.Queue.Broker == 0 && a.Outcome.Kind == strategy.OutcomeOK {
		o.used = append(o.used, a.Ended)
	}
}

// avoiding is two brokers, the first of them a SYNC_MASTER with a slave, and a producer with fault
// avoidance, RocketMQ's defaults.
func avoiding(release string) config.Config {
	cfg := configtest.Small(release, 2)
	cfg.Duration = 60 * second
	b := &cfg.Brokers[0]
	b.Role, b.Slaves, b.InSyncReplicas = config.SyncMaster, 1, 2
	b.SlaveTimeout, b.SlaveFallbehindMax = 3*second, 256<<20
	b.HAHousekeepingInterval, b.HAHeartbeatInterval = 20*second, 5*second
	b.LogSize = 1 << 30
	cfg.Producers[0].Rate = 20
	cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	return cfg
}

// broker.md §10.2, side effect: "a 3 s client timeout isolates the healthy master: 600 s (<= 5.1.3), 10 s
// (5.1.4+)", though it is only its slave that lost power. Source: MQFaultStrategy.updateFaultItem,
// 5.1.3 and 5.1.4.
func TestSlavePowerLossIsolatesTheHealthyMaster(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]sim.Duration{
		"4.9.8": 600 * second, "5.1.3": 600 * second, "5.1.4": 10 * second, "5.3.3": 10 * second,
	} {
		cfg := avoiding(release)
		cfg.Faults = fault30(config.PowerLoss, 0, firstSlave)
		o := &isolations{longest: map[int32]sim.Duration{}, first: map[int32]sim.Time{}}
		runWorld(t, cfg, o)
		if got := o.longest[0]; got < want-ms || got > want+ms {
			t.Errorf("%s: the master is isolated for %v, want %v", release, got, want)
		}
		if at := sim.Duration(o.first[0]); at < 33*second || at > 34*second {
			t.Errorf("%s: isolated at %v, want one timeout of 3 s after the loss", release, at)
		}
	}
}

// broker.md §5: "Fault items are kept per brokerName: a promoted or restarted master inherits the
// isolation of its name"; §10.3, restart: "Isolation by name still holds". The master is killed at 30 s
// and serves again from 32 s on; it is in the routes all the time or again soon, but 4.9.8 does not use
// it for 600 s, 5.3.3 for 10 s. Source: LatencyFaultToleranceImpl.updateFaultItem, 4.9.8 and 5.3.3.
func TestRestartedMasterInheritsItsIsolation(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]sim.Duration{"4.9.8": 600 * second, "5.3.3": 10 * second} {
		cfg := avoiding(release)
		cfg.Brokers[0].Role = config.AsyncMaster
		cfg.Brokers[0].Slaves = 0
		cfg.Duration = 700 * second
		cfg.Producers[0].PollNameServerInterval = second
		cfg.Faults = fault30(config.Kill, 2*second, masterOnly)
		o := &isolations{longest: map[int32]sim.Duration{}, first: map[int32]sim.Time{}}
		runWorld(t, cfg, o)
		back := sim.Duration(0)
		for _, at := range o.used {
			if sim.Duration(at) > 30*second+100*ms {
				back = sim.Duration(at)
				break
			}
		}
		until := sim.Duration(o.first[0]) + want
		if back < until || back > until+second {
			t.Errorf("%s: used again at %v, want %v", release, back, until)
		}
	}
}

// ends counts the fates of the messages that were told SEND_OK.
type ends struct {
	NopObserver
	ok    map[uint64]bool
	fates map[uint64]Fate
}

func (o *ends) Answered(a *Answer) { o.ok[a.Number] = a.Result.Status == strategy.StatusSendOK }

func (o *ends) FateChanged(f *FateChange) { o.fates[f.Number] = f.To }

func (o *ends) count(fate Fate) (n int) {
	for m, ok := range o.ok {
		if ok && o.fates[m] == fate {
			n++
		}
	}
	return n
}

// broker.md §3, the table of role and flush: what SEND_OK guarantees, what is lost when the master loses
// power and returns, and when its disk dies. The slave's flush is asynchronous in all rows, its copy in
// the page cache within 100 ms. Fault: at 30.3 s, in the middle between two flushes of 500 ms, more or
// less, so the tail is some 30 messages.
func TestWhatSendOKGuarantees(t *testing.T) {
	t.Parallel()
	const few = 12 // at 100 messages a second, what a slave lacks of 100 ms of them
	both := []config.Target{masterOnly, firstSlave}
	for _, c := range []struct {
		name    string
		role    config.BrokerRole
		flush   config.FlushDiskType
		kind    config.FaultKind
		targets []config.Target
		// lost and stranded are the least and the greatest numbers of acknowledged messages.
		lost, stranded [2]int
	}{
		{
			"async, async: power", config.AsyncMaster, config.AsyncFlush, config.PowerLoss, both[:1],
			[2]int{0, few},
			[2]int{1, 60},
		},
		{
			"async, async: disk", config.AsyncMaster, config.AsyncFlush, config.DiskLoss, both[:1],
			[2]int{0, few},
			[2]int{0, 0},
		},
		{
			"async, sync: power", config.AsyncMaster, config.SyncFlush, config.PowerLoss, both[:1],
			[2]int{0, 0},
			[2]int{0, 0},
		},
		{
			"async, sync: disk", config.AsyncMaster, config.SyncFlush, config.DiskLoss, both[:1],
			[2]int{0, few},
			[2]int{0, 0},
		},
		{
			"sync, async: power", config.SyncMaster, config.AsyncFlush, config.PowerLoss, both[:1],
			[2]int{0, 0},
			[2]int{1, 60},
		},
		{
			"sync, async: disk", config.SyncMaster, config.AsyncFlush, config.DiskLoss, both[:1],
			[2]int{0, 0},
			[2]int{0, 0},
		},
		{
			"sync, async: power of both", config.SyncMaster, config.AsyncFlush, config.PowerLoss, both,
			[2]int{1, 60},
			[2]int{0, 60},
		},
		{
			"sync, sync: power", config.SyncMaster, config.SyncFlush, config.PowerLoss, both[:1],
			[2]int{0, 0},
			[2]int{0, 0},
		},
		{
			"sync, sync: disk", config.SyncMaster, config.SyncFlush, config.DiskLoss, both[:1],
			[2]int{0, 0},
			[2]int{0, 0},
		},
		{
			"sync, sync: power of both", config.SyncMaster, config.SyncFlush, config.PowerLoss, both,
			[2]int{0, 0},
			[2]int{0, 0},
		},
	} {
		for _, release := range []string{"4.9.8", "5.3.3"} {
			cfg := avoiding(release)
			cfg.Brokers = cfg.Brokers[:1]
			cfg.Brokers[0].Role, cfg.Brokers[0].Flush = c.role, c.flush
			cfg.Producers[0].Rate = 100
			cfg.Duration = 45 * second
			cfg.Faults = []config.Fault{{
				Name: "f", Kind: c.kind, At: 30*second + 300*ms, Factor: 1, Targets: c.targets,
			}}
			if c.kind == config.PowerLoss {
				cfg.Faults[0].Duration = 5 * second
			}
			o := &ends{ok: map[uint64]bool{}, fates: map[uint64]Fate{}}
			runWorld(t, cfg, o)
			lost, stranded := o.count(Lost), o.count(Stranded)
			if lost < c.lost[0] || lost > c.lost[1] || stranded < c.stranded[0] || stranded > c.stranded[1] {
				t.Errorf("%s, %s: %d lost, %d stranded of %d acknowledged, want %v and %v", c.name, release, lost,
					stranded, len(o.ok), c.lost, c.stranded)
			}
		}
	}
}

// broker.md §2.1: "A slave acks after writing to its own mapped file (page cache), not after fsync": a
// slave whose fsync hangs holds nobody up. Source: HAService.HAClient.dispatchReadRequest, 4.9.8.
func TestSlaveAcknowledgesFromItsPageCache(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.3.3"} {
		cfg := syncConfig(release, 1)
		cfg.Duration = 60 * second
		cfg.Brokers[0].InSyncReplicas = 2
		cfg.Faults = fault30(config.FsyncStall, 0, firstSlave)
		o := runSync(t, cfg)
		checkStretches(t, release, o.results, []stretch{{"fsync hangs", 30 * second, 59 * second, 0, 0, normal}})
		if p := o.w.firstProc[0] + 1; o.w.procs[p].log.flushed >= o.w.procs[p].log.end {
			t.Errorf("%s: the slave has flushed all", release)
		}
	}
}

// broker.md §4: fast failure "affects only queued requests, not ones waiting for flush/slave": where the
// put is asynchronous, a second without fsync or without the slave's word is no reason for SYSTEM_BUSY.
// Source: BrokerFastFailure.cleanExpiredRequest, 4.9.8 and 5.3.3, which looks at the send queue.
func TestFastFailureLeavesWaitsAlone(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.7.0", "4.9.8", "5.3.3"} {
		for _, c := range []struct {
			kind   config.FaultKind
			target config.Target
			flush  config.FlushDiskType
		}{{config.FsyncStall, masterOnly, config.SyncFlush}, {config.Pause, firstSlave, config.AsyncFlush}} {
			cfg := syncConfig(release, 1)
			cfg.Duration = 40 * second
			b := &cfg.Brokers[0]
			b.InSyncReplicas, b.Flush = 2, c.flush
			b.FastFailure, b.WaitTimeInQueue = true, 200*ms
			cfg.Faults = fault30(c.kind, second, c.target)
			o := runSync(t, cfg)
			waited := 0
			for i := range o.results {
				r := &o.results[i]
				if r.answered >= 0 && r.answer() != 0 {
					t.Fatalf("%s, %v: sent at %v, answered %d after %v", release, c.kind, r.sent, r.answer(), r.took())
				}
				if r.took() > 200*ms {
					waited++
				}
			}
			if waited < 14 || waited > 18 { // 20 a second, those of 800 ms
				t.Errorf("%s, %v: %d waited longer than 200 ms", release, c.kind, waited)
			}
		}
	}
}

// broker.md §4: fast failure runs "every 10 ms (first run 1 s after start)": a broker that starts into a
// held lock refuses nobody in its first second, whatever has waited. Source: BrokerFastFailure.start,
// 4.9.8 and 5.3.3.
func TestFastFailureBeginsASecondAfterAStart(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.3.3"} {
		cfg := syncConfig(release, 0)
		cfg.Duration = 45 * second
		b := &cfg.Brokers[0]
		b.Role, b.SendThreads = config.AsyncMaster, 1
		b.FastFailure, b.WaitTimeInQueue = true, 200*ms
		b.Append = must(sim.Constant(10 * sim.Microsecond))
		cfg.Producers[0].Settings.SendMsgTimeout = 20_000
		cfg.Faults = append(fault30(config.Kill, 5*second, masterOnly), config.Fault{
			Name: "lock", Kind: config.LockHold, At: 35 * second, Duration: 3 * second, Factor: 1,
			Targets: []config.Target{masterOnly},
		})
		o := runSync(t, cfg)
		first := sim.Duration(0)
		for i := range o.results {
			if r := &o.results[i]; r.sent > 35*second && r.code == 2 && (first == 0 || r.answered < first) {
				first = r.answered
			}
		}
		if first < 36*second || first > 36*second+50*ms {
			t.Errorf("%s: the first SYSTEM_BUSY comes at %v, want 1 s after the start at 35 s", release, first)
		}
	}
}
