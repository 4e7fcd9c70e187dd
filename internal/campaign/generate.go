package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// generator draws one scenario. It writes what a user could write: text, read by the loader.
type generator struct {
	r     *rand.Rand
	known *grammar
	doc   *document
	// judged scenarios heal and then run on for long enough to see it.
	judged bool
	// busy ones have more load and larger delays, so that queues fill.
	busy bool

	nameServers, brokers, producers, hosts, zones []node
}

// node is a process or a set of them that a fault can strike.
type node struct {
	name string
	// members is how many there are: slaves and master of a broker, instances of a producer.
	members int
}

// generate draws the scenario of a seed.
func generate(seed uint64, known *grammar) (doc *document, judged bool) {
	g := &generator{
		r: rand.New(rand.NewPCG(seed, 0x73696d72756e)), known: known, doc: &document{},
	}
	g.judged, g.busy = g.chance(0.7), g.chance(0.3)
	top := g.doc.add("")
	top.set("seed", strconv.FormatUint(g.r.Uint64()>>1, 10))
	top.set("duration", quoted("24h")) // until the end is known
	g.optional(top, "")
	g.optional(g.doc.add("network"), "network")
	if g.chance(0.15) {
		g.optional(g.doc.add("start"), "start")
	}
	g.nodes("name_server", "n", g.between(1, 3), &g.nameServers)
	g.nodes("broker", "", g.between(1, 4), &g.brokers)
	g.topics()
	g.nodes("producer", "p", g.between(1, 2), &g.producers)
	g.places()
	last := g.faults()
	g.doc.at("").set("duration", dur(last+g.span(20*time.Second)+5*time.Second))
	return g.doc, g.judged
}

func (g *generator) chance(p float64) bool { return g.r.Float64() < p }

// between is a whole number from low to high.
func (g *generator) between(low, high int) int { return low + g.r.IntN(high-low+1) }

// pick is one of the values.
func pick[T any](g *generator, values ...T) T { return values[g.r.IntN(len(values))] }

// span is a duration up to the limit, often a round one, so that events meet.
func (g *generator) span(limit time.Duration) time.Duration {
	if g.chance(0.5) {
		return time.Duration(g.r.Int64N(int64(limit/time.Second)+1)) * time.Second
	}
	return time.Duration(g.r.Int64N(int64(limit/time.Millisecond)+1)) * time.Millisecond
}

// dur writes a duration.
func dur(d time.Duration) string { return quoted(d.String()) }

// times is a sampler around a value: constant, exponential or lognormal.
func (g *generator) times(v time.Duration) string {
	switch {
	case v == 0 || g.chance(0.3):
		return dur(v)
	case g.chance(0.5):
		return fmt.Sprintf("{ dist = \"exponential\", mean = %s }", dur(v))
	default:
		return fmt.Sprintf("{ dist = \"lognormal\", median = %s, p99 = %s }", dur(v), dur(5*v))
	}
}

// nodes adds the tables of a kind, named by letters (brokers) or numbers.
func (g *generator) nodes(kind, prefix string, n int, into *[]node) {
	for i := range n {
		name := prefix + strconv.Itoa(i+1)
		if prefix == "" {
			name = string(rune('a' + i))
		}
		t := g.doc.add(kind + "." + name)
		members := 1
		switch kind {
		case "broker":
			slaves := pick(g, 0, 0, 1, 1, 1, 2)
			t.set("slaves", strconv.Itoa(slaves))
			members += slaves
		case "producer":
			members = g.between(1, 3)
			t.set("count", strconv.Itoa(members))
			threads := pick(g, 1, 4, 16)
			t.set("threads", strconv.Itoa(threads))
			t.set("rate", quoted(g.rate(members*threads)))
			t.set("topic", quoted(g.topicName()))
			if g.doc.at("topic.t2") != nil && g.chance(0.2) {
				t.set("topic", list(quoted("t1"), quoted("t2")))
				t.set("topic_weights", list("3", "1"))
			}
		}
		g.optional(t, kind)
		*into = append(*into, node{name, members})
	}
}

// rate is what so many threads can send, most of the time.
func (g *generator) rate(threads int) string {
	limit := 10 * threads
	if g.chance(0.05) {
		limit = 1000
	}
	rates := []int{5, 10, 30}
	if g.busy {
		rates = []int{30, 60, 100}
	}
	return strconv.Itoa(min(limit, pick(g, rates...))) + "/s"
}

