package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/model/config"
)

// Kinds of things that stand before the colon of an address that is not a broker's.
const (
	toNameServer = "name_server"
	toProducer   = "producer"
	toHost       = "host"
	toZone       = "zone"
)

// addressKinds are words that an address begins with, and others that are kept from brokers' names.
var addressKinds = []string{toNameServer, toProducer, toHost, toZone, "broker", "topic"}

const addressWant = `an address such as "a:0", or an array of them`

// addressesKind is an address or a list of them.
var addressesKind = kind{
	name: "address, or list of addresses", want: addressWant, bare: bareList,
	read: func(l *loader, n *node) (any, string, bool) {
		if n.kind != nodeArray {
			s, ok := l.text(n, addressWant)
			return []*node{n}, "[" + quote(s) + "]", ok
		}
		k := listOf[string](nameKind, "", `an array of addresses, such as ["a:0", "b:0"]`)
		_, text, ok := k.read(l, n)
		if ok && len(n.elems) == 0 {
			l.fail(n, "%s names nothing", n.path).Hint = `it is written as ["a:0"]`
			ok = false
		}
		return n.elems, text, ok
	},
}

// processes are what the addresses of a key stand for, each once. A process that is named twice is
// reported, and so is one to which the check objects.
func (a *assembly) processes(t *table, key string, places bool,
	check func(config.Target) (objection string),
) (all []config.Target) {
	seen := make(map[config.Target]bool)
	for _, n := range t.vals[key].texts() {
		r := address{a: a, n: n, places: places}
		for _, target := range r.processes() {
			objection := ""
			switch {
			case seen[target]:
				objection = a.targetName(target) + " is named twice"
			case check != nil:
				objection = check(target)
			}
			if objection != "" {
				r.fail("", "%s", objection)
				break
			}
			seen[target] = true
			all = append(all, target)
		}
	}
	return all
}

// targetName is the address of one process.
func (a *assembly) targetName(t config.Target) string { return a.s.Config.TargetName(t) }

// address reads one address.
type address struct {
	a *assembly
	n *node
	// places allows hosts and zones, which stand for what they run.
	places bool
}

// fail reports what is wrong with the address; it is nothing then.
func (r *address) fail(hint, format string, args ...any) []config.Target {
	r.a.l.fail(r.n, "%s: %s", r.n.path, fmt.Sprintf(format, args...)).Hint = hint
	r.a.l.spoil(r.n.path)
	return nil
}

// processes are what the address stands for; nil, and reported, if there is nothing like it.
func (r *address) processes() []config.Target {
	text, _ := r.n.scalar.(string)
	kind, name, found := strings.Cut(text, ":")
	switch {
	case !found:
		return r.bare(text)
	case kind == toNameServer:
		return r.nameServers(name)
	case kind == toProducer:
		return r.instances(name)
	case (kind == toHost || kind == toZone) && !r.places:
		return r.fail("", "%q is no process; a host or a zone runs none of its kind", text)
	case kind == toHost, kind == toZone:
		return r.place(kind, name)
	case slices.Contains(addressKinds, kind):
		return r.fail(`a broker's processes are "a:0", "a:1" and "a:*"`, "%q is no process", text)
	}
	near := nearest(kind, addressKinds)
	if near != "" && !slices.Contains(r.a.names(tableBroker), kind) && !r.a.misnamed(tableBroker, kind) {
		return r.fail(didYouMean(near+":"+name), "there is no broker %q", kind)
	}
	return r.brokers(kind, name)
}

// bare reports an address without a colon.
func (r *address) bare(text string) []config.Target {
	a := r.a
	switch {
	case slices.Contains(addressKinds, text):
		return r.fail("", "%q is no address; behind a colon comes a name", text)
	case slices.Contains(a.names(tableBroker), text):
		return r.fail(fmt.Sprintf("%q is the master, %q everything", text+":0", text+":*"),
			"%q does not say which process", text)
	case slices.Contains(a.names(tableNameServer), text):
		return r.fail(didYouMean(toNameServer+":"+text), "%q is no address", text)
	case slices.Contains(a.names(tableProducer), text):
		return r.fail(didYouMean(toProducer+":"+text), "%q is no address", text)
	case r.places && slices.Contains(a.names(tableHost), text):
		return r.fail(didYouMean(toHost+":"+text), "%q is no address", text)
	case r.places && slices.Contains(a.names(tableZone), text):
		return r.fail(didYouMean(toZone+":"+text), "%q is no address", text)
	}
	return r.brokers(text, "")
}

func didYouMean(what string) string { return fmt.Sprintf("did you mean %q?", what) }

