package experiment

import (
	"context"
	"errors"
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
)

// tableWatch notes the changes of the fault table of one instance.
type tableWatch struct {
	model.Observer
	instance int32
	list     []model.TableChange
}

func (r *tableWatch) TableChanged(c *model.TableChange) {
	r.Observer.TableChanged(c)
	if c.Group == 0 && c.Instance == r.instance {
		r.list = append(r.list, *c)
	}
}

// Goal: "the fault table of one producer at one time". Method: what a table refuses at many times is what
// its changes up to then say, by an observer of the whole run, and what put it there ended when the table
// changed.
func TestAtIsTheTableOfTheRun(t *testing.T) {
	for _, release := range []string{"4.9.8", "5.3.3"} {
		t.Run(release, func(t *testing.T) {
			sc := hanging(t, release)
			seen := &tableWatch{instance: 1}
			r := &runner{sc: sc}
			r.make = func(cfg config.Config, obs model.Observer) world {
				seen.Observer = obs
				return model.New(cfg, seen)
			}
			must(r.whole(context.Background()))
			refused := 0
			for at := 4 * sim.Second; at <= 25*sim.Second; at += 1500 * sim.Millisecond {
				s := must(At(context.Background(), sc, Instant{Instance: 1, At: at}, Options{}))
				for b, br := range s.Brokers {
					refused += checkEntry(t, seen.list, at, int32(b), br.Entry)
				}
			}
			if refused < 5 {
				t.Errorf("only %d tableWatch were seen", refused)
			}
		})
	}
}

// checkEntry compares an entry with the changes before it, and returns 1 if it refuses.
func checkEntry(
	t *testing.T, list []model.TableChange, at sim.Duration, b int32, e *result.SnapshotEntry,
) (refuses int) {
	t.Helper()
	var last *model.TableChange
	since := sim.Time(0)
	for i := range list {
		if c := &list[i]; c.Broker == b && c.At <= sim.Time(at) {
			if last == nil || c.Until != last.Until {
				since = c.At
			}
			last = c
		}
	}
	want := int64(0)
	if last != nil && last.Until > sim.Time(at) {
		want = int64(last.Until)
	}
	switch {
	case e == nil || e.UntilNS == nil:
		if want != 0 {
			t.Errorf("broker %d at %v: not refused, want until %d", b, at, want)
		}
	case *e.UntilNS != want:
		t.Errorf("broker %d at %v: refused until %d, want %d", b, at, *e.UntilNS, want)
	case e.Refused == nil || e.Refused.AtNS != int64(since) || e.Refused.Outcome == "SEND_OK":
		t.Errorf("broker %d at %v: refused by %+v, want since %v", b, at, e.Refused, since)
	default:
		return 1
	}
	return 0
}

// Goal: what a send would choose from, the connections and the faults are those of the time. Method: before
// and after a power loss of two of three brokers.
func TestAtTellsWhatASendWouldChooseFrom(t *testing.T) {
	sc := hanging(t, "5.3.3")
	up := must(At(context.Background(), sc, Instant{At: 2 * sim.Second}, Options{}))
	if topic := up.Topics[0]; topic.Queues != 12 || len(topic.Missing) != 0 || !topic.HasRoute ||
		!slices.Equal(topic.From, []string{"a", "b", "c"}) {
		t.Errorf("%+v", topic)
	}
	if a := up.Brokers[0]; a.Connection != "open" || !a.Master || len(a.Faults) != 0 {
		t.Errorf("%+v", a)
	}
	down := must(At(context.Background(), sc, Instant{At: 7 * sim.Second}, Options{}))
	if !slices.Equal(down.Brokers[0].Faults, []string{"cut"}) || len(down.Brokers[2].Faults) != 0 {
		t.Errorf("%+v", down.Brokers)
	}
	if from := down.Topics[0].From; !slices.Equal(from, []string{"c"}) {
		t.Errorf("with a and b refused it chooses from %v", from)
	}
}

// Goal: looking does no more than it must, and can be interrupted.
func TestAtEnds(t *testing.T) {
	sc := hanging(t, "5.3.3")
	last := sim.Duration(0)
	opt := Options{Progress: func(p Progress) { last = p.At }}
	must(At(context.Background(), sc, Instant{At: 3 * sim.Second}, opt))
	if last > 3*sim.Second {
		t.Errorf("ran to %v", last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := At(ctx, sc, Instant{At: sim.Second}, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
