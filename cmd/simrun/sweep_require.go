package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/scenarios"
)

// requireValue is the flag --require, which may be repeated.
type requireValue []string

const requireForm = "it is written as 'METRIC<=VALUE' or 'METRIC>=VALUE', in quotes: a shell takes < and > " +
	"for itself"

func (v *requireValue) Set(text string) error {
	if _, _, _, ok := cutRequirement(text); !ok {
		return fmt.Errorf("%q has no bound; %s", text, requireForm)
	}
	if slices.Contains(*v, text) {
		return fmt.Errorf("%q is there twice", text)
	}
	*v = append(*v, text)
	return nil
}

func (v *requireValue) String() string { return "" }
func (v *requireValue) Type() string   { return "METRIC<=X" }

// cutRequirement splits "latency_p99@all<=500ms".
func cutRequirement(text string) (address, bound string, atLeast, ok bool) {
	address, bound, ok = strings.Cut(text, "<=")
	if !ok {
		address, bound, ok = strings.Cut(text, ">=")
		atLeast = true
	}
	address, bound = strings.TrimSpace(address), strings.TrimSpace(bound)
	return address, bound, atLeast, ok && address != "" && bound != ""
}

// addRequirements turns --require into bounds of rows, which are kept if they are not already. Of a metric of
// faults without a fault each is bounded.
func (s *sweeping) addRequirements(places ensemble.Places) error {
	var wrong []string
	for _, text := range s.spec.Require {
		address, bound, atLeast, _ := cutRequirement(text)
		rows, err := places.Rows(address)
		if err != nil {
			wrong = append(wrong, strings.Split(err.Error(), "\n")...)
			continue
		}
		for _, r := range rows {
			m, _ := result.LookupMetric(r.Metric)
			x, ok := boundOf(m.Unit, bound)
			if !ok {
				wrong = append(wrong, fmt.Sprintf("%s: %q is no bound of %s: it is %s", text, bound, r.Metric,
					boundForm(m.Unit)))
				break
			}
			if !slices.Contains(s.rows, r) {
				s.rows = append(s.rows, r)
			}
			s.needs = append(s.needs, result.Requirement{
				Metric: slices.Index(s.rows, r), AtLeast: atLeast, Bound: x,
			})
		}
	}
	if len(wrong) > 0 {
		return usagef("--require: %s", strings.Join(wrong, "\nsimrun: --require: "))
	}
	return nil
}

// boundOf reads a bound in the base unit of a metric.
func boundOf(unit result.Unit, text string) (float64, bool) {
	q, ok := scenarios.ParseQuantity(text)
	x := q.Value
	isNumber := q.Like(scenarios.Quantity{}) // the zero value is a whole number
	switch {
	case !ok || math.IsNaN(x) || math.IsInf(x, 0):
		return 0, false
	case unit == result.UnitNS:
		return x, q.Unit() == result.UnitNS
	case unit == result.UnitRatio:
		return x, (isNumber || q.Unit() == result.UnitRatio) && x >= 0 && x <= 1
	}
	return x, isNumber
}

func boundForm(unit result.Unit) string {
	switch unit {
	case result.UnitNS:
		return "a time, as 500ms"
	case result.UnitRatio:
		return "a share, as 99.9% or 0.999"
	case result.UnitCount, result.UnitPer:
	}
	return "a number"
}
