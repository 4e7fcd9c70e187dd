package sim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Mixture returns a sampler that draws from samplers[i] with a probability of
// weights[i] divided by the sum of the weights: first it draws which, then from that
// one. It is an error if there are no samplers, not as many weights, a negative
// weight, or none above 0.
func Mixture(weights []float64, samplers []Sampler) (Sampler, error) {
	if len(samplers) == 0 {
		return nil, errors.New("mixture: no distributions")
	}
	if len(weights) != len(samplers) {
		return nil, fmt.Errorf("mixture: %d weights for %d distributions",
			len(weights), len(samplers))
	}
	m := &mixture{}
	sum := 0.0
	for i, w := range weights {
		if samplers[i] == nil {
			return nil, fmt.Errorf("mixture: distribution %d is missing", i+1)
		}
		if err := checkNumber(w, true, "mixture", fmt.Sprintf("weight %d", i+1)); err != nil {
			return nil, err
		}
		sum += w
		m.parts = append(m.parts, mixturePart{w, sum, samplers[i]})
	}
	if err := checkNumber(sum, false, "mixture", "the sum of weights"); err != nil {
		return nil, err
	}
	m.sum = sum
	return m, nil
}

type mixture struct {
	parts []mixturePart
	sum   float64
}

type mixturePart struct {
	weight  float64
	upTo    float64 // the sum of the weights up to this one
	sampler Sampler
}

func (m *mixture) Sample(d *Draw) int64 {
	x := float64(m.sum * d.Float64())
	i := 0
	for x >= m.parts[i].upTo && i < len(m.parts)-1 {
		i++
	}
	return m.parts[i].sampler.Sample(d)
}

func (m *mixture) Mean() float64 {
	mean := 0.0
	for i := range m.parts {
		if w := m.parts[i].weight; w > 0 { // 0 times an infinite mean would be NaN
			mean += float64(w / m.sum * m.parts[i].sampler.Mean())
		}
	}
	return mean
}

func (m *mixture) String() string {
	weights, of := make([]string, len(m.parts)), make([]string, len(m.parts))
	for i := range m.parts {
		weights[i] = strconv.FormatFloat(m.parts[i].weight, 'g', -1, 64)
		of[i] = m.parts[i].sampler.String()
	}
	return fmt.Sprintf(`{ dist = "mixture", weights = [%s], of = [%s] }`,
		strings.Join(weights, ", "), strings.Join(of, ", "))
}
