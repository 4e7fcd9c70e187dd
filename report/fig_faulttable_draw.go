package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// levelsOf are the entries of latencyMax of all groups, from low to high.
func levelsOf(s result.Setup) []int64 {
	var levels []int64
	for _, g := range s.Producers {
		levels = append(levels, g.LatencyMaxNS...)
	}
	slices.Sort(levels)
	return slices.Compact(levels)
}

// tableDrawing is the drawing of the blocks, in points from the top.
type tableDrawing struct {
	end    int64
	levels []int64
	blocks []tableBlock
	row    vg.Length // height of a row
	height vg.Length
	named  bool // there are several producer groups
}

const (
	blockGap = 9 // between blocks
	groupGap = 3 // between groups of a block
)

// place finds the heights.
func (d *tableDrawing) place() {
	rows := 0
	for _, b := range d.blocks {
		for _, g := range b.groups {
			rows += g.shown
		}
	}
	const all, least, most = 320, 2.4, 13
	d.row = min(most, max(least, all/vg.Length(max(1, rows))))
	d.each(func(_ tableBlock, _, foot vg.Length) { d.height = max(d.height, foot) }, nil)
	d.height += 3
}

// each calls block with the top and the foot of each block, and group with those of each group in it.
func (d *tableDrawing) each(
	block func(b tableBlock, top, foot vg.Length), group func(g tableGroup, top vg.Length),
) {
	const least = 11 // a block has room for its name
	y := vg.Length(3)
	for _, b := range d.blocks {
		top := y
		for i, g := range b.groups {
			if i > 0 {
				y += groupGap
			}
			if group != nil {
				group(g, y)
			}
			y += d.row * vg.Length(g.shown)
		}
		y = max(y, top+least)
		if block != nil {
			block(b, top, y)
		}
		y += blockGap
	}
}

// names are the names of the brokers beside their blocks.
func (d *tableDrawing) names(t *timeline) brokerTicks {
	var ticks brokerTicks
	d.each(func(b tableBlock, top, foot vg.Length) {
		ticks = append(ticks, plot.Tick{
			Value: float64(d.height - (top+foot)/2), Label: t.laneName(b.broker),
		})
	}, nil)
	return ticks
}

// counts are how often each block, or each group in it, was avoided.
func (d *tableDrawing) counts() []directLabel {
	var labels []directLabel
	d.each(nil, func(g tableGroup, top vg.Length) {
		text := stretches(g.isolations)
		if g.isolations == 0 {
			text = "never avoided"
		}
		if d.named {
			text = g.name + ": " + count(int64(g.isolations)) + "×"
		}
		if g.unexplained > 0 {
			text += ", " + count(int64(g.unexplained)) + " false"
		}
		mid := top + d.row*vg.Length(g.shown)/2
		labels = append(labels, directLabel{text: text, at: float64(d.height - mid)})
	})
	const apart = 10
	if vg.Length(len(labels))*apart > d.height {
		return nil
	}
	return labels
}

// shownWords say how many of the instances have rows, by group.
func (d *tableDrawing) shownWords() string {
	groups := d.blocks[0].groups
	words := ""
	for i, g := range groups {
		if i > 0 {
			words += ", "
		}
		if d.named {
			words += g.name + " "
		}
		words += count(int64(g.shown)) + " of " + count(int64(g.count))
	}
	return " (" + words + ")"
}

// Plot implements plot.Plotter.
func (d tableDrawing) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	at := func(ns int64) vg.Length { return x(float64(ns) / 1e9) }
	d.each(func(b tableBlock, top, foot vg.Length) {
		for _, s := range b.struck {
			const least = 0.8
			x0 := at(s[0])
			box(c, faultBand, x0, c.Max.Y-foot-2, max(at(s[1]), x0+least), c.Max.Y-top+2)
		}
		edge := c.Max.Y - foot - blockGap/2
		rule(c, line(gray(0xB0), 0.5), c.Min.X, edge, c.Max.X, edge)
	}, nil)
	d.each(nil, func(g tableGroup, top vg.Length) {
		for i, row := range g.rows {
			y1 := c.Max.Y - top - d.row*vg.Length(i)
			for _, s := range row {
				d.bar(c, s, at, y1-d.row+d.row/8, y1-d.row/8)
			}
		}
	})
}

// bar draws one stretch between the heights y0 and y1.
func (d tableDrawing) bar(c draw.Canvas, s result.Isolation, at func(int64) vg.Length, y0, y1 vg.Length) {
	const least = 0.8
	x0 := at(s.FromNS)
	x1 := max(at(min(s.UntilNS, d.end)), x0+least)
	fill := d.fill(s.LevelNS)
	drawStretch(c, s, fill, x0, y0, x1, y1)
	if s.UntilNS > d.end {
		mid, tip := (y0+y1)/2, x1+min(5, (y1-y0))
		c.FillPolygon(fill, []vg.Point{{X: x1, Y: y0}, {X: tip, Y: mid}, {X: x1, Y: y1}})
	}
	const readable = 9
	if y1-y0 < readable {
		return
	}
	sty := textStyle(labelSize, false, white)
	if d.step(s.LevelNS) < 4 || s.Unreachable {
		sty.Color = textInk
	}
	words := span(s.LatencyNS) + " → " + span(s.NotAvailableNS)
	if s.Isolated {
		words += " (isolated)"
	}
	if sty.Width(words)+8 <= x1-x0 && s.Explained {
		c.FillText(sty, vg.Point{X: x0 + 5, Y: (y0 + y1) / 2}, words)
	}
}

