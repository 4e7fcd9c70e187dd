package result

import (
	"cmp"
	"strings"
)

// Names of phases.
const (
	PhaseWarmup    = "warm-up"
	PhaseBefore    = "before"
	PhaseAll       = "all"
	FaultPrefix    = "fault."
	RecoveryPrefix = "recovery."
)

// IsFault says whether the phase is the time of a fault.
func (p Phase) IsFault() bool { return strings.HasPrefix(p.Name, FaultPrefix) }

// ComparePhases says which of two phases owns an instant that both contain, where messages and
// attempts count: p if the result is positive, q if it is negative. The warm-up goes before faults,
// faults before the rest, and of two alike the one that began last. pBegan and qBegan are when they
// began, in nanoseconds; for a fault that is when it struck, which may be before its phase. 0 means
// that the order of the scenario decides: the later of the two.
func ComparePhases(p, q Phase, pBegan, qBegan int64) int {
	return cmp.Or(cmp.Compare(p.rank(), q.rank()), cmp.Compare(pBegan, qBegan))
}

func (p Phase) rank() int {
	switch {
	case p.Name == PhaseWarmup:
		return 2
	case p.IsFault():
		return 1
	}
	return 0
}
