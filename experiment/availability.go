package experiment

import (
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// mergeGap is the least time between two stretches without success that count as two outages.
//
// Source: OpenChaos, RecoveryChecker.checkInner, which starts no new record within two seconds of the end of
// the last one.
const mergeGap = 2 * sim.Second

// cellWidth is the stretch over which a success rate is taken to find the time below a level.
const cellWidth = sim.Second

// availability follows how the service looks to callers, by when they are answered: stretches without any
// success, and seconds with too little of it.
type availability struct {
	cfg   *config.Config
	slots []cell // what was answered in the open cell, by slot
	// from and next bound the open cell: it lies within a second, a phase and every range.
	from, next sim.Time
	// line walks along with from; all is the phase that the instants after the warm-up belong to besides
	// their own, -1 if there is none.
	line  cursor
	all   int
	edges []sim.Time // where ranges begin or end
	// callers are the different sets of slots that rows are about; of says which a slot is in. down is how
	// many of them are without success now.
	callers []callers
	of      [][]int
	down    int
	// Which callers the rows are about: of a group and of a topic. The row of all is about the first.
	group, topic []int
}

// cell counts messages answered, and the failed ones of them.
type cell struct{ answered, failed int64 }

// callers are those of some slots.
type callers struct {
	slots []int
	// since is when the first of the failures was answered since which nothing has succeeded, notYet if the
	// last answer was a success.
	since sim.Time
	// low[i] says that success was below level i in the last cell that had any answers.
	low    [levelCount]bool
	phases []experience
	ranged []*rangedExperience
}

// experience is what came of some callers' messages over a stretch of time.
type experience struct {
	cell
	outages        int
	total, longest sim.Duration
	last           sim.Time // end of the last stretch without success
	open           bool
	below          [levelCount]lowTime
}

// lowTime is the time below a level; run is the length of the stretch that ended at until.
type lowTime struct {
	total, longest, run sim.Duration
	until               sim.Time
}

// rangedExperience is that of an expectation with a window of its own.
type rangedExperience struct {
	from, to sim.Time
	experience
}

const levelCount = 4

// successLevels are the success rates that time is looked for below, in thousandths.
var successLevels = [levelCount]int64{500, 900, 990, 999}

func newAvailability(cfg *config.Config, line *timeline, s *slots) availability {
	a := availability{
		cfg: cfg, slots: make([]cell, len(s.list)), line: line.start(), of: make([][]int, len(s.list)),
		all: slices.IndexFunc(line.phases, func(p result.Phase) bool { return p.Name == result.PhaseAll }),
	}
	add := func(in func(slot) bool) int {
		var of []int
		for i, slot := range s.list {
			if in(slot) {
				of = append(of, i)
			}
		}
		for i := range a.callers {
			if slices.Equal(a.callers[i].slots, of) {
				return i
			}
		}
		a.callers = append(a.callers, callers{
			slots: of, since: notYet, phases: make([]experience, len(line.phases)),
		})
		for _, slot := range of {
			a.of[slot] = append(a.of[slot], len(a.callers)-1)
		}
		return len(a.callers) - 1
	}
	add(func(slot) bool { return true })
	for g := range cfg.Producers {
		a.group = append(a.group, add(func(s slot) bool { return s.group == g }))
	}
	for t := range cfg.Topics {
		a.topic = append(a.topic, add(func(s slot) bool { return s.topic == t }))
	}
	a.next = a.end()
	return a
}

// end is where a cell ends that begins at from.
func (a *availability) end() sim.Time {
	end := min((a.from/sim.Time(cellWidth)+1)*sim.Time(cellWidth), a.line.next)
	for _, at := range a.edges {
		if at > a.from {
			end = min(end, at)
		}
	}
	return end
}

// add has the experience of some callers in a range followed.
func (a *availability) add(which int, r *rangedExperience) {
	a.callers[which].ranged = append(a.callers[which].ranged, r)
	a.edges = append(a.edges, r.from, r.to)
	a.next = a.end()
}

// advance closes the cells that end up to now.
func (a *availability) advance(now sim.Time) {
	for a.next <= now {
		a.close(a.next)
		a.from = a.next
		for a.line.next <= a.from {
			a.line.step()
		}
		a.next = a.end()
	}
}

// close books the open cell, which ends at a time.
func (a *availability) close(to sim.Time) {
	for i := range a.callers {
		c := &a.callers[i]
		var sum cell
		for _, s := range c.slots {
			sum.answered += a.slots[s].answered
			sum.failed += a.slots[s].failed
		}
		if sum.answered > 0 {
			for l, level := range successLevels {
				c.low[l] = (sum.answered-sum.failed)*1000 < level*sum.answered
			}
		}
		c.phases[a.line.phase].book(sum, a.from, to, &c.low)
		if a.inAll(a.from) {
			c.phases[a.all].book(sum, a.from, to, &c.low)
		}
		for _, r := range c.ranged {
			if r.from <= a.from && to <= r.to {
				r.book(sum, a.from, to, &c.low)
			}
		}
	}
	clear(a.slots)
}

// inAll says whether an instant counts for the phase of all.
func (a *availability) inAll(at sim.Time) bool { return a.all >= 0 && at >= sim.Time(a.cfg.Warmup) }

// answered tells of an answer to n messages of a slot.
func (a *availability) answered(slot int, x *model.Answer, n int64) {
	c := &a.slots[slot]
	c.answered += n
	if x.Result.Status == strategy.StatusNone {
		c.failed += n
		for _, i := range a.of[slot] {
			if c := &a.callers[i]; c.since == notYet {
				c.since = x.At
				a.down++
			}
		}
		return
	}
	if a.down > 0 {
		a.succeeded(slot, x.At)
	}
}

// succeeded ends the stretches without success of a slot's callers.
func (a *availability) succeeded(slot int, now sim.Time) {
	for _, i := range a.of[slot] {
		if c := &a.callers[i]; c.since != notYet {
			a.stretch(c, now, false)
			c.since = notYet
			a.down--
		}
	}
}

// stretch books a stretch without success up to now to the phases that own it, and to ranges. open says
// that it goes on.
func (a *availability) stretch(c *callers, now sim.Time, open bool) {
	a.line.pieces(c.since, now, func(phase int, from, to sim.Time) {
		c.phases[phase].without(from, to, open || to < now)
	})
	if from := max(c.since, sim.Time(a.cfg.Warmup)); a.all >= 0 {
		c.phases[a.all].without(from, now, open)
	}
	for _, r := range c.ranged {
		r.without(max(c.since, r.from), min(now, r.to), open || r.to < now)
	}
}

// pieces cuts a stretch that ends at the cursor's own time or before by the phases that own it.
func (c *cursor) pieces(from, to sim.Time, do func(phase int, from, to sim.Time)) {
	i := c.following - 1
	for i > 0 && c.changes[i].at > from {
		i--
	}
	for from < to {
		end := to
		if i+1 < len(c.changes) {
			end = min(to, c.changes[i+1].at)
		}
		do(c.changes[i].phase, from, end)
		from = end
		i++
	}
}

// without counts a stretch without success.
func (e *experience) without(from, to sim.Time, open bool) {
	if from >= to {
		return
	}
	if e.outages == 0 || from.Sub(e.last) >= mergeGap {
		e.outages++
	}
	e.total += to.Sub(from)
	e.longest = max(e.longest, to.Sub(from))
	e.last, e.open = to, open
}

// book counts what was answered in a cell, and its time if success was low.
func (e *experience) book(c cell, from, to sim.Time, low *[levelCount]bool) {
	e.answered += c.answered
	e.failed += c.failed
	for l, below := range low {
		if !below || from >= to {
			continue
		}
		b := &e.below[l]
		if b.until != from {
			b.run = 0
		}
		b.run += to.Sub(from)
		b.total += to.Sub(from)
		b.longest, b.until = max(b.longest, b.run), to
	}
}

// finish books what is open at the end of the run.
func (a *availability) finish(now sim.Time) {
	a.advance(now)
	a.close(now)
	for i := range a.callers {
		if c := &a.callers[i]; c.since != notYet {
			a.stretch(c, now, true)
		}
	}
}

// availabilityResults are the rows by phase: of all messages, by producer group and by topic.
func (f *fold) availabilityResults() []result.Availability {
	out := []result.Availability{}
	a := &f.availability
	for p, phase := range f.cursor.phases {
		row := func(dim result.Dimension, name string, which int, in func(slot) bool) {
			x := a.callers[which].phases[p].result()
			x.Scheduled = f.sumOf(phase.Name, in).scheduled()
			x.Phase, x.Dim, x.Name = phase.Name, dim, name
			worst, d := f.worstOf(p, in, dim == result.DimTopic)
			x.WorstInstance, x.WorstNS = worst, int64(d)
			out = append(out, x)
		}
		row(result.DimAll, "", 0, f.everySlot)
		for g, p := range f.cfg.Producers {
			row(result.DimProducer, p.Name, a.group[g], func(s slot) bool { return s.group == g })
		}
		for t, topic := range f.cfg.Topics {
			row(result.DimTopic, topic.Name, a.topic[t], func(s slot) bool { return s.topic == t })
		}
	}
	return out
}

// result is the experience as it is shown.
func (e *experience) result() result.Availability {
	out := result.Availability{
		Answered: e.answered, Failed: e.failed, Outages: e.outages, OutageNS: int64(e.total),
		LongestNS: int64(e.longest), Open: e.open, Below: []result.Below{},
	}
	for l, b := range e.below {
		out.Below = append(out.Below, result.Below{
			Level: float64(successLevels[l]) / 1000, NS: int64(b.total), LongestNS: int64(b.longest),
		})
	}
	return out
}
