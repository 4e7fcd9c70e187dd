package report

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// topology is the world of a run as it is drawn: who sends to whom, who replicates to whom, and what the
// faults strike.
type topology struct {
	run *result.Run
	// struck are the faults that strike a process ("a:0"), by index; other are those that it is the other
	// side of.
	struck, other map[string][]int
	// zone and host are where a process is, if that is known.
	zone, host map[string]string
}

func topologyOf(r *result.Run) *topology {
	t := &topology{
		run: r, struck: map[string][]int{}, other: map[string][]int{},
		zone: map[string]string{}, host: map[string]string{},
	}
	for i, f := range r.Faults {
		for _, x := range f.Targets {
			t.struck[x] = append(t.struck[x], i)
		}
		for _, x := range f.To {
			t.other[x] = append(t.other[x], i)
		}
	}
	for _, p := range r.Setup.Places {
		for _, x := range p.Runs {
			t.zone[x], t.host[x] = p.Zone, p.Host
		}
	}
	return t
}

// marks are the numbers of the faults that a drawn thing is marked with; a hollow one is the other side of
// a fault of the network.
type marks struct{ struck, other []int }

// first is one of them, where there is no room for more.
func (m marks) first() marks {
	if len(m.struck) > 0 {
		return marks{struck: m.struck[:1]}
	}
	return marks{other: m.other[:min(1, len(m.other))]}
}

func (m marks) none() bool { return len(m.struck)+len(m.other) == 0 }

// marksOf are the marks of some processes together.
func (t *topology) marksOf(processes ...string) marks {
	var m marks
	for _, x := range processes {
		m.struck = append(m.struck, t.struck[x]...)
		m.other = append(m.other, t.other[x]...)
	}
	slices.Sort(m.struck)
	m.struck = slices.Compact(m.struck)
	slices.Sort(m.other)
	m.other = slices.DeleteFunc(slices.Compact(m.other), func(i int) bool {
		return slices.Contains(m.struck, i)
	})
	return m
}

// replicas are the processes of a broker, the master first.
func replicas(b result.SetupBroker) []string {
	list := make([]string, 1+b.Slaves)
	for i := range list {
		list[i] = b.Name + ":" + strconv.Itoa(i)
	}
	return list
}

// instances are the processes of a producer group.
func instances(g result.SetupProducer) []string {
	list := make([]string, g.Count)
	for i := range list {
		list[i] = "producer:" + g.Name + "#" + strconv.Itoa(i)
	}
	return list
}

// safetyWords say how a broker keeps what it is sent.
func safetyWords(b result.SetupBroker) [2]string {
	replication := "async replication"
	switch {
	case b.Slaves == 0:
		replication = "no replication"
	case b.BrokerRole == "SYNC_MASTER":
		replication = "sync replication"
	}
	if b.FlushDiskType == "SYNC_FLUSH" {
		return [2]string{replication, "sync flush"}
	}
	return [2]string{replication, "async flush"}
}

// zoneGroup are the brokers whose masters are in one zone; Name is empty for those that are in none.
type zoneGroup struct {
	name    string
	also    []string // what else is in it
	brokers []result.SetupBroker
}

// zoneGroups are the zones in the order of the scenario, with the brokers that are in none at the end.
func (t *topology) zoneGroups() []zoneGroup {
	var groups []zoneGroup
	index := map[string]int{}
	for _, p := range t.run.Setup.Places {
		if _, ok := index[p.Zone]; p.Zone != "" && !ok {
			index[p.Zone] = len(groups)
			groups = append(groups, zoneGroup{name: p.Zone})
		}
	}
	rest := zoneGroup{}
	for _, b := range t.run.Setup.Brokers {
		if i, ok := index[t.zone[b.Name+":0"]]; ok {
			groups[i].brokers = append(groups[i].brokers, b)
		} else {
			rest.brokers = append(rest.brokers, b)
		}
	}
	for i := range groups {
		groups[i].also = t.alsoIn(groups[i].name)
	}
	if len(rest.brokers) > 0 || len(groups) == 0 {
		groups = append(groups, rest)
	}
	return groups
}

// alsoIn names what is in a zone besides masters.
func (t *topology) alsoIn(zone string) []string {
	var also []string
	for _, n := range t.run.Setup.NameServers {
		if t.zone["name_server:"+n] == zone {
			also = append(also, n)
		}
	}
	for _, g := range t.run.Setup.Producers {
		n := 0
		for _, x := range instances(g) {
			if t.zone[x] == zone {
				n++
			}
		}
		switch {
		case n == g.Count && n > 0:
			also = append(also, g.Name)
		case n > 0:
			also = append(also, count(int64(n))+" of "+g.Name)
		}
	}
	for _, b := range t.run.Setup.Brokers {
		for i, x := range replicas(b)[1:] {
			if t.zone[x] == zone && t.zone[b.Name+":0"] != zone {
				also = append(also, "slave "+strconv.Itoa(i+1)+" of "+b.Name)
			}
		}
	}
	return also
}

// describe is the drawing in words.
func (t *topology) describe() string {
	s := t.run.Setup
	var who []string
	for _, g := range s.Producers {
		who = append(who, plural(int64(g.Count), "instance")+" of "+g.Name+" ("+g.Client+")")
	}
	slaves := 0
	for _, b := range s.Brokers {
		slaves += b.Slaves
	}
	words := listed(who, 6) + " send to " + plural(int64(len(s.Brokers)), "broker") + " (" +
		listed(t.run.BrokerNames(), 8) + ") with " + plural(int64(slaves), "slave") + ". "
	words += plural(int64(len(s.NameServers)), "name server") + ": " + listed(s.NameServers, 8) + "."
	for i, f := range t.run.Faults {
		words += " Fault " + faultMark(i) + ", " + f.Name + ", strikes " + targetWords(f) + "."
	}
	return words
}

// topologyView is what the page shows of a topology.
type topologyView struct {
	SVG   template.HTML
	Notes []string
}

// view draws it.
func (t *topology) view() topologyView {
	d := &topologyDrawing{topology: t}
	svg := d.draw()
	return topologyView{SVG: template.HTML(svg), Notes: t.notes()} //nolint:gosec // its texts are escaped
}

// notes tell what the drawing leaves out.
func (t *topology) notes() []string {
	var notes []string
	for _, p := range t.run.Setup.Places {
		if p.Host != "" && len(p.Runs) > 1 {
			notes = append(notes, "host "+p.Host+" runs "+listed(shortNames(p.Runs), 8))
		}
	}
	if links := t.run.Setup.ZoneLinks; len(links) > 0 {
		notes = append(notes, "between zones: "+listed(links, 6))
	}
	return notes
}

// shortNames are processes without their kinds.
func shortNames(processes []string) []string {
	out := make([]string, len(processes))
	for i, x := range processes {
		out[i] = strings.TrimPrefix(strings.TrimPrefix(x, "name_server:"), "producer:")
	}
	return out
}
