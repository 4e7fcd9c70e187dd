package report

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"simrun/internal/result"
)

// The sweeps of this file are made by formulas that behave as producers do: it takes longer to avoid a broker
// with a higher threshold, and longer to return to it the longer it is avoided.

// noise is between 0 and 1, and always the same for the same numbers.
func noise(a, b, c int) float64 {
	x := uint64(a+1)*0x9E3779B97F4A7C15 ^ uint64(b+7)*0xC2B2AE3D27D4EB4F ^ uint64(c+13)*0x165667B19E3779F9
	x ^= x >> 29
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 32
	return float64(x%1_000_003) / 1_000_003
}

// sweepMaker makes a sweep of points.
type sweepMaker struct {
	axes   []result.SweepAxis
	points []result.SweepPoint
	base   int // the default
	seeds  int
	// of gives the values of the metrics at a point with a seed, in the order of sweepRows.
	of func(x []float64, point, seed int) []float64
}

// sweepRows are the metrics of the fixtures.
func sweepRows() []result.SweepMetric {
	row := func(metric, fault string) result.SweepMetric {
		m, ok := result.LookupMetric(metric)
		if !ok {
			panic(metric)
		}
		r := result.SweepMetric{Metric: metric, Fault: fault, Unit: m.Unit, Better: m.Better}
		if fault == "" {
			r.Phase = result.PhaseAll
		}
		return r
	}
	return []result.SweepMetric{
		row("success_rate", ""), row("failed", ""), row("latency_p99", ""), row("time_to_avoid", "gc-pause"),
		row("broker_imbalance", ""), row("starved_time", "gc-pause"),
	}
}

// sortedValues are the finite and infinite values in order.
func sortedValues(values []result.SeedValue) []result.SeedValue {
	v := slices.DeleteFunc(slices.Clone(values), func(x result.SeedValue) bool {
		return math.IsNaN(float64(x))
	})
	sort.Slice(v, func(i, j int) bool { return v[i] < v[j] })
	return v
}

// orderBounds are the bounds of the median by order statistics: of ten values the second and the ninth cover
// it with 97.9 %, of fewer the ends (of six with 96.9 %).
func orderBounds(v []result.SeedValue) (lo, hi *result.SeedValue) {
	n := len(v)
	if n < 6 {
		return nil, nil
	}
	k := 0
	if n >= 9 {
		k = 1
	}
	return &v[k], &v[n-1-k]
}

// sweep makes it.
func (mk sweepMaker) sweep() *result.Sweep {
	s := &result.Sweep{
		Schema: result.Schema, Scenario: "gc-pause", Story: "A broker pauses for 15 s.", Key: "5f1e2d3c",
		Digest: "0123456789abcdef", Complete: true, DurationNS: 60 * second, Design: result.DesignGrid,
		Axes: mk.axes, Points: mk.points, Default: mk.base, Metrics: sweepRows(),
	}
	for i := range mk.seeds {
		s.Seeds = append(s.Seeds, uint64(i+1))
	}
	for p, point := range mk.points {
		s.Points[p].Key = fmt.Sprintf("%08x", 1000+p)
		for k := range s.Metrics {
			s.Metrics[k].Cells = append(s.Metrics[k].Cells, result.SweepCell{})
		}
		for seed := range mk.seeds {
			for k, v := range mk.of(point.X, p, seed) {
				c := &s.Metrics[k].Cells[p]
				c.Values = append(c.Values, result.SeedValue(v))
			}
		}
	}
	for k := range s.Metrics {
		fillCells(&s.Metrics[k], mk.base)
	}
	s.Front = frontOf(s, 5, 3)
	s.Sensitivity = sharesOf(s)
	return s
}

