package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// CompareHDR draws latency over percentiles, a small plot for each phase that is worth one, in it a line for
// the median seed of each variant and a band from the least to the most. A line ends where some seed has
// fewer than ten messages beyond. It is nil if there are no distributions.
func CompareHDR(c *result.Comparison) *Figure {
	looks := looksOf(c)
	phases := comparedPhases(c)
	if len(phases) == 0 {
		return nil
	}
	g := &cells{
		height: 170, yTitle: "send latency, retries included, ms (log), by phase",
		xLabel: "percentile of messages (%), as 1/(1 − p), log; a line ends where a seed has fewer than ten " +
			"beyond",
	}
	g.columns = min(len(phases), cellColumns)
	if len(phases) == 4 {
		g.columns = 2
	}
	end, lo, hi := 100.0, math.Inf(1), 0.0
	for _, phase := range phases {
		p := plot.New()
		style(p)
		p.Add(tickGrid{})
		for pass := range 2 {
			for _, l := range looks {
				s := spectrumIn(seedsOf(c, l.index), phase)
				if s == nil {
					continue
				}
				ranges, medians := quantileSteps(s)
				if pass == 0 {
					p.Add(stepArea{steps: ranges, fill: l.band(len(looks))})
					continue
				}
				p.Add(markedEnd{stepLine{steps: medians, style: line(l.ink, l.width)}, l.glyph()})
				end = max(end, medians[len(medians)-1].x1)
				for _, r := range ranges {
					lo, hi = min(lo, r.lo), max(hi, r.hi)
				}
			}
		}
		g.plots, g.titles = append(g.plots, p), append(g.titles, phase)
	}
	for _, p := range g.plots {
		const air = 1.3 // for the label of a tick at the end
		p.X.Min, p.X.Max = 1, end*air
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, fewPercentiles{}
		p.Y.Min, p.Y.Max = logRange(lo, hi)
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	const room = figureWidth / 3
	g.foot = append(variantLegend(looks, room), legendEntry{text: "line: median seed; band: least to most"})
	note := leftOut(c, looks)
	if note != "" {
		note = " Drawn are " + note + "."
	}
	return compareSheet(c, Figure{
		Name: "latency-hdr-compare", Title: "How long the slowest messages take",
		Caption: compareHDRCaption(c, looks, phases) + note,
		Desc: "Latency over percentiles, median and range of the seeds, for the variants " + lookNames(looks) +
			", in " + strings.Join(phases, "; ") + "." + note,
	}, g)
}

// compareSheet is a figure of cells of a comparison.
func compareSheet(c *result.Comparison, f Figure, g *cells) *Figure {
	sub := compareSubtitle(c)
	f.width, f.height = figureWidth, headHeight+g.totalHeight()
	f.Desc += " " + sub + "."
	f.draw = func(canvas draw.Canvas) {
		drawHead(canvas, f.Title, sub)
		g.draw(canvas, canvas.Max.Y-headHeight)
	}
	return &f
}

// comparedPhases are the phases worth a plot, as any variant has them: chosen by the reference, or by the
// first variant that has distributions.
func comparedPhases(c *result.Comparison) []string {
	order := append([]int{c.Reference}, make([]int, 0, len(c.Variants))...)
	for i := range c.Variants {
		order = append(order, i)
	}
	for _, i := range order {
		if spectra := chosenSpectra(seedsOf(c, i)); len(spectra) > 0 {
			names := make([]string, len(spectra))
			for k, s := range spectra {
				names[k] = s.Phase
			}
			return names
		}
	}
	return nil
}

// spectrumIn is the distribution of a phase, nil if there is none.
func spectrumIn(set *result.SeedSet, phase string) *result.SeedSpectrum {
	i := slices.IndexFunc(set.Spectra, func(s result.SeedSpectrum) bool { return s.Phase == phase })
	if i < 0 || len(set.Spectra[i].Points) == 0 {
		return nil
	}
	return &set.Spectra[i]
}

// quantileSteps are the range and the median of a distribution over 1/(1-p), in ms.
func quantileSteps(s *result.SeedSpectrum) (ranges, medians []step) {
	for k, q := range s.Points {
		to := q.Beyond
		if k+1 < len(s.Points) {
			to = s.Points[k+1].Beyond
		}
		ranges = append(ranges, step{x0: q.Beyond, x1: to, lo: ms(q.Min), hi: ms(q.Max)})
		medians = append(medians, step{x0: q.Beyond, x1: to, hi: ms(q.Median)})
	}
	return ranges, medians
}

// fewPercentiles mark an axis of 1/(1-p) that is narrow: without a sign, and without what would not fit at
// its ends.
type fewPercentiles struct{ percentileTicks }

// Ticks implements plot.Ticker.
func (t fewPercentiles) Ticks(lo, hi float64) []plot.Tick {
	const room = 2.5 // from the middle of a label to the end
	ticks := t.percentileTicks.Ticks(lo, hi)
	for i := range ticks {
		k := &ticks[i]
		if k.Label = strings.TrimSuffix(k.Label, " %"); k.Value == 1 || k.Value*room > hi {
			k.Label = ""
		}
	}
	return ticks
}

// markedEnd is a line with the shape of its variant where it ends.
type markedEnd struct {
	line  stepLine
	shape draw.GlyphStyle
}

// Plot implements plot.Plotter.
func (m markedEnd) Plot(c draw.Canvas, p *plot.Plot) {
	m.line.Plot(c, p)
	x, y := p.Transforms(&c)
	end := m.line.steps[len(m.line.steps)-1]
	c.DrawGlyph(m.shape, vg.Point{X: x(end.x1), Y: y(end.hi)})
}

// compareHDRCaption tells the quantile at which the variants are furthest apart.
func compareHDRCaption(c *result.Comparison, looks []variantLook, phases []string) string {
	phase, beyond, most := "", 0.0, 1.0
	for _, name := range phases {
		for _, at := range []float64{1000, 100, 10} {
			low, high := int64(math.MaxInt64), int64(0)
			for _, l := range looks {
				if q := quantileAt(seedsOf(c, l.index), name, at); q != nil {
					low, high = min(low, q.Median), max(high, q.Median)
				}
			}
			if ratio := float64(high) / float64(max(low, 1)); ratio > most {
				phase, beyond, most = name, at, ratio
			}
		}
	}
	const alike = 1.05
	if most < alike {
		return "The medians of the seeds are within 5 % of each other at 90, 99 and 99.9 %, in every phase."
	}
	var parts []string
	for _, l := range looks {
		if q := quantileAt(seedsOf(c, l.index), phase, beyond); q != nil {
			parts = append(parts, duration(q.Median)+" with "+l.name)
		}
	}
	return "In " + phase + ", one message in " + count(int64(beyond)) + " takes at least " +
		listed(parts, 6) + ", in the median seed."
}

// quantileAt is the quantile beyond which one message in so many lies; nil if the phase does not reach so
// far.
func quantileAt(set *result.SeedSet, phase string, beyond float64) *result.SeedQuantile {
	s := spectrumIn(set, phase)
	if s == nil || s.Points[len(s.Points)-1].Beyond < beyond*(1-1e-9) {
		return nil
	}
	for i := range s.Points {
		if s.Points[i].Beyond >= beyond*(1-1e-9) {
			return &s.Points[i]
		}
	}
	return nil
}
