package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/scenarios"
)

// cell is a situation under one condition.
type cell struct {
	*situation
	condition
}

// name is how the cell is called: "silent/ssd".
func (c cell) name() string { return c.situation.id + "/" + c.condition.id }

// base are the --set flags that make the reference of the cell.
func (c cell) base() []string {
	return slices.Concat(c.situation.set, c.condition.set, []string{"producer.*." + noAvoid})
}

func cells() []cell {
	var out []cell
	for i := range situations {
		for _, c := range situations[i].cells {
			out = append(out, cell{&situations[i], c})
		}
	}
	return out
}

// load is the scenario of a cell with a setting.
func (c cell) load(s *setting) (*scenarios.Scenario, error) {
	sc, err := scenarios.Load(c.scenario, scenarios.Options{Set: slices.Concat(c.base(), s.flags())})
	if err != nil {
		return nil, fmt.Errorf("%s with %s: %w", c.name(), s.name, err)
	}
	return sc, nil
}

// score is what the search looks at in one run.
type score struct {
	failed  float64 // share of the messages answered
	p99     float64 // seconds
	starved float64 // seconds, per instance
}

// asked is a run that is wanted.
type asked struct {
	cell    int
	setting int
	seed    uint64
}

// lab makes runs, each once.
type lab struct {
	cells    []cell
	settings []setting
	jobs     int
	// closed: nothing is run, what is not known is an error.
	closed bool
	known  map[asked]score
}

// measure makes the runs that are not known yet, cell by cell: scenarios are large.
func (l *lab) measure(ctx context.Context, want []asked) error {
	for c := range l.cells {
		if err := l.measureCell(ctx, c, want); err != nil {
			return err
		}
	}
	return nil
}

func (l *lab) measureCell(ctx context.Context, c int, want []asked) error {
	var jobs []experiment.Job
	var todo []asked
	loaded := map[int]*scenarios.Scenario{}
	for _, a := range want {
		if _, ok := l.known[a]; ok || a.cell != c {
			continue
		}
		if l.closed {
			return fmt.Errorf("%s with %s was not measured on seed %d", l.cells[c].name(),
				l.settings[a.setting].name, a.seed)
		}
		if loaded[a.setting] == nil {
			sc, err := l.cells[c].load(&l.settings[a.setting])
			if err != nil {
				return err
			}
			loaded[a.setting] = sc
		}
		jobs, todo = append(jobs, experiment.Job{Scenario: loaded[a.setting].WithSeed(a.seed)}), append(todo, a)
	}
	return experiment.RunAll(ctx, jobs, l.jobs, func(i int, run *result.Run) error {
		l.known[todo[i]] = scoreOf(run)
		return nil
	})
}

// scoreOf is the score of a run, over all but its warm-up.
func scoreOf(run *result.Run) score {
	var s score
	for i := range run.Stats {
		if x := &run.Stats[i]; x.Phase == result.PhaseAll && x.Dim == result.DimAll {
			s.failed = rounded(float64(x.Failed) / float64(max(x.Latency.N, 1)))
			s.p99 = rounded(float64(x.Latency.P99NS) / 1e9)
		}
	}
	for i := range run.Faults {
		for j := range run.Faults[i].Effects {
			if ns, ok := run.Faults[i].Effects[j].StarvedPerInstance(); ok {
				s.starved = max(s.starved, rounded(float64(ns)/1e9))
			}
		}
	}
	return s
}

// rounded to what is kept of a score in its file: six digits.
func rounded(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return y
}
