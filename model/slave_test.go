package model

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// What a slave saves when its master loses power, and what it does not.

// A slave saves the tail that has reached it: while the master is away it can be read there. When
// the master is back without it nobody copies it back, and it is stranded. What had not left for the
// slave is lost at once.
func TestSlaveKeepsTheTailUntilMasterReturns(t *testing.T) {
	t.Parallel()
	stranded := 0
	rapid.Check(t, func(rt *rapid.T) {
		at := drawFaultTime(rt)
		lasts := rapid.SampledFrom([]sim.Duration{0, 2 * sim.Second, 14 * sim.Second}).Draw(rt, "lasts")
		cfg := diskConfig(rt, config.PowerLoss, at, lasts)
		cfg.Brokers[0].Slaves = rapid.IntRange(1, 2).Draw(rt, "slaves")
		cfg.Network.Latency = drawTime(rt, "latency", 100*sim.Microsecond, 10*sim.Millisecond)
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, at-1)
		want := tailOf(w, o)
		runTo(t, w, at)
		checkSame(rt, "lost by the power loss", o.single(o.with(Lost)), want.nowhere)
		if o.ever[Stranded] > 0 {
			rt.Fatalf("%d messages stranded while the master is away", o.ever[Stranded])
		}
		stranded += len(want.on)
		if lasts == 0 {
			runTo(t, w, cfg.Duration)
			for _, m := range o.single(want.on) {
				if o.fate[m] != Durable {
					rt.Fatalf("message %d is %v, though the slave had 15 s to flush it", m, o.fate[m])
				}
			}
			return
		}
		runTo(t, w, at+lasts)
		checkSame(rt, "stranded by the return", o.single(o.with(Stranded)), o.single(want.on))
		runTo(t, w, cfg.Duration)
		checkSame(rt, "stranded for good", o.single(o.with(Stranded)), o.single(want.on))
		checkSame(rt, "lost for good", o.single(o.with(Lost)), o.single(want.nowhere))
	})
	if stranded == 0 {
		t.Error("no slave ever had the tail: the sweep shows nothing")
	}
}

// unflushedOf are the messages that the first master has not flushed, of those whose bytes lie where one
// says.
func unflushedOf(w *World, where func(from, to int64) bool) (numbers []uint64) {
	for i := range w.logs[0].unflushed.len() {
		c := w.logs[0].unflushed.at(i)
		if m := w.record(c); where(c.end-int64(m.size), c.end) {
			numbers = append(numbers, m.Number)
		}
	}
	return numbers
}

// withSlave is a master with a slave for so long, and what strikes them.
func withSlave(seed uint64, duration sim.Duration, faults ...config.Fault) config.Config {
	cfg := configtest.Small("5.3.3", 1)
	cfg.Seed, cfg.Duration, cfg.Faults = seed, duration, faults
	cfg.Brokers[0].Slaves = 1
	return cfg
}

// A master comes back without its tail [flushed, end). Its slave still has those bytes, which are
// another history now, but loses them in turn: what it then copies from the master is the master's.
// So when the master loses power again, the slave has the new tail.
func TestSlaveThatLostTheOldTailHoldsTheNew(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(40) {
		cfg := withSlave(seed, 20*sim.Second,
			config.Fault{Name: "m1", Kind: config.PowerLoss, Targets: master(0), At: 5 * sim.Second, Duration: 1},
			config.Fault{
				Name: "s1", Kind: config.PowerLoss, Targets: []config.Target{{ID: 1}},
				At: 5010 * sim.Millisecond, Duration: 1,
			},
			config.Fault{Name: "m2", Kind: config.PowerLoss, Targets: master(0), At: 11400 * sim.Millisecond},
		)
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, cfg.Faults[1].At)
		kept := w.procs[1].log.end // of the slave's old bytes
		runTo(t, w, cfg.Faults[2].At-1)
		want := unflushedOf(w, func(from, to int64) bool { return from >= kept && to <= w.procs[1].log.end })
		runTo(t, w, cfg.Faults[2].At)
		for _, m := range want {
			compared++
			if o.fate[m] != AtRisk && o.fate[m] != Durable {
				t.Fatalf("seed %d: message %d is on the slave and counts as %v", seed, m, o.fate[m])
			}
		}
	}
	if compared == 0 {
		t.Error("no message of the new tail was on the slave: the test shows nothing")
	}
}

// A master comes back without its tail, writes other bytes at the same offsets, and loses power
// again. The slave's log is longer than the new tail, but what it has there is the old one: it
// saves nothing.
func TestSlaveOfAnotherHistorySavesNothing(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(40) {
		cfg := withSlave(seed, 10*sim.Second,
			config.Fault{Name: "m1", Kind: config.PowerLoss, Targets: master(0), At: 5 * sim.Second, Duration: 1},
			config.Fault{Name: "m2", Kind: config.PowerLoss, Targets: master(0), At: 5050 * sim.Millisecond},
		)
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, cfg.Faults[0].At)
		old := w.procs[1].log.end
		runTo(t, w, cfg.Faults[1].At-1)
		want := unflushedOf(w, func(_, to int64) bool { return to <= old })
		runTo(t, w, cfg.Faults[1].At)
		for _, m := range want {
			compared++
			if o.fate[m] != Lost {
				t.Fatalf("seed %d: message %d is nowhere and counts as %v", seed, m, o.fate[m])
			}
		}
	}
	if compared == 0 {
		t.Error("no message was written where the slave's old bytes are: the test shows nothing")
	}
}
