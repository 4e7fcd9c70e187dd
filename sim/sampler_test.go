package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// inverse is what a sampler of one uniform number has.
type inverse interface {
	Sampler
	quantile(u float64) int64
}

func must(s Sampler, err error) Sampler {
	if err != nil {
		panic(err)
	}
	return s
}

// theory is a sampler beside the same distribution from gonum.
type theory struct {
	sampler  Sampler
	quantile func(p float64) float64
	mean     float64
	deviates float64 // standard deviation; 0 if the mean of samples is not to be tested
}

func theories() []theory {
	lognormal := distuv.LogNormal{
		Mu:    math.Log(400e3),
		Sigma: math.Log(10) / distuv.UnitNormal.Quantile(0.99),
	}
	pareto := distuv.Pareto{Xm: 1e6, Alpha: 2.5}
	exponential := distuv.Exponential{Rate: 1e-6}
	uniform := distuv.Uniform{Min: 1e6, Max: 5e6}
	return []theory{
		{
			must(Lognormal(400*Microsecond, 4*Millisecond)),
			lognormal.Quantile, lognormal.Mean(), lognormal.StdDev(),
		},
		{must(Exponential(Millisecond)), exponential.Quantile, 1e6, 1e6},
		{must(Uniform(Millisecond, 5*Millisecond)), uniform.Quantile, 3e6, uniform.StdDev()},
		{must(Pareto(Millisecond, 2.5)), pareto.Quantile, pareto.Mean(), pareto.StdDev()},
		{must(Pareto(Millisecond, 0.8)), distuv.Pareto{Xm: 1e6, Alpha: 0.8}.Quantile, math.Inf(1), 0},
		{must(Constant(Millisecond)), func(float64) float64 { return 1e6 }, 1e6, 0},
	}
}

// TestQuantiles compares samplers with gonum, number by number, up to rounding and the
// inaccuracy of gonum's inverse normal distribution.
func TestQuantiles(t *testing.T) {
	for _, th := range theories() {
		s, ok := th.sampler.(inverse)
		if !ok {
			continue
		}
		for i := range 10_000 {
			u := (float64(i) + 0.5) / 10_000
			got, want := float64(s.quantile(u)), th.quantile(u)
			if math.Abs(got-want) > 0.5+1e-9*want {
				t.Fatalf("%v: quantile(%v) = %v, want %v", s, u, got, want)
			}
		}
		if got := th.sampler.Mean(); got != th.mean && math.Abs(got/th.mean-1) > 1e-12 {
			t.Errorf("%v: Mean() = %v, want %v", s, got, th.mean)
		}
	}
}

// TestSamples takes 200,000 keyed samples, counts them between the quantiles of the theory
// and compares their mean.
func TestSamples(t *testing.T) {
	const n, cells = 200_000, 64
	for _, th := range theories() {
		var limits [cells - 1]float64
		for i := range limits {
			limits[i] = th.quantile(float64(i+1) / cells)
		}
		var count [cells]int
		sum := 0.0
		for i := range uint64(n) {
			d := Key(7, 3, 0, i, 0)
			x := float64(th.sampler.Sample(&d))
			sum += x
			cell := 0
			for cell < len(limits) && x > limits[cell] {
				cell++
			}
			count[cell]++
		}
		if _, fixed := th.sampler.(*constant); fixed {
			if sum != n*th.mean {
				t.Errorf("%v: %d samples sum to %v", th.sampler, n, sum)
			}
			continue
		}
		if p := pValue(chiSquare(count[:], n), cells-1); p < pLimit {
			t.Errorf("%v: p = %.2g, counts between quantiles: %v", th.sampler, p, count)
		}
		if th.deviates > 0 {
			z := (sum/n - th.mean) / (th.deviates / math.Sqrt(n))
			if math.Abs(z) > 5 {
				t.Errorf("%v: the mean of samples is %v, %.1f standard errors off",
					th.sampler, sum/n, z)
			}
		}
	}
}

