package report

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"simrun/internal/result"
)

// A comparison is read back from its JSON as it was, values that never came and all.
func TestComparisonJSON(t *testing.T) {
	c := comparison(10, "base", "ours", "hasty")
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var got result.Comparison
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	stored := cmpopts.IgnoreFields(result.SeedSet{}, "Curves", "Spectra")
	if diff := cmp.Diff(c, &got, sameValue, stored, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
}

// comparedText is a comparison as text.
func comparedText(t *testing.T, c *result.Comparison, width int) string {
	t.Helper()
	var b strings.Builder
	if err := CompareText(&b, c, TextOptions{Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompareTextGolden(t *testing.T) {
	for name, c := range map[string]*result.Comparison{
		"two": comparison(20, "base", "ours"), "four": comparison(10, "base", "ours", "hasty", "same"),
		"few": comparison(4, "base", "ours"),
	} {
		golden(t, filepath.Join("testdata", "compare", name+".txt"), []byte(comparedText(t, c, 80)))
	}
	c := comparison(8, "base", "hasty", "ours|a_b")
	var b bytes.Buffer
	if err := CompareMarkdown(&b, c); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "compare", "three.md"), b.Bytes())
	for name, render := range map[string]func(*result.Comparison) ([]byte, error){
		"three.csv": CompareCSV, "three-differences.csv": DifferencesCSV,
	} {
		text, err := render(c)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "compare", name), text)
	}
}

// Tables and words stay within the columns there are, from 40 up.
func TestCompareTextFits(t *testing.T) {
	for _, width := range []int{40, 60, 80, 100} {
		for _, names := range [][]string{
			{"base", "ours"},
			{"base", "ours", "hasty", "same"},
			{"java-4.9.8+broker-5.3.3", "java-5.3.3+broker-5.3.3"},
		} {
			for line := range strings.Lines(comparedText(t, comparison(20, names...), width)) {
				if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
					t.Errorf("%v at %d columns: %d: %q", names, width, n, line)
				}
			}
		}
	}
}

// "Rare bad events (loss in 30 % of the seeds) are never hidden by a median": the median of what is lost is 0
// in all variants, and the text says on how many seeds anything was, and names the worst.
func TestComparisonShowsRareLosses(t *testing.T) {
	c := comparison(10, "base", "ours")
	lost := c.Events[0].ByVariant[0]
	if lost.Name != "acked_lost" || lost.Seeds != 3 {
		t.Fatalf("the fixture loses on %d seeds", lost.Seeds)
	}
	for _, width := range []int{40, 80} {
		text := strings.Join(strings.Fields(comparedText(t, c, width)), " ")
		for _, want := range []string{"acknowledged, lost base 13.5 3 of 10", "ours 0 0 of 10"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, text)
			}
		}
	}
}

