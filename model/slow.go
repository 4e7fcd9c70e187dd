package model

import (
	"simrun/model/config"
	"simrun/sim"
)

// slow works out what the slow faults of a process do together once they have all grown to what they
// say. While one of them grows, and while the process is cold, slowness works it out at each service.
func (w *World) slow(p int32) {
	pr := &w.procs[p]
	pr.factor, pr.delay = 1, 0
	pr.changes = pr.coldUntil
	for _, i := range pr.slowed {
		f := &w.cfg.Faults[w.strikes[i].Fault]
		pr.factor *= f.Factor
		pr.delay = min(pr.delay+f.Delay, config.MaxDelay)
		pr.changes = max(pr.changes, w.strikes[i].From.Add(f.Ramp))
	}
}

// slowness is the factor and the delay of a service that begins now.
func (w *World) slowness(p int32) (factor float64, delay sim.Duration) {
	pr := &w.procs[p]
	if now := w.eng.Now(); now < pr.changes {
		return w.growing(p, now)
	}
	return pr.factor, pr.delay
}

// growing is slowness while it changes: a slow fault grows evenly over its ramp, and a process that has
// just started warms up evenly.
func (w *World) growing(p int32, now sim.Time) (factor float64, delay sim.Duration) {
	pr := &w.procs[p]
	factor = 1
	for _, i := range pr.slowed {
		f := &w.cfg.Faults[w.strikes[i].Fault]
		grown := 1.0
		if since := now.Sub(w.strikes[i].From); since < f.Ramp {
			grown = float64(since) / float64(f.Ramp)
		}
		factor *= 1 + float64((f.Factor-1)*grown)
		delay = min(delay+sim.Duration(float64(f.Delay)*grown), config.MaxDelay)
	}
	if now < pr.coldUntil {
		cfg := w.brokerConfig(p)
		left := float64(pr.coldUntil.Sub(now)) / float64(cfg.ColdFor)
		factor *= 1 + float64((cfg.ColdFactor-1)*left)
	}
	return factor, delay
}

// startCold makes a process that starts slow until it is warm.
func (w *World) startCold(p int32) {
	cfg := w.brokerConfig(p)
	if cfg.ColdFactor > 0 && cfg.ColdFor > 0 {
		w.procs[p].coldUntil = w.eng.Now().Add(cfg.ColdFor)
		w.slow(p)
	}
}
