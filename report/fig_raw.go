package report

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// sendClass is a kind of message in the scatter plot: an outcome with its colour.
type sendClass struct {
	name string
	is   func(result.SampledSend) bool
	fill colour
}

// sendClasses are the outcomes; a message is of the first class that it fits.
var sendClasses = []sendClass{
	{"acked, then lost", func(s result.SampledSend) bool { return s.Lost }, black},
	{"failed", func(s result.SampledSend) bool { return s.Outcome == "failed" }, okabeVermilion},
	{"ok, weaker status", func(s result.SampledSend) bool { return s.Outcome == "ok_status" }, okabeYellow},
	{"handed over", func(s result.SampledSend) bool { return s.Outcome == "handed_over" }, okabeGreen},
	{"ok after retry", func(s result.SampledSend) bool { return s.Attempts > 1 }, okabeOrange},
	{"ok", func(s result.SampledSend) bool { return true }, translucent(okabeBlue, 0x90)},
}

// mostShapes is how many numbers of attempts have a shape of their own: the last stands for more, too.
const mostShapes = 3

// scatter are the marks of one class and number of attempts.
type scatter struct {
	class, shape int
	n            int64
	at           []vg.Point // x in seconds, y in ms
}

// LatencyRaw draws single messages, as far as the results have them: when each was to be sent and how long
// it took, the colour is the outcome and the shape the number of attempts. What is rare is drawn on top. It
// is nil if the results have no messages. It has too many marks for an SVG.
func LatencyRaw(r *result.Run) *Figure {
	if len(r.Sample.Sends) == 0 {
		return nil
	}
	t := newTimeline(r)
	groups := scatters(r.Sample.Sends)
	p := t.panel("send latency by intended send time, retries included, ms (log), one mark for each message: "+
		count(int64(len(r.Sample.Sends)))+" of "+count(r.Sample.Of), 300, true)
	p.plot.Y.Scale, p.plot.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	lo, hi := math.Inf(1), 0.0
	for _, g := range groups {
		for _, a := range g.at {
			lo, hi = min(lo, float64(a.Y)), max(hi, float64(a.Y))
		}
		p.plot.Add(g)
	}
	p.plot.Y.Min, p.plot.Y.Max = logRange(lo, hi)
	p.legend = rawLegend(groups)
	t.panels = []panel{p}
	t.foot = rawFoot(r.Sample)
	title := "Single messages: those that failed or were retried, and some of the others"
	if r.Sample.Dropped > 0 {
		title = "Single messages: some of those that failed or were retried, and of the others"
	}
	if len(groups) == 1 && groups[0].class == len(sendClasses)-1 {
		title = "Single messages: how long some of them took"
	}
	f := t.figure("latency-raw", title, rawCaption(r))
	f.Raster = true
	return f
}

// scatters sorts messages into groups, the largest first, so that it is drawn below the others.
func scatters(sends []result.SampledSend) []scatter {
	groups := make([]scatter, len(sendClasses)*mostShapes)
	for i := range groups {
		groups[i].class, groups[i].shape = i/mostShapes, i%mostShapes
	}
	for _, s := range sends {
		class := slices.IndexFunc(sendClasses, func(c sendClass) bool { return c.is(s) })
		g := &groups[class*mostShapes+max(1, min(s.Attempts, mostShapes))-1]
		g.n++
		const least = 1e-3 // a log axis has no zero
		g.at = append(g.at, vg.Point{
			X: vg.Length(float64(s.ScheduledNS) / 1e9),
			Y: vg.Length(max(float64(s.LatencyNS)/1e6, least)),
		})
	}
	groups = slices.DeleteFunc(groups, func(g scatter) bool { return g.n == 0 })
	slices.SortStableFunc(groups, func(a, b scatter) int { return cmp.Compare(b.n, a.n) })
	return groups
}

// Plot implements plot.Plotter. Marks that would cover each other are drawn once.
func (g scatter) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const grain = 0.5 // a pixel is as large
	seen := make(map[[2]int]bool, len(g.at))
	var marks []vg.Point
	for _, a := range g.at {
		at := vg.Point{X: x(float64(a.X)), Y: y(float64(a.Y))}
		cell := [2]int{int(at.X / grain), int(at.Y / grain)}
		if !seen[cell] {
			seen[cell] = true
			marks = append(marks, at)
		}
	}
	c.SetColor(sendClasses[g.class].fill)
	// Many marks in one path, and those near each other: the renderer sorts along each line of pixels.
	slices.SortStableFunc(marks, func(a, b vg.Point) int { return cmp.Compare(a.X, b.X) })
	for some := range slices.Chunk(marks, 100) {
		var path vg.Path
		for _, at := range some {
			path = addMark(path, g.shape, at)
		}
		c.Fill(path)
	}
}