// drawStretch draws a bar with the marks of its kind: hollow if the broker was unreachable, with a black
// edge where the client told the table of an isolation, hatched if no fault explains it.
func drawStretch(c draw.Canvas, s result.Isolation, fill colour, x0, y0, x1, y1 vg.Length) {
	if s.Unreachable {
		box(c, translucent(fill, 0x50), x0, y0, x1, y1)
		const w = 0.8
		ring := []vg.Point{
			{X: x0 + w/2, Y: y0 + w/2},
			{X: x1 - w/2, Y: y0 + w/2},
			{X: x1 - w/2, Y: y1 - w/2},
			{X: x0 + w/2, Y: y1 - w/2},
			{X: x0 + w/2, Y: y0 + w/2},
		}
		if x1-x0 > 2*w {
			c.StrokeLines(line(fill, w), ring)
		}
	} else {
		box(c, fill, x0, y0, x1, y1)
	}
	if !s.Explained {
		same := func(v float64) vg.Length { return vg.Length(v) }
		run := []step{{x0: float64(x0), x1: float64(x1), lo: float64(y0), hi: float64(y1)}}
		part := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: y0}, Max: vg.Point{X: c.Max.X, Y: y1},
		}}
		hatch(part, line(black, 0.6), run, same, same)
	}
	if s.Isolated {
		const edge, air = 1.4, 0.8
		if x1-x0 > 2*(edge+air) {
			box(c, white, x0, y0, x0+edge+air, y1)
		}
		box(c, black, x0, y0, min(x0+edge, x1), y1)
	}
}

// step is the place of a level among the colours.
func (d tableDrawing) step(level int64) int {
	n := len(d.levels)
	i, _ := slices.BinarySearch(d.levels, level)
	i = min(i, max(0, n-1))
	if n < 2 {
		return len(levelFills) / 2
	}
	return i * (len(levelFills) - 1) / (n - 1)
}

func (d tableDrawing) fill(level int64) colour { return levelFills[d.step(level)] }

// legend explains the colours and the marks that occur. brokers is how many were avoided.
func (d tableDrawing) legend(brokers int) []legendEntry {
	var all []result.Isolation
	shown, struck := 0, false
	for _, b := range d.blocks {
		n := len(all)
		for _, g := range b.groups {
			for _, row := range g.rows {
				all = append(all, row...)
			}
		}
		struck = struck || len(b.struck) > 0
		if len(all) > n {
			shown++
		}
	}
	entries := []legendEntry{{text: "latencyMax reached, avoided for:"}}
	entries = append(entries, d.levelEntries(all)...)
	mark := func(text string, s result.Isolation) {
		entries = append(entries, legendEntry{text: text, sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
			drawStretch(c, s, levelFills[3], x0, y0, x1, y1)
		}})
	}
	some := slices.ContainsFunc[[]result.Isolation]
	if some(all, func(s result.Isolation) bool { return s.Isolated }) {
		mark("isolated: the true latency was not told", result.Isolation{Isolated: true, Explained: true})
	}
	if some(all, func(s result.Isolation) bool { return s.Unreachable }) {
		mark("not reachable", result.Isolation{Unreachable: true, Explained: true})
	}
	if some(all, func(s result.Isolation) bool { return !s.Explained }) {
		mark("falsely: no fault of the broker explains it", result.Isolation{})
	}
	if some(all, func(s result.Isolation) bool { return s.UntilNS > d.end }) {
		entries = append(entries, legendEntry{text: "still avoided at the end", sample: openSample})
	}
	if struck {
		entries = append(entries, legendEntry{text: "fault of the broker", fill: faultBand})
	}
	if more := brokers - shown; more > 0 {
		entries = append(entries, legendEntry{text: plural(int64(more), "more broker") + " avoided, not shown"})
	}
	return entries
}

// openSample is a bar that goes on.
func openSample(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
	fill := levelFills[3]
	box(c, fill, x0, y0, x1-5, y1)
	c.FillPolygon(fill, []vg.Point{{X: x1 - 5, Y: y0}, {X: x1, Y: (y0 + y1) / 2}, {X: x1 - 5, Y: y1}})
}

// levelEntries are the samples of the levels that occur, from low to high, with how long a broker is
// avoided for each.
func (d tableDrawing) levelEntries(all []result.Isolation) []legendEntry {
	var entries []legendEntry
	for _, level := range d.levels {
		var took []int64
		for _, s := range all {
			if s.LevelNS == level {
				took = append(took, s.NotAvailableNS)
			}
		}
		if len(took) == 0 {
			continue
		}
		slices.Sort(took)
		words := exact(level) + " → " + exact(took[0])
		if last := took[len(took)-1]; last != took[0] {
			words += " to " + exact(last)
		}
		entries = append(entries, legendEntry{text: words, fill: d.fill(level)})
	}
	return entries
}
