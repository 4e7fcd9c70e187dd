package ensemble

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"simrun/internal/result"
)

// member is a run with a seed that has one fault, x, and in which nothing happens.
func member(seed uint64) *Member {
	r := struckAt(seed, 5, 30)
	r.Scenario, r.Digest = "story", strconv.FormatUint(seed, 16)
	r.Key = r.Digest
	r.Phases = []result.Phase{
		{Name: "before", ToNS: 5e9}, {Name: "fault.x", FromNS: 5e9, ToNS: 30e9}, {Name: "all", ToNS: 30e9},
	}
	m := Of(r)
	for i := range m.values.all {
		m.values.all[i] = math.NaN()
	}
	return m
}

// set gives a member a value of a row, or, of an address without a place, the count of an event.
func (m *Member) set(t rapid.TB, address string, x float64) {
	t.Helper()
	m.run.Digest += fmt.Sprintf(" %s %v", address, x)
	for i, e := range seedEvents {
		if e.name == address {
			m.events[i] = int64(x)
			return
		}
	}
	rows, err := m.Places().Rows(address)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%s: %v", address, err)
	}
	m.values.all[m.index(rows[0])] = x
}

// table reads inputs: lines of a variant, what is said of it, and a value for each seed. "3*7" is 7 three
// times, "never" had not come, "-" does not exist.
func table(t testing.TB, text string) []Input {
	t.Helper()
	var inputs []Input
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		i := slices.IndexFunc(inputs, func(in Input) bool { return in.Name == words[0] })
		if i < 0 {
			i, inputs = len(inputs), append(inputs, Input{Name: words[0]})
		}
		in := &inputs[i]
		values := valuesIn(t, words[2:])
		for len(in.Members) < len(values) {
			in.Members = append(in.Members, member(uint64(len(in.Members)+1)))
		}
		for k, x := range values {
			switch m := in.Members[k]; words[1] {
			case "whole":
				m.run.Complete = x == 1
			case "seed":
				m.run.Seed = uint64(x)
			case "until":
				m.run.DurationNS = int64(x) * 1e9
			case "warmup":
				m.run.WarmupNS = int64(x) * 1e9
			case "faults":
				m.run.Faults = m.run.Faults[:int(x)]
				m.run.Phases = slices.DeleteFunc(slices.Clone(m.run.Phases), func(p result.Phase) bool {
					return p.IsFault() && x == 0
				})
				m.values = values0(m)
			default:
				m.set(t, words[1], x)
			}
		}
	}
	return inputs
}

// values0 are as many values as a member has rows, none of which exists.
func values0(m *Member) values {
	return noValues(len(m.run.Phases)*len(phaseMetrics) + len(m.run.Faults)*len(faultMetrics))
}

func valuesIn(t testing.TB, words []string) []float64 {
	t.Helper()
	var out []float64
	for _, w := range words {
		times := 1
		if n, rest, ok := strings.Cut(w, "*"); ok {
			times, _ = strconv.Atoi(n)
			w = rest
		}
		x, err := strconv.ParseFloat(w, 64)
		switch {
		case w == "never":
			x = math.Inf(1)
		case w == "-":
			x = math.NaN()
		case err != nil:
			t.Fatal(err)
		}
		for range times {
			out = append(out, x)
		}
	}
	return out
}

// TestStories tells comparisons in words. Each story names the sentence that it restates.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "rows":
				return tellRows(d)
			case "compare":
				return tellComparison(t, d)
			case "precise":
				return tellPrecise(t, d)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// tellRows reads addresses of a scenario with two faults.
func tellRows(d *datadriven.TestData) string {
	p := Places{
		Phases: strings.Fields("warm-up before fault.pause fault.kill recovery.pause recovery.kill all"),
		Faults: []string{"pause", "kill"},
	}
	if d.HasArg("quiet") {
		p = Places{Phases: []string{"all"}}
	}
	rows, err := p.Rows(strings.Split(strings.TrimSuffix(d.Input, "\n"), "\n")...)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintln(&b, r)
	}
	return b.String()
}

