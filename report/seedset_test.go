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
	"simrun/report/store"
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
	files := Files{ScenarioTOML: []byte("seed = 1\n"), Plots: []string{"svg"}, HTML: true}
	for _, want := range []store.Status{store.Written, store.Unchanged} {
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
	m, err := store.LoadManifest(dir)
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

// "An outlier seed is never hidden by a median": the text names the worst seed of each row.
func TestSeedsNameTheWorst(t *testing.T) {
	runs := nineSeeds()
	for i := range runs[4].Stats {
		if s := &runs[4].Stats[i]; s.Phase == "fault.power-cut" && s.Dim == result.DimAll {
			s.Latency.P99NS = 99e9
		}
	}
	text := seedsText(t, runs...)
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"99.00s 5 p99.9", "a worst seed by itself is in the directory sN-…; simrun report shows it",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
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
	text := seedsText(t, nineSeeds()[:1]...)
	for _, word := range []string{"median", "minimum", "interval"} {
		if strings.Contains(text, word) {
			t.Errorf("%q in\n%s", word, text)
		}
	}
}

// "None in n seeds: at most 3/n of incidents".
func TestRuleOfThreeWords(t *testing.T) {
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
