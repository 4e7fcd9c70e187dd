package experiment

import (
	"slices"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
)

// loadFold sums up what the send paths of the brokers were busy with, in each phase, window and range
// of an expectation. It reads the world's accounts where one of those begins or ends.
type loadFold struct {
	// edges are the instants at which a phase or a range begins or ends, in order; those before next
	// have passed.
	edges []sim.Time
	next  int
	// at is when the accounts were read last, last what they said, by broker.
	at   sim.Time
	last []model.Load
	// line walks along with at; rows are by phase*brokers + broker.
	line   cursor
	rows   []loadRow
	ranged []*rangedLoad
}

// loadRow is the load of one broker over a stretch of time.
type loadRow struct {
	time                   sim.Duration
	threads                int
	busy, queued, lockWait sim.Duration
	busyReplies            int64
	refused                []int64 // by model.Refusal
}

// rangedLoad is the load of the broker of an expectation with a window of its own.
type rangedLoad struct {
	from, to sim.Time
	broker   int
	row      loadRow
}

func newLoadFold(cfg *config.Config, line *timeline) loadFold {
	nb := len(cfg.Brokers)
	f := loadFold{
		at: -1, last: make([]model.Load, nb), line: line.start(),
		rows: make([]loadRow, len(line.phases)*nb),
	}
	for _, ch := range line.changes {
		f.edge(ch.at)
	}
	return f
}

// edge has the accounts read at an instant.
func (f *loadFold) edge(at sim.Time) {
	if i, found := slices.BinarySearch(f.edges, at); !found && at > 0 {
		f.edges = slices.Insert(f.edges, i, at)
	}
}

// add has the load of a range summed up.
func (f *loadFold) add(r *rangedLoad) {
	f.ranged = append(f.ranged, r)
	f.edge(r.from)
	f.edge(r.to)
}

// due is the next edge up to a time, Never if there is none.
func (f *loadFold) due(until sim.Time) sim.Time {
	if f.next < len(f.edges) && f.edges[f.next] <= until {
		return f.edges[f.next]
	}
	return sim.Never
}

// readLoad books what happened since the accounts were read last, up to now: just before an edge, or
// the end of a window.
func (f *fold) readLoad() {
	l := &f.load
	now := f.world.Now()
	if now <= l.at {
		return
	}
	first := l.at + 1 // the first instant of the stretch
	for l.line.next <= first {
		l.line.step()
	}
	nb := len(f.cfg.Brokers)
	for b := range nb {
		load := f.world.Load(b)
		part := difference(&l.last[b], &load, now.Sub(l.at))
		l.last[b] = load
		l.rows[l.line.phase*nb+b].add(&part)
		if f.windows.open < len(f.windows.list) {
			f.windows.load[b].add(&part)
		}
		for _, r := range l.ranged {
			if r.broker == b && r.from <= first && now < r.to {
				r.row.add(&part)
			}
		}
	}
	l.at = now
}

// passed tells that the accounts were read before an edge.
func (f *loadFold) passed(edge sim.Time) {
	for f.next < len(f.edges) && f.edges[f.next] <= edge {
		f.next++
	}
}

// difference is what happened between two snapshots of a load.
func difference(before, after *model.Load, time sim.Duration) loadRow {
	r := loadRow{
		time: time, threads: after.Threads, busy: after.Busy - before.Busy,
		queued: after.Queued - before.Queued, lockWait: after.LockWait - before.LockWait,
		busyReplies: after.BusyReplies() - before.BusyReplies(),
	}
	for why, n := range after.Refused {
		if n -= before.Refused[why]; n > 0 {
			r.refuse(why, n)
		}
	}
	return r
}

func (r *loadRow) refuse(why int, n int64) {
	if r.refused == nil {
		r.refused = make([]int64, len(model.Refusals()))
	}
	r.refused[why] += n
}

func (r *loadRow) add(part *loadRow) {
	r.time += part.time
	r.threads = part.threads
	r.busy += part.busy
	r.queued += part.queued
	r.lockWait += part.lockWait
	r.busyReplies += part.busyReplies
	for why, n := range part.refused {
		if n > 0 {
			r.refuse(why, n)
		}
	}
}

// utilisation is the share of the time of the send threads that they were in use.
func (r *loadRow) utilisation() float64 {
	if r.time == 0 || r.threads == 0 {
		return 0
	}
	return float64(r.busy) / float64(r.time) / float64(r.threads)
}

// queue is the mean number of sends that waited for a send thread.
func (r *loadRow) queue() float64 {
	if r.time == 0 {
		return 0
	}
	return float64(r.queued) / float64(r.time)
}

// refusals are the sends refused, by reason.
func (r *loadRow) refusals() []result.Count {
	var out []result.Count
	for why, n := range r.refused {
		out = append(out, result.Count{Name: model.Refusal(why).String(), N: n})
	}
	return counted(out)
}