// TestMonotone is what makes common random numbers work: more luck is never worse.
func TestMonotone(t *testing.T) {
	samplers := []Sampler{must(Empirical([]int64{3, 1, 4, 1, 5, 9, 2, 6}))}
	for _, th := range theories() {
		samplers = append(samplers, th.sampler)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range samplers {
		s, ok := s.(inverse)
		if !ok {
			continue
		}
		for range 50_000 {
			a := rng.Uint64() >> rng.IntN(64)
			b := a + min(rng.Uint64()>>rng.IntN(64), math.MaxUint64-a)
			x, y := s.quantile(unit(a)), s.quantile(unit(b))
			if x > y || x < 0 {
				t.Fatalf("%v: %d at %v, %d at %v", s, x, unit(a), y, unit(b))
			}
		}
	}
	// Where one piece of the inverse normal distribution ends, the next must not be lower.
	for _, s := range samplers {
		s, ok := s.(inverse)
		if !ok {
			continue
		}
		for _, u := range []float64{0.075, 0.925, math.Exp(-25), 1 - math.Exp(-25)} {
			lo, hi := u, u
			for range 100 {
				lo, hi = math.Nextafter(lo, 0), math.Nextafter(hi, 1)
				if s.quantile(lo) > s.quantile(u) || s.quantile(u) > s.quantile(hi) {
					t.Fatalf("%v is not monotone at %v", s, u)
				}
			}
		}
	}
}

func TestMixture(t *testing.T) {
	a, b, c := must(Constant(int64(1))), must(Constant(int64(100))), must(Constant(int64(0)))
	m := must(Mixture([]float64{1, 3, 0}, []Sampler{a, b, c}))
	count := map[int64]int{}
	for i := range uint64(40_000) {
		d := Key(7, 3, 0, i, 0)
		count[m.Sample(&d)]++
	}
	if p := pValue(chiSquare([]int{3 * count[1], count[100]}, 60_000), 1); p < pLimit || len(count) != 2 {
		t.Errorf("counts: %v", count)
	}
	if m.Mean() != 75.25 {
		t.Errorf("Mean() = %v", m.Mean())
	}
	infinite := must(Pareto(int64(1), 1))
	if m := must(Mixture([]float64{1, 0}, []Sampler{a, infinite})); m.Mean() != 1 {
		t.Errorf("a part of weight 0 counts: Mean() = %v", m.Mean())
	}
	if m := must(Mixture([]float64{1, 1}, []Sampler{a, infinite})); !math.IsInf(m.Mean(), 1) {
		t.Errorf("a part of infinite mean: Mean() = %v", m.Mean())
	}
}

func TestEmpirical(t *testing.T) {
	for _, text := range []string{"7\n7\n7\n1\n", "1\n7,3", "1,1\n7,1\n7,2"} {
		e := must(ReadEmpirical(strings.NewReader(text))).(inverse)
		var got []int64
		for _, u := range []float64{0x1p-53, 0.2499, 0.2501, 0.5, 1 - 0x1p-53} {
			got = append(got, e.quantile(u))
		}
		if fmt.Sprint(got) != "[1 1 7 7 7]" {
			t.Errorf("%q: quantiles are %v", text, got)
		}
		if e.Mean() != 5.5 {
			t.Errorf("%q: Mean() = %v", text, e.Mean())
		}
	}
}

// TestEmpiricalIsRecord is the law of the empirical distribution: the kth of n equal parts
// of (0, 1) gives the kth recorded value.
func TestEmpiricalIsRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(1, 50), 1, 40).Draw(t, "counts")
		var text strings.Builder
		var record []int64
		for value, count := range counts {
			fmt.Fprintf(&text, "%d,%d\n", value, count)
			for range count {
				record = append(record, int64(value))
			}
		}
		e := must(ReadEmpirical(strings.NewReader(text.String()))).(inverse)
		for k, want := range record {
			for _, within := range []float64{0.01, 0.5, 0.99} {
				u := (float64(k) + within) / float64(len(record))
				if got := e.quantile(u); got != want {
					t.Fatalf("quantile(%v) = %d, want %d", u, got, want)
				}
			}
		}
	})
}

