package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/model"
	"simrun/sim"
)

// addressKinds stand before the colon of an address that is not a broker's: "name_server:n1".
var addressKinds = []string{"name_server", "producer", "host", "zone", "broker", "topic"}

// targetsKind is an address or a list of them.
var targetsKind = kind{
	name: "address, or list of addresses",
	want: `an address such as "a:0", or an array of them`, bare: bareList,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.kind != nodeArray {
			s, ok := l.text(n, `an address such as "a:0", or an array of them`)
			return []*node{n}, "[" + quote(s) + "]", ok
		}
		k := listOf[string](nameKind, "", `an array of addresses, such as ["a:0", "b:0"]`)
		_, text, ok := k.read(l, n)
		if ok && len(n.elems) == 0 {
			l.fail(n, "%s strikes nothing", n.path).Hint = `it is written as ["a:0"]`
			ok = false
		}
		return n.elems, text, ok
	},
}

func (a *assembly) faults() {
	for _, t := range a.tables(tableFault) {
		f := model.Fault{
			Name:     t.name,
			Kind:     model.FaultKind(get[int](t, "kind")),
			At:       get[sim.Duration](t, "at"),
			Duration: get[sim.Duration](t, "duration"),
			Factor:   get[float64](t, "factor"),
			Delay:    get[sim.Duration](t, "delay"),
		}
		for _, n := range get[[]*node](t, "target") {
			for _, target := range a.targets(n) {
				if slices.Contains(f.Targets, target) {
					a.l.fail(n, "%s: %s is named twice", n.path, a.address(target))
					a.l.spoil(n.path)
					continue
				}
				f.Targets = append(f.Targets, target)
			}
		}
		a.checkFault(t, &f)
		a.s.Config.Faults = append(a.s.Config.Faults, f)
	}
}

// checkFault reports what the keys of a fault do not mean together.
func (a *assembly) checkFault(t *table, f *model.Fault) {
	good := func(name string) bool { return !t.vals[name].bad }
	if t.has("duration") && good("duration") && f.Duration == 0 {
		// The model reads 0 as "to the end", which nobody means who writes it.
		a.l.failAt(t.path+".duration", "%s.duration is zero; leave it out for a fault without an end",
			t.path)
		a.l.spoil(t.path + ".duration")
	}
	if f.Kind == model.Slow && good("kind") && good("factor") && good("delay") &&
		f.Factor == 1 && f.Delay == 0 {
		p := a.l.failTable(t, "%s slows nothing down", t.label())
		p.Hint = `it needs a factor (such as 10) or a delay (such as "300ms")`
		a.l.spoil(t.path)
	}
	c := &a.s.Config
	switch {
	case !good("at") || a.l.spoiled("duration"):
	case f.At >= c.Duration:
		a.l.failAt(t.path+".at", "%s.at (%s) is not before the end of the run (%s)", t.path,
			formatDuration(f.At), a.l.top.said("duration"))
		a.l.spoil(t.path + ".at")
	case f.At < c.Warmup:
		a.l.failAt(t.path+".at", "%s.at (%s) is within the warm-up (%s), which no phase counts",
			t.path, formatDuration(f.At), a.l.top.said("warmup")).Warning = true
	}
}

func (a *assembly) address(t model.Target) string {
	return a.s.Config.Brokers[t.Index].Name + ":" + strconv.Itoa(t.ID)
}

// targets are the processes of one address; nil, and reported, if it has none.
func (a *assembly) targets(n *node) []model.Target {
	address := n.scalar.(string)
	name, id, found := strings.Cut(address, ":")
	brokers := a.names(tableBroker)
	fail := func(hint, format string, args ...any) []model.Target {
		p := a.l.fail(n, "%s: %s", n.path, fmt.Sprintf(format, args...))
		p.Hint = hint
		a.l.spoil(n.path)
		return nil
	}
	switch {
	case found && slices.Contains(addressKinds, name):
		return fail(`a target is a broker process now: "a:0", "a:1" or "a:*"`,
			"targets of kind %q are not modelled yet", name)
	case !found && slices.Contains(brokers, name):
		return fail(fmt.Sprintf("%q is the master, %q everything", name+":0", name+":*"),
			"%q does not say which process", address)
	case !slices.Contains(brokers, name) && a.misnamed(tableBroker, name):
		a.l.spoil(n.path)
		return nil
	case !slices.Contains(brokers, name):
		hint := ""
		if near := nearest(name, brokers); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near+":"+id)
		} else if len(brokers) > 0 {
			hint = "there are " + andList(brokers)
		}
		return fail(hint, "there is no broker %q", name)
	}
	b := slices.Index(brokers, name)
	slaves := a.s.Config.Brokers[b].Slaves
	if id == "*" {
		// The number may be absurd: whether it is allowed, the model says later.
		var all []model.Target
		for i := range min(max(slaves, 0), 64) + 1 {
			all = append(all, model.Target{Index: b, ID: i})
		}
		return all
	}
	i, err := strconv.Atoi(id)
	switch {
	case err != nil || i < 0:
		return fail(`it is written as "a:0" for the master, "a:1" for its first slave, "a:*" for all`,
			"%q has no broker id", address)
	case i > slaves && a.l.spoiled("broker."+name+".slaves"):
		a.l.spoil(n.path) // who knows how many there should be
		return nil
	case i > slaves:
		return fail("", "%q is not there; broker %s has %s", address, name, slaveCount(slaves))
	}
	return []model.Target{{Index: b, ID: i}}
}

func slaveCount(n int) string {
	switch n {
	case 0:
		return "no slave"
	case 1:
		return "one slave"
	default:
		return strconv.Itoa(n) + " slaves"
	}
}