// tellComparison compares a table. Rows without a verdict are left out, unless "others" names the metric.
func tellComparison(t *testing.T, d *datadriven.TestData) string {
	inputs := table(t, d.Input)
	var opt Options
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "reference":
			opt.Reference = slices.IndexFunc(inputs, func(in Input) bool { return in.Name == arg.Vals[0] })
		case "rows":
			rows, err := inputs[0].Members[0].Places().Rows(arg.Vals...)
			if err != nil {
				t.Fatal(err)
			}
			opt.Rows = rows
		}
	}
	c := Compare(inputs, opt)
	if c == nil {
		return "nothing to compare"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d seeds, %d needed\n", len(c.Seeds), c.Asked, c.SeedsNeeded)
	for i := range c.Rows {
		tellRow(&b, c, &c.Rows[i], d.HasArg("others"))
	}
	for i := range c.Events {
		tellEvent(&b, c, &c.Events[i])
	}
	for _, w := range c.Warnings {
		fmt.Fprintln(&b, "warning:", w)
	}
	return b.String()
}

func tellRow(b *strings.Builder, c *result.Comparison, r *result.PairedRow, others bool) {
	if !r.Named && !others {
		return
	}
	fmt.Fprintf(b, "%s\n", r.Addressed())
	for v, p := range r.Against {
		fmt.Fprintf(b, "  %s: median %s", c.Variants[v].Name, told(r.Medians[v]))
		if v != c.Reference {
			fmt.Fprintf(b, ", differs by %s", told(p.Median))
			if p.Low != nil {
				fmt.Fprintf(b, " [%s, %s] with %.1f %%", told(*p.Low), told(*p.High), 100*p.Confidence)
			}
			fmt.Fprintf(b, "; %d lower, %d higher, %d equal", p.Lower, p.Higher, p.Equal)
			if p.Gain != nil {
				fmt.Fprintf(b, "; gain %.1f", *p.Gain)
			}
			if p.P != nil {
				fmt.Fprintf(b, "\n    p %.3g, of signs %.3g, adjusted %.3g: %s",
					*p.P, *p.SignP, *p.Adjusted, p.Outcome)
				if p.SeedsToShow > 0 {
					fmt.Fprintf(b, ", %d seeds would show it", p.SeedsToShow)
				}
			}
		}
		b.WriteByte('\n')
	}
}

// told is a value in words.
func told(v result.SeedValue) string {
	switch x := float64(v); {
	case math.IsNaN(x):
		return "-"
	case math.IsInf(x, 1):
		return "never"
	case math.IsInf(x, -1):
		return "-never"
	default:
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
}

// tellEvent tells of an event that any variant has.
func tellEvent(b *strings.Builder, c *result.Comparison, e *result.PairedEvents) {
	if !slices.ContainsFunc(e.ByVariant, func(s result.SeedEvents) bool { return s.Seeds > 0 }) {
		return
	}
	fmt.Fprintf(b, "%s\n", e.Name)
	for v, s := range e.ByVariant {
		fmt.Fprintf(b, "  %s: %v a run, on %d of %d seeds", c.Variants[v].Name, s.Mean, s.Seeds, len(c.Seeds))
		if s.Low != nil {
			fmt.Fprintf(b, " (%.1f %% to %.1f %%)", 100**s.Low, 100**s.High)
		}
		if a := e.Against[v]; v != c.Reference {
			fmt.Fprintf(b, "; more on %d, fewer on %d, p %.3g, adjusted %.3g: %s",
				a.More, a.Fewer, a.P, a.Adjusted, a.Outcome)
		}
		b.WriteByte('\n')
	}
}

// tellPrecise adds seeds of a table until the row is precise enough.
func tellPrecise(t *testing.T, d *datadriven.TestData) string {
	all := table(t, d.Input)
	rows, err := all[0].Members[0].Places().Rows(d.CmdArgs[0].Vals...)
	if err != nil {
		t.Fatal(err)
	}
	target, err := strconv.ParseFloat(d.CmdArgs[1].Vals[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	var seeds []uint64
	for _, m := range all[0].Members {
		seeds = append(seeds, m.Seed())
	}
	p, err := NewPrecise(rows[0], target, seeds)
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	inputs := make([]Input, len(all))
	for next := p.Next(); len(next) > 0; next = p.Next() {
		for i := range all {
			inputs[i].Name = all[i].Name
			for _, s := range next {
				inputs[i].Members = append(inputs[i].Members, all[i].find(s))
			}
		}
		look := p.Look(inputs, 0)
		fmt.Fprintf(&b, "%d seeds, %.2f %%: ", look.Seeds, 100*look.Confidence)
		if look.HalfWidth == nil {
			fmt.Fprintf(&b, "no half-width: %s\n", look.Reason)
		} else {
			fmt.Fprintf(&b, "half-width %.3f\n", *look.HalfWidth)
		}
	}
	fmt.Fprintf(&b, "reached: %v\n", p.Result().Reached)
	return b.String()
}
