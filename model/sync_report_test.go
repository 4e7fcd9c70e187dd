package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// What users have reported of SYNC_MASTER.

// A SYNC_MASTER without any slave that it can reach still accepts. 4.x answers SLAVE_NOT_AVAILABLE to
// all, nobody sees an exception, and offsets grow (apache/rocketmq issues 2528, 1278, 2351). 5.x answers
// SEND_OK by default; with inSyncReplicas 2 each send waits 3 s for FLUSH_SLAVE_TIMEOUT.
func TestNoSlaveStillAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		inSync  int
		want    stretch
	}{
		{"4.2.0", 0, stretch{"all", 0, 19 * second, 11, 0, normal}},
		{"4.4.0", 0, stretch{"all", 0, 19 * second, 11, 0, normal}},
		{"4.7.1", 0, stretch{"all", 0, 19 * second, 11, 0, normal}},
		{"4.9.8", 0, stretch{"all", 0, 19 * second, 11, 0, normal}},
		{"5.3.3", 1, stretch{"all", 0, 19 * second, 0, 0, normal}},
		{"5.3.3", 2, stretch{"all", 0, 16 * second, 12, 3 * second, 3*second + normal}},
	} {
		cfg := syncConfig(c.release, 0)
		cfg.Duration = 20 * second
		cfg.Brokers[0].InSyncReplicas = c.inSync
		o := runSync(t, cfg)
		checkStretches(t, c.release, o.results, []stretch{c.want})
		for i := range o.results {
			if r := &o.results[i]; r.sent >= 0 && r.sent < 19*second && r.end == 0 {
				t.Errorf("%s: a message sent at %v was not stored", c.release, r.sent)
			}
		}
	}
}

// apache/rocketmq issue 2909, taken further: with retryAnotherBrokerWhenNotStoreOK each
// FLUSH_SLAVE_TIMEOUT makes another copy, until retries or time are spent: min(1 + retries, ceil(timeout /
// wait)). With the default timeout of 3 s the only attempt is over before the broker answers.
func TestRetriesAfterASlaveTimeoutMultiplyCopies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release  string
		timeout  strategy.Millis
		retries  int
		copies   int
		answered bool // with a status
	}{
		{"5.3.3", 3000, 2, 1, false},
		{"5.3.3", 5000, 2, 2, true},
		{"5.3.3", 8000, 2, 3, true},
		{"5.3.3", 20000, 2, 3, true},
		{"5.3.3", 20000, 4, 5, true},
		{"4.7.1", 3000, 2, 1, false}, // 5 s each
		{"4.7.1", 12000, 2, 3, true},
		{"4.7.1", 8000, 2, 2, true},
	} {
		cfg := syncConfig(c.release, 1)
		for range 2 {
			b := cfg.Brokers[0]
			b.Name = []string{"", "b01", "b02"}[len(cfg.Brokers)]
			cfg.Brokers = append(cfg.Brokers, b)
		}
		var targets []config.Target
		for i := range cfg.Brokers {
			cfg.Brokers[i].InSyncReplicas = 2
			targets = append(targets, config.Target{Index: i, ID: 1})
		}
		cfg.Duration = 70 * second
		cfg.Network.Latency = must(sim.Constant(2 * ms)) // an answer after 3 s comes too late for 3 s
		cfg.Faults = fault30(config.PowerLoss, 0, targets...)
		p := &cfg.Producers[0]
		p.Rate = 0.02 // one at 30 s or later, before the masters notice
		p.Settings.SendMsgTimeout, p.Settings.RetryTimesWhenSendFailed = c.timeout, c.retries
		p.Settings.RetryAnotherBrokerWhenNotStoreOK = true
		o := newFateObserver()
		answers := &statusObserver{fateObserver: o}
		w := New(cfg, answers)
		runTo(t, w, 30*second)
		m := w.newMessage(&w.groups[0], 1<<40, 0)
		w.startSend(w.rise(&w.insts[0]), m)
		runTo(t, w, cfg.Duration)
		if got := int(o.copies[1<<40]); got != c.copies {
			t.Errorf("%s, timeout %d ms, %d retries: %d copies, want %d", c.release, c.timeout, c.retries, got,
				c.copies)
		}
		status, known := answers.status[1<<40]
		if !known || (status != strategy.StatusNone) != c.answered {
			t.Errorf("%s, timeout %d ms, %d retries: status %v", c.release, c.timeout, c.retries, status)
		}
	}
}

// statusObserver keeps the status of each answer, too.
type statusObserver struct {
	*fateObserver
	status map[uint64]strategy.Status
}

func (o *statusObserver) Answered(a *Answer) {
	if o.status == nil {
		o.status = map[uint64]strategy.Status{}
	}
	o.status[a.Number] = a.Result.Status
	o.fateObserver.Answered(a)
}

