package model

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// What a fault does to bytes: kill -9 leaves the page cache, a power loss leaves what was fsynced,
// and a slave has what has reached it. Every test stops the world one nanosecond before a fault,
// looks into the logs, and compares what the fault then does with what they said.

// diskConfig is a cluster under load with one fault at `at` on the first master.
func diskConfig(rt *rapid.T, kind config.FaultKind, at, lasts sim.Duration) config.Config {
	cfg := configtest.Small(drawRelease(rt, "cluster"), rapid.IntRange(1, 3).Draw(rt, "brokers"))
	cfg.Seed = rapid.Uint64().Draw(rt, "seed")
	cfg.Faults = []config.Fault{{Name: "f", Kind: kind, Targets: []config.Target{{}}, At: at, Duration: lasts}}
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		b.Service = must(sim.Exponential(sim.Millisecond))
		b.Fsync = drawTime(rt, "fsync", sim.Millisecond, 40*sim.Millisecond)
		b.FlushLeastPages = rapid.SampledFrom([]int{0, 4}).Draw(rt, "least pages")
	}
	p := &cfg.Producers[0]
	p.Rate = rapid.SampledFrom([]float64{3, 30, 300}).Draw(rt, "rate")
	p.MessageSize = must(sim.Uniform(int64(100), int64(3000)))
	cfg.Duration = at + max(lasts, 0) + 15*sim.Second
	return cfg
}

// fateObserver follows the answer and the fate of each message.
type fateObserver struct {
	NopObserver
	fate map[uint64]Fate
	ok   map[uint64]bool // answered SEND_OK
	// okAt is the fate at a SEND_OK.
	okAt map[uint64]Fate
	// ever counts changes to a fate.
	ever      [numFates]int
	copies    map[uint64]int32
	bytesLost []int64
	causes    map[LossCause]int   // of messages lost
	when      map[uint64]sim.Time // of the last copy
}

func newFateObserver() *fateObserver {
	return &fateObserver{
		fate: map[uint64]Fate{}, ok: map[uint64]bool{}, okAt: map[uint64]Fate{},
		copies: map[uint64]int32{}, causes: map[LossCause]int{}, when: map[uint64]sim.Time{},
	}
}

func (o *fateObserver) FateChanged(f *FateChange) {
	o.fate[f.Number] = f.To
	o.ever[f.To]++
	if f.To == Lost {
		o.causes[f.Loss.Cause]++
	}
}

func (o *fateObserver) CopyStored(c *Copy) {
	o.copies[c.Message.Number] = c.Number
	o.when[c.Message.Number] = c.At
}

func (o *fateObserver) Answered(a *Answer) {
	if a.Result.Status == strategy.StatusSendOK {
		o.ok[a.Number] = true
		o.okAt[a.Number] = a.Fate
	}
}

func (o *fateObserver) Process(p *ProcessEvent) {
	if p.What == BytesLost {
		o.bytesLost = append(o.bytesLost, p.Bytes)
	}
}

