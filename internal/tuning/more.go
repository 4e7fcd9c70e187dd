package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/stat"
	"simrun/report"
)

// mark is how a verdict is shown behind a difference.
func mark(o result.Outcome) string {
	switch o {
	case result.OutcomeBetter:
		return " ✓"
	case result.OutcomeWorse:
		return " ✗"
	}
	return ""
}

// fields of tuning-guide.csv.
var fields = []string{
	"situation", "condition", "setting", "keys", "row", "unit", "median", "low", "high",
	"difference", "difference_low", "difference_high", "outcome", "gain", "digest",
}

// csv has every number of the tables, and the digest of the first run of each setting, by which a test sees
// that they are out of date.
func (s *study) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(fields) // a buffer takes everything
	for _, t := range s.tables {
		for v, e := range t.entries {
			for _, c := range columns {
				r, err := t.row(c.metric)
				if err != nil {
					continue
				}
				_ = w.Write(t.record(v, e, r))
			}
		}
	}
	w.Flush()
	return b.Bytes()
}

// record is a line of the CSV.
func (t *table) record(v int, e entry, r *result.PairedRow) []string {
	var low, high string
	if i, ok := stat.MedianInterval(t.values(r, v), 1-ensemble.Alpha); ok {
		low, high = digits(i.Low), digits(i.High)
	}
	line := []string{
		t.situation.id, t.condition.id, e.name, strings.Join(e.set.keys, " "), r.Addressed(), string(r.Unit),
		digits(float64(r.Medians[v])), low, high, "", "", "", "", "", t.of.Variants[v].Set.Runs[0].Digest,
	}
	if d := &r.Against[v]; v != t.of.Reference {
		line[9], line[12] = digits(float64(d.Median)), string(d.Outcome)
		if d.Low != nil && d.High != nil {
			line[10], line[11] = digits(float64(*d.Low)), digits(float64(*d.High))
		}
		if d.Gain != nil {
			line[13] = strconv.FormatFloat(*d.Gain, 'g', 3, 64)
		}
	}
	return line
}

func digits(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// chosen finds a choice by the name of its variant.
func (s *study) chosen(name string) (*chosen, error) {
	i := slices.IndexFunc(s.choices, func(c chosen) bool { return c.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no choice %q", name)
	}
	return &s.choices[i], nil
}

// keys are what a choice sets, in words of the scenario.
func (s *study) keys(name string) (string, error) {
	c, err := s.chosen(name)
	if err != nil {
		return "", err
	}
	return "`" + strings.Join(toml(&c.setting), "`, `") + "`", nil
}

// sets checks that a choice sets a key so, or leaves it alone: what the text says of the choice.
func (s *study) sets(name string, keys ...string) (string, error) {
	c, err := s.chosen(name)
	if err != nil {
		return "", err
	}
	if !slices.Equal(c.setting.keys, keys) {
		err = fmt.Errorf("%s is %q, the page says %q", name, c.setting.keys, keys)
	}
	return "", err
}

// java, spring and toml are the snippets.
func (s *study) snippet(kind, name string) (string, error) {
	c, err := s.chosen(name)
	if err != nil {
		return "", err
	}
	properties, calls := spring(&c.setting)
	switch kind {
	case "java":
		return strings.Join(java(&c.setting), "\n"), nil
	case "properties":
		return strings.Join(properties, "\n"), nil
	case "calls":
		return strings.Join(calls, "\n"), nil
	case "toml":
		return strings.Join(toml(&c.setting), "\n"), nil
	}
	return "", fmt.Errorf("there is no snippet %q", kind)
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
				line += " " + median + " | |"
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

// leastGain is what common draws have to gain on the shipped tuning comparison (issue 7).
const leastGain = 2
