package report

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"simrun/internal/result"
)

// spectral gives runs distributions of latency, for figures.
func spectral(runs ...*result.Run) []*result.Run {
	for k, r := range runs {
		for _, ph := range r.Phases {
			s := result.Spectrum{Phase: ph.Name, Dim: result.DimAll}
			n := int64(200_000)
			for at := int64(1e6); n > 0; at = at * 5 / 4 {
				part := max(n/2, 1)
				s.Buckets = append(s.Buckets, result.Bucket{UpToNS: at + int64(k)*at/50, N: part})
				n -= part
			}
			r.Spectra = append(r.Spectra, s)
		}
	}
	return runs
}

// nineSeeds are the runs of tenSeeds that came to their ends, with distributions.
func nineSeeds() []*result.Run {
	runs := slices.DeleteFunc(tenSeeds(), func(r *result.Run) bool { return !r.Complete })
	return spectral(runs...)
}

// Goal: simrun report shows a set from its own directory, without its runs. Method: what is read is what was
// saved, to the last digit, and draws the same files.
func TestSeedSetRoundTrip(t *testing.T) {
	set := setOf(nineSeeds()...)
	dir := SeedsPath(t.TempDir(), "", set)
	if want := "seeds-1..8,10-" + set.Key; filepath.Base(dir) != want {
		t.Errorf("directory %s, want %s", dir, want)
	}
	files := Files{ScenarioTOML: []byte("seed = 1\n"), Plots: []string{"svg"}}
	for _, want := range []Status{StatusWritten, StatusUnchanged} {
		if got, err := SaveSeeds(dir, set, files, false); err != nil || got != want {
			t.Fatalf("saved: %v, %v, want %v", got, err, want)
		}
	}
	got, err := LoadSeeds(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(set, got, sameValue, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-saved +read)\n%s", diff)
	}
	if written, err := RerenderSeeds(dir, got, files); err != nil || len(written) > 0 {
		t.Errorf("written again: %v, %v", written, err)
	}
	if err := os.Remove(filepath.Join(dir, PlotsDir, "timeline-seeds.svg")); err != nil {
		t.Fatal(err)
	}
	written, err := RerenderSeeds(dir, got, files)
	if err != nil || !slices.Equal(written, []string{"plots/timeline-seeds.svg"}) {
		t.Errorf("written again: %v, %v", written, err)
	}
	m, err := LoadManifest(dir)
	if err != nil || len(m.Seeds) != 9 || m.Digest != set.Digest {
		t.Errorf("manifest %v, %v", m, err)
	}
}

// sameValue says that two values are the same, or both none.
var sameValue = cmp.Comparer(func(a, b result.SeedValue) bool {
	return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b))
})

// The digest of a set is over the digests of its runs.
func TestSeedSetDigest(t *testing.T) {
	runs := nineSeeds()
	before := setOf(runs...)
	runs[3].Digest = "0000000000000000"
	if after := setOf(runs...); after.Digest == before.Digest || after.Key != before.Key {
		t.Error("another digest of a run does not show, or changes the key")
	}
}

func TestSeedFiguresGolden(t *testing.T) {
	for _, f := range SeedFigures(setOf(nineSeeds()...)) {
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "seeds", f.Name+".svg"), svg)
	}
}

// struckAt is a run of windows of a second in which p99 is the time since its fault struck, in ms and from
// 100.
func struckAt(seed uint64, second, windows int64) *result.Run {
	r := &result.Run{
		Seed: seed, Complete: true, DurationNS: windows * 1e9, SimulatedNS: windows * 1e9,
		Phases: []result.Phase{{Name: "all"}},
		Faults: []result.Fault{{
			Name: "x", Began: true, FromNS: 2e9, ToNS: windows * 1e9, Strikes: 1,
			Spans: [][2]int64{{second*1e9 + 3e8, second*1e9 + 9e8}}, Effects: []result.FaultEffect{{Broker: "b"}},
		}},
		Setup:  result.Setup{Brokers: []result.SetupBroker{{Name: "a"}, {Name: "b"}}},
		Series: result.Series{WindowNS: 1e9, Brokers: []string{"a", "b"}},
	}
	for i := range windows {
		r.Series.Windows = append(r.Series.Windows, result.Window{
			FromNS: i * 1e9, N: 2000, Failed: 20, P99NS: (100 + i - second) * 1e6,
			Sends: []int64{1500, 500}, Avoided: []float64{0, 0.25}, Routed: []float64{1, 1},
			Brokers: make([]result.BrokerWindow, 2),
		})
	}
	return r
}

