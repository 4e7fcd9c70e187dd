package experiment

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// ends notes the end of each message, as an exemplar has it.
type ends struct {
	model.Observer
	sc *scenarios.Scenario
	of map[messageID]*result.Exemplar
}

func (e *ends) Scheduled(m *model.Message) {
	e.Observer.Scheduled(m)
	e.of[messageID{m.Group, m.Number}] = &result.Exemplar{
		Producer: e.sc.Config.Producers[m.Group].Name, Message: m.Number, Fate: model.NeverStored.String(),
	}
}

func (e *ends) CopyStored(c *model.Copy) {
	e.Observer.CopyStored(c)
	e.of[messageID{c.Group, c.Message.Number}].Copies = int(c.Number)
}

func (e *ends) FateChanged(c *model.FateChange) {
	e.Observer.FateChanged(c)
	e.of[messageID{c.Group, c.Number}].Fate = c.To.String()
}

// endsOf makes a run and notes the ends of its messages.
func endsOf(t *testing.T, sc *scenarios.Scenario) map[messageID]*result.Exemplar {
	t.Helper()
	e := &ends{sc: sc, of: map[messageID]*result.Exemplar{}}
	r := &runner{sc: sc}
	r.make = func(cfg config.Config, obs model.Observer) world {
		e.Observer = obs
		return model.New(cfg, e)
	}
	must(r.whole(context.Background()))
	return e.of
}

// some are exemplars of each way in which messages of a group ended, in an order that is not theirs.
func some(of map[messageID]*result.Exemplar, group int32) []result.Exemplar {
	type way struct {
		fate   string
		copies int
	}
	seen := map[way]bool{}
	var out []result.Exemplar
	for number := uint64(41); of[messageID{group, number}] != nil; number++ {
		e := of[messageID{group, number}]
		if w := (way{e.Fate, e.Copies}); !seen[w] {
			seen[w] = true
			out = append(out, *e)
		}
	}
	slices.Reverse(out)
	return out
}

// Goal: stories told for many messages at once are those told of each alone, though the run ends when the
// last is over; a message that is picked twice is told twice. Method: a world with lost and stored twice
// messages, and one with asynchronous and one-way sends; messages that ended in different ways.
func TestStoriesAreThoseToldAlone(t *testing.T) {
	for name, groups := range map[string][]int{"hanging": {0}, "modes": {0, 2}} {
		t.Run(name, func(t *testing.T) {
			sc := hanging(t, "5.3.3")
			if name == "modes" {
				sc = modes(t, "5.3.0")
			}
			of := endsOf(t, sc)
			var exemplars []result.Exemplar
			for _, g := range groups {
				exemplars = append(exemplars, some(of, int32(g))...)
			}
			stories := must(Stories(context.Background(), sc, append(exemplars, exemplars[0]), Options{}))
			if last := stories[len(exemplars)]; !reflect.DeepEqual(last, stories[0]) {
				t.Error("picked twice, a message is told in two ways")
			}
			for i, e := range exemplars {
				g := slices.IndexFunc(sc.Config.Producers, func(p config.Producer) bool {
					return p.Name == e.Producer
				})
				alone := must(Explain(context.Background(), sc, Pick{Producer: g, Message: e.Message}, Options{}))
				alone.Digest, alone.Messages = "", 0
				if !reflect.DeepEqual(*alone, stories[i]) {
					t.Errorf("message %d of %s differs:\ntogether %+v\nalone %+v", e.Message, e.Producer,
						stories[i], *alone)
				}
			}
			if name == "hanging" && len(exemplars) < 5 {
				t.Errorf("only %d ways to end: %+v", len(exemplars), exemplars)
			}
		})
	}
}

// Goal: telling stories costs no more of the run than they need. Method: messages of the first quarter of the
// run are told; the replay ends soon after.
func TestStoriesEndEarly(t *testing.T) {
	sc := hanging(t, "5.3.3")
	of := endsOf(t, sc)
	at := sim.Duration(0)
	opt := Options{Progress: func(p Progress) { at = p.At }}
	picked := []result.Exemplar{*of[messageID{0, 3}], *of[messageID{1, 7}], *of[messageID{0, 900}]}
	stories := must(Stories(context.Background(), sc, picked, opt))
	last := sim.Duration(stories[2].Entries[len(stories[2].Entries)-1].AtNS)
	if at < last || at > last+sim.Second || at > sc.Config.Duration/2 {
		t.Errorf("the run was made again up to %v, the last story ends at %v", at, last)
	}
	if list, err := Stories(context.Background(), sc, nil, opt); list != nil || err != nil {
		t.Errorf("no exemplars: %v, %v", list, err)
	}
}

func TestStoriesOfNoMessage(t *testing.T) {
	sc := hanging(t, "5.3.3")
	_, err := Stories(context.Background(), sc, []result.Exemplar{{Producer: "nobody"}}, Options{})
	if err == nil {
		t.Error("no error for an unknown group")
	}
	far := []result.Exemplar{{Producer: "shop", Message: 1 << 40}}
	_, err = Stories(context.Background(), sc, far, Options{})
	var none *NoMessageError
	if !errors.As(err, &none) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Stories(ctx, sc, []result.Exemplar{{Producer: "shop"}}, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Goal: the exemplars that a run chooses have stories that end as the run says, whatever their kind. Method:
// a run with lost, failed and duplicated messages.
func TestStoriesOfExemplars(t *testing.T) {
	sc := hanging(t, "5.3.3")
	run := must(Run(context.Background(), sc, Options{}))
	kinds := map[string]bool{}
	stories := must(Stories(context.Background(), sc, run.Exemplars, Options{}))
	for i, e := range run.Exemplars {
		kinds[e.Kind] = true
		s := &stories[i]
		if s.Message != e.Message || s.Producer != e.Producer || s.Fate != e.Fate || s.Copies != e.Copies ||
			s.ScheduledNS != e.ScheduledNS || s.Phase != e.Phase {
			t.Errorf("exemplar %+v\nstory of %s/%d in %s: %s, %d copies", e, s.Producer, s.Message, s.Phase, s.Fate,
				s.Copies)
		}
		if (s.AnsweredNS == nil) != (e.LatencyNS == nil) ||
			s.AnsweredNS != nil && *s.AnsweredNS-s.ScheduledNS != *e.LatencyNS {
			t.Errorf("%+v: answered at %v", e, s.AnsweredNS)
		}
		checkStory(t, s)
	}
	for _, kind := range []string{result.ExemplarLost, result.ExemplarFailed, result.ExemplarSlowest} {
		if !kinds[kind] {
			t.Errorf("no exemplar is %s: %v", kind, kinds)
		}
	}
}
