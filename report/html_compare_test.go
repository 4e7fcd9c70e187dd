package report

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"simrun/internal/result"
)

func comparePageOf(t *testing.T, c *result.Comparison) string {
	t.Helper()
	data, err := CompareHTML(c, CompareFiles{Manifest: pageInput().Manifest})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every page of a comparison is well-formed and has all in itself; issue 7 asks for "a column per variant".
func TestCompareHTMLIsWhole(t *testing.T) {
	worlds := comparedWorlds()
	worlds["no-seeds"] = comparison(6, "base", "ours")
	worlds["no-seeds"].Seeds, worlds["no-seeds"].Complete = nil, false
	worlds["nothing-named"] = comparison(6, "base", "ours")
	for i := range worlds["nothing-named"].Rows {
		worlds["nothing-named"].Rows[i].Named = false
	}
	for name, c := range worlds {
		t.Run(name, func(t *testing.T) {
			page := comparePageOf(t, c)
			checkPage(t, page)
			_, head, found := strings.Cut(page, `<table class="compared`)
			if named := len(comparedNamed(c)) > 0 && len(c.Seeds) > 0; found != named {
				t.Fatalf("a table of rows: %v, want %v", found, named)
			}
			head, _, _ = strings.Cut(head, "</thead>")
			if n := strings.Count(head, `<th scope="col"`); found && n != len(c.Variants) {
				t.Errorf("%d columns of %d variants", n, len(c.Variants))
			}
		})
	}
}

func TestCompareHTMLGolden(t *testing.T) {
	page := pageFigure.ReplaceAllString(comparePageOf(t, comparedWorlds()["three"]), "<svg></svg>")
	_, page, _ = strings.Cut(page, "</style>")
	golden(t, filepath.Join("testdata", "compare", "report.html"), []byte(page))
}

// The verdict comes first, and a loss in some seeds stands beside it: "rare bad events are never hidden by a
// median".
func TestCompareHTMLSaysWhatMatters(t *testing.T) {
	page := comparePageOf(t, comparedWorlds()["three"])
	at := -1
	for _, want := range []string{
		"Better in some, worse in others", "ours is better than base in 4 of 5 rows",
		"hasty is worse than base in 5 of 5 rows", "What was asked", "What each variant changes",
		"is dropped: 4.9.8 has no such key", "What should never happen", "3 of 10", `id="figures">`,
		`id="differences">`, `id="percentiles">`, `id="phases">`, `id="expectations">`, ">8 of 10 (not ",
		"Seed by seed", `id="method">`, `id="definitions">`, "simrun verify .",
	} {
		next := strings.Index(page, want)
		if next <= at {
			t.Errorf("%q is at %d, after what ends at %d", want, next, at)
		}
		at = max(at, next)
	}
}

// Nothing that a scenario or a variant says becomes markup, and nothing of the machine is told.
func TestCompareHTMLEscapes(t *testing.T) {
	const evil = `</title></style><script>alert(1)</script>"'&<b>`
	c := comparison(8, "base", "ours")
	c.Scenario, c.Story, c.Warnings = evil, evil, []string{evil}
	v := &c.Variants[1]
	v.Name, v.Story, v.Notes = evil, evil, []string{evil}
	v.Settings[0] = result.VariantSetting{Path: evil, Base: evil, Text: evil}
	v.Set.Expectations[0].Rule.Name, v.Set.Warnings = evil, []string{evil}
	v.Set.NotModelled, c.Variants[0].Set.NotModelled = []string{evil}, []string{evil}
	page := comparePageOf(t, c)
	checkPage(t, page)
	if n := strings.Count(page, "<script"); n != 1 || strings.Contains(page, "<b>") {
		t.Errorf("%d scripts", n)
	}
	f := CompareFiles{Manifest: pageInput().Manifest}
	f.Manifest.Host = result.Host{ScenarioPath: "/other/y.toml", ResultsPath: "/other", WallNS: 8, Jobs: 3}
	other, err := CompareHTML(c, f)
	if err != nil || !bytes.Equal(other, []byte(page)) || strings.Contains(page, "/home/me") {
		t.Errorf("the page depends on the machine (%v)", err)
	}
}

// A loss on many seeds is worse, whatever the rows say, and the banner does not speak of rows then.
func TestCompareHTMLBannerOfLosses(t *testing.T) {
	c := comparison(10, "base", "same")
	for i := range c.Rows {
		c.Rows[i].Against[1].Outcome = result.OutcomeNone
	}
	c.Events[0].Against[1] = result.PairedSeeds{More: 9, Outcome: result.OutcomeWorse}
	page := comparePageOf(t, c)
	for _, want := range []string{
		"Worse in some, better in none", "no difference of same from base is shown in any of 5 rows.",
		"acknowledged, lost: more with same than with base on 9 seeds, fewer on none.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}
