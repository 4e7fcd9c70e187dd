package experiment

import (
	"simrun/internal/result"
	"simrun/model"
	"simrun/sim"
)

// peak is the most that stood on one leg at any time of a stretch.
type peak struct {
	// messages are those at risk (see result.Window), bytes is what they take; unreadable are those that
	// no replica serves.
	messages, bytes, unreadable int64
}

// raise makes a peak at least as high as a level.
func (p *peak) raise(level *peak) {
	p.messages = max(p.messages, level.messages)
	p.bytes = max(p.bytes, level.bytes)
	p.unreadable = max(p.unreadable, level.unreadable)
}

// exposure follows the messages at risk through their fates, and looks at the unreadable ones when
// something has happened to a process and at the end of each window.
type exposure struct {
	now    peak // levels, not peaks
	window peak // of the window that is open
	phases []peak
	phase  int // that owns the instant
	ranged []*rangedPeak
	// look is set when a process event was told at lookAfter: what it did is over after that instant.
	look      bool
	lookAfter sim.Time
}

// rangedPeak is the peak of an expectation with a window of its own. A level that began before it
// counts: last is the level that lasts.
type rangedPeak struct {
	from, to sim.Time
	peak     peak
	last     peak
	over     bool
}

// changes tells that the levels have changed at a time.
func (x *exposure) changes(at sim.Time) {
	x.window.raise(&x.now)
	x.phases[x.phase].raise(&x.now)
	for _, r := range x.ranged {
		r.changes(at, &x.now)
	}
}

func (r *rangedPeak) changes(at sim.Time, now *peak) {
	if at >= r.from && !r.over {
		r.peak.raise(&r.last) // it lasted until now
	}
	r.over = r.over || at >= r.to
	if at >= r.from && !r.over {
		r.peak.raise(now)
	}
	r.last = *now
}

// fate follows n messages into the page caches and out of them. When they leave, no peak is raised.
func (x *exposure) fate(c *model.FateChange, n int64) {
	switch model.AtRisk {
	case c.To:
		x.now.messages += n
		x.now.bytes += int64(c.Size)
		x.changes(c.At)
	case c.From:
		x.now.messages -= n
		x.now.bytes -= int64(c.Size)
		for _, r := range x.ranged {
			r.changes(c.At, &x.now)
		}
	}
}

// enter tells that a phase owns the instants from now on.
func (x *exposure) enter(phase int) {
	x.phase = phase
	x.phases[phase].raise(&x.now)
}

// close ends the open window and returns its peak.
func (x *exposure) close() peak {
	p := x.window
	x.window = x.now
	return p
}

// sample looks at what nobody can read, by broker, and raises the peaks of the open window.
func (f *fold) sample(at sim.Time) {
	if f.world == nil {
		return
	}
	f.exposure.now.unreadable = 0
	for b := range f.cfg.Brokers {
		e := f.world.Exposure(b)
		f.exposure.now.unreadable += e.Unreadable
		f.exposed(b, at, brokerPeak{unsyncedBytes: e.UnsyncedBytes, unreadable: e.Unreadable})
		if f.windows.open < len(f.windows.list) {
			w := &f.windows.list[f.windows.open].Brokers[b]
			w.Unreadable = max(w.Unreadable, e.Unreadable)
			w.UnsyncedBytes = max(w.UnsyncedBytes, e.UnsyncedBytes)
			w.SingleBytes = e.SingleBytes
		}
	}
	f.exposure.changes(at)
}

// exposed raises the peaks of a broker.
func (f *fold) exposed(b int, at sim.Time, level brokerPeak) {
	row := &f.brokers.rows[f.cursor.phase*len(f.cfg.Brokers)+b].exposed
	row.raise(level)
	f.brokers.top[b] = row.unsyncedBytes
	for _, r := range f.brokers.ranged {
		if r.sees(b, at) {
			r.row.exposed.raise(level)
		}
	}
}

// lookAfter plans a look for when what a process event tells of is over.
func (f *fold) lookAfter(at sim.Time) {
	f.exposure.look, f.exposure.lookAfter = true, at
	f.setNext()
}

// exposures are the peaks by phase.
func (f *fold) exposures() []result.Exposure {
	var out []result.Exposure
	for _, phase := range f.cursor.phases {
		sum := f.peakOf(phase.Name)
		out = append(out, result.Exposure{
			Phase: phase.Name, AtRisk: sum.messages, AtRiskBytes: sum.bytes, Unreadable: sum.unreadable,
		})
	}
	return out
}

// peakOf is the peak of a phase, or of all of them in "all".
func (f *fold) peakOf(phase string) peak {
	var sum peak
	for i := range f.exposure.phases {
		if f.cursor.within(i, phase) {
			sum.raise(&f.exposure.phases[i])
		}
	}
	return sum
}
