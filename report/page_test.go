package report

import (
	"slices"
	"strings"
	"testing"

	"simrun/internal/result"
)

// Goal: a line is never broken within a number, at the blanks between its groups of digits (ux.md 2.3).
func TestNumbersAreNotBroken(t *testing.T) {
	for text, want := range map[string][]string{
		"a 10 865, b 17 009, c": {"a", "10 865,", "b", "17 009,", "c"},
		"of 1 234 567 messages": {"of", "1 234 567", "messages"},
		"(5 120) at 80 s":       {"(5 120)", "at", "80", "s"},
		"share 7.3 412 in 2026": {"share", "7.3", "412", "in", "2026"},
		"×1 000; 2026 100":      {"×1 000;", "2026", "100"},
	} {
		if got := breakable(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
	p := &page{opt: TextOptions{Width: 40}}
	p.wrapped("", "attempts for want of another broker: b 17 009", 2, plain)
	if got, want := p.b.String(), "attempts for want of another broker: b\n  17 009\n"; got != want {
		t.Errorf("%q", got)
	}
}

// Goal: a phase without messages has no column of dashes, but a word.
func TestEmptyPhaseHasNoColumn(t *testing.T) {
	r := &result.Run{Complete: true}
	for i, n := range []int64{10, 0, 10} {
		name := []string{"before", "recovery.stop", result.PhaseAll}[i]
		r.Phases = append(r.Phases, result.Phase{Name: name, ToNS: 1e9})
		r.Stats = append(r.Stats, result.Stats{Phase: name, Dim: result.DimAll, Messages: n})
	}
	p := &page{opt: TextOptions{Width: 80}}
	p.phases(r)
	if got := p.b.String(); !strings.Contains(got, "no message counts in recovery.stop (0–1 s)") ||
		strings.Count(got, "recovery.stop") != 1 {
		t.Error(got)
	}
}

// Goal: where another fault went on, or nothing is there to compare with, it is not said that all was "not
// back to what was before".
func TestBaselineReason(t *testing.T) {
	r := &result.Run{SimulatedNS: 10}
	f := result.Fault{ToNS: 5, Baseline: &result.Baseline{}}
	if got := baselineWords(r, f); got != "not back to what was before, in this run" {
		t.Error(got)
	}
	f.Baseline.Reason = result.BaselineOtherFault
	if got := baselineWords(r, f); !strings.HasSuffix(got, "can't be told: another fault went on") {
		t.Error(got)
	}
}

// Goal: lanes of avoidance that can only be empty are left out.
func TestTimelineWithoutAvoidance(t *testing.T) {
	r := &result.Run{SimulatedNS: 1e9}
	r.Setup.Producers = []result.SetupProducer{{Count: 1}}
	r.Series.Windows = []result.Window{{Routed: []float64{1}, Brokers: []result.BrokerWindow{{Utilisation: 1}}}}
	if newTimeline(r).avoids() {
		t.Error("avoidance is off and no route changes")
	}
	r.Series.Windows[0].Routed[0] = 0.5
	if !newTimeline(r).avoids() {
		t.Error("a route changes")
	}
}
