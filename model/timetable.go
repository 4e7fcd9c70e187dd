package model

import (
	"slices"

	"simrun/model/config"
	"simrun/sim"
)

// strike is one time that a fault strikes: these targets, from one instant to another.
type strike struct {
	fault int32
	from  sim.Time
	// to is when it lets go, 0 for never.
	to sim.Time
	// targets are the processes that feel it; hosts those that it strikes, for faults that strike hosts.
	targets []config.Target
	hosts   []int32
	side    *linkSide // for faults of the network
}

// planFaults makes the timetable of all faults, before anything happens.
func (w *World) planFaults() {
	w.delays = make([]dist, len(w.cfg.Faults))
	for i := range w.cfg.Faults {
		f := &w.cfg.Faults[i]
		if f.Kind == config.PacketDelay {
			w.delays[i] = distOf(f.Latency)
		}
		switch {
		case f.Rate > 0:
			w.planRandom(int32(i))
		case f.Period > 0:
			w.planFlapping(int32(i))
		default:
			s := w.newStrike(int32(i), f.Targets)
			s.from = sim.Time(f.At)
			if f.Duration > 0 {
				s.to = s.from.Add(f.Duration)
			}
			w.strikes = append(w.strikes, s)
		}
	}
	for i := range w.strikes {
		if w.cfg.Faults[w.strikes[i].fault].Kind == config.DiskLoss {
			w.planDiskLoss(&w.strikes[i], +1)
		}
		w.eng.At(w.strikes[i].from, sim.PrioFault, w.self, evFaultBegin, uint32(i))
	}
}

// newStrike is a strike of fault f at targets, or at their hosts, at no time yet.
func (w *World) newStrike(f int32, targets []config.Target) strike {
	s := strike{fault: f, targets: targets}
	fault := &w.cfg.Faults[f]
	if fault.Kind.OnHosts() {
		s.targets = nil
		for _, t := range targets {
			if h := w.hostOf[w.endpointOf(t)]; !slices.Contains(s.hosts, h) {
				s.hosts = append(s.hosts, h)
				for _, e := range w.hosts[h].runs {
					s.targets = append(s.targets, w.targetOf(e))
				}
			}
		}
	}
	if fault.Kind.OnLinks() {
		s.side = w.newLinkSide(fault, s.targets)
	}
	return s
}

// window is the time in which a fault that strikes more than once does so.
func (w *World) window(f *config.Fault) (from, to sim.Time) {
	from, to = sim.Time(f.At), sim.Time(w.cfg.Duration)
	if f.Duration > 0 {
		to = min(to, from.Add(f.Duration))
	}
	return from, to
}

// planFlapping strikes all targets once in each period. The end of the fault ends the last strike.
func (w *World) planFlapping(i int32) {
	f := &w.cfg.Faults[i]
	from, to := w.window(f)
	s := w.newStrike(i, f.Targets)
	for n := uint64(0); ; n++ {
		s.from = from.Add(sim.Duration(n) * f.Period)
		if s.from >= to {
			return
		}
		d := sim.Key(w.cfg.Seed, drawTimetable, uint64(i), n, 0)
		s.from = s.from.Add(sim.Duration(d.Float64() * float64(f.Jitter)))
		s.to = min(s.from.Add(f.Down), to)
		if s.from < s.to {
			w.strikes = append(w.strikes, s)
		}
	}
}

// planRandom strikes each target, or each host, on its own: after a time that it is well, exponential
// with mean 1/Rate, for a time drawn from Repair. The end of the fault ends the last strike.
func (w *World) planRandom(i int32) {
	f := &w.cfg.Faults[i]
	from, to := w.window(f)
	gap, err := sim.Exponential(sim.Duration(float64(sim.Second) / f.Rate))
	if err != nil {
		panic(err) // Validate has checked the rate
	}
	var done []int32 // hosts that another target has named
	for at := range f.Targets {
		s := w.newStrike(i, f.Targets[at:at+1])
		if len(s.hosts) > 0 {
			if slices.Contains(done, s.hosts[0]) {
				continue
			}
			done = append(done, s.hosts[0])
		}
		s.to = from
		for n := uint64(0); ; n++ {
			what := uint64(at) << 1
			well := sim.Key(w.cfg.Seed, drawTimetable, uint64(i), n, what)
			ill := sim.Key(w.cfg.Seed, drawTimetable, uint64(i), n, what|1)
			s.from = s.to.Add(max(1, sim.Duration(gap.Sample(&well))))
			if s.from >= to {
				break
			}
			s.to = min(s.from.Add(max(1, sim.Duration(f.Repair.Sample(&ill)))), to)
			w.strikes = append(w.strikes, s)
		}
	}
}
