package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOrder is the law of the engine: whatever is scheduled and stopped, before a run or
// during it, events come in the order of (time, priority, sequence).
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newReference(2)
		scale := rapid.Uint64Range(0, 40).Draw(t, "scale")
		delay := rapid.OneOf(
			rapid.Just(uint64(0)),
			rapid.Uint64Range(0, 3), // ties
			rapid.Uint64Range(0, 1<<scale),
		)
		when := func() Time { return r.engine.Now() + Time(delay.Draw(t, "delay")) }
		prio := rapid.Map(rapid.Uint8Range(0, 3), func(p uint8) Priority { return Priority(p) })
		number := rapid.IntRange(0, 1<<20)
		schedule := map[string]func(*rapid.T){
			"at":    func(t *rapid.T) { r.at(when(), prio.Draw(t, "prio")) },
			"start": func(t *rapid.T) { r.start(when(), prio.Draw(t, "prio")) },
			"lane": func(t *rapid.T) {
				r.startIn(number.Draw(t, "lane"), when(), prio.Draw(t, "prio"))
			},
			"stop": func(t *rapid.T) { r.stop(number.Draw(t, "timer")) },
		}
		names := []string{"at", "start", "lane", "stop"}
		r.during = func() {
			for range rapid.IntRange(0, 1).Draw(t, "inside") {
				schedule[rapid.SampledFrom(names).Draw(t, "op")](t)
			}
		}
		actions := map[string]func(*rapid.T){
			"step":  func(*rapid.T) { r.step() },
			"until": func(*rapid.T) { r.runUntil(when()) },
			"peek":  func(*rapid.T) { r.peek() },
			"": func(t *rapid.T) {
				r.checkPending()
				if len(r.errors) > 0 {
					t.Fatal(r.errors[0])
				}
			},
		}
		for _, name := range names {
			actions[name] = schedule[name]
		}
		t.Repeat(actions)
		r.during = func() {}
		r.runUntil(Never)
		if len(r.pending) > 0 || len(r.errors) > 0 {
			t.Fatalf("%d events left; %v", len(r.pending), r.errors)
		}
	})
}

// TestOrderOfMany puts enough into the queue to use all its parts: slots that are split
// several times, crowds at one instant, an edge that has to move back.
func TestOrderOfMany(t *testing.T) {
	for _, tc := range []struct {
		name  string
		delay func(*rand.Rand) Time
	}{
		{"exponential", func(r *rand.Rand) Time { return Time(r.ExpFloat64() * 1e6) }},
		{"ties", func(r *rand.Rand) Time { return Time(r.IntN(3)) }},
		{"far and near", func(r *rand.Rand) Time {
			return Time(r.IntN(50)) + Time(r.IntN(2))*Time(Hour)
		}},
		{"all scales", func(r *rand.Rand) Time { return Time(r.Uint64() >> (6 + r.IntN(57))) }},
		{"even", func(*rand.Rand) Time { return 1000 }},
		{"bursts", func(r *rand.Rand) Time {
			if r.IntN(100) == 0 {
				return Time(r.IntN(1000)) * Time(Millisecond)
			}
			return 0
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range uint64(4) {
				runMany(t, tc.delay, rand.New(rand.NewPCG(seed, 1)))
			}
		})
	}
}

// runMany lets the number of pending events rise and fall a few times, and schedules from
// outside as well: forwards, backwards, and after having looked ahead.
func runMany(t *testing.T, delay func(*rand.Rand) Time, rng *rand.Rand) {
	r := newReference(3)
	grow := true
	schedule := func(at Time) {
		switch prio := Priority(rng.IntN(4)); rng.IntN(4) {
		case 0:
			r.start(at, prio)
		case 1:
			r.startIn(rng.IntN(3), at, prio)
		default:
			r.at(at, prio)
		}
	}
	r.during = func() {
		n := rng.IntN(2)
		if grow {
			n = rng.IntN(4)
		}
		for range n {
			schedule(r.now.Add(Duration(delay(rng))))
		}
		for range rng.IntN(2) {
			r.stop(max(0, len(r.timers)-1-rng.IntN(100)))
		}
		if rng.IntN(4) == 0 {
			r.peek()
		}
		if n := len(r.pending); n >= 1000 || n <= 10 {
			grow = n <= 10
		}
	}
	for range 30 {
		at := r.now.Add(Duration(delay(rng)))
		for range rng.IntN(300) {
			schedule(at)
			at -= (at - r.now) / Time(1+rng.IntN(100))
		}
		r.peek()
		for range rng.IntN(300) {
			schedule(r.now.Add(Duration(delay(rng))))
		}
		r.checkQueue()
		for range rng.IntN(300) {
			r.step()
		}
		if len(r.pending) < 1000 {
			r.runUntil(r.now.Add(Duration(delay(rng) / 16)))
		}
		r.checkQueue()
	}
	r.during = func() {}
	r.runUntil(Never)
	if len(r.pending) > 0 || len(r.errors) > 0 {
		t.Fatalf("%d events left; %d errors, the first: %v", len(r.pending), len(r.errors),
			append(r.errors, "none")[0])
	}
}

