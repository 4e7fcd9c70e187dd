package report

import (
	"path/filepath"
	"strings"
	"testing"

	"simrun/internal/ensemble"
	"simrun/internal/result"
)

// tenSeeds are ten runs: one of them fails, one is undecided, one was interrupted.
func tenSeeds() []*result.Run {
	var all []*result.Run
	at := func(x float64) *float64 { return &x }
	for s := uint64(1); s <= 10; s++ {
		w := coarsened(twoMastersDown())
		w.seed = s
		if s == 9 {
			w.stop = 130 * second
		}
		r := fixture(w)
		r.Verdict = result.Passed
		rate := result.Expectation{
			Name: "delivery", Metric: "success_rate",
			Where: "during fault.power-cut", Min: at(0.9995), Actual: at(0.9996 + float64(s)*1e-5),
			Verdict: result.Passed,
		}
		back := result.Expectation{
			Name: "back", Metric: "time_to_return", Where: "fault power-cut",
			Max: at(40e9), Actual: at(28e9 + float64(s)*1e9), Verdict: result.Passed,
		}
		switch s {
		case 4:
			rate.Actual, rate.Verdict, r.Verdict = at(0.99948), result.Failed, result.Failed
		case 7:
			back.Actual, back.Infinite = nil, true
			back.Verdict, r.Verdict = result.Undecided, result.Undecided
		}
		r.Expectations = []result.Expectation{rate, back}
		all = append(all, r)
	}
	return all
}

// setOf is what some runs say together.
func setOf(runs ...*result.Run) *result.SeedSet { return ensemble.SetOf(runs) }

// seedsText is what is written of some runs.
func seedsText(t *testing.T, runs ...*result.Run) string {
	t.Helper()
	var b strings.Builder
	if err := SeedsText(&b, setOf(runs...), TextOptions{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSeedsTableGolden(t *testing.T) {
	text := seedsText(t, tenSeeds()...)
	golden(t, filepath.Join("testdata", "seeds", "ten.txt"), []byte(text))
	checkWidth(t, text, 80)
}

func TestSeedsTableWithoutFaults(t *testing.T) {
	w := coarsened(edgeWorlds()["steady"])
	golden(t, filepath.Join("testdata", "seeds", "steady.txt"), []byte(seedsText(t, fixture(w))))
	if got := seedsText(t); got != "no runs\n" {
		t.Errorf("no runs give %q", got)
	}
}

func TestSeedsVerdict(t *testing.T) {
	run := func(v result.Verdict) *result.Run { return &result.Run{Complete: true, Verdict: v} }
	p, f, u := run(result.Passed), run(result.Failed), run(result.Undecided)
	cut := &result.Run{Verdict: result.Passed}
	for _, c := range []struct {
		give []*result.Run
		all  result.Verdict
		want string
	}{
		{[]*result.Run{p, p}, result.Passed, "all expectations hold on 2 seeds"},
		{[]*result.Run{p, u}, result.Undecided, "1 of 2 seeds undecided"},
		{[]*result.Run{u, f, p}, result.Failed, "1 of 3 seeds failed, 1 of 3 seeds undecided"},
		{[]*result.Run{p, cut}, result.Passed, "1 of 2 seeds interrupted"},
		{
			[]*result.Run{run(result.NoExpectations)},
			result.NoExpectations,
			"no expectations: nothing was judged",
		},
	} {
		set := setOf(c.give...)
		if set.Verdict != c.all {
			t.Errorf("the verdict of all is %q, want %q", set.Verdict, c.all)
		}
		if got, _ := seedsVerdict(set); got != c.want {
			t.Errorf("verdict %q, want %q", got, c.want)
		}
	}
}

// "never" has a footnote, and without a fault table it is "off".
func TestSeedsWithoutATime(t *testing.T) {
	r := oneFault()
	r.Faults[0].Effects[0].Avoid = result.Spread{Instances: 8}
	r.Faults[0].Effects[0].Return = result.Spread{Instances: 8}
	table := func() string { return strings.Join(strings.Fields(seedsText(t, r, r)), " ") }
	const never = "¹ on some producer instance and broker of a fault not by the end"
	if got := table(); !strings.Contains(got, "never¹ never¹") || !strings.Contains(got, never) {
		t.Errorf("no never in %s", got)
	}
	r.Setup.Producers[0].Avoidance = false
	if got := table(); !strings.Contains(got, "off¹ never²") ||
		!strings.Contains(got, "¹ avoidance is off") {
		t.Errorf("not off in %s", got)
	}
}
