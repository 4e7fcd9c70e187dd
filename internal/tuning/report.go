package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/stat"
	"simrun/report"
	"simrun/scenarios"
)

// entry is a setting under the name that it has in tables and commands.
type entry struct {
	name string // of its --variant flags; scenarios.BaseName is the reference
	set  setting
}

// table is a cell reported on seeds by which nothing was chosen.
type table struct {
	cell
	entries []entry // the reference first
	columns []column
	seeds   []uint64
	of      *result.Comparison
	// front has the settings on the front of the training seeds; nil of a front itself.
	front *table
	// reference: it is on the front that this table is.
	reference bool
}

// options load the variants of the table, as its command does.
func (t *table) options() scenarios.Options {
	opt := scenarios.Options{Set: t.base()}
	for _, e := range t.entries[1:] {
		for _, f := range e.set.flags() {
			opt.Variants = append(opt.Variants, e.name+":"+f)
		}
	}
	return opt
}

// command is what gives the numbers of the table.
func (t *table) command() string {
	opt := t.options()
	words := []string{
		"go run ./cmd/simrun compare", t.scenario,
		fmt.Sprintf("--seeds %d..%d", t.seeds[0], t.seeds[len(t.seeds)-1]),
		"--metrics " + metricsOf(t.columns),
	}
	for _, f := range opt.Set {
		words = append(words, "--set "+report.ShellQuote(f))
	}
	for _, f := range opt.Variants {
		words = append(words, "--variant "+report.ShellQuote(f))
	}
	return strings.Join(words, " ")
}

// metricsOf are the metrics of columns, as a command names them.
func metricsOf(columns []column) string {
	var out []string
	for _, c := range columns {
		out = append(out, c.metric)
	}
	return strings.Join(out, ",")
}

// fill compares what was kept of the runs of the table.
func (t *table) fill(ctx context.Context, from *shelf) error {
	inputs := make([]ensemble.Input, len(t.entries))
	all := make([]wanted, len(t.entries))
	for i, e := range t.entries {
		inputs[i].Name = e.name
		flags := e.set.flags()
		all[i] = wanted{
			place: t.name(), setting: strings.Join(e.set.keys, " "),
			key:  keyOf(slices.Concat([]string{t.scenario}, t.base(), flags)...),
			load: func() (*scenarios.Scenario, error) { return t.load(&e.set) },
		}
	}
	// All columns are kept, those of a front are among them.
	found, err := from.get(ctx, all, t.rows(columns), t.seeds)
	if err != nil {
		return err
	}
	for i, k := range found {
		inputs[i].Members = k.members(t.seeds)
	}
	t.of = ensemble.Compare(inputs, ensemble.Options{Rows: t.rows(t.columns)})
	return nil
}

// rows are columns where they are measured.
func (t *table) rows(of []column) []ensemble.Row {
	var out []ensemble.Row
	for _, c := range of {
		r := ensemble.Row{Metric: c.metric, Phase: result.PhaseAll}
		if m, _ := result.LookupMetric(c.metric); m.Scope.OfFault() {
			r.Phase, r.Fault = "", t.fault
		}
		out = append(out, r)
	}
	return out
}

// column of a table.
type column struct {
	metric, title string // without a title it is measured and not shown
	// alone: it has no difference, for the reference has no fault table.
	alone bool
}

// columns of the tables of settings, and of those of fronts.
var (
	columns = []column{
		{metric: "success_rate"},
		{"failed", "failed", false},
		{"extra_copies", "copies", false},
		{"latency_p99", "p99", false},
		{"latency_mean", "mean", false},
		{"time_to_avoid", "time to avoid", true},
		{"starved_time", "starved", true},
		{"broker_imbalance", "imbalance", false},
	}
	frontColumns = []column{
		{metric: "success_rate"},
		{"failed", "failed", false},
		{"latency_p99", "p99", false},
		{"starved_time", "starved", true},
	}
)

// row finds a metric of all messages, or of the fault.
func (t *table) row(metric string) (*result.PairedRow, error) {
	for i := range t.of.Rows {
		r := &t.of.Rows[i]
		if r.Metric == metric && r.Named {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%s: the comparison has no %s", t.name(), metric)
}

// variant is the place of an entry.
func (t *table) variant(name string) (int, error) {
	i := slices.IndexFunc(t.of.Variants, func(v result.ComparedVariant) bool { return v.Name == name })
	if i < 0 {
		return 0, fmt.Errorf("%s has no setting %q", t.name(), name)
	}
	return i, nil
}

// values of a metric in a variant, by seed.
func (t *table) values(r *result.PairedRow, v int) []float64 {
	set := t.of.Variants[v].Set
	for i := range set.Metrics {
		m := &set.Metrics[i]
		if m.Metric == r.Metric && m.Phase == r.Phase && m.Fault == r.Fault {
			out := make([]float64, len(m.Values))
			for k, x := range m.Values {
				out[k] = float64(x)
			}
			return out
		}
	}
	return nil
}

// own is the median of a variant with its interval: "43 [40 … 47]".
func (t *table) own(r *result.PairedRow, v int) string {
	values := t.values(r, v)
	text := report.SeedValueText(r, r.Medians[v])
	if math.IsNaN(float64(r.Medians[v])) {
		return "–"
	}
	i, ok := stat.MedianInterval(values, 1-ensemble.Alpha)
	if !ok {
		return text
	}
	low := report.SeedValueText(r, result.SeedValue(i.Low))
	high := report.SeedValueText(r, result.SeedValue(i.High))
	if low == high {
		return text
	}
	return text + " [" + low + " … " + high + "]"
}

// against is the median difference from the reference with its interval: "−43 [−47 … −40]".
func (t *table) against(r *result.PairedRow, v int) string {
	_, diff, interval := report.PairedTexts(t.of, r, v)
	if low, high, ok := strings.Cut(interval, " … "); ok && low == high {
		return diff
	}
	return diff + " [" + interval + "]"
}
