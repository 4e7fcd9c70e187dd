package main

import (
	"context"
	"strings"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
)

// runs are all runs of one call, scenario by scenario and seed by seed.
type runs struct {
	*app
	flags *runFlags
	jobs  []experiment.Job
	of    []*source // by job
	clock progress
	saved []saved // by job
	// traces are by job, nil if what happens in it is not written down.
	traces []*tracer
	// seeds are by job, what a set of several seeds takes of each.
	seeds []*ensemble.Member
	// Of the scenario whose results come in: the first run, and how many came so far. More of them are not
	// kept: a set has what it needs.
	first *result.Run
	group int
	// done counts results that came in, of any scenario; last is where the last one is kept.
	done int
	last string
	// ctx is that of the call.
	ctx context.Context
	// worst is the run with the most failed messages after the warm-up, if any failed. missed counts the
	// one-way messages of which nothing is left.
	worst  worstRun
	missed int64
}

func (r *runs) add(s *source) {
	list := []experiment.Job{{Scenario: s.Scenario}}
	if len(r.flags.seeds.seeds) > 0 {
		list = experiment.Seeds(s.Scenario, r.flags.seeds.seeds)
	}
	for _, job := range list {
		i := len(r.jobs)
		job.Keep = func(run *result.Run) {
			r.takeSeed(i, run)
			r.saved[i] = r.save(i, run)
		}
		r.traces = append(r.traces, nil)
		if r.flags.trace {
			cfg := &job.Scenario.Config
			dir := report.Path(r.flags.out, job.Scenario.Name, job.Scenario.Variant, cfg.Seed, job.Scenario.Key())
			r.traces[i] = &tracer{dir: dir, cfg: cfg}
			job.Options.Witness = r.traces[i].open
		}
		r.jobs, r.of, r.saved = append(r.jobs, job), append(r.of, s), append(r.saved, saved{})
		r.seeds = append(r.seeds, nil)
	}
}

// make simulates, and keeps and shows each result as soon as its turn comes.
func (r *runs) make(ctx context.Context) error {
	r.ctx = ctx
	if r.flags.verbose {
		r.say("running %s, %d at once\n", plural(len(r.jobs), "run"), min(r.flags.jobs, len(r.jobs)))
	}
	r.clock.start(r)
	said := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		r.console.interrupted("stopping; what was simulated so far is kept (once more to quit at once)")
		close(said)
	})
	err := r.env.RunAll(ctx, r.jobs, r.flags.jobs, func(job int, run *result.Run) error {
		if ctx.Err() != nil {
			<-said // first things first
		}
		return r.take(job, run)
	})
	if !unwatch() {
		<-said
	}
	r.console.clear()
	for _, t := range r.traces {
		t.discard()
	}
	if err != nil || r.done < len(r.jobs) {
		r.finishGroup(r.done - 1)
	}
	if err != nil {
		return err
	}
	if left := len(r.jobs) - r.done; left > 0 {
		r.codes = append(r.codes, exitInterrupted)
		r.say("not begun: %d of %d runs\n", left, len(r.jobs))
	}
	r.next()
	return nil
}

// take shows one result. A result that could not be kept is shown all the same, and the other runs go
// on.
func (r *runs) take(job int, run *result.Run) error {
	r.done++
	if r.flags.verbose {
		r.say("%s\n", r.clock.speed(job, run))
	}
	r.told(r.saved[job])
	code := verdictCode(run.Verdict)
	if !run.Complete {
		code = exitInterrupted
	}
	r.codes = append(r.codes, code)
	r.missed += missedMessages(run)
	if n := failedMessages(run); n > r.worst.failed && r.saved[job].err == nil {
		r.worst = worstRun{run.Title(), r.saved[job].dir, run.Seed, n}
	}
	if r.flags.json {
		data, err := report.SummaryJSON(run)
		if err != nil {
			return err
		}
		r.console.data(func() { r.document(data, len(r.jobs) > 1) })
	}
	if r.group++; r.group == 1 {
		r.first = run
	}
	if job == len(r.jobs)-1 || r.of[job+1] != r.of[job] {
		r.finishGroup(job)
	}
	return r.tellStories(job, run)
}

// finishGroup shows the runs of one scenario, of which job was the last: one of them as a summary, several as
// a table, which is kept, too.
func (r *runs) finishGroup(job int) {
	first, n := r.first, r.group
	r.first, r.group = nil, 0
	if n == 0 {
		return
	}
	opt := report.TextOptions{Width: r.env.width(), Color: r.env.colour(r.color)}
	var b strings.Builder
	if r.done > n {
		b.WriteByte('\n') // between two scenarios
	}
	var err error
	var set *result.SeedSet
	if r.several() {
		set = r.seedSet(job, n)
		err = report.SeedsText(&b, set, opt)
	} else {
		err = report.Summary(&b, first, opt)
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	if set != nil {
		r.saveSet(job, set)
	}
	if !r.flags.json {
		r.console.data(func() { r.stdout.print(b.String()) })
	}
}
