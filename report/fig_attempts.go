package report

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// mostAttemptBars is how many numbers of attempts a small plot has room for; the last bar stands for more.
const mostAttemptBars = 6

// Attempts draws how many attempts the answered messages of each phase took: a small plot for each phase,
// with the counts. It is nil if no message was answered, or nobody counted.
func Attempts(r *result.Run) *Figure {
	rows := attemptRows(r)
	if len(rows) == 0 {
		return nil
	}
	most, first, last := int64(1), mostAttemptBars, 0
	for _, s := range rows {
		for k, n := range attemptBars(s) {
			if n > 0 {
				most, first, last = max(most, n), min(first, k), max(last, k)
			}
		}
	}
	first = min(first, 1)
	g := &cells{height: 110, yTitle: "answered messages (log)", xLabel: "attempts that the message took"}
	for _, s := range rows {
		p := plot.New()
		style(p)
		const room = 8.0 // times the highest, for its label
		p.Y.Min, p.Y.Max, p.Y.Scale = 0.7, max(10, float64(most))*room, plot.LogScale{}
		p.Y.Tick.Marker = fewLogTicks{}
		p.X.Min, p.X.Max = float64(first)-0.6, float64(max(last, first+2))+0.6
		p.X.Tick.Length = 0
		bars := attemptBars(s)
		for len(bars) <= last {
			bars = append(bars, 0)
		}
		p.X.Tick.Marker = attemptTicks(first, last, s)
		p.Add(levelGrid{}, countBars{first: first, n: bars})
		g.plots = append(g.plots, p)
		g.titles = append(g.titles, cellTitle(s.Phase, s.Answered()))
	}
	f := Figure{
		Name: "attempts", Title: "How many attempts messages take, by phase", Caption: attemptsCaption(r),
		Desc: "Bars of answered messages by their number of attempts, a small plot for each phase.",
	}
	return gridFigure(r, f, g)
}

// attemptRows are the rows of the phases that are shown, in the order of time.
func attemptRows(r *result.Run) []result.Stats {
	var rows []result.Stats
	add := func(phase string) {
		if s, ok := r.StatsOf(phase); ok && len(s.AttemptCounts) > 0 && s.Answered() > 0 {
			rows = append(rows, s)
		}
	}
	for _, phase := range phasesByAttempts(r) {
		add(phase)
	}
	if len(rows) == 0 {
		add(result.PhaseAll)
	}
	return rows
}

// phasesByAttempts names the phases; of many, before and those in which messages took most attempts.
func phasesByAttempts(r *result.Run) []string {
	var names []string
	for _, p := range reached(r) {
		if s, ok := r.StatsOf(p.Name); ok && s.Answered() > 0 &&
			p.Name != result.PhaseWarmup && p.Name != result.PhaseAll {
			names = append(names, p.Name)
		}
	}
	return mostOf(names, mostCurves, func(name string) float64 {
		if name == result.PhaseBefore {
			return math.Inf(1)
		}
		s, _ := r.StatsOf(name)
		per, _ := s.AttemptsPerMessage()
		return per
	})
}

// attemptBars are the counts, those beyond the last bar in it.
func attemptBars(s result.Stats) []int64 {
	bars := make([]int64, min(len(s.AttemptCounts), mostAttemptBars))
	for k, n := range s.AttemptCounts {
		bars[min(k, len(bars)-1)] += n
	}
	return bars
}

// attemptTicks are the numbers below the bars; the last one says "or more" if it stands for more.
func attemptTicks(first, last int, s result.Stats) brokerTicks {
	var ticks brokerTicks
	for k := first; k <= last; k++ {
		label := strconv.Itoa(k)
		if k == mostAttemptBars-1 && len(s.AttemptCounts) > mostAttemptBars {
			label += "+"
		}
		ticks = append(ticks, plot.Tick{Value: float64(k), Label: label})
	}
	return ticks
}

// levelGrid draws a light line at each label of the y axis.
type levelGrid struct{}

// Plot implements plot.Plotter.
func (levelGrid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			rule(c, line(gridInk, 0.5), c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// countBars are bars with their counts above them. What took one attempt has the colour of success at
// once, what took more that of a retry, what took none is grey.
type countBars struct {
	first int
	n     []int64
}

// Plot implements plot.Plotter.
func (b countBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = 0.36
	sty := textStyle(labelSize, false, textInk)
	sty.XAlign = draw.XCenter
	for k, n := range b.n {
		if k < b.first {
			continue
		}
		top := c.Min.Y
		if n > 0 {
			fill := okabeOrange
			switch k {
			case 0:
				fill = gray(0x90)
			case 1:
				fill = okabeBlue
			}
			top = y(float64(n))
			box(c, fill, x(float64(k)-half), c.Min.Y, x(float64(k)+half), top)
		}
		c.FillText(sty, vg.Point{X: x(float64(k)), Y: top + 7}, group(strconv.FormatInt(n, 10), thin))
	}
}

// attemptsCaption says how many messages needed a retry in the worst phase, and what it came to.
func attemptsCaption(r *result.Run) string {
	var worst result.Stats
	per := -1.0
	for _, s := range attemptRows(r) {
		if x, _ := s.AttemptsPerMessage(); x > per {
			worst, per = s, x
		}
	}
	more := int64(0)
	for k, n := range worst.AttemptCounts {
		if k > 1 {
			more += n
		}
	}
	if more == 0 {
		return "No message took more than one attempt."
	}
	return "In " + worst.Phase + " " + plural(more, "message") + " of " + count(worst.Answered()) +
		" took more than one attempt: " + perMessage(worst).text + " attempts for each message sent."
}
