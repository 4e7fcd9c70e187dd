package report

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

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
func setOf(runs ...*result.Run) *result.SeedSet {
	seeds := make([]*Seed, len(runs))
	for i, r := range runs {
		seeds[i] = SeedOf(r)
	}
	return NewSeedSet(seeds, len(runs))
}

func TestSeedsTableGolden(t *testing.T) {
	var b bytes.Buffer
	if err := SeedsTable(&b, tenSeeds(), TextOptions{}); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "seeds", "ten.txt"), b.Bytes())
	checkWidth(t, b.String(), 80)
}

func TestSeedsTableWithoutFaults(t *testing.T) {
	w := coarsened(edgeWorlds()["steady"])
	var b bytes.Buffer
	if err := SeedsTable(&b, []*result.Run{fixture(w)}, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "seeds", "steady.txt"), b.Bytes())
	b.Reset()
	if err := SeedsTable(&b, nil, TextOptions{}); err != nil || b.String() != "no runs\n" {
		t.Errorf("no runs give %q, %v", b.String(), err)
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
		if got := Overall(c.give); got != c.all {
			t.Errorf("Overall = %q, want %q", got, c.all)
		}
		if got, _ := seedsVerdict(setOf(c.give...)); got != c.want {
			t.Errorf("verdict %q, want %q", got, c.want)
		}
	}
}

// The median is a value that occurred, and one that never came counts as the longest.
func TestSpreadOfSeeds(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		give              []float64
		low, median, high float64
		n                 int
	}{
		{[]float64{3, 1, 2}, 1, 2, 3, 3},
		{[]float64{4, 3, 1, 2}, 1, 2, 4, 4},
		{[]float64{inf, 1, nan, 2}, 1, 2, inf, 3},
		{[]float64{inf, inf, 1}, 1, inf, inf, 3},
	} {
		low, median, high, n := spread3(c.give)
		if low != c.low || median != c.median || high != c.high || n != c.n {
			t.Errorf("spread of %v: %v %v %v of %d", c.give, low, median, high, n)
		}
	}
	if _, m, _, n := spread3([]float64{nan}); n != 0 || !math.IsNaN(m) {
		t.Error("a spread of nothing")
	}
}

// A broker that some instance never avoided was not avoided by all, however fast the others were.
func TestSlowest(t *testing.T) {
	at := func(ns int64) *int64 { return &ns }
	effect := func(last *int64) result.FaultEffect {
		return result.FaultEffect{Avoid: result.Spread{Instances: 8, Reached: 7, MaxNS: last}}
	}
	r := &result.Run{Faults: []result.Fault{
		{Name: "x", Began: true, Effects: []result.FaultEffect{effect(at(3)), effect(at(5))}},
		{Name: "y", Began: true, Effects: []result.FaultEffect{effect(nil)}},
	}}
	avoided := faultMetrics[1]
	if got := avoided.slowestOf(r, "x"); got != 5 {
		t.Errorf("avoided by all after %v, want 5", got)
	}
	r.Faults[0].Effects[0] = effect(nil)
	if got := avoided.slowestOf(r, "x"); !math.IsInf(got, 1) {
		t.Errorf("avoided by all after %v, want never", got)
	}
	if r.Faults[0].Began = false; !math.IsNaN(avoided.slowestOf(r, "x")) {
		t.Error("a fault that never began was avoided")
	}
	r.Faults[0].Began = true
	if got := seedText(avoided.slowestOf(r, "x"), nil); !strings.Contains(got, "never") {
		t.Errorf("shown as %q", got)
	}
}

// "never" has a footnote, and without a fault table it is "off".
func TestSeedsWithoutATime(t *testing.T) {
	r := oneFault()
	r.Faults[0].Effects[0].Avoid = result.Spread{Instances: 8}
	r.Faults[0].Effects[0].Return = result.Spread{Instances: 8}
	table := func() string {
		var b bytes.Buffer
		if err := SeedsTable(&b, []*result.Run{r, r}, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(b.String()), " ")
	}
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
