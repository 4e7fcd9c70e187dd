package ensemble

import (
	"cmp"
	"slices"

	"simrun/internal/result"
	"simrun/internal/stat"
)

// events fills in what should never happen: on how many seeds it did, in each variant, and on how many it did
// more often in one of a pair. A median over the seeds would hide what happens in less than half of them.
func (c *comparing) events(out *result.Comparison) {
	var family [][]float64
	var of []*result.PairedSeeds
	for _, e := range seedEvents {
		x := result.PairedEvents{Name: e.name, Against: make([]result.PairedSeeds, len(c.variants))}
		for _, v := range out.Variants {
			i := slices.IndexFunc(v.Set.Events, func(s result.SeedEvents) bool { return s.Name == e.name })
			if i >= 0 {
				x.ByVariant = append(x.ByVariant, v.Set.Events[i])
			}
		}
		if len(x.ByVariant) < len(c.variants) {
			continue // not all variants have faults to be before of
		}
		base := x.ByVariant[c.opt.Reference].Counts
		for v := range x.Against {
			if v == c.opt.Reference {
				continue
			}
			d := moreOften(x.ByVariant[v].Counts, base)
			p := &x.Against[v]
			p.Fewer, p.More, _ = stat.Signs(d)
			family, of = append(family, d), append(of, p)
		}
		out.Events = append(out.Events, x)
	}
	p := make([]float64, len(family))
	for i, d := range family {
		p[i] = stat.SignTest(d)
	}
	needed := stat.SeedsNeeded(len(family), c.opt.Alpha)
	for i, adjusted := range stat.Holm(p) {
		x := of[i]
		x.P, x.Adjusted = p[i], adjusted
		shown := 0
		if adjusted <= c.opt.Alpha {
			if shown = 1; x.Fewer > x.More {
				shown = -1
			}
		}
		x.Outcome = outcome(shown, result.LowerIsBetter, len(c.seeds), needed)
	}
}

// moreOften is, by seed, 1 where the variant counts more than the reference, -1 where it counts less, else 0.
// How many more is left out: one seed with a thousand is still one incident.
func moreOften(counts, base []int64) []float64 {
	d := make([]float64, len(counts))
	for i := range d {
		d[i] = float64(cmp.Compare(counts[i], base[i]))
	}
	return d
}
