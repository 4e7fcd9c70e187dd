package ensemble

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
)

// drawInputs are variants on the same seeds, with a few values of each row that are often alike, sometimes
// missing or never, and sometimes a loss.
func drawInputs(rt *rapid.T, names ...string) []Input {
	n := rapid.IntRange(1, 14).Draw(rt, "seeds")
	value := rapid.SampledFrom([]float64{0, 1, 2, 3, 5, 8, math.Inf(1), math.NaN()})
	inputs := make([]Input, len(names))
	for i, name := range names {
		inputs[i].Name = name
		for s := range n {
			m := member(uint64(s + 1))
			for _, address := range []string{"failed@all", "success_rate@all", "messages@all", "time_to_avoid@x"} {
				m.set(rt, address, value.Draw(rt, address))
			}
			m.set(rt, "lost", float64(rapid.IntRange(0, 1).Draw(rt, "lost")))
			inputs[i].Members = append(inputs[i].Members, m)
		}
	}
	return inputs
}

var lawRows = []Row{
	{Metric: "failed", Phase: "all"},
	{Metric: "success_rate", Phase: "all"},
	{Metric: "messages", Phase: "all"},
	{Metric: "time_to_avoid", Fault: "x"},
}

// same says that two numbers are, both none or both infinite included.
func same(a, b float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}

func sameAt(a, b *float64) bool { return (a == nil) == (b == nil) && (a == nil || same(*a, *b)) }

// turned is an outcome seen from the other side.
func turned(o result.Outcome) result.Outcome {
	switch o {
	case result.OutcomeBetter:
		return result.OutcomeWorse
	case result.OutcomeWorse:
		return result.OutcomeBetter
	}
	return o
}

// Of every row that is compared, named or not, each variant's set has the values by seed, and the differences
// are theirs: whoever reads the files can count after us.
func TestDifferencesHaveTheirValues(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := Compare(drawInputs(rt, "a", "b"), Options{Rows: lawRows[:1]})
		for i := range c.Rows {
			r := &c.Rows[i]
			values := func(v int) []result.SeedValue {
				metrics := c.Variants[v].Set.Metrics
				k := slices.IndexFunc(metrics, func(m result.SeedMetric) bool {
					return m.Metric == r.Metric && m.Phase == r.Phase && m.Fault == r.Fault
				})
				if k < 0 {
					rt.Fatalf("%s has no values of %s", c.Variants[v].Name, r.Addressed())
				}
				return metrics[k].Values
			}
			a, b := values(0), values(1)
			for s, d := range r.Against[1].Differences {
				want := float64(b[s] - a[s])
				if a[s] == b[s] {
					want = 0
				}
				if !same(float64(d), want) {
					rt.Errorf("%s on seed %d: %v, want %v", r.Addressed(), c.Seeds[s], d, want)
				}
			}
		}
	})
}

// Whoever is the reference, the same is found: signs flip, better and worse change places, p stays.
func TestSidesOfAComparison(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inputs := drawInputs(rt, "a", "b")
		there := Compare(inputs, Options{Rows: lawRows})
		back := Compare(inputs, Options{Rows: lawRows, Reference: 1})
		for i := range there.Rows {
			if !there.Rows[i].Named {
				continue
			}
			p, q := there.Rows[i].Against[1], back.Rows[i].Against[0]
			for k := range p.Differences {
				if !same(float64(p.Differences[k]), -float64(q.Differences[k])) {
					rt.Errorf("%v and %v", p.Differences, q.Differences)
				}
			}
			if p.Low != nil && (!same(float64(*p.Low), -float64(*q.High)) ||
				!same(float64(*p.High), -float64(*q.Low))) {
				rt.Errorf("[%v %v] and [%v %v]", *p.Low, *p.High, *q.Low, *q.High)
			}
			if !same(float64(p.Median), -float64(q.Median)) || p.Lower != q.Higher || p.Equal != q.Equal ||
				!sameAt(p.P, q.P) || !sameAt(p.Adjusted, q.Adjusted) || !sameAt(p.Gain, q.Gain) ||
				p.Outcome != turned(q.Outcome) {
				rt.Errorf("%s: %+v and %+v", there.Rows[i].Addressed(), p, q)
			}
		}
		for i := range there.Events {
			p, q := there.Events[i].Against[1], back.Events[i].Against[0]
			if p.More != q.Fewer || p.Fewer != q.More || p.P != q.P || p.Outcome != turned(q.Outcome) {
				rt.Errorf("%s: %+v and %+v", there.Events[i].Name, p, q)
			}
		}
	})
}

// One variant more changes no pair of the others, and makes no verdict easier.
func TestAnotherVariant(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inputs := drawInputs(rt, "a", "b", "c")
		two, three := Compare(inputs[:2], Options{Rows: lawRows}), Compare(inputs, Options{Rows: lawRows})
		for i := range two.Rows {
			p := two.Rows[i].Against[1]
			j := slices.IndexFunc(three.Rows, func(r result.PairedRow) bool {
				return r.Addressed() == two.Rows[i].Addressed()
			})
			q := three.Rows[j].Against[1]
			if !same(float64(p.Median), float64(q.Median)) || p.Pairs != q.Pairs || p.Lower != q.Lower ||
				!sameAt(p.P, q.P) || !sameAt(p.Gain, q.Gain) {
				rt.Errorf("%s: %+v and %+v", two.Rows[i].Addressed(), p, q)
			}
			if p.Adjusted != nil && *q.Adjusted < *p.Adjusted-1e-12 {
				rt.Errorf("adjusted %v for two and %v for three", *p.Adjusted, *q.Adjusted)
			}
		}
	})
}

// The order of the seeds changes nothing but the order of what is by seed.
func TestOrderOfSeeds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		inputs := drawInputs(rt, "a", "b")
		order := rapid.Permutation(inputs[0].Members).Draw(rt, "order")
		mixed := []Input{{Name: "a", Members: order}, {Name: "b", Members: inputs[1].Members}}
		p, q := Compare(inputs, Options{Rows: lawRows}), Compare(mixed, Options{Rows: lawRows})
		for i := range p.Rows {
			a, b := p.Rows[i].Against[1], q.Rows[i].Against[1]
			if !same(float64(a.Median), float64(b.Median)) || a.Lower != b.Lower || a.Pairs != b.Pairs ||
				!sameAt(a.P, b.P) || !sameAt(a.Adjusted, b.Adjusted) || a.Outcome != b.Outcome {
				rt.Errorf("%s: %+v and %+v", p.Rows[i].Addressed(), a, b)
			}
			for k, m := range order {
				if at := m.Seed() - 1; !same(float64(b.Differences[k]), float64(a.Differences[at])) {
					rt.Errorf("seed %d: %v and %v", m.Seed(), b.Differences[k], a.Differences[at])
				}
			}
		}
	})
}

// A variant against a copy of the reference shows nothing, and says so.
func TestNothingDiffers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := drawInputs(rt, "a")[0]
		copied := in
		copied.Name = "b"
		c := Compare([]Input{in, copied}, Options{Rows: lawRows})
		for i := range c.Rows {
			if o := c.Rows[i].Against[1].Outcome; o == result.OutcomeBetter || o == result.OutcomeWorse {
				rt.Errorf("%s is %s", c.Rows[i].Addressed(), o)
			}
		}
		if len(c.Warnings) == 0 {
			rt.Error("no warning")
		}
	})
}
