package result

import "testing"

// Which of two phases owns the instant that they share.
func TestComparePhases(t *testing.T) {
	warmup, before := Phase{Name: PhaseWarmup}, Phase{Name: PhaseBefore}
	fault, other := Phase{Name: "fault.x"}, Phase{Name: "fault.y"}
	recovery := Phase{Name: "recovery.x"}
	for _, tt := range []struct {
		p, q           Phase
		pBegan, qBegan int64
		want           int
	}{
		{warmup, fault, 0, 9, +1},
		{fault, recovery, 1, 9, +1},
		{fault, before, 1, 9, +1},
		{fault, other, 1, 9, -1},
		{fault, other, 5, 5, 0},
		{recovery, before, 9, 1, +1},
	} {
		if got := ComparePhases(tt.p, tt.q, tt.pBegan, tt.qBegan); got != tt.want {
			t.Errorf("%s from %d against %s from %d: %d, want %d",
				tt.p.Name, tt.pBegan, tt.q.Name, tt.qBegan, got, tt.want)
		}
		if got := ComparePhases(tt.q, tt.p, tt.qBegan, tt.pBegan); got != -tt.want {
			t.Errorf("%s against %s: %d, want %d", tt.q.Name, tt.p.Name, got, -tt.want)
		}
	}
}
