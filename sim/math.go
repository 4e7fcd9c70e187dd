package sim

import "math"

// The elementary functions below exist because those of package math have versions
// in assembly that round differently from one architecture to the next. Here each
// step is one that IEEE 754 defines to the last bit, and each product stands in an
// explicit float64(), which forbids the compiler to fuse it with a sum.

const (
	expParts  = 32
	expMax    = 709.782712893384   // above, exp overflows
	expMin    = -708.3964185322641 // below, exp is not a normal number
	ln2Part   = 0x1.62e42fefap-6   // the upper 37 bits of ln(2)/32
	ln2PartLo = 0x1.cf79abc9e3b3ap-45
	partsLn2  = 0x1.71547652b82fep+5 // 32/ln(2)
	roundBit  = 0x1.8p52             // adding and subtracting it rounds to an integer
)

// exp returns e^x with an error below 1.1 units in the last place. Results too small
// for a normal number are 0, too large ones +Inf.
//
// With x = (32m + j)·ln(2)/32 + r, it is 2^m · 2^(j/32) · e^r: m goes to the exponent,
// the second factor comes from a table, and r is so small that six terms of the power
// series suffice.
func exp(x float64) float64 {
	switch {
	case x > expMax:
		return math.Inf(1)
	case x < expMin:
		return 0
	case x != x:
		return x
	}
	n := float64(x*partsLn2) + roundBit - roundBit
	k := int64(n)
	r := x - float64(n*ln2Part) - float64(n*ln2PartLo)
	r2 := float64(r * r)
	tail := 1.0/2 + float64(r*(1.0/6)) +
		float64(r2*(1.0/24+float64(r*(1.0/120))+float64(r2*(1.0/720))))
	scale := expTable[k&(expParts-1)]
	y := scale + float64(scale*(r+float64(r2*tail)))
	return math.Float64frombits(math.Float64bits(y) + uint64(k>>5)<<52)
}

const (
	logParts   = 128
	logFloor   = 0x3fe71 << 44 // the bits of 0.720703125, see log
	logShift   = 52 - 7
	logHalf    = 1 << (logShift - 1) // half a part
	ln2Hi      = 0x1.62e42fefa38p-1  // the upper 42 bits of ln(2)
	ln2Lo      = 0x1.ef35793c7673p-45
	mantissa   = 1<<52 - 1
	minNormal  = 0x1p-1022
	subnormal  = 0x1p54 // scales every subnormal number to a normal one
	subnormalK = 54
)

// log returns the natural logarithm of x with an error below 2 units in the last
// place: NaN if x is negative, -Inf if it is 0.
//
// With x = 2^k · z and c the center of the part of [0.72, 1.44) that z is in, it is
// k·ln(2) + log(c) + log(1+r), r = (z-c)/c. The floor is chosen so that 1 is such a
// center: near 1 the first two terms vanish, and nothing cancels.
func log(x float64) float64 {
	var k0 int64
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < minNormal:
		if x < 0 {
			return math.NaN()
		}
		if x == 0 {
			return math.Inf(-1)
		}
		x = float64(x * subnormal)
		k0 = subnormalK
	}
	b := math.Float64bits(x)
	offset := b - logFloor
	k := int64(offset)>>52 - k0
	j := offset >> logShift & (logParts - 1)
	z := math.Float64frombits(b - offset&^mantissa)
	c := math.Float64frombits(logFloor + j<<logShift + logHalf)
	row := &logTable[j]
	r := float64((z - c) * row.inverse)
	r2 := float64(r * r)
	// log(1+r) = r - r²/2 + r³/3 - … + r⁷/7
	tail := -1.0/2 + float64(r*(1.0/3)) + float64(r2*(-1.0/4+float64(r*(1.0/5))+
		float64(r2*(-1.0/6+float64(r*(1.0/7))))))
	n := float64(k)
	return float64(n*ln2Hi) + row.log + (r + (float64(r2*tail) + float64(n*ln2Lo)))
}

// normalQuantile returns the value below which a standard normal variable lies with
// probability p, 0 < p < 1, with a relative error of about 1e-16.
//
// Source: Wichura, Algorithm AS 241: The percentage points of the normal
// distribution, Applied Statistics 37 (1988), PPND16.
func normalQuantile(p float64) float64 {
	q := p - 0.5
	if -0.425 <= q && q <= 0.425 {
		r := 0.180625 - float64(q*q)
		return float64(q * ratio(&normalCenter, r))
	}
	tail := p
	if q > 0 {
		tail = 1 - p
	}
	r := math.Sqrt(-log(tail))
	var x float64
	if r <= 5 {
		x = ratio(&normalShoulder, r-1.6)
	} else {
		x = ratio(&normalTail, r-5)
	}
	if q < 0 {
		return -x
	}
	return x
}

// rational is the quotient of two polynomials of degree 7, lowest terms first.
type rational struct{ num, den [8]float64 }

var normalCenter = rational{
	[8]float64{
		3.3871328727963666080e0, 1.3314166789178437745e2,
		1.9715909503065514427e3, 1.3731693765509461125e4,
		4.5921953931549871457e4, 6.7265770927008700853e4,
		3.3430575583588128105e4, 2.5090809287301226727e3,
	},
	[8]float64{
		1, 4.2313330701600911252e1,
		6.8718700749205790830e2, 5.3941960214247511077e3,
		2.1213794301586595867e4, 3.9307895800092710610e4,
		2.8729085735721942674e4, 5.2264952788528545610e3,
	},
}

var normalShoulder = rational{
	[8]float64{
		1.42343711074968357734e0, 4.63033784615654529590e0,
		5.76949722146069140550e0, 3.64784832476320460504e0,
		1.27045825245236838258e0, 2.41780725177450611770e-1,
		2.27238449892691845833e-2, 7.74545014278341407640e-4,
	},
	[8]float64{
		1, 2.05319162663775882187e0,
		1.67638483018380384940e0, 6.89767334985100004550e-1,
		1.48103976427480074590e-1, 1.51986665636164571966e-2,
		5.47593808499534494600e-4, 1.05075007164441684324e-9,
	},
}

var normalTail = rational{
	[8]float64{
		6.65790464350110377720e0, 5.46378491116411436990e0,
		1.78482653991729133580e0, 2.96560571828504891230e-1,
		2.65321895265761230930e-2, 1.24266094738807843860e-3,
		2.71155556874348757815e-5, 2.01033439929228813265e-7,
	},
	[8]float64{
		1, 5.99832206555887937690e-1,
		1.36929880922735805310e-1, 1.48753612908506148525e-2,
		7.86869131145613259100e-4, 1.84631831751005468180e-5,
		1.42151175831644588870e-7, 2.04426310338993978564e-15,
	},
}

// ratio evaluates f at r. The pairs of terms are independent of each other, which a
// processor uses: Horner's rule would make it wait for every single step.
func ratio(f *rational, r float64) float64 {
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	return polynomial(&f.num, r, r2, r4) / polynomial(&f.den, r, r2, r4)
}

func polynomial(c *[8]float64, r, r2, r4 float64) float64 {
	a := c[0] + float64(c[1]*r) + float64(r2*(c[2]+float64(c[3]*r)))
	b := c[4] + float64(c[5]*r) + float64(r2*(c[6]+float64(c[7]*r)))
	return a + float64(r4*b)
}