func TestModified(t *testing.T) {
	base := must(Constant(Millisecond))
	for _, tc := range []struct {
		s    Sampler
		want int64
	}{
		{must(Scaled(base, 2.5)), 2_500_000},
		{must(Scaled(base, 0)), 0},
		{must(Scaled(base, 1e300)), math.MaxInt64},
		{must(Shifted(base, 5*Millisecond)), 6_000_000},
		{must(Shifted(base, Duration(math.MaxInt64))), math.MaxInt64},
	} {
		d := Key(1, 2, 3, 4, 5)
		if got := tc.s.Sample(&d); got != tc.want {
			t.Errorf("%v: %d, want %d", tc.s, got, tc.want)
		}
	}
	if got := must(Scaled(must(Pareto(int64(1), 1)), 0)).Mean(); got != 0 {
		t.Errorf("nothing of an infinite mean is %v", got)
	}
}

func TestRound(t *testing.T) {
	for _, tc := range []struct {
		x    float64
		want int64
	}{
		{0, 0},
		{-1, 0},
		{math.NaN(), 0},
		{math.Inf(-1), 0},
		{0.49999999999999994, 0},
		{0.51, 1},
		{1.5, 2},
		{2.5, 2},
		{1e6 + 0.4, 1e6},
		{0x1p52 - 0.5, 0x1p52},
		{0x1p52 + 1, 0x1p52 + 1},
		{0x1p62, 0x1p62},
		{0x1p63, math.MaxInt64},
		{math.Inf(1), math.MaxInt64},
	} {
		if got := round(tc.x); got != tc.want {
			t.Errorf("round(%v) = %d, want %d", tc.x, got, tc.want)
		}
	}
}

// TestOneNumberEach sees that all simple samplers take one number from a draw, so that
// exchanging one for another leaves the following numbers as they are.
func TestOneNumberEach(t *testing.T) {
	samplers := []Sampler{
		must(Empirical([]int64{1, 2})),
		must(Scaled(must(Exponential(int64(5))), 2)),
		must(Shifted(must(Exponential(int64(5))), int64(2))),
	}
	for _, th := range theories() {
		samplers = append(samplers, th.sampler)
	}
	for _, s := range samplers {
		d, want := Key(1, 2, 3, 4, 5), Key(1, 2, 3, 4, 5)
		s.Sample(&d)
		want.Uint64()
		if d != want {
			t.Errorf("%v takes more or less than one number", s)
		}
	}
}

