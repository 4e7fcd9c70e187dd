package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/model/lint"
	"simrun/sim"
)

// assembly turns resolved tables into a Config and checks what the tables say of each other.
type assembly struct {
	l *loader
	s *Scenario
	// began is when each phase of the scenario began.
	began []sim.Duration
}

// tables are those of a kind, in order.
func (a *assembly) tables(kind string) (tables []*table) {
	for _, t := range a.s.tables {
		if t.kind.name == kind {
			tables = append(tables, t)
		}
	}
	return tables
}

// names are the names of the tables of a kind, in order.
func (a *assembly) names(kind string) (names []string) {
	for _, t := range a.tables(kind) {
		names = append(names, t.name)
	}
	return names
}

func (a *assembly) assemble() {
	a.world()
	a.producers()
	a.places()
	a.links()
	a.faults()
	a.validate()
	a.s.Phases = phases(&a.s.Config)
	a.began = a.beginnings()
	a.overlaps()
	mark := len(a.l.problems)
	a.expectations()
	if a.l.opt.NoExpect { // they were read for their texts alone
		a.l.problems, a.s.Expectations = a.l.problems[:mark], nil
	}
	a.setup()
}

// world fills in everything but producers and faults.
func (a *assembly) world() {
	c, top := &a.s.Config, a.l.top
	c.Seed = get[uint64](top, "seed")
	c.Duration = get[sim.Duration](top, "duration")
	c.Warmup = get[sim.Duration](top, "warmup")
	if top.vals["duration"].bad {
		// Nothing shall look late because of a duration that could not be read.
		c.Duration = math.MaxInt64
	}
	if v := top.vals["warmup"]; !v.bad && c.Warmup >= c.Duration && c.Duration > 0 {
		a.l.failAt("warmup", "warmup (%s) leaves nothing of the run (%s)", formatDuration(c.Warmup),
			top.said("duration"))
		a.l.spoil("warmup")
	}
	for _, t := range a.tables(tableNetwork) {
		c.Network.Latency = sampler(t, "latency")
	}
	for _, t := range a.tables(tableStart) {
		c.Start = config.Start{Cold: get[bool](t, "cold"), Spread: get[sim.Duration](t, "spread")}
	}
	for _, t := range a.tables(tableNameServer) {
		c.NameServers = append(c.NameServers, config.NameServer{
			Name: t.name, Release: get[string](t, "release"), Startup: get[sim.Duration](t, "startup"),
			Behaviours: get[[]string](t, "behaviours"),
		})
	}
	brokers := a.names(tableBroker)
	for _, t := range a.tables(tableTopic) {
		c.Topics = append(c.Topics, config.Topic{
			Name:           t.name,
			WriteQueueNums: get[int](t, "write_queue_nums"),
			Brokers:        get[[]string](t, "brokers"),
			Absent:         !get[bool](t, "created"),
			Ordered:        get[bool](t, "ordered"),
		})
		v := t.vals["brokers"]
		if v.node != nil && !v.bad && len(v.node.elems) == 0 {
			a.l.fail(v.node, "%s names nothing", v.node.path).Hint = "leave it out for all brokers"
		}
		a.topicBrokers(v.texts(), brokers)
	}
	for _, t := range a.tables(tableBroker) {
		b := broker(t)
		a.brokerWarnings(t, &b)
		c.Brokers = append(c.Brokers, b)
	}
}

// topicBrokers checks the list of the brokers that have a topic.
func (a *assembly) topicBrokers(elems []*node, brokers []string) {
	seen := make(map[int]bool, len(elems))
	for _, e := range elems {
		i := a.reference(e, "broker", brokers)
		if i >= 0 && seen[i] {
			a.l.fail(e, "%s: broker %q is named twice", e.path, brokers[i])
		}
		seen[i] = true
	}
}

// sampler is the distribution of a key; nil if it has none.
func sampler(t *table, name string) sim.Sampler {
	if !t.has(name) {
		return nil
	}
	return get[sampled](t, name).Sampler
}

