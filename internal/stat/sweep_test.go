package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestFront(t *testing.T) {
	nan := math.NaN()
	points := [][]float64{
		{3, 0.9}, // beaten by 1
		{2, 0.9},
		{1, 0.5},
		{4, 0.99},
		{2, 0.9}, // like 1
		{nan, 1},
		{inf, 1},
		{1, 0.4}, // beaten by 2
	}
	better := []int{-1, +1}
	if got := Front(points, better); !slices.Equal(got, []int{2, 1, 4, 3, 6}) {
		t.Error(got)
	}
	none := func(f, i, m int) bool { return false }
	if got := Near(points, better, []int{2, 1, 4, 3, 6}, none); !slices.Equal(got, []int{0, 7}) {
		t.Error("near, nothing sure:", got)
	}
	first := func(f, i, m int) bool { return m == 0 && points[f][0] < points[i][0] }
	if got := Near(points, better, []int{2, 1, 4, 3, 6}, first); !slices.Equal(got, []int{7}) {
		t.Error("near, the first metric sure:", got)
	}
}

// No point of the front beats another; each beyond it is beaten by one of it; the order of points, a rising
// change of a metric and a turn of one with its direction change nothing. Near points are beyond the front,
// all of them if nothing is sure, none if everything is.
func TestLawsOfTheFront(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		metrics := rapid.IntRange(1, 4).Draw(rt, "metrics")
		better := make([]int, metrics)
		for m := range better {
			better[m] = rapid.SampledFrom([]int{-1, 1}).Draw(rt, "better")
		}
		value := rapid.Map(rapid.IntRange(0, 5), func(k int) float64 {
			return []float64{math.NaN(), 1, 2, 3, 4, inf}[k]
		})
		points := rapid.SliceOfN(rapid.SliceOfN(value, metrics, metrics), 0, 15).Draw(rt, "points")
		front := Front(points, better)
		for i, p := range points {
			lacks := slices.ContainsFunc(p, math.IsNaN)
			beaten := slices.ContainsFunc(front, func(f int) bool { return Beats(points[f], p, better) })
			if on := slices.Contains(front, i); on == (beaten || lacks) {
				rt.Fatalf("point %d of %v: on the front %v, beaten %v", i, points, on, beaten)
			}
		}
		turned, other := make([][]float64, len(points)), slices.Clone(better)
		for i, p := range points {
			turned[i] = slices.Clone(p)
			turned[i][0] = -math.Atan(p[0])
		}
		other[0] = -better[0]
		if got := Front(turned, other); !slices.Equal(got, front) {
			rt.Fatalf("turned: %v, was %v", got, front)
		}
		all := Near(points, better, front, func(int, int, int) bool { return false })
		whole := 0
		for _, p := range points {
			if !slices.ContainsFunc(p, math.IsNaN) {
				whole++
			}
		}
		if len(all)+len(front) != whole {
			rt.Fatalf("%d near, %d on the front of %d", len(all), len(front), whole)
		}
		if got := Near(points, better, front, func(int, int, int) bool { return true }); len(got) > 0 {
			rt.Fatalf("near though all is sure: %v", got)
		}
	})
}

func TestRankCorrelation(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	for _, c := range []struct {
		y    []float64
		want float64
	}{
		{[]float64{1, 8, 27, 64, inf}, 1},
		{[]float64{5, 4, 3, 2, 1}, -1},
		{[]float64{2, 2, 2, 2, 2}, 0},
		{[]float64{2, 1, 4, 3, 5}, 0.8}, // 1 - 6*4/(5*24)
		{[]float64{1, 1, 2, 2, 3}, 9 / math.Sqrt(90)},
	} {
		if got := RankCorrelation(x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.y, got, c.want)
		}
	}
}

// grid3 is a grid of three axes of 4, 3 and 2 levels.
func grid3() [][]float64 {
	x := make([][]float64, 3)
	for i := range 24 {
		x[0], x[1], x[2] = append(x[0], float64(i%4)), append(x[1], float64(i/4%3)), append(x[2], float64(i/12))
	}
	return x
}

// seedsOf computes six seeds of a metric over points.
func seedsOf(x [][]float64, of func(seed int, x []float64) float64) [][]float64 {
	out := make([][]float64, 6)
	for s := range out {
		for i := range x[0] {
			p := make([]float64, len(x))
			for a := range x {
				p[a] = x[a][i]
			}
			out[s] = append(out[s], of(s, p))
		}
	}
	return out
}

// In a grid the shares are those of the analysis of variance: 5/4 and 4*2/3 of the levels' variances.
func TestEffectsOfAGrid(t *testing.T) {
	x := grid3()
	effects, rest := Effects(x, seedsOf(x, func(s int, p []float64) float64 {
		return 3*p[0] - 2*p[1] + float64(s) // a seed that shifts all changes nothing
	}))
	a, b := 9*1.25, 4*2.0/3
	for i, want := range []Effect{{Share: a / (a + b), Sign: 1}, {Share: b / (a + b), Sign: -1}, {}} {
		got := effects[i]
		if math.Abs(got.Share-want.Share) > 1e-12 || got.Sign != want.Sign || !got.Known ||
			math.Abs(got.Interval.Low-got.Interval.High) > 1e-12 {
			t.Errorf("axis %d: %+v, want %+v", i, got, want)
		}
	}
	if math.Abs(rest) > 1e-12 {
		t.Error("rest:", rest)
	}
	// Two axes that act only together: neither explains a thing by itself.
	effects, rest = Effects(x, seedsOf(x, func(_ int, p []float64) float64 {
		return (p[0] - 1.5) * (p[2] - 0.5)
	}))
	if effects[0].Share+effects[2].Share > 1e-12 || math.Abs(rest-1) > 1e-12 || effects[0].Sign != 0 {
		t.Errorf("together: %+v, rest %v", effects, rest)
	}
	// Up and down again is no direction.
	effects, _ = Effects(x, seedsOf(x, func(_ int, p []float64) float64 { return math.Abs(p[1] - 1) }))
	if effects[1].Share < 1-1e-12 || effects[1].Sign != 0 {
		t.Errorf("up and down: %+v", effects[1])
	}
}

