package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// rollConfig restarts four brokers one after the other.
func rollConfig(release string, wipe bool) (config.Config, *rollObserver) {
	cfg := nsConfig(release, 4, 2, 40)
	cfg.Network.Latency = must(sim.Constant(100 * sim.Microsecond))
	cfg.Duration = 500 * sim.Second
	for b := range cfg.Brokers {
		cfg.Brokers[b].Startup = 4 * sim.Second
	}
	p := &cfg.Producers[0]
	p.Threads, p.Rate = 4, 60
	cfg.Faults = []config.Fault{{
		Name: "roll", Kind: config.RollingRestart, At: 40 * sim.Second, Targets: allMasters(&cfg),
		Down: 10 * sim.Second, Gap: 31 * sim.Second, Wipe: wipe, WipeBefore: 35 * sim.Second,
	}}
	return cfg, &rollObserver{}
}

// rollObserver follows a rolling restart.
type rollObserver struct {
	NopObserver
	began, ended, up []sim.Time
	down, most       int
	errors, failed   int
}

func (o *rollObserver) Process(p *ProcessEvent) {
	switch p.What {
	case FaultBegan:
		o.began = append(o.began, p.At)
		o.down++
		o.most = max(o.most, o.down)
	case FaultEnded:
		o.ended = append(o.ended, p.At)
	case Started:
		o.up = append(o.up, p.At)
		o.down--
	}
}

func (o *rollObserver) AttemptEnded(a *Attempt) {
	if a.Outcome.Kind != strategy.OutcomeOK {
		o.errors++
	}
}

func (o *rollObserver) Answered(a *Answer) {
	if a.Result.Exception != 0 {
		o.failed++
	}
}

// A serial restart of all brokers never has two of them down at once (apache/rocketmq-operator issue 52,
// apache/rocketmq issue 2310): each is stopped a gap after the one before has opened its port. Without a
// wipe producers meet refused connects.
func TestRollingRestartIsSerial(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.8", "5.3.3"} {
		cfg, obs := rollConfig(release, false)
		runTo(t, New(cfg, obs), cfg.Duration)
		if len(obs.began) != 4 || len(obs.ended) != 4 || len(obs.up) != 4 || obs.most != 1 {
			t.Fatalf("%s: %d stopped, %d started, %d up, %d down at once", release, len(obs.began),
				len(obs.ended), len(obs.up), obs.most)
		}
		for i := range obs.began {
			if obs.up[i].Sub(obs.ended[i]) != 4*sim.Second {
				t.Errorf("%s: broker %d is up %v after its start", release, i, obs.up[i].Sub(obs.ended[i]))
			}
			if down := obs.ended[i].Sub(obs.began[i]); down < 11*sim.Second || down > 20*sim.Second {
				t.Errorf("%s: broker %d was stopped for %v", release, i, down)
			}
			if i > 0 && obs.began[i].Sub(obs.up[i-1]) != 31*sim.Second {
				t.Errorf("%s: broker %d follows after %v", release, i, obs.began[i].Sub(obs.up[i-1]))
			}
		}
		if obs.errors == 0 {
			t.Errorf("%s: no attempt failed", release)
		}
	}
}

// With wipeWritePerm and more than one poll before each shutdown no producer sees any error at all
// (broker.md §9, §10.6; apache/rocketmq issues 4109 and 1377): by then all have taken the broker out of
// their lists. The return is by the registration of the started process.
func TestRollingRestartAfterWipeHasNoErrors(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.3.3"} {
		cfg, obs := rollConfig(release, true)
		w := New(cfg, obs)
		runTo(t, w, cfg.Duration)
		if len(obs.up) != 4 || obs.most != 1 || obs.errors > 0 || obs.failed > 0 {
			t.Errorf("%s: %d brokers restarted, %d down at once, %d attempts and %d sends failed", release,
				len(obs.up), obs.most, obs.errors, obs.failed)
		}
		for b := range cfg.Brokers {
			if n := w.Routed(0, b); n != 40 {
				t.Errorf("%s: %d clients list broker %d in the end", release, n, b)
			}
		}
	}
}
