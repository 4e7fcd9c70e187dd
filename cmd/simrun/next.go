package main

import (
	"fmt"
	"os"
	"path/filepath"

	"simrun/internal/result"
	"simrun/report"
)

// worstRun is where to look first.
type worstRun struct {
	scenario, dir string
	seed          uint64
	failed        int64
}

// next ends the call with what one might do now.
func (r *runs) next() {
	if r.last == "" {
		return
	}
	again := "simrun run"
	for i, s := range r.of {
		if i == 0 || r.of[i-1].ref != s.ref { // variants of one follow each other
			again += " " + shellQuote(s.ref)
		}
	}
	for _, v := range r.flags.variants {
		again += " --variant " + shellQuote(v)
	}
	for _, set := range r.flags.set {
		again += " --set " + shellQuote(set)
	}
	if r.flags.noExpect {
		again += " --no-expect"
	}
	seeds := ""
	if r.flags.seed.set {
		seeds = fmt.Sprintf(" --seed %d", r.flags.seed.seed)
	} else if r.flags.seeds.text != "" {
		seeds = " --seeds " + r.flags.seeds.text
	}
	switch {
	case worst(r.codes...) == exitInterrupted:
		r.say("next: %s%s   # to run it to its end\n", again, seeds)
	case r.missed > r.worst.failed && len(r.jobs) == 1 && r.saved[0].err == nil:
		r.say("next: simrun explain %s --why missed   # the first one that nobody was told of\n",
			shellQuote(latest(r.flags.out, r.last)))
	case r.worst.failed > 0 && len(r.jobs) == 1:
		r.say("next: simrun explain %s --why failed   # the first of them, step by step\n",
			shellQuote(latest(r.flags.out, r.last)))
	case len(r.flags.seeds.seeds) <= 1:
		r.say("next: %s --seeds 1..10   # one seed is an anecdote\n", again)
	case len(r.flags.plots.formats) == 0:
		r.say("next: %s%s   # with figures\n", again, seeds)
	case r.worst.failed > 0:
		w := r.worst
		of := fmt.Sprintf("seed %d", w.seed)
		if r.of[0] != r.of[len(r.of)-1] {
			of = w.scenario + ", " + of
		}
		figure := filepath.Join(w.dir, report.PlotsDir, "timeline."+r.flags.plots.formats[0])
		r.say("next: look at %s   # %s has the most failed messages, %d\n", figure, of, w.failed)
	}
}

// failedMessages counts the messages after the warm-up whose callers got exceptions.
func failedMessages(run *result.Run) int64 { return afterWarmup(run).Failed }

// missedMessages counts the one-way messages after the warm-up of which nothing is left.
func missedMessages(run *result.Run) int64 { return afterWarmup(run).HandedMissed }

// afterWarmup is the row of all messages after the warm-up.
func afterWarmup(run *result.Run) result.Stats {
	for _, s := range run.Stats {
		if s.Phase == result.PhaseAll && s.Dim == result.DimAll {
			return s
		}
	}
	return result.Stats{}
}

// latest is the short name of a directory of results, if it has that.
func latest(out, dir string) string {
	link := filepath.Join(out, "latest")
	a, errA := os.Stat(link)
	b, errB := os.Stat(dir)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return link
	}
	return dir
}
