package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// laneFill is the part of a lane that its highest value takes.
const laneFill = 0.78

// lanePanel is a panel with an empty lane for each broker.
func (t *timeline) lanePanel(title string, last bool) panel {
	n := max(1, len(t.rows))
	p := t.gridded(title, max(40, vg.Length(n)*20), last, false)
	p.plot.Y.Min, p.plot.Y.Max = 0, float64(n)
	p.plot.Y.Tick.Length = 0
	var names brokerTicks
	for k, row := range t.rows {
		base := t.laneBase(k)
		names = append(names, plot.Tick{Value: base + laneFill/2, Label: t.laneName(row.name)})
		p.plot.Add(level{at: base, style: line(gray(0xB0), 0.5)})
	}
	p.plot.Y.Tick.Marker = names
	return p
}

// laneBase is the foot of the k-th lane, counted from above.
func (t *timeline) laneBase(k int) float64 { return float64(max(1, len(t.rows)) - 1 - k) }

// lane puts values from 0 to 1 into the k-th lane; where they are 0 there is a gap.
func (t *timeline) lane(k int, of func(result.Window) float64) []step {
	base := t.laneBase(k)
	var steps []step
	for _, w := range t.run.Series.Windows {
		x0, x1 := t.span(w)
		s := step{x0: x0, x1: x1, lo: base, hi: math.NaN()}
		if v := of(w); v > 0 {
			s.hi = base + laneFill*min(v, 1)
		}
		steps = append(steps, s)
	}
	return steps
}

// avoidance is the panel of lanes: which share of the producers avoids each broker.
func (t *timeline) avoidance(last bool) panel {
	p := t.lanePanel("share of producers that avoid the broker, one lane for each broker", last)
	instances := 0
	for _, g := range t.run.Setup.Producers {
		instances += g.Count
	}
	fill := gray(0x78)
	route := line(black, 0.9)
	for k, row := range t.rows {
		avoided := t.lane(k, func(w result.Window) float64 { return mean(w.Avoided, row.members) })
		gone := t.lane(k, func(w result.Window) float64 { return 1 - mean(w.Routed, row.members) })
		p.plot.Add(stepArea{steps: avoided, fill: fill}, stepLine{steps: gone, style: route})
	}
	if !t.run.Setup.AvoidanceOff() {
		p.legend = append(p.legend, legendEntry{text: "by the fault table", fill: fill})
	}
	p.legend = append(p.legend, legendEntry{text: "not in the route", line: route})
	if instances > 0 {
		remark := legendEntry{text: "a full lane is all " + count(int64(instances))}
		p.legend = append(p.legend, remark)
	}
	return p
}

// avoids says whether the panel of avoidance has anything to show: a producer that could avoid a broker, or
// a broker that was not in a route.
func (t *timeline) avoids() bool {
	return !t.run.Setup.AvoidanceOff() || slices.ContainsFunc(t.run.Series.Windows, func(w result.Window) bool {
		return slices.ContainsFunc(w.Routed, func(x float64) bool { return x < 1 })
	})
}

// loaded says whether the load of the brokers is worth a panel: one was more than half busy, or
// refused sends for being busy.
func (t *timeline) loaded() bool {
	return slices.ContainsFunc(t.run.Series.Windows, func(w result.Window) bool {
		return slices.ContainsFunc(w.Brokers, func(b result.BrokerWindow) bool {
			return b.Utilisation > worthwhile || b.Busy > 0
		})
	})
}

// load is the panel of lanes: how much of the time the send threads of each broker were in use, and
// when it refused sends because it was busy.
func (t *timeline) load(last bool) panel {
	p := t.lanePanel("share of send threads in use, one lane for each broker", last)
	fill, busy := gray(0xA6), line(okabeVermilion, 1)
	refused := false
	for k, row := range t.rows {
		used := t.lane(k, func(w result.Window) float64 {
			x := 0.0
			for _, m := range row.members {
				x += w.Brokers[m].Utilisation / float64(len(row.members))
			}
			return x
		})
		marks := laneMarks{top: t.laneBase(k) + 1, style: busy}
		for _, w := range t.run.Series.Windows {
			if slices.ContainsFunc(row.members, func(m int) bool { return w.Brokers[m].Busy > 0 }) {
				x0, x1 := t.span(w)
				marks.at = append(marks.at, (x0+x1)/2)
				refused = true
			}
		}
		p.plot.Add(stepArea{steps: used, fill: fill}, marks)
	}
	p.legend = []legendEntry{{text: "in use; a full lane: all", fill: fill}}
	if refused {
		p.legend = append(p.legend, legendEntry{text: "sends refused: busy", mark: busy})
	}
	return p
}

// laneMarks are short strokes at the upper edge of a lane.
type laneMarks struct {
	at    []float64
	top   float64
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (m laneMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	top := y(m.top) - 1
	for _, at := range m.at {
		rule(c, m.style, x(at), top, x(at), top-rugHeight)
	}
}

// laneName is a broker name that fits beside its lane.
func (t *timeline) laneName(name string) string {
	return shorten(textStyle(labelSize, false, black), name, leftMargin-12)
}

// brokerTicks are the names beside the lanes.
type brokerTicks []plot.Tick

// Ticks implements plot.Ticker.
func (b brokerTicks) Ticks(_, _ float64) []plot.Tick { return b }
