package rate

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"simrun/sim"
)

// The integral of a rate that changes, and its inverse.

// drawShape is any valid shape with some rate in it: steps, stretches without any, long and short, with a
// period or without.
func drawShape(rt *rapid.T) Shape {
	factors := rapid.SampledFrom([]float64{0, 0, 0.01, 0.5, 1, 3, 100})
	gaps := rapid.SampledFrom([]sim.Duration{0, 1, 7, sim.Microsecond, sim.Second, 5 * sim.Hour, 24 * sim.Hour})
	var s Shape
	at := sim.Duration(0)
	for i := range rapid.IntRange(1, 6).Draw(rt, "points") {
		if i > 0 {
			at += gaps.Draw(rt, "gap")
		}
		s.Points = append(s.Points, Point{At: at, Factor: factors.Draw(rt, "factor")})
	}
	if rapid.Bool().Draw(rt, "periodic") {
		s.Period = at + gaps.Filter(func(d sim.Duration) bool { return at+d > 0 }).Draw(rt, "tail")
	}
	if last := &s.Points[len(s.Points)-1]; s.Period == 0 && last.Factor == 0 {
		last.Factor = 1
	}
	if s.Period > 0 && s.Area() == 0 {
		s.Points = []Point{{Factor: 1}, {At: s.Period / 2, Factor: 2}}
	}
	return s
}

// cumulative is the integral of a shape from 0 to a moment, by the trapezoids between its points, exact
// but for the division by 2 and the fraction of a nanosecond.
func cumulative(s *Shape, at sim.Time, part float64) *big.Float {
	num := func(x float64) *big.Float { return big.NewFloat(x).SetPrec(200) }
	upTo := func(until *big.Float) *big.Float { // within the first period
		sum := num(0)
		for i, p := range s.Points {
			begin := num(float64(p.At))
			if begin.Cmp(until) >= 0 {
				break
			}
			end, to := num(math.Inf(1)), p.Factor
			if i+1 < len(s.Points) {
				end, to = num(float64(s.Points[i+1].At)), s.Points[i+1].Factor
			}
			stop := end
			if until.Cmp(end) < 0 {
				stop = until
			}
			d := num(0).Sub(stop, begin)
			if d.Sign() == 0 {
				continue
			}
			high := num(p.Factor)
			if !end.IsInf() {
				share := num(0).Quo(d, num(0).Sub(end, begin))
				high.Add(high, share.Mul(share, num(to-p.Factor)))
			}
			high.Add(high, num(p.Factor)).Mul(high, d).Quo(high, num(2))
			sum.Add(sum, high)
		}
		return sum
	}
	whole := func(t sim.Time) *big.Float { return num(0).SetInt64(int64(t)) }
	if s.Period == 0 {
		x := whole(at)
		return upTo(x.Add(x, num(part)))
	}
	n := int64(at) / int64(s.Period)
	x := whole(at - sim.Time(n)*sim.Time(s.Period))
	sum := upTo(num(float64(s.Period)))
	return sum.Mul(sum, num(0).SetInt64(n)).Add(sum, upTo(x.Add(x, num(part))))
}

// Inverse and integral undo each other: after any areas, the integral up to the moment is their sum.
func TestRateIsInvertedExactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawShape(rt)
		r := build(&s)
		var m Moment
		sum := new(big.Float).SetPrec(200)
		scale := 0.0
		for range rapid.IntRange(1, 60).Draw(rt, "passes") {
			area := rapid.SampledFrom([]float64{
				0.25, 1, 1000, 1e6, 1e9, float64(sim.Hour), 3e15,
			}).Draw(rt, "area") * rapid.Float64Range(0.1, 1).Draw(rt, "of it")
			before := m.At
			if !r.Pass(&m, area) {
				if s.Period == 0 || float64(area/r.area)*float64(s.Period) < 1e18 {
					rt.Fatalf("nothing comes any more at %v", before)
				}
				return // within the range of time
			}
			if m.At < before || m.part < 0 || m.part >= 1 {
				rt.Fatalf("from %v to %v and %v", before, m.At, m.part)
			}
			sum.Add(sum, big.NewFloat(area))
			have := cumulative(&s, m.At, m.part)
			scale += area
			diff, _ := have.Sub(have, sum).Float64()
			// The integral of a period is a float64 of up to 4e16.
			if limit := 2e-14*max(scale, 3e16) + 1e-9; math.Abs(diff) > limit {
				rt.Fatalf("%+v: at %v and %v the integral is %v off after %v", s, m.At, m.part, diff, scale)
			}
		}
	})
}

