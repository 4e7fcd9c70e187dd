package stat

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var inf = math.Inf(1)

// drawValues draws values of which many are equal, zero or infinite.
func drawValues(rt *rapid.T, low, high int) []float64 {
	one := rapid.OneOf(
		rapid.Map(rapid.IntRange(-4, 4), func(k int) float64 { return float64(k) }),
		rapid.Float64Range(-10, 10),
		rapid.SampledFrom([]float64{0, inf, -inf}),
	)
	return rapid.SliceOfN(one, low, high).Draw(rt, "values")
}

func negated(v []float64) []float64 {
	out := slices.Clone(v)
	for i := range out {
		out[i] = -out[i]
	}
	return out
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}

func TestMedians(t *testing.T) {
	for _, c := range []struct {
		give            []float64
		nearest, middle float64
	}{
		{nil, math.NaN(), math.NaN()},
		{[]float64{math.NaN()}, math.NaN(), math.NaN()},
		{[]float64{3, math.NaN(), 1}, 1, 2},
		{[]float64{3, 1, 2}, 2, 2},
		{[]float64{1, 2, inf, inf}, 2, inf},
		{[]float64{-inf, inf}, -inf, 0},
		{[]float64{inf, inf}, inf, inf},
	} {
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if got := NearestRank(c.give); !same(got, c.nearest) {
			t.Errorf("nearest rank of %v: %v", c.give, got)
		}
		if got := Middle(c.give); !same(got, c.middle) {
			t.Errorf("middle of %v: %v", c.give, got)
		}
	}
}

// "at least 95 %, none below 6 seeds" (values of any table of the sign test).
func TestRanks(t *testing.T) {
	for _, c := range []struct {
		n, r   int
		actual float64
	}{
		{0, 0, 0},
		{1, 0, 0},
		{5, 0, 0},
		{6, 1, 0.96875},
		{8, 1, 0.9921875},
		{9, 2, 0.9609375},
		{10, 2, 0.978515625},
		{20, 6, 0.9586105346679688},
		{40, 14, 0.9615226917},
		{100, 40, 0.9647998},
	} {
		r, actual := Ranks(c.n, 0.95)
		if r != c.r || math.Abs(actual-c.actual) > 1e-8 {
			t.Errorf("%d values: %d, %v", c.n, r, actual)
		}
	}
	if r, actual := Ranks(5000, 0.95); r != 2431 || actual < 0.95 || actual > 0.952 {
		t.Errorf("5000 values: %d, %v", r, actual)
	}
}

// The interval follows every rising change of the values, turns round with their signs, holds the middle and
// the nearest rank, and is the narrowest pair of its kind.
func TestLawsOfTheInterval(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := drawValues(rt, 0, 40)
		level := rapid.SampledFrom([]float64{0.5, 0.9, 0.95, 0.99}).Draw(rt, "level")
		i, ok := MedianInterval(v, level)
		if !ok {
			if 1-math.Ldexp(2, -len(v)) >= level {
				rt.Fatalf("no interval of %d values", len(v))
			}
			return
		}
		if i.Confidence < level {
			rt.Fatalf("confidence %v", i.Confidence)
		}
		for _, m := range []float64{Middle(v), NearestRank(v)} {
			if m < i.Low || m > i.High {
				rt.Fatalf("%v is outside %v", m, i)
			}
		}
		j, _ := MedianInterval(negated(v), level)
		if i.Low != -j.High || i.High != -j.Low || i.Confidence != j.Confidence {
			rt.Fatalf("%v turned round is %v", i, j)
		}
		rising := func(x float64) float64 { return math.Atan(x) + 3 }
		moved := slices.Clone(v)
		for k := range moved {
			moved[k] = rising(moved[k])
		}
		k, _ := MedianInterval(moved, level)
		if k.Low != rising(i.Low) || k.High != rising(i.High) {
			rt.Fatalf("%v moved is %v", i, k)
		}
		r, _ := Ranks(len(v), level)
		if 2*(r+1) <= len(v) && 1-2*signsAtMost(r, len(v)) >= level {
			rt.Fatalf("rank %d would do", r+1)
		}
	})
}

