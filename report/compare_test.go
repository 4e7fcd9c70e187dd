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
