package sim

import (
	"math/rand/v2"
	"testing"
)

// TestMostlyStopped starts timers over all scales of time, or all at one instant, and stops
// nearly all of them, so that the queue is swept again and again; then it looks at what is
// left.
func TestMostlyStopped(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		r := newReference(1)
		for i := range 3000 {
			at := r.now
			if seed%2 == 0 {
				at += Time(rng.Uint64() >> (20 + rng.IntN(43)))
			}
			switch rng.IntN(20) {
			case 0:
				r.at(at, Priority(rng.IntN(4)))
			case 1:
				r.step()
			default:
				r.start(at, Priority(rng.IntN(4)))
				r.stop(len(r.timers) - 1 - rng.IntN(min(len(r.timers), 30)))
			}
			if n := len(r.engine.queue.entries()); n > 2*len(r.pending)+sweepMin+1 {
				t.Fatalf("%d entries for %d events", n, len(r.pending))
			}
			if i%10 == 0 {
				r.checkQueue()
			}
		}
		r.runUntil(Never)
		if len(r.pending) > 0 || len(r.errors) > 0 {
			t.Fatalf("%d events left; %v", len(r.pending), r.errors)
		}
	}
}

// discard is a handler that does nothing.
type discard struct{}

func (discard) Handle(uint16, uint32) {}

// TestLaneMemory has a million timeouts of which one in a thousand fires: what is kept
// depends on how many are pending, not on how many were started or how long they would
// have taken.
func TestLaneMemory(t *testing.T) {
	e := New()
	id := e.Register(discard{})
	l := e.NewLane()
	var pending [100]Timer
	for i := range 1_000_000 {
		slot := &pending[i%len(pending)]
		if i%1000 != 0 {
			e.Stop(*slot)
		}
		*slot = l.Start(e.Now().Add(3*Second), PrioTimer, id, 0, uint32(i))
		if err := e.RunUntil(e.Now().Add(100 * Microsecond)); err != nil {
			t.Fatal(err)
		}
	}
	// In three seconds of 30,000 starts, about 30 are left to fire.
	if len(l.ring) > 512 || len(e.timers.slots) > 200 || len(e.queue.entries()) > 1 {
		t.Errorf("ring of %d, %d slots, %d entries in the queue, for %d pending timers",
			len(l.ring), len(e.timers.slots), len(e.queue.entries()), e.Pending())
	}
	if got := e.Executed(); got < 900 || got > 1000 {
		t.Errorf("%d timers fired", got)
	}
}

// TestLaneGrows has all timers fire, with more of them pending than a new ring can hold
// and the ring's beginning somewhere inside.
func TestLaneGrows(t *testing.T) {
	r := newReference(1)
	for i := range 50 {
		r.startIn(0, Time(i), PrioTimer)
	}
	r.runUntil(30)
	for i := range 1000 {
		r.startIn(0, Time(100+i/2), PrioTimer)
	}
	r.runUntil(Never)
	if len(r.pending) > 0 || len(r.errors) > 0 {
		t.Fatalf("%d events left; %v", len(r.pending), r.errors)
	}
	if n := len(r.engine.timers.slots); n > 1100 || len(r.lanes[0].ring) != 1024 {
		t.Errorf("ring of %d, %d slots", len(r.lanes[0].ring), n)
	}
}
