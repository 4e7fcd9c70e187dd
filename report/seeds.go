package report

import (
	"io"
	"math"
	"strconv"
	"strings"

	"simrun/internal/result"
)

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

func (p *page) seedsHeader(set *result.SeedSet) {
	seeds := plural(int64(set.Asked), "seed")
	if len(set.Runs) > 1 {
		seeds += " (" + seedList(set) + ")"
	}
	parts := append([]string{set.Title(), headWords(set.Setup), seeds}, worldWords(set.Setup)...)
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

// spread3 is the minimum, nearest-rank median and maximum of the values that exist, and their number.
func spread3(values []float64) (low, median, high float64, n int) {
	return result.LeastMedianMost(values)
}
