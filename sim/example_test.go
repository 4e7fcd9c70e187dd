package sim_test

import (
	"fmt"
	"strings"

	"simrun/sim"
)

// The clock stands still while an event runs, and jumps to the next one.
func Example() {
	e := sim.New()
	var tick func()
	tick = func() {
		fmt.Println(e.Now(), "tick")
		e.Func(e.Now().Add(2*sim.Second), sim.PrioTimer, tick)
	}
	e.Func(0, sim.PrioTimer, tick)
	e.RunUntil(sim.Time(5 * sim.Second))
	fmt.Println(e.Now(), "end")
	// Output:
	// 0s tick
	// 2s tick
	// 4s tick
	// 5s end
}

// server is a handler of small events: the kind says what happens, the index to which
// request.
type server struct {
	engine  *sim.Engine
	id      sim.HandlerID
	service sim.Sampler
	draw    sim.Draw // in a field: a local one would be allocated at each call
	seed    uint64
}

const (
	arrive uint16 = iota
	depart
)

const drawService sim.Purpose = 1

func (s *server) Handle(kind uint16, request uint32) {
	fmt.Printf("%-8v request %d %s\n", s.engine.Now(), request, [...]string{"in", "out"}[kind])
	if kind == arrive {
		s.draw = sim.Key(s.seed, drawService, 0, uint64(request), 0)
		took := sim.Duration(s.service.Sample(&s.draw)).Round(sim.Millisecond)
		s.engine.After(took, sim.PrioArrival, s.id, depart, request)
	}
}

// A model registers handlers and schedules events by number, which allocates nothing.
func ExampleHandler() {
	service, err := sim.Exponential(30 * sim.Millisecond)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := &server{engine: sim.New(), service: service, seed: 42}
	s.id = s.engine.Register(s)
	for i := range 3 {
		at := sim.Time(10*sim.Millisecond) * sim.Time(i)
		s.engine.At(at, sim.PrioArrival, s.id, arrive, uint32(i))
	}
	s.engine.RunUntil(sim.Never)
	// Output:
	// 0s       request 0 in
	// 0.01s    request 1 in
	// 0.017s   request 0 out
	// 0.02s    request 2 in
	// 0.022s   request 1 out
	// 0.045s   request 2 out
}

// At one instant the priority decides, and then the order of scheduling.
func ExamplePriority() {
	e := sim.New()
	say := func(s string) func() { return func() { fmt.Println(e.Now(), s) } }
	e.Func(sim.Time(sim.Second), sim.PrioTimer, say("timer"))
	e.Func(sim.Time(sim.Second), sim.PrioArrival, say("first arrival"))
	e.Func(sim.Time(sim.Second), sim.PrioArrival, say("second arrival"))
	e.Func(sim.Time(sim.Second), sim.PrioFault, say("fault"))
	e.RunUntil(sim.Never)
	// Output:
	// 1s fault
	// 1s first arrival
	// 1s second arrival
	// 1s timer
}

// printer prints its events.
type printer struct{ engine *sim.Engine }

func (p printer) Handle(_ uint16, index uint32) {
	fmt.Printf("%v timeout of request %d\n", p.engine.Now(), index)
}

// Timeouts all have the same delay, and hardly ever fire.
func ExampleLane() {
	e := sim.New()
	id := e.Register(printer{e})
	timeouts := e.NewLane()
	var timers [4]sim.Timer
	for i := range timers {
		at := sim.Time(i) * sim.Time(sim.Millisecond)
		timers[i] = timeouts.Start(at.Add(3*sim.Second), sim.PrioTimer, id, 0, uint32(i))
	}
	for _, answered := range []int{0, 1, 3, 3} {
		fmt.Println("answer to", answered, "was in time:", e.Stop(timers[answered]))
	}
	fmt.Println(e.Pending(), "pending")
	e.RunUntil(sim.Never)
	// Output:
	// answer to 0 was in time: true
	// answer to 1 was in time: true
	// answer to 3 was in time: true
	// answer to 3 was in time: false
	// 1 pending
	// 3.002s timeout of request 2
}

// A message has the same luck in every variant of a run, whatever else was drawn.
func ExampleKey() {
	const seed, service, instance = 42, sim.Purpose(1), 0
	for _, order := range [][]uint64{{1, 2, 3}, {3, 1, 2}} {
		for _, message := range order {
			d := sim.Key(seed, service, instance, message, 0)
			fmt.Printf("%d:%.4f ", message, d.Float64())
		}
		fmt.Println("in the order", order)
	}
	// Output:
	// 1:0.3283 2:0.5617 3:0.1991 in the order [1 2 3]
	// 3:0.1991 1:0.3283 2:0.5617 in the order [3 1 2]
}

func ExampleLognormal() {
	s, err := sim.Lognormal(400*sim.Microsecond, 4*sim.Millisecond)
	fmt.Println(s, err)
	fmt.Println("mean", sim.Duration(s.Mean()))
	_, err = sim.Lognormal(4*sim.Millisecond, 400*sim.Microsecond)
	fmt.Println(err)
	// Output:
	// { dist = "lognormal", median = "400us", p99 = "4ms" } <nil>
	// mean 652.82µs
	// lognormal: p99 is 400us, must be at least the median, which is 4ms
}

// Sizes are plain numbers; durations are written with their unit.
func ExampleMixture() {
	small, _ := sim.Constant(int64(1024))
	large, _ := sim.Constant(int64(65536))
	s, err := sim.Mixture([]float64{9, 1}, []sim.Sampler{small, large})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Replace(s.String(), " of =", "\n  of =", 1))
	fmt.Printf("mean %.1f\n", s.Mean())
	// Output:
	// { dist = "mixture", weights = [9, 1],
	//   of = [{ dist = "constant", value = 1024 }, { dist = "constant", value = 65536 }] }
	// mean 7475.2
}

func ExampleReadEmpirical() {
	s, err := sim.ReadEmpirical(strings.NewReader(`
		# measured on a Tuesday
		0.4ms, 98   # the page cache
		12ms        # the disk
		90ms
	`))
	fmt.Println(s, err)
	fmt.Println("mean", sim.Duration(s.Mean()))
	_, err = sim.ReadEmpirical(strings.NewReader("1ms\n2ms, many\n"))
	fmt.Println(err)
	// Output:
	// { dist = "empirical", count = 100, min = "400us", max = "90ms" } <nil>
	// mean 1.412ms
	// empirical: line 2: "many" is not a count of at least 1
}
