package sweep

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"simrun/internal/result"
	"simrun/scenarios"
)

// world is what plans of the tests are of: two brokers, two groups that differ in a few values.
const world = `# A small world.
duration = "20s"
warmup = "2s"
release = "5.3.3"
[broker.a]
[broker.b]
[producer.p]
threads = 8
rate = "100/s"
send_latency_fault_enable = true
not_available_duration = ["0s", "0s", "2s", "5s", "6s", "10s", "30s"]
[producer.q]
threads = 16
rate = "300/s"
send_latency_fault_enable = true
send_msg_max_timeout_per_request = "800ms"
[fault.f]
kind = "kill"
target = "a:0"
at = "8s"
duration = "4s"
`

// loadWorld loads a text with flags laid over it.
func loadWorld(text string) func(set, from []string) (*scenarios.Scenario, error) {
	return func(set, from []string) (*scenarios.Scenario, error) {
		list, err := scenarios.LoadNamed("./world.toml", scenarios.Options{
			Over: set, OverFrom: from,
			ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
		})
		if err != nil {
			return nil, err
		}
		return list[0], nil
	}
}

// Goal: "grids and lists over any key (whole tuning arrays by a scale and a shape too), Latin hypercube or
// Halton points for many dimensions", and of wrong flags every mistake at once with place, reason and fix.
// Method: plans of a small world, each point with what it sets; a line of input is a --param flag.
func TestPlans(t *testing.T) {
	datadriven.RunTest(t, "testdata/plans", func(t *testing.T, d *datadriven.TestData) string {
		opt := Options{
			Load: loadWorld(world), Params: strings.Split(strings.TrimSpace(d.Input), "\n"),
			Seeds: []uint64{1, 2}, Metrics: []string{"failed@all"}, SkipInvalid: d.HasArg("skip"),
		}
		for _, a := range d.CmdArgs {
			switch a.Key {
			case "design":
				opt.Design = result.Design(a.Vals[0])
			case "points":
				opt.Points, _ = strconv.Atoi(a.Vals[0])
			}
		}
		p, err := New(opt)
		var invalid *scenarios.Invalid
		if errors.As(err, &invalid) {
			var b strings.Builder
			if err := invalid.Render(&b); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		return planText(p)
	})
}

func planText(p *Plan) string {
	var b strings.Builder
	for i := range p.Axes {
		x := &p.Axes[i]
		fmt.Fprintf(&b, "axis %s levels %v base %q", x.Param, x.Levels, x.Base)
		if x.Numeric {
			fmt.Fprintf(&b, " unit %s", x.Unit)
		}
		if x.Log {
			b.WriteString(" log")
		}
		b.WriteByte('\n')
	}
	for i := range p.Points {
		mark := ""
		if i == p.Default {
			mark = " (as it stands)"
		}
		fmt.Fprintf(&b, "%d%s: %s at %v", i, mark, strings.Join(p.Points[i].Values, ", "), p.Points[i].X)
		for _, s := range p.Points[i].Set {
			fmt.Fprintf(&b, " | %s", s)
		}
		b.WriteByte('\n')
		for _, note := range p.Points[i].Notes {
			fmt.Fprintf(&b, "   note: %s\n", note)
		}
	}
	fmt.Fprintf(&b, "%d cells, %d alike, %d skipped, added %v\n", p.Cells(), p.Alike, p.Skipped, p.Added)
	return b.String()
}

func plain(format string, args ...any) string { return fmt.Sprintf(format, args...) }