// TestLookAhead schedules a cluster of events far away, looks at the first of them, upon
// which the queue has them at hand, and then schedules many before them.
func TestLookAhead(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		r := newReference(1)
		far := Time(rng.Uint64() >> (2 + rng.IntN(30)))
		r.at(1, PrioTimer)
		for range 200 {
			r.at(far+Time(rng.Uint64()>>(34+rng.IntN(30))), PrioTimer)
		}
		r.runUntil(1) // only the cluster is left
		r.peek()
		for range 400 {
			r.at(1+Time(rng.Uint64N(uint64(far))>>rng.IntN(20)), PrioTimer)
		}
		r.checkQueue()
		r.runUntil(Never)
		if len(r.pending) > 0 || len(r.errors) > 0 {
			t.Fatalf("seed %d: %d events left; %v", seed, len(r.pending), r.errors)
		}
	}
}

// TestCrowd has so much happen at one instant that it does not fit into the sorted part of
// the queue, the first of it last.
func TestCrowd(t *testing.T) {
	r := newReference(1)
	const instant = Time(Second)
	for i := range 1000 {
		r.at(instant, Priority(3-i/250))
	}
	r.checkQueue()
	r.runUntil(instant - 1)
	if len(r.pending) != 1000 {
		t.Errorf("%d events came before their time", 1000-len(r.pending))
	}
	r.runUntil(instant)
	if len(r.pending) > 0 || len(r.errors) > 0 {
		t.Fatalf("%d events left; %v", len(r.pending), r.errors)
	}
}

// checkQueue looks at the invariants that the parts of the queue rely on.
func (r *reference) checkQueue() {
	q := &r.engine.queue
	if !slices.IsSortedFunc(q.run[q.head:], func(a, b event) int { return b.less(a) - a.less(b) }) {
		r.failf("run is not sorted at %v: %v", r.now, q.run[q.head:])
	}
	stale := 0
	for _, ev := range q.entries() {
		if ev.act.handler() == viaTimer && !r.engine.timers.live(ev.act.index(), ev.rank) {
			stale++
		}
	}
	if r.engine.stale != stale {
		r.failf("%d stale entries are known at %v, there are %d", r.engine.stale, r.now, stale)
	}
	w := &q.wheel
	for level := range w.slots {
		for digit, s := range w.slots[level] {
			p, n := place{uint(level), uint(digit)}, 0
			start, end := p.span(q.edge)
			for c := s.head; c != nil; c = c.next {
				for _, ev := range c.events[:c.n] {
					n++
					if ev.at <= q.edge || ev.at < start || ev.at > end {
						r.failf("%v is in the slot %v from %v to %v, edge %v",
							ev.at, p, start, end, q.edge)
					}
				}
			}
			if on := w.digits[level]>>digit&1 == 1; n != s.count || on != (n > 0) {
				r.failf("slot %v holds %d events, counts %d, is in use: %v", p, n, s.count, on)
			}
		}
		if on := w.levels>>level&1 == 1; on != (w.digits[level] != 0) {
			r.failf("level %d is in use: %v", level, on)
		}
	}
}

// entries returns all of a queue, in no particular order.
func (q *queue) entries() []event {
	all := slices.Concat(q.run[q.head:], q.crowd)
	for _, level := range q.wheel.slots {
		for _, s := range level {
			for c := s.head; c != nil; c = c.next {
				all = append(all, c.events[:c.n]...)
			}
		}
	}
	return all
}
