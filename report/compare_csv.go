package report

import (
	"math"
	"slices"
	"strconv"

	"simrun/internal/result"
)

// pairedField is a column of comparison.csv: what it has for a variant of a row.
type pairedField struct {
	name string
	of   func(c *result.Comparison, r *result.PairedRow, v int) string
}

var pairedFields = []pairedField{
	{"metric", func(_ *result.Comparison, r *result.PairedRow, _ int) string { return r.Metric }},
	{"phase", func(_ *result.Comparison, r *result.PairedRow, _ int) string { return r.Phase }},
	{"fault", func(_ *result.Comparison, r *result.PairedRow, _ int) string { return r.Fault }},
	{"unit", func(_ *result.Comparison, r *result.PairedRow, _ int) string { return string(r.Unit) }},
	{"better", func(_ *result.Comparison, r *result.PairedRow, _ int) string { return betterWord(r.Better) }},
	{"named", func(_ *result.Comparison, r *result.PairedRow, _ int) string {
		return strconv.FormatBool(r.Named)
	}},
	{"variant", func(c *result.Comparison, _ *result.PairedRow, v int) string { return c.Variants[v].Name }},
	{"reference", func(c *result.Comparison, _ *result.PairedRow, v int) string {
		return strconv.FormatBool(v == c.Reference)
	}},
	{"median", func(_ *result.Comparison, r *result.PairedRow, v int) string { return seedCSV(&r.Medians[v]) }},
	paired("pairs", func(d *result.Paired) string { return strconv.Itoa(d.Pairs) }),
	paired("lower", func(d *result.Paired) string { return strconv.Itoa(d.Lower) }),
	paired("higher", func(d *result.Paired) string { return strconv.Itoa(d.Higher) }),
	paired("equal", func(d *result.Paired) string { return strconv.Itoa(d.Equal) }),
	paired("difference", func(d *result.Paired) string { return seedCSV(&d.Median) }),
	paired("low", func(d *result.Paired) string { return seedCSV(d.Low) }),
	paired("high", func(d *result.Paired) string { return seedCSV(d.High) }),
	paired("confidence", func(d *result.Paired) string {
		if d.Low == nil {
			return ""
		}
		return strconv.FormatFloat(d.Confidence, 'g', -1, 64)
	}),
	paired("p", func(d *result.Paired) string { return realCSV(d.P) }),
	paired("p_adjusted", func(d *result.Paired) string { return realCSV(d.Adjusted) }),
	paired("verdict", func(d *result.Paired) string { return string(d.Outcome) }),
	paired("gain", func(d *result.Paired) string { return realCSV(d.Gain) }),
}

// paired is a column that is empty for the reference.
func paired(name string, of func(*result.Paired) string) pairedField {
	return pairedField{name, func(c *result.Comparison, r *result.PairedRow, v int) string {
		if v == c.Reference {
			return ""
		}
		return of(&r.Against[v])
	}}
}

// CompareCSV is comparison.csv: a line for each row and variant, in base units.
func CompareCSV(c *result.Comparison) ([]byte, error) {
	type line struct {
		r *result.PairedRow
		v int
	}
	var lines []line
	for i := range c.Rows {
		for v := range c.Variants {
			lines = append(lines, line{&c.Rows[i], v})
		}
	}
	fields := make([]field[line], len(pairedFields))
	for k, f := range pairedFields {
		fields[k] = field[line]{name: f.name, write: func(x *line) string { return f.of(c, x.r, x.v) }}
	}
	return recordsCSV(fields, lines)
}

// difference is a line of differences.csv.
type difference struct {
	row              *result.PairedRow
	variant          string
	seed             uint64
	reference, value result.SeedValue
	d                result.SeedValue
}

var differenceFields = []field[difference]{
	{name: "metric", write: func(x *difference) string { return x.row.Metric }},
	{name: "phase", write: func(x *difference) string { return x.row.Phase }},
	{name: "fault", write: func(x *difference) string { return x.row.Fault }},
	{name: "unit", write: func(x *difference) string { return string(x.row.Unit) }},
	{name: "variant", write: func(x *difference) string { return x.variant }},
	{name: "seed", write: func(x *difference) string { return strconv.FormatUint(x.seed, 10) }},
	{name: "reference", write: func(x *difference) string { return seedCSV(&x.reference) }},
	{name: "value", write: func(x *difference) string { return seedCSV(&x.value) }},
	{name: "difference", write: func(x *difference) string { return seedCSV(&x.d) }},
}

// DifferencesCSV is differences.csv: a line for each row, variant but the reference, and seed, in base units.
func DifferencesCSV(c *result.Comparison) ([]byte, error) {
	var lines []difference
	for i := range c.Rows {
		r := &c.Rows[i]
		for v := range c.Variants {
			if v == c.Reference {
				continue
			}
			for s, d := range r.Against[v].Differences {
				lines = append(lines, difference{
					row: r, variant: c.Variants[v].Name, seed: c.Seeds[s],
					reference: valueOnSeed(c, r, c.Reference, c.Seeds[s]),
					value:     valueOnSeed(c, r, v, c.Seeds[s]), d: d,
				})
			}
		}
	}
	return recordsCSV(differenceFields, lines)
}

// valueOnSeed is what a variant has for a row on one seed: NaN if that is not known.
func valueOnSeed(c *result.Comparison, r *result.PairedRow, v int, seed uint64) result.SeedValue {
	if set := c.Variants[v].Set; set != nil {
		at := slices.IndexFunc(set.Runs, func(x result.SeedRun) bool { return x.Seed == seed })
		for i := range set.Metrics {
			m := &set.Metrics[i]
			if at >= 0 && m.Metric == r.Metric && m.Phase == r.Phase && m.Fault == r.Fault {
				return m.Values[at]
			}
		}
	}
	return result.SeedValue(math.NaN())
}

// seedCSV is a value in a CSV file: empty if there is none, inf if it never came.
func seedCSV(v *result.SeedValue) string {
	switch {
	case v == nil || math.IsNaN(float64(*v)):
		return ""
	case math.IsInf(float64(*v), 1):
		return "inf"
	case math.IsInf(float64(*v), -1):
		return "-inf"
	}
	return strconv.FormatFloat(float64(*v), 'f', -1, 64)
}

func realCSV(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// betterWord says which values are better.
func betterWord(d result.Direction) string {
	switch d {
	case result.LowerIsBetter:
		return "lower"
	case result.HigherIsBetter:
		return "higher"
	case result.Neutral:
	}
	return ""
}

// CompareJSON is comparison.json, with lists that are empty where there is nothing, never null. The curves
// and distributions of the sets are not in it.
func CompareJSON(c *result.Comparison) ([]byte, error) {
	x := *c
	x.Seeds, x.Rows, x.Events = list(x.Seeds), slices.Clone(list(x.Rows)), slices.Clone(list(x.Events))
	x.Variants = slices.Clone(list(x.Variants))
	for i := range x.Variants {
		v := &x.Variants[i]
		v.Settings = list(v.Settings)
		if v.Set != nil {
			v.Set = withLists(v.Set)
		}
	}
	for i := range x.Rows {
		r := &x.Rows[i]
		r.Medians, r.Against = list(r.Medians), slices.Clone(list(r.Against))
		for k := range r.Against {
			r.Against[k].Differences = list(r.Against[k].Differences)
		}
	}
	for i := range x.Events {
		x.Events[i].ByVariant, x.Events[i].Against = list(x.Events[i].ByVariant), list(x.Events[i].Against)
	}
	return result.JSON(&x)
}
