package report

import (
	"math"
	"strings"

	"simrun/internal/result"
)

// faultTrack is the fault timeline: rows over one axis of time.
type faultTrack struct {
	Rows  []trackRow
	Ticks []trackTick
}

// trackRow is a fault, or the phases, as a row of bars.
type trackRow struct {
	// Mark is the number of the fault in the drawings, empty for the row of phases.
	Mark, Name, What, When string
	Bars                   []trackBar
}

// trackBar is a stretch, in percent of the run.
type trackBar struct {
	X, Width float64
	Class    string
}

// trackTick is a label on the axis; Class says where it is held: "first", "last" or in the middle.
type trackTick struct {
	X           float64
	Text, Class string
}

// faultTrackOf draws the faults of a run over its time.
func faultTrackOf(r *result.Run) faultTrack {
	end := r.SimulatedNS
	if end <= 0 {
		end = max(r.DurationNS, 1)
	}
	at := func(ns int64) float64 { return math.Round(float64(min(ns, end))/float64(end)*1e4) / 100 }
	bar := func(from, to int64, class string) trackBar {
		const least = 0.25 // a strike of a moment is seen, too
		x := math.Min(at(from), 100-least)
		return trackBar{x, math.Max(at(to)-x, least), class}
	}
	var t faultTrack
	if r.WarmupNS > 0 {
		t.Rows = append(t.Rows, trackRow{
			Name: "warm-up", What: "not counted in any phase", When: interval(0, min(r.WarmupNS, end)),
			Bars: []trackBar{bar(0, r.WarmupNS, "warmup")},
		})
	}
	for i, f := range r.Faults {
		row := trackRow{
			Mark: faultMark(i), Name: f.Name, What: kindWords(f) + " of " + targetWords(f), When: whenWords(r, f),
		}
		if words := strikesWords(f); words != "" {
			row.When += ", " + words
		}
		switch shade := shadeOf(f, end); {
		case !f.Began:
			row.When += ": the run ended before it began"
		case len(shade) > 0:
			for _, s := range shade {
				row.Bars = append(row.Bars, bar(s[0], s[1], "fault"))
			}
		default:
			row.Bars = append(row.Bars, bar(f.FromNS, f.ToNS, "fault"))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Ticks = trackTicks(end, at)
	return t
}

// trackTicks are a few round times; the one at the end is that of the run.
func trackTicks(end int64, at func(int64) float64) []trackTick {
	const about, apart = 6, 7
	step := roundStep(float64(end)/1e9/about) * 1e9
	ticks := []trackTick{{0, "0", "first"}}
	for k := 1.0; k*step < float64(end); k++ {
		if x := at(int64(k * step)); x < 100-apart && x > apart {
			ticks = append(ticks, trackTick{x, strings.TrimSuffix(seconds(int64(k*step)), " s"), ""})
		}
	}
	return append(ticks, trackTick{100, seconds(end), "last"})
}

// faultMark is the number that a fault has in the drawings of the page.
func faultMark(i int) string { return count(int64(i + 1)) }
