package main

import (
	"context"
	"errors"
	"sync"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report/store"
	"simrun/scenarios"
)

// cellRuns are the cells of a sweep that are to be run.
type cellRuns struct {
	*sweeping
	journal *sweep.OnDisk
	stop    context.CancelFunc
	clock   cellClock

	mu    sync.Mutex
	cells []sweep.Cell // finished, in the order in which they were
}

// header is what the journal of the sweep begins with.
func (s *sweeping) header() *sweep.Header {
	p := s.points
	return &sweep.Header{
		Schema: sweep.JournalSchema, Plan: p.Key, Simrun: binaryText(), Scenario: s.spec.Scenario,
		Points: len(p.Points), Seeds: p.Seeds, Metrics: p.Metrics,
	}
}

// simulate runs what is not among some cells, and returns all that there are in the end.
func (s *sweeping) simulate(ctx context.Context, journal *sweep.OnDisk) ([]sweep.Cell, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r := &cellRuns{sweeping: s, journal: journal, stop: stop, cells: journal.Cells}
	jobs := r.jobs()
	r.clock.start(r, jobs)
	said := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		if journal.Err() == nil {
			s.console.interrupted("stopping; what has finished is kept (once more to quit at once)")
		}
		close(said)
	})
	err := s.env.RunAll(ctx, jobs, s.flags.jobs, func(int, *result.Run) error { return nil })
	if !unwatch() {
		<-said
	}
	s.console.clear()
	if kept := journal.Err(); kept != nil {
		err = &store.IOError{Err: kept}
	}
	return r.cells, err
}

// order are the points in the order in which they are run: the default first, so that a sweep that is cut
// short has something to compare with.
func (r *cellRuns) order() []int {
	order := []int{r.points.Default}
	for p := range r.points.Points {
		if p != r.points.Default {
			order = append(order, p)
		}
	}
	return order
}

// jobs are a run for each cell that is missing, point by point and seed by seed.
func (r *cellRuns) jobs() []experiment.Job {
	type at struct {
		point int
		seed  uint64
	}
	have := map[at]bool{}
	for _, c := range r.cells {
		have[at{c.Point, c.Seed}] = true
	}
	var jobs []experiment.Job
	for _, p := range r.order() {
		of := &pointScenario{plan: r.points, point: p}
		for _, seed := range r.points.Seeds {
			if have[at{p, seed}] {
				continue
			}
			of.left++
			i := len(jobs)
			jobs = append(jobs, experiment.Job{
				Load: func() (*scenarios.Scenario, error) { return of.load(seed) },
				Keep: func(run *result.Run) { r.keep(i, p, run) },
			})
		}
	}
	return jobs
}

// keep takes of a run what the journal has of it, and drops the rest. Workers call it.
func (r *cellRuns) keep(job, point int, run *result.Run) {
	complete := run.Complete
	if complete {
		c := r.cell(point, run)
		if r.journal.Append(&c) != nil {
			r.stop()
		} else {
			r.mu.Lock()
			r.cells = append(r.cells, c)
			r.mu.Unlock()
			r.clock.finished(job, point)
		}
	}
	*run = result.Run{Complete: complete}
}

// cell is what is kept of a run.
func (s *sweeping) cell(point int, run *result.Run) sweep.Cell {
	m := ensemble.Of(run)
	c := sweep.Cell{Point: point, Seed: run.Seed, Key: run.Key, Digest: run.Digest}
	for _, row := range s.rows {
		x, _ := m.Value(row)
		c.Values = append(c.Values, result.SeedValue(x))
	}
	return c
}

// pointScenario is the scenario of a point, loaded for the first of its cells and dropped with the last.
type pointScenario struct {
	plan  *sweep.Plan
	point int

	mu   sync.Mutex
	left int
	sc   *scenarios.Scenario
}

func (x *pointScenario) load(seed uint64) (*scenarios.Scenario, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sc == nil {
		sc, err := x.plan.Load(x.point)
		if err != nil {
			return nil, err
		}
		x.sc = sc
	}
	sc := x.sc
	if x.left--; x.left == 0 {
		x.sc = nil
	}
	return sc.WithSeed(seed), nil
}

// journalError puts what is wrong with a journal into the words of the command.
func journalError(err error, dir string) error {
	var damage *sweep.Damage
	switch {
	case errors.As(err, &damage):
		return &journalDamageError{damage, dir}
	case errors.Is(err, sweep.ErrBusy):
		return &store.IOError{Err: errors.New(dir + ": another simrun is at this sweep; one at a time")}
	case err != nil:
		return &store.IOError{Err: err}
	}
	return nil
}

// journalDamageError is a journal that is not taken.
type journalDamageError struct {
	*sweep.Damage
	dir string
}

func (e *journalDamageError) Unwrap() error { return e.Damage }

func (e *journalDamageError) Error() string {
	return e.Damage.Error() + "\nsimrun: nothing of it is used; with --force the sweep begins anew, and what " +
		"is there is kept as " + e.dir + ".old"
}