// bruteP flips every sign in every way: the share of flips at least as far from the middle as what was seen.
func bruteP(v []float64, of func(sign []bool) int) float64 {
	v = slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return x == 0 || math.IsNaN(x) })
	flips := make([][]bool, 1<<len(v))
	all := make([]bool, len(v))
	seen := make([]bool, len(v))
	for i, x := range v {
		seen[i], all[i] = x > 0, true
	}
	total := of(all)
	far := func(s []bool) int { d := 2*of(s) - total; return max(d, -d) }
	n := 0
	for i := range flips {
		s := make([]bool, len(v))
		for k := range s {
			s[k] = i>>k&1 == 1
		}
		if far(s) >= far(seen) {
			n++
		}
	}
	return float64(n) / float64(len(flips))
}

// "sign-flip p on signed ranks": as every flip of the signs gives, ties, zeros and infinities included.
func TestExactPs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := drawValues(rt, 0, 9)
		kept := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return x == 0 })
		rank := make([]int, len(kept)) // doubled
		for i, x := range kept {
			for _, y := range kept {
				switch {
				case math.Abs(y) < math.Abs(x):
					rank[i] += 2
				case math.Abs(y) == math.Abs(x):
					rank[i]++
				}
			}
			rank[i]++
		}
		want := bruteP(v, func(s []bool) int {
			sum := 0
			for i := range s {
				if s[i] {
					sum += rank[i]
				}
			}
			return sum
		})
		if got := SignedRank(v); !near(got, want) {
			rt.Fatalf("signed ranks: %v, want %v", got, want)
		}
		want = bruteP(v, func(s []bool) int {
			n := 0
			for _, plus := range s {
				if plus {
					n++
				}
			}
			return n
		})
		if got := SignTest(v); !near(got, want) {
			rt.Fatalf("signs: %v, want %v", got, want)
		}
	})
}

// Exchanging the sides, the order of the seeds and seeds that are alike change no p; neither does a change of
// scale. Sizes change that of signed ranks only.
func TestLawsOfThePs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := drawValues(rt, 0, 40)
		other := negated(v)
		slices.Reverse(other)
		for i := range other {
			other[i] *= 4
		}
		other = append(other, 0, math.NaN())
		if a, b := SignedRank(v), SignedRank(other); a != b || a <= 0 || a > 1 {
			rt.Fatalf("signed ranks: %v and %v", a, b)
		}
		if a, b := SignTest(v), SignTest(other); a != b || a <= 0 || a > 1 {
			rt.Fatalf("signs: %v and %v", a, b)
		}
	})
}

// Wilcoxon's example of 1945 (Darwin's maize): T = 24 of 15 pairs, p = 0.0413; R's wilcox.test gives 0.04126.
func TestDarwinsMaize(t *testing.T) {
	v := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	if got := SignedRank(v); math.Abs(got-0.04126) > 5e-6 {
		t.Error(got)
	}
	if got, want := SignTest(v), 2*(1+15+105)/math.Ldexp(1, 15); !near(got, want) {
		t.Error(got)
	}
}

// Beyond 200 values the approximation takes over without a step.
func TestManyValues(t *testing.T) {
	for name, ties := range map[string][]int{
		"untied": slices.Repeat([]int{1}, exactRanks), "tied": slices.Repeat([]int{4, 1}, exactRanks/5),
	} {
		below, total := sumsBelow(ties), exactRanks*(exactRanks+1)
		for lower := 0; lower <= total/2; lower += 2 {
			exact := min(1, 2*below[lower])
			about := signedRanks{n: exactRanks, lower: lower, upper: total - lower, ties: ties}.normal()
			if off := math.Abs(about/exact - 1); exact > 1e-3 && off > 0.08 || exact > 1e-2 && off > 0.03 {
				t.Errorf("%s: p %v, about %v", name, exact, about)
				break
			}
		}
	}
	v := make([]float64, exactSigns+200)
	for i := range v {
		v[i] = 1
		if i%100 < 45 {
			v[i] = -1
		}
	}
	sum := 0.0 // the same without a binomial
	for k := range 540 + 1 {
		a, _ := math.Lgamma(1201)
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(1200 - k + 1))
		sum += math.Exp(a - b - c - 1200*math.Ln2)
	}
	if got := SignTest(v); math.Abs(got/(2*sum)-1) > 1e-9 {
		t.Errorf("signs: %v, want %v", got, 2*sum)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005, 0.9})
	for i, want := range []float64{0.04, 0.09, 0.09, 0.025, 0.9} {
		if !near(got[i], want) {
			t.Errorf("%d: %v, want %v", i, got[i], want)
		}
	}
}

