package ensemble

import (
	"math"
	"slices"

	"simrun/internal/result"
	"simrun/internal/stat"
)

// SweepRow is a row of a sweep with its values by point and by seed: NaN, or nothing, where a cell has none.
type SweepRow struct {
	Row
	Values [][]float64
}

// EventRows are what should never happen. A sweep that is given them tells how often it did at each point.
func EventRows() []Row {
	rows := make([]Row, len(seedEvents))
	for i, e := range seedEvents {
		rows[i] = Row{Metric: e.name, Phase: e.phase}
		if e.phase == result.PhaseBefore {
			rows[i].Metric = "failed"
		}
	}
	return rows
}

// Sweep says what the cells of a plan say together. The plan has its points and seeds; all else is computed
// into a copy: of each row the median and its interval at each point and, if there is a default point, the
// differences from it, seed by seed; the bad events; the Pareto front; what each axis explains.
//
// Nothing is tested: among many cells some differ by luck. Front names the rows whose medians make the front,
// by their indices; with none, it is that of [FrontRows]. The plan's requirements are held against every
// value; points that miss one are not on the front ([result.Sweep.Candidates]). Rows without a better
// direction take no part.
func Sweep(plan *result.Sweep, rows []SweepRow, front []int) *result.Sweep {
	out := *plan
	out.Metrics, out.Events, out.Front, out.Sensitivity = nil, nil, nil, []result.Sensitivity{}
	values := make([][][]float64, len(rows))
	for m, row := range rows {
		values[m] = padded(row.Values, len(plan.Points), len(plan.Seeds))
		out.Metrics = append(out.Metrics, sweepMetric(plan, row.Row, values[m]))
		out.Sensitivity = append(out.Sensitivity, sensitivity(plan, m, values[m]))
	}
	out.Requirements = requirements(plan, values)
	out.Events = sweepEvents(plan, rows, values)
	if front == nil {
		front = FrontRows(out.Metrics)
	}
	front = slices.DeleteFunc(slices.Clone(front), func(m int) bool {
		return out.Metrics[m].Better == result.Neutral
	})
	if len(front) > 1 {
		out.Front = frontOf(&out, values, front)
	}
	return &out
}

// padded are the values with NaN for what is missing.
func padded(values [][]float64, points, seeds int) [][]float64 {
	out := make([][]float64, points)
	for p := range out {
		out[p] = make([]float64, seeds)
		for s := range out[p] {
			out[p][s] = math.NaN()
		}
		if p < len(values) {
			copy(out[p], values[p])
		}
	}
	return out
}

func sweepMetric(plan *result.Sweep, row Row, values [][]float64) result.SweepMetric {
	m, _ := result.LookupMetric(row.Metric)
	x := result.SweepMetric{
		Metric: row.Metric, Phase: row.Phase, Fault: row.Fault, Unit: m.Unit, Better: m.Better,
		Cells: make([]result.SweepCell, len(values)),
	}
	for p, v := range values {
		c := result.SweepCell{Values: seedValues(v), Median: result.SeedValue(stat.NearestRank(v))}
		if i, ok := stat.MedianInterval(v, 1-Alpha); ok {
			c.Low, c.High = seedValue(i.Low), seedValue(i.High)
		}
		if plan.Default >= 0 && p != plan.Default {
			against := paired(v, values[plan.Default], Alpha)
			c.Against = &against
		}
		x.Cells[p] = c
	}
	return x
}

