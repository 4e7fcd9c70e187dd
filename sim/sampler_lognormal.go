package sim

import "fmt"

// Lognormal returns a sampler of the lognormal distribution with the given median
// and 99th percentile, which are easier to measure than the moments of a logarithm.
// It is an error if the median is not positive or p99 less than it.
func Lognormal[T Quantity](median, p99 T) (Sampler, error) {
	m, p := quantityOf(median), quantityOf(p99)
	if err := m.atLeast(1, "lognormal", "median"); err != nil {
		return nil, err
	}
	if p.value < m.value {
		return nil, fmt.Errorf("lognormal: p99 is %v, must be at least the median, which is %v",
			p, m)
	}
	sigma := log(float64(p.value)/float64(m.value)) / normalQuantile(0.99)
	return &lognormal{m, p, float64(m.value), sigma}, nil
}

type lognormal struct {
	median, p99 quantity
	scale       float64 // the median
	sigma       float64 // of the logarithm
}

func (s *lognormal) Sample(d *Draw) int64 { return s.quantile(d.Float64()) }

// quantile is median · e^(sigma·z), with z the quantile of the standard normal
// distribution.
func (s *lognormal) quantile(u float64) int64 {
	return round(float64(s.scale * exp(float64(s.sigma*normalQuantile(u)))))
}

func (s *lognormal) Mean() float64 {
	return float64(s.scale * exp(float64(s.sigma*s.sigma)/2))
}

func (s *lognormal) String() string {
	return fmt.Sprintf(`{ dist = "lognormal", median = %s, p99 = %s }`,
		s.median.TOML(), s.p99.TOML())
}
