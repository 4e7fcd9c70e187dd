package sim

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// ulps is the distance between two numbers in units in the last place of want.
func ulps(got, want float64) float64 {
	if got == want || got != got && want != want {
		return 0
	}
	want = math.Abs(want)
	return math.Abs(math.Abs(got)-want) / (math.Nextafter(want, math.Inf(1)) - want)
}

// TestExp compares with math.Exp, which has an error below 1 unit itself.
func TestExp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1_000_000 {
		x := r.Float64()*1416 - 708
		if i%2 == 0 {
			x /= 1000
		}
		if d := ulps(exp(x), math.Exp(x)); d > 2 {
			t.Fatalf("exp(%v) = %v, want %v: %v units off", x, exp(x), math.Exp(x), d)
		}
	}
	for _, tc := range []struct{ x, want float64 }{
		{0, 1},
		{1, math.E},
		{709.78, math.Exp(709.78)},
		{710, math.Inf(1)},
		{math.Inf(1), math.Inf(1)},
		{-708.39, math.Exp(-708.39)},
		{-709, 0},
		{math.Inf(-1), 0},
		{math.NaN(), math.NaN()},
	} {
		if d := ulps(exp(tc.x), tc.want); d > 1 {
			t.Errorf("exp(%v) = %v, want %v", tc.x, exp(tc.x), tc.want)
		}
	}
}

const minNormalBits = 1 << 52

// TestLog compares with math.Log, which has an error below 1 unit itself.
func TestLog(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 1_000_000 {
		var x float64
		switch i % 4 {
		case 0:
			x = math.Float64frombits(minNormalBits + r.Uint64N(0x7fe<<52)) // any size
		case 1:
			x = r.Float64()
		case 2:
			x = 1 + (r.Float64()-0.5)/64
		default:
			x = 1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(50))
		}
		if d := ulps(log(x), math.Log(x)); d > 3 {
			t.Fatalf("log(%v) = %v, want %v: %v units off", x, log(x), math.Log(x), d)
		}
	}
	for _, tc := range []struct{ x, want float64 }{
		{1, 0},
		{2, math.Ln2},
		{0, math.Inf(-1)},
		{-1, math.NaN()},
		{math.Inf(-1), math.NaN()},
		{math.NaN(), math.NaN()},
		{math.Inf(1), math.Inf(1)},
		{math.MaxFloat64, math.Log(math.MaxFloat64)},
		// math.Log cannot be asked about subnormal numbers: on amd64 it is wrong there.
		{math.SmallestNonzeroFloat64, -1074 * math.Ln2},
		{0x1.8p-1030, math.Log(1.5) - 1030*math.Ln2},
	} {
		if d := ulps(log(tc.x), tc.want); d > 1 {
			t.Errorf("log(%v) = %v, want %v", tc.x, log(tc.x), tc.want)
		}
	}
}

// TestTables computes the tables anew, with 200 bits.
func TestTables(t *testing.T) {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	root := number(2)
	for range 5 {
		root.Sqrt(root) // in the end the 32nd root
	}
	for j, power := 0, number(1); j < expParts; j++ {
		if want, _ := power.Float64(); expTable[j] != want {
			t.Errorf("expTable[%d] = %x, want %x", j, expTable[j], want)
		}
		power.Mul(power, root)
	}
	for j, row := range logTable {
		c := number(math.Float64frombits(logFloor + uint64(j)<<logShift + logHalf))
		if want, _ := new(big.Float).Quo(number(1), c).Float64(); row.inverse != want {
			t.Errorf("logTable[%d].inverse = %x, want %x", j, row.inverse, want)
		}
		if want, _ := bigLog(c).Float64(); row.log != want {
			t.Errorf("logTable[%d].log = %x, want %x", j, row.log, want)
		}
	}
	for name, tc := range map[string]struct {
		high, low float64
		want      *big.Float
	}{
		"ln(2)":    {ln2Hi, ln2Lo, bigLog(number(2))},
		"ln(2)/32": {ln2Part, ln2PartLo, new(big.Float).Quo(bigLog(number(2)), number(32))},
	} {
		rest := new(big.Float).Sub(tc.want, number(tc.high))
		if want, _ := rest.Float64(); tc.low != want {
			t.Errorf("the lower part of %s is %x, want %x", name, tc.low, want)
		}
	}
}

// bigLog returns log(c) = 2·artanh((c-1)/(c+1)), for c near 1, by the power series.
func bigLog(c *big.Float) *big.Float {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	s := new(big.Float).Quo(new(big.Float).Sub(c, number(1)), new(big.Float).Add(c, number(1)))
	sum, power, square := number(0), number(0).Mul(s, number(2)), number(0).Mul(s, s)
	for n := 1; n < 200; n += 2 {
		sum.Add(sum, new(big.Float).Quo(power, number(float64(n))))
		power.Mul(power, square)
	}
	return sum
}

// TestNormalQuantile goes back by the complementary error function: Φ(x) = erfc(-x/√2)/2.
func TestNormalQuantile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300_000 {
		p := unit(r.Uint64())
		if i%3 == 0 {
			p = math.Ldexp(p, -r.IntN(50))
		}
		x := normalQuantile(p)
		if got := math.Erfc(-x/math.Sqrt2) / 2; math.Abs(got/p-1) > 1e-13 {
			t.Fatalf("Φ(normalQuantile(%v)) = %v", p, got)
		}
		if y := normalQuantile(1 - p); p > 0x1p-20 && math.Abs(x+y) > 1e-9*math.Abs(x)+1e-15 {
			t.Fatalf("normalQuantile(%v) = %v, of its complement %v", p, x, y)
		}
	}
	for _, tc := range []struct{ p, want float64 }{
		{0.5, 0},
		{0.99, 2.326347874040841},
		{0x1p-53, -8.209536151601387},
		{1 - 0x1p-53, 8.209536151601387},
	} {
		if got := normalQuantile(tc.p); math.Abs(got-tc.want) > 1e-14 {
			t.Errorf("normalQuantile(%v) = %v, want %v", tc.p, got, tc.want)
		}
	}
}