// A rate that is the same all the time is no shape; computed as one all the same, it gives the same times.
func TestConstantShapeIsNoShape(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		factor := rapid.SampledFrom([]float64{1, 2, 0.25}).Draw(rt, "factor")
		s := Shape{Points: []Point{{Factor: factor}, {At: 977 * sim.Millisecond, Factor: factor}}}
		s.Period = rapid.SampledFrom([]sim.Duration{0, 977 * sim.Millisecond, sim.Minute}).Draw(rt, "period")
		if shape, f := NewCurve(&s); shape != nil || f != factor {
			rt.Fatalf("shape %v, factor %v", shape, f)
		}
		r, m := build(&s), Moment{}
		gap := rapid.Float64Range(1, 1e9).Draw(rt, "gap")
		for n := range 1000 {
			if !r.Pass(&m, gap) {
				rt.Fatal("nothing comes any more")
			}
			want := float64(n+1) * gap / factor
			if got := float64(m.At) + m.part; math.Abs(got-want) > 1e-3 {
				rt.Fatalf("arrival %d at %v, want %v", n, got, want)
			}
		}
	})
}

// By hand: one a second for 10 s, none for 5 s, then up from 0 to 2 a second over 10 s and down at once; and
// again each 30 s, the last factor being 1.
func TestRateByHand(t *testing.T) {
	const sec = sim.Second
	r := build(&Shape{Period: 30 * sec, Points: []Point{
		{0, 1}, {10 * sec, 1}, {10 * sec, 0}, {15 * sec, 0}, {25 * sec, 2}, {25 * sec, 1},
	}})
	m := Moment{}
	for _, step := range []struct{ area, at float64 }{
		{4, 4},
		{5.5, 9.5},
		{0.5, 15},  // what falls on the end of a stretch falls on the end of the pause
		{0.1, 16},  // 0.1 x^2 = 0.1
		{0.3, 17},  // = 0.4
		{9.6, 25},  // = 10
		{5, 30},    // the end of the period
		{25, 60},   // a whole period
		{1, 61},    // its beginning
		{250, 361}, // ten whole periods
		{24.5, 390.5},
	} {
		if !r.Pass(&m, step.area*1e9) {
			t.Fatal("nothing comes any more")
		}
		if got := (float64(m.At) + m.part) / 1e9; math.Abs(got-step.at) > 1e-9 {
			t.Errorf("after %v more it is %v, want %v", step.area, got, step.at)
		}
	}
	end := build(&Shape{Points: []Point{{0, 1}, {10 * sec, 0}}})
	m = Moment{}
	if !end.Pass(&m, 3.75e9) || m.At != sim.Time(5*sec) {
		t.Errorf("3.75 messages after %v", m.At)
	}
	if end.Pass(&m, 2e9) {
		t.Errorf("a message at %v, where the rate has come to an end", m.At)
	}
}

// Ten years of days: the times of the last day are as exact as those of the first.
func TestRateOverTenYears(t *testing.T) {
	day := Shape{Period: 24 * sim.Hour, Points: []Point{
		{0, 0.2}, {7 * sim.Hour, 0.1}, {10 * sim.Hour, 1.7}, {20 * sim.Hour, 1}, {24 * sim.Hour, 0.2},
	}}
	r := build(&day)
	var m Moment
	sum := new(big.Float).SetPrec(200)
	area := 86400e9 / 100 * math.Pi
	for m.At < sim.Time(10*365*24*sim.Hour) {
		if !r.Pass(&m, area) {
			t.Fatal("nothing comes any more")
		}
		sum.Add(sum, big.NewFloat(area))
	}
	have := cumulative(&day, m.At, m.part)
	if off, _ := have.Sub(have, sum).Float64(); math.Abs(off) > 10_000 {
		t.Errorf("%v ns off after ten years", off)
	}
	// And a rate that has stayed for ten years still tells gaps of a nanosecond apart.
	steady := build(&Shape{Points: []Point{{0, 0}, {sim.Hour, 1}}})
	m = Moment{}
	if !steady.Pass(&m, 3e17) {
		t.Fatal("nothing comes any more")
	}
	before := m
	for range 1000 {
		steady.Pass(&m, 1.5)
	}
	if d := float64(m.At-before.At) + m.part - before.part; math.Abs(d-1500) > 1e-6 {
		t.Errorf("1000 gaps of 1.5 ns took %v ns", d)
	}
}