func TestSamplerErrors(t *testing.T) {
	c := must(Constant(int64(1)))
	read := func(text string) error {
		_, err := ReadEmpirical(strings.NewReader(text))
		return err
	}
	second := func(_ Sampler, err error) error { return err }
	for _, tc := range []struct {
		err  error
		want string
	}{
		{second(Constant(-Millisecond)), "constant: value is -1ms, must be at least 0s"},
		{second(Constant(int64(-1))), "constant: value is -1, must be at least 0"},
		{second(Uniform(-1*Second, Second)), "uniform: min is -1s, must be at least 0s"},
		{second(Uniform(2*Second, Second)), "uniform: max is 1s, must be at least min, which is 2s"},
		{second(Exponential(0 * Second)), "exponential: mean is 0s, must be at least 1ns"},
		{second(Lognormal(int64(0), 1)), "lognormal: median is 0, must be at least 1"},
		{
			second(Lognormal(2*Second, Second)),
			"lognormal: p99 is 1s, must be at least the median, which is 2s",
		},
		{second(Pareto(0*Second, 1)), "pareto: min is 0s, must be at least 1ns"},
		{second(Pareto(Second, 0)), "pareto: alpha is 0, must be positive"},
		{second(Pareto(Second, math.NaN())), "pareto: alpha is NaN, must be positive"},
		{second(Pareto(Second, math.Inf(1))), "pareto: alpha is +Inf, must be finite"},
		{second(Mixture(nil, nil)), "mixture: no distributions"},
		{second(Mixture([]float64{1}, []Sampler{c, c})), "mixture: 1 weights for 2 distributions"},
		{second(Mixture([]float64{1}, []Sampler{nil})), "mixture: distribution 1 is missing"},
		{
			second(Mixture([]float64{1, -2}, []Sampler{c, c})),
			"mixture: weight 2 is -2, must not be negative",
		},
		{
			second(Mixture([]float64{0, 0}, []Sampler{c, c})),
			"mixture: the sum of weights is 0, must be positive",
		},
		{
			second(Mixture([]float64{1e308, 1e308}, []Sampler{c, c})),
			"mixture: the sum of weights is +Inf, must be finite",
		},
		{second(Empirical([]Duration{})), "empirical: no values"},
		{second(Empirical([]Duration{1, -5})), "empirical: value 2 is -5ns, must not be negative"},
		{second(Scaled(c, -1)), "scaled: factor is -1, must not be negative"},
		{second(Scaled(c, math.Inf(1))), "scaled: factor is +Inf, must be finite"},
		{second(Shifted(c, int64(-1))), "shifted: by is -1, must be at least 0"},
		{read(""), "empirical: no values"},
		{read("# only a comment\n"), "empirical: no values"},
		{read("1ms\n2ms\nthree\n"), `empirical: line 3: "three" is neither a number nor a duration`},
		{read("1ms\n\n2\n"), "empirical: line 3: durations and plain numbers are mixed"},
		{read("-1ms"), "empirical: line 1: -1ms is negative"},
		{read("-1"), "empirical: line 1: -1 is negative"},
		{read("NaN"), `empirical: line 1: "NaN" is neither a number nor a duration`},
		{read("1e30"), `empirical: line 1: "1e30" is neither a number nor a duration`},
		{read("1,0"), `empirical: line 1: "0" is not a count of at least 1`},
		{read("1,2,3"), `empirical: line 1: "2,3" is not a count of at least 1`},
		{read("1,4503599627370497"), "empirical: the counts sum to more than 4503599627370496"},
		{read("1\n" + strings.Repeat("x", 1<<17)), "empirical: line 2: bufio.Scanner: token too long"},
	} {
		if tc.err == nil || tc.err.Error() != tc.want {
			t.Errorf("error %q, want %q", tc.err, tc.want)
		}
	}
}

func TestSamplerString(t *testing.T) {
	for _, tc := range []struct {
		s    Sampler
		want string
	}{
		{must(Constant(1500 * Microsecond)), `{ dist = "constant", value = "1.5ms" }`},
		{must(Constant(int64(1024))), `{ dist = "constant", value = 1024 }`},
		{must(Uniform(0*Second, 90*Second)), `{ dist = "uniform", min = "0s", max = "1m30s" }`},
		{must(Exponential(400 * Microsecond)), `{ dist = "exponential", mean = "400us" }`},
		{must(Pareto(int64(100), 1.5)), `{ dist = "pareto", min = 100, alpha = 1.5 }`},
		{must(Empirical([]Duration{2, 1, 2})), `{ dist = "empirical", values = ["1ns", "2ns", "2ns"] }`},
		{
			must(Scaled(must(Constant(int64(1))), 10)),
			`{ dist = "scaled", factor = 10, of = { dist = "constant", value = 1 } }`,
		},
		{
			must(Shifted(must(Constant(int64(1))), Second)),
			`{ dist = "shifted", by = "1s", of = { dist = "constant", value = 1 } }`,
		},
	} {
		if got := tc.s.String(); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}

// FuzzReadEmpirical sees that no file makes it panic, and that what it accepts is a
// distribution.
func FuzzReadEmpirical(f *testing.F) {
	f.Add("1.2ms\n3ms,4 # comment\n", uint64(1))
	f.Add("9223372036854775807\n0", uint64(0))
	f.Add("1,4503599627370496", uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, text string, word uint64) {
		s, err := ReadEmpirical(strings.NewReader(text))
		if err != nil {
			return
		}
		e := s.(*empirical)
		x := e.quantile(unit(word))
		lo, hi := e.steps[0].value, e.steps[len(e.steps)-1].value
		if x < lo || x > hi || lo < 0 {
			t.Errorf("%v: quantile %d is not within %d and %d", s, x, lo, hi)
		}
		if m := s.Mean(); m < float64(lo)*(1-1e-9) || m > float64(hi)*(1+1e-9) {
			t.Errorf("%v: mean %v is not within %d and %d", s, m, lo, hi)
		}
	})
}