// topics adds one or two topics; the second may be on some brokers only.
func (g *generator) topics() {
	for i := range g.between(1, 2) {
		t := g.doc.add("topic.t" + strconv.Itoa(i+1))
		t.set("write_queue_nums", strconv.Itoa(g.between(1, 8)))
		if i == 1 {
			var on []string
			for _, b := range g.brokers {
				if g.chance(0.7) {
					on = append(on, quoted(b.name))
				}
			}
			if len(on) > 0 {
				t.set("brokers", list(on...))
			}
		}
		g.optional(t, "topic")
	}
}

func (g *generator) topicName() string {
	if g.doc.at("topic.t2") != nil && g.chance(0.3) {
		return "t2"
	}
	return "t1"
}

// places puts some processes on common hosts, and hosts and processes into zones.
func (g *generator) places() {
	if g.known.lacks(".host") || g.chance(0.6) {
		return
	}
	free := g.processes()
	for i := range g.between(1, 2) {
		h := node{name: "h" + strconv.Itoa(i+1)}
		t := g.doc.add("host." + h.name)
		t.set("runs", list(g.take(&free, g.between(1, 3))...))
		g.hosts = append(g.hosts, h)
	}
	if g.chance(0.5) {
		return
	}
	for i := range 2 {
		z := node{name: "z" + strconv.Itoa(i+1)}
		t := g.doc.add("zone." + z.name)
		if runs := g.take(&free, g.between(1, 3)); len(runs) > 0 {
			t.set("runs", list(runs...))
		}
		g.zones = append(g.zones, z)
	}
	for _, h := range g.hosts {
		if g.chance(0.5) {
			g.doc.at("host."+h.name).set("zone", quoted(pick(g, g.zones...).name))
		}
	}
}

// processes are the addresses of all processes, shuffled.
func (g *generator) processes() []string {
	var all []string
	for _, n := range g.nameServers {
		all = append(all, quoted("name_server:"+n.name))
	}
	for _, b := range g.brokers {
		for id := range b.members {
			all = append(all, quoted(b.name+":"+strconv.Itoa(id)))
		}
	}
	for _, p := range g.producers {
		for i := range p.members {
			all = append(all, quoted("producer:"+p.name+"#"+strconv.Itoa(i)))
		}
	}
	g.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (g *generator) take(from *[]string, n int) []string {
	n = min(n, len(*from))
	taken := (*from)[:n]
	*from = (*from)[n:]
	return taken
}

// optional sets some of the keys that the kind of table has.
func (g *generator) optional(t *section, kind string) {
	for _, o := range options {
		if o.kind != kind || !g.chance(o.chance) || g.known.lacks(kind+"."+o.key) || t.get(o.key) != "" {
			continue
		}
		if v := o.draw(g, t); v != "" {
			t.set(o.key, v)
		}
	}
}

// address of some process or set of the kind; "" if there is none.
func (g *generator) address(kind string) string {
	switch kind {
	case "broker":
		b := pick(g, g.brokers...)
		return quoted(b.name + ":" + pick(g, "0", "0", "*", strconv.Itoa(g.r.IntN(b.members))))
	case "name_server":
		return quoted("name_server:" + pick(g, g.nameServers...).name)
	case "producer":
		p := pick(g, g.producers...)
		return quoted("producer:" + p.name + "#" + strconv.Itoa(g.r.IntN(p.members)))
	case "host", "zone":
		places := g.hosts
		if kind == "zone" {
			places = g.zones
		}
		if len(places) == 0 {
			return ""
		}
		return quoted(kind + ":" + pick(g, places...).name)
	}
	panic("campaign: no such kind of address: " + kind)
}

// addresses is a list of up to n addresses, none twice, of the kinds that the fault may strike.
func (g *generator) addresses(n int, kinds []string) string {
	var all []string
	for range n {
		a := g.address(pick(g, kinds...))
		if a != "" && !overlaps(all, a) {
			all = append(all, a)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return list(all...)
}

// overlaps says whether two addresses may name the same process.
func overlaps(all []string, a string) bool {
	for _, b := range all {
		if a == b || strings.HasPrefix(a, `"host:`) || strings.HasPrefix(a, `"zone:`) ||
			strings.HasPrefix(b, `"host:`) || strings.HasPrefix(b, `"zone:`) {
			return true
		}
		x, _, _ := strings.Cut(a, ":")
		y, _, _ := strings.Cut(b, ":")
		if x == y && (strings.HasSuffix(a, `*"`) || strings.HasSuffix(b, `*"`)) {
			return true
		}
	}
	return false
}
