package sim

import (
	"fmt"
	"testing"
)

// BenchmarkHold executes events of which each schedules another one, with N pending. An
// operation is one event, with the sampling of its delay.
func BenchmarkHold(b *testing.B) {
	exponential := must(Exponential(Second))
	for _, bc := range []struct {
		name  string
		delay Sampler
	}{
		{"exponential", exponential},
		{"uniform", must(Uniform(0*Second, 2*Second))},
		{"constant", must(Constant(Second))},
		{"bimodal", must(Mixture([]float64{9, 1},
			[]Sampler{must(Scaled(exponential, 0.001)), exponential}))},
		{"pareto", must(Pareto(100*Millisecond, 1.1))},
	} {
		for _, pending := range []int{1, 10, 30, 100, 1000, 10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", bc.name, pending), func(b *testing.B) {
				h := newHold(pending, bc.delay)
				for range pending {
					h.engine.Step()
				}
				b.ReportAllocs()
				for b.Loop() {
					h.engine.Step()
				}
			})
		}
	}
}

// BenchmarkTimeout starts a timeout of three seconds for a request of one millisecond and
// stops it, in a lane and in the queue of the engine, at 10,000 requests per second.
func BenchmarkTimeout(b *testing.B) {
	const gap = 100 * Microsecond
	run := func(b *testing.B, e *Engine, start func(i uint32) Timer) {
		var timers [10]Timer
		b.ReportAllocs()
		i := uint32(0)
		for b.Loop() {
			tm := &timers[i%10]
			e.Stop(*tm)
			*tm = start(i)
			i++
			if err := e.RunUntil(e.Now().Add(gap)); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("lane", func(b *testing.B) {
		e := New()
		id, l := e.Register(discard{}), e.NewLane()
		run(b, e, func(i uint32) Timer {
			return l.Start(e.Now().Add(3*Second), PrioTimer, id, 0, i)
		})
	})
	b.Run("queue", func(b *testing.B) {
		e := New()
		id := e.Register(discard{})
		run(b, e, func(i uint32) Timer {
			return e.StartTimer(e.Now().Add(3*Second), PrioTimer, id, 0, i)
		})
	})
}

// sink keeps results alive.
var sink int64

func BenchmarkKey(b *testing.B) {
	i := uint64(0)
	for b.Loop() {
		d := Key(1, 2, 3, i, 0)
		sink += int64(d.Uint64())
		i++
	}
}

func BenchmarkStream(b *testing.B) {
	s := NewStream(1, 2, 3, 4)
	for b.Loop() {
		sink += int64(s.Int31n(7))
	}
}

// BenchmarkSampler includes making the key of the draw.
func BenchmarkSampler(b *testing.B) {
	for _, s := range goldenSamplers() {
		b.Run(s.String(), func(b *testing.B) {
			var draw Draw
			i := uint64(0)
			for b.Loop() {
				draw = Key(1, 2, 3, i, 0)
				sink += s.Sample(&draw)
				i++
			}
		})
	}
}
