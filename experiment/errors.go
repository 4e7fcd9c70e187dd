package experiment

import (
	"fmt"

	"simrun/sim"
)

// InternalError is a bug in the simulator: a broken invariant, a panic, a run in which time stands
// still. The scenario, the seed and the commit reproduce it.
type InternalError struct {
	Scenario string
	Seed     uint64
	// At is the virtual time at which it showed.
	At sim.Time
	// Cause says what is wrong, Stack where, if it was a panic.
	Cause error
	Stack []byte
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error in %s, seed %d, at %v: %v", e.Scenario, e.Seed, e.At, e.Cause)
}

// Unwrap returns the cause.
func (e *InternalError) Unwrap() error { return e.Cause }

// bug wraps what a run came to grief on: an error or a recovered panic.
func (r *runner) bug(what any, stack []byte) *InternalError {
	cause, isError := what.(error)
	if !isError {
		cause = fmt.Errorf("%v", what)
	}
	at := sim.Time(0)
	if r.world != nil {
		at = r.world.Now()
	}
	return &InternalError{
		Scenario: r.sc.Name, Seed: r.sc.Config.Seed, At: at, Cause: cause, Stack: stack,
	}
}
