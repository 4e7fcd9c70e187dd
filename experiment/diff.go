package experiment

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// Comparable says why two scenarios cannot be compared message by message: they need one seed and the same
// producer groups. Nil: they can.
func Comparable(a, b *scenarios.Scenario) error {
	if a.Config.Seed != b.Config.Seed {
		return fmt.Errorf("two seeds, %d and %d: with another seed everything differs", a.Config.Seed,
			b.Config.Seed)
	}
	names := func(sc *scenarios.Scenario) (list []string) {
		for i := range sc.Config.Producers {
			list = append(list, sc.Config.Producers[i].Name)
		}
		return list
	}
	if of, than := names(a), names(b); !slices.Equal(of, than) {
		return fmt.Errorf("the producer groups differ, %v and %v: their messages cannot be compared", of, than)
	}
	return nil
}

// Diff makes the runs of two scenarios side by side, compares message by message what happens in them, and
// tells the first moment at which they differ, the first decision of a client that does, and the first caller
// that gets something else; then it tells the story of the message of that decision in both. It goes no
// further than it must, and its memory is bounded by what happens in a window. labels say what the two are.
// They must be [Comparable].
//
// The error is *InternalError, or that of ctx.
func Diff(
	ctx context.Context, a, b *scenarios.Scenario, labels [2]string, opt Options,
) (div *result.Divergence, err error) {
	d := newDiffer(a, b)
	defer func() {
		if p := recover(); p != nil {
			r := &runner{sc: a, world: d.sides[0].world}
			div, err = nil, r.bug(p, debug.Stack())
		}
	}()
	if err := d.run(ctx, opt); err != nil {
		return nil, err
	}
	div = &result.Divergence{
		Scenario: a.Name, Variant: a.Variant, Seed: a.Config.Seed,
		A: result.Variant{Label: labels[0], Key: a.Key()}, B: result.Variant{Label: labels[1], Key: b.Key()},
		First: d.words(d.first), Decision: d.words(d.decision), Answer: d.words(d.answer),
		Budget: d.words(d.budget),
		Equal:  d.equalBefore(), Messages: d.messages, ComparedNS: int64(d.until), DurationNS: int64(d.end),
	}
	tell := div.Decision
	if tell == nil {
		tell = div.First
	}
	if tell == nil || !tell.HasMessage {
		return div, nil
	}
	if div.StoryA, err = storyAlone(ctx, a, tell); err != nil {
		return nil, err
	}
	div.StoryB, err = storyAlone(ctx, b, tell)
	return div, err
}

// storyAlone tells the story of the message of a difference in one of the runs, nil if that does not have it.
// It makes the run as far as the message goes, and a while longer if its fate is open.
func storyAlone(
	ctx context.Context, sc *scenarios.Scenario, of *result.Difference,
) (*result.Story, error) {
	pick := Pick{Message: of.Message}
	pick.Producer = slices.IndexFunc(sc.Config.Producers, func(p config.Producer) bool {
		return p.Name == of.Producer
	})
	r := &runner{sc: sc}
	s := r.tell([]Pick{pick}).list[0]
	const patience = 20 * sim.Second // two of the longest flushes
	enough := func() bool {
		if s.story.AnsweredNS == nil || r.world.Settling(pick.Producer, pick.Message) {
			return false
		}
		return s.story.Fate != model.AtRisk.String() ||
			r.world.Now() > sim.Time(*s.story.AnsweredNS).Add(patience)
	}
	if err := r.follow(ctx, enough); err != nil || !s.begun {
		return nil, err
	}
	s.finish()
	if now := r.world.Now(); now < sim.Time(sc.Config.Duration) && s.story.Fate == model.AtRisk.String() {
		s.story.CutNS = int64(now)
	}
	return &s.story, nil
}

// newDiffer makes the worlds of two runs.
func newDiffer(a, b *scenarios.Scenario) *differ {
	d := &differ{
		pending: map[fact]telling{}, end: sim.Time(min(a.Config.Duration, b.Config.Duration)),
	}
	for i, sc := range []*scenarios.Scenario{a, b} {
		s := &side{
			differ: d, number: int8(i), cfg: &sc.Config, changes: map[fact]int32{},
			flying: map[messageID]sim.Time{},
		}
		for j := range sc.Config.Brokers {
			s.brokers = append(s.brokers, d.broker(sc.Config.Brokers[j].Name))
		}
		s.world = model.New(sc.Config, s)
		d.sides[i] = s
	}
	return d
}

// broker is the number of a broker of either run, by name.
func (d *differ) broker(name string) int32 {
	i := slices.Index(d.brokers, name)
	if i < 0 {
		i = len(d.brokers)
		d.brokers = append(d.brokers, name)
	}
	return int32(i)
}

// run makes both runs window by window, until what differs first is settled or to the end.
func (d *differ) run(ctx context.Context, opt Options) error {
	step := windowWidth(sim.Duration(d.end))
	for d.until < d.end && !d.settled() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		d.until = min(d.end, d.until.Add(step))
		for i, s := range d.sides {
			if err := s.world.RunUntil(d.until); err != nil {
				r := &runner{sc: &scenarios.Scenario{Config: *d.sides[i].cfg}, world: s.world}
				return r.bug(err, nil)
			}
		}
		d.closeWindow()
		if opt.Progress != nil {
			opt.Progress(Progress{
				At: sim.Duration(d.until), Duration: sim.Duration(d.end), Messages: d.messages,
				Events: d.sides[0].world.Events() + d.sides[1].world.Events(),
			})
		}
	}
	d.giveUp()
	return nil
}
