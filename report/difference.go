package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// differenceText is a value minus another of a metric, rounded for people: "−965ms", "+0.06 pp" of ratios. A
// time that never came in the variant alone is "never", one that never came in the reference alone "came".
func differenceText(u result.Unit, v result.SeedValue) string {
	x := float64(v)
	switch {
	case math.IsNaN(x):
		return none
	case math.IsInf(x, 1):
		return "never"
	case math.IsInf(x, -1):
		return "came"
	case x == 0:
		return "0"
	}
	sign := "+"
	if x < 0 {
		sign = "−"
	}
	x = math.Abs(x)
	switch u {
	case result.UnitNS:
		return sign + span(int64(math.Round(x)))
	case result.UnitRatio:
		return sign + significant(100*x) + " pp"
	case result.UnitCount:
		return sign + count(int64(math.Round(x)))
	case result.UnitPer:
	}
	return sign + significant(x)
}

// boundsText is an interval of differences, with the unit of both told once if a value with it stands before:
// "[−970ms … −955ms]", "[−0.41 … −0.39]" after "−0.4 pp"; empty if there is none.
func boundsText(u result.Unit, p *result.Paired) string {
	if p.Low == nil || p.High == nil || math.IsInf(float64(p.Median), 0) {
		return ""
	}
	lo, hi := differenceText(u, *p.Low), differenceText(u, *p.High)
	if u == result.UnitRatio {
		lo, hi = strings.TrimSuffix(lo, " pp"), strings.TrimSuffix(hi, " pp")
	}
	return " [" + lo + " … " + hi + "]"
}

// significant is a number with three digits, or all of a larger one.
func significant(x float64) string {
	if x >= 100 {
		return count(int64(math.Round(x)))
	}
	digits := 2
	for y := x; y > 0 && y < 1 && digits < 9; y *= 10 {
		digits++
	}
	if x >= 10 {
		digits = 1
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// differenceScale is the unit in which differences up to a size are drawn.
type differenceScale struct {
	name string
	per  float64 // of the unit of the metric
}

func differenceScaleOf(u result.Unit, most float64) differenceScale {
	switch u {
	case result.UnitNS:
		for _, s := range []differenceScale{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
			if most >= s.per {
				return s
			}
		}
		return differenceScale{"ms", 1e6}
	case result.UnitRatio:
		return differenceScale{"percentage points", 1e-2}
	case result.UnitCount, result.UnitPer:
	}
	return differenceScale{"", 1}
}

var notInFileNames = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// rowName is a row as a part of the name of a file: "latency_p99", "time_to_avoid-pause".
func rowName(r *result.PairedRow) string {
	name := r.Metric
	if r.Fault != "" {
		name += "-" + r.Fault
	} else if r.Phase != "" && r.Phase != result.PhaseAll {
		name += "-" + r.Phase
	}
	return notInFileNames.ReplaceAllString(name, "-")
}

// turn is whether a difference is for the better or the worse.
type turn int

// Turns of a difference.
const (
	turnNone turn = iota // no difference, or neither direction is better
	turnBetter
	turnWorse
)

func turnOf(better result.Direction, x float64) turn {
	switch s := sign(x) * int(better); {
	case s > 0:
		return turnBetter
	case s < 0:
		return turnWorse
	}
	return turnNone
}

// glyph is how a turn looks: the colour is not the only cue.
func (t turn) glyph() draw.GlyphStyle {
	const radius = 2.6
	switch t {
	case turnBetter:
		return draw.GlyphStyle{Color: okabeBlue, Radius: radius, Shape: draw.CircleGlyph{}}
	case turnWorse:
		return draw.GlyphStyle{Color: okabeVermilion, Radius: radius, Shape: draw.PyramidGlyph{}}
	case turnNone:
	}
	return draw.GlyphStyle{Color: gray(0x60), Radius: radius, Shape: draw.RingGlyph{}}
}

// outcomeGlyph is how a verdict looks.
func outcomeGlyph(o result.Outcome) draw.GlyphStyle {
	switch o {
	case result.OutcomeBetter:
		return turnBetter.glyph()
	case result.OutcomeWorse:
		return turnWorse.glyph()
	case result.OutcomeDifferent:
		g := turnNone.glyph()
		g.Shape = draw.BoxGlyph{}
		return g
	case result.OutcomeNone, result.OutcomeFew, result.OutcomeNoPairs:
	}
	return turnNone.glyph()
}
