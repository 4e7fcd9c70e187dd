package report

import (
	"math"
	"slices"

	"simrun/internal/result"
)

// routeWords say what became of the routes of producers from the beginning of a fault to the next one,
// or to the end: of how many instances the publish list lost a broker, or got one. They are empty if the
// windows show no change.
func routeWords(r *result.Run, f result.Fault) string {
	to := r.SimulatedNS
	for _, next := range r.Faults {
		if next.FromNS > f.FromNS {
			to = min(to, next.FromNS)
		}
	}
	instances := 0
	for _, g := range r.Setup.Producers {
		instances += g.Count
	}
	var lost, got []string
	mostLost, mostGot := 0.0, 0.0
	for b, name := range r.Series.Brokers {
		before, least, most := routed(r, b, f.FromNS, to)
		if before > least {
			lost, mostLost = append(lost, name), max(mostLost, before-least)
		}
		if most > before {
			got, mostGot = append(got, name), max(mostGot, most-before)
		}
	}
	part := func(share float64) string {
		return count(int64(math.Round(share*float64(instances)))) + " of " +
			plural(int64(instances), "producer instance")
	}
	words := ""
	if len(lost) > 0 {
		words += "; by " + seconds(to) + " the routes of " + part(mostLost) + " had lost " + listed(lost, 4)
	}
	if len(got) > 0 {
		words += "; by " + seconds(to) + " those of " + part(mostGot) + " had got " + listed(got, 4)
	}
	return words
}

// routed is the share of producer instances whose publish list has a broker: before a stretch of time,
// and the least and the most in it, at the ends of windows. Without a window before, nothing changed.
func routed(r *result.Run, broker int, from, to int64) (before, least, most float64) {
	known := false
	for i := range r.Series.Windows {
		w := &r.Series.Windows[i]
		share, end := w.Routed[broker], w.FromNS+r.Series.WindowNS
		switch {
		case end <= from:
			before, least, most, known = share, share, share, true
		case known && end <= to:
			least, most = min(least, share), max(most, share)
		}
	}
	return before, least, most
}

// shiftedBrokers are the brokers that no fault strikes whose share of the attempts moved by more than
// a twentieth of all, in the phase of a fault that strikes no broker or in its recovery.
func shiftedBrokers(r *result.Run) []string {
	struck := r.FaultedBrokers()
	share := func(phase, broker string) (float64, bool) {
		for _, b := range r.Brokers {
			if b.Phase == phase && b.Name == broker {
				return b.Share, anyAttempt(r, phase)
			}
		}
		return 0, false
	}
	moved := func(f result.Fault, broker string) bool {
		const much = 0.05
		before, ok := share(result.PhaseBefore, broker)
		if !ok || len(f.Effects) > 0 {
			return false
		}
		return slices.ContainsFunc([]string{result.FaultPrefix, result.RecoveryPrefix}, func(p string) bool {
			now, ok := share(p+f.Name, broker)
			return ok && math.Abs(now-before) > much
		})
	}
	var names []string
	for _, name := range r.BrokerNames() {
		if !slices.Contains(struck, name) && slices.ContainsFunc(r.Faults,
			func(f result.Fault) bool { return moved(f, name) }) {
			names = append(names, name)
		}
	}
	return names
}