// "Several seeds are aligned on the time since the fault and drawn as median and range", also where random
// faults strike at another time in each.
func TestSeedsAreAlignedOnTheirStrikes(t *testing.T) {
	set := setOf(struckAt(1, 5, 30), struckAt(2, 9, 30), struckAt(3, 12, 30))
	want := []string{result.CurveP99, result.CurveFailed, result.CurveStruck, result.CurveAvoided}
	for i, c := range set.Curves {
		if c.Name != want[i] || len(c.Points) != 23 { // 5 windows before, 18 after the strike's
			t.Fatalf("curve %s has %d points", c.Name, len(c.Points))
		}
		for k, p := range c.Points {
			since := int64(k - 5)
			value := map[string]float64{
				result.CurveP99: float64(100+since) * 1e6, result.CurveFailed: 0.01,
				result.CurveStruck: 0.25, result.CurveAvoided: 0.25,
			}[c.Name]
			if p.FromNS != since*1e9 || p.Seeds != 3 || p.Min != value || p.Max != value || p.Median != value {
				t.Errorf("%s: %+v, want %v at %d s", c.Name, p, value, since)
			}
		}
	}
	if f := set.Faults[0]; !f.ToVary || f.Began != 3 || f.FromNS != -7.3e9 {
		t.Errorf("the fault is %+v", f)
	}
	// A run without a strike has no place on this axis.
	never := struckAt(4, 5, 30)
	never.Faults[0].Began = false
	if set := setOf(struckAt(1, 5, 30), never); set.Curves[0].Points[0].Seeds != 1 {
		t.Errorf("%+v", set.Curves[0].Points[0])
	}
}

// "An outlier seed is never hidden by a median": the text names the worst seed of each row.
func TestSeedsNameTheWorst(t *testing.T) {
	runs := nineSeeds()
	for i := range runs[4].Stats {
		if s := &runs[4].Stats[i]; s.Phase == "fault.power-cut" && s.Dim == result.DimAll {
			s.Latency.P99NS = 99e9
		}
	}
	var b strings.Builder
	if err := SeedsTable(&b, runs, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"99.00s 5 p99.9", "a worst seed by itself: simrun run two-masters-down --seed N",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// "One run shows no interval."
func TestOneSeedHasNoInterval(t *testing.T) {
	set := setOf(nineSeeds()[:1]...)
	for _, e := range set.Events {
		if e.Low != nil || e.High != nil {
			t.Errorf("%s has an interval", e.Name)
		}
	}
	if len(SeedFigures(set)) > 0 {
		t.Error("a band of one seed")
	}
	var b strings.Builder
	if err := SeedsText(&b, set, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"median", "minimum", "interval"} {
		if strings.Contains(b.String(), word) {
			t.Errorf("%q in\n%s", word, b.String())
		}
	}
}

// "None in n seeds: at most 3/n of incidents", and the exact interval of a share (values of R's binom.test).
func TestSharesOfSeeds(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 0.3085},
		{3, 10, 0.0667, 0.6525},
		{10, 10, 0.6915, 1},
		{1, 20, 0.0013, 0.2487},
		{50, 100, 0.3983, 0.6017},
	} {
		low, high := clopperPearson(c.k, c.n)
		if math.Abs(low-c.low) > 1.5e-4 || math.Abs(high-c.high) > 1.5e-4 {
			t.Errorf("%d of %d: %v … %v, want %v … %v", c.k, c.n, low, high, c.low, c.high)
		}
	}
	if got := atMostWords(20); got != "each in at most 3/20 of incidents" {
		t.Error(got)
	}
}

func TestSeedValues(t *testing.T) {
	give := []result.SeedValue{
		1.5, result.SeedValue(math.NaN()), result.SeedValue(math.Inf(1)), result.SeedValue(math.Inf(-1)), 0,
	}
	text, err := json.Marshal(give)
	if err != nil || string(text) != `[1.5,null,"never","-never",0]` {
		t.Fatalf("%s, %v", text, err)
	}
	var got []result.SeedValue
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(give, got, sameValue); diff != "" {
		t.Error(diff)
	}
}

// Seeds as they are asked for.
func TestSeedRanges(t *testing.T) {
	for want, give := range map[string][]uint64{
		"1..3": {1, 2, 3}, "7": {7}, "3,1..2": {3, 1, 2}, "0,2,4..5": {0, 2, 4, 5},
		"18446744073709551614..18446744073709551615": {math.MaxUint64 - 1, math.MaxUint64},
	} {
		if got := seedRanges(give); got != want {
			t.Errorf("%v: %q, want %q", give, got, want)
		}
	}
}
