package model

import "simrun/sim"

// strike is one time that a fault strikes: these targets, from one instant to another.
type strike struct {
	fault int32
	from  sim.Time
	// to is when it lets go, 0 for never.
	to      sim.Time
	targets []Target
}

// planFaults makes the timetable of all faults, before anything happens.
func (w *World) planFaults() {
	for i := range w.cfg.Faults {
		f := &w.cfg.Faults[i]
		s := strike{fault: int32(i), from: sim.Time(f.At), targets: f.Targets}
		if f.Duration > 0 {
			s.to = s.from.Add(f.Duration)
		}
		w.strikes = append(w.strikes, s)
	}
	for i := range w.strikes {
		w.eng.At(w.strikes[i].from, sim.PrioFault, w.self, evFaultBegin, uint32(i))
	}
}