// reference returns the index of what a node names; it reports a name that nothing has, and returns
// -1.
func (a *assembly) reference(n *node, what string, names []string) int {
	name, _ := n.scalar.(string)
	i := slices.Index(names, name)
	if i >= 0 {
		return i
	}
	a.l.spoil(n.path)
	if a.misnamed(what, name) {
		return -1
	}
	p := a.l.fail(n, "%s: there is no %s %q", n.path, what, name)
	if near := nearest(name, names); near != "" {
		p.Hint = fmt.Sprintf("did you mean %q?", near)
	} else if len(names) > 0 {
		p.Hint = "it can be " + orList(names)
	}
	return -1
}

// misnamed says whether a table that nobody could read may be the one of this name.
func (a *assembly) misnamed(kind, name string) bool {
	return a.l.bad[kind] || a.l.bad[kind+"."+name]
}

// validate adds what the model finds wrong, at the places of the keys.
func (a *assembly) validate() {
	problems := a.s.Config.Validate()
	if !slices.ContainsFunc(a.l.problems, func(p *Problem) bool { return !p.Warning }) &&
		!slices.ContainsFunc(problems, func(p config.Problem) bool { return !p.Warning }) {
		problems = append(problems, lint.Check(&a.s.Config)...)
	}
	for _, p := range problems {
		if a.l.spoiled(p.Path) {
			continue
		}
		path, entry := p.Path, 0
		if _, err := fmt.Sscanf(p.Message, "entry %d ", &entry); err == nil {
			path = fmt.Sprintf("%s[%d]", path, entry-1) // points at the entry of a list
		}
		problem := a.l.failAt(path, "%s", sentence(p.Path, p.Message))
		if flag := a.l.blame(path, p.Message); flag != nil {
			move(problem, flag)
		}
		problem.Hint, problem.Warning = p.Hint, p.Warning
	}
}

// sentence puts the path before a message that does not name it.
func sentence(path, message string) string {
	verb, _, _ := strings.Cut(message, " ")
	switch {
	case !strings.Contains(path, ".") && strings.HasPrefix(message, "at least"),
		strings.HasPrefix(message, path):
		return message
	case slices.Contains([]string{"must", "is", "has", "cannot", "works", "changes"}, verb):
		return path + " " + message
	default:
		return path + ": " + message
	}
}

// setup describes the world for headers and captions.
func (a *assembly) setup() {
	c, s := &a.s.Config, &a.s.Setup
	s.NameServers = a.names(tableNameServer)
	for i, t := range a.tables(tableBroker) {
		b := &c.Brokers[i]
		s.Brokers = append(s.Brokers, result.SetupBroker{
			Name: b.Name, Release: b.Release, Slaves: b.Slaves, SendThreads: b.SendThreads,
			BrokerRole:    unquoted(t.vals["broker_role"].text),
			FlushDiskType: unquoted(t.vals["flush_disk_type"].text),
			Service:       get[sampled](t, "service").words,
		})
	}
	for i := range c.Topics {
		t := &c.Topics[i]
		brokers := t.Brokers
		if len(brokers) == 0 {
			brokers = a.names(tableBroker)
		}
		s.Topics = append(s.Topics, result.SetupTopic{
			Name: t.Name, WriteQueueNums: t.WriteQueueNums, Brokers: brokers,
		})
	}
	for i := range c.Producers {
		s.Producers = append(s.Producers, setupProducer(&c.Producers[i]))
	}
	s.Start, s.ZoneLinks = startWords(&c.Start), zoneLinks(c.ZoneLinks)
	s.Places = places(c)
}

// clientName is the client and what it does otherwise than its release.
func clientName(p *config.Producer) string {
	name := client{p.Client, p.Release}.String()
	if len(p.Behaviours) > 0 {
		name += " with " + strings.Join(p.Behaviours, ", ")
	}
	return name
}