// lookUp finds a name among those of a kind of tables; -1, and reported, if it is not there. prefix
// stands before the name in an address, suffix behind it.
func (r *address) lookUp(table, name, prefix, suffix string) int {
	names := r.a.names(table)
	if i := slices.Index(names, name); i >= 0 {
		return i
	}
	if r.a.misnamed(table, name) {
		r.a.l.spoil(r.n.path)
		return -1
	}
	hint := ""
	if near := nearest(name, names); near != "" {
		hint = didYouMean(prefix + near + suffix)
	} else if len(names) > 0 {
		hint = "there is " + andList(names)
		if len(names) > 1 {
			hint = "there are " + andList(names)
		}
	}
	what := strings.ReplaceAll(table, "_", " ")
	if name == "" {
		r.fail(hint, "%q has no name of a %s", r.n.scalar, what)
		return -1
	}
	r.fail(hint, "there is no %s %q", what, name)
	return -1
}

func (r *address) nameServers(name string) (all []config.Target) {
	if name == "*" {
		for i := range r.a.s.Config.NameServers {
			all = append(all, config.Target{Kind: config.NameServerTarget, Index: i})
		}
		return all
	}
	i := r.lookUp(tableNameServer, name, toNameServer+":", "")
	if i < 0 {
		return nil
	}
	return []config.Target{{Kind: config.NameServerTarget, Index: i}}
}

// instances are those of a producer, or one of them, counted from 0.
func (r *address) instances(text string) (all []config.Target) {
	name, number, one := strings.Cut(text, "#")
	suffix := ""
	if one {
		suffix = "#" + number
	}
	p := r.lookUp(tableProducer, name, toProducer+":", suffix)
	if p < 0 {
		return nil
	}
	target := func(i int) config.Target {
		return config.Target{Kind: config.ProducerTarget, Index: p, ID: i}
	}
	count := r.a.s.Config.Producers[p].Count
	if !one {
		for i := range count {
			all = append(all, target(i))
		}
		return all
	}
	i, err := strconv.Atoi(number)
	switch {
	case err != nil || i < 0:
		return r.fail(fmt.Sprintf("it is written as %q for the first, %q for all",
			"producer:"+name+"#0", "producer:"+name), "%q has no number of an instance", r.n.scalar)
	case i >= count && r.a.l.spoiled("producer."+name+".count"):
		r.a.l.spoil(r.n.path) // who knows how many there should be
		return nil
	case i >= count:
		return r.fail("they are counted from 0", "%q is not there; producer %s has %s", r.n.scalar, name,
			instanceCount(count))
	}
	return []config.Target{target(i)}
}

// brokers are processes of a broker name.
func (r *address) brokers(name, id string) []config.Target {
	a := r.a
	suffix := ":" + id
	if id == "" {
		suffix = ":0"
	}
	b := r.lookUp(tableBroker, name, "", suffix)
	if b < 0 {
		return nil
	}
	slaves := a.s.Config.Brokers[b].Slaves
	if id == "*" {
		// The number may be absurd: whether it is allowed, the model says later.
		var all []config.Target
		for i := range min(max(slaves, 0), 64) + 1 {
			all = append(all, config.Target{Index: b, ID: i})
		}
		return all
	}
	i, err := strconv.Atoi(id)
	switch {
	case err != nil || i < 0:
		return r.fail(`it is written as "a:0" for the master, "a:1" for its first slave, "a:*" for all`,
			"%q has no broker id", r.n.scalar)
	case i > slaves && a.l.spoiled("broker."+name+".slaves"):
		a.l.spoil(r.n.path) // who knows how many there should be
		return nil
	case i > slaves:
		return r.fail("", "%q is not there; broker %s has %s", r.n.scalar, name, slaveCount(slaves))
	}
	return []config.Target{{Index: b, ID: i}}
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

func instanceCount(n int) string {
	if n == 1 {
		return "one instance"
	}
	return strconv.Itoa(n) + " instances"
}

// place is what a host or a zone runs.
func (r *address) place(kind, name string) []config.Target {
	i := r.lookUp(kind, name, kind+":", "")
	if i < 0 {
		return nil
	}
	c := &r.a.s.Config
	if kind == toHost {
		return c.Hosts[i].Runs
	}
	runs := slices.Clone(c.Zones[i].Runs)
	for h := range c.Hosts {
		if c.Hosts[h].Zone == name {
			runs = append(runs, c.Hosts[h].Runs...)
		}
	}
	if len(runs) == 0 && !r.a.l.spoiled(tableHost) && !r.a.l.spoiled("zone."+name) {
		return r.fail(fmt.Sprintf("a host with zone = %q does, or runs of [zone.%s]", name, name),
			"nothing runs in zone %s", name)
	}
	return runs
}
