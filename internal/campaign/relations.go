package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Relations between runs: a scenario is changed in something that must not matter, and the same must come
// of it; or in something that must not matter yet, and the same must come of it until it does.

// relation is a rule about two configurations.
type relation struct {
	name string
	// pair makes two configurations of one. It is false where the relation says nothing.
	pair func(cfg *config.Config, r *rand.Rand) (a, b config.Config, applies bool)
	// until says that they part when the first of them meets trouble; else they never do.
	until bool
}

var relations = []relation{
	{"names of brokers", renamed, false},
	{"unused topic", withUnusedTopic, false},
	{"avoidance while nothing fails", avoidingOrNot, true},
}

// related holds a scenario against one of the relations, if its seed says so.
func (v *verdict) related(cfg *config.Config, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	if i := r.IntN(4 * len(relations)); i < len(relations) {
		v.relate(&relations[i], cfg, r)
	}
}

// relate holds a scenario against one relation. It is false if that says nothing about it.
func (v *verdict) relate(rel *relation, cfg *config.Config, r *rand.Rand) bool {
	a, b, applies := rel.pair(cfg, r)
	if !applies {
		return false
	}
	x, err := tapeOf(&a)
	if err != nil {
		v.problem = "engine: " + err.Error()
		return true
	}
	y, err := tapeOf(&b)
	if err != nil {
		v.problem = "engine: " + err.Error()
		return true
	}
	v.runs += 2
	end, trouble := sim.Never, ""
	if rel.until {
		end = min(x.trouble, y.trouble)
		trouble = fmt.Sprintf(", the first trouble is at %v", end)
	}
	if at, differ := x.parts(y, end); differ {
		v.problem = fmt.Sprintf("relation (%s): the runs part at %v%s", rel.name, at, trouble)
	}
	return true
}

// tapeOf runs a configuration.
func tapeOf(cfg *config.Config) (*tape, error) {
	t := newTape(cfg)
	w := model.New(*cfg, t)
	for at := sim.Time(0); at < sim.Time(cfg.Duration) && w.Events() <= maxEvents; {
		at = min(at.Add(10*sim.Second), sim.Time(cfg.Duration))
		if err := w.RunUntil(at); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// tape records what was told, as one number for each call.
type tape struct {
	watcher
	calls []call
	// trouble is when something first failed, or took so long that avoidance isolates for it.
	trouble sim.Time
	// slow[group] is what takes so long.
	slow []sim.Duration
}

type call struct {
	at  sim.Time
	sum uint64
}

func newTape(cfg *config.Config) *tape {
	t := &tape{watcher: *newWatcher(cfg), trouble: sim.Never}
	for i := range cfg.Producers {
		t.slow = append(t.slow, firstIsolation(&cfg.Producers[i]))
	}
	return t
}

// firstIsolation is the first latencyMax with a non-zero notAvailableDuration. An attempt that is shorter
// by a millisecond shows a shorter latency, whatever the phase of the clock.
func firstIsolation(p *config.Producer) sim.Duration {
	limits, durations := p.Settings.LatencyMax, p.Settings.NotAvailableDuration
	if p.Client != config.JavaClient {
		return sim.Duration(sim.Never)
	}
	profile, err := p.Profile()
	if err != nil {
		panic(err) // the loader has looked it up
	}
	if limits == nil {
		limits = profile.LatencyMax
	}
	if durations == nil {
		durations = profile.NotAvailableDuration
	}
	for i := range min(len(limits), len(durations)) {
		if durations[i] > 0 {
			return sim.Duration(limits[i]-1) * sim.Millisecond
		}
	}
	return sim.Duration(sim.Never)
}

// note adds a call with its sum.
func (t *tape) note() { t.calls = append(t.calls, call{t.now, t.sum}) }

// Scheduled implements model.Observer.
func (t *tape) Scheduled(m *model.Message) { t.watcher.Scheduled(m); t.note() }

// AttemptEnded implements model.Observer.
func (t *tape) AttemptEnded(a *model.Attempt) {
	t.watcher.AttemptEnded(a)
	if a.Outcome.Kind != strategy.OutcomeOK || a.Ended.Sub(a.Began) >= t.slow[a.Group] {
		t.trouble = min(t.trouble, a.Ended)
	}
	t.note()
}

// Answered implements model.Observer.
func (t *tape) Answered(a *model.Answer) { t.watcher.Answered(a); t.note() }

// CopyStored implements model.Observer.
func (t *tape) CopyStored(c *model.Copy) { t.watcher.CopyStored(c); t.note() }

// FateChanged implements model.Observer.
func (t *tape) FateChanged(f *model.FateChange) { t.watcher.FateChanged(f); t.note() }

// TableChanged implements model.Observer.
func (t *tape) TableChanged(c *model.TableChange) { t.watcher.TableChanged(c); t.note() }

// Probed implements model.Observer.
func (t *tape) Probed(p *model.ProbeEnd) { t.watcher.Probed(p); t.note() }

// RouteChanged implements model.Observer.
func (t *tape) RouteChanged(r *model.RouteChange) { t.watcher.RouteChanged(r); t.note() }

// Process implements model.Observer.
func (t *tape) Process(p *model.ProcessEvent) { t.watcher.Process(p); t.note() }

// parts says when two tapes first differ in what was told before a time.
func (t *tape) parts(u *tape, end sim.Time) (sim.Time, bool) {
	a, b := t.before(end), u.before(end)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return min(a[i].at, b[i].at), true
		}
	}
	switch {
	case len(a) > len(b):
		return a[len(b)].at, true
	case len(a) < len(b):
		return b[len(a)].at, true
	}
	return 0, false
}

func (t *tape) before(end sim.Time) []call {
	n, _ := slices.BinarySearchFunc(t.calls, end, func(c call, end sim.Time) int {
		if c.at < end {
			return -1
		}
		return 1
	})
	return t.calls[:n]
}

// withUnusedTopic adds a topic that nobody sends to.
func withUnusedTopic(cfg *config.Config, r *rand.Rand) (a, b config.Config, applies bool) {
	a, b = *cfg, *cfg
	unused := config.Topic{Name: "unused", WriteQueueNums: 1 + r.IntN(16)}
	for i := range cfg.Brokers {
		if r.IntN(2) == 0 {
			unused.Brokers = append(unused.Brokers, cfg.Brokers[i].Name)
		}
	}
	b.Topics = slices.Insert(slices.Clone(cfg.Topics), r.IntN(len(cfg.Topics)+1), unused)
	return a, b, true
}

// avoidingOrNot switches avoidance on in every group, and off. Both are without the detector, whose
// probes are packets more on the wire.
func avoidingOrNot(cfg *config.Config, _ *rand.Rand) (a, b config.Config, applies bool) {
	a, b = *cfg, *cfg
	a.Producers, b.Producers = slices.Clone(cfg.Producers), slices.Clone(cfg.Producers)
	for i := range cfg.Producers {
		if cfg.Producers[i].Policy != "rocketmq" || cfg.Producers[i].Client != config.JavaClient {
			continue
		}
		applies = true
		for _, s := range []*strategy.Settings{&a.Producers[i].Settings, &b.Producers[i].Settings} {
			s.SendLatencyFaultEnable, s.StartDetectorEnable = false, false
		}
		a.Producers[i].Settings.SendLatencyFaultEnable = true
	}
	return a, b, applies
}
