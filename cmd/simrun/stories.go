package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/report"
)

// tellStories makes a run again that was shown and kept, tells the stories of its exemplars, and adds them to
// its results. Of several seeds of one scenario none is told: that would make each of the runs twice. An
// interrupt leaves the results as they are, which is whole.
func (r *runs) tellStories(job int, run *result.Run) error {
	if !r.wantStories(job, run) {
		return nil
	}
	if r.cut() {
		r.withoutStories()
		return nil
	}
	s := &r.saved[job]
	r.say("telling the stories of %s\n", plural(len(run.Exemplars), "message"))
	last := r.done == len(r.jobs) // else the bar shows how far the other runs are
	if last && !r.quiet {
		r.console.clear()
		r.console.begin(lastExemplar(run))
	}
	opt := experiment.Options{Progress: func(p experiment.Progress) {
		if last {
			r.console.advance(p.At, fmt.Sprintf("stories: %s of %s", whole(p.At), whole(lastExemplar(run))))
		}
	}}
	stories, err := experiment.Stories(r.ctx, r.jobs[job].Scenario, run.Exemplars, opt)
	if last {
		r.console.clear()
	}
	if errors.Is(err, context.Canceled) {
		r.withoutStories()
		return nil
	}
	if err != nil {
		return err
	}
	if err := report.AddStories(s.dir, stories, s.files); err != nil {
		r.codes = append(r.codes, codeOf(err))
		r.console.errorf("%v", err)
	}
	return nil
}

// wantStories says whether the stories of a run's exemplars are to be told.
func (r *runs) wantStories(job int, run *result.Run) bool {
	return r.saved[job].err == nil && run.Complete && r.flags.html && len(run.Exemplars) > 0 &&
		len(r.flags.seeds.seeds) <= 1
}

// cut says whether there was an interrupt.
func (r *runs) cut() bool { return r.ctx.Err() != nil }

// withoutStories says what an interrupt after the run itself left.
func (r *runs) withoutStories() {
	r.codes = append(r.codes, exitInterrupted)
	r.say("the results are whole, but for the stories\n")
}

// lastExemplar is when the last exemplar of a run has its answer, or else the end of the run.
func lastExemplar(run *result.Run) time.Duration {
	last := int64(0)
	for _, e := range run.Exemplars {
		if e.LatencyNS == nil || e.Fate != "durable" {
			return time.Duration(run.DurationNS)
		}
		last = max(last, e.ScheduledNS+*e.LatencyNS)
	}
	return time.Duration(min(last, run.DurationNS))
}
