package scenarios

import (
	"fmt"
	"slices"

	"simrun/model/config"
	"simrun/sim"
)

func (a *assembly) faults() {
	for _, t := range a.tables(tableFault) {
		strikes := a.objections(t, config.FaultKind.Strikes, "strike")
		meets := a.objections(t, config.FaultKind.Meets, "concern")
		f := config.Fault{
			Name:       t.name,
			Kind:       config.FaultKind(get[int](t, "kind")),
			Targets:    a.processes(t, "target", true, strikes),
			At:         get[sim.Duration](t, "at"),
			Duration:   get[sim.Duration](t, "duration"),
			Factor:     get[float64](t, "factor"),
			Delay:      get[sim.Duration](t, "delay"),
			Ramp:       get[sim.Duration](t, "ramp"),
			To:         a.processes(t, "to", true, meets),
			OneWay:     get[bool](t, "one_way"),
			Loss:       get[float64](t, "loss"),
			Latency:    sampler(t, "latency"),
			Permission: get[int](t, "permission"),
			Down:       get[sim.Duration](t, "down"),
			Gap:        get[sim.Duration](t, "gap"),
			Wipe:       get[bool](t, "wipe"),
			WipeBefore: get[sim.Duration](t, "wipe_before"),
			Period:     get[sim.Duration](t, "period"),
			Jitter:     get[sim.Duration](t, "jitter"),
			Rate:       get[float64](t, "rate"),
			Repair:     sampler(t, "repair"),
		}
		check := faultCheck{a, t, &f}
		check.needs()
		check.times()
		check.sides()
		check.does()
		check.idle()
		check.flaps()
		check.hosts()
		a.s.Config.Faults = append(a.s.Config.Faults, f)
	}
}

// objections are those to a process that the kind of a fault does not strike.
func (a *assembly) objections(t *table, allows func(config.FaultKind, config.Target) bool, verb string,
) func(config.Target) string {
	k := faultKindOf(t)
	return func(target config.Target) string {
		if k == nil || allows(config.FaultKind(get[int](t, "kind")), target) {
			return ""
		}
		return fmt.Sprintf("%s does not %s %s, %s", k.name, verb, a.targetName(target), whatIs(target))
	}
}

// whatIs says what kind of process a target is.
func whatIs(t config.Target) string {
	switch {
	case t.Kind == config.NameServerTarget:
		return "a name server"
	case t.Kind == config.ProducerTarget:
		return "a producer"
	case t.ID == 0:
		return "a master"
	default:
		return "a slave"
	}
}

// faultCheck reports what the keys of a fault do not mean together.
type faultCheck struct {
	a *assembly
	t *table
	f *config.Fault
}

// good says whether a key has no problem yet.
func (c *faultCheck) good(name string) bool { return !c.t.vals[name].bad }

// fail reports a problem of a key.
func (c *faultCheck) fail(name, format string, args ...any) {
	path := c.t.path + "." + name
	c.a.l.spoil(path)
	c.a.l.failAt(path, path+" "+format, args...)
}

// missing reports a key that the others ask for.
func (c *faultCheck) missing(name, why string) {
	if !c.good(name) || c.t.has(name) {
		return
	}
	c.a.l.spoil(c.t.path + "." + name)
	p := c.a.l.failTable(c.t, "%s has no %s, which %s needs", c.t.label(), name, why)
	p.Hint = missingHint(c.a.l, c.t.kind.key(name))
}

// needs reports what the kind, or the way to repeat, cannot do without.
func (c *faultCheck) needs() {
	if k := faultKindOf(c.t); k != nil {
		for _, name := range k.needs {
			c.missing(name, "kind = "+quote(k.name))
		}
	}
	if c.f.Period > 0 {
		c.missing("down", "a fault that flaps")
	}
	if c.f.Rate > 0 {
		c.missing("repair", "a fault that strikes at random")
	}
}

// times checks when the fault strikes.
func (c *faultCheck) times() {
	a, t, f := c.a, c.t, c.f
	if t.has("duration") && c.good("duration") && f.Duration == 0 {
		// The model reads 0 as "to the end", which nobody means who writes it.
		c.fail("duration", "is zero; leave it out for a fault without an end")
	}
	run := &a.s.Config
	switch {
	case !c.good("at") || a.l.spoiled("duration") || run.Duration <= 0:
	case f.At >= run.Duration:
		c.fail("at", "(%s) is not before the end of the run (%s)", formatDuration(f.At),
			a.l.top.said("duration"))
	case f.At < run.Warmup:
		a.l.failAt(t.path+".at", "%s.at (%s) is within the warm-up (%s), which no phase counts",
			t.path, formatDuration(f.At), a.l.top.plain("warmup")).Warning = true
	}
}

