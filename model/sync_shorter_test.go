package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

// shorterConfig is a SYNC_MASTER that loses its power for a moment at 30 s, and with it the last seconds
// of a log that its slave has all of: 16 KiB a message, and a flush thread that is too late.
func shorterConfig(release string) config.Config {
	cfg := syncConfig(release, 1)
	b := &cfg.Brokers[0]
	b.FlushInterval, b.FlushThoroughInterval = 40*second, 40*second
	b.FlushTimed = new(bool)
	*b.FlushTimed = true
	b.LogSize = 1 << 20
	cfg.Producers[0].MessageSize = must(sim.Constant(int64(16 << 10)))
	cfg.Faults = fault30(config.PowerLoss, 1, masterOnly)
	return cfg
}

// A master that has lost its tail is shorter than its slave. Nothing flows until its log has grown past
// the slave's, but the slave's offset counts: new messages are answered SEND_OK without being
// replicated. broker.md 2.4, which says so of 4.2.0 and 5.3.3. Source:
// HAConnection.ReadSocketService.processReadEvent and HAService.notifyTransferSome, 4.2.0;
// DefaultHAConnection.ReadSocketService.processReadEvent, 5.3.3.
//
// 4.9.3 and later, of which broker.md says that they drop the connection on every report, take the
// first one of each connection: it sets the offset before the check is made. So they answer SEND_OK, too,
// and the connection, dropped on the second report, flaps each 10 to 12 s, as the slave is back in a round
// trip. Source: the same, 4.9.3, and HAService.HAClient.run, 4.9.8.
func TestShorterMasterAcknowledgesWhatNobodyHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		inSync  int
		flaps   bool
	}{{"4.2.0", 0, false}, {"4.9.8", 0, true}, {"5.3.3", 2, false}} {
		cfg := shorterConfig(c.release)
		cfg.Brokers[0].InSyncReplicas = c.inSync
		o := &syncObserver{need: 1}
		w := New(cfg, o)
		o.w = w
		runTo(t, w, 30*second-1)
		old := w.procs[1].log.end // the slave has it, and keeps it
		reported := until(t, w, 30*second, func() bool { return w.ha[0].pushed > 0 })
		if w.procs[0].log.end >= old {
			t.Fatalf("%s: the master has not lost enough", c.release)
		}
		passed := until(t, w, reported, func() bool { return w.procs[0].log.end >= old })
		if w.procs[1].log.end != old || passed-reported < 10*second {
			t.Errorf("%s: the slave's log grew from %d to %d while its master was shorter, for %v", c.release,
				old, w.procs[1].log.end, passed-reported)
		}
		runTo(t, w, 119*second)
		checkStretches(t, c.release, o.results, []stretch{
			{"acknowledged without a copy", reported + 10*ms, passed - 100*ms, 0, 0, normal},
			{"replicated", passed + 20*second, 110 * second, 0, 0, normal},
		})
		want := 0
		for i := range o.results {
			if r := &o.results[i]; r.stored > 30*second && r.answer() == 0 && r.end <= old {
				want++
			}
		}
		if o.unheld != want || want < 100 {
			t.Errorf("%s: %d messages were SEND_OK and on no slave, want %d, many", c.release, o.unheld, want)
		}
		if grown := w.procs[1].log.end; grown < w.procs[0].log.end-1<<20 {
			t.Errorf("%s: the slave ends at %d, its master at %d", c.release, grown, w.procs[0].log.end)
		}
	}
}

// The pair of 4.9.8 flaps: a connection ends on its second report, 10 to 12 s after it was made, and the
// next follows at once.
func TestShorterMasterDropsTheConnection(t *testing.T) {
	t.Parallel()
	w := New(shorterConfig("4.9.8"), nil)
	runTo(t, w, 30*second-1)
	old := w.procs[1].log.end
	var drops []sim.Duration
	runTo(t, w, 31*second)
	for reported, at := false, 31*second; w.procs[0].log.end < old; at += 5 * ms {
		runTo(t, w, at)
		was := reported
		reported = len(w.ha[0].conns) > 0 && w.haConns.items[w.ha[0].conns[0]].requested
		if was && !reported {
			drops = append(drops, at)
		}
	}
	if len(drops) < 2 {
		t.Fatalf("the connection ended %d times", len(drops))
	}
	for i := 1; i < len(drops); i++ {
		if gap := drops[i] - drops[i-1]; gap < 10*second-10*ms || gap > 12*second+10*ms {
			t.Errorf("the connection ended %v after the last time, want 10 s to 12 s", gap)
		}
	}
}

// The slave's old bytes are not the master's new ones: whatever is written at offsets that the slave had
// already is not on it, and is lost with the master.
func TestShorterMasterLosesWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	cfg := shorterConfig("5.3.3")
	cfg.Brokers[0].InSyncReplicas = 2
	cfg.Faults = append(cfg.Faults, config.Fault{
		Name: "again", Kind: config.PowerLoss, At: 50 * second, Targets: []config.Target{masterOnly},
	})
	o := newFateObserver()
	w := New(cfg, o)
	runTo(t, w, 30*second)
	old := w.procs[1].log.end
	runTo(t, w, 50*second-1)
	if w.procs[0].log.end >= old {
		t.Fatal("the master has outgrown its slave")
	}
	lost := 0
	for i := range w.logs[0].unflushed.len() {
		if o.ok[w.record(w.logs[0].unflushed.at(i)).Number] {
			lost++
		}
	}
	runTo(t, w, 60*second)
	if n := len(o.with(Lost)); lost == 0 || n < lost {
		t.Errorf("%d messages are lost, %d acknowledged ones were in the page cache only", n, lost)
	}
}

// A slave keeps what it had before its master came back shorter: if the master's disk is lost then, only
// what differs is.
func TestSlaveKeepsWhatWasBeforeTheShorterMaster(t *testing.T) {
	t.Parallel()
	cfg := shorterConfig("5.3.3")
	cfg.Brokers[0].FlushInterval = 10 * second
	cfg.Faults = append(cfg.Faults, config.Fault{
		Name: "disk", Kind: config.DiskLoss, At: 35 * second, Targets: []config.Target{masterOnly},
	})
	o := newFateObserver()
	w := New(cfg, o)
	runTo(t, w, 29*second)
	flushed := map[uint64]bool{}
	for m, f := range o.fate {
		flushed[m] = f == Durable
	}
	runTo(t, w, 40*second)
	kept := 0
	for m, durable := range flushed {
		if !durable {
			continue
		}
		kept++
		if f := o.fate[m]; f != Durable && f != AtRisk {
			t.Fatalf("message %d was on the disks of master and slave and is %v", m, f)
		}
	}
	if kept < 100 || o.ever[Lost] == 0 {
		t.Errorf("%d messages were kept, %d lost: the test shows nothing", kept, o.ever[Lost])
	}
}
