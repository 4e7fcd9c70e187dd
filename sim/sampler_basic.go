package sim

import (
	"fmt"
	"math"
	"strconv"
)

// Constant returns a sampler of v and nothing else. It is an error if v is
// negative.
func Constant[T Quantity](v T) (Sampler, error) {
	q := quantityOf(v)
	if err := q.atLeast(0, "constant", "value"); err != nil {
		return nil, err
	}
	return &constant{q}, nil
}

type constant struct{ value quantity }

// Fixed reports whether s is a constant, and its value: such a sampler needs no draw.
func Fixed(s Sampler) (value int64, ok bool) {
	c, ok := s.(*constant)
	if !ok {
		return 0, false
	}
	return c.value.value, true
}

func (s *constant) Sample(d *Draw) int64 {
	d.Uint64() // so that all samplers take as many
	return s.value.value
}

func (s *constant) Mean() float64 { return float64(s.value.value) }

func (s *constant) String() string {
	return fmt.Sprintf(`{ dist = "constant", value = %s }`, s.value.TOML())
}

// Uniform returns a sampler of the uniform distribution between lo and hi. It is an
// error if lo is negative or hi less than lo.
func Uniform[T Quantity](lo, hi T) (Sampler, error) {
	l, h := quantityOf(lo), quantityOf(hi)
	if err := l.atLeast(0, "uniform", "min"); err != nil {
		return nil, err
	}
	if h.value < l.value {
		return nil, fmt.Errorf("uniform: max is %v, must be at least min, which is %v", h, l)
	}
	return &uniform{l, h, float64(l.value), float64(h.value) - float64(l.value)}, nil
}

type uniform struct {
	lo, hi      quantity
	from, width float64
}

func (s *uniform) Sample(d *Draw) int64 { return s.quantile(d.Float64()) }

func (s *uniform) quantile(u float64) int64 {
	return round(s.from + float64(s.width*u))
}

func (s *uniform) Mean() float64 { return s.from + float64(s.width/2) }

func (s *uniform) String() string {
	return fmt.Sprintf(`{ dist = "uniform", min = %s, max = %s }`, s.lo.TOML(), s.hi.TOML())
}

// Exponential returns a sampler of the exponential distribution with the given mean.
// It is an error if the mean is not positive.
func Exponential[T Quantity](mean T) (Sampler, error) {
	q := quantityOf(mean)
	if err := q.atLeast(1, "exponential", "mean"); err != nil {
		return nil, err
	}
	return &exponential{q, float64(q.value)}, nil
}

type exponential struct {
	mean  quantity
	scale float64
}

func (s *exponential) Sample(d *Draw) int64 { return s.quantile(d.Float64()) }

// quantile inverts F(x) = 1 - e^(-x/mean).
func (s *exponential) quantile(u float64) int64 {
	return round(float64(s.scale * -log(1-u)))
}

func (s *exponential) Mean() float64 { return s.scale }

func (s *exponential) String() string {
	return fmt.Sprintf(`{ dist = "exponential", mean = %s }`, s.mean.TOML())
}

// Pareto returns a sampler of the Pareto distribution: at least lowest, and above x with
// probability (lowest/x)^alpha. A smaller alpha has a heavier tail: at 2 and below the
// variance is infinite, at 1 and below the mean as well. It is an error if lowest or alpha
// is not positive, or alpha not finite.
func Pareto[T Quantity](lowest T, alpha float64) (Sampler, error) {
	q := quantityOf(lowest)
	if err := q.atLeast(1, "pareto", "min"); err != nil {
		return nil, err
	}
	if err := checkNumber(alpha, false, "pareto", "alpha"); err != nil {
		return nil, err
	}
	return &pareto{q, float64(q.value), alpha}, nil
}

type pareto struct {
	min          quantity
	scale, alpha float64
}

func (s *pareto) Sample(d *Draw) int64 { return s.quantile(d.Float64()) }

// quantile inverts F(x) = 1 - (min/x)^alpha.
func (s *pareto) quantile(u float64) int64 {
	return round(float64(s.scale * exp(-log(1-u)/s.alpha)))
}

func (s *pareto) Mean() float64 {
	if s.alpha <= 1 {
		return math.Inf(1)
	}
	return s.scale * s.alpha / (s.alpha - 1)
}

func (s *pareto) String() string {
	alpha := strconv.FormatFloat(s.alpha, 'g', -1, 64)
	return fmt.Sprintf(`{ dist = "pareto", min = %s, alpha = %s }`, s.min.TOML(), alpha)
}
