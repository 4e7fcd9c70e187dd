package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/vg/draw"

	"simrun/internal/result"
)

// scaleKind is how values are spread over a scale.
type scaleKind uint8

const (
	scaleLinear scaleKind = iota
	// scaleLog: by their logarithm.
	scaleLog
	// scaleShort: by the logarithm of what they are short of 1.
	scaleShort
)

// sweepScale places the values of a metric between 0 and 1; the larger, the higher.
type sweepScale struct {
	kind     scaleKind
	unit     result.Unit
	lo, hi   float64 // ends: values, or logarithms
	least    float64 // of a logarithmic scale: what is the nearest to its zero
	zero     bool    // there is a value that has no logarithm; it has the end of the scale for itself
	never    bool    // there is a time that never came, beyond the scale
	constant bool    // all values are the same
}

// zeroGap is the part of a logarithmic scale that a value without a logarithm has for itself.
const zeroGap = 0.13

// newSweepScale fits a scale to values.
func newSweepScale(unit result.Unit, values []float64) sweepScale {
	s := sweepScale{unit: unit, lo: math.Inf(1), hi: math.Inf(-1)}
	small, large := math.Inf(1), 0.0 // what lies away from 0
	short, far := math.Inf(1), 0.0   // and away from 1
	for _, x := range values {
		if math.IsInf(x, 1) {
			s.never = true
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		s.lo, s.hi = min(s.lo, x), max(s.hi, x)
		if x > 0 {
			small, large = min(small, x), max(large, x)
		}
		if x < 1 {
			short, far = min(short, 1-x), max(far, 1-x)
		}
	}
	const decades = 15 // times as much: more than a linear scale shows
	switch {
	case !(s.hi > s.lo):
		s.constant = true
		if s.lo > s.hi {
			s.lo, s.hi = 0, 1
		}
	case unit == result.UnitRatio && s.lo > 0.5 && far >= decades*short:
		s.kind, s.least, s.zero = scaleShort, short, s.hi >= 1
		s.lo, s.hi = math.Log10(short), math.Log10(far)
	case s.lo >= 0 && large >= decades*small:
		s.kind, s.least, s.zero = scaleLog, small, s.lo == 0
		s.lo, s.hi = math.Log10(small), math.Log10(large)
	}
	return s
}

// newColourScale fits a scale to values that are told by colour. Times that are nearly the same get nearly
// the same: a scale spans at least a twentieth of the longest, for the ends of a palette shout.
func newColourScale(unit result.Unit, values []float64) sweepScale {
	const least = 0.05
	s := newSweepScale(unit, values)
	if unit != result.UnitNS || s.kind != scaleLinear || s.constant {
		return s
	}
	if more := least*s.hi - (s.hi - s.lo); more > 0 {
		s.lo, s.hi = s.lo-more/2, s.hi+more/2
	}
	return s
}

// newAxisScale fits a scale to the places of values on an axis of a sweep.
func newAxisScale(a result.SweepAxis, values []float64) sweepScale {
	s := newSweepScale(a.Unit, values)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range values {
		lo, hi = min(lo, x), max(hi, x)
	}
	if s.constant {
		return s
	}
	s.kind, s.zero, s.lo, s.hi = scaleLinear, false, lo, hi
	if a.Log && lo > 0 {
		s.kind, s.least, s.lo, s.hi = scaleLog, lo, math.Log10(lo), math.Log10(hi)
	}
	return s
}

// at is the place of a value; what never came is beyond 1, what does not exist NaN.
func (s sweepScale) at(x float64) float64 {
	const beyond = 1.1
	switch {
	case math.IsNaN(x):
		return x
	case math.IsInf(x, 1):
		return beyond
	case s.constant:
		return 0.5
	case s.kind == scaleLinear:
		return (x - s.lo) / (s.hi - s.lo)
	}
	base := 0.0
	if s.zero {
		base = zeroGap
	}
	away := x
	if s.kind == scaleShort {
		away = 1 - x
	}
	p := 0.0
	if away > 0 {
		p = base + (1-base)*(math.Log10(away)-s.lo)/(s.hi-s.lo)
	}
	if s.kind == scaleShort {
		return 1 - p
	}
	return p
}

// badness is how far a value is from the best of its scale: 0 to 1, of neither direction the place itself.
func (s sweepScale) badness(better result.Direction, x float64) float64 {
	if p := s.at(x); better != result.HigherIsBetter {
		return p
	}
	return 1 - s.at(x)
}

// words say what the scale is, for a title: "log" or nothing.
func (s sweepScale) words() string {
	switch s.kind {
	case scaleLog:
		return " (log)"
	case scaleShort:
		return " (log of what is missing to 100 %)"
	case scaleLinear:
	}
	return ""
}

// Ticks implements plot.Ticker: round values at their places.
func (s sweepScale) Ticks(float64, float64) []plot.Tick {
	var ticks []plot.Tick
	const apart = 0.11 // labels any nearer would touch
	last := -apart
	if s.kind == scaleShort {
		last = 1 + apart // from the top down
	}
	add := func(x float64, labelled bool) {
		t := plot.Tick{Value: s.at(x)}
		const eps = 1e-9
		if t.Value < -eps || t.Value > 1+eps {
			return
		}
		if labelled && math.Abs(t.Value-last) >= apart-eps {
			t.Label, last = limitText(s.unit, x), t.Value
		}
		ticks = append(ticks, t)
	}
	switch {
	case s.constant:
		add(s.lo, true)
	case s.kind == scaleLinear:
		const about = 5
		step := roundStep((s.hi - s.lo) / about)
		if s.unit == result.UnitCount {
			step = max(step, 1) // there is nothing between whole numbers
		}
		for k := math.Ceil(s.lo/step - 1e-9); k*step <= s.hi*(1+1e-12); k++ {
			add(math.Round(k)*step+0, true) // no minus before 0
		}
	default:
		s.logTicks(add)
	}
	if s.never {
		ticks = append(ticks, plot.Tick{Value: s.at(math.Inf(1)), Label: "never"})
	}
	return ticks
}

// scaleGrid draws a light line at each labelled tick, also of an axis that is not drawn.
type scaleGrid struct{ x, y plot.Ticker }

// Plot implements plot.Plotter.
func (g scaleGrid) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	sty := line(gridInk, 0.5)
	for _, t := range g.x.Ticks(p.X.Min, p.X.Max) {
		if !t.IsMinor() {
			rule(c, sty, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for _, t := range g.y.Ticks(p.Y.Min, p.Y.Max) {
		if !t.IsMinor() {
			rule(c, sty, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// logTicks adds powers of ten, and 2 and 5 times those where there are few.
func (s sweepScale) logTicks(add func(x float64, labelled bool)) {
	value := func(away float64) float64 {
		if s.kind == scaleShort {
			return 1 - away
		}
		return away
	}
	if s.zero {
		add(value(0), true)
	}
	for e := math.Floor(s.lo); e <= math.Ceil(s.hi); e++ {
		for m := 1.0; m <= 9; m++ {
			away := m * math.Pow(10, e)
			if away < s.least*(1-1e-9) || away > math.Pow(10, s.hi)*(1+1e-9) {
				continue
			}
			add(value(away), m == 1 || s.hi-s.lo < 2 && (m == 2 || m == 5))
		}
	}
}

// Colours of a heat map: from light, good, to dark, bad, in steps of lightness that look alike, which survive
// a copier and every common colour deficiency. Source: ColorBrewer's YlGnBu, by C. Brewer.
var sweepRamp = brewerRamp()

// neverInk is a time that never came.
var neverInk = color.NRGBA{R: 0x3B, G: 0x0F, B: 0x33, A: 0xFF}

func brewerRamp() []color.NRGBA {
	const most = 9
	p, err := brewer.GetPalette(brewer.TypeSequential, "YlGnBu", most)
	if err != nil {
		panic(err) // the name is a constant
	}
	var out []color.NRGBA
	for _, c := range p.Colors() {
		out = append(out, color.NRGBAModel.Convert(c).(color.NRGBA))
	}
	return out
}

// rampAt is the colour of a badness from 0 to 1.
func rampAt(x float64) color.NRGBA {
	if x > 1 {
		return neverInk
	}
	last := len(sweepRamp) - 1
	f := max(x, 0) * float64(last)
	i := min(int(f), last-1)
	a, b, t := sweepRamp[i], sweepRamp[i+1], f-float64(i)
	mix := func(p, q uint8) uint8 { return uint8(math.Round(float64(p) + t*(float64(q)-float64(p)))) }
	return color.NRGBA{R: mix(a.R, b.R), G: mix(a.G, b.G), B: mix(a.B, b.B), A: 0xFF}
}

// Inks on the colours of a heat map. They are not grey: a dark page turns greys around, and leaves colours.
var (
	mapDark  = color.NRGBA{B: 0x08, A: 0xFF}
	mapLight = color.NRGBA{R: 0xFF, G: 0xFF, B: 0xFE, A: 0xFF}
)

// inkOn is the ink that stands out more from a colour.
func inkOn(c color.NRGBA) color.NRGBA {
	if contrast(mapDark, c) > contrast(mapLight, c) {
		return mapDark
	}
	return mapLight
}

// contrast is that of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio".
func contrast(a, b color.NRGBA) float64 {
	light := func(c color.NRGBA) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			x := float64([]uint8{c.R, c.G, c.B}[i]) / 255
			if x <= 0.04045 {
				x /= 12.92
			} else {
				x = math.Pow((x+0.055)/1.055, 2.4)
			}
			sum += weight * x
		}
		return sum
	}
	x, y := light(a), light(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}
