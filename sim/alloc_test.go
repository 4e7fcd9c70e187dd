package sim

import (
	"math"
	"testing"
)

// noAllocs runs f until everything has grown to its size, and then sees that it doesn't
// allocate.
func noAllocs(t *testing.T, name string, f func()) {
	t.Helper()
	thousand := func() {
		for range 1000 {
			f()
		}
	}
	for range 200 {
		thousand()
	}
	if n := testing.AllocsPerRun(20, thousand); n != 0 {
		t.Errorf("%s: %v allocations in a thousand", name, n)
	}
}

// hold is the hold model: each event schedules another one after a random time.
type hold struct {
	engine *Engine
	id     HandlerID
	delay  Sampler
	draw   Draw
}

func newHold(pending int, delay Sampler) *hold {
	h := &hold{engine: New(), delay: delay, draw: Key(1, 2, 3, 4, 5)}
	h.id = h.engine.Register(h)
	for i := range pending {
		h.Handle(0, uint32(i))
	}
	return h
}

func (h *hold) Handle(kind uint16, index uint32) {
	h.engine.After(Duration(h.delay.Sample(&h.draw)), PrioTimer, h.id, kind, index)
}

func TestNoAllocations(t *testing.T) {
	for _, pending := range []int{1, 30, 1000} {
		h := newHold(pending, must(Exponential(Millisecond)))
		noAllocs(t, "Step and After", func() { h.engine.Step() })
	}
	e := New()
	id := e.Register(discard{})
	l := e.NewLane()
	i := uint32(0)
	var tm, in [64]Timer
	noAllocs(t, "StartTimer, Lane.Start and Stop", func() {
		i++
		e.Stop(tm[i%64])
		e.Stop(in[i%64])
		tm[i%64] = e.StartTimer(e.Now().Add(Duration(i%1000)*Millisecond), PrioTimer, id, 0, i)
		in[i%64] = l.Start(e.Now().Add(Second), PrioTimer, id, 0, i)
		if err := e.RunUntil(e.Now() + 10_000); err != nil {
			t.Fatal(err)
		}
		if _, ok := e.Peek(); !ok {
			t.Fatal("nothing is pending")
		}
	})
	var draw Draw
	for _, th := range theories() {
		noAllocs(t, th.sampler.String(), func() {
			i++
			draw = Key(1, 2, 3, uint64(i), 0)
			th.sampler.Sample(&draw)
		})
	}
	s := NewStream(1, 2, 3, 4)
	noAllocs(t, "Stream", func() { s.Int31n(7 + s.Int32()&math.MaxInt16) })
}