// fillCells computes what is over the seeds.
func fillCells(m *result.SweepMetric, base int) {
	for p := range m.Cells {
		c := &m.Cells[p]
		v := sortedValues(c.Values)
		if len(v) == 0 {
			c.Median = result.SeedValue(math.NaN())
			continue
		}
		c.Median = v[(len(v)-1)/2]
		c.Low, c.High = orderBounds(v)
	}
	if base < 0 {
		return
	}
	for p := range m.Cells {
		if p == base {
			continue
		}
		c, d := &m.Cells[p], &m.Cells[base]
		a := &result.Paired{}
		for i := range c.Values {
			x := c.Values[i] - d.Values[i]
			if math.IsInf(float64(c.Values[i]), 1) && math.IsInf(float64(d.Values[i]), 1) {
				x = 0
			}
			a.Differences = append(a.Differences, x)
			switch {
			case x < 0:
				a.Lower++
			case x > 0:
				a.Higher++
			case x == 0:
				a.Equal++
			}
		}
		a.Pairs = a.Lower + a.Higher + a.Equal
		if v := sortedValues(a.Differences); len(v) > 0 {
			a.Median = v[(len(v)-1)/2]
			a.Low, a.High = orderBounds(v)
			a.Confidence = 0.979
		}
		c.Against = a
	}
}

// frontOf is the front of two metrics.
func frontOf(s *result.Sweep, metrics ...int) *result.Front {
	f := &result.Front{Metrics: metrics}
	cost := func(k, p int) float64 {
		return -float64(s.Metrics[k].Better) * float64(s.Metrics[k].Cells[p].Median)
	}
	beats := func(a, b int, edge float64) bool {
		some := false
		for _, k := range metrics {
			if cost(k, a) > cost(k, b)-edge*math.Abs(cost(k, b)) && !(edge == 0 && cost(k, a) == cost(k, b)) {
				return false
			}
			some = some || cost(k, a) < cost(k, b)
		}
		return some
	}
	exists := func(p int) bool {
		return !slices.ContainsFunc(metrics, func(k int) bool { return missing(&s.Metrics[k], p) })
	}
	for p := range s.Points {
		if !exists(p) {
			continue
		}
		front, near := true, true
		for q := range s.Points {
			if exists(q) {
				front, near = front && !beats(q, p, 0), near && !beats(q, p, 0.02)
			}
		}
		switch {
		case front:
			f.Points = append(f.Points, p)
		case near:
			f.Near = append(f.Near, p)
		}
	}
	sort.SliceStable(f.Points, func(i, j int) bool {
		return cost(metrics[0], f.Points[i]) < cost(metrics[0], f.Points[j])
	})
	return f
}

// sharesOf are made-up shares that sum to less than 1.
func sharesOf(s *result.Sweep) []result.Sensitivity {
	var out []result.Sensitivity
	for k := range s.Metrics {
		x := result.Sensitivity{Metric: k, Rest: 1}
		for a := range s.Axes {
			share := x.Rest * (0.15 + 0.75*noise(k, a, 99))
			lo, hi := share*0.9, min(1, share*1.15)
			x.Effects = append(x.Effects, result.AxisEffect{
				Axis: a, Share: share, Low: &lo, High: &hi, Sign: (k+a)%3 - 1,
			})
			x.Rest -= share
		}
		out = append(out, x)
	}
	return out
}

// numericAxis is an axis of numbers.
func numericAxis(param string, log bool, base string, levels ...string) result.SweepAxis {
	return result.SweepAxis{
		Param: param, Levels: levels, Numeric: true, Unit: result.UnitRatio, Log: log, Base: base,
	}
}

// gridOf are all combinations of the levels, the last axis fastest; base is the point at the axes' bases.
func gridOf(axes []result.SweepAxis, x func(axis, level int) float64) (points []result.SweepPoint, base int) {
	points, base = []result.SweepPoint{{}}, -1
	for a := range axes {
		var next []result.SweepPoint
		for _, p := range points {
			for l, text := range axes[a].Levels {
				set := slices.Clone(p.Set)
				if text != axes[a].Base {
					set = append(set, strings.TrimSuffix(axes[a].Param, "~scale")+"="+text)
				}
				next = append(next, result.SweepPoint{
					Values: append(slices.Clone(p.Values), text), X: append(slices.Clone(p.X), x(a, l)), Set: set,
				})
			}
		}
		points = next
	}
	for i, p := range points {
		at := true
		for a, v := range p.Values {
			at = at && v == axes[a].Base
		}
		if at {
			base = i
		}
	}
	return points, base
}

