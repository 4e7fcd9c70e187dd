package experiment

import (
	"fmt"
	"strings"
	"testing"

	"simrun/internal/result"
	"simrun/sim"
)

// Goal: "return to baseline" is the end of the last window that is worse than the worst of "before" and has a
// neighbour that is; nil if that is the last one. Method: windows of a second by hand: success of 10 answers,
// p99 in ms, sends to the struck broker of 10.
func TestBaseline(t *testing.T) {
	const before = "10/5/5 9/6/4 10/5/6 "
	for _, tt := range []struct{ name, windows, want string }{
		{"at once", before + "0/9/0 10/5/5 10/6/5 9/4/4", "0s 0s 0s"},
		{"two bad seconds after it", before + "0/9/0 8/9/0 8/7/3 10/5/5 10/5/4", "2s 2s 2s"},
		{"the first may be alone: the fault was before it", before + "0/9/0 8/5/5 10/5/5 10/5/5", "1s 0s 0s"},
		{"one alone is chance", before + "0/9/0 10/5/5 8/9/3 10/5/5 10/5/5", "0s 0s 0s"},
		{"two together are not", before + "0/9/0 10/5/5 8/9/3 8/9/3 10/5/5", "3s 3s 3s"},
		{"not in this run", before + "0/9/0 10/5/5 8/9/3 8/9/3", strings.Repeat("never ", 3)},
		{"only the share is missing", before + "0/9/0 10/5/3 10/5/3 10/5/3", "0s 0s never"},
		{"nobody is answered", before + "0/9/0 - - 10/5/5 10/5/5", "2s 2s 2s"},
		{"nothing to compare with", "0/9/0 10/5/5", strings.Repeat("never ", 3)},
	} {
		run := windowsByHand(tt.windows)
		if tt.name == "nothing to compare with" {
			run.Phases = nil
		}
		got := baseline(run, &run.Faults[0], []int{0})
		text := ""
		for _, d := range []*int64{got.SuccessNS, got.P99NS, got.ShareNS} {
			if d == nil {
				text += "never "
			} else {
				text += ns(*d).String() + " "
			}
		}
		if strings.TrimSpace(text) != strings.TrimSpace(tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}

// windowsByHand has "before" for the first three seconds and the fault for the fourth.
func windowsByHand(text string) *result.Run {
	const second = int64(sim.Second)
	run := &result.Run{
		Phases: []result.Phase{{Name: result.PhaseBefore, ToNS: 3 * second}},
		Faults: []result.Fault{{Name: "cut", Began: true, FromNS: 3 * second, ToNS: 4 * second}},
	}
	run.Series.WindowNS = second
	words := strings.Fields(text)
	if len(words) < 4 {
		run.Faults[0].FromNS, run.Faults[0].ToNS = 0, second
	}
	for i, w := range words {
		win := result.Window{FromNS: int64(i) * second, Scheduled: 10, Sends: []int64{0, 0}}
		var ok, p99, sends int64
		if n, _ := fmt.Sscanf(w, "%d/%d/%d", &ok, &p99, &sends); n == 3 {
			win.N, win.Failed, win.P99NS, win.Sends = 10, 10-ok, p99, []int64{sends, 10 - sends}
		}
		run.Series.Windows = append(run.Series.Windows, win)
	}
	run.SimulatedNS = int64(len(words)) * second
	return run
}

// Goal: nothing is said of a fault that did not end in the run, or while another goes on; the next fault ends
// the look.
func TestBaselineOfSeveralFaults(t *testing.T) {
	run := windowsByHand("10/5/5 10/5/5 10/5/5 0/9/0 9/5/5 10/5/5 0/9/0 0/9/0")
	if got := baseline(run, &result.Fault{Began: true, FromNS: 3e9, ToNS: run.SimulatedNS}, nil); got != nil {
		t.Errorf("a fault without an end: %+v", got)
	}
	run.Faults = append(run.Faults, result.Fault{Name: "again", Began: true, FromNS: 6e9, ToNS: 8e9})
	got := baseline(run, &run.Faults[0], nil)
	if got.SuccessNS == nil || *got.SuccessNS != 1e9 || got.ShareNS != nil {
		t.Errorf("before the next fault: %+v", got)
	}
	run.Faults[1].FromNS = 1e9
	if got := baseline(run, &run.Faults[0], nil); *got != (result.Baseline{Reason: result.BaselineOtherFault}) {
		t.Errorf("while another goes on: %+v", got)
	}
	run.Faults[1].FromNS, run.Phases = 6e9, nil
	if got := baseline(run, &run.Faults[0], nil); *got != (result.Baseline{Reason: result.BaselineNoBefore}) {
		t.Errorf("without a phase before: %+v", got)
	}
}
