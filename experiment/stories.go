package experiment

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// Stories makes a run again and tells the lives of some messages of it, in their order. It ends when the
// last of them is over: its caller has the answer, nothing of it is on the way, and its fate is what the
// exemplar says it came to; or else at the end of the run. So a story has what [Explain] tells, but for the
// digest and the number of all messages, which only the whole run has.
//
// It is an error if the run has no such message. The error is also *InternalError, or that of ctx.
func Stories(
	ctx context.Context, sc *scenarios.Scenario, exemplars []result.Exemplar, opt Options,
) (stories []result.Story, err error) {
	if len(exemplars) == 0 {
		return nil, nil
	}
	picks := make([]Pick, len(exemplars))
	for i, e := range exemplars {
		g := slices.IndexFunc(sc.Config.Producers, func(p config.Producer) bool { return p.Name == e.Producer })
		if g < 0 {
			return nil, fmt.Errorf("experiment: no producer group %q", e.Producer)
		}
		picks[i] = Pick{Producer: g, Message: e.Message}
	}
	r := &runner{sc: sc, opt: opt}
	t := r.tell(picks)
	defer func() {
		if p := recover(); p != nil {
			stories, err = nil, r.bug(p, debug.Stack())
		}
	}()
	if err := r.follow(ctx, func() bool { return t.over(exemplars) }); err != nil {
		return nil, err
	}
	for i, s := range t.list {
		if !s.begun {
			return nil, fmt.Errorf("experiment: %w", noMessage(sc, picks[i], t.messages[picks[i].Producer]))
		}
	}
	return t.finish(), nil
}

// follow makes a run window by window until there is enough of it, or to its end.
func (r *runner) follow(ctx context.Context, enough func() bool) error {
	if err := r.build(); err != nil {
		return r.bug(err, nil)
	}
	w := &r.fold.windows
	end := sim.Time(r.sc.Config.Duration)
	for w.open < len(w.list) && !enough() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.window(end); err != nil {
			return r.bug(err, nil)
		}
	}
	return nil
}

// over says whether nothing more can happen to any of the messages.
func (t *tellers) over(exemplars []result.Exemplar) bool {
	for i, s := range t.list {
		if !s.closed {
			s.closed = s.over(&exemplars[i])
		}
		if !s.closed {
			return false
		}
	}
	return true
}

// over says whether nothing more can happen to the message, of which the exemplar knows the end.
func (s *storyteller) over(e *result.Exemplar) bool {
	if s.story.AnsweredNS == nil || s.story.Fate != e.Fate || s.story.Copies != e.Copies {
		return false
	}
	return !s.run.world.Settling(s.pick.Producer, s.pick.Message)
}