// scaled is a model: latency_max times x[0], not_available_duration times x[1].
func scaled(x []float64, point, seed int) []float64 {
	wobble := func(k int) float64 { return 1 + 0.12*(noise(point/3, seed, k)+2*noise(0, seed, k)-1.5) }
	latencyMax, duration := x[0], x[1]
	avoid := 1.05e9 * (0.55 + 0.45*latencyMax) * wobble(1)
	if latencyMax > 3 && noise(point, seed, 2) < 0.6 {
		avoid = math.Inf(1)
	}
	probes := 15 / (2 + 8*duration) // times that the broker is tried again while it pauses
	failed := math.Round(40*probes*(0.4+0.6*latencyMax)*wobble(3) - 18)
	if duration == 0 {
		failed = math.Round(4000 * wobble(3))
	}
	failed = max(failed, 0)
	p99 := (11e6 + 30e6*probes*latencyMax) * wobble(4)
	if duration == 0 {
		p99 = 2.7e9 * wobble(4)
	}
	return []float64{
		1 - failed/176_000, failed, math.Round(p99), math.Round(avoid), 1 + 0.08*duration*wobble(5),
		math.Round(8e9 * duration * latencyMax * wobble(6)),
	}
}

// textPlaces are levels as numbers, for the models.
func textPlaces(axes []result.SweepAxis) func(axis, level int) float64 {
	return func(axis, level int) float64 {
		var x float64
		if n, err := fmt.Sscan(axes[axis].Levels[level], &x); n != 1 || err != nil {
			return float64(level)
		}
		return x
	}
}

func scaleAxes() []result.SweepAxis {
	return []result.SweepAxis{
		numericAxis("producer.*.latency_max~scale", true, "1", "0.25", "0.5", "1", "2", "4"),
		numericAxis("producer.*.not_available_duration~scale", false, "1", "0", "0.25", "0.5", "1", "2", "4"),
	}
}

func makeGrid(
	axes []result.SweepAxis, seeds int, of func(x []float64, point, seed int) []float64,
) *result.Sweep {
	points, base := gridOf(axes, textPlaces(axes))
	return sweepMaker{axes: axes, points: points, base: base, seeds: seeds, of: of}.sweep()
}

// scaleSweep is the one that most tests look at.
func scaleSweep() *result.Sweep {
	s := makeGrid(scaleAxes(), 10, scaled)
	losses := result.SweepEvents{Name: "acked_lost"}
	doubles := result.SweepEvents{Name: "extra_copies"}
	for p := range s.Points {
		e := result.SeedEvents{Name: "acked_lost", Counts: make([]int64, 10)}
		doubles.Points = append(doubles.Points, result.SeedEvents{Name: doubles.Name, Counts: make([]int64, 10)})
		lo, hi := 0.0, 0.3085
		if p >= 24 { // rare, with a high threshold
			e.Counts[3], e.Counts[7], e.Counts[8] = 12, 3, 40
			e.Seeds, e.Mean, lo, hi = 3, 5.5, 0.0667, 0.6525
			worst := uint64(9)
			e.Worst = &worst
		}
		e.Low, e.High = &lo, &hi
		losses.Points = append(losses.Points, e)
	}
	s.Events = []result.SweepEvents{losses, doubles}
	return s
}

// besideSweep is a grid that the default is none of.
func besideSweep() *result.Sweep {
	axes := scaleAxes()
	axes[0].Levels, axes[1].Levels = []string{"0.25", "0.5", "2"}, []string{"0.5", "2"}
	points, _ := gridOf(axes, textPlaces(axes))
	points = append(points, result.SweepPoint{Values: []string{"1", "1"}, X: []float64{1, 1}})
	return sweepMaker{axes: axes, points: points, base: len(points) - 1, seeds: 10, of: scaled}.sweep()
}

