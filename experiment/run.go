package experiment

import (
	"context"
	"runtime/debug"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// Options are what a run takes besides its scenario. The zero value is a run without progress.
// Nothing here changes a result.
type Options struct {
	// Progress, if not nil, is called now and then with how far the run is, from the goroutine that
	// runs it.
	Progress func(Progress)
	// Witness, if not nil, is called when the run begins, for somebody who is told what happens in it. Its
	// error ends the run as it is.
	Witness func() (Witness, error)
}

// Progress is how far a run is.
type Progress struct {
	// At is the simulated time reached, of Duration.
	At, Duration sim.Duration
	// Phase owns that instant.
	Phase string
	// Messages and Events are the numbers so far.
	Messages int64
	Events   uint64
}

// Run simulates one scenario with its seed and returns what it leaves behind. The result is a
// function of the scenario and its seed alone.
//
// When ctx is done the run stops at the next window of its time series: the result then covers what
// was simulated so far and says so (Complete is false, expectations are undecided), and the error is
// nil. An *InternalError is a bug in the simulator, never a mistake in the scenario.
func Run(ctx context.Context, sc *scenarios.Scenario, opt Options) (*result.Run, error) {
	r := &runner{sc: sc, opt: opt}
	return r.guarded(ctx)
}

// world is the part of model.World that a runner needs.
type world interface {
	RunUntil(t sim.Time) error
	Now() sim.Time
	Events() uint64
	Avoiding(group, broker int) int
	Routed(group, broker int) int
	Exposure(broker int) model.Exposure
	Load(broker int) model.Load
	Ledger() model.Ledger
	TopicOf(m *model.Message) int
	Settling(group int, number uint64) bool
	Check() error
}

// newWorld makes the world of a run; tests put other worlds here.
type newWorld func(cfg config.Config, obs model.Observer) world

// runner is one run under way.
type runner struct {
	sc    *scenarios.Scenario
	opt   Options
	make  newWorld // nil for model.New
	fold  *fold
	judge *judge
	world world
	// witness is told what happens, if there is one.
	witness Witness
}

// guarded runs and turns a panic into an *InternalError.
func (r *runner) guarded(ctx context.Context) (run *result.Run, err error) {
	defer func() {
		if p := recover(); p != nil {
			run, err = nil, r.bug(p, debug.Stack())
		}
	}()
	if r.opt.Witness != nil {
		if r.witness, err = r.opt.Witness(); err != nil {
			return nil, err
		}
	}
	if err := r.build(); err != nil {
		return nil, r.bug(err, nil)
	}
	complete, err := r.simulate(ctx)
	if err != nil {
		return nil, r.bug(err, nil)
	}
	return r.finish(complete)
}

func (r *runner) build() (err error) {
	cfg := r.sc.Config
	r.fold, err = newFold(r.sc, windowWidth(cfg.Duration))
	if err != nil {
		return err
	}
	r.judge = newJudge(r.fold, r.sc.Expectations)
	var obs model.Observer = r.fold
	if r.witness != nil {
		obs = &witnessed{r.fold, r.witness}
	}
	if r.make != nil {
		r.world = r.make(cfg, obs)
	} else {
		r.world = model.New(cfg, obs)
	}
	r.fold.world = r.world
	return nil
}

// simulate runs window by window and reports whether it came to the end. A window holds the events
// from its start up to, not including, its end; the last one those at its end too.
func (r *runner) simulate(ctx context.Context) (complete bool, err error) {
	w := &r.fold.windows
	end := sim.Time(r.sc.Config.Duration)
	for w.open < len(w.list) {
		select {
		case <-ctx.Done():
			return false, nil // not an error: the part before it counts
		default:
		}
		if err := r.window(end); err != nil {
			return false, err
		}
	}
	return true, nil
}

// window runs the window that is open, and closes it.
func (r *runner) window(end sim.Time) error {
	w := &r.fold.windows
	until := w.end - 1
	if w.end >= end {
		until = end
	}
	if err := r.runTo(until); err != nil {
		return err
	}
	r.fold.closeWindow()
	r.progress()
	return nil
}

// runTo runs up to and including a time, and has the accounts of the brokers read before each edge on
// the way.
func (r *runner) runTo(until sim.Time) error {
	for edge := r.fold.load.due(until); edge != sim.Never; edge = r.fold.load.due(until) {
		if err := r.world.RunUntil(edge - 1); err != nil {
			return err
		}
		r.fold.readLoad()
		r.fold.load.passed(edge)
	}
	return r.world.RunUntil(until)
}

func (r *runner) progress() {
	if r.opt.Progress == nil {
		return
	}
	r.opt.Progress(Progress{
		At: sim.Duration(r.reached()), Duration: r.sc.Config.Duration,
		Phase:    r.sc.Phases[r.fold.cursor.phase].Name,
		Messages: r.fold.sent, Events: r.world.Events(),
	})
}

// reached is the simulated time up to which the run has come: the start of the window that would be
// next.
func (r *runner) reached() sim.Time {
	return min(r.fold.windows.start, sim.Time(r.sc.Config.Duration))
}

// finish checks that nothing got lost on the way and writes the result.
func (r *runner) finish(complete bool) (*result.Run, error) {
	now := r.world.Now()
	r.fold.advance(now)
	if err := r.world.Check(); err != nil {
		return nil, r.bug(err, nil)
	}
	ledger := r.world.Ledger()
	if err := r.fold.check(&ledger); err != nil {
		return nil, r.bug(err, nil)
	}
	r.fold.faults.closeAll(now)
	r.fold.brokers.settleAll(r.fold.cursor.timeline, now)
	r.fold.availability.finish(now)
	r.fold.endStreaks(now)
	r.fold.digest.ledger(&ledger)
	return r.result(&ledger, now, complete), nil
}

func (r *runner) result(ledger *model.Ledger, now sim.Time, complete bool) *result.Run {
	sc, f := r.sc, r.fold
	queues, balance := f.queueResults()
	run := &result.Run{
		Schema:      result.Schema,
		Scenario:    sc.Name,
		Variant:     sc.Variant,
		Story:       sc.Story,
		Seed:        sc.Config.Seed,
		Key:         sc.Key(),
		Digest:      f.digest.sum(),
		Complete:    complete,
		DurationNS:  int64(sc.Config.Duration),
		WarmupNS:    int64(sc.Config.Warmup),
		SimulatedNS: int64(r.reached()),
		Setup:       sc.Setup,
		Phases:      sc.Phases,
		Stats:       f.stats(),
		Brokers:     f.brokerStats(),
		Exposures:   f.exposures(),
		Faults:      f.faults.results(now),
		Ledger:      f.ledger(ledger),
		Warnings:    warnings(sc),
		NotModelled: notModelled(&sc.Config),
		Series:      f.windows.series(now),
		Spectra:     f.spectra(),
		Sample:      f.scatter.result(f.cfg),
		Isolations:  f.lanes.result(),
		Exemplars:   f.exemplars(),
		Queues:      queues,
		Balance:     balance,

		Availability: f.availabilityResults(),
		Instances:    f.instanceResults(),
		Events:       int64(r.world.Events()),
	}
	run.IsolationsDropped = f.lanes.dropped
	shaped := slices.ContainsFunc(sc.Config.Producers, func(g config.Producer) bool {
		return len(g.Shape.Points) > 0
	})
	if doubt := unsettled(run.Phases, &run.Series, f.windows.means, shaped); doubt != "" {
		run.Warnings = append(run.Warnings, doubt)
	}
	for i := range run.Faults {
		run.Faults[i].Baseline = baseline(run, &run.Faults[i], f.faults.struckBy(i))
	}
	r.judge.run = run
	run.Expectations = r.judge.judgeAll(now, complete)
	run.Verdict = overall(run.Expectations)
	return run
}
