package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// SeedsHDR draws latency over percentiles, as [LatencyHDR] does, for each phase: a line for the median of the
// runs and a band from the least to the most. A line ends where some run has fewer than ten messages beyond.
// It is nil if the runs have no distributions.
func SeedsHDR(set *result.SeedSet) *Figure {
	spectra := chosenSpectra(set)
	if len(spectra) == 0 {
		return nil
	}
	p := panel{title: "send latency, retries included, ms (log), by phase", height: 220, plot: plot.New()}
	style(p.plot)
	p.plot.Add(tickGrid{})
	end, lo, hi := 100.0, math.Inf(1), 0.0
	var words []string
	for i, s := range spectra {
		ink := seedInk(spectra, i)
		var ranges, medians []step
		for k, q := range s.Points {
			to := q.Beyond
			if k+1 < len(s.Points) {
				to = s.Points[k+1].Beyond
			}
			ranges = append(ranges, step{x0: q.Beyond, x1: to, lo: ms(q.Min), hi: ms(q.Max)})
			medians = append(medians, step{x0: q.Beyond, x1: to, hi: ms(q.Median)})
			end, lo, hi = max(end, to), min(lo, ms(q.Min)), max(hi, ms(q.Max))
		}
		p.plot.Add(stepArea{steps: ranges, fill: translucent(ink, 0x38)},
			hdrLine{steps: medians, style: line(ink, 1.4)})
		sty := textStyle(labelSize, false, black)
		p.legend = append(p.legend, legendEntry{
			text: shorten(sty, s.Phase, rightMargin-12-legendSample-9), line: line(ink, 1.4),
		})
		words = append(words, s.Phase)
	}
	p.legend = append(p.legend, legendEntry{text: "band: least to most seed"})
	p.plot.X.Min, p.plot.X.Max = 1, end
	p.plot.X.Scale, p.plot.X.Tick.Marker = plot.LogScale{}, percentileTicks{}
	p.plot.X.Label.Text = "percentile of messages, as 1/(1 − p), log; a line ends where a seed has fewer " +
		"than ten beyond"
	p.plot.X.Label.Padding = 2
	p.plot.Y.Min, p.plot.Y.Max = logRange(lo, hi)
	p.plot.Y.Scale, p.plot.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	title := "How long the slowest messages take, over " + plural(int64(len(set.Runs)), "seed")
	return &Figure{
		Name: "latency-hdr-seeds", Title: title, Caption: "Line: the median of the seeds at each " +
			"percentile; band: from the least to the most.",
		Desc: "Latency over percentiles, median and range of " + plural(int64(len(set.Runs)), "seed") +
			": " + strings.Join(words, "; ") + ". " + seedsSubtitle(set) + ".",
		width: figureWidth, height: headHeight + panelTitle + p.height + axisHeight + 4,
		draw: func(c draw.Canvas) {
			drawHead(c, title, seedsSubtitle(set))
			top := c.Max.Y - headHeight - panelTitle
			p.draw(c, vg.Rectangle{
				Min: vg.Point{X: leftMargin, Y: top - p.height},
				Max: vg.Point{X: figureWidth - rightMargin, Y: top},
			})
		},
	}
}

func ms(ns int64) float64 {
	const least = 1e-3 // a log axis has no zero
	return max(float64(ns)/1e6, least)
}

// chosenSpectra are the phases worth a line: before, and the faults and recoveries with the longest tails, in
// the order of time; the whole run if it has none of them.
func chosenSpectra(set *result.SeedSet) []result.SeedSpectrum {
	all := slices.DeleteFunc(slices.Clone(set.Spectra), func(s result.SeedSpectrum) bool {
		return s.Phase == result.PhaseWarmup || s.Phase == result.PhaseAll
	})
	if len(all) == 0 {
		return slices.DeleteFunc(slices.Clone(set.Spectra), func(s result.SeedSpectrum) bool {
			return s.Phase != result.PhaseAll
		})
	}
	if len(all) <= mostCurves {
		return all
	}
	weight := func(s result.SeedSpectrum) int64 {
		if s.Phase == result.PhaseBefore {
			return math.MaxInt64
		}
		return s.Points[len(s.Points)-1].Median
	}
	ranked := slices.Clone(all)
	slices.SortStableFunc(ranked, func(a, b result.SeedSpectrum) int {
		return cmp.Compare(weight(b), weight(a))
	})
	ranked = ranked[:mostCurves]
	return slices.DeleteFunc(all, func(s result.SeedSpectrum) bool {
		return !slices.ContainsFunc(ranked, func(r result.SeedSpectrum) bool { return r.Phase == s.Phase })
	})
}

// seedInk is the colour of the i-th phase, the same as in the figure of one run.
func seedInk(spectra []result.SeedSpectrum, i int) colour {
	faults, recoveries := 0, 0
	for _, s := range spectra[:i] {
		switch {
		case strings.HasPrefix(s.Phase, result.FaultPrefix):
			faults++
		case s.Phase != result.PhaseBefore:
			recoveries++
		}
	}
	switch phase := spectra[i].Phase; {
	case phase == result.PhaseBefore:
		return gray(0x60)
	case strings.HasPrefix(phase, result.FaultPrefix):
		return faultInks[faults%len(faultInks)]
	}
	return recoveryInks[recoveries%len(recoveryInks)]
}