// with are the numbers of the messages of a fate, sorted.
func (o *fateObserver) with(f Fate) []uint64 {
	var out []uint64
	for m, fate := range o.fate {
		if fate == f {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return out
}

// tail is what is in a master's page cache only: the bytes, and the messages with no copy
// elsewhere, split by whether a slave has them in its log, and on its disk.
type tail struct {
	bytes                     int64
	nowhere, cached, on, disk []uint64
}

// tailOf reads the tail of the first master. Copies of other brokers would save a message, so those
// with several copies are left out.
func tailOf(w *World, o *fateObserver) tail {
	log := &w.procs[0].log
	t := tail{bytes: log.end - log.flushed}
	for i := range w.logs[0].unflushed.len() {
		c := w.logs[0].unflushed.at(i)
		m := w.record(c).Number
		if o.copies[m] > 1 {
			continue
		}
		var cached, onDisk bool
		for id := range w.cfg.Brokers[0].Slaves {
			slave := &w.procs[1+id]
			end := max(slave.log.end, onTheWire(w, slave)) // what has left the master arrives
			cached = cached || end >= c.end
			onDisk = onDisk || slave.log.flushed >= c.end
		}
		switch {
		case onDisk:
			t.disk = append(t.disk, m)
		case cached:
			t.cached = append(t.cached, m)
		default:
			t.nowhere = append(t.nowhere, m)
		}
	}
	slices.Sort(t.nowhere)
	t.on = sorted(t.cached, t.disk)
	return t
}

func sorted(lists ...[]uint64) []uint64 {
	out := slices.Concat(lists...)
	slices.Sort(out)
	return out
}

// single drops the messages that have more than one copy by now.
func (o *fateObserver) single(list []uint64) []uint64 {
	return slices.DeleteFunc(slices.Clone(list), func(m uint64) bool { return o.copies[m] > 1 })
}

func checkSame(rt *rapid.T, what string, got, want []uint64) {
	rt.Helper()
	if !slices.Equal(got, want) {
		rt.Fatalf("%s: got %d messages %v, want %d %v", what, len(got), got, len(want), want)
	}
}

func drawFaultTime(rt *rapid.T) sim.Duration {
	return sim.Duration(rapid.Int64Range(int64(sim.Second), int64(21*sim.Second)).Draw(rt, "at"))
}

// alibaba/rocketmq issue 416: a killed process takes no byte with it: the log is the same after the kill,
// what was acknowledged is still there, and when the process starts again it flushes the rest.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		at := drawFaultTime(rt)
		lasts := rapid.SampledFrom([]sim.Duration{0, 1, 3 * sim.Second}).Draw(rt, "lasts")
		cfg := diskConfig(rt, config.Kill, at, lasts)
		cfg.Brokers[0].Flush = rapid.SampledFrom([]config.FlushDiskType{
			config.AsyncFlush,
			config.SyncFlush,
		}).Draw(rt, "flush")
		cfg.Brokers[0].Slaves = rapid.IntRange(0, 1).Draw(rt, "slaves")
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, at-1)
		before := w.procs[0].log.end
		runTo(t, w, at)
		if after := w.procs[0].log.end; after != before {
			rt.Fatalf("the log ended at %d and ends at %d after the kill", before, after)
		}
		runTo(t, w, cfg.Duration)
		if lost := o.ever[Lost] + o.ever[Stranded]; lost > 0 || len(o.bytesLost) > 0 {
			rt.Fatalf("%d messages lost or stranded, bytes lost %v", lost, o.bytesLost)
		}
		for m := range o.ok {
			if f := o.fate[m]; f != AtRisk && f != Durable {
				rt.Fatalf("message %d was acknowledged and is %v", m, f)
			}
		}
		if lasts > 0 {
			early := func(m uint64) bool { return o.when[m] < sim.Time(at) && o.fate[m] != Durable }
			if i := slices.IndexFunc(slices.Collect(maps.Keys(o.fate)), early); i >= 0 {
				rt.Fatalf("a message stored before the kill is not durable 15 s after the restart")
			}
		}
	})
}

// A power loss under ASYNC_FLUSH loses exactly the bytes behind the flushed offset, acknowledged or
// not, and nothing later (alibaba/rocketmq issue 416). What was flushed survives whatever the consume queue
// knew of it, which recovery rebuilds from the log (apache/rocketmq issue 405).
func TestPowerLossLosesWhatIsNotFlushed(t *testing.T) {
	t.Parallel()
	acknowledged := 0
	rapid.Check(t, func(rt *rapid.T) {
		at := drawFaultTime(rt)
		lasts := rapid.SampledFrom([]sim.Duration{0, 1, 3 * sim.Second}).Draw(rt, "lasts")
		cfg := diskConfig(rt, config.PowerLoss, at, lasts)
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, at-1)
		if o.ever[Lost] > 0 {
			rt.Fatalf("%d messages lost before the fault", o.ever[Lost])
		}
		want := tailOf(w, o)
		runTo(t, w, at)
		checkSame(rt, "lost by the power loss", o.single(o.with(Lost)), want.nowhere)
		checkBytes(rt, o, want.bytes)
		for _, m := range want.nowhere {
			if o.ok[m] {
				acknowledged++
			}
		}
		lost := o.ever[Lost]
		runTo(t, w, cfg.Duration)
		if o.ever[Lost] != lost {
			rt.Fatalf("%d messages lost after the fault", o.ever[Lost]-lost)
		}
	})
	if acknowledged == 0 {
		t.Error("no acknowledged message was ever lost: the sweep shows nothing")
	}
}

