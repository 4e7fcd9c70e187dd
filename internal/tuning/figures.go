package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report"
	"simrun/scenarios"
)

// swept is a sweep of two settings, of which figures are in the guide.
type swept struct {
	id       string
	scenario string
	set      []string
	params   []string
	rows     []ensemble.Row
	// maps are the rows that have a heat map, front those whose front is drawn; nil: none is.
	maps, front []int
}

// sweepSeeds are few: figures show the lie of the land, numbers come from tables.
const sweepSeeds = 8

func allOf(metric string) ensemble.Row { return ensemble.Row{Metric: metric, Phase: result.PhaseAll} }

var sweeps = []swept{
	{
		id: "silent", scenario: "silent-death",
		set: []string{"producer.*.rate=120/s", "producer.*.send_msg_timeout=5s", "producer.*." + detector},
		params: []string{
			"producer.*.send_msg_max_timeout_per_request=off,2s,1s,500ms,250ms",
			"producer.*.not_available_duration~scale=0.25,0.5,1,2,4",
		},
		rows: []ensemble.Row{allOf("latency_p99"), {Metric: "starved_time", Fault: "death"}},
		maps: []int{0}, front: []int{0, 1},
	},
	{
		id: "overload", scenario: "near-capacity",
		set: []string{"producer.*.send_msg_timeout=5s", "producer.*." + detector},
		params: []string{
			"producer.*.send_msg_max_timeout_per_request=off,2s,1s,500ms,250ms",
			"producer.*.not_available_duration~scale=0.25,0.5,1,2,4",
		},
		rows: []ensemble.Row{allOf("failed"), {Metric: "starved_time", Fault: "stop"}},
		maps: []int{0},
	},
	{
		id: "slow", scenario: "slow-broker",
		set: []string{
			"duration=120s", "warmup=10s", "fault.slow-disk.at=30s", "fault.slow-disk.duration=50s",
		},
		params: []string{
			"fault.slow-disk.delay=100ms,200ms,400ms,600ms,1s,2s",
			"producer.*.latency_max~scale=0.2,0.4,0.7,1,2",
		},
		rows: []ensemble.Row{allOf("latency_mean"), {Metric: "starved_time", Fault: "slow-disk"}},
		maps: []int{0},
	},
}

// command is what runs the sweep by hand.
func (w *swept) command() string {
	var metrics []string
	for _, r := range w.rows {
		metrics = append(metrics, r.String())
	}
	words := []string{
		"go run ./cmd/simrun sweep", w.scenario,
		fmt.Sprintf("--seeds %d..%d", firstHeldOut, firstHeldOut+sweepSeeds-1),
		"--metrics " + strings.Join(metrics, ","),
	}
	for _, f := range w.set {
		words = append(words, "--set "+report.ShellQuote(f))
	}
	for _, p := range w.params {
		words = append(words, "--param "+report.ShellQuote(p))
	}
	return strings.Join(words, " ")
}

// plan is the sweep before its runs.
func (w *swept) plan() (*sweep.Plan, error) {
	plan, err := sweep.New(sweep.Options{
		Load: func(set, from []string) (*scenarios.Scenario, error) {
			names := slices.Concat(make([]string, len(w.set)), from)
			return scenarios.Load(w.scenario, scenarios.Options{Set: slices.Concat(w.set, set), SetFrom: names})
		},
		Params: w.params, Design: result.DesignGrid, Seeds: heldOut()[:sweepSeeds],
	})
	if err != nil {
		return nil, fmt.Errorf("sweep of %s: %w", w.id, err)
	}
	return plan, nil
}

// wanted are the points of the sweep.
func (w *swept) wanted(plan *sweep.Plan) []wanted {
	all := make([]wanted, len(plan.Points))
	for p := range plan.Points {
		all[p] = wanted{
			place: "sweep " + w.id, setting: strings.Join(plan.Points[p].Values, " "), key: keyOf(w.command()),
			load: func() (*scenarios.Scenario, error) { return plan.Load(p) },
		}
	}
	return all
}

// run makes the sweep of what was kept of its cells.
func (w *swept) run(ctx context.Context, from *shelf) (*result.Sweep, error) {
	plan, err := w.plan()
	if err != nil {
		return nil, err
	}
	seeds := heldOut()[:sweepSeeds]
	found, err := from.get(ctx, w.wanted(plan), w.rows, seeds)
	if err != nil {
		return nil, err
	}
	rows := make([]ensemble.SweepRow, len(w.rows))
	for i, r := range w.rows {
		rows[i].Row = r
		for _, k := range found {
			rows[i].Values = append(rows[i].Values, k.values[i][:len(seeds)])
		}
	}
	return ensemble.Sweep(&result.Sweep{
		Schema: result.Schema, Scenario: w.scenario, Story: plan.Base.Story, Key: plan.Key[:8], Complete: true,
		DurationNS: int64(plan.Base.Config.Duration), Design: plan.Design, Axes: plan.Axes, Seeds: seeds,
		Points: plan.Points, Default: plan.Default,
	}, rows, w.front), nil
}

// drawn is a figure of the guide with its file.
type drawn struct {
	file string
	svg  []byte
	*report.Figure
}

// draw makes the figures of all sweeps.
func draw(ctx context.Context, from *shelf) ([]drawn, error) {
	var out []drawn
	for i := range sweeps {
		w := &sweeps[i]
		s, err := w.run(ctx, from)
		if err != nil {
			return nil, err
		}
		var figures []*report.Figure
		for _, m := range w.maps {
			figures = append(figures, report.SweepMap(s, m))
		}
		if w.front != nil {
			figures = append(figures, report.Pareto(s))
		}
		for k, f := range figures {
			if f == nil {
				return nil, fmt.Errorf("figure %d of the sweep of %s shows nothing", k, w.id)
			}
			svg, err := f.SVG()
			if err != nil {
				return nil, err
			}
			out = append(out, drawn{figureFile(w.id, k+1), svg, f})
		}
	}
	return out, nil
}

// figureFile is the n-th figure of a sweep, from 1.
func figureFile(id string, n int) string { return fmt.Sprintf("tuning-%s-%d.svg", id, n) }