// addMark adds a mark to a path: a small diamond for one attempt, a triangle for two, a square for more.
func addMark(path vg.Path, shape int, at vg.Point) vg.Path {
	var corners []vg.Point
	switch shape {
	case 0:
		const r = 1
		corners = []vg.Point{{X: -r}, {Y: -r}, {X: r}, {Y: r}}
	case 1:
		const r = 2.2
		corners = []vg.Point{{X: -r, Y: -r * 0.7}, {X: r, Y: -r * 0.7}, {Y: r}}
	default:
		const r = 1.9
		corners = []vg.Point{{X: -r, Y: -r}, {X: r, Y: -r}, {X: r, Y: r}, {X: -r, Y: r}}
	}
	for i, k := range corners {
		to := vg.Point{X: at.X + k.X, Y: at.Y + k.Y}
		if i == 0 {
			path.Move(to)
		} else {
			path.Line(to)
		}
	}
	path.Close()
	return path
}

// markSample is a mark in a legend.
func markSample(shape int, fill colour) func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
	return func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
		c.SetColor(fill)
		c.Fill(addMark(nil, shape, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}))
	}
}

// rawLegend lists the outcomes with how many of them are drawn, in the order in which they lie above each
// other, then the shapes.
func rawLegend(groups []scatter) []legendEntry {
	type row struct {
		class  int
		n      int64
		height float64 // of all marks, as logarithms
	}
	var rows []row
	most := 0
	for i := range sendClasses {
		r := row{class: i}
		for _, g := range groups {
			if g.class != i {
				continue
			}
			most = max(most, g.shape)
			r.n += g.n
			for _, a := range g.at {
				r.height += math.Log(float64(a.Y))
			}
		}
		if r.n > 0 {
			r.height /= float64(r.n)
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.height, a.height) })
	var entries []legendEntry
	for _, r := range rows {
		class := sendClasses[r.class]
		entries = append(entries, legendEntry{
			text: class.name, sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
				box(c, class.fill, x0+3, y0, x1-3, y1)
			},
		}, legendEntry{text: count(r.n) + " drawn", sample: noSample})
	}
	for shape, words := range []string{"1 attempt", "2 attempts", "3 or more"} {
		if shape <= most {
			entries = append(entries, legendEntry{text: words, sample: markSample(shape, gray(0x50))})
		}
	}
	return entries
}

// rawFoot says how the messages were chosen.
func rawFoot(sample result.SendSample) []legendEntry {
	var notes []legendEntry
	switch slow := max(1, sample.SlowEvery); {
	case sample.Every > 1 && slow != sample.Every:
		share := "all"
		if slow > 1 {
			share = "one in " + count(slow)
		}
		notes = append(notes, legendEntry{
			text: "of the messages that went well at once, one in " + count(sample.Every) + " is drawn, " +
				"of those of 50 ms or more " + share,
		})
	case sample.Every > 1:
		notes = append(notes, legendEntry{
			text: "of the messages that went well at once, one in " + count(sample.Every) + " is drawn",
		})
	}
	words := "all that failed or were retried are drawn"
	if notes == nil {
		words = "all messages are drawn"
	}
	if sample.Dropped > 0 {
		words = count(sample.Dropped) + " that failed or were retried had no room"
	}
	return append(notes, legendEntry{text: words})
}

// rawCaption says what the slowest of those that failed, or of all, took.
func rawCaption(r *result.Run) string {
	var failed, slowest result.SampledSend
	n := int64(0)
	for _, s := range r.Sample.Sends {
		if s.Outcome == "failed" {
			n++
			if s.LatencyNS > failed.LatencyNS {
				failed = s
			}
		}
		if s.LatencyNS > slowest.LatencyNS {
			slowest = s
		}
	}
	if n > 0 {
		return "Of the messages drawn " + count(n) + " failed; the one that took longest, of " + failed.Producer +
			" at " + at(failed.ScheduledNS) + ", cost its caller " + duration(failed.LatencyNS) + "."
	}
	return "The slowest message drawn, of " + slowest.Producer + " at " + at(slowest.ScheduledNS) + ", took " +
		duration(slowest.LatencyNS) + "; none of those drawn failed."
}

// at is a point of simulated time.
func at(ns int64) string { return seconds(ns / 1_000_000 * 1_000_000) }
