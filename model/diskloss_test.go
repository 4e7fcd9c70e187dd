package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// fates keeps the fate of each message, why it is so, and when its newest copy was stored.
type fates struct {
	NopObserver
	fate   map[uint64]Fate
	why    map[uint64]LossCause
	stored map[uint64]sim.Time
	bytes  int64
}

func newFates() *fates {
	return &fates{fate: map[uint64]Fate{}, why: map[uint64]LossCause{}, stored: map[uint64]sim.Time{}}
}

func (o *fates) FateChanged(f *FateChange) { o.fate[f.Number], o.why[f.Number] = f.To, f.Loss.Cause }

func (o *fates) CopyStored(c *Copy) { o.stored[c.Message.Number] = c.At }

func (o *fates) Process(p *ProcessEvent) {
	if p.What == BytesLost {
		o.bytes += p.Bytes
	}
}

func diskLoss(release string, slaves int, target config.Target) config.Config {
	cfg := configtest.Small(release, 1)
	cfg.Brokers[0].Slaves = slaves
	cfg.Producers[0].Rate = 100
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.DiskLoss, Targets: names(target), At: 20 * sim.Second, Duration: 10 * sim.Second,
	}}
	return cfg
}

// A disk without a slave takes everything with it, fsynced or not, and the process starts with an empty
// log.
func TestDiskLossTakesEverything(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := diskLoss(release, 0, config.Target{})
		o := newFates()
		w := runWorld(t, cfg, o)
		at := sim.Time(cfg.Faults[0].At)
		var before, after int
		for n, stored := range o.stored {
			switch fate, why := o.fate[n], o.why[n]; {
			case stored < at && fate == Lost && (why == DiskGone || why == PageCacheLost):
				before++
			case stored > at && fate != Lost && fate != Stranded:
				after++
			default:
				t.Fatalf("%s: message %d of %v is %v (%v)", release, n, stored, fate, why)
			}
		}
		if before < 1500 || after < 1000 {
			t.Errorf("%s: %d messages before the fault, %d after", release, before, after)
		}
		if o.bytes != int64(before)*1024 {
			t.Errorf("%s: %d bytes lost with %d messages", release, o.bytes, before)
		}
		if ml := &w.logs[0]; w.procs[0].log.end != int64(after)*1024 || ml.kept.len() > 0 {
			t.Errorf("%s: the log ends at %d; %d copies are kept", release, w.procs[0].log.end,
				ml.kept.len())
		}
	}
}

// broker.md §3, the column of the lost disk, ASYNC_MASTER: lost is what the slave lacks, and that is
// what was appended within its last poll (100 ms) and a latency. The rest is on the slave's disk, or
// will be, and stays there: nobody copies it back to the master that returns.
func TestDiskLossLeavesWhatTheSlaveHas(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := diskLoss(release, 1, config.Target{})
		cfg.Brokers[0].HAHeartbeatInterval = 5 * sim.Second
		cfg.Brokers[0].HAHousekeepingInterval = 20 * sim.Second
		o := newFates()
		w := New(cfg, o)
		at := cfg.Faults[0].At
		check := func(now sim.Duration, held Fate) {
			runTo(t, w, now)
			counts := map[Fate]int{}
			for n, stored := range o.stored {
				fate := o.fate[n]
				if stored > sim.Time(at) {
					continue
				}
				counts[fate]++
				if fate == Lost && stored < sim.Time(at-101*sim.Millisecond) ||
					fate != Lost && fate != held && stored < sim.Time(at-500*sim.Millisecond) {
					t.Fatalf("%s at %v: message %d of %v is %v", release, now, n, stored, fate)
				}
			}
			if counts[held] < 1500 || counts[Lost] == 0 {
				t.Errorf("%s at %v: %v", release, now, counts)
			}
		}
		check(25*sim.Second, Durable)
		check(31*sim.Second, Stranded)
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// A slave that loses its disk gets everything from its master again, and no message is in danger.
func TestSlaveRefillsItsDisk(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := diskLoss(release, 1, config.Target{ID: 1})
		cfg.Brokers[0].HAHeartbeatInterval = 5 * sim.Second
		cfg.Brokers[0].HAHousekeepingInterval = 20 * sim.Second
		o := newFates()
		w := runWorld(t, cfg, o)
		for n, fate := range o.fate {
			if fate == Lost || fate == Stranded {
				t.Fatalf("%s: message %d is %v", release, n, fate)
			}
		}
		master, slave := &w.procs[0].log, &w.procs[1].log
		if slave.disk < master.end-100*1024 || slave.disk == 0 {
			t.Errorf("%s: the slave's disk has %d of %d bytes", release, slave.disk, master.end)
		}
	}
}

// Disks may fail more than once, and both of a pair: what a slave alone has is lost with the slave's.
func TestDisksOfAPair(t *testing.T) {
	t.Parallel()
	cfg := diskLoss("5.3.3", 1, config.Target{})
	cfg.Faults = append(cfg.Faults, config.Fault{
		Name: "g", Kind: config.DiskLoss, Targets: names(config.Target{ID: 1}), At: 35 * sim.Second,
		Duration: sim.Second,
	})
	o := newFates()
	runWorld(t, cfg, o)
	for n, stored := range o.stored {
		if fate := o.fate[n]; stored < sim.Time(20*sim.Second) && (fate != Lost || o.why[n] == NotLost) {
			t.Fatalf("message %d of %v is %v (%v)", n, stored, fate, o.why[n])
		}
	}
}
