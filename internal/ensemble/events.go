package ensemble

import (
	"math"

	"simrun/internal/result"
	"simrun/internal/stat"
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
		counts, seeds := make([]int64, len(members)), make([]uint64, len(members))
		for k, m := range members {
			counts[k], seeds[k] = m.events[i], m.run.Seed
		}
		out = append(out, events(e.name, counts, seeds))
	}
	return out
}

// events sums up how often one of them happened, with the share of the seeds in which it did, rounded
// outwards to four digits.
func events(name string, counts []int64, seeds []uint64) result.SeedEvents {
	const digits = 1e4
	x := result.SeedEvents{Name: name, Counts: counts}
	var total, most int64
	for i, n := range counts {
		total += n
		if n > 0 {
			x.Seeds++
		}
		if n > most {
			most, x.Worst = n, &seeds[i]
		}
	}
	if len(counts) > 0 {
		x.Mean = float64(total) / float64(len(counts))
	}
	if len(counts) > 1 {
		low, high := stat.ClopperPearson(x.Seeds, len(counts), 1-Alpha)
		low, high = math.Floor(low*digits)/digits, math.Ceil(high*digits)/digits
		x.Low, x.High = &low, &high
	}
	return x
}
