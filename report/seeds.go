package report

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/result"
)

// SeedsTable writes what [SeedsText] does, of runs that are at hand.
func SeedsTable(w io.Writer, runs []*result.Run, opt TextOptions) error {
	seeds := make([]*Seed, len(runs))
	for i, r := range runs {
		seeds[i] = SeedOf(r)
	}
	return SeedsText(w, NewSeedSet(seeds, len(runs)), opt)
}

// SeedsText writes the same scenario run with several seeds: a line for each run and the spread under them,
// of all messages but those of the warm-up; the spread in each phase and of each fault, with the worst seed;
// how often what should never happen did; how often each expectation held; and the verdict of all of them on
// the last line.
func SeedsText(w io.Writer, set *result.SeedSet, opt TextOptions) error {
	p := &page{opt: opt}
	if set == nil {
		p.line("no runs")
		return p.flush(w)
	}
	p.seedsHeader(set)
	if len(set.Runs) > 0 {
		p.seedsTable(set)
		p.seedsPhases(set)
		p.seedsEvents(set)
		p.warnings(&result.Run{Warnings: set.Warnings, NotModelled: set.NotModelled})
		p.seedsExpectations(set)
	}
	p.gap()
	text, k := seedsVerdict(set)
	p.wrapped("", text, 0, k)
	return p.flush(w)
}

// Overall is the verdict of several runs: an expectation holds if it holds on each.
func Overall(runs []*result.Run) result.Verdict {
	v := result.NoExpectations
	for _, r := range runs {
		switch {
		case r.Verdict == result.Failed || v == result.Failed:
			v = result.Failed
		case r.Verdict == result.Undecided || v == result.Undecided:
			v = result.Undecided
		case r.Verdict == result.Passed:
			v = result.Passed
		}
	}
	return v
}

func (p *page) seedsHeader(set *result.SeedSet) {
	seeds := plural(int64(set.Asked), "seed")
	if len(set.Runs) > 1 {
		seeds += " (" + seedList(set) + ")"
	}
	parts := append([]string{set.Scenario, headWords(set.Setup), seeds}, worldWords(set.Setup)...)
	p.fields(append(parts, seconds(set.DurationNS)+" each"))
	p.wrapped("", set.Story, 0, dim)
	p.producers(set.Setup)
	if n := set.Asked - len(set.Runs); n > 0 {
		p.wrapped("", plural(int64(n), "seed")+" did not come to the end of the run: all numbers are of the "+
			"others.", 0, doubtful)
	}
}

// seedList names the seeds of a set: "1..3, 7".
func seedList(set *result.SeedSet) string {
	seeds := make([]uint64, len(set.Runs))
	for i, r := range set.Runs {
		seeds[i] = r.Seed
	}
	return listed(strings.Split(seedRanges(seeds), ","), 6)
}

// seedRanges are seeds as they are asked for: "1..3,7".
func seedRanges(seeds []uint64) string {
	var parts []string
	for i := 0; i < len(seeds); {
		j := i
		for j+1 < len(seeds) && seeds[j+1] == seeds[j]+1 {
			j++
		}
		text := strconv.FormatUint(seeds[i], 10)
		if j > i {
			text += ".." + strconv.FormatUint(seeds[j], 10)
		}
		parts = append(parts, text)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// slowest is the maximum over faults and brokers: +∞ if one never came, NaN if there is none.
func slowest(
	r *result.Run, of func(result.Fault, result.FaultEffect) (result.Spread, bool),
) float64 {
	most := math.NaN()
	for _, f := range r.Faults {
		for _, e := range f.Effects {
			s, ok := of(f, e)
			switch {
			case !ok || s.Instances == 0:
				continue
			case s.MaxNS == nil:
				return math.Inf(1)
			case !(most >= float64(*s.MaxNS)): // also when most is NaN
				most = float64(*s.MaxNS)
			}
		}
	}
	return most
}

// seedText shows a value that may not exist.
func seedText(x float64, text func(float64) string) string {
	switch {
	case math.IsNaN(x):
		return none
	case math.IsInf(x, 1):
		return "never"
	}
	return text(x)
}

// spread3 is the minimum, nearest-rank median and maximum of the values that exist, and their
// number.
func spread3(values []float64) (low, median, high float64, n int) {
	var v []float64
	for _, x := range values {
		if !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	if len(v) == 0 {
		return math.NaN(), math.NaN(), math.NaN(), 0
	}
	slices.Sort(v)
	return v[0], v[(len(v)-1)/2], v[len(v)-1], len(v)
}