// TestSampleGolden pins samples to the last nanosecond, of draws that reach all branches.
// They must not change: results of old runs depend on them. They must not differ between
// architectures either, which `make arches` sees to by running this test on several.
func TestSampleGolden(t *testing.T) {
	datadriven.RunTest(t, "testdata/golden/samples", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		var draw Draw
		for _, s := range goldenSamplers() {
			fmt.Fprintf(&out, "%v\n", s)
			hash := uint64(0)
			for i := range uint64(20_000) {
				draw = Key(42, 1, 2, i, 0)
				x := s.Sample(&draw)
				hash = fold(hash^uint64(x), weyl)
				if i < 6 {
					fmt.Fprintf(&out, "%d ", x)
				}
			}
			fmt.Fprintf(&out, "… all: %016x\n", hash)
			if s, ok := s.(inverse); ok {
				for _, word := range []uint64{0, 1 << 40, 1 << 60, 15 << 60, math.MaxUint64} {
					fmt.Fprintf(&out, "%d ", s.quantile(unit(word)))
				}
				fmt.Fprintln(&out)
			}
			fmt.Fprintf(&out, "mean %x\n", s.Mean())
		}
		return out.String()
	})
}

func goldenSamplers() []Sampler {
	short := must(Lognormal(400*Microsecond, 4*Millisecond))
	long := must(Pareto(10*Millisecond, 1.1))
	return []Sampler{
		must(Constant(Millisecond)),
		must(Uniform(Millisecond, 3*Millisecond)),
		must(Exponential(Millisecond)),
		short,
		must(Lognormal(5*Second, 5*Minute)),
		long,
		must(Pareto(Millisecond, 0.05)),
		must(Mixture([]float64{0.9, 0.1}, []Sampler{short, long})),
		must(Empirical([]Duration{3, 1, 4, 1, 5, 9, 2, 6})),
		must(Scaled(short, 7.3)),
		must(Shifted(short, 20*Millisecond)),
	}
}

// TestFunctionGolden pins the elementary functions to the last bit.
func TestFunctionGolden(t *testing.T) {
	datadriven.RunTest(t, "testdata/golden/functions", func(t *testing.T, d *datadriven.TestData) string {
		f := map[string]func(float64) float64{
			"exp":             func(u float64) float64 { return exp(float64(1400*u) - 700) },
			"exp-near-0":      func(u float64) float64 { return exp(u - 0.5) },
			"log":             log,
			"log-near-1":      func(u float64) float64 { return log(0.75 + float64(u/2)) },
			"log-large":       func(u float64) float64 { return log(1 / (u * u * u * u)) },
			"normal-quantile": normalQuantile,
			"normal-tail":     func(u float64) float64 { return normalQuantile(u * u * u * u / 1e9) },
		}[d.Cmd]
		var out strings.Builder
		hash := uint64(0)
		for i := range uint64(100_000) {
			draw := Key(42, 1, 2, i, 0)
			x := math.Float64bits(f(draw.Float64()))
			hash = fold(hash^x, weyl)
			if i < 4 {
				fmt.Fprintf(&out, "%x ", math.Float64frombits(x))
			}
		}
		fmt.Fprintf(&out, "… all: %016x\n", hash)
		return out.String()
	})
}
