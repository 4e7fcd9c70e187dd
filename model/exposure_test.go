package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// copyCounter counts the copies stored, and when.
type copyCounter struct {
	NopObserver
	at []sim.Time
}

func (o *copyCounter) CopyStored(c *Copy) { o.at = append(o.at, c.At) }

// since counts the copies stored after a time.
func (o *copyCounter) since(from sim.Duration) int64 {
	n := int64(0)
	for _, at := range o.at {
		if at > sim.Time(from) {
			n++
		}
	}
	return n
}

// What a broker has that nobody can read now: all of it if neither its master nor a slave runs, what
// its slave lacks if that runs; nothing while the master does. Messages have 1 KiB each.
func TestExposure(t *testing.T) {
	t.Parallel()
	const second = sim.Second
	master, slave := []config.Target{{}}, []config.Target{{ID: 1}}
	for _, c := range []struct {
		name   string
		slaves int
		faults []config.Fault
		// unreadable, single: the messages stored since so long; -1 for none.
		unreadable, single sim.Duration
	}{
		{"healthy", 1, nil, -1, -1},
		{"no slave", 0, nil, -1, -1},
		{
			"killed, and its slave serves", 1,
			[]config.Fault{{Kind: config.Kill, Targets: master, At: 5 * second}},
			-1, -1,
		},
		{
			"killed without a slave", 0,
			[]config.Fault{{Kind: config.Kill, Targets: master, At: 5 * second}},
			0,
			-1,
		},
		{
			"its cable pulled", 0, []config.Fault{{Kind: config.CablePull, Targets: master, At: 5 * second}}, 0, -1,
		},
		{
			"cut off from its slave only", 1,
			[]config.Fault{{Kind: config.Partition, Targets: master, To: slave, At: 5 * second}},
			-1, 5 * second,
		},
		{
			"paused without a slave", 0,
			[]config.Fault{{Kind: config.Pause, Targets: master, At: 5 * second}},
			0,
			-1,
		},
		{
			"both killed", 1,
			[]config.Fault{
				{Kind: config.Kill, Targets: master, At: 5 * second}, {
					Kind: config.Kill, Targets: slave,
					At: 6 * second,
				},
			},
			0, -1,
		},
		{
			"slave gone", 1, []config.Fault{{Kind: config.Kill, Targets: slave, At: 2 * second}}, -1, 2 * second,
		},
		{
			"slave stopped, then the master gone, then the slave back", 1,
			[]config.Fault{
				{Kind: config.Kill, Targets: slave, At: 2 * second, Duration: 5 * second},
				{Kind: config.Kill, Targets: master, At: 5 * second},
			},
			2 * second, 2 * second,
		},
		{
			"back again", 0, []config.Fault{{
				Kind: config.Kill, Targets: master, At: 5 * second,
				Duration: second,
			}}, -1, -1,
		},
	} {
		cfg := configtest.Small("5.3.3", 1)
		cfg.Duration = 10 * second
		cfg.Brokers[0].Slaves = c.slaves
		cfg.Faults = c.faults
		o := &copyCounter{}
		w := New(cfg, o)
		runTo(t, w, cfg.Duration)
		count := func(from sim.Duration) int64 {
			if from < 0 {
				return 0
			}
			return o.since(from)
		}
		e := w.Exposure(0)
		// Nothing wakes the loop that writes to the slave, so 100 ms of messages have not left when an
		// end comes.
		slack := int64(c.slaves)*50 + 10
		if want := count(c.unreadable); e.Unreadable < want || e.Unreadable > want+slack ||
			e.UnreadableBytes != e.Unreadable*1024 {
			t.Errorf("%s: %d messages, %d bytes unreadable, want %d messages", c.name, e.Unreadable,
				e.UnreadableBytes, want)
		}
		if want := count(c.single); e.SingleBytes < want*1024 || e.SingleBytes > (want+slack)*1024 {
			t.Errorf("%s: %d bytes in one copy, want those of %d messages", c.name, e.SingleBytes, want)
		}
	}
}

// What only the slave's page cache had of a master without power is unreadable once the slave is
// stopped, and counts by the message.
func TestExposureOfOrphans(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 1)
	cfg.Duration = 10 * sim.Second
	cfg.Brokers[0].Slaves = 1
	cfg.Faults = []config.Fault{
		{Kind: config.PowerLoss, Targets: []config.Target{{}}, At: 5 * sim.Second},
		{Kind: config.Pause, Targets: []config.Target{{ID: 1}}, At: 6 * sim.Second},
	}
	o := &copyCounter{}
	w := New(cfg, o)
	runTo(t, w, 5900*sim.Millisecond)
	// What the master has on its disk and had not sent yet is there, but cannot be read.
	want := max(0, w.procs[0].log.flushed-w.procs[1].log.end) / 1024
	if e := w.Exposure(0); e.Unreadable != want {
		t.Errorf("the slave serves, and %d messages are unreadable, want %d", e.Unreadable, want)
	}
	runTo(t, w, cfg.Duration)
	lost := w.ledger.cells[1][Lost]
	if e := w.Exposure(0); e.Unreadable != int64(len(o.at))-lost {
		t.Errorf("%d messages are unreadable, want %d stored less %d lost", e.Unreadable, len(o.at), lost)
	}
}

// What a disk takes with it is lost, not unreadable, the bytes from before the run among it: found by the
// campaign.
func TestExposureOfALostDisk(t *testing.T) {
	cfg := configtest.Small("5.3.3", 1)
	cfg.Brokers[0].LogSize = 1 << 30
	cfg.Faults = []config.Fault{{
		Name: "gone", Kind: config.DiskLoss, At: 10 * sim.Second, Duration: 10 * sim.Second, Factor: 1,
		Targets: []config.Target{{}},
	}, {Name: "off", Kind: config.Kill, At: 40 * sim.Second, Factor: 1, Targets: []config.Target{{}}}}
	w := New(cfg, nil)
	runTo(t, w, 15*sim.Second)
	if e := w.Exposure(0); e.Unreadable != 0 || e.UnreadableBytes != 0 {
		t.Errorf("the disk is gone: %+v", e)
	}
	runTo(t, w, 50*sim.Second)
	log := &w.procs[0].log
	if e := w.Exposure(0); e.UnreadableBytes != log.end || e.UnreadableBytes == 0 {
		t.Errorf("the new log of %d bytes is off: %+v", log.end, e)
	}
}