// sweepWorlds are sweeps of every shape.
func sweepWorlds() map[string]*result.Sweep {
	return map[string]*result.Sweep{
		"scales": scaleSweep(), "line": lineSweep(), "versions": versionSweep(), "three-axes": threeAxes(),
		"five-axes": fiveAxes(), "large": largeSweep(), "latin": latinSweep(), "long-names": longSweep(),
		"interrupted": interruptedSweep(), "beside": besideSweep(),
		"required": requiredSweep(), "required-line": requiredLine(), "required-latin": requiredLatin(),
	}
}

// lineSweep has one axis of times.
func lineSweep() *result.Sweep {
	axes := []result.SweepAxis{{
		Param: "producer.p.send_msg_timeout", Numeric: true, Unit: result.UnitNS, Log: true, Base: `"3s"`,
		Levels: []string{`"300ms"`, `"500ms"`, `"1s"`, `"2s"`, `"3s"`, `"5s"`, `"10s"`},
	}}
	places := []float64{3e8, 5e8, 1e9, 2e9, 3e9, 5e9, 1e10}
	points, base := gridOf(axes, func(_, l int) float64 { return places[l] })
	mk := sweepMaker{axes: axes, points: points, base: base, seeds: 10}
	mk.of = func(x []float64, p, seed int) []float64 {
		return scaled([]float64{x[0] / 3e9, 3e9 / x[0]}, p, seed)
	}
	return mk.sweep()
}

// versionSweep has a second axis of names.
func versionSweep() *result.Sweep {
	axes := []result.SweepAxis{
		numericAxis("producer.*.latency_max~scale", true, "1", "0.25", "0.5", "1", "2", "4"),
		{
			Param: "producer.*.client", Base: `"java-5.3.3"`,
			Levels: []string{`"java-4.9.8"`, `"java-5.1.4"`, `"java-5.3.3"`},
		},
	}
	return makeGrid(axes, 10, func(x []float64, p, seed int) []float64 {
		return scaled([]float64{x[0], 0.5 + x[1]}, p, seed)
	})
}

// threeAxes has panels.
func threeAxes() *result.Sweep {
	axes := []result.SweepAxis{
		numericAxis("producer.*.latency_max~scale", true, "1", "0.5", "1", "2", "4"),
		numericAxis("producer.*.not_available_duration~scale", true, "1", "0.5", "1", "2"),
		numericAxis("producer.*.retry_times_when_send_failed", false, "2", "0", "1", "2", "5"),
	}
	s := makeGrid(axes, 10, func(x []float64, p, seed int) []float64 {
		v := scaled(x[:2], p, seed)
		v[1] = math.Round(v[1] * 4 / (1 + 2*x[2]))
		v[0] = 1 - v[1]/176_000
		return v
	})
	s.Front = frontOf(s, 1, 2, 5)
	return s
}

// fiveAxes has more than a figure can show.
func fiveAxes() *result.Sweep {
	axes := []result.SweepAxis{
		numericAxis("producer.*.latency_max~scale", true, "1", "0.5", "1", "2"),
		numericAxis("producer.*.not_available_duration~scale", true, "1", "0.5", "1", "2"),
		numericAxis("producer.*.retry_times_when_send_failed", false, "2", "1", "2"),
		numericAxis("producer.*.threads", false, "32", "16", "32"),
		{Param: "producer.*.send_latency_fault_enable", Base: "true", Levels: []string{"false", "true"}},
	}
	return makeGrid(axes, 6, func(x []float64, p, seed int) []float64 { return scaled(x[:2], p, seed) })
}

// largeSweep has more cells than numbers have room.
func largeSweep() *result.Sweep {
	axes := scaleAxes()
	for a, n := range []int{24, 22} {
		axes[a].Levels, axes[a].Base = nil, "0.8"
		for i := range n {
			axes[a].Levels = append(axes[a].Levels, fmt.Sprint(float64(i+1)/5))
		}
	}
	return makeGrid(axes, 6, scaled)
}

