package sim

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// keyWords are the arguments of Key, so that a test can vary each of them.
type keyWords struct{ seed, purpose, a, b, c uint64 }

func (w keyWords) draw() Draw { return Key(w.seed, Purpose(w.purpose), w.a, w.b, w.c) }

// word returns the ith argument and its width.
func (w *keyWords) word(i int) (name string, p *uint64, width int) {
	switch i {
	case 0:
		return "seed", &w.seed, 64
	case 1:
		return "purpose", &w.purpose, 16
	case 2:
		return "a", &w.a, 64
	case 3:
		return "b", &w.b, 64
	}
	return "c", &w.c, 64
}

// typicalKeys returns keys as a model makes them: small numbers, most bits zero.
func typicalKeys(n int) []keyWords {
	keys := make([]keyWords, n)
	for i := range keys {
		u := uint64(i)
		keys[i] = keyWords{seed: 1 + u%10, purpose: u % 7, a: u % 32, b: u, c: u % 3}
	}
	return keys
}

// pValue is the probability of a chi-square statistic as large as this by chance.
func pValue(chi2 float64, freedom int) float64 {
	return 1 - distuv.ChiSquared{K: float64(freedom)}.CDF(chi2)
}

// The tests below compute p-values of fixed numbers: they are as reproducible as any
// other test. A good construction gives p-values that are uniform themselves, so among
// some hundred of them the least is about 0.01, and 1e-6 means that something is wrong.
const pLimit = 1e-6

// TestKeyAvalanche flips each bit of each argument, upon which each bit of the draw must
// flip half of the time.
func TestKeyAvalanche(t *testing.T) {
	keys := typicalKeys(4096)
	for i := range 5 {
		name, _, width := keys[0].word(i)
		for bit := range width {
			var flips [64]int
			for _, k := range keys {
				before := k.draw()
				_, w, _ := k.word(i)
				*w ^= 1 << bit
				after := k.draw()
				for x := before.Uint64() ^ after.Uint64(); x != 0; x &= x - 1 {
					flips[bits.TrailingZeros64(x)]++
				}
			}
			chi2 := 0.0
			for _, n := range flips {
				z := (float64(n) - 2048) / 32 // standard deviation √(4096/4)
				chi2 += z * z
			}
			if p := pValue(chi2, 64); p < pLimit {
				t.Errorf("bit %d of %s: p = %.2g, flips of the draw's bits: %v",
					bit, name, p, flips)
			}
		}
	}
}

// TestKeyUniform counts the first draws of typical keys, and of runs of keys that differ
// in one argument, by their upper and by their lower bits.
func TestKeyUniform(t *testing.T) {
	const n, cells = 1 << 16, 256
	check := func(name string, key func(i uint64) keyWords) {
		var upper, lower [cells]int
		for i := range uint64(n) {
			d := key(i).draw()
			u := d.Uint64()
			upper[u>>56]++
			lower[u&255]++
		}
		for part, count := range map[string][cells]int{"upper": upper, "lower": lower} {
			if p := pValue(chiSquare(count[:], n), cells-1); p < pLimit {
				t.Errorf("%s, %s bits: p = %.2g", name, part, p)
			}
		}
	}
	keys := typicalKeys(n)
	check("typical", func(i uint64) keyWords { return keys[i] })
	for i := range 5 {
		name, _, _ := keys[0].word(i)
		check(name, func(n uint64) keyWords {
			k := keyWords{seed: 42, purpose: 3, a: 5, b: 7, c: 0}
			_, w, _ := k.word(i)
			*w = n
			return k
		})
	}
}

// TestKeyIndependence lays a pair of draws on a grid of 16 × 16: of two keys that are
// neighbours in one argument, and of one key, the first and the second.
func TestKeyIndependence(t *testing.T) {
	const n, side = 1 << 16, 16
	check := func(name string, pair func(k keyWords) (u, v uint64)) {
		var count [side * side]int
		for _, k := range typicalKeys(n) {
			u, v := pair(k)
			count[u>>60<<4|v>>60]++
		}
		if p := pValue(chiSquare(count[:], n), side*side-1); p < pLimit {
			t.Errorf("%s: p = %.2g", name, p)
		}
	}
	for i := range 5 {
		var k keyWords
		name, _, _ := k.word(i)
		check(name, func(k keyWords) (uint64, uint64) {
			d := k.draw()
			_, w, _ := k.word(i)
			*w++
			e := k.draw()
			return d.Uint64(), e.Uint64()
		})
	}
	check("first and second", func(k keyWords) (uint64, uint64) {
		d := k.draw()
		return d.Uint64(), d.Uint64()
	})
	check("second and third", func(k keyWords) (uint64, uint64) {
		d := k.draw()
		d.Uint64()
		return d.Uint64(), d.Uint64()
	})
}

