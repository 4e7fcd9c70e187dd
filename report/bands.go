package report

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// band is a labelled stretch of time that runs through all panels of a figure.
type band struct {
	from, to int64
	// spans are the strikes of a fault that can strike more than once, for the bar under the label.
	spans [][2]int64
	// shade is what the band covers, where that is known and not all of it: the strikes, or the time in
	// which struck processes did not serve.
	shade [][2]int64
	label string
	fill  color.Color
	ink   color.Color
	// starts and ends: whether that edge is an event and not just an end of the picture.
	starts, ends bool
	lane         int
}

// laneHeight is the height of a lane of labels above the panels; at most mostLanes are drawn. Below the
// last one is laneGap, so that the bar of a fault does not touch the title of a panel.
const (
	laneHeight = 14
	mostLanes  = 6
	laneGap    = 5
)

// bandsOf makes the warm-up and every fault that began into bands.
func bandsOf(r *result.Run, end int64) []band {
	var bands []band
	if r.WarmupNS > 0 {
		bands = append(bands, band{
			to: min(r.WarmupNS, end), label: "warm-up", fill: warmupBand,
			ink: quietInk,
		})
	}
	for _, f := range r.Faults {
		if !f.Began || f.FromNS > end {
			continue
		}
		bands = append(bands, band{
			from: f.FromNS, to: min(f.ToNS, end), label: faultLabel(f), spans: f.Spans, shade: shadeOf(f, end),
			fill: faultBand, ink: faultInk, starts: true, ends: f.ToNS < end,
		})
	}
	return bands
}

// shadeOf are the stretches of a fault that strikes more than once to shade; none if there are more
// than are known one by one.
func shadeOf(f result.Fault, end int64) [][2]int64 {
	const all = 200
	spans, last := f.Spans, min(f.ToNS, end)
	if len(f.Downs) > 0 { // a process may start after the end of the fault
		spans, last = f.Downs, end
	}
	if len(spans) >= all {
		return nil
	}
	var out [][2]int64
	for _, s := range spans {
		out = append(out, [2]int64{s[0], min(s[1], last)})
	}
	return out
}

// faultLabel names a fault and what it strikes.
func faultLabel(f result.Fault) string {
	label := f.Name + ": " + kindWords(f) + " of " + listed(f.Targets, 4)
	if len(f.To) > 0 {
		label += toWord(f.Kind) + listed(f.To, 2)
	}
	return label
}

// placeLabels gives each band a lane in which neither its bar nor its label touches another, and
// returns how many lanes there are. x is the place of a time, right the end of the space for
// labels.
func placeLabels(bands []band, x func(int64) vg.Length, right vg.Length) int {
	lanes := assignLanes(bands, x, right, nil)
	if lanes <= mostLanes {
		return lanes
	}
	// Some have no room: the last lane gives up its right end to their number.
	taken := make([][][2]vg.Length, mostLanes)
	taken[mostLanes-1] = [][2]vg.Length{{moreStart(len(bands), right), right + 1}}
	assignLanes(bands, x, right, taken)
	return mostLanes
}

// moreWords counts the bands without a label.
func moreWords(n int) string { return "+" + count(int64(n)) + " more" }

// moreStart is where those words begin.
func moreStart(n int, right vg.Length) vg.Length {
	return right - textStyle(labelSize, false, black).Width(moreWords(n))
}

// assignLanes places the bands beside what is taken, by lane, and returns the number of lanes.
func assignLanes(
	bands []band, x func(int64) vg.Length, right vg.Length, taken [][][2]vg.Length,
) int {
	const air = 6
	sty := textStyle(labelSize, false, black)
	for i := range bands {
		b := &bands[i]
		b.label = shorten(sty, b.label, right-x(0))
		from := labelStart(*b, sty, x, right)
		to := max(x(b.to), from+sty.Width(b.label)) + air
		from = min(from, x(b.from))
		b.lane = 0
		for b.lane < len(taken) && overlaps(taken[b.lane], from, to) {
			b.lane++
		}
		if b.lane == len(taken) {
			taken = append(taken, nil)
		}
		taken[b.lane] = append(taken[b.lane], [2]vg.Length{from, to})
	}
	return len(taken)
}

func overlaps(taken [][2]vg.Length, from, to vg.Length) bool {
	for _, t := range taken {
		if from < t[1] && t[0] < to {
			return true
		}
	}
	return false
}

// labelStart is where the label of a band begins: at the band, or further left if it would leave
// the figure.
func labelStart(b band, sty draw.TextStyle, x func(int64) vg.Length, right vg.Length) vg.Length {
	return min(x(b.from), right-sty.Width(b.label))
}

// drawBands shades the bands from their lane down to bottom.
func drawBands(c draw.Canvas, bands []band, x func(int64) vg.Length, top, bottom vg.Length) {
	for _, b := range bands {
		y := top - vg.Length(min(b.lane, mostLanes-1)+1)*laneHeight
		if len(b.shade) == 0 {
			box(c, b.fill, x(b.from), bottom, x(b.to), y)
		}
		for _, s := range b.shade {
			box(c, b.fill, x(s[0]), bottom, x(s[1]), y)
		}
	}
}

// drawEdges draws dashed lines where faults start and stop.
func drawEdges(c draw.Canvas, bands []band, x func(int64) vg.Length, top, bottom vg.Length) {
	for _, b := range bands {
		dash := draw.LineStyle{Color: b.ink, Width: 0.7, Dashes: []vg.Length{3, 2}}
		if b.starts {
			rule(c, dash, x(b.from), top, x(b.from), bottom)
		}
		if b.ends {
			rule(c, dash, x(b.to), top, x(b.to), bottom)
		}
	}
}

// drawLabels writes the names of the bands with a bar over their time. A band beyond the last
// lane is shaded all the same; there is no room for its name, but it is counted.
func drawLabels(c draw.Canvas, bands []band, x func(int64) vg.Length, top, right vg.Length) {
	more := 0
	for _, b := range bands {
		if b.lane >= mostLanes {
			more++
			continue
		}
		y := top - vg.Length(b.lane+1)*laneHeight
		sty := textStyle(labelSize, false, b.ink)
		c.FillText(sty, vg.Point{X: labelStart(b, sty, x, right), Y: y + 8}, b.label)
		if len(b.spans) == 0 {
			box(c, b.ink, x(b.from), y, x(b.to), y+2)
		}
		for _, s := range b.spans {
			const least = 0.8 // a strike of a moment is seen, too
			box(c, b.ink, x(s[0]), y, max(x(min(s[1], b.to)), x(s[0])+least), y+2)
		}
	}
	if more > 0 {
		at := vg.Point{X: moreStart(more, right), Y: top - mostLanes*laneHeight + 8}
		c.FillText(textStyle(labelSize, false, faultInk), at, moreWords(more))
	}
}
