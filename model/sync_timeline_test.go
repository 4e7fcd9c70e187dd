package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

const (
	ms     = sim.Millisecond
	second = sim.Second
)

// normal is the longest wait of a send that has to wait for nothing but a slave that is well.
const normal = 5 * ms

// fault30 strikes at 30 s.
func fault30(kind config.FaultKind, lasts sim.Duration, targets ...config.Target) []config.Fault {
	return []config.Fault{{Name: "f", Kind: kind, At: 30 * second, Duration: lasts, Targets: targets}}
}

var (
	masterOnly = config.Target{}
	firstSlave = config.Target{ID: 1}
)

// The slave process of a SYNC_MASTER is killed. broker.md 10.1; 2.1 and 2.3: the FIN ends the connection
// in milliseconds, so that 4.x answers SLAVE_NOT_AVAILABLE (11) at normal latency from then on; 5.x with
// inSyncReplicas 2 answers FLUSH_SLAVE_TIMEOUT (12) after 3 s to each, and with the default of 1 notices
// nothing.
func TestSlaveKilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		inSync  int
		want    []stretch
	}{
		{"4.2.0", 0, []stretch{{"dead", 30 * second, 60 * second, 11, 0, normal}}},
		{"4.7.1", 0, []stretch{{"dead", 30 * second, 60 * second, 11, 0, normal}}},
		{"4.9.8", 0, []stretch{{"dead", 30 * second, 60 * second, 11, 0, normal}}},
		{"5.3.3", 0, []stretch{{"dead", 30 * second, 60 * second, 0, 0, normal}}},
		{"5.3.3", 2, []stretch{{"dead", 30 * second, 60 * second, 12, 3 * second, 3*second + normal}}},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Duration = 70 * second
		cfg.Brokers[0].InSyncReplicas = c.inSync
		cfg.Faults = fault30(config.Kill, 0, firstSlave)
		o := runSync(t, cfg)
		checkStretches(t, c.release, o.results,
			append(c.want, stretch{"before", 0, 29 * second, 0, 0, normal}))
	}
}

// Messages whose acknowledgement dies with the slave wait out their time: nothing wakes those who wait
// when the connection ends. broker.md 10.1, first row, and 2.2: 12 at +5 s in 4.2.0, at +5 s each in
// turn in 4.7.0 to 4.9.2, at +3..4 s in 4.9.8, at +3 s with 5.3.3 and inSyncReplicas 2. Source:
// HAService.GroupTransferService.doWaitTransfer, 4.2.0, 4.7.1, 4.9.8; GroupTransferService, 5.3.3.
func TestSlaveKilledWithMessagesInFlight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release  string
		inSync   int
		min, max sim.Duration
		serial   bool
	}{
		{"4.2.0", 0, 5 * second, 5 * second, false},
		{"4.6.1", 0, 5 * second, 5 * second, false},
		{"4.7.1", 0, 5 * second, 5 * second, true},
		{"4.9.8", 0, 3 * second, 4 * second, false},
		{"5.1.1", 2, 3 * second, 4 * second, false},
		{"5.3.3", 2, 3 * second, 3*second + ms, false},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Duration = 80 * second
		cfg.Brokers[0].InSyncReplicas = c.inSync
		cfg.Network.Latency = must(sim.Constant(20 * ms))
		cfg.Brokers[0].SendThreads = 4
		cfg.Producers[0].Rate = 90
		cfg.Faults = fault30(config.Kill, 0, firstSlave)
		o := runSync(t, cfg)
		waited, last := 0, sim.Duration(0)
		for i := range o.results {
			r := &o.results[i]
			if r.answer() != 12 || r.sent > 30*second {
				continue
			}
			waited++
			took := r.answered - 20*ms - r.stored
			if c.serial {
				if last > 0 && r.answered-last != 5*second {
					t.Errorf("%s: answers %v apart, want 5s", c.release, r.answered-last)
				}
				last = r.answered
				continue
			}
			if took < c.min || took > c.max {
				t.Errorf("%s: sent at %v, answered 12 after %v in the broker, want %v to %v", c.release, r.sent,
					took, c.min, c.max)
			}
		}
		// 40 ms of messages wait for their acknowledgement at any time.
		if waited < 2 || waited > 5 {
			t.Errorf("%s: %d messages were waiting, want about 3.6", c.release, waited)
		}
	}
}

