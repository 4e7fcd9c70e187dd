package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"simrun/internal/result"
	"simrun/sim"
)

// Each instant is owned by one phase, see result.ComparePhases. Phases list whole faults; what another
// one takes from them is warned of here.

// beats says whether phase i owns what it has in common with phase j.
func (a *assembly) beats(i, j int) bool {
	byRule := result.ComparePhases(a.s.Phases[i], a.s.Phases[j], int64(a.began[i]), int64(a.began[j]))
	return cmp.Or(byRule, cmp.Compare(i, j)) > 0
}

// beginnings are when the phases began. A fault that struck during the warm-up began before its
// phase.
func (a *assembly) beginnings() []sim.Duration {
	at := make(map[string]sim.Duration, len(a.s.Config.Faults))
	for i := range a.s.Config.Faults {
		f := &a.s.Config.Faults[i]
		at[result.FaultPrefix+f.Name] = f.At
	}
	began := make([]sim.Duration, len(a.s.Phases))
	for i := range a.s.Phases {
		p := &a.s.Phases[i]
		if began[i] = sim.Duration(p.FromNS); p.IsFault() {
			began[i] = at[p.Name]
		}
	}
	return began
}

// cutters are the phases that own a part of phase j, and the length that they leave of it.
func (a *assembly) cutters(j int) (names []string, left sim.Duration) {
	p := &a.s.Phases[j]
	var taken []result.Phase
	for i := range a.s.Phases {
		q := &a.s.Phases[i]
		from, to := max(p.FromNS, q.FromNS), min(p.ToNS, q.ToNS)
		if i == j || q.Name == result.PhaseAll || from >= to || !a.beats(i, j) {
			continue
		}
		names = append(names, q.Name)
		taken = append(taken, result.Phase{FromNS: from, ToNS: to})
	}
	slices.SortStableFunc(taken, func(x, y result.Phase) int {
		return cmp.Compare(x.FromNS, y.FromNS)
	})
	length, upTo := p.ToNS-p.FromNS, p.FromNS
	for _, t := range taken {
		length -= max(0, t.ToNS-max(upTo, t.FromNS))
		upTo = max(upTo, t.ToNS)
	}
	return names, sim.Duration(length)
}

// overlaps warns of each fault that takes a part from others.
func (a *assembly) overlaps() {
	if a.l.spoiled("duration") || a.l.spoiled("warmup") || a.l.spoiled(tableFault) {
		return
	}
	for i := range a.s.Phases {
		p := &a.s.Phases[i]
		if !p.IsFault() {
			continue
		}
		var others []string
		for j := range a.s.Phases {
			q := &a.s.Phases[j]
			if i != j && q.IsFault() && max(p.FromNS, q.FromNS) < min(p.ToNS, q.ToNS) &&
				a.beats(i, j) {
				others = append(others, a.withTimes(j))
			}
		}
		if others == nil {
			continue
		}
		w := a.l.failAt(p.Name+".at", "%s overlaps %s; messages of the overlap count in the fault "+
			"that began last, %s", a.withTimes(i), someOf(others), p.Name)
		w.Warning = true
	}
}

// cutPhase warns of an expectation about a phase of which other ones leave little or nothing.
func (e *expectation) cutPhase(n *node) {
	a := e.a
	if a.l.spoiled("duration") || a.l.spoiled("warmup") || a.l.spoiled(tableFault) {
		return
	}
	for j := range a.s.Phases {
		p := &a.s.Phases[j]
		if p.Name != e.Phase || p.Name == result.PhaseAll {
			continue
		}
		names, left := a.cutters(j)
		if names == nil {
			return
		}
		what := "nothing"
		if left > 0 {
			what = "only " + formatDuration(left)
		}
		a.l.fail(n, "%s: of the %s of %s %s is left; the rest counts in %s", n.path,
			formatDuration(sim.Duration(p.ToNS-p.FromNS)), p.Name, what, someOf(names)).Warning = true
	}
}

// withTimes is the phase of a fault with its times. Those of a fault that struck during the warm-up
// are longer than its phase.
func (a *assembly) withTimes(i int) string {
	p := &a.s.Phases[i]
	return fmt.Sprintf("%s (%s to %s)", p.Name, formatDuration(a.began[i]),
		formatDuration(sim.Duration(p.ToNS)))
}

// someOf lists a few names and counts the others.
func someOf(names []string) string {
	const few = 3
	if more := len(names) - few; more > 0 {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return andList(names)
}
