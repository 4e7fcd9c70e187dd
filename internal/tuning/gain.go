package main

import (
	"context"
	"fmt"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
	"simrun/scenarios"
)

// gains compares the arrays of the shipped tuning comparison.
func gains(
	ctx context.Context, from *shelf, opt scenarios.Options, seeds []uint64,
) (*result.Comparison, error) {
	variants, err := scenarios.LoadVariants(gainScenario, opt)
	if err != nil {
		return nil, err
	}
	all := make([]wanted, len(variants))
	inputs := make([]ensemble.Input, len(variants))
	for i, sc := range variants {
		inputs[i].Name = sc.Variant
		all[i] = wanted{
			place: gainScenario, setting: sc.Variant, key: keyOf(gainScenario, sc.Variant),
			load: func() (*scenarios.Scenario, error) { return sc, nil },
		}
	}
	found, err := from.get(ctx, all, gainRows, seeds)
	if err != nil {
		return nil, err
	}
	for i, k := range found {
		inputs[i].Members = k.members(seeds)
	}
	return ensemble.Compare(inputs, ensemble.Options{Rows: gainRows}), nil
}

// gainScenario is the shipped comparison of arrays.
const gainScenario = "tuning"

// gainRows are those on which common draws have to gain.
var gainRows = []ensemble.Row{
	{Metric: "success_rate", Phase: result.PhaseAll}, {Metric: "latency_mean", Phase: result.PhaseAll},
}

// gaintable shows, for each variant of the shipped tuning comparison, its differences and what common draws
// gained. Less than 2 is an error.
func (s *study) gaintable() (string, error) {
	var b strings.Builder
	b.WriteString("| variant | success | gain | mean latency | gain |\n|:--|--:|--:|--:|--:|\n")
	c := s.gains
	for v := range c.Variants {
		line := "| `" + c.Variants[v].Name + "` |"
		for i := range c.Rows {
			r := &c.Rows[i]
			if !r.Named {
				continue
			}
			median, diff, interval := report.PairedTexts(c, r, v)
			if v == c.Reference {
				line += " " + (&table{of: c}).own(r, v) + " | |"
				continue
			}
			g := r.Against[v].Gain
			if g == nil || *g < leastGain {
				return "", fmt.Errorf("the gain of %s on %s is below %d: %v", c.Variants[v].Name, r.Metric,
					leastGain, g)
			}
			line += fmt.Sprintf(" %s<br>%s [%s]%s | %.1f |", median, diff, interval, mark(r.Against[v].Outcome), *g)
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

// gainOne is the gain of a row that has next to none.
func (s *study) gainOne(cell, setting, metric string) (string, error) {
	_, r, v, err := s.at(cell, setting, metric)
	if err != nil {
		return "", err
	}
	g := r.Against[v].Gain
	if g == nil || *g > 1.5 {
		return "", fmt.Errorf("the gain of %s on %s in %s is not near 1", setting, metric, cell)
	}
	return fmt.Sprintf("%.1f", *g), nil
}

// leastGain is what common draws have to gain on the shipped tuning comparison (issue 7).
const leastGain = 2