// What does not vary, does not exist or never comes leads to no nonsense.
func TestEffectsOfOddValues(t *testing.T) {
	x := grid3()
	for name, of := range map[string]func(int, []float64) float64{
		"steady": func(int, []float64) float64 { return 0.1 },
		"none":   func(int, []float64) float64 { return math.NaN() },
		"never":  func(int, []float64) float64 { return inf },
	} {
		effects, rest := Effects(x, seedsOf(x, of))
		if rest != 0 || effects[0].Share != 0 || effects[1].Share != 0 || effects[0].Sign != 0 {
			t.Errorf("%s: %+v, rest %v", name, effects, rest)
		}
	}
	// A time that never comes at the highest level, and does not exist at one of another axis.
	effects, rest := Effects(x, seedsOf(x, func(_ int, p []float64) float64 {
		switch {
		case p[1] == 2:
			return math.NaN()
		case p[0] == 3:
			return inf
		}
		return p[0]
	}))
	if math.Abs(effects[0].Share-1) > 1e-12 || effects[0].Sign != 1 || rest > 1e-12 {
		t.Errorf("%+v, rest %v", effects, rest)
	}
}

// The Ishigami function of Sobol's method, at points that fill the space: shares 0.314, 0.442 and 0.
//
// Source: Ishigami & Homma, "An importance quantification technique in uncertainty analysis", 1990.
func TestEffectsOfSpacefillers(t *testing.T) {
	const points = 512
	rng := rand.New(rand.NewPCG(3, 0))
	x := make([][]float64, 3)
	for a := range x {
		for _, k := range rng.Perm(points) {
			x[a] = append(x[a], (2*(float64(k)+rng.Float64())/points-1)*math.Pi)
		}
	}
	effects, rest := Effects(x, seedsOf(x, func(_ int, p []float64) float64 {
		s := math.Sin(p[1])
		return math.Sin(p[0]) + 7*s*s + 0.1*math.Pow(p[2], 4)*math.Sin(p[0])
	}))
	for a, want := range []float64{0.314, 0.442, 0} {
		if got := effects[a].Share; math.Abs(got-want) > 0.06 {
			t.Errorf("axis %d: %v, want %v", a, got, want)
		}
	}
	if math.Abs(rest-0.244) > 0.1 {
		t.Error("rest:", rest)
	}
}

// An axis that does nothing explains about nothing: what bins explain by chance is taken off.
func TestEffectsOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	x := make([][]float64, 2)
	for range 30 {
		x[0], x[1] = append(x[0], rng.Float64()), append(x[1], rng.Float64())
	}
	sum := 0.0
	for range 20 {
		effects, rest := Effects(x, seedsOf(x, func(int, []float64) float64 { return rng.NormFloat64() }))
		sum += effects[0].Share / 20
		if effects[0].Share > 0.2 || effects[0].Sign != 0 || rest < 0.6 {
			t.Errorf("%+v, rest %v", effects[0], rest)
		}
	}
	if sum > 0.05 {
		t.Error("on average:", sum)
	}
}

// Shares and the rest are parts of one, turn with no change of sign, scale or place of the metric, and follow
// their axes; signs turn.
func TestLawsOfEffects(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		points := rapid.IntRange(1, 20).Draw(rt, "points")
		x := rapid.SliceOfN(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 6), func(k int) float64 {
			return float64(k)
		}), points, points), 1, 3).Draw(rt, "x")
		y := rapid.SliceOfN(rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(k int) float64 {
			return []float64{math.NaN(), 0, 1, 2, 3, 4, 5, 6, 7, 100}[k]
		}), points, points), 1, 8).Draw(rt, "y")
		effects, rest := Effects(x, y)
		if !(rest >= 0 && rest <= 1) {
			rt.Fatalf("rest %v", rest)
		}
		turned := make([][]float64, len(y))
		for s := range y {
			for _, v := range y[s] {
				turned[s] = append(turned[s], 8-2*v)
			}
		}
		backwards := slices.Clone(x)
		slices.Reverse(backwards)
		others, _ := Effects(backwards, turned)
		for a, e := range effects {
			o := others[len(others)-1-a]
			if !(e.Share >= 0 && e.Share <= 1) || math.Abs(e.Share-o.Share) > 1e-9 || e.Sign != -o.Sign {
				rt.Fatalf("axis %d: %+v and %+v", a, e, o)
			}
			if e.Known && !(e.Interval.Low <= e.Share && e.Share <= e.Interval.High) {
				rt.Fatalf("axis %d: %+v", a, e)
			}
		}
	})
}

func ExampleFront() {
	// p99 in ms, success: the second is slower than the first and no better.
	fmt.Println(Front([][]float64{{12, 0.99}, {15, 0.98}, {40, 0.999}}, []int{-1, +1}))
	// Output: [0 2]
}