// Holm keeps the order, only raises, up to 1 and at most so many times as there are rows, never more than one
// p at a time by Bonferroni; and a p that rises lowers none.
func TestLawsOfHolm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 8).Draw(rt, "p")
		adjusted := Holm(p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > math.Min(1, float64(len(p))*p[i]) {
				rt.Fatalf("%v to %v", p, adjusted)
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] {
					rt.Fatalf("%v to %v", p, adjusted)
				}
			}
		}
		k := rapid.IntRange(0, len(p)-1).Draw(rt, "which")
		risen := slices.Clone(p)
		risen[k] = rapid.Float64Range(p[k], 1).Draw(rt, "to")
		for i, a := range Holm(risen) {
			if a < adjusted[i] {
				rt.Fatalf("%v to %v: %v to %v", p, risen, adjusted, Holm(risen))
			}
		}
	})
}

// "Seeds needed for k rows are computed": with so many agreeing seeds the row is shown, with one less it is
// not, though the others show nothing.
func TestSeedsNeeded(t *testing.T) {
	for rows, want := range map[int]int{0: 0, 1: 6, 2: 7, 3: 7, 4: 8, 5: 8, 6: 8, 7: 9, 12: 9, 13: 10} {
		if got := SeedsNeeded(rows, 0.05); got != want {
			t.Errorf("%d rows: %d seeds, want %d", rows, got, want)
		}
		if rows == 0 {
			continue
		}
		for n, shown := range map[int]int{want: 1, want - 1: 0} {
			all := make([][]float64, rows)
			for i := range n {
				all[0] = append(all[0], float64(i+1))
			}
			if got := Judge(all, 0.05)[0].Shown; got != shown {
				t.Errorf("%d rows, %d seeds: %d", rows, n, got)
			}
		}
	}
}

// A difference is shown if both adjusted p's say so, in the direction of both; exchanging the sides turns it.
func TestLawsOfJudge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var rows, turned [][]float64
		for range rapid.IntRange(0, 4).Draw(rt, "rows") {
			v := drawValues(rt, 0, 20)
			if rapid.Bool().Draw(rt, "one-sided") {
				for i := range v {
					v[i] = math.Abs(v[i])
				}
			}
			rows, turned = append(rows, v), append(turned, negated(v))
		}
		back := Judge(turned, 0.05)
		for i, j := range Judge(rows, 0.05) {
			if j.Shown != -back[i].Shown || j.Adjusted != back[i].Adjusted {
				rt.Fatalf("%v turned is %v", j, back[i])
			}
			lower, higher, _ := Signs(rows[i])
			one := lower == 0 || higher == 0
			if both := j.Adjusted <= 0.05 && j.SignAdjusted <= 0.05; (j.Shown != 0) != both && (one || !both) {
				rt.Fatalf("%v", j)
			}
			if j.Shown*(higher-lower) < 0 {
				rt.Fatalf("%v of %v", j, rows[i])
			}
		}
	})
}

// Signs and ranks that are both far from even, but to different sides, show nothing.
func TestSidesDiffer(t *testing.T) {
	var v []float64
	for i := range 1000 {
		switch {
		case i < 650:
			v = append(v, float64(i+1))
		default:
			v = append(v, -float64(i+1))
		}
	}
	j := Judge([][]float64{v}, 0.05)[0]
	if j.Adjusted > 0.05 || j.SignAdjusted > 0.05 || j.Shown != 0 {
		t.Errorf("%+v", j)
	}
}

func TestDifferences(t *testing.T) {
	got := Differences([]float64{3, inf, 1, inf, math.NaN(), -inf}, []float64{1, inf, inf, 1, 1, -inf})
	want := []float64{2, 0, -inf, inf, math.NaN(), 0}
	for i := range want {
		if got[i] != want[i] && !math.IsNaN(want[i]) || math.IsNaN(got[i]) != math.IsNaN(want[i]) {
			t.Errorf("%d: %v, want %v", i, got[i], want[i])
		}
	}
}

