package scenarios

import (
	"fmt"

	"simrun/model"
)

// places fills in hosts and zones. A process is at one place.
func (a *assembly) places() {
	at := make(map[model.Target]string)
	zones := a.names(tableZone)
	for _, t := range a.tables(tableHost) {
		h := model.Host{Name: t.name, Zone: get[string](t, "zone"), Runs: a.runs(t, at)}
		if v := t.vals["zone"]; v.node != nil && !v.bad {
			a.reference(v.node, tableZone, zones)
		}
		a.s.Config.Hosts = append(a.s.Config.Hosts, h)
	}
	for _, t := range a.tables(tableZone) {
		a.s.Config.Zones = append(a.s.Config.Zones, model.Zone{Name: t.name, Runs: a.runs(t, at)})
	}
}

// runs are the processes of a host or zone; at says of each process where it is.
func (a *assembly) runs(t *table, at map[model.Target]string) []model.Target {
	all := a.processes(t, "runs", false, func(target model.Target) string {
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
