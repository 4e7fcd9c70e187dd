package experiment

import (
	"slices"

	"simrun/model/config"
	"simrun/sim"
)

// downtime is when processes that a fault stops again and again do not serve: from a strike until the
// process has started. A strike may come before it has, so this is more than the fault's own time.
type downtime struct {
	down  []config.Target
	since sim.Time
	total sim.Duration
	spans [][2]int64
}

// stops tells that a process was struck.
func (d *downtime) stops(t config.Target, now sim.Time) {
	if t.Kind == config.ProducerTarget || slices.Contains(d.down, t) {
		return
	}
	if len(d.down) == 0 {
		d.since = now
	}
	d.down = append(d.down, t)
}

// starts tells that a process serves again.
func (d *downtime) starts(t config.Target, now sim.Time) {
	if i := slices.Index(d.down, t); i >= 0 {
		d.down = slices.Delete(d.down, i, i+1)
		if len(d.down) == 0 {
			d.book(now)
		}
	}
}

// closes tells that the run is over.
func (d *downtime) closes(now sim.Time) {
	if len(d.down) > 0 {
		d.book(now)
		d.since = now
	}
}

func (d *downtime) book(now sim.Time) {
	d.total += now.Sub(d.since)
	if len(d.spans) < mostSpans {
		d.spans = append(d.spans, [2]int64{int64(d.since), int64(now)})
	}
}