func TestGain(t *testing.T) {
	a := []float64{1, 2, 3, 4, 5, 6}
	b := []float64{2, 3, 4, 5, 6, 8}
	// The sums of squares are 17.5, 23 1/3 and 5/6.
	if got, ok := Gain(a, b); !ok || math.Abs(got-49) > 1e-9 {
		t.Error(got, ok)
	}
	for name, c := range map[string][2][]float64{
		"few":      {a[:5], b[:5]},
		"infinite": {append(a[:5:5], inf), b},
		"parallel": {a, {2, 3, 4, 5, 6, 7}},
		"rounding": {{.1, .2, .3, .4, .5, .6}, {.4, .5, .6, .7, .8, .9}},
		"steady":   {{1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}},
	} {
		if got, ok := Gain(c[0], c[1]); ok {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got, ok := Gain([]float64{1, 1, 1, 1, 1, 1}, b); !ok || !near(got, 1) {
		t.Error("one side steady:", got, ok)
	}
	// The seed without a pair counts on neither side.
	got, ok := Gain(append([]float64{1e9}, a...), append([]float64{math.NaN()}, b...))
	if !ok || math.Abs(got-49) > 1e-9 {
		t.Error("without a pair:", got, ok)
	}
}

// The ends are where the tail of the binomial has half of what is allowed.
func TestClopperPearson(t *testing.T) {
	atLeast := func(k, n int, p float64) float64 {
		sum := 0.0
		for i := k; i <= n; i++ {
			c := 1.0
			for j := range i {
				c = c * float64(n-j) / float64(j+1)
			}
			sum += c * math.Pow(p, float64(i)) * math.Pow(1-p, float64(n-i))
		}
		return sum
	}
	for _, n := range []int{1, 2, 5, 10, 20, 40} {
		for k := range n + 1 {
			low, high := ClopperPearson(k, n, 0.95)
			other, one := ClopperPearson(n-k, n, 0.95)
			if math.Abs(low-(1-one)) > 1e-9 || math.Abs(high-(1-other)) > 1e-9 {
				t.Errorf("%d of %d: %v, %v; the others %v, %v", k, n, low, high, other, one)
			}
			if k == 0 {
				if low != 0 {
					t.Errorf("0 of %d: from %v", n, low)
				}
				continue
			}
			if tail := atLeast(k, n, low); math.Abs(tail-0.025) > 1e-7 {
				t.Errorf("%d of %d: a tail of %v at %v", k, n, tail, low)
			}
		}
	}
}

// "none in n seeds reads at most 3/n": never less than the exact bound of 95 %.
func TestRuleOfThree(t *testing.T) {
	for n := 3; n <= 1000; n++ {
		if _, high := ClopperPearson(0, n, 0.9); high > 3/float64(n) {
			t.Errorf("%d: %v", n, high)
		}
	}
}

// "looked at after 10, 20, 40, 80 … seeds, level split over the looks"; every look can have an interval.
func TestLooks(t *testing.T) {
	for budget, want := range map[int][]int{
		0: nil, 7: {7}, 10: {10}, 11: {10, 11}, 80: {10, 20, 40, 80}, 100: {10, 20, 40, 80, 100},
	} {
		var got []int
		sum := 0.0
		for _, l := range Looks(budget, 0.05) {
			got = append(got, l.Seeds)
			sum += l.Alpha
			if r, _ := Ranks(l.Seeds, 1-l.Alpha); r == 0 {
				t.Errorf("budget %d: none after %d seeds", budget, l.Seeds)
			}
		}
		if !slices.Equal(got, want) || len(want) > 0 && math.Abs(sum-0.05) > 1e-12 {
			t.Errorf("budget %d: %v, together %v", budget, got, sum)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	rows := make([][]float64, 5)
	for i := range rows {
		for k := range 40 {
			rows[i] = append(rows[i], float64((k*17+i*7)%29)-14)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Judge(rows, 0.05)
	}
}

func BenchmarkMedianInterval(b *testing.B) {
	v := make([]float64, 40)
	for i := range v {
		v[i] = float64(i * 17 % 41)
	}
	b.ReportAllocs()
	for b.Loop() {
		MedianInterval(v, 0.95)
	}
}
