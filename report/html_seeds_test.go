package report

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"simrun/internal/result"
)

func seedsPageOf(t *testing.T, set *result.SeedSet) string {
	t.Helper()
	data, err := SeedsHTML(set, pageInput())
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every page of a set is well-formed and has all in itself: of many seeds, one, without faults or
// expectations, and of one that lacks seeds.
func TestSeedsHTMLIsWhole(t *testing.T) {
	bare := setOf(nineSeeds()...)
	bare.Expectations, bare.Faults, bare.Curves, bare.Spectra = nil, nil, nil, nil
	bare.Warnings = []string{"a doubt"}
	cut := setOf(nineSeeds()...)
	cut.Asked, cut.Complete = 12, false
	for name, set := range map[string]*result.SeedSet{
		"nine": setOf(nineSeeds()...), "one": setOf(nineSeeds()[:1]...), "bare": bare, "cut": cut,
		"no-answer": setOf(fixture(world{seed: 1}), fixture(world{seed: 2})),
	} {
		t.Run(name, func(t *testing.T) { checkPage(t, seedsPageOf(t, set)) })
	}
}

func TestSeedsHTMLGolden(t *testing.T) {
	page := pageFigure.ReplaceAllString(seedsPageOf(t, setOf(nineSeeds()...)), "<svg></svg>")
	_, page, _ = strings.Cut(page, "</style>")
	golden(t, filepath.Join("testdata", "seeds", "report.html"), []byte(page))
}

// The verdict comes first, then how often what should not happen did, in the worst seed, too; a seed that
// fails an expectation is named.
func TestSeedsHTMLSaysWhatMatters(t *testing.T) {
	page := seedsPageOf(t, setOf(nineSeeds()...))
	at := -1
	for _, want := range []string{
		"Failed", "Sends failed on 9 of 9 seeds", "The numbers that matter", "Failed sends", "p99 latency",
		"in fault.power-cut", "Time to avoid", "8 of 9 seeds", "fails on 4", `id="seeds">`, "seed 10",
		`id="figures">`, `id="phases">`, `id="events">`, `id="limits">`, `id="configuration">`,
		`id="definitions">`, "simrun verify .", "simrun report ../s", "1..8,10",
	} {
		next := strings.Index(page[at+1:], want)
		if next < 0 {
			t.Errorf("no %q after the %d bytes before it", want, at)
			continue
		}
		at += 1 + next
	}
}

// Labels that go on under the one above are whole: the rows of a phase stand below a heading.
func TestSeedsHTMLHasWholeLabels(t *testing.T) {
	page := seedsPageOf(t, setOf(nineSeeds()...))
	_, table, _ := strings.Cut(page, "by phase")
	table, _, _ = strings.Cut(table, "</table>")
	known := map[string]bool{}
	for _, m := range seedMetrics {
		known[strings.TrimSpace(m.label)] = true
		known["latency "+strings.TrimSpace(m.label)] = true
	}
	labels := regexp.MustCompile(`<th scope="row"[^>]*>([^<]*)<`).FindAllStringSubmatch(table, -1)
	for _, label := range labels {
		if !known[label[1]] {
			t.Errorf("label %q", label[1])
		}
	}
	if !strings.Contains(table, `<th scope="row" class="sub">latency p99.9<`) {
		t.Errorf("no latency p99.9 among %q", labels)
	}
}

// Nothing that a scenario says becomes markup, and nothing of the machine is told.
func TestSeedsHTMLEscapes(t *testing.T) {
	const evil = `</title></style><script>alert(1)</script>"'&<b>`
	set := setOf(nineSeeds()...)
	set.Scenario, set.Variant, set.Story = evil, evil, evil
	set.Warnings, set.NotModelled = []string{evil}, []string{evil}
	set.Expectations[0].Rule.Name = evil
	page := seedsPageOf(t, set)
	checkPage(t, page)
	if n := strings.Count(page, "<script"); n != 1 || strings.Contains(page, "<b>") {
		t.Errorf("%d scripts", n)
	}
	f := pageInput()
	f.Manifest.Host = result.Host{ScenarioPath: "/other/y.toml", ResultsPath: "/other", WallNS: 8, Jobs: 3}
	other, err := SeedsHTML(set, f)
	if err != nil || !bytes.Equal(other, []byte(page)) || strings.Contains(page, "/home/me") {
		t.Errorf("the page depends on the machine (%v)", err)
	}
}
