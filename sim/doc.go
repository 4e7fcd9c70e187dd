// Package sim is a small library for discrete-event simulation: a virtual
// clock, an event queue in a total order, timers that can be stopped, random
// draws that are keyed by what they belong to, and samplers of the usual
// distributions. It knows nothing of what is simulated.
//
// A simulation is a set of handlers that schedule events for each other:
//
//	e := sim.New()
//	var tick func()
//	tick = func() {
//		fmt.Println(e.Now(), "tick")
//		e.Func(e.Now().Add(2*sim.Second), sim.PrioTimer, tick)
//	}
//	e.Func(0, sim.PrioTimer, tick)
//	e.RunUntil(sim.Time(5 * sim.Second))
//	fmt.Println(e.Now(), "end")
//
// prints
//
//	0s tick
//	2s tick
//	4s tick
//	5s end
//
// Closures are for examples, tests and rare events. A model registers a
// [Handler] and schedules small events of its own: a kind, which says what
// happens, and an index, which says to whom. Such events are values without
// pointers, and scheduling and running them allocates nothing.
//
// # Order
//
// Events run in the order of (time, priority, sequence), where the sequence is
// the order in which they were scheduled. No two events compare equal, so a run
// is a function of its inputs alone: the package reads no clock and no global
// random source, starts no goroutine and keeps no map.
//
// # Randomness
//
// [Key] makes a [Draw] from a seed, a purpose and up to three numbers that say
// what the draw belongs to, say instance, message and attempt. The draw is the
// same whenever and in whatever order it is made, so that two variants of a
// system that run on one seed give the same message the same luck. A [Stream]
// is a plain sequence for the places where the simulated program itself reads
// one.
//
// The samplers and the elementary functions below them use only operations that
// IEEE 754 rounds exactly (+, −, ×, ÷, √), and never leave a product where the
// compiler could fuse it with a sum, so that every architecture draws the same
// numbers.
package sim
