package experiment

import (
	"context"
	"fmt"
	"runtime/debug"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// Pick says which message of a run is to be explained.
type Pick struct {
	// Producer is the group, an index into Config.Producers. With Why it may be -1: any group.
	Producer int
	// Message is the number within the group, from 0. It is ignored if Why is set.
	Message uint64
	// Why, if not empty, picks the first message after the warm-up, in the order in which they were
	// scheduled, of which that is true; of WhySlowest, the one that took longest.
	Why Why
}

// Why is what makes a message worth explaining.
type Why string

// What a Pick can look for.
const (
	WhyFailed     Why = "failed"     // the caller got an exception
	WhySlowest    Why = "slowest"    // from the intended send time to the answer
	WhyRetried    Why = "retried"    // it took more than one attempt
	WhyLost       Why = "lost"       // acknowledged, and no copy will ever be served again
	WhyDuplicated Why = "duplicated" // more than one copy was stored
	WhyMissed     Why = "missed"     // handed over (one-way), and nothing is left that will be served
	WhyResent     Why = "resent"     // the caller sent it again after a send that failed
)

// Whys are all values of Why.
func Whys() []Why {
	return []Why{WhyFailed, WhySlowest, WhyRetried, WhyLost, WhyDuplicated, WhyMissed, WhyResent}
}

// NoMessageError says that a run has no message like the one picked.
type NoMessageError struct {
	Pick Pick
	// Producer is the name of the group, empty for any. Messages is how many messages there are to pick
	// from: of the group, or with Why, those after the warm-up.
	Producer string
	Messages uint64
}

func (e *NoMessageError) Error() string {
	of := ""
	if e.Producer != "" {
		of = " of " + e.Producer
	}
	switch {
	case e.Pick.Why != "":
		return fmt.Sprintf("none of the %d messages%s after the warm-up %s",
			e.Messages, of, e.Pick.Why.verb())
	case e.Messages == 0:
		return fmt.Sprintf("there is no message %d: the run has none%s", e.Pick.Message, of)
	}
	return fmt.Sprintf("there is no message %d: the run has %d%s, numbered 0 to %d",
		e.Pick.Message, e.Messages, of, e.Messages-1)
}

func (w Why) verb() string {
	switch w {
	case WhyLost:
		return "was acknowledged and then lost"
	case WhySlowest:
		return "was answered"
	case WhyFailed:
		return "failed"
	case WhyMissed:
		return "was handed over and then missed"
	case WhyResent:
		return "was sent again"
	case WhyRetried, WhyDuplicated:
	}
	return "was " + string(w)
}

// Explain makes a run again and tells the life of one of its messages. To find one by Why the run is
// made before as far as it takes to be sure. Whoever looks changes nothing: the digest in the story is that
// of [Run].
//
// The error is *NoMessageError, *InternalError, or that of ctx.
func Explain(
	ctx context.Context, sc *scenarios.Scenario, pick Pick, opt Options,
) (*result.Story, error) {
	if pick.Why != "" {
		found, err := find(ctx, sc, pick, opt)
		if err != nil {
			return nil, err
		}
		pick.Producer, pick.Message = int(found.Group), found.Number
	}
	r := &runner{sc: sc, opt: opt}
	told := r.tell([]Pick{pick})
	run, err := r.whole(ctx)
	if err != nil {
		return nil, err
	}
	s := told.list[0]
	if !s.begun {
		return nil, noMessage(sc, pick, told.messages[pick.Producer])
	}
	s.finish()
	s.story.Digest, s.story.Messages = run.Digest, told.messages[pick.Producer]
	return &s.story, nil
}

// whole makes a run to its end.
func (r *runner) whole(ctx context.Context) (*result.Run, error) {
	run, err := r.guarded(ctx)
	if err != nil {
		return nil, err
	}
	if !run.Complete {
		return nil, context.Cause(ctx)
	}
	return run, nil
}

func noMessage(sc *scenarios.Scenario, pick Pick, messages uint64) *NoMessageError {
	e := &NoMessageError{Pick: pick, Messages: messages}
	if pick.Producer >= 0 {
		e.Producer = sc.Config.Producers[pick.Producer].Name
	}
	return e
}

// finder looks for the message that a Pick wants. It holds one at a time.
type finder struct {
	model.Observer
	pick   Pick
	warmup sim.Time
	// best is the message found so far, took how long it took (WhySlowest).
	best     model.Message
	found    bool
	took     sim.Duration
	messages uint64
	// open are those that may yet turn out to be sooner than best, and when they were scheduled: without an
	// answer. It is kept for what an answer settles.
	open map[messageID]sim.Time
	// missed are the messages handed over so far of which nothing is left, or is there yet (WhyMissed).
	missed map[messageID]model.Message
}

// find makes the run once to find a message.
func find(
	ctx context.Context, sc *scenarios.Scenario, pick Pick, opt Options,
) (m model.Message, err error) {
	f := &finder{pick: pick, warmup: sim.Time(sc.Config.Warmup), missed: map[messageID]model.Message{}}
	switch pick.Why {
	case WhyFailed, WhyRetried, WhyResent:
		f.open = map[messageID]sim.Time{}
	case WhySlowest, WhyLost, WhyDuplicated, WhyMissed: // the end of the run decides
	}
	r := &runner{sc: sc, opt: opt}
	r.make = func(cfg config.Config, obs model.Observer) world {
		f.Observer = obs
		return model.New(cfg, f)
	}
	defer func() {
		if p := recover(); p != nil {
			err = r.bug(p, debug.Stack())
		}
	}()
	if err := r.follow(ctx, f.settled); err != nil {
		return model.Message{}, err
	}
	for _, m := range f.missed { // the first of them, whatever the order
		f.offer(&m)
	}
	if !f.found {
		return model.Message{}, noMessage(sc, pick, f.messages)
	}
	return f.best, nil
}

// eligible says whether a message may be picked at all.
func (f *finder) eligible(m *model.Message) bool {
	return m.Scheduled >= f.warmup && (f.pick.Producer < 0 || int(m.Group) == f.pick.Producer)
}

// offer takes a message if it was scheduled before the one found so far.
func (f *finder) offer(m *model.Message) {
	if f.eligible(m) && (!f.found || sooner(m, &f.best)) {
		f.best, f.found = *m, true
	}
}

// sooner orders messages as they were scheduled.
func sooner(a, b *model.Message) bool {
	switch {
	case a.Scheduled != b.Scheduled:
		return a.Scheduled < b.Scheduled
	case a.Group != b.Group:
		return a.Group < b.Group
	}
	return a.Number < b.Number
}

// Scheduled implements model.Observer.
func (f *finder) Scheduled(m *model.Message) {
	f.Observer.Scheduled(m)
	if f.eligible(m) {
		f.messages++
		if f.open != nil && !f.found {
			f.open[messageID{m.Group, m.Number}] = m.Scheduled
		}
	}
}

// settled says that none that comes later, or is still open, can be the one: each was scheduled after it.
func (f *finder) settled() bool {
	if f.open == nil || !f.found {
		return false
	}
	for _, scheduled := range f.open {
		if scheduled <= f.best.Scheduled {
			return false
		}
	}
	return true
}

// Answered implements model.Observer.
func (f *finder) Answered(a *model.Answer) {
	f.Observer.Answered(a)
	delete(f.open, messageID{a.Group, a.Number})
	acked, failed := acknowledged(a.Result.Status), a.Result.Status == strategy.StatusNone
	switch f.pick.Why {
	case WhyFailed:
		if failed {
			f.offer(&a.Message)
		}
	case WhyRetried:
		if a.Attempts > 1 {
			f.offer(&a.Message)
		}
	case WhyLost:
		if acked && gone(a.Fate) {
			f.offer(&a.Message)
		}
	case WhySlowest:
		took := a.At.Sub(a.Scheduled)
		if f.eligible(&a.Message) && (!f.found || took > f.took) {
			f.best, f.found, f.took = a.Message, true, took
		}
	case WhyMissed:
		if a.Result.Status == strategy.StatusHanded {
			f.miss(&a.Message, a.Fate == model.NeverStored || gone(a.Fate))
		}
	case WhyResent:
		if a.Resends > 0 {
			f.offer(&a.Message)
		}
	case WhyDuplicated:
	}
}

// miss notes whether anything is left of a message that was handed over.
func (f *finder) miss(m *model.Message, missed bool) {
	id := messageID{m.Group, m.Number}
	if !missed {
		delete(f.missed, id)
	} else if f.eligible(m) {
		f.missed[id] = *m
	}
}

// CopyStored implements model.Observer.
func (f *finder) CopyStored(c *model.Copy) {
	f.Observer.CopyStored(c)
	if f.pick.Why == WhyDuplicated && c.Number > 1 {
		f.offer(&c.Message)
	}
}

// FateChanged implements model.Observer. (A copy that a late request stores may bring back a message
// that was lost; a message scheduled later that was offered in between is forgotten by then. It takes
// a retry, a power loss between the answer and the late copy, and this order: it has not been seen.)
func (f *finder) FateChanged(c *model.FateChange) {
	f.Observer.FateChanged(c)
	if f.pick.Why == WhyMissed && c.Answered && c.Status == strategy.StatusHanded {
		f.miss(&c.Message, gone(c.To))
	}
	if f.pick.Why != WhyLost || !c.Answered || !c.OK {
		return
	}
	if gone(c.To) {
		f.offer(&c.Message)
	} else if f.found && f.best.Group == c.Group && f.best.Number == c.Number {
		f.found = false
	}
}

// gone says that nobody will ever read the message.
func gone(f model.Fate) bool { return f == model.Stranded || f == model.Lost }
