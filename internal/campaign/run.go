package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"simrun/experiment"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// verdict is what came of one scenario.
type verdict struct {
	// problem is the rule that was broken, "rule: what happened", "" if all held.
	problem string
	// runs counts how often it was run, messages and events are those of the first.
	runs     int
	messages int64
	events   uint64
	checks   int
	// baseline says how the question of the baseline was answered.
	baseline string
	repeated bool
}

// Answers to the question whether the cluster is as before; known reasons are the others.
const (
	notHealed  = "not judged: a fault lasts"
	notSettled = "not judged: ends before it can have settled"
	tooFew     = "not judged: too few sends"
	notPlain   = "not judged: a group does not send as most do"
	neverWell  = "not judged: not well without any fault either"
	asBefore   = "as before"
)

// maxEvents ends a run that is larger than a campaign has time for.
const maxEvents = 20_000_000

// draw makes the scenario of a seed, in a form that the loader accepts.
func draw(seed uint64, known *grammar) (*document, *scenarios.Scenario, error) {
	doc, judged := generate(seed, known)
	sc, err := known.accept(doc)
	if err != nil || !judged {
		return doc, sc, err
	}
	top := doc.at("")
	last := lastFault(&sc.Config) + settling(&sc.Config) + window(&sc.Config)
	top.set("duration", dur(last))
	sc, err = known.accept(doc)
	return doc, sc, err
}

// lastFault is when the last fault with an end is over.
func lastFault(cfg *config.Config) sim.Duration {
	last := sim.Second
	for i := range cfg.Faults {
		f := &cfg.Faults[i]
		end := f.At + f.Duration
		if f.Kind == config.RollingRestart {
			for _, t := range f.Targets {
				end += f.Down + f.Gap + f.WipeBefore
				if t.Kind == config.BrokerTarget {
					end += cfg.Brokers[t.Index].Startup
				}
			}
		}
		last = max(last, end)
	}
	return last
}

// judge runs a scenario and holds it against every rule. The seed picks where it is looked at.
func judge(sc *scenarios.Scenario, seed uint64) (v verdict) {
	defer func() {
		if p := recover(); p != nil {
			v.problem = fmt.Sprintf("panic in %s: %v", place(string(debug.Stack())), p)
		}
	}()
	r := rand.New(rand.NewPCG(seed, 1))
	w := v.run(&sc.Config, r, 60)
	if v.problem != "" {
		return v
	}
	if r.IntN(8) == 0 {
		v.again(sc, w, r)
		if v.problem != "" {
			return v
		}
	}
	if v.related(&sc.Config, seed); v.problem != "" {
		return v
	}
	v.judgeBaseline(&sc.Config, w)
	return v
}

// run simulates a configuration, looking at it at some instants. The watcher has what was told.
func (v *verdict) run(cfg *config.Config, r *rand.Rand, looks int) *watcher {
	w := newWatcher(cfg)
	w.world = model.New(*cfg, w)
	v.runs++
	for at := range instants(cfg, r, looks) {
		if err := w.world.RunUntil(at); err != nil {
			w.fail("engine", "%v", err)
		}
		if err := w.world.Check(); err != nil {
			w.fail("check", "%v", err)
		}
		v.checks++
		w.hanging()
		w.loads.look(w)
		if w.problem != "" || w.world.Events() > maxEvents {
			break
		}
	}
	ledger := w.world.Ledger()
	w.holds(&ledger)
	if v.runs == 1 {
		v.messages, v.events = ledger.Sent, w.world.Events()
	}
	v.problem = w.problem
	return w
}

// instants are when a run is looked at: here and there, around the ends of faults, and at the end.
func instants(cfg *config.Config, r *rand.Rand, looks int) func(func(sim.Time) bool) {
	end := sim.Time(cfg.Duration)
	return func(yield func(sim.Time) bool) {
		step := int64(end)/int64(looks+1) + 1
		for at := sim.Time(0); at < end; at += sim.Time(1 + r.Int64N(2*step)) {
			if !yield(at) {
				return
			}
		}
		yield(end)
	}
}

