package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// probeObserver notes when the reachable flag of broker 0 turns.
type probeObserver struct {
	NopObserver
	lost, back sim.Time
	ended      []Attempt
	probes     []ProbeEnd // of broker 0
}

func (o *probeObserver) Probed(p *ProbeEnd) {
	if p.Broker == 0 {
		o.probes = append(o.probes, *p)
	}
}

func (o *probeObserver) TableChanged(c *TableChange) {
	switch {
	case c.Broker != 0:
	case c.Before.Reachable && !c.After.Reachable && o.lost == 0:
		o.lost = c.At
	case c.Probe && c.After.Reachable && o.back == 0:
		o.back = c.At
	}
}

func (o *probeObserver) AttemptEnded(a *Attempt) { o.ended = append(o.ended, *a) }

// With the detector on, a refused connect makes a broker unreachable, and the first probe that is
// answered makes it reachable again: within one tick of 3 s after it is back.
func TestDetectorSeesABrokerComeBack(t *testing.T) {
	for seed := range uint64(20) {
		cfg := configtest.Small("5.3.3", 2)
		cfg.Seed = seed
		cfg.Producers[0].Settings.SendLatencyFaultEnable = true
		cfg.Producers[0].Settings.StartDetectorEnable = true
		cfg.Producers[0].PollNameServerInterval = sim.Hour // the route stays, and so the table's entry
		cfg.Faults = []config.Fault{{
			Name: "f", Kind: config.Kill, Targets: []config.Target{{}}, At: 10 * sim.Second,
			Duration: 5 * sim.Second,
		}}
		o := &probeObserver{}
		runWorld(t, cfg, o)
		up := sim.Time(15 * sim.Second)
		if o.lost < sim.Time(10*sim.Second) || o.lost > sim.Time(11*sim.Second) {
			t.Errorf("seed %d: unreachable at %v", seed, o.lost)
		}
		if o.back < up || o.back > up.Add(detectorTick+10*sim.Millisecond) {
			t.Errorf("seed %d: reachable again at %v, not within a tick of %v", seed, o.back, up)
		}
		o.checkProbes(t, sim.Time(10*sim.Second), up)
	}
}

// checkProbes checks what is told of probes of a broker that is down for a while: none is answered then, and
// the answer to one turned the flag.
func (o *probeObserver) checkProbes(t *testing.T, down, up sim.Time) {
	t.Helper()
	inVain, turned := 0, false
	for _, p := range o.probes {
		if p.Answered && p.Began > down && p.At < up || p.Began > p.At {
			t.Errorf("probe %+v", p)
		}
		if !p.Answered {
			inVain++
		}
		turned = turned || p.Answered && p.At == o.back
	}
	if inVain == 0 || !turned {
		t.Errorf("%d probes in vain, reachable again by one at %v: %t", inVain, o.back, turned)
	}
}

// A broker that takes a second for each send still answers probes, so it stays reachable; one that is
// paused does not, and the probe's timeout of 200 ms closes the shared channel under the sends.
func TestProbeTimeoutClosesTheChannel(t *testing.T) {
	cfg := configtest.Small("5.3.3", 1)
	cfg.Producers[0].Rate = 20
	cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	cfg.Producers[0].Settings.StartDetectorEnable = true
	cfg.Producers[0].Settings.SendMsgTimeout = 10_000
	cfg.Producers[0].Settings.RetryTimesWhenSendFailed = 0
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.Pause, Targets: []config.Target{{}}, At: 30 * sim.Second,
		Duration: 20 * sim.Second,
	}}
	o := &probeObserver{}
	runWorld(t, cfg, o)
	slowest := sim.Duration(0)
	for _, p := range o.probes {
		slowest = max(slowest, p.At.Sub(p.Began))
	}
	if slowest < 200*sim.Millisecond || slowest > 300*sim.Millisecond {
		t.Errorf("the slowest probe took %v, not its timeout", slowest)
	}
	for _, a := range o.ended {
		if a.Ended > sim.Time(30*sim.Second) && a.Outcome.Kind.String() == "SEND_REQUEST_FAILED" {
			if took := a.Ended.Sub(a.Began); took > detectorTick+300*sim.Millisecond {
				t.Errorf("a send failed only after %v", took)
			}
			return
		}
	}
	t.Error("no send failed with its channel, though probes time out while the broker is paused")
}
