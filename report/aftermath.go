package report

import (
	"strings"

	"simrun/internal/result"
)

// aftermath writes what avoiding the brokers of a fault cost, and how long after it all was as before.
func (p *page) aftermath(r *result.Run, f result.Fault) {
	p.wrapped("", refusedWords(f), 2, dim)
	p.wrapped("", baselineWords(r, f), 2, dim)
}

// refusedWords say how long fault tables refused the brokers of a fault, and how much of that came after
// it. They are empty if none did.
func refusedWords(f result.Fault) string {
	var refused, starved int64
	for _, e := range f.Effects {
		refused += e.AvoidedNS
		starved += e.StarvedNS
	}
	if refused == 0 {
		return ""
	}
	words := "refused by fault tables for " + span(refused) + ", summed over instances"
	if len(f.Effects) > 1 {
		words += " and brokers"
	}
	if per, ok := f.IsolationPerFault(); ok {
		words += ": an instance, in the mean, for " + number(per) + " s per second of the fault"
	}
	if starved > 0 {
		words += "; " + span(starved) + " of it after its end (starved)"
	}
	return words
}

// baselineWords say how long after the end of a fault the service was as good as before it.
func baselineWords(r *result.Run, f result.Fault) string {
	if f.Baseline == nil || f.ToNS >= r.SimulatedNS {
		return ""
	}
	if f.Baseline.Reason != "" {
		return "whether all came back to what was before can't be told: " + f.Baseline.Reason
	}
	sides := []struct {
		name string
		ns   *int64
	}{{"success", f.Baseline.SuccessNS}, {"p99", f.Baseline.P99NS}, {"its share of sends", f.Baseline.ShareNS}}
	var parts, never []string
	late := false
	for _, s := range sides {
		switch {
		case s.ns == nil:
			never = append(never, s.name)
		case *s.ns == 0:
			parts = append(parts, s.name+" at once")
		default:
			late = true
			parts = append(parts, s.name+" after "+span(*s.ns))
		}
	}
	switch {
	case len(parts) == len(sides) && !late:
		return "back to what was before at its end"
	case len(parts) == 0:
		return "not back to what was before, in this run"
	}
	words := "back to what was before: " + strings.Join(parts, ", ")
	if len(never) > 0 {
		words += "; not in this run: " + strings.Join(never, ", ")
	}
	return words
}

// probes writes what the detectors of producers asked the brokers, and how often a selector had nothing
// left but a broker that its table refused.
func (p *page) probes(r *result.Run) {
	var asked, fell []string
	var took int64
	for _, b := range r.Brokers {
		if b.Phase != result.PhaseAll {
			continue
		}
		name := brief(b.Name, longestLabel)
		if b.Probes > 0 {
			part := name + " " + count(b.Probes)
			if b.ProbesFailed > 0 {
				part += " (" + count(b.ProbesFailed) + " failed)"
			}
			asked, took = append(asked, part), took+b.ProbeNS
		}
		if b.Fallbacks > 0 {
			fell = append(fell, name+" "+count(b.Fallbacks))
		}
	}
	if len(asked)+len(fell) > 0 {
		p.gap()
	}
	if len(asked) > 0 {
		const lead = "probes: "
		p.wrapped(lead, listed(asked, 6)+"; they took "+span(took)+" in all", len(lead), plain)
	}
	if len(fell) > 0 {
		const lead = "against the fault table: "
		words := "attempts for want of another broker: " + listed(fell, 6)
		p.wrapped(p.paint(lead, doubtful), words, len(lead), plain)
	}
}
