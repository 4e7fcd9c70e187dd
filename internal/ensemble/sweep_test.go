package ensemble

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"

	"simrun/internal/result"
)

// plan2 is a grid of two axes of three and two levels with six seeds, whose default is the point of the
// lowest levels, or one beside the grid.
func plan2(beside bool) *result.Sweep {
	plan := &result.Sweep{
		Design: result.DesignGrid, Seeds: []uint64{1, 2, 3, 4, 5, 6},
		Axes: []result.SweepAxis{
			{Param: "producer.*.threads", Levels: []string{"8", "16", "32"}, Numeric: true},
			{Param: "producer.*.policy", Levels: []string{`"x"`, `"y"`}},
		},
	}
	for b := range 2 {
		for a := range 3 {
			plan.Points = append(plan.Points, result.SweepPoint{
				Values: []string{plan.Axes[0].Levels[a], plan.Axes[1].Levels[b]},
				X:      []float64{math.Ldexp(8, a), float64(b)},
			})
		}
	}
	if beside {
		plan.Default = len(plan.Points)
		plan.Points = append(plan.Points, result.SweepPoint{
			Values: []string{"64", `"x"`}, X: []float64{64, 0},
		})
	}
	return plan
}

// cells makes the values of a row: those of each point, and what each seed adds.
func cells(points []float64, seeds ...float64) [][]float64 {
	out := make([][]float64, len(points))
	for p, v := range points {
		for _, s := range seeds {
			out[p] = append(out[p], v+s)
		}
	}
	return out
}

func ofAll(metric string) Row { return Row{Metric: metric, Phase: result.PhaseAll} }

// "heat maps with confidence": each cell has its median and the interval of it, and its differences from the
// default, seed by seed; nothing of a sweep is tested.
func TestSweepCells(t *testing.T) {
	luck := []float64{0, 5, 1, 9, 2, 3}
	values := cells([]float64{10, 20, 30, 40, 50, 60}, luck...)
	values[4][2], values[5] = math.NaN(), values[5][:2] // one cell has no value, four were not run
	s := Sweep(plan2(false), []SweepRow{{ofAll("latency_p99"), values}}, nil)
	m := s.Metrics[0]
	if m.Addressed() != "latency_p99@all" || m.Unit != result.UnitNS || m.Better != result.LowerIsBetter {
		t.Errorf("%+v", m)
	}
	first, second := m.Cells[0], m.Cells[1]
	if first.Median != 12 || *first.Low != 10 || *first.High != 19 || first.Against != nil {
		t.Errorf("the default: %+v", first)
	}
	a := second.Against
	if a.Pairs != 6 || a.Higher != 6 || a.Median != 10 || *a.Low != 10 || *a.High != 10 || a.Gain != nil {
		t.Errorf("from the default: %+v", a)
	}
	if a.P != nil || a.Adjusted != nil || a.Outcome != "" {
		t.Errorf("tested: %+v", a)
	}
	if c := m.Cells[4]; c.Low != nil || c.Against.Pairs != 5 || !math.IsNaN(float64(c.Values[2])) {
		t.Errorf("with a gap: %+v", c)
	}
	if c := m.Cells[5]; c.Median != 60 || len(c.Values) != 6 || c.Against.Pairs != 2 {
		t.Errorf("not run: %+v", c)
	}
	if s.Front != nil {
		t.Errorf("a front of one metric: %+v", s.Front)
	}
}

// "Rare bad events (loss in 30 % of the seeds) are never hidden by a median": the cell's median is 0.
func TestSweepEvents(t *testing.T) {
	before := Row{Metric: "failed", Phase: result.PhaseBefore}
	if got := EventRows(); len(got) != len(seedEvents) || got[4] != before {
		t.Error(got)
	}
	values := cells([]float64{0, 0, 0, 0, 0, 0}, 0, 0, 0, 0, 0, 0)
	values[1] = []float64{0, 7, 0, math.NaN(), 9, 0}
	s := Sweep(plan2(false), []SweepRow{{ofAll("latency_p99"), values}, {EventRows()[0], values}}, nil)
	if s.Metrics[1].Cells[1].Median != 0 || len(s.Events) != 1 || s.Events[0].Name != "acked_lost" {
		t.Fatalf("%+v", s.Events)
	}
	e := s.Events[0].Points[1]
	if e.Seeds != 2 || *e.Worst != 5 || e.Mean != 3.2 || !slices.Equal(e.Counts, []int64{0, 7, 0, 9, 0}) ||
		*e.Low != 0.0527 || *e.High != 0.8534 { // of two of five
		t.Errorf("%+v, from %v to %v", e, *e.Low, *e.High)
	}
}