// The count of seeds says which way a difference lies, also if most of them are alike and the median is 0.
func TestSignsText(t *testing.T) {
	for want, p := range map[string]result.Paired{
		"18/20 lower":             {Pairs: 20, Lower: 18, Higher: 1, Equal: 1},
		"6/8 higher":              {Pairs: 8, Lower: 2, Higher: 6},
		"4/8 lower":               {Pairs: 8, Lower: 4, Higher: 4},
		"32/100 higher":           {Pairs: 100, Higher: 32, Equal: 68},
		"30/100 lower, 26 higher": {Pairs: 100, Lower: 30, Higher: 26, Equal: 44},
		"8/8 alike":               {Pairs: 8, Equal: 8},
		"–":                       {},
	} {
		if got := signsText(&p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// How many rows luck alone tells from no difference depends on what tells them: the confidence that their
// intervals have, or the signs of a few seeds.
func TestLuckIsCounted(t *testing.T) {
	for seeds, want := range map[int]string{
		4: "the sign of all seeds leaves out 0 in these 2; luck alone does so in less than one",
		8: "the interval leaves out 0 in these 2; luck alone does so in less than one",
	} {
		text := strings.Join(strings.Fields(comparedText(t, comparison(seeds, "base", "ours"), 200)), " ")
		if !strings.Contains(text, want) {
			t.Errorf("%d seeds: no %q in\n%s", seeds, want, text)
		}
	}
	c := comparison(4, "base", "ours")
	for range 6 { // of 4 seeds all have one sign by luck in one of eight rows
		for _, r := range c.Rows {
			if !r.Named {
				c.Rows = append(c.Rows, r)
			}
		}
	}
	want := "luck alone does so in up to about"
	if text := comparedText(t, c, 400); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	if got := luckText(c); got != "12%" && got != "13%" {
		t.Errorf("a star is by luck in %s, want 1/8", got)
	}
}

// What it comes to is said without contradiction: of rows that differ where neither side is better, of pairs
// that do not exist, and of what an interrupt left.
func TestComparedVerdicts(t *testing.T) {
	c := comparison(10, "base", "ours")
	for i := range c.Rows {
		c.Rows[i].Named = c.Rows[i].Metric == "failed" && c.Rows[i].Phase == "all"
		c.Rows[i].Against[1].Outcome = result.OutcomeDifferent
	}
	const differs = "ours differs from base in 1 of 1 row, where neither is better"
	text := comparedText(t, c, 80)
	if !strings.Contains(text, differs) || strings.Contains(text, "no difference") {
		t.Errorf("no %q in\n%s", differs, text)
	}
	if page := comparePageOf(t, c); !strings.Contains(page, "Different, and neither is better") ||
		strings.Contains(page, "No difference shown") {
		t.Error("the page does not say that they differ")
	}
	c = comparison(10, "base", "ours", "hasty")
	c.Complete, c.Asked = false, 20
	for _, l := range comparedVerdicts(c) {
		if l.ink == good || l.ink == bad {
			t.Errorf("%q is coloured as a verdict, and was interrupted", l.text)
		}
	}
	text = comparedText(t, c, 80)
	last := text[strings.LastIndex(text, "\n\n"):]
	if !strings.HasPrefix(last, "\n\ninterrupted after 10 seeds, so this is no verdict yet:\nours is") {
		t.Errorf("the last lines are %s", last)
	}
	const interrupted = "interrupted after 10 seeds, so this is no verdict yet."
	if page := comparePageOf(t, c); !strings.Contains(page, interrupted) {
		t.Error("the page does not say that it was interrupted")
	}
}

// A row without a pair has no p.
func TestComparedRowWithoutPairs(t *testing.T) {
	c := comparison(10, "base", "ours")
	one, r := 1.0, &c.Rows[3]
	r.Against[1] = result.Paired{P: &one, Adjusted: &one, Outcome: result.OutcomeNoPairs}
	for line := range strings.Lines(comparedText(t, c, 200)) {
		if strings.HasPrefix(line, comparedLabel(c, r)) && strings.Contains(line, "1.000") {
			t.Errorf("%q", line)
		}
	}
}

// Runs that are not as long are not told to be.
func TestComparedLengths(t *testing.T) {
	c := comparison(4, "base", "ours")
	if got := lengthWords(c); got != "480 s each" {
		t.Error(got)
	}
	c.Variants[1].Set.DurationNS = 600 * second
	if got := lengthWords(c); got != "480 s to 600 s each" {
		t.Error(got)
	}
}

// A difference that is not 0 is not written as 0, and a median between two counts is not rounded to one.
func TestDifferencesAreNotRoundedAway(t *testing.T) {
	t.Parallel()
	percent := differing{of: 1e6, suffix: "%", decimals: 1}
	for _, x := range []struct {
		unit    differing
		d, most float64
		want    string
	}{
		{percent, 0, 12, "0"},
		{percent, -3e4, 12, "−0.03%"},
		{percent, 12.3e6, 12.3, "+12.3%"},
		{differing{of: 1, decimals: 3}, -4.2e-6, 0.046, "−0.000004"},
		{differing{of: 1}, -0.5, 1, "−0.5"},
		{differing{of: 1}, 1, 1, "+1"},
		{differing{of: 1}, 1234.5, 1234.5, "+1 234"},
	} {
		if got := x.unit.text(x.d, x.most); got != x.want {
			t.Errorf("%v of at most %v: %s, want %s", x.d, x.most, got, x.want)
		}
	}
}