// sides reports a process on both sides of a cut.
func (c *faultCheck) sides() {
	struck := make(map[config.Target]bool, len(c.f.Targets))
	for _, target := range c.f.Targets {
		struck[target] = true
	}
	for _, target := range c.f.To {
		if struck[target] {
			c.fail("to", "names %s, which is a target, too; a process is on one side",
				c.a.targetName(target))
			return
		}
	}
}

// does reports a fault that changes nothing.
func (c *faultCheck) does() {
	f := c.f
	switch {
	case !c.good("kind"):
	case f.Kind == config.Slow && c.good("factor") && c.good("delay") && f.Factor == 1 && f.Delay == 0:
		p := c.a.l.failTable(c.t, "%s slows nothing down", c.t.label())
		p.Hint = `it needs a factor (such as 10) or a delay (such as "300ms")`
		c.a.l.spoil(c.t.path)
	case f.Kind == config.PacketLoss && c.t.has("loss") && c.good("loss") && f.Loss == 0:
		c.fail("loss", "is zero; no packet is lost")
	}
}

// idle warns of keys that change nothing.
func (c *faultCheck) idle() {
	f := c.f
	warn := func(name, format string, args ...any) {
		path := c.t.path + "." + name
		if c.good(name) {
			c.a.l.failAt(path, path+" "+format, args...).Warning = true
		}
	}
	isMaster := func(t config.Target) bool { return t.Kind == config.BrokerTarget && t.ID == 0 }
	lasts := f.Duration
	if f.Period > 0 {
		lasts = f.Down
	}
	switch {
	case !c.good("kind"):
	case f.Kind == config.RollingRestart && !f.Wipe:
		if v := c.t.vals["wipe_before"]; v.text != v.def && c.good("wipe") {
			warn("wipe_before", "changes nothing without wipe = true")
		}
	case f.Kind == config.RollingRestart:
		if len(f.Targets) > 0 && !slices.ContainsFunc(f.Targets, isMaster) {
			warn("wipe", "changes nothing: no target is a master")
		}
	case f.Kind == config.Slow && lasts > 0 && f.Ramp > lasts:
		warn("ramp", "(%s) is longer than the fault lasts (%s): it never grows to what it says",
			formatDuration(f.Ramp), formatDuration(lasts))
	}
}

// hosts warns of processes that a fault of machines strikes without being named.
func (c *faultCheck) hosts() {
	switch c.f.Kind {
	case config.PowerLoss, config.DiskLoss, config.CablePull:
	default:
		return
	}
	named := make(map[config.Target]bool, len(c.f.Targets))
	for _, target := range c.f.Targets {
		named[target] = true
	}
	isNamed := func(t config.Target) bool { return named[t] }
	for i := range c.a.s.Config.Hosts {
		h := &c.a.s.Config.Hosts[i]
		other := slices.IndexFunc(h.Runs, func(t config.Target) bool { return !named[t] })
		if other < 0 || !slices.ContainsFunc(h.Runs, isNamed) || !c.good("target") {
			continue
		}
		path := c.t.path + ".target"
		c.a.l.failAt(path, "%s: a %s strikes the whole host %s, so %s, too", path,
			faultKindOf(c.t).name, h.Name, c.a.targetName(h.Runs[other])).Warning = true
	}
}

// flaps checks that the strikes of a flapping fault do not meet.
func (c *faultCheck) flaps() {
	f := c.f
	switch {
	case !c.t.has("period") || !c.good("period") || !c.good("down") || !c.good("jitter"):
	case f.Period == 0:
		c.fail("period", "is zero; leave it out for a fault that strikes once")
		c.a.l.spoil(c.t.path + ".down")
		c.a.l.spoil(c.t.path + ".jitter")
	case c.t.has("down") && f.Down == 0:
		c.fail("down", "is zero; the fault would not last at all")
	case f.Down+f.Jitter >= f.Period:
		c.fail("down", "(%s), up to %s late, does not fit into a period (%s)", formatDuration(f.Down),
			formatDuration(f.Jitter), formatDuration(f.Period))
	}
}