// "Pareto front": failed sends and p99 unless told otherwise; starvation if every point has it. Near is a
// point that is behind by luck.
func TestSweepFront(t *testing.T) {
	luck := []float64{0, 1, 2, 3, 4, 5}
	failed := cells([]float64{100, 50, 50, 0, 200, 51}, luck...)
	p99 := cells([]float64{10, 20, 30, 40, 50, 20}, luck...)
	failed[5] = []float64{48, 56, 53, 57, 49, 58} // 53 in the median, but in half of the seeds it is ahead
	starved := Row{Metric: "starved_time", Fault: "stop"}
	some := cells([]float64{1, 2, math.NaN(), 4, 5, 6}, luck...)
	for name, rows := range map[string][]SweepRow{
		"two":           {{ofAll("failed"), failed}, {ofAll("messages"), p99}, {ofAll("latency_p99"), p99}},
		"gaps":          {{ofAll("failed"), failed}, {starved, some}, {ofAll("latency_p99"), p99}},
		"none starving": {{ofAll("failed"), failed}, {ofAll("latency_p50"), p99}, {ofAll("latency_p99"), p99}},
	} {
		f := Sweep(plan2(false), rows, nil).Front
		if !slices.Equal(f.Metrics, []int{0, 2}) || !slices.Equal(f.Points, []int{3, 1, 0}) ||
			!slices.Equal(f.Near, []int{5}) {
			t.Errorf("%s: %+v", name, f)
		}
	}
	// The best of all in a third metric is on the front.
	third := cells([]float64{5, 5, 5, 5, 1, 5}, luck...)
	rows := []SweepRow{{ofAll("latency_p99"), p99}, {starved, third}, {ofAll("failed"), failed}}
	if f := Sweep(plan2(false), rows, nil).Front; !slices.Equal(f.Metrics, []int{2, 0, 1}) ||
		!slices.Contains(f.Points, 4) {
		t.Errorf("three: %+v", f)
	}
	// Named ones, of which one has no direction.
	rows = append(rows, SweepRow{ofAll("messages"), p99})
	if f := Sweep(plan2(false), rows, []int{1, 3, 0}).Front; !slices.Equal(f.Metrics, []int{1, 0}) {
		t.Errorf("named: %+v", f)
	}
}

// ux.md, F11: cells that fail constraints are crossed. A point misses a bound if one of its seeds does, a
// median hides nothing; it is not on the front, unless all points are alike in that.
func TestSweepRequirements(t *testing.T) {
	none := []float64{0, 0, 0, 0, 0, 0}
	failed := cells([]float64{0, 10, 20, 30, 40, 50}, none...)
	p99 := cells([]float64{60, 50, 40, 30, 20, 10}, none...)
	lost := cells([]float64{0, 0, 0, 0, 0, 0}, none...)
	lost[2][4] = 3            // on one seed of six
	lost[3][0] = math.NaN()   // nothing to measure
	p99[4][1] = math.Inf(1)   // it never came
	failed[5][0] = math.NaN() // not run
	for k := range lost[5] {
		lost[5][k] = 1
	}
	rows := []SweepRow{{ofAll("failed"), failed}, {ofAll("latency_p99"), p99}, {ofAll("acked_lost"), lost}}
	plan := plan2(false)
	plan.Requirements = []result.Requirement{
		{Metric: 2}, {Metric: 1, Bound: 55}, {Metric: 0, AtLeast: true, Bound: 5},
	}
	s := Sweep(plan, rows, nil)
	for i, want := range [][]int{{0, 0, 1, 0, 0, 6}, {6, 0, 0, 0, 1, 0}, {6, 0, 0, 0, 0, 0}} {
		if got := s.Requirements[i].Missed; !slices.Equal(got, want) {
			t.Errorf("requirement %d is missed %v, want %v", i, got, want)
		}
	}
	if !slices.Equal(s.Candidates(), []bool{false, true, false, true, false, false}) ||
		!slices.Equal(s.Front.Points, []int{1, 3}) || plan.Requirements[0].Missed != nil {
		t.Errorf("front %v of %v", s.Front.Points, s.Candidates())
	}
	// With a bound that no point keeps to on all seeds, those on the front do on more than half.
	for p := range lost {
		lost[p][p] = 1
	}
	if s = Sweep(plan, rows, nil); !slices.Equal(s.Candidates(), []bool{false, true, true, true, true, false}) {
		t.Errorf("candidates %v", s.Candidates())
	}
	plan.Requirements[2].Bound = 1e6
	if s = Sweep(plan, rows, nil); slices.Contains(s.Candidates(), false) || len(s.Front.Points) != 6 {
		t.Errorf("candidates %v, front %v", s.Candidates(), s.Front.Points)
	}
}

