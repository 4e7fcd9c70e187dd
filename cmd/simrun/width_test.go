package main

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
	"simrun/scenarios"
)

// "80-column terminal doesn't wrap tables", of any shipped scenario; on narrower ones tables are cut into
// parts and words wrap. The scenarios run at a hundredth of their rates: names, phases and rules are theirs.
func TestShippedSummariesFit(t *testing.T) {
	for _, info := range scenarios.List() {
		t.Run(info.Name, func(t *testing.T) {
			t.Parallel()
			sc, err := scenarios.Load(info.Name, scenarios.Options{Set: sparser(t, info.Name)})
			if err != nil {
				t.Fatal(err)
			}
			run, err := experiment.Run(context.Background(), sc, experiment.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, width := range []int{80, 60, 40} {
				var b bytes.Buffer
				opt := report.TextOptions{Width: width}
				if err := report.Summary(&b, run, opt); err != nil {
					t.Fatal(err)
				}
				if err := report.SeedsText(&b, ensemble.SetOf([]*result.Run{run, run}), opt); err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(b.String()) {
					if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
						t.Errorf("%d of %d columns: %s", n, width, line)
					}
				}
			}
		})
	}
}

// sparser are the changes that bring every rate of a scenario to a hundredth.
func sparser(t *testing.T, name string) []string {
	t.Helper()
	sc, err := scenarios.Load(name, scenarios.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var set []string
	for _, p := range sc.Setup.Producers {
		if p.Rate > 0 {
			set = append(set, "producer."+p.Name+".rate=\""+strconv.Itoa(int(max(1, p.Rate/100)))+"/s\"")
		}
	}
	return set
}
