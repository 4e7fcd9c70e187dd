package report

import (
	"path/filepath"
	"strings"
	"testing"

	"simrun/internal/result"
)

func sweepPageOf(t *testing.T, s *result.Sweep) string {
	t.Helper()
	m := pageInput().Manifest
	data, err := SweepHTML(s, m)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A page is well-formed, below 2 MB, and what it refers to is in it: ux.md, "no network, opens from disk".
func TestSweepHTMLIsWhole(t *testing.T) {
	worlds := sweepWorlds()
	for _, world := range []string{"scales", "line", "large", "latin", "long-names", "interrupted"} {
		t.Run(world, func(t *testing.T) {
			page := sweepPageOf(t, worlds[world])
			checkPage(t, page)
			if strings.Contains(page, "/home/me") {
				t.Error("the page has a path of the machine")
			}
		})
	}
}

func TestSweepHTMLGolden(t *testing.T) {
	page := pageFigure.ReplaceAllString(sweepPageOf(t, scaleSweep()), "<svg></svg>")
	_, page, _ = strings.Cut(page, "</style>")
	golden(t, filepath.Join("testdata", "sweep", "scales", "report.html"), []byte(page))
}

// Nothing that a scenario says becomes markup.
func TestSweepHTMLEscapes(t *testing.T) {
	const evil = `</title></style><script>alert(1)</script>"'&<b>`
	s := scaleSweep()
	s.Scenario, s.Story, s.Warnings = evil, evil, []string{evil}
	s.Axes[0].Param, s.Points[0].Set = evil, []string{evil}
	s.Metrics[3].Fault = evil
	page := sweepPageOf(t, s)
	checkPage(t, page)
	if n := strings.Count(page, "<script"); n != 1 || strings.Contains(page, "<b>") {
		t.Errorf("%d scripts", n)
	}
}

// Numbers on the colours of a heat map can be read: WCAG 2.2 asks for 4.5 to 1.
func TestNumbersOnColoursStandOut(t *testing.T) {
	for x := 0.0; x <= 1.2; x += 0.01 {
		c := rampAt(x)
		if got := contrast(inkOn(c), c); got < 4.5 {
			t.Errorf("at %.2f the contrast is %.2f", x, got)
		}
	}
}