// The slave's host of a SYNC_MASTER loses power. broker.md 10.2; 2.3: no packet tells the master, which
// removes the connection 20 to 21 s after the last report. Until then 4.9.8 answers 12 after 3..4 s to
// each message, 5.3.3 with inSyncReplicas 2 after 3 s and without an end; after it 4.x answers 11 at
// once.
func TestSlavePowerLossOfSyncMaster(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		inSync  int
		want    []stretch
	}{
		{"4.9.8", 0, []stretch{
			{"silent", 30 * second, 50 * second, 12, 3 * second, 4*second + normal},
			{"removed", 51*second + 100*ms, 100 * second, 11, 0, normal},
		}},
		{"5.3.3", 0, []stretch{{"silent", 30 * second, 100 * second, 0, 0, normal}}},
		{"5.3.3", 2, []stretch{
			{"silent", 30 * second, 100 * second, 12, 3 * second, 3*second + normal},
		}},
		{"5.1.1", 2, []stretch{
			{"silent", 30 * second, 100 * second, 12, 3 * second, 4*second + normal},
		}},
	} {
		cfg := syncConfig(c.release, 1)
		cfg.Brokers[0].InSyncReplicas = c.inSync
		cfg.Faults = fault30(config.PowerLoss, 0, firstSlave)
		o := runSync(t, cfg)
		checkStretches(t, c.release, o.results,
			append(c.want, stretch{"before", 0, 29 * second, 0, 0, normal}))
		if o.unheld > 0 && c.inSync != 0 {
			t.Errorf("%s: %d messages were SEND_OK and on no slave", c.release, o.unheld)
		}
	}
}

// 4.7.0 to 4.9.2 answer the k-th message that waits after about 5k s; when the connection is gone, what
// waits drains on, and the rest is answered 11 at once. broker.md 2.2, 10.2.
func TestSerialWaits(t *testing.T) {
	t.Parallel()
	cfg := syncConfig("4.7.1", 1)
	cfg.Producers[0].Rate = 1
	cfg.Faults = fault30(config.PowerLoss, 0, firstSlave)
	o := runSync(t, cfg)
	k := 0
	for i := range o.results {
		r := &o.results[i]
		switch {
		case r.sent < 30*second && r.answer() != 0:
			t.Errorf("sent at %v: code %d", r.sent, r.answer())
		case r.sent >= 30*second && r.sent < 50*second && r.answered > 0:
			k++
			if at := r.answered - 30*second; r.answer() != 12 || at < sim.Duration(5*k)*second-second ||
				at > sim.Duration(5*k)*second+second+100*ms {
				t.Errorf("the wait %d: code %d at +%v, want 12 at about +%d s", k, r.answer(), at, 5*k)
			}
		case r.sent > 51*second+100*ms && (r.answer() != 11 || r.took() > normal):
			t.Errorf("sent at %v: code %d after %v, want 11 at once", r.sent, r.answer(), r.took())
		}
	}
	if k < 15 {
		t.Errorf("%d waits were answered in 90 s, want 17 or 18", k)
	}
}

// How long a master takes to notice a slave without power, by whether there is something to replicate:
// 20 to 21 s after the last report, which under load is the loss, and on a quiet broker up to 6 s before
// it. broker.md 2.3. Source: HAConnection.ReadSocketService.run, 4.2.0, 4.9.8;
// DefaultHAConnection.ReadSocketService.run, 5.3.3.
func TestHousekeepingOfTheMaster(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.3.3"} {
		for _, c := range []struct {
			what     string
			rate     float64
			from, to sim.Duration
			spread   sim.Duration // at least
			seeds    uint64
		}{
			{"busy", 20, 20*second - 150*ms, 21*second + 10*ms, 0, 5},
			{"quiet", 1e-9, 14 * second, 21*second + 10*ms, 2 * second, 20},
		} {
			first, last := sim.Hour, sim.Duration(0)
			for seed := range c.seeds {
				cfg := syncConfig(release, 1)
				cfg.Seed = seed
				cfg.Producers[0].Rate = c.rate
				const loss = 7 * second
				cfg.Faults = fault30(config.PowerLoss, 0, firstSlave)
				cfg.Faults[0].At = loss
				w := New(cfg, nil)
				at := loss + 10*second
				for runTo(t, w, at); len(w.ha[0].conns) > 0 && at < loss+30*second; runTo(t, w, at) {
					at += 10 * ms
				}
				first, last = min(first, at-loss), max(last, at-loss)
			}
			if first < c.from || last > c.to || last-first < c.spread {
				t.Errorf("%s, %s: removed after %v to %v, want %v to %v", release, c.what, first, last, c.from,
					c.to)
			}
		}
	}
}

// The gap of 256 MiB can end the brownout sooner: t = 256 MiB / (bytes a second). broker.md 2.3.
func TestGapEndsTheBrownout(t *testing.T) {
	t.Parallel()
	cfg := syncConfig("4.9.8", 1)
	cfg.Producers[0].MessageSize = must(sim.Constant(int64(2 << 20))) // 40 MiB a second
	cfg.Faults = fault30(config.PowerLoss, 0, firstSlave)
	checkStretches(t, "4.9.8", runSync(t, cfg).results, []stretch{
		{"within the gap", 30 * second, 36 * second, 12, 3 * second, 4*second + normal},
		{"beyond it", 37 * second, 100 * second, 11, 0, normal},
	})
}