// Of two slaves one acknowledgement is enough in 4.x (apache/rocketmq issue 5128); 5.x counts.
// broker.md 2.1, 2.5.
func TestOneOfTwoSlaves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		inSync  int
		want    stretch
	}{
		{"4.2.0", 0, stretch{"one slave stopped", 31 * second, 49 * second, 0, 0, normal}},
		{"4.9.8", 0, stretch{"one slave stopped", 31 * second, 49 * second, 0, 0, normal}},
		{"5.3.3", 2, stretch{"one slave stopped", 31 * second, 49 * second, 0, 0, normal}},
		{"5.3.3", 3, stretch{
			"one slave stopped", 31 * second, 46 * second, 12, 3 * second, 3*second + normal,
		}},
	} {
		cfg := syncConfig(c.release, 2)
		cfg.Duration = 50 * second
		cfg.Brokers[0].InSyncReplicas = c.inSync
		cfg.Faults = fault30(config.Pause, 0, firstSlave)
		o := runSync(t, cfg)
		checkStretches(t, c.release, o.results,
			[]stretch{c.want, {"both well", 0, 29 * second, 0, 0, normal}})
		if o.unheld > 0 {
			t.Errorf("%s: %d messages were SEND_OK and on no slave", c.release, o.unheld)
		}
	}
}

// An acknowledgement that is not the highest wakes nobody: 5.1.2 and later see it within a millisecond,
// 5.0.0 to 5.1.1 when they look next, once a second. Source: DefaultHAService.notifyTransferSome and
// GroupTransferService.doWaitTransfer, 5.0.0, 5.1.2.
func TestSecondAcknowledgementWakesNobody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release  string
		min, max sim.Duration
	}{{"5.3.3", 0, normal}, {"5.1.1", 100 * ms, second + normal}} {
		cfg := syncConfig(c.release, 2)
		cfg.Duration = 20 * second
		cfg.Brokers[0].InSyncReplicas = 3
		cfg.Network.Latency = must(sim.Uniform(100*sim.Microsecond, 200*sim.Microsecond))
		cfg.Producers[0].Rate = 0.5
		checkStretches(t, c.release, runSync(t, cfg).results, []stretch{
			{"both slaves well", 0, 18 * second, 0, c.min, c.max},
		})
	}
}

// alibaba/rocketmq issue 421, does the producer wait for the slave: with SYNC_MASTER and SYNC_FLUSH the
// answer waits for both, one after the other up to 4.6.1, side by side from 4.7.0; and a bad end of the
// replica's wait hides that of the disk's. broker.md 1. Source: CommitLog.putMessage, 4.2.0;
// CommitLog.asyncPutMessage, 4.9.8.
func TestDiskAndSlave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		want    sim.Duration
	}{
		{"4.2.0", 120*ms + 20*ms + 120*ms},
		{"4.6.1", 120*ms + 20*ms + 120*ms},
		{"4.7.1", 120*ms + 120*ms},
		{"4.9.8", 120*ms + 120*ms},
		{"5.3.3", 120*ms + 120*ms},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Duration = 20 * second
		cfg.Brokers[0].InSyncReplicas = 2
		cfg.Brokers[0].Flush = config.SyncFlush
		cfg.Brokers[0].Fsync = must(sim.Constant(20 * ms))
		cfg.Network.Latency = must(sim.Constant(60 * ms))
		cfg.Producers[0].Rate = 1.9
		longest := sim.Duration(0)
		for _, r := range runSync(t, cfg).results {
			if r.sent >= 0 && r.sent < 19*second {
				longest = max(longest, r.took())
			}
		}
		// (The bytes may have left for the slave before the wait for it begins; then it is shorter.)
		if longest < c.want || longest > c.want+normal {
			t.Errorf("%s: a send took %v, want %v", c.release, longest, c.want)
		}
	}
	// The disk stands still and the slave is gone: 10 and 12 at once is 12; 10 and 0 is 10.
	for _, c := range []struct {
		release string
		slave   config.FaultKind
		code    int
		min     sim.Duration
		max     sim.Duration
	}{
		{"4.2.0", config.PowerLoss, 12, 10 * second, 10*second + normal},
		{"4.9.8", config.PowerLoss, 12, 5 * second, 5*second + normal},
		{"4.9.8", config.Kill, 11, 5 * second, 5*second + normal},
		{"5.3.3", config.PowerLoss, 12, 5 * second, 5*second + normal},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Duration = 60 * second
		cfg.Brokers[0].InSyncReplicas = 2
		cfg.Brokers[0].Flush = config.SyncFlush
		cfg.Producers[0].Rate = 0.2
		if c.release == "4.2.0" {
			cfg.Producers[0].Rate = 0.05
		}
		cfg.Faults = append(fault30(c.slave, 0, firstSlave), config.Fault{
			Name: "fsync", Kind: config.FsyncStall, At: 30 * second, Targets: []config.Target{masterOnly},
		})
		checkStretches(t, c.release, runSync(t, cfg).results, []stretch{
			{"both waits fail", 30 * second, 49 * second, c.code, c.min, c.max + 20*ms},
		})
	}
}