// again runs a scenario once more, looked at elsewhere, and twice with the fold of a user's run: the
// same must come of it.
func (v *verdict) again(sc *scenarios.Scenario, first *watcher, r *rand.Rand) {
	if first.world.Events() > maxEvents {
		return // it was cut short at a look, and a second run is looked at elsewhere
	}
	v.repeated = true
	second := v.run(&sc.Config, r, 7)
	if v.problem == "" && (second.sum != first.sum || second.world.Events() != first.world.Events()) {
		v.problem = fmt.Sprintf("determinism: %016x after %d events, then %016x after %d", first.sum,
			first.world.Events(), second.sum, second.world.Events())
		return
	}
	var digests [2]string
	for i := range digests {
		run, err := experiment.Run(context.Background(), sc, experiment.Options{})
		v.runs++
		if err != nil {
			v.problem = "fold: " + err.Error()
			return
		}
		digests[i] = run.Digest
	}
	if digests[0] != digests[1] {
		v.problem = fmt.Sprintf("determinism: digest %s, then %s", digests[0], digests[1])
	}
}

// judgeBaseline asks whether the cluster is as it was before the faults.
func (v *verdict) judgeBaseline(cfg *config.Config, w *watcher) {
	from, to := w.lastEnd.Add(settling(cfg)), sim.Time(cfg.Duration-lastSends)
	switch {
	case !allPlain(cfg):
		v.baseline = notPlain
		return
	case !w.healed():
		v.baseline = notHealed
		return
	case from >= to || w.world.Events() > maxEvents:
		v.baseline = notSettled
		return
	}
	all := measure(w, from, to)
	for g := range all {
		if all[g].sends < judgedSends {
			v.baseline = tooFew
			return
		}
	}
	if v.baseline = asBefore; unhealthy(cfg, all) != "" {
		v.explain(cfg, from, to)
	}
}

// explain finds the known reasons for a cluster that is not as before: a run without them is. The same
// reasons explain a cluster that is not well without any fault.
func (v *verdict) explain(cfg *config.Config, from, to sim.Time) {
	state := func(c *config.Config) string {
		w := newWatcher(c)
		w.world = model.New(*c, w)
		v.runs++
		if err := w.world.RunUntil(to.Add(lastSends)); err != nil {
			return err.Error()
		}
		return unhealthy(c, measure(w, from, to))
	}
	whole := *cfg
	whole.Faults = nil
	if state(&whole) != "" {
		names, bad := cure(&whole, state)
		if bad != "" {
			v.problem = fmt.Sprintf("never well: %s without any fault, sends from %v to %v", bad, from, to)
		}
		v.baseline = neverWell + " (" + names + ")"
		return
	}
	names, bad := cure(cfg, state)
	if v.baseline = names; bad != "" {
		v.problem = fmt.Sprintf("baseline: %s, sends from %v to %v", bad, from, to)
	}
}

// cure takes known reasons away until the cluster is well: one alone, two, all that apply. It returns
// their names, or what is still wrong.
func cure(cfg *config.Config, state func(*config.Config) string) (names, bad string) {
	try := func(which ...int) bool {
		c := *cfg
		var all []string
		for _, i := range which {
			if !reasons[i].without(&c) && len(which) <= 2 {
				return false
			}
			all = append(all, reasons[i].name)
		}
		names = strings.Join(all, " and ")
		bad = state(&c)
		return bad == ""
	}
	for i := range reasons {
		if try(i) {
			return names, ""
		}
	}
	every := make([]int, len(reasons))
	for i := range reasons {
		every[i] = i
		for j := range i {
			if try(j, i) {
				return names, ""
			}
		}
	}
	if try(every...) {
		return "several known reasons", ""
	}
	return "several known reasons", bad
}

// place is the function of the model in which a program panicked.
func place(stack string) string {
	for line := range strings.Lines(stack) {
		if name, found := strings.CutPrefix(line, "simrun/model."); found {
			name, _, _ = strings.Cut(name, "(0x")
			return strings.TrimSpace(name)
		}
	}
	return "somewhere"
}

// rule is the part of a problem that names the rule.
func rule(problem string) string {
	name, _, _ := strings.Cut(problem, ":")
	return name
}
