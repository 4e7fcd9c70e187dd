package ensemble_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/scenarios"
)

// "The gain of common draws over independent seeds is reported per row, at least 2 on mean latency and
// success rate of the shipped tuning comparison; where it is near 1 the docs say why."
//
// Method: two of its variants, the one that is closest to the reference and the one that is furthest from it,
// on six of its seeds. The table is the one of docs/statistics.md.
func TestGainOfTheTuningComparison(t *testing.T) {
	const first, seeds, least = 101, 6, 2
	variants, err := scenarios.LoadVariants("tuning",
		scenarios.Options{Variants: []string{"half", "arrays-of-4"}})
	if err != nil {
		t.Fatal(err)
	}
	inputs := make([]ensemble.Input, len(variants))
	var jobs []experiment.Job
	for i, v := range variants {
		inputs[i].Name = v.Variant
		for s := range seeds {
			jobs = append(jobs, experiment.Job{Scenario: v.WithSeed(uint64(first + s))})
		}
	}
	err = experiment.RunAll(context.Background(), jobs, 2, func(job int, run *result.Run) error {
		in := &inputs[job/seeds]
		in.Members = append(in.Members, ensemble.Of(run))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := ensemble.Compare(inputs, ensemble.Options{})
	var b strings.Builder
	fmt.Fprintf(&b, "| gain on seeds %d–%d | %s | %s |\n|---|---:|---:|\n", first, first+seeds-1,
		inputs[1].Name, inputs[2].Name)
	for _, row := range []string{
		"success_rate@all", "latency_mean@all", "latency_p99@all", "latency_max@all", "broker_imbalance@all",
		"starved_time@stops",
	} {
		i := slices.IndexFunc(c.Rows, func(r result.PairedRow) bool { return r.Addressed() == row })
		if i < 0 {
			t.Fatalf("no row %s", row)
		}
		fmt.Fprintf(&b, "| `%s` |", row)
		for v, p := range c.Rows[i].Against {
			switch {
			case v == c.Reference:
				continue
			case p.Gain == nil:
				b.WriteString(" – |")
				continue
			}
			fmt.Fprintf(&b, " ×%.1f |", *p.Gain)
			if *p.Gain < least && (row == "success_rate@all" || row == "latency_mean@all") {
				t.Errorf("%s, %s: a gain of %.2f", row, c.Variants[v].Name, *p.Gain)
			}
		}
		b.WriteByte('\n')
	}
	const file, begin, end = "../../docs/statistics.md", "<!-- begin gain -->\n", "<!-- end gain -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(text), begin)
	got, tail, ok := strings.Cut(rest, end)
	if f := flag.Lookup("rewrite"); ok && f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(file, []byte(head+begin+b.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != b.String() {
		t.Errorf("the gains of docs/statistics.md are not what was found (make golden):\n%s", b.String())
	}
}
