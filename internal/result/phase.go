package result

// Names of phases.
const (
	PhaseWarmup    = "warm-up"
	PhaseBefore    = "before"
	PhaseAll       = "all"
	FaultPrefix    = "fault."
	RecoveryPrefix = "recovery."
)
