package main

import (
	"math/rand/v2"
	"time"

	"simrun/sim"
)

// The hold model: a fixed number of events is pending, and each one that is executed
// schedules another after an exponential delay. It measures the queue and little else.

// holdMean is the mean delay.
const holdMean = time.Second

// newHoldRand returns the source of delays, the same for both sides.
func newHoldRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func holdDelay(r *rand.Rand) time.Duration {
	return time.Duration(r.ExpFloat64() * float64(holdMean))
}

// boxedHold is the hold model on the boxed engine.
type boxedHold struct {
	engine boxedEngine
	rand   *rand.Rand
}

func newBoxedHold(pending int) *boxedHold {
	h := &boxedHold{rand: newHoldRand()}
	for i := range pending {
		h.Handle(0, i)
	}
	return h
}

func (h *boxedHold) Handle(kind, who int) {
	h.engine.after(holdDelay(h.rand), h, kind, who)
}

func (h *boxedHold) run(events int) { h.engine.run(events) }

// simHold is the hold model on sim.
type simHold struct {
	engine *sim.Engine
	id     sim.HandlerID
	rand   *rand.Rand
	left   int // events until the run ends
}

func newSimHold(pending int) *simHold {
	h := &simHold{engine: sim.New(), rand: newHoldRand()}
	h.id = h.engine.Register(h)
	for i := range pending {
		h.engine.After(holdDelay(h.rand), sim.PrioTimer, h.id, 0, uint32(i))
	}
	return h
}

func (h *simHold) Handle(kind uint16, index uint32) {
	h.engine.After(holdDelay(h.rand), sim.PrioTimer, h.id, kind, index)
	if h.left--; h.left == 0 {
		h.engine.Halt()
	}
}

func (h *simHold) run(events int) {
	h.left = events
	if err := h.engine.RunUntil(sim.Never); err != nil {
		panic(err) // delays are not zero
	}
}
