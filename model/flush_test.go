package model

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// Bytes are durable no earlier than an fsync that began when they were in the log has ended: the
// flushed offset of a process now is at most the end of its log one fsync ago. Checked after every
// event, with pauses, kills and power losses at random.
func TestNothingIsFlushedBeforeAnFsyncEnds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		cfg := drawConfig(rt)
		cfg.Duration = 5 * sim.Second
		fsync := rapid.SampledFrom([]sim.Duration{
			sim.Millisecond, 40 * sim.Millisecond,
		}).Draw(rt, "fsync")
		for i := range cfg.Faults {
			cfg.Faults[i].At %= cfg.Duration
		}
		for i := range 20 { // short ones, that begin or end while an fsync runs
			cfg.Faults = append(cfg.Faults, config.Fault{
				Name: fmt.Sprintf("p%d", i), Kind: config.Pause, Targets: []config.Target{{}},
				At:       drawInstant(rt, "pause", cfg.Duration-1),
				Duration: 1 + drawInstant(rt, "paused", 300*sim.Millisecond),
			})
		}
		for i := range cfg.Brokers {
			cfg.Brokers[i].Fsync = must(sim.Constant(fsync))
		}
		checkFlushes(rt, cfg, fsync)
	})
}

// The same for a fault that begins at any point of the flush thread's period: a pause, so that the
// wake of the flush thread and the end of an fsync both wait for its end; and a kill or a power
// loss with a restart at once, so that the next life's fsyncs meet what the last one began.
func TestNothingIsFlushedEarlyAfterAFault(t *testing.T) {
	t.Parallel()
	const fsync = 40 * sim.Millisecond
	for _, f := range []config.Fault{
		{Name: "pause", Kind: config.Pause, Duration: 100 * sim.Millisecond},
		{Name: "kill", Kind: config.Kill, Duration: 1},
		{Name: "power loss", Kind: config.PowerLoss, Duration: 1},
	} {
		for _, mode := range []config.FlushDiskType{config.AsyncFlush, config.SyncFlush} {
			for step := range sim.Duration(50) {
				cfg := configtest.Small("5.3.3", 1)
				cfg.Brokers[0].Fsync = must(sim.Constant(fsync))
				cfg.Brokers[0].Flush = mode
				cfg.Producers[0].Threads, cfg.Producers[0].Rate = 1000, 2000
				f.Targets, f.At = []config.Target{{}}, 100*sim.Millisecond+step*10*sim.Millisecond
				cfg.Faults = []config.Fault{f}
				cfg.Duration = f.At + 300*sim.Millisecond
				checkFlushes(t, cfg, fsync)
			}
		}
	}
}

// checkFlushes steps a world through its events and looks at each log after each of them.
func checkFlushes(t fataler, cfg config.Config, fsync sim.Duration) {
	w := New(cfg, nil)
	logs := make([]logHistory, len(w.procs))
	for p := range w.brokerProcs {
		logs[p] = logHistory{[]sim.Time{sim.Time(-fsync)}, []int64{w.procs[p].log.end}, w.procs[p].log.end}
	}
	for w.Now() < sim.Time(cfg.Duration) && w.eng.Step() {
		for p := range w.procs {
			logs[p].look(t, w, int32(p), fsync)
		}
	}
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// logHistory is where one log ended in the past: changes by time, the oldest first.
type logHistory struct {
	at      []sim.Time
	end     []int64
	flushed int64
}

func (h *logHistory) look(t fataler, w *World, p int32, fsync sim.Duration) {
	log := &w.procs[p].log
	if log.flushed > h.flushed {
		was := int64(0)
		for i := len(h.at) - 1; i >= 0; i-- {
			if h.at[i].Add(fsync) <= w.Now() {
				was = h.end[i]
				break
			}
		}
		if log.flushed > was {
			t.Fatalf("at %v process %d has flushed %d; one fsync ago its log ended at %d", w.Now(),
				p, log.flushed, was)
		}
	}
	h.flushed = log.flushed
	if n := len(h.end); n == 0 || h.end[n-1] != log.end {
		h.at, h.end = append(h.at, w.Now()), append(h.end, log.end)
	}
}
