package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// beyond is how many messages there must be beyond a quantile for it to be shown.
const beyond = 10

// mostCurves is how many distributions a panel holds.
const mostCurves = 6

// curve is a distribution of latencies with its look.
type curve struct {
	name  string
	n     int64
	of    result.Spectrum
	style draw.LineStyle
}

// ink is the colour of the curve.
func (c curve) ink() colour {
	if k, ok := c.style.Color.(colour); ok {
		return k
	}
	return black
}

// The inks tell phases apart; each phase of the second fault, and so on, takes the next ones.
var (
	beforeInk    = line(gray(0x60), 1.3)
	faultInks    = []colour{okabeVermilion, okabePurple, okabeOrange, black}
	recoveryInks = []colour{okabeBlue, okabeSky, okabeGreen, gray(0x90)}
)

// messagesIn is the number of messages of a distribution.
func messagesIn(s result.Spectrum) int64 {
	var n int64
	for _, b := range s.Buckets {
		n += b.N
	}
	return n
}

// spectrumOf finds the distribution of a phase, of all messages or of a group.
func spectrumOf(r *result.Run, phase string, dim result.Dimension, name string) (result.Spectrum, bool) {
	for _, s := range r.Spectra {
		if s.Phase == phase && s.Dim == dim && s.Name == name && messagesIn(s) > 0 {
			return s, true
		}
	}
	return result.Spectrum{}, false
}

// phaseCurves are the distributions of the phases: before, faults, recoveries; or of the whole run, if it
// had none of them. Of many, the faults with the longest p99 and their recoveries.
func phaseCurves(r *result.Run) []curve {
	var curves []curve
	add := func(phase string, style draw.LineStyle) {
		if s, ok := spectrumOf(r, phase, result.DimAll, ""); ok {
			curves = append(curves, curve{name: phase, n: messagesIn(s), of: s, style: style})
		}
	}
	faults, recoveries := 0, 0
	for _, p := range chosenPhases(r) {
		switch {
		case p == result.PhaseBefore:
			add(p, beforeInk)
		case strings.HasPrefix(p, result.FaultPrefix):
			add(p, line(faultInks[faults%len(faultInks)], 1.5))
			faults++
		default:
			add(p, line(recoveryInks[recoveries%len(recoveryInks)], 1.3))
			recoveries++
		}
	}
	if len(curves) == 0 {
		add(result.PhaseAll, line(okabeBlue, 1.5))
	}
	return curves
}

// chosenPhases names the phases worth a distribution, in the order of time; at most mostCurves.
func chosenPhases(r *result.Run) []string {
	var names []string
	for _, p := range reached(r) {
		if p.Name != result.PhaseWarmup && p.Name != result.PhaseAll {
			if _, ok := spectrumOf(r, p.Name, result.DimAll, ""); ok {
				names = append(names, p.Name)
			}
		}
	}
	return mostOf(names, mostCurves, func(name string) float64 {
		if name == result.PhaseBefore {
			return math.Inf(1)
		}
		s, _ := r.StatsOf(name)
		return float64(s.Latency.P99NS)
	})
}

// mostOf are so many of the names at most, those of most weight, in the order that they had.
func mostOf(names []string, most int, weight func(string) float64) []string {
	if len(names) <= most {
		return names
	}
	ranked := slices.Clone(names)
	slices.SortStableFunc(ranked, func(a, b string) int { return cmp.Compare(weight(b), weight(a)) })
	ranked = ranked[:most]
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(ranked, name) })
}

// groupCurves are the distributions of the producer groups in a phase, by falling latency; none if there
// is but one group.
func groupCurves(r *result.Run, phase string) []curve {
	var curves []curve
	for _, g := range r.Setup.Producers {
		if s, ok := spectrumOf(r, phase, result.DimProducer, g.Name); ok {
			curves = append(curves, curve{name: g.Name, n: messagesIn(s), of: s})
		}
	}
	if len(curves) < 2 {
		return nil
	}
	slices.SortStableFunc(curves, func(a, b curve) int { return cmp.Compare(rankOf(b), rankOf(a)) })
	curves = curves[:min(len(curves), mostCurves)]
	inks := []colour{okabeVermilion, okabeBlue, okabeGreen, okabeOrange, okabePurple, black}
	for i := range curves {
		curves[i].style = line(inks[i], 1.4)
	}
	return curves
}

// rankOf is the nearest-rank p99 of a curve, in nanoseconds.
func rankOf(c curve) int64 { return quantileOf(c.of, 0.99) }

// quantileOf is the nearest-rank quantile of a distribution, as far as its buckets tell.
func quantileOf(s result.Spectrum, q float64) int64 {
	rank := int64(math.Ceil(q * float64(messagesIn(s))))
	var sum int64
	for _, b := range s.Buckets {
		if sum += b.N; sum >= rank {
			return b.UpToNS
		}
	}
	return 0
}
