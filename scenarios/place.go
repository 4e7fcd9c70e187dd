package scenarios

import (
	"fmt"

	"simrun/model/config"
)

// places fills in hosts and zones. A process is at one place.
func (a *assembly) places() {
	at := make(map[config.Target]string)
	zones := a.names(tableZone)
	for _, t := range a.tables(tableHost) {
		h := config.Host{Name: t.name, Zone: get[string](t, "zone"), Runs: a.runs(t, at)}
		if v := t.vals["zone"]; v.node != nil && !v.bad {
			a.reference(v.node, tableZone, zones)
		}
		a.s.Config.Hosts = append(a.s.Config.Hosts, h)
	}
	for _, t := range a.tables(tableZone) {
		a.s.Config.Zones = append(a.s.Config.Zones, config.Zone{Name: t.name, Runs: a.runs(t, at)})
	}
}

// links fills in the ways between zones. Two zones have one.
func (a *assembly) links() {
	zones := a.names(tableZone)
	seen := make(map[[2]int]string)
	for _, t := range a.tables(tableZoneLink) {
		v := t.vals["zones"]
		link := config.ZoneLink{Name: t.name, Latency: sampler(t, "latency")}
		switch {
		case v.node == nil:
		case v.bad:
			for _, n := range v.texts() {
				a.reference(n, tableZone, zones)
			}
		default:
			x := a.reference(v.node.elems[0], tableZone, zones)
			y := a.reference(v.node.elems[1], tableZone, zones)
			names := get[[]string](t, "zones")
			link.A, link.B = names[0], names[1]
			switch other := seen[[2]int{min(x, y), max(x, y)}]; {
			case x < 0 || y < 0:
			case x == y:
				a.l.fail(v.node, "%s: a link is between two zones, not within %s", v.node.path, names[0])
				a.l.spoil(v.node.path)
			case other != "":
				a.l.fail(v.node, "%s: %s and %s are linked by [%s] already", v.node.path, names[0], names[1],
					other)
				a.l.spoil(v.node.path)
			default:
				seen[[2]int{min(x, y), max(x, y)}] = t.path
			}
		}
		a.s.Config.ZoneLinks = append(a.s.Config.ZoneLinks, link)
	}
}

// runs are the processes of a host or zone; at says of each process where it is.
func (a *assembly) runs(t *table, at map[config.Target]string) []config.Target {
	all := a.processes(t, "runs", false, func(target config.Target) string {
		if at[target] == "" {
			return ""
		}
		return fmt.Sprintf("%s is in [%s] already", a.targetName(target), at[target])
	})
	for _, target := range all {
		at[target] = t.path
	}
	return all
}
