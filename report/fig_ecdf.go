package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// LatencyECDF draws which share of the messages of each phase took no longer than a latency, with the
// median marked and the phase before the faults for comparison. It is nil if the results have no
// distribution of latencies.
func LatencyECDF(r *result.Run) *Figure {
	curves := phaseCurves(r)
	if len(curves) == 0 {
		return nil
	}
	lo, hi := math.Inf(1), 0.0
	for _, c := range curves {
		for _, s := range ecdfPoints(c) {
			lo, hi = min(lo, s.ms), max(hi, s.ms)
		}
	}
	lo, hi = logRange(lo, hi)
	g := &cells{
		height: 120, yTitle: "share of messages that took no longer",
		xLabel: "send latency, retries included, ms (log)",
	}
	for _, c := range curves {
		p := plot.New()
		style(p)
		p.X.Min, p.X.Max, p.X.Scale, p.X.Tick.Marker = lo, hi, plot.LogScale{}, fewLogTicks{}
		p.Y.Min, p.Y.Max, p.Y.Tick.Marker = 0, 100, roundTicks{about: 4, suffix: " %"}
		p.Add(tickGrid{})
		if curves[0].name == result.PhaseBefore && c.name != result.PhaseBefore {
			p.Add(ecdf{points: ecdfPoints(curves[0]), style: comparedStyle()})
		}
		p.Add(ecdf{points: ecdfPoints(c), style: c.style, median: medianOf(r, c)})
		g.plots = append(g.plots, p)
		g.titles = append(g.titles, cellTitle(c.name, c.n))
	}
	g.foot = []legendEntry{{text: "median", sample: func(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
		dot(c, gray(0x50), (x0+x1)/2, (y0+y1)/2, medianRadius)
	}}}
	if len(curves) > 1 && curves[0].name == result.PhaseBefore {
		g.foot = append(g.foot, legendEntry{text: "before, for comparison", line: comparedStyle()})
	}
	f := Figure{
		Name: "latency-ecdf", Title: "How long messages take, by phase", Caption: ecdfCaption(r, curves),
		Desc: "Distribution of latency in small plots, one for each phase; " + curveWords(curves) + ".",
	}
	return gridFigure(r, f, g)
}

// medianOf is the median that the table of phases has; that of a curve alone is rounded to its buckets.
func medianOf(r *result.Run, c curve) int64 {
	if s, ok := r.StatsOf(c.name); ok && s.Latency.N > 0 {
		return s.Latency.P50NS
	}
	return quantileOf(c.of, 0.5)
}

const medianRadius = 2.4

func comparedStyle() draw.LineStyle {
	s := line(gray(0x80), 0.9)
	s.Dashes = []vg.Length{3, 2}
	return s
}

// ecdfPoint is a latency with the percentage of messages that took no longer.
type ecdfPoint struct{ ms, percent float64 }

func ecdfPoints(c curve) []ecdfPoint {
	var points []ecdfPoint
	var sum int64
	for _, b := range c.of.Buckets {
		if b.N == 0 {
			continue
		}
		sum += b.N
		const least = 1e-3 // a log axis has no zero
		points = append(points, ecdfPoint{
			ms: max(float64(b.UpToNS)/1e6, least), percent: 100 * float64(sum) / float64(c.n),
		})
	}
	return points
}

// ecdf draws a distribution in steps.
type ecdf struct {
	points []ecdfPoint
	style  draw.LineStyle
	median int64 // ns; 0: not marked
}

// Plot implements plot.Plotter.
func (e ecdf) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	pts := []vg.Point{{X: c.Min.X, Y: y(0)}}
	for _, q := range e.points {
		const grain = 0.2 // steps that nobody sees are left out
		last := pts[len(pts)-1].Y
		if y(q.percent)-last < grain && q.percent < 100 {
			continue
		}
		pts = append(pts, vg.Point{X: x(q.ms), Y: last}, vg.Point{X: x(q.ms), Y: y(q.percent)})
	}
	pts = append(pts, vg.Point{X: c.Max.X, Y: pts[len(pts)-1].Y})
	c.StrokeLines(e.style, straighten(pts))
	if e.median == 0 {
		return
	}
	at := x(max(float64(e.median)/1e6, 1e-3))
	dot(c, e.style.Color, at, y(50), medianRadius)
	sty := textStyle(labelSize, false, textInk)
	words := duration(e.median)
	place := vg.Point{X: at + 5, Y: y(50) - 1}
	if place.X+sty.Width(words) > c.Max.X-2 {
		sty.XAlign = draw.XRight
		place.X = at - 5
	}
	c.FillText(sty, place, words)
}

// fewLogTicks are those of a log axis with little room: only powers of ten have a label.
type fewLogTicks struct{}

// Ticks implements plot.Ticker.
func (fewLogTicks) Ticks(lo, hi float64) []plot.Tick {
	ticks := logTicks{}.Ticks(lo, hi)
	const most = 5
	decades := math.Log10(hi / lo)
	for i := range ticks {
		e := math.Log10(ticks[i].Value)
		whole := math.Abs(e-math.Round(e)) < 1e-6
		if ticks[i].Label != "" && (!whole || decades > most && int(math.Round(e))%2 != 0) {
			ticks[i].Label = ""
		}
	}
	return ticks
}

// ecdfCaption compares the medians of the worst fault and of before.
func ecdfCaption(r *result.Run, curves []curve) string {
	worst, ok := worstPhase(r)
	before, was := r.StatsOf(result.PhaseBefore)
	if ok && was && before.Latency.N > 0 {
		over := int64(0)
		s, _ := spectrumOf(r, worst.Phase, result.DimAll, "")
		for _, b := range s.Buckets {
			if b.UpToNS > before.Latency.MaxNS {
				over += b.N
			}
		}
		words := "Half of the messages of " + worst.Phase + " took no longer than " +
			duration(worst.Latency.P50NS) + " (" + duration(before.Latency.P50NS) + " before)"
		if n := messagesIn(s); n > 0 {
			words += "; " + percent(float64(over)/float64(n), 1) + " took longer than any had before"
		}
		return words + "."
	}
	return "Half of the messages of " + curves[0].name + " took no longer than " +
		duration(medianOf(r, curves[0])) + "."
}