// "sensitivity ranking": of a grid exactly, also if the scenario as it stands is none of its points; an axis
// without a scale has no sign.
func TestSweepSensitivity(t *testing.T) {
	points := []float64{0, 1, 2, 10, 11, 12} // variances of 2/3 and 25
	for _, beside := range []bool{false, true} {
		plan := plan2(beside)
		v := points
		if beside {
			v = append(slices.Clone(points), 1e6)
		}
		s := Sweep(plan, []SweepRow{{ofAll("latency_p99"), cells(v, 0, 100, 1, 7, 9, 3)}}, nil).Sensitivity[0]
		want := 25 / (25 + 2.0/3)
		a, b := s.Effects[0], s.Effects[1]
		if math.Abs(a.Share-(1-want)) > 1e-9 || math.Abs(b.Share-want) > 1e-9 || s.Rest > 1e-9 {
			t.Errorf("beside %v: %+v", beside, s)
		}
		if a.Sign != 1 || b.Sign != 0 || a.Low == nil || *a.Low > a.Share || *a.High < a.Share {
			t.Errorf("beside %v: %+v", beside, s)
		}
	}
}

// A plan of which nothing was run is a sweep, too, and every sweep comes back from its JSON.
func TestSweepOfNothing(t *testing.T) {
	never := make([][]float64, 6)
	for p := range never {
		never[p] = []float64{math.Inf(1), 1, math.NaN(), math.Inf(1), 2, 3, 4}[:6]
	}
	never[0] = []float64{1, math.Inf(1), 2, 3, 4, 5}
	for i, rows := range [][]SweepRow{
		nil,
		{{ofAll("failed"), nil}, {ofAll("latency_p99"), nil}},
		{{ofAll("failed"), never}, {ofAll("latency_p99"), never}},
	} {
		plan := plan2(false)
		s := Sweep(plan, rows, nil)
		if plan.Metrics != nil || plan.Front != nil {
			t.Error("the plan changed")
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(i, err)
		}
		var back result.Sweep
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(i, err)
		}
		if again, _ := json.Marshal(&back); string(again) != string(text) {
			t.Errorf("%d: %s\nis not\n%s", i, again, text)
		}
	}
}

func BenchmarkSweep(b *testing.B) {
	plan := &result.Sweep{Design: result.DesignHalton, Axes: make([]result.SweepAxis, 4), Default: 0}
	for s := range 10 {
		plan.Seeds = append(plan.Seeds, uint64(s))
	}
	var rows []SweepRow
	for p := range 500 {
		x := make([]float64, 4)
		for a := range x {
			x[a] = float64(p * (2*a + 7) % 501)
		}
		plan.Points = append(plan.Points, result.SweepPoint{X: x, Values: []string{strconv.Itoa(p), "", "", ""}})
	}
	for m, name := range []string{"failed", "latency_p99", "success_rate"} {
		row := SweepRow{Row: ofAll(name)}
		for p := range plan.Points {
			for s := range plan.Seeds {
				v := float64((p*(3*m+5) + s*s*7) % 301)
				if s == 0 {
					row.Values = append(row.Values, nil)
				}
				row.Values[p] = append(row.Values[p], v)
			}
		}
		rows = append(rows, row)
	}
	b.ReportAllocs()
	for b.Loop() {
		Sweep(plan, rows, nil)
	}
}
