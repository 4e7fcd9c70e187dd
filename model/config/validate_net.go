package config

import (
	"slices"

	"simrun/sim"
)

// hosts checks the machines and the places they stand in: a process is on one host, and in one zone.
func (c *checker) hosts() {
	var zones []string
	placed := map[Target]bool{}
	for _, z := range c.cfg.Zones {
		path := "zone." + z.Name
		c.say(!slices.Contains(zones, z.Name), path, "is there twice")
		zones = append(zones, z.Name)
		for _, t := range z.Runs {
			if c.exists(path+".runs", t) {
				c.say(!placed[t], path+".runs", "%s is in a zone already", c.name(t))
				placed[t] = true
			}
		}
	}
	var names []string
	running := map[Target]bool{}
	for _, h := range c.cfg.Hosts {
		path := "host." + h.Name
		c.say(!slices.Contains(names, h.Name), path, "is there twice")
		names = append(names, h.Name)
		c.say(h.Zone == "" || slices.Contains(zones, h.Zone), path+".zone", "there is no zone %q", h.Zone)
		c.say(len(h.Runs) > 0, path+".runs", "is missing")
		for _, t := range h.Runs {
			if !c.exists(path+".runs", t) {
				continue
			}
			c.say(!running[t], path+".runs", "%s runs on a host already", c.name(t))
			c.say(!placed[t], path+".runs", "%s is in a zone by itself", c.name(t))
			running[t] = true
		}
	}
}

// zoneLinks checks the ways between zones.
func (c *checker) zoneLinks() {
	exists := func(zone string) bool {
		return slices.ContainsFunc(c.cfg.Zones, func(z Zone) bool { return z.Name == zone })
	}
	for i, l := range c.cfg.ZoneLinks {
		path := "zone_link." + l.Name
		for _, zone := range []string{l.A, l.B} {
			c.say(exists(zone), path+".zones", "there is no zone %q", zone)
		}
		c.say(l.A != l.B, path+".zones", "it leads from %q to itself", l.A)
		c.say(l.Latency != nil, path+".latency", "is missing")
		for _, m := range c.cfg.ZoneLinks[:i] {
			if l.A == m.A && l.B == m.B || l.A == m.B && l.B == m.A {
				c.say(false, path+".zones", "zone_link.%s is between the same zones", m.Name)
			}
		}
	}
}

func setOf(list []Target) map[Target]bool {
	set := make(map[Target]bool, len(list))
	for _, t := range list {
		set[t] = true
	}
	return set
}

// name is a target as a scenario writes it.
func (c *checker) name(t Target) string {
	n := [...]int{len(c.cfg.Brokers), len(c.cfg.NameServers), len(c.cfg.Producers)}[t.Kind]
	if t.Index < 0 || t.Index >= n {
		return "it" // reported already
	}
	return c.cfg.TargetName(t)
}

// struckHosts checks a fault that strikes hosts: producers do not die in this model.
func (c *checker) struckHosts(path string, f *Fault) {
	if f.Kind != PowerLoss && f.Kind != DiskLoss {
		return
	}
	targets := setOf(f.Targets)
	for _, h := range c.cfg.Hosts {
		struck := slices.IndexFunc(h.Runs, func(t Target) bool { return targets[t] })
		alive := slices.IndexFunc(h.Runs, func(t Target) bool { return t.Kind == ProducerTarget })
		if struck < 0 || alive < 0 || h.Runs[struck].Kind == ProducerTarget {
			continue // nothing is struck, or that is said already
		}
		c.say(false, path+"target", "%v strikes host %s, which runs %s, and producers do not die in "+
			"this model", f.Kind, h.Name, c.name(h.Runs[alive]))
	}
}

// linkKeys checks what faults of the network have.
func (c *checker) linkKeys(path string, f *Fault) {
	struck := setOf(f.Targets)
	for _, t := range f.To {
		c.say(!struck[t], path+"to", "%s is on both sides", c.name(t))
	}
	switch f.Kind {
	case PacketLoss:
		c.say(f.Loss > 0 && f.Loss <= 1, path+"loss", "must be above 0 and at most 1")
	case PacketDelay:
		c.say(f.Latency != nil, path+"latency", "is missing")
	}
}

// timetable checks a fault that strikes more than once.
func (c *checker) timetable(path string, f *Fault) {
	c.say(f.Period >= 0, path+"period", "must not be negative")
	c.say(f.Rate >= 0 && f.Rate <= 1e6, path+"rate", "is not within 0/s to 1e6/s")
	c.say(f.Period == 0 || f.Rate == 0, path+"rate", "a fault flaps or strikes at random, not both")
	if f.Kind == RollingRestart {
		c.say(f.Period == 0 && f.Rate == 0, path+"kind", "%v takes its targets in turn, once", f.Kind)
		if c.cfg.Duration > 0 && f.At >= 0 && f.At < c.cfg.Duration {
			c.rollReaches(path, f)
		}
		return
	}
	c.neverUp(path, f)
	window := min(c.cfg.Duration-f.At, MaxDelay)
	if f.Duration > 0 {
		window = min(window, f.Duration)
	}
	switch {
	case f.Period > 0:
		c.say(f.Down > 0, path+"down", "is missing: how long each strike lasts")
		c.say(f.Jitter >= 0, path+"jitter", "must not be negative")
		c.say(f.Jitter < f.Period && f.Down < f.Period-f.Jitter, path+"down",
			"%v down and %v late do not fit into a period of %v", f.Down, f.Jitter, f.Period)
		c.strikes(path+"period", float64(window)/float64(f.Period))
	case f.Rate > 0:
		c.say(f.Repair != nil, path+"repair", "is missing: how long each strike lasts")
		c.strikes(path+"rate", float64(window)/float64(sim.Second)*f.Rate*float64(len(f.Targets)))
	default:
		c.say(f.Jitter == 0, path+"jitter", "is of a fault with a period")
		c.say(f.Down == 0, path+"down", "is of a fault with a period")
		c.say(f.Repair == nil, path+"repair", "is of a fault with a rate")
	}
}

func (c *checker) strikes(path string, n float64) {
	c.say(n <= maxStrikes, path, "about %.0f strikes are more than %d", n, maxStrikes)
}