func checkBytes(rt *rapid.T, o *fateObserver, want int64) {
	rt.Helper()
	var told []int64
	if want > 0 {
		told = []int64{want}
	}
	if !slices.Equal(o.bytesLost, told) {
		rt.Fatalf("bytes lost are told as %v, want %v", o.bytesLost, told)
	}
}

// How old lost bytes can be. On a busy broker the flush thread finds its four pages dirty each time
// it wakes: half a second and the fsyncs that were running. On a quiet one they wait for the
// thorough flush: ten seconds more.
func TestAgeOfLostBytes(t *testing.T) {
	t.Parallel()
	const interval, thorough, fsync = 500 * sim.Millisecond, 10 * sim.Second, 20 * sim.Millisecond
	for _, c := range []struct {
		name          string
		rate          float64 // messages of 1 KiB
		from, to, max sim.Duration
	}{
		{"busy", 100, 450 * sim.Millisecond, interval + 2*fsync, 0},
		{"quiet", 1, thorough - sim.Second, interval + 2*fsync + thorough + interval, 0},
	} {
		for seed := range uint64(200) {
			cfg := configtest.Small("5.3.3", 1)
			cfg.Seed = seed
			cfg.Brokers[0].Fsync = must(sim.Constant(fsync))
			at := 11*sim.Second + sim.Duration(seed)*50*sim.Millisecond
			cfg.Faults = []config.Fault{{Name: "f", Kind: config.PowerLoss, Targets: []config.Target{{}}, At: at}}
			cfg.Producers[0].Rate, cfg.Producers[0].Arrivals = c.rate, config.Constant
			o := newFateObserver()
			runTo(t, New(cfg, o), at)
			for _, m := range o.with(Lost) {
				c.max = max(c.max, sim.Time(at).Sub(o.when[m]))
			}
		}
		t.Logf("oldest lost on a %s broker: %v", c.name, c.max)
		if c.max < c.from || c.max > c.to {
			t.Errorf("%s: the oldest lost message was %v old, want %v to %v", c.name, c.max, c.from, c.to)
		}
	}
}

// Under SYNC_FLUSH the answer follows the fsync, so an acknowledged message is durable when the
// caller hears of it and a power loss takes only what nobody was told about.
func TestSyncFlushLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	unacknowledged := 0
	rapid.Check(t, func(rt *rapid.T) {
		at := drawFaultTime(rt)
		cfg := diskConfig(rt, config.PowerLoss, at, rapid.SampledFrom([]sim.Duration{0, 1}).Draw(rt, "lasts"))
		for i := range cfg.Brokers {
			cfg.Brokers[i].Flush = config.SyncFlush
		}
		o := newFateObserver()
		w := New(cfg, o)
		runTo(t, w, at-1)
		want := tailOf(w, o)
		runTo(t, w, at)
		checkSame(rt, "lost by the power loss", o.single(o.with(Lost)), want.nowhere)
		checkBytes(rt, o, want.bytes)
		unacknowledged += len(want.nowhere)
		runTo(t, w, cfg.Duration)
		for m, f := range o.okAt {
			if f != Durable {
				rt.Fatalf("message %d was %v when SEND_OK came", m, f)
			}
			if o.fate[m] != Durable {
				rt.Fatalf("message %d was acknowledged and is %v", m, o.fate[m])
			}
		}
	})
	if unacknowledged == 0 {
		t.Error("no message was ever lost: the sweep shows nothing")
	}
}

// onTheWire is the end of the bytes that are on their way to a slave, 0 if there are none.
func onTheWire(w *World, slave *process) (end int64) {
	if slave.slave.conn == none {
		return 0
	}
	pieces := &w.haConns.items[slave.slave.conn].ends[masterEnd].pieces
	for i := range pieces.len() {
		if p := pieces.at(i); p.what == pieceBytes {
			end = p.end
		}
	}
	return end
}
