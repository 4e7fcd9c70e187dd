package sim

import "math/bits"

// Purpose says what a draw decides, so that two decisions about the same thing
// don't share their luck. Callers define their own constants.
type Purpose uint16

// Key returns the draw that belongs to (seed, p, a, b, c), say the service time
// of instance a's message b in its attempt c. It is the same at every call, and
// shares nothing with the draw of any other key.
//
// The construction: words are absorbed in pairs by fold, which multiplies two
// 64-bit words, each masked by a constant, to 128 bits and adds the halves
// without carry. (seed, p) and (a, b) are absorbed side by side, then folded
// together with c. [Draw.Uint64] puts a further bijective mixer behind this.
func Key(seed uint64, p Purpose, a, b, c uint64) Draw {
	x := fold(seed^mask0, uint64(p)^mask1)
	y := fold(a^mask2, b^mask3)
	return Draw{fold(x^c, y)}
}

// The masks are the first 64 bits of the fractional parts of the square roots of
// 2, 3, 5 and 7: nothing up the sleeve. They keep a zero or a small
// number from being a factor of the product.
const (
	mask0 = 0x6a09e667f3bcc908
	mask1 = 0xbb67ae8584caa73b
	mask2 = 0x3c6ef372fe94f82b
	mask3 = 0xa54ff53a5f1d36f1
)

// fold mixes two words into one.
func fold(x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// Draw is a source of random numbers that belongs to one thing, see [Key]. It is a
// counter with a mixer: the nth number is a function of the key and n. A Draw is a
// value; a copy gives the same numbers again.
//
// Passed to a [Sampler], a Draw in a local variable would be allocated on the
// heap. Keep it in a field of something that lives longer.
type Draw struct{ state uint64 }

// weyl is the increment of the counter: 2^64 divided by the golden ratio, made odd.
const weyl = 0x9e3779b97f4a7c15

// Uint64 returns the next number, uniform over all 2^64.
//
// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators
// (2014), with the constants of Stafford's mixer 13.
func (d *Draw) Uint64() uint64 {
	d.state += weyl
	x := d.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Float64 returns the next number, uniform over the open interval (0, 1).
func (d *Draw) Float64() float64 { return unit(d.Uint64()) }

// unit maps a word to the middle of one of 2^52 equal parts of (0, 1). So neither end is
// ever drawn, and with u comes 1-u, both exact.
func unit(word uint64) float64 {
	return float64((float64(word>>12) + 0.5) * 0x1p-52)
}

// IntN returns the next number, uniform over 0 … n-1 without bias. It panics if n
// is not positive.
func (d *Draw) IntN(n int) int {
	if n <= 0 {
		panic("sim: IntN of a number that is not positive")
	}
	return int(below(d, uint64(n)))
}

// below returns a uniform number less than n: the upper word of a product with a
// random one, but for the few lower words that would favour some results.
//
// Source: Lemire: Fast random integer generation in an interval (2019).
func below(d *Draw, n uint64) uint64 {
	hi, lo := bits.Mul64(d.Uint64(), n)
	if lo < n {
		for excess := -n % n; lo < excess; {
			hi, lo = bits.Mul64(d.Uint64(), n)
		}
	}
	return hi
}
