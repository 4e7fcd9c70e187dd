package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"simrun/model/config"
)

// faultShape is how a kind of fault is drawn: whom it may strike, and its own keys.
type faultShape struct {
	targets []string
	keys    func(g *generator, t *section)
}

var (
	anyProcess = []string{"broker", "broker", "broker", "name_server", "producer", "host", "zone"}
	machines   = []string{"broker", "broker", "name_server", "producer", "host", "zone"}
	brokerOnly = []string{"broker"}
)

// shapes are the kinds with keys of their own. A kind that is not here strikes brokers, hosts and
// zones, and has no keys but "at" and "duration": so a new kind is in the campaign at once.
var shapes = map[string]faultShape{
	"power-loss": {targets: machines},
	"kill":       {targets: anyProcess},
	"pause":      {targets: anyProcess},
	"slow": {brokerOnly, func(g *generator, t *section) {
		if g.chance(0.6) {
			t.set("factor", pick(g, "0.5", "3", "20"))
		}
		if t.get("factor") == "" || g.chance(0.5) {
			t.set("delay", dur(pick(g, 20*ms, 600*ms, 2*s)))
		}
		if g.chance(0.3) {
			t.set("ramp", dur(pick(g, s, 10*s)))
		}
	}},
	"shutdown":       {targets: []string{"broker", "broker", "name_server"}},
	"vanish":         {targets: anyProcess},
	"disk-loss":      {targets: []string{"broker", "host"}},
	"cable-pull":     {targets: machines},
	"black-hole":     {targets: brokerOnly},
	"partition":      {machines, otherSide},
	"packet-loss":    {machines, lossy},
	"packet-delay":   {machines, delayed},
	"disk-stall":     {targets: []string{"broker", "broker", "host"}},
	"lock-hold":      {targets: brokerOnly},
	"fsync-stall":    {targets: []string{"broker", "broker", "host"}},
	"fsync-lie":      {targets: []string{"broker", "broker", "host"}},
	"disk-full":      {targets: []string{"broker", "broker", "host"}},
	"read-only-disk": {targets: []string{"broker", "broker", "host"}},
	"wipe-write-perm": {brokerOnly, func(g *generator, t *section) {
		t.set("target", list(quoted(pick(g, g.brokers...).name+":0")))
		if g.chance(0.3) {
			t.set("to", list(g.address("name_server")))
		}
	}},
	"broker-permission": {brokerOnly, func(g *generator, t *section) {
		t.set("target", list(quoted(pick(g, g.brokers...).name+":0")))
		t.set("permission", pick(g, "4", "4", "6"))
	}},
	"rolling-restart": {[]string{"broker"}, func(g *generator, t *section) {
		t.unset("duration")
		t.set("down", dur(pick(g, s, 5*s)))
		if g.chance(0.5) {
			t.set("gap", dur(pick(g, 0, 5*s)))
		}
		if g.chance(0.4) {
			t.set("wipe", "true")
			t.set("wipe_before", dur(pick(g, 2*s, 35*s)))
		}
	}},
}

// otherSide draws whom a fault of the wire cuts the targets off from.
func otherSide(g *generator, t *section) {
	if g.chance(0.6) {
		if to := g.addresses(g.between(1, 2), machines); to != "" && !common(to, t.get("target")) {
			t.set("to", to)
		}
	}
	if g.chance(0.3) {
		t.set("one_way", "true")
	}
}

// common says whether two lists may have a process in common.
func common(a, b string) bool {
	for _, x := range strings.Split(strings.Trim(a, "[]"), ", ") {
		if overlaps(strings.Split(strings.Trim(b, "[]"), ", "), x) {
			return true
		}
	}
	return false
}

func lossy(g *generator, t *section) {
	otherSide(g, t)
	t.set("loss", quoted(pick(g, "1%", "10%", "50%")))
}

func delayed(g *generator, t *section) {
	otherSide(g, t)
	t.set("latency", g.times(pick(g, 5*ms, 200*ms, 2*s)))
}

// faults draws up to five faults and returns when the last one is over.
func (g *generator) faults() time.Duration {
	last := s
	for i := range g.between(0, 5) {
		last = max(last, g.fault("f"+strconv.Itoa(i+1)))
	}
	return last
}

// fault adds one fault and returns when it is over.
func (g *generator) fault(name string) time.Duration {
	kind := pick(g, config.FaultKinds()...)
	if g.known.lacks("fault." + kind + ".kind") {
		return 0
	}
	shape, ok := shapes[kind]
	if !ok {
		shape.targets = []string{"broker", "host", "zone"}
	}
	target := g.addresses(g.between(1, 2), shape.targets)
	if target == "" {
		return 0
	}
	t := g.doc.add("fault." + name)
	t.set("kind", quoted(kind))
	t.set("target", target)
	at, lasts := g.span(30*s), max(ms, g.span(pick(g, 2*s, 10*s, 40*s)))
	t.set("at", dur(at))
	if g.judged || g.chance(0.7) {
		t.set("duration", dur(lasts))
	}
	if shape.keys != nil {
		shape.keys(g, t)
	}
	if t.get("duration") != "" && kind != "rolling-restart" {
		g.again(t)
	}
	for _, p := range t.keys {
		if g.known.lacks("fault." + kind + "." + p.key) {
			t.unset(p.key)
		}
	}
	end := at + lasts
	if kind == "rolling-restart" {
		end += time.Duration(1+strings.Count(target, ",")*9) * 10 * s
	}
	return end
}

// again makes some faults flap, or strike at random.
func (g *generator) again(t *section) {
	switch {
	case g.chance(0.1):
		t.set("period", dur(pick(g, 3*s, 7*s)))
		t.set("down", dur(pick(g, 200*ms, s)))
		if g.chance(0.5) {
			t.set("jitter", dur(pick(g, 100*ms, s)))
		}
	case g.chance(0.1):
		t.set("rate", quoted(pick(g, "10/min", "1/s")))
		t.set("repair", fmt.Sprintf("{ dist = \"exponential\", mean = %s }", dur(pick(g, 300*ms, 3*s))))
	}
}
