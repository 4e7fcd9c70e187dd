// Package timetable plans when faults strike, and whom: all of it before a run begins, as a pure function of
// the configuration and of draws that it is given. What a strike then does is the model's. The package
// imports sim, model/config and place.
package timetable

import (
	"slices"

	"simrun/model/config"
	"simrun/model/internal/place"
	"simrun/sim"
)

// Strike is one time that a fault strikes: these targets, from one instant to another.
type Strike struct {
	// Fault is its place in Config.Faults.
	Fault int32
	From  sim.Time
	// To is when it lets go, 0 for never.
	To sim.Time
	// Targets are the processes that feel it; Hosts those that it strikes, for faults that strike hosts.
	Targets []config.Target
	Hosts   []int32
	Side    *Side // for faults of the network
}

// Draw gives the draw for the n-th strike of a fault, what telling several draws of one strike apart.
type Draw func(fault int32, n, what uint64) sim.Draw

// planner makes the timetable.
type planner struct {
	cfg     *config.Config
	places  *place.Map
	draw    Draw
	strikes []Strike
}

// Plan is the timetable of all faults: the strikes of each in order of time, fault by fault.
func Plan(cfg *config.Config, places *place.Map, draw Draw) []Strike {
	p := planner{cfg: cfg, places: places, draw: draw}
	for i := range cfg.Faults {
		f := &cfg.Faults[i]
		switch {
		case f.Rate > 0:
			p.random(int32(i))
		case f.Period > 0:
			p.flapping(int32(i))
		default:
			s := p.strike(int32(i), f.Targets)
			s.From = sim.Time(f.At)
			if f.Duration > 0 {
				s.To = s.From.Add(f.Duration)
			}
			p.strikes = append(p.strikes, s)
		}
	}
	return p.strikes
}

// strike is one of fault f at targets, or at their hosts, at no time yet.
func (p *planner) strike(f int32, targets []config.Target) Strike {
	s := Strike{Fault: f, Targets: targets}
	fault := &p.cfg.Faults[f]
	if fault.Kind.OnHosts() {
		s.Targets = nil
		for _, t := range targets {
			h := p.places.Host(p.places.Endpoint(t))
			if slices.Contains(s.Hosts, h) {
				continue
			}
			s.Hosts = append(s.Hosts, h)
			for _, e := range p.places.Runs(h) {
				s.Targets = append(s.Targets, p.places.Target(e))
			}
		}
	}
	if fault.Kind.OnLinks() {
		s.Side = newSide(fault, s.Targets, p.places)
	}
	return s
}

// window is the time in which a fault that strikes more than once does so.
func (p *planner) window(f *config.Fault) (from, to sim.Time) {
	from, to = sim.Time(f.At), sim.Time(p.cfg.Duration)
	if f.Duration > 0 {
		to = min(to, from.Add(f.Duration))
	}
	return from, to
}

// flapping strikes all targets once in each period. The end of the fault ends the last strike.
func (p *planner) flapping(i int32) {
	f := &p.cfg.Faults[i]
	from, to := p.window(f)
	s := p.strike(i, f.Targets)
	for n := uint64(0); ; n++ {
		s.From = from.Add(sim.Duration(n) * f.Period)
		if s.From >= to {
			return
		}
		d := p.draw(i, n, 0)
		s.From = s.From.Add(sim.Duration(d.Float64() * float64(f.Jitter)))
		s.To = min(s.From.Add(f.Down), to)
		if s.From < s.To {
			p.strikes = append(p.strikes, s)
		}
	}
}

// random strikes each target, or each host, on its own: after a time that it is well, exponential with mean
// 1/Rate, for a time drawn from Repair. The end of the fault ends the last strike.
func (p *planner) random(i int32) {
	f := &p.cfg.Faults[i]
	from, to := p.window(f)
	gap, err := sim.Exponential(sim.Duration(float64(sim.Second) / f.Rate))
	if err != nil {
		panic(err) // Validate has checked the rate
	}
	var done []int32 // hosts that another target has named
	for at := range f.Targets {
		s := p.strike(i, f.Targets[at:at+1])
		if len(s.Hosts) > 0 {
			if slices.Contains(done, s.Hosts[0]) {
				continue
			}
			done = append(done, s.Hosts[0])
		}
		s.To = from
		for n := uint64(0); ; n++ {
			what := uint64(at) << 1
			well := p.draw(i, n, what)
			ill := p.draw(i, n, what|1)
			s.From = s.To.Add(max(1, sim.Duration(gap.Sample(&well))))
			if s.From >= to {
				break
			}
			s.To = min(s.From.Add(max(1, sim.Duration(f.Repair.Sample(&ill)))), to)
			p.strikes = append(p.strikes, s)
		}
	}
}
