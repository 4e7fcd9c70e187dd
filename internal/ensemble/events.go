package ensemble

import (
	"math"

	"simrun/internal/result"
)

// seedEvents are what should never happen, by name.
var seedEvents = []struct {
	name, phase string
	of          func(result.Stats) int64
}{
	{"acked_lost", result.PhaseAll, func(s result.Stats) int64 { return s.AckedLost }},
	{"lost", result.PhaseAll, func(s result.Stats) int64 { return s.Lost }},
	{"stranded", result.PhaseAll, func(s result.Stats) int64 { return s.Stranded }},
	{"extra_copies", result.PhaseAll, func(s result.Stats) int64 { return s.ExtraCopies }},
	{"failed_before", result.PhaseBefore, func(s result.Stats) int64 {
		return s.Failed
	}},
}

// eventsOf counts them over the runs.
func eventsOf(members []*Member) []result.SeedEvents {
	out := []result.SeedEvents{}
	for i, e := range seedEvents {
		if e.phase == result.PhaseBefore && len(members[0].run.Faults) == 0 {
			continue // there is nothing to be before of
		}
		x := result.SeedEvents{Name: e.name}
		var total, most int64
		for _, m := range members {
			n := m.events[i]
			x.Counts = append(x.Counts, n)
			total += n
			if n > 0 {
				x.Seeds++
			}
			if n > most {
				most, x.Worst = n, &m.run.Seed
			}
		}
		x.Mean = float64(total) / float64(len(members))
		if len(members) > 1 {
			low, high := clopperPearson(x.Seeds, len(members))
			x.Low, x.High = &low, &high
		}
		out = append(out, x)
	}
	return out
}

// clopperPearson are the ends of the exact 95 % interval of a share of which k of n was seen, rounded
// outwards to four digits.
//
// Source: Clopper & Pearson, "The use of confidence or fiducial limits illustrated in the case of the
// binomial", 1934.
func clopperPearson(k, n int) (low, high float64) {
	const tail, steps, digits = 0.025, 40, 1e4
	// tailOf falls with p: the chance of at most k.
	solve := func(k int, want float64) float64 {
		lo, hi := 0.0, 1.0
		for range steps {
			if mid := (lo + hi) / 2; atMost(k, n, mid) > want {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	low, high = 0, 1
	if k > 0 {
		low = math.Floor(solve(k-1, 1-tail)*digits) / digits
	}
	if k < n {
		high = math.Ceil(solve(k, tail)*digits) / digits
	}
	return low, high
}

// atMost is the chance that at most k of n happen, each with chance p.
func atMost(k, n int, p float64) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	sum := 0.0
	for i := range k + 1 {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}