func chiSquare(count []int, n int) float64 {
	expected, chi2 := float64(n)/float64(len(count)), 0.0
	for _, c := range count {
		chi2 += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	return chi2
}

// TestKeyCollisions draws from half a million keys. By the birthday problem there is one
// collision of 64 bits among them with a probability of 1e-8.
func TestKeyCollisions(t *testing.T) {
	var drawn []uint64
	for i := range uint64(1 << 19) {
		d := keyWords{seed: i % 4, purpose: i / 4 % 8, a: i / 32 % 32, b: i >> 11, c: i >> 10 & 1}.draw()
		drawn = append(drawn, d.Uint64())
	}
	slices.Sort(drawn)
	for i := range drawn[1:] {
		if drawn[i] == drawn[i+1] {
			t.Fatalf("two keys draw %#x", drawn[i])
		}
	}
}

// TestDrawGolden pins draws to the last bit: results of old runs depend on them. The
// numbers were computed by another program from the documentation of Key and Uint64.
func TestDrawGolden(t *testing.T) {
	for _, tc := range []struct {
		k    keyWords
		want [3]uint64
	}{
		{keyWords{0, 0, 0, 0, 0}, [3]uint64{
			0x3489b193391a5303, 0x3d77901a4d54d713, 0x6121aa826e845bab,
		}},
		{keyWords{42, 1, 2, 3, 4}, [3]uint64{
			0xa04037cc200877c3, 0x4261fb9cb477e8f1, 0x674100249459170b,
		}},
		{keyWords{math.MaxUint64, 65535, math.MaxUint64, 1 << 63, 1}, [3]uint64{
			0xf44c750566c60c49, 0x491f56fc54c08c30, 0x171b0a398d82397,
		}},
	} {
		d := tc.k.draw()
		if got := [3]uint64{d.Uint64(), d.Uint64(), d.Uint64()}; got != tc.want {
			t.Errorf("%+v: %#x, want %#x", tc.k, got, tc.want)
		}
	}
}

// TestFloat64Open looks at the ends of the interval.
func TestFloat64Open(t *testing.T) {
	for _, tc := range []struct {
		word uint64
		want float64
	}{
		{0, 0x1p-53},
		{1 << 63, 0.5 + 0x1p-53},
		{math.MaxUint64, 1 - 0x1p-53},
	} {
		if got := unit(tc.word); got != tc.want || got+unit(^tc.word) != 1 {
			t.Errorf("unit(%#x) = %v, want %v", tc.word, got, tc.want)
		}
	}
}

// TestBelow counts small ranges, and large ones of which a biased method would prefer
// some part.
func TestBelow(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 10, 1000} {
		d := Key(1, 2, 3, 4, 5)
		count := make([]int, n)
		for range 100 * n {
			count[d.IntN(n)]++
		}
		if p := pValue(chiSquare(count, 100*n), max(n-1, 1)); p < pLimit {
			t.Errorf("IntN(%d): p = %.2g", n, p)
		}
	}
	// 2^64 words do not divide evenly among 3·2^61 results: without rejection, one result in
	// three would come from two words and the others from three.
	d, count := Key(1, 2, 3, 4, 5), [3]int{}
	for range 30_000 {
		count[below(&d, 3<<61)%3]++
	}
	if p := pValue(chiSquare(count[:], 30_000), 2); p < pLimit {
		t.Errorf("below 3<<61: p = %.2g, %v", p, count)
	}
	for _, n := range []int{0, -1} {
		mustPanic(t, "sim: IntN of a number that is not positive", func() { d.IntN(n) })
	}
}

func TestStream(t *testing.T) {
	s := NewStream(42, 1, 2, 3)
	var negative, count [4]int
	for range 40_000 {
		i := s.Int32()
		negative[uint32(i)>>30]++
		count[s.Int31n(4)]++
	}
	for name, c := range map[string][4]int{"Int32": negative, "Int31n": count} {
		if p := pValue(chiSquare(c[:], 40_000), 3); p < pLimit {
			t.Errorf("%s: p = %.2g, %v", name, p, c)
		}
	}
	d := Key(42, 1, 2, 3, 0)
	if s := NewStream(42, 1, 2, 3); s.Uint64() == d.Uint64() {
		t.Error("a stream repeats the draw of a key")
	}
	mustPanic(t, "sim: Int31n of a number that is not positive", func() { s.Int31n(0) })
}

// mustPanic calls f, which must panic with this text.
func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); got != want {
			t.Errorf("panic: %q, want %q", got, want)
		}
	}()
	f()
}
