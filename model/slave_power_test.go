package model

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/sim"
)

// When the slave loses power as well, what it had not flushed is lost, whether the master is still
// away or already back.
func TestSlavePowerLossLosesTheTail(t *testing.T) {
	t.Parallel()
	var lost, saved int
	for _, masterIsBack := range []bool{false, true} {
		t.Run(fmt.Sprintf("master_is_back_%v", masterIsBack), func(t *testing.T) {
			lost, saved = 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				at := drawFaultTime(rt)
				gap := sim.Duration(rapid.Int64Range(3, int64(8*sim.Second)).Draw(rt, "gap"))
				cfg := diskConfig(rt, config.PowerLoss, at, 0)
				if masterIsBack {
					cfg.Faults[0].Duration = 1
				}
				cfg.Brokers[0].Slaves = 1
				cfg.Faults = append(cfg.Faults, config.Fault{
					Name: "slave", Kind: config.PowerLoss, At: at + gap, Targets: []config.Target{{ID: 1}},
				})
				cfg.Duration = at + gap + 15*sim.Second
				o := newFateObserver()
				w := New(cfg, o)
				runTo(t, w, at-1)
				tail := tailOf(w, o)
				end := map[uint64]int64{}
				for i := range w.logs[0].unflushed.len() {
					c := w.logs[0].unflushed.at(i)
					end[w.record(c).Number] = c.end
				}
				runTo(t, w, at+gap-1)
				flushed := w.procs[1].log.flushed
				runTo(t, w, cfg.Duration)
				for _, m := range o.single(tail.on) {
					want := Lost
					switch {
					case end[m] <= flushed && masterIsBack:
						want = Stranded
					case end[m] <= flushed:
						want = Durable
					}
					if want == Lost {
						lost++
					} else {
						saved++
					}
					if o.fate[m] != want {
						rt.Fatalf("message %d ends at %d, the slave had flushed %d: it is %v, want %v",
							m, end[m], flushed, o.fate[m], want)
					}
				}
			})
			if lost == 0 || saved == 0 {
				t.Errorf("%d lost, %d saved: the sweep shows one side only", lost, saved)
			}
		})
	}
}