// latinSweep fills a space of six axes.
func latinSweep() *result.Sweep {
	const n = 60
	names := []string{
		"producer.*.latency_max~scale", "producer.*.not_available_duration~scale", "producer.*.threads",
		"producer.*.send_msg_timeout", "producer.*.retry_times_when_send_failed", "broker.*.service.median",
	}
	mk := sweepMaker{seeds: 6, base: n}
	for a, name := range names {
		mk.axes = append(mk.axes, result.SweepAxis{
			Param: name, Numeric: true, Unit: result.UnitPer, Log: a < 2, Base: "1",
		})
	}
	for i := range n {
		p := result.SweepPoint{}
		for a := range names {
			x := 0.25 * math.Pow(16, (float64((i*(2*a+7))%n)+noise(i, a, 5))/n)
			p.X, p.Values = append(p.X, x), append(p.Values, fmt.Sprintf("%.4g", x))
		}
		mk.points = append(mk.points, p)
	}
	mk.points = append(mk.points, result.SweepPoint{
		Values: []string{"1", "1", "1", "1", "1", "1"}, X: []float64{1, 1, 1, 1, 1, 1},
	})
	mk.of = func(x []float64, p, seed int) []float64 { return scaled([]float64{min(x[0], 2.9), x[1]}, p, seed) }
	s := mk.sweep()
	s.Design = result.DesignLatin
	return s
}

// longSweep has names and values longer than there is room for, and nothing that is the default.
func longSweep() *result.Sweep {
	axes := []result.SweepAxis{
		{
			Param: "producer.a-group-with-a-rather-long-name-that-goes-on.latency_max",
			Levels: []string{
				`["50ms", "100ms", "550ms", "1800ms", "3s", "5s", "15s"]`,
				`["50ms", "100ms", "550ms", "1s", "2s", "3s", "15s"]`,
				`["1ms", "2ms"]`,
			},
		},
		{
			Param: "producer.another-group-with-a-rather-long-name-that-goes-on-and-on.not_available_duration",
			Levels: []string{
				`["0s", "0s", "2s", "5s", "6s", "10s", "30s"]`, `["0s", "0s", "30s", "60s", "120s", "180s", "600s"]`,
			},
		},
	}
	s := makeGrid(axes, 3, func(x []float64, p, seed int) []float64 { return scaled(x, p, seed) })
	s.Scenario = "a-scenario-with-a-name-that-is-longer-than-anybody-would-like-it-to-be-in-a-subtitle"
	return s
}

// interruptedSweep lacks cells, and has few seeds.
func interruptedSweep() *result.Sweep {
	s := makeGrid(scaleAxes(), 4, scaled)
	s.Complete, s.Runs = false, 84
	for k := range s.Metrics {
		for p := range s.Points {
			if p%7 == 3 || p > 24 {
				c := &s.Metrics[k].Cells[p]
				for i := range c.Values {
					c.Values[i] = result.SeedValue(math.NaN())
				}
				*c = result.SweepCell{Values: c.Values, Median: result.SeedValue(math.NaN())}
			}
		}
	}
	s.Front = frontOf(s, 2, 3)
	return s
}

// require adds bounds: of metrics by their numbers, "at most", and counts who misses them.
func require(s *result.Sweep, bounds map[int]float64) *result.Sweep {
	for k := range s.Metrics {
		bound, ok := bounds[k]
		if !ok {
			continue
		}
		r := result.Requirement{Metric: k, Bound: bound, AtLeast: s.Metrics[k].Better > 0}
		for p := range s.Points {
			n := 0
			for _, v := range s.Metrics[k].Cells[p].Values {
				if !r.Keeps(float64(v)) {
					n++
				}
			}
			r.Missed = append(r.Missed, n)
		}
		s.Requirements = append(s.Requirements, r)
	}
	candidates := s.Candidates()
	f := &result.Front{Metrics: s.Front.Metrics}
	for _, p := range s.Front.Points {
		if candidates[p] {
			f.Points = append(f.Points, p)
		}
	}
	s.Front = f
	return s
}

// requiredSweep has points that miss bounds on some seeds, and on most; the default is one of the first.
func requiredSweep() *result.Sweep {
	return require(scaleSweep(), map[int]float64{1: 300, 3: 2.2e9, 5: 9e9})
}

func requiredLine() *result.Sweep { return require(lineSweep(), map[int]float64{2: 1e8, 0: 0.999}) }

func requiredLatin() *result.Sweep { return require(latinSweep(), map[int]float64{1: 200}) }
