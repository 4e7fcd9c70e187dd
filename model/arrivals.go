package model

import (
	"simrun/model/config"
	"simrun/model/rate"
	"simrun/sim"
)

// startArrivals plans the group's first message, or in a closed loop that of each thread. Poisson arrivals
// have no memory, so the first gap is like any other; constant ones start at a drawn point of their
// period.
func (g *group) startArrivals(w *World) {
	switch g.cfg.Arrivals {
	case config.ClosedLoop:
		g.think = distOf(g.cfg.Think)
		for i := g.first; i < g.first+int32(g.cfg.Count); i++ {
			w.startThreads(g, i)
		}
		return
	case config.RecordedArrivals:
	default:
		g.setRate(w)
	}
	w.planArrival(g)
}

// setRate makes the gaps of a group from its rate and its shape. A send of a batch is one arrival.
func (g *group) setRate(w *World) {
	shape, factor := rate.NewCurve(&g.cfg.Shape)
	g.shape = shape
	g.period = float64(sim.Second) * float64(max(1, g.cfg.Batch)) / float64(g.cfg.Rate*factor)
	if g.cfg.Arrivals == config.Constant {
		phase := w.phase(ownerGroup(g.index), phaseArrivals, sim.Duration(g.period)+1)
		g.offset = float64(phase)
		return
	}
	gap, err := sim.Exponential(max(1, sim.Duration(g.period)))
	if err != nil {
		panic(err) // Validate has checked the rate
	}
	g.gap = distOf(gap)
}

// planArrival plans the group's next message, unless none comes any more.
func (w *World) planArrival(g *group) {
	n := g.next
	w.lookAhead(g, n)
	var at sim.Time
	switch {
	case g.cfg.Arrivals == config.RecordedArrivals:
		if n >= uint64(len(g.cfg.Recorded)) {
			return
		}
		at = sim.Time(g.cfg.Recorded[n].At)
	case g.shape != nil:
		area := g.period
		switch {
		case g.cfg.Arrivals == config.Poisson:
			area = float64(w.sample(&g.gap, drawGap, uint64(g.index), n, 0))
		case n == 0:
			area = g.offset
		}
		if !g.shape.Pass(&g.moment, area) {
			return
		}
		at = g.moment.At
	case g.cfg.Arrivals == config.Constant:
		at = sim.Time(g.offset + float64(float64(n)*g.period))
	default:
		w.after(w.nextGap(g, n), evArrival, g.index)
		return
	}
	w.eng.At(max(at, w.eng.Now()), sim.PrioArrival, w.self, evArrival, uint32(g.index))
}

// nextGap is the gap before the n-th message, which was drawn with that before it: the processor computes
// the logarithm while it does something else, and nothing has to wait for it.
func (w *World) nextGap(g *group, n uint64) sim.Duration {
	d := g.gapAhead
	if n == 0 {
		d = w.sample(&g.gap, drawGap, uint64(g.index), n, 0)
	}
	g.gapAhead = w.sample(&g.gap, drawGap, uint64(g.index), n+1, 0)
	return d
}

// arrive brings the group's next message into being and plans the one after it.
func (w *World) arrive(gi int32) {
	g := &w.groups[gi]
	n := g.next
	g.next++
	i := g.coming[0]
	w.planArrival(g)
	if g.starting > 0 {
		i = w.startedFor(g, n, i)
	}
	w.line(i, w.newMessage(g, n, i))
}

// instanceFor is the instance that sends a group's n-th message.
func (w *World) instanceFor(g *group, n uint64) int32 {
	switch {
	case g.cfg.Count == 1:
		return g.first
	case g.cfg.Arrivals == config.Constant:
		return g.first + int32(n%uint64(g.cfg.Count))
	}
	d := sim.Key(w.cfg.Seed, drawInstance, uint64(g.index), n, 0)
	return g.first + int32(d.IntN(g.cfg.Count))
}
