package experiment

import (
	"fmt"
	"slices"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/sim"
)

// timeline says which phase owns an instant, and to which phase a message belongs.
//
// An instant of the warm-up is the warm-up's. Any other is owned by the fault that is active, of
// several by the one that began last (at one instant: the last in the file); with none active by
// the phase that contains it. A message belongs to the owner of its intended send time, but if a
// fault that owns its own beginning begins while the message is in flight, to the last such fault.
type timeline struct {
	phases []result.Phase
	// began is when each phase began. A fault that struck during the warm-up began before its phase.
	began   []sim.Time
	changes []change
}

// change is an instant at which another phase takes over.
type change struct {
	at    sim.Time
	phase int
	// begins is true if a fault begins: messages in flight go over to it. At the end of a fault
	// they stay where they are.
	begins bool
}

// newTimeline reads the phases of a scenario. It is an error if an instant of the run has no phase.
func newTimeline(phases []result.Phase, cfg *config.Config) (*timeline, error) {
	t := &timeline{phases: phases}
	for _, p := range phases {
		t.began = append(t.began, beginning(cfg, p))
	}
	var at []sim.Time
	for _, p := range phases {
		for _, edge := range []int64{p.FromNS, p.ToNS} {
			if edge >= 0 && edge < int64(cfg.Duration) {
				at = append(at, sim.Time(edge))
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	last := -1
	for _, edge := range at {
		owner := t.findOwner(edge)
		if owner < 0 {
			return nil, fmt.Errorf("experiment: no phase owns %v", edge)
		}
		if owner == last {
			continue
		}
		begins := phases[owner].IsFault() && t.began[owner] == edge
		t.changes = append(t.changes, change{at: edge, phase: owner, begins: begins})
		last = owner
	}
	if len(at) == 0 || at[0] != 0 {
		return nil, fmt.Errorf("experiment: no phase owns the start of the run")
	}
	return t, nil
}

// beginning is when a phase began: that of a fault, when the fault struck.
func beginning(cfg *config.Config, p result.Phase) sim.Time {
	for _, f := range cfg.Faults {
		if p.Name == result.FaultPrefix+f.Name {
			return sim.Time(f.At)
		}
	}
	return sim.Time(p.FromNS)
}

// findOwner looks the owner of an instant up in the list of phases; -1 if there is none.
func (t *timeline) findOwner(at sim.Time) int {
	owner := -1
	for i, p := range t.phases {
		inside := p.FromNS <= int64(at) && int64(at) < p.ToNS
		if p.Name == result.PhaseAll || !inside {
			continue
		}
		if owner < 0 || result.ComparePhases(p, t.phases[owner],
			int64(t.began[i]), int64(t.began[owner])) >= 0 {
			owner = i
		}
	}
	return owner
}

// within says whether phase i is what a scenario calls by a name: the phase itself, or for "all" any
// but the warm-up.
func (t *timeline) within(i int, name string) bool {
	own := t.phases[i].Name
	if name == result.PhaseAll {
		return own != result.PhaseAll && own != result.PhaseWarmup
	}
	return own == name
}

// cursor walks along a timeline.
type cursor struct {
	*timeline
	// phase owns the instants from since on; next is the time of the change after that.
	phase       int
	since, next sim.Time
	following   int // index of that change
}

func (t *timeline) start() cursor {
	c := cursor{timeline: t, next: 0}
	c.step()
	return c
}

// step goes on to the next change, which it returns.
func (c *cursor) step() change {
	ch := c.changes[c.following]
	c.phase, c.since = ch.phase, ch.at
	c.following++
	c.next = sim.Never
	if c.following < len(c.changes) {
		c.next = c.changes[c.following].at
	}
	return ch
}

// of returns the phase to which a message belongs that was scheduled at one time and still in
// flight at a later one (or answered then), neither after the cursor's own time.
func (c *cursor) of(scheduled, seen sim.Time) int {
	if scheduled >= c.since {
		return c.phase
	}
	return c.search(scheduled, seen)
}

func (c *cursor) search(scheduled, seen sim.Time) int {
	for i := c.following - 1; i > 0; i-- {
		ch := &c.changes[i]
		if ch.at <= seen && (ch.begins || ch.at <= scheduled) {
			return ch.phase
		}
	}
	return c.changes[0].phase
}
