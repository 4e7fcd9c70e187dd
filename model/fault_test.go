package model

import (
	"math"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// A fault that strikes machines strikes each once, whoever of its processes is named, and tells of all
// that runs there.
func TestStrikesOfHosts(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 3)
	cfg.Hosts = []config.Host{{Name: "h", Runs: []config.Target{{Index: 1}, {Index: 2}}}}
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.PowerLoss, Targets: []config.Target{{Index: 2}, {}, {Index: 1}}, At: sim.Second,
		Duration: 10 * sim.Second, Period: 5 * sim.Second, Down: sim.Second,
	}}
	o := &struckObserver{}
	runWorld(t, cfg, o)
	want := []int{1, 2, 0, 1, 2, 0}
	if len(o.began) != len(want) || len(o.ended) != len(want) {
		t.Fatalf("told of %v and %v, want %v", o.began, o.ended, want)
	}
	for i, b := range want {
		if o.began[i] != b || o.ended[i] != b {
			t.Fatalf("told of %v and %v, want %v", o.began, o.ended, want)
		}
	}
	if o.started != len(want) {
		t.Errorf("%d processes started, want %d", o.started, len(want))
	}
}

type struckObserver struct {
	NopObserver
	began, ended []int
	started      int
}

func (o *struckObserver) Process(p *ProcessEvent) {
	switch p.What {
	case FaultBegan:
		o.began = append(o.began, p.Target.Index)
	case FaultEnded:
		o.ended = append(o.ended, p.Target.Index)
	case Started:
		o.started++
	}
}

// A slow fault grows evenly over its ramp, and a process that starts cold warms up evenly.
func TestRampAndColdStart(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 1)
	cfg.Brokers[0].ColdFactor, cfg.Brokers[0].ColdFor = 11, 10*sim.Second
	cfg.Faults = []config.Fault{
		{
			Name: "s", Kind: config.Slow, Targets: []config.Target{{}}, At: 10 * sim.Second,
			Duration: 20 * sim.Second,
			Factor:   3, Delay: sim.Second, Ramp: 10 * sim.Second,
		},
		{Name: "k", Kind: config.Kill, Targets: []config.Target{{}}, At: 31 * sim.Second, Duration: sim.Second},
	}
	w := New(cfg, nil)
	for _, c := range []struct {
		at     sim.Duration
		factor float64
		delay  sim.Duration
	}{
		{5 * sim.Second, 1, 0},
		{10 * sim.Second, 1, 0},
		{12500 * sim.Millisecond, 1.5, 250 * sim.Millisecond},
		{15 * sim.Second, 2, 500 * sim.Millisecond},
		{20 * sim.Second, 3, sim.Second},
		{29 * sim.Second, 3, sim.Second},
		{30500 * sim.Millisecond, 1, 0},
		{32 * sim.Second, 11, 0},
		{37 * sim.Second, 6, 0},
		{42 * sim.Second, 1, 0},
		{50 * sim.Second, 1, 0},
	} {
		runTo(t, w, c.at)
		factor, delay := w.slowness(0)
		if math.Abs(factor-c.factor) > 1e-9 || delay != c.delay {
			t.Errorf("at %v: factor %v and delay %v, want %v and %v", c.at, factor, delay, c.factor, c.delay)
		}
	}
}
