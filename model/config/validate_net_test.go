package config_test

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

var hostMistakes = []mistake{
	{"zone.z", "is there twice", func(c *config.Config) { c.Zones = []config.Zone{{Name: "z"}, {Name: "z"}} }},
	{"zone.y.runs", "b00:1 is in a zone already", func(c *config.Config) {
		c.Zones = []config.Zone{
			{Name: "z", Runs: names(config.Target{ID: 1})},
			{Name: "y", Runs: names(config.Target{ID: 1})},
		}
	}},
	{"zone.z.runs", "there is no name server 1", func(c *config.Config) {
		c.Zones = []config.Zone{{Name: "z", Runs: names(config.Target{Kind: config.NameServerTarget, Index: 1})}}
	}},
	{"host.h", "is there twice", func(c *config.Config) {
		c.Hosts = []config.Host{
			{Name: "h", Runs: names(config.Target{})},
			{Name: "h", Runs: names(config.Target{ID: 1})},
		}
	}},
	{"host.h.zone", `there is no zone "z"`, func(c *config.Config) {
		c.Hosts = []config.Host{{Name: "h", Zone: "z", Runs: names(config.Target{})}}
	}},
	{"host.h.runs", "is missing", func(c *config.Config) { c.Hosts = []config.Host{{Name: "h"}} }},
	{"host.h.runs", `broker "b01" has no id 1 (ids 0 to 0)`, func(c *config.Config) {
		c.Hosts = []config.Host{{Name: "h", Runs: names(config.Target{Index: 1, ID: 1})}}
	}},
	{"host.g.runs", "name_server:n1 runs on a host already", func(c *config.Config) {
		c.Hosts = []config.Host{{Name: "h", Runs: names(firstServer)}, {Name: "g", Runs: names(firstServer)}}
	}},
	{"host.h.runs", "producer:p#0 is in a zone by itself", func(c *config.Config) {
		c.Zones = []config.Zone{{Name: "z", Runs: names(theProducer)}}
		c.Hosts = []config.Host{{Name: "h", Runs: names(theProducer)}}
	}},
	{
		"fault.f.target", "power-loss does not strike a producer",
		fault(func(f *config.Fault) { f.Kind, f.Targets = config.PowerLoss, names(theProducer) }),
	},
	{
		"fault.f.target",
		"power-loss strikes host h, which runs producer:p#0, and producers do not die in this model",
		func(c *config.Config) {
			c.Hosts = []config.Host{{Name: "h", Runs: names(config.Target{}, theProducer)}}
			c.Faults[0].Kind, c.Faults[0].Targets = config.PowerLoss, names(config.Target{})
		},
	},
}

func network(kind config.FaultKind, change func(*config.Fault)) func(*config.Config) {
	return fault(func(f *config.Fault) {
		f.Kind = kind
		change(f)
	})
}

var linkMistakes = []mistake{
	{"fault.f.to", "b00:1 is on both sides", network(config.Partition,
		func(f *config.Fault) { f.To = f.Targets })},
	{"fault.f.to", "cable-pull does not strike a master", network(config.CablePull, func(f *config.Fault) {
		f.To = names(config.Target{})
	})},
	{
		"fault.f.target", "black-hole does not strike a producer",
		network(config.BlackHole, func(f *config.Fault) {
			f.Targets = names(theProducer)
		}),
	},
	{"fault.f.loss", "must be above 0 and at most 1", network(config.PacketLoss, func(*config.Fault) {})},
	{
		"fault.f.loss", "must be above 0 and at most 1",
		network(config.PacketLoss, func(f *config.Fault) { f.Loss = 1.01 }),
	},
	{"fault.f.latency", "is missing", network(config.PacketDelay, func(*config.Fault) {})},
}

var timetableMistakes = []mistake{
	{"fault.f.ramp", "must not be negative", fault(func(f *config.Fault) { f.Ramp = -1 })},
	{"fault.f.period", "must not be negative", fault(func(f *config.Fault) { f.Period = -1 })},
	{"fault.f.rate", "is not within 0/s to 1e6/s", fault(func(f *config.Fault) { f.Rate = -1 })},
	{
		"fault.f.down", "is missing: how long each strike lasts",
		fault(func(f *config.Fault) { f.Period = sim.Second }),
	},
	{"fault.f.jitter", "must not be negative", fault(func(f *config.Fault) {
		f.Period, f.Down, f.Jitter = sim.Second, 1, -1
	})},
	{
		"fault.f.down", "600ms down and 400ms late do not fit into a period of 1s",
		fault(func(f *config.Fault) {
			f.Period, f.Down, f.Jitter = sim.Second, 600*sim.Millisecond, 400*sim.Millisecond
		}),
	},
	{
		"fault.f.period", "about 590000 strikes are more than 100000",
		fault(func(f *config.Fault) { f.Period, f.Down = 100*sim.Microsecond, 1 }),
	},
	{"fault.f.repair", "is missing: how long each strike lasts", fault(func(f *config.Fault) { f.Rate = 1 })},
	{"fault.f.rate", "about 590000 strikes are more than 100000", fault(func(f *config.Fault) {
		f.Rate, f.Repair = 10_000, must(sim.Constant(sim.Millisecond))
	})},
	{"fault.f.rate", "a fault flaps or strikes at random, not both", fault(func(f *config.Fault) {
		f.Rate, f.Repair = 1, must(sim.Constant(sim.Millisecond))
		f.Period, f.Down = sim.Second, 1
	})},
	{"fault.f.jitter", "is of a fault with a period", fault(func(f *config.Fault) { f.Jitter = 1 })},
	{"fault.f.down", "is of a fault with a period", fault(func(f *config.Fault) { f.Down = 1 })},
	{"fault.f.repair", "is of a fault with a rate", fault(func(f *config.Fault) {
		f.Repair = must(sim.Constant(sim.Second))
	})},
	{"broker.b01.cold_factor", "must be 0 (off) or within 1 to 1e6", broker(func(b *config.Broker) {
		b.ColdFactor = 0.5
	})},
	{"broker.b01.cold_for", "must not be negative", broker(func(b *config.Broker) { b.ColdFor = -1 })},
}

func TestValidateNamesMistakesOfHostsLinksAndTimetables(t *testing.T) {
	checkMistakes(t, hostMistakes, linkMistakes, timetableMistakes)
}
