package sim

import (
	"fmt"
	"math"
	"strconv"
)

// Scaled returns a sampler of s multiplied by a factor, as a machine that is slower by
// that factor would have. It is an error if the factor is negative or not finite.
func Scaled(s Sampler, factor float64) (Sampler, error) {
	if err := checkNumber(factor, true, "scaled", "factor"); err != nil {
		return nil, err
	}
	return &scaled{s, factor}, nil
}

type scaled struct {
	of     Sampler
	factor float64
}

func (s *scaled) Sample(d *Draw) int64 {
	return round(float64(float64(s.of.Sample(d)) * s.factor))
}

func (s *scaled) Mean() float64 {
	if s.factor == 0 {
		return 0
	}
	return float64(s.of.Mean() * s.factor)
}

func (s *scaled) String() string {
	factor := strconv.FormatFloat(s.factor, 'g', -1, 64)
	return fmt.Sprintf(`{ dist = "scaled", factor = %s, of = %v }`, factor, s.of)
}

// Shifted returns a sampler of s with a constant added, such as a delay that comes on
// top. It is an error if the shift is negative.
func Shifted[T Quantity](s Sampler, by T) (Sampler, error) {
	q := quantityOf(by)
	if err := q.atLeast(0, "shifted", "by"); err != nil {
		return nil, err
	}
	return &shifted{s, q}, nil
}

type shifted struct {
	of Sampler
	by quantity
}

func (s *shifted) Sample(d *Draw) int64 {
	v := s.of.Sample(d)
	if v > math.MaxInt64-s.by.value {
		return math.MaxInt64
	}
	return v + s.by.value
}

func (s *shifted) Mean() float64 { return s.of.Mean() + float64(s.by.value) }

func (s *shifted) String() string {
	return fmt.Sprintf(`{ dist = "shifted", by = %s, of = %v }`, s.by.TOML(), s.of)
}
