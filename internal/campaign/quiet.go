package main

import (
	"simrun/model"
	"simrun/sim"
)

// quiet finds sends that hang for ever. Where no message of a group has waited for a thread for long,
// each message in flight is in the hands of a thread since it was scheduled, and no send takes longer
// than its bound.
type quiet struct {
	// since is when a group was last seen with messages that wait for a thread.
	since []sim.Time
}

func newQuiet(cfg *model.Config) *quiet {
	return &quiet{since: make([]sim.Time, len(cfg.Producers))}
}

func (q *quiet) look(w *model.World, at sim.Time) {
	for g := range q.since {
		if w.Backlog(g) > 0 {
			q.since[g] = at
		}
	}
}

// holds is asked at the end. Between two looks a backlog may come and go: the time of a message that
// waited then is bounded by that of those that held the threads, hence the factor.
func (q *quiet) holds(w *watcher) {
	now := w.world.Now()
	for g := range w.groups {
		if w.world.Backlog(g) > 0 {
			continue
		}
		bound := 3 * w.longest(int32(g))
		oldest := now.Add(-bound)
		if q.since[g] >= oldest || oldest <= 0 {
			continue
		}
		for i := range w.groups[g] {
			r := &w.groups[g][i]
			if r.scheduled >= oldest {
				break
			}
			if !r.answered {
				w.fail("hanging send", "message %d of group %s, scheduled at %v, has no answer",
					i, w.cfg.Producers[g].Name, r.scheduled)
				return
			}
		}
	}
}