// requirements are those of the plan, with how often each point misses them.
func requirements(plan *result.Sweep, values [][][]float64) (out []result.Requirement) {
	for _, r := range plan.Requirements {
		r.Missed = make([]int, len(plan.Points))
		for p, v := range values[r.Metric] {
			for _, x := range v {
				if !r.Keeps(x) {
					r.Missed[p]++
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// sweepEvents counts the bad events among the rows.
func sweepEvents(plan *result.Sweep, rows []SweepRow, values [][][]float64) []result.SweepEvents {
	var out []result.SweepEvents
	for i, event := range EventRows() {
		m := slices.IndexFunc(rows, func(r SweepRow) bool { return r.Row == event })
		if m < 0 {
			continue
		}
		x := result.SweepEvents{Name: seedEvents[i].name}
		for _, v := range values[m] {
			counts, seeds := []int64{}, []uint64{}
			for s, n := range v {
				if !math.IsNaN(n) {
					counts, seeds = append(counts, int64(n)), append(seeds, plan.Seeds[s])
				}
			}
			x.Points = append(x.Points, events(x.Name, counts, seeds))
		}
		out = append(out, x)
	}
	return out
}

// FrontRows are the rows of a sweep whose medians make its Pareto front unless others are named: failed sends
// and p99 of all messages; and how long a broker that was well again was starved, if every point that has
// those has that.
func FrontRows(metrics []result.SweepMetric) []int {
	var front []int
	for _, want := range []Row{
		{Metric: "failed", Phase: result.PhaseAll}, {Metric: "latency_p99", Phase: result.PhaseAll},
	} {
		i := slices.IndexFunc(metrics, func(m result.SweepMetric) bool {
			return m.Metric == want.Metric && m.Phase == want.Phase
		})
		if i < 0 {
			return nil
		}
		front = append(front, i)
	}
	for i, m := range metrics {
		has := m.Metric == "starved_time"
		for p, c := range m.Cells {
			has = has && (!math.IsNaN(float64(c.Median)) || math.IsNaN(float64(metrics[front[0]].Cells[p].Median)))
		}
		if has {
			return append(front, i)
		}
	}
	return front
}

func frontOf(s *result.Sweep, values [][][]float64, metrics []int) *result.Front {
	points := make([][]float64, len(s.Points))
	better := make([]int, len(metrics))
	candidates := s.Candidates()
	for i, m := range metrics {
		better[i] = int(s.Metrics[m].Better)
		for p := range points {
			x := float64(s.Metrics[m].Cells[p].Median)
			if !candidates[p] {
				x = math.NaN() // as if it were not there
			}
			points[p] = append(points[p], x)
		}
	}
	f := &result.Front{Metrics: metrics, Points: stat.Front(points, better), Near: []int{}}
	near := stat.Near(points, better, f.Points, func(a, b, m int) bool {
		v := values[metrics[m]]
		i, ok := stat.MedianInterval(stat.Differences(v[a], v[b]), 1-Alpha)
		return ok && (i.Low > 0 && better[m] > 0 || i.High < 0 && better[m] < 0)
	})
	f.Near = append(f.Near, near...)
	return f
}

// sensitivity is of the points of the design: one of a grid whose values are none of its levels, as that of
// the scenario as it stands may be, takes no part.
func sensitivity(plan *result.Sweep, metric int, values [][]float64) result.Sensitivity {
	x := make([][]float64, len(plan.Axes))
	y := make([][]float64, len(plan.Seeds))
	for p, point := range plan.Points {
		if plan.Design == result.DesignGrid && !onGrid(plan.Axes, point) {
			continue
		}
		for a := range x {
			x[a] = append(x[a], point.X[a])
		}
		for s := range y {
			y[s] = append(y[s], values[p][s])
		}
	}
	effects, rest := stat.Effects(x, y)
	out := result.Sensitivity{Metric: metric, Rest: rest, Effects: []result.AxisEffect{}}
	for a, e := range effects {
		effect := result.AxisEffect{Axis: a, Share: e.Share}
		if plan.Axes[a].Numeric {
			effect.Sign = e.Sign
		}
		if e.Known {
			effect.Low, effect.High = &e.Interval.Low, &e.Interval.High
		}
		out.Effects = append(out.Effects, effect)
	}
	return out
}

func onGrid(axes []result.SweepAxis, point result.SweepPoint) bool {
	for a, axis := range axes {
		if len(axis.Levels) > 0 && !slices.Contains(axis.Levels, point.Values[a]) {
			return false
		}
	}
	return true
}
