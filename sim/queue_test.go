package sim

import (
	"math/rand/v2"
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

// runMany lets the number of pending events rise and fall a few times.
func runMany(t *testing.T, delay func(*rand.Rand) Time, rng *rand.Rand) {
	r := newReference(3)
	grow := true
	r.during = func() {
		n := rng.IntN(2)
		if grow {
			n = rng.IntN(4)
		}
		for range n {
			at, prio := r.now.Add(Duration(delay(rng))), Priority(rng.IntN(4))
			switch rng.IntN(4) {
			case 0:
				r.start(at, prio)
			case 1:
				r.startIn(rng.IntN(3), at, prio)
			default:
				r.at(at, prio)
			}
		}
		for range rng.IntN(2) {
			r.stop(max(0, len(r.timers)-1-rng.IntN(100)))
		}
		switch len(r.pending) {
		case 1000:
			grow = false
		case 10:
			grow = true
		}
	}
	for range 40 {
		r.at(r.now.Add(Duration(delay(rng))), PrioTimer)
	}
	for range 6000 {
		r.step()
	}
	r.during = func() {}
	r.runUntil(Never)
	if len(r.pending) > 0 || len(r.errors) > 0 {
		t.Fatalf("%d events left; %d errors, the first: %v", len(r.pending), len(r.errors),
			append(r.errors, "none")[0])
	}
}
