package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// outcome is one layer of the panel of outcomes.
type outcome struct {
	name string
	of   func(result.Window) int64
	fill colour
	rare bool // marked in the rug wherever there is one at all
}

// outcomeLayers are stacked from below: what should not happen stands on the axis, where even
// little of it can be read.
var outcomeLayers = []outcome{
	{"acked, then lost", func(w result.Window) int64 { return w.Lost }, black, true},
	{"failed", func(w result.Window) int64 { return w.Failed }, okabeVermilion, true},
	{"ok after retry", func(w result.Window) int64 { return w.OKRetry }, okabeOrange, false},
	{handedOver, func(w result.Window) int64 { return w.Handed }, translucent(okabeGreen, 0x80), false},
	{"ok, weaker status", func(w result.Window) int64 { return w.Weaker }, okabeYellow, false},
	{"ok", func(w result.Window) int64 { return w.OK }, translucent(okabeBlue, 0x80), false},
}

// handedOver are one-way messages.
const handedOver = "handed over, one-way"

// outcomes is the panel of answers per second.
func (t *timeline) outcomes() panel {
	p := t.panel("messages answered per second, by outcome", 84, false)
	layers := slices.DeleteFunc(slices.Clone(outcomeLayers), func(o outcome) bool {
		unusual := o.fill == okabeYellow || o.name == handedOver
		return unusual && !slices.ContainsFunc(t.run.Series.Windows, func(w result.Window) bool {
			return o.of(w) > 0
		})
	})
	stack := make([]float64, len(t.run.Series.Windows))
	for _, o := range layers {
		var steps []step
		for i, w := range t.run.Series.Windows {
			x0, x1 := t.span(w)
			s := step{x0: x0, x1: x1, lo: stack[i], hi: math.NaN()}
			if n := o.of(w); n > 0 && x1 > x0 {
				stack[i] += float64(n) / (x1 - x0)
				s.hi = stack[i]
			}
			steps = append(steps, s)
		}
		area := stepArea{steps: steps, fill: o.fill}
		if !o.rare {
			area.edge = line(translucent(o.fill, 0xFF), 0.5)
		}
		p.plot.Add(area)
	}
	most := 0.0
	for _, h := range stack {
		most = max(most, h)
	}
	if most == 0 {
		most, p.empty = 1, "no message was answered"
	}
	for _, o := range layers {
		if o.rare {
			p.plot.Add(t.rug(o))
		}
	}
	for i := len(layers) - 1; i >= 0; i-- {
		o := layers[i]
		p.legend = append(p.legend, legendEntry{text: o.name, fill: o.fill})
	}
	p.legend = append(p.legend, legendEntry{text: "any failed / any lost", rug: true})
	p.plot.Y.Min, p.plot.Y.Max = 0, most*1.16 // room for the rug
	p.plot.Y.Tick.Marker = roundTicks{about: 4}
	return p
}

// rug marks the windows that have any of an outcome, however few: at this scale one failed message
// among thousands would not be seen.
type rug struct {
	at    []float64
	style draw.LineStyle
	row   int
}

const (
	rugHeight = 4
	rugRow    = 6
)

func (t *timeline) rug(o outcome) rug {
	g := rug{style: line(o.fill, 1)}
	if o.fill == black {
		g.row = 1
	}
	for _, w := range t.run.Series.Windows {
		if o.of(w) > 0 {
			x0, x1 := t.span(w)
			g.at = append(g.at, (x0+x1)/2)
		}
	}
	return g
}

// Plot implements plot.Plotter.
func (g rug) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	top := c.Max.Y - 1 - vg.Length(g.row)*rugRow
	for _, at := range g.at {
		rule(c, g.style, x(at), top, x(at), top-rugHeight)
	}
}
