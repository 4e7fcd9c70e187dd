package experiment

import (
	"cmp"
	"fmt"
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// instanceFold counts what each producer instance answered its callers, and follows the stretches in which
// it had no success.
type instanceFold struct {
	first []int         // by group: its first instance
	total int           // instances
	rows  []instanceRow // phase*total + instance
	// streaks of the instances, then those of the instances of groups with several topics for each topic
	// apart: streakOf[slot] is the first of a slot.
	streaks  int
	streakOf []int
	since    []sim.Time // by streak: see callers.since
	worst    []sim.Duration
	ranged   []*rangedWorst
}

// instanceRow is an instance in a phase.
type instanceRow struct {
	answered, failed, attempts int64
}

// rangedWorst is the longest stretch of the instances of some streaks in the window of an expectation.
type rangedWorst struct {
	from, to sim.Time
	streaks  []bool
	worst    sim.Duration
	streak   int
}

func newInstanceFold(cfg *config.Config, s *slots, phases int) instanceFold {
	f := instanceFold{streakOf: make([]int, len(s.list))}
	for _, p := range cfg.Producers {
		f.first = append(f.first, f.total)
		f.total += p.Count
	}
	f.streaks = f.total
	for i, slot := range s.list {
		f.streakOf[i] = f.first[slot.group]
		if s.groups[slot.group].many {
			f.streakOf[i] = f.streaks
			f.streaks += cfg.Producers[slot.group].Count
		}
	}
	f.rows = make([]instanceRow, phases*f.total)
	f.since = make([]sim.Time, f.streaks)
	for i := range f.since {
		f.since[i] = notYet
	}
	f.worst = make([]sim.Duration, phases*f.streaks)
	return f
}

// answered tells of an answer to n messages of a slot that belong to a phase.
func (f *fold) instanceAnswered(phase, slot int, a *model.Answer, n int64) {
	x := &f.instances
	i := x.first[a.Group] + int(a.Instance)
	row := &x.rows[phase*x.total+i]
	row.answered += n
	row.attempts += int64(a.Attempts) * n
	failed := a.Result.Status == strategy.StatusNone
	if failed {
		row.failed += n
	}
	f.streak(i, a.At, failed)
	if f.slots.groups[a.Group].many {
		f.streak(x.streakOf[slot]+int(a.Instance), a.At, failed)
	}
}

// streak tells of an answer that one of the streaks is about.
func (f *fold) streak(i int, now sim.Time, failed bool) {
	since := &f.instances.since[i]
	switch {
	case failed && *since == notYet:
		*since = now
	case !failed && *since != notYet:
		f.endStreak(i, now)
		*since = notYet
	}
}

// endStreak books a stretch up to now to the phases that own it, and to ranges.
func (f *fold) endStreak(i int, now sim.Time) {
	x, since := &f.instances, f.instances.since[i]
	longest := func(phase int, from, to sim.Time) {
		w := &x.worst[phase*x.streaks+i]
		*w = max(*w, to.Sub(from))
	}
	f.cursor.pieces(since, now, longest)
	if all := f.availability.all; all >= 0 {
		longest(all, max(since, sim.Time(f.cfg.Warmup)), now)
	}
	for _, r := range x.ranged {
		if d := min(now, r.to).Sub(max(since, r.from)); r.streaks[i] && d > r.worst {
			r.worst, r.streak = d, i
		}
	}
}

// endStreaks books the stretches that last at the end of the run.
func (f *fold) endStreaks(now sim.Time) {
	for i, since := range f.instances.since {
		if since != notYet {
			f.endStreak(i, now)
		}
	}
}

// worstOf is the longest stretch in a phase of the instances of some slots, and whose it is; "" if none
// failed. Of a group of several topics it is of all of them together, unless one topic is asked for.
func (f *fold) worstOf(phase int, in func(slot) bool, topic bool) (name string, worst sim.Duration) {
	x := &f.instances
	for i, slot := range f.slots.list {
		if !in(slot) {
			continue
		}
		first := x.first[slot.group]
		if topic {
			first = x.streakOf[i]
		}
		for k := range f.cfg.Producers[slot.group].Count {
			if w := x.worst[phase*x.streaks+first+k]; w > worst {
				name, worst = fmt.Sprintf("%s#%d", f.cfg.Producers[slot.group].Name, k), w
			}
		}
	}
	return name, worst
}

// mostInstances is how many instances of a phase are listed at most.
const mostInstances = 200

// instanceResults are the producer instances by phase: all of them, or the worst by failed messages, then
// by number.
func (f *fold) instanceResults() []result.InstanceCount {
	out := []result.InstanceCount{}
	for p, phase := range f.cursor.phases {
		list := f.instancesIn(p, phase.Name)
		if len(list) > mostInstances {
			slices.SortStableFunc(list, func(a, b result.InstanceCount) int {
				return cmp.Compare(b.Failed, a.Failed)
			})
			list = list[:mostInstances]
		}
		out = append(out, list...)
	}
	return out
}

// instancesIn are all instances in a phase.
func (f *fold) instancesIn(phase int, name string) []result.InstanceCount {
	x := &f.instances
	out := make([]result.InstanceCount, 0, x.total)
	for g, p := range f.cfg.Producers {
		for k := range p.Count {
			i := x.first[g] + k
			c := result.InstanceCount{
				Phase: name, Producer: p.Name, Instance: k, WorstNS: int64(x.worst[phase*x.streaks+i]),
			}
			for from := range f.cursor.phases {
				if f.cursor.within(from, name) {
					row := &x.rows[from*x.total+i]
					c.Messages += row.answered
					c.Failed += row.failed
					c.Attempts += row.attempts
					c.AvoidedNS += int64(f.brokers.byInstance[from*x.total+i])
				}
			}
			out = append(out, c)
		}
	}
	return out
}
