package report

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// thin is the space between thousands in figures: too narrow to look like two numbers.
const thin = '\u2009'

// tickNumber is a number at an axis.
func tickNumber(x float64) string {
	s := strconv.FormatFloat(x, 'f', 6, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	whole, frac, ok := strings.Cut(s, ".")
	s = group(whole, thin)
	if ok {
		s += "." + frac
	}
	return s
}

// timeUnit is the unit of a time axis.
type timeUnit struct {
	name string
	ns   float64
	// steps between labels, in the unit, from narrow to wide.
	steps []float64
}

var timeUnits = []timeUnit{
	{"ms", 1e6, []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{"s", 1e9, []float64{0.5, 1, 2, 5, 10, 15, 30, 60, 120}},
	{"min", 60e9, []float64{1, 2, 5, 10, 15, 30, 60, 120}},
	{"h", 3600e9, []float64{1, 2, 3, 6, 12, 24, 48, 96, 240, 480, 960}},
}

// unitFor picks the unit of an axis that ends at end: seconds up to a quarter of an hour.
func unitFor(end int64) timeUnit {
	switch x := float64(end); {
	case x < 2e9:
		return timeUnits[0]
	case x <= 900e9:
		return timeUnits[1]
	case x <= 6*3600e9:
		return timeUnits[2]
	}
	return timeUnits[3]
}

// timeTicks marks an axis in seconds with round times in its unit.
type timeTicks struct{ unit timeUnit }

// Ticks implements plot.Ticker.
func (t timeTicks) Ticks(lo, hi float64) []plot.Tick {
	const most = 11.0 // intervals between labels
	step := t.unit.steps[len(t.unit.steps)-1]
	for _, s := range t.unit.steps {
		if (hi-lo)*1e9/t.unit.ns/s <= most {
			step = s
			break
		}
	}
	var ticks []plot.Tick
	for k := 0; ; k++ {
		v := float64(k) * step
		x := v * t.unit.ns / 1e9
		if x > hi*(1+1e-9) {
			return ticks
		}
		if x >= lo {
			ticks = append(ticks, plot.Tick{Value: x, Label: tickNumber(v)})
		}
	}
}

// roundTicks marks a linear axis with a few round numbers.
type roundTicks struct {
	about  float64 // how many intervals
	suffix string
}

// Ticks implements plot.Ticker.
func (t roundTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) {
		return nil
	}
	step := roundStep((hi - lo) / t.about)
	var ticks []plot.Tick
	for k := int(math.Ceil(lo/step - 1e-9)); float64(k)*step <= hi+step*1e-9; k++ {
		v := float64(k) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: tickNumber(v) + t.suffix})
	}
	return ticks
}

// roundStep is the smallest of 1, 2, 5 times a power of ten that is at least x.
func roundStep(x float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= x*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

// logTicks marks a log axis: labels at powers of ten, or at 1, 2, 5 when there are few of those,
// and small marks between.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	if lo <= 0 || hi <= lo {
		return nil
	}
	decades := math.Log10(hi / lo)
	labelled := func(m int) bool { return m == 1 || decades < 2 && (m == 2 || m == 5) }
	var ticks []plot.Tick
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow(10, float64(e))
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if labelled(m) {
				t.Label = tickNumber(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// logRange widens a range to round ends that are at least one power of ten apart.
func logRange(lo, hi float64) (float64, float64) {
	lo, hi = roundDown(lo), roundUp(hi)
	if hi < 10*lo {
		hi = 10 * lo
	}
	return lo, hi
}

// roundDown is the largest of 1, 2, 5 times a power of ten that is below x.
func roundDown(x float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range []float64{5, 2, 1} {
		if m*p < x*(1-1e-9) {
			return m * p
		}
	}
	return p / 2
}

// roundUp is the smallest of 1, 2, 5 times a power of ten that is above x.
func roundUp(x float64) float64 { return roundStep(x * 1.02) }
