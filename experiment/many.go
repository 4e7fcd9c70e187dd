package experiment

import (
	"context"
	"runtime/debug"
	"sync"

	"simrun/internal/result"
	"simrun/scenarios"
)

// Job is one run of several. Its place in the list is its number.
type Job struct {
	Scenario *scenarios.Scenario
	// Load, if Scenario is nil, loads it when the job's turn has come, so that many jobs take no memory before.
	Load    func() (*scenarios.Scenario, error)
	Options Options
	// Keep, if not nil, is called with the result by the worker that made it, before the result is
	// handed over in its turn: what takes long, such as drawing figures, is done on all CPUs here.
	Keep func(*result.Run)
}

// Seeds makes a job for each seed of one scenario, in their order.
func Seeds(sc *scenarios.Scenario, seeds []uint64) []Job {
	var jobs []Job
	for _, s := range seeds {
		jobs = append(jobs, Job{Scenario: sc.WithSeed(s)})
	}
	return jobs
}

// RunAll runs jobs, at most workers at a time (at least 1), and hands their results to done in the
// order of the list, one at a time: what done sees does not depend on workers, and a result is not
// kept after it was handed over. A run that ctx interrupted is handed over as far as it came; one
// that never began is left out.
//
// The first error ends it, first in the order of the list: jobs before the one that failed are still
// finished and handed over, jobs after it are not.
func RunAll(
	ctx context.Context, jobs []Job, workers int, done func(job int, run *result.Run) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pool{jobs: jobs, stopAt: len(jobs), out: make([]chan outcome, len(jobs))}
	for i := range p.out {
		p.out[i] = make(chan outcome, 1)
	}
	var wg sync.WaitGroup
	for range max(1, min(workers, len(jobs))) {
		wg.Go(func() { p.work(ctx) })
	}
	err := p.collect(done)
	if err != nil {
		p.stopFrom(0)
		cancel()
	}
	wg.Wait()
	return err
}

// pool hands out jobs in order and takes their outcomes.
type pool struct {
	jobs []Job
	out  []chan outcome // by job, each gets exactly one outcome

	mu     sync.Mutex
	next   int
	stopAt int // jobs from here on are not begun
}

// outcome of a job: neither a run nor an error if it was not begun.
type outcome struct {
	run *result.Run
	err error
}

// take returns the next job, -1 if there is none; begin is false if it must not be run.
func (p *pool) take() (job int, begin bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == len(p.jobs) {
		return -1, false
	}
	job = p.next
	p.next++
	return job, job < p.stopAt
}

func (p *pool) stopFrom(job int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopAt = min(p.stopAt, job)
}

func (p *pool) work(ctx context.Context) {
	for {
		job, begin := p.take()
		if job < 0 {
			return
		}
		var o outcome
		if begin && ctx.Err() == nil {
			o = p.jobs[job].do(ctx)
		}
		if o.err != nil {
			p.stopFrom(job)
		}
		p.out[job] <- o
	}
}

// do makes a run and keeps its result. A panic of either is a bug, not the end of the process.
func (j *Job) do(ctx context.Context) (o outcome) {
	sc := j.Scenario
	defer func() {
		if p := recover(); p != nil {
			r := &runner{sc: sc}
			if sc == nil {
				r.sc = &scenarios.Scenario{}
			}
			o = outcome{err: r.bug(p, debug.Stack())}
		}
	}()
	if sc == nil {
		if sc, o.err = j.Load(); o.err != nil {
			return o
		}
	}
	o.run, o.err = Run(ctx, sc, j.Options)
	if o.err == nil && j.Keep != nil {
		j.Keep(o.run)
	}
	return o
}

// collect hands results over in order, up to the first error.
func (p *pool) collect(done func(job int, run *result.Run) error) error {
	for job, out := range p.out {
		o := <-out
		if o.err != nil {
			return o.err
		}
		if o.run == nil {
			continue
		}
		if err := done(job, o.run); err != nil {
			return err
		}
	}
	return nil
}
