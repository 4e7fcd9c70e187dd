package sim

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

func init() {
	// More than the default of 100, and still overridden by the command line.
	if err := flag.Set("rapid.checks", "500"); err != nil {
		panic(err)
	}
}

// TestStories runs the scripts in testdata/engine. A script talks to one engine:
//
//	at 5ms [prio=fault] NAME       schedule an event
//	start 5ms [prio=fault] NAME    start a timer
//	lane 5ms [prio=fault] NAME     start a timer in the lane
//	stop NAME                      stop a timer
//	halt-at NAME                   the event of this name will call Halt
//	echo NAME d=2ms                the event of this name will schedule itself d later
//	step, peek, pending
//	until 10ms
//	limit 100                      set RunawayLimit
//
// and the answer lists the events that ran.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata/engine", func(t *testing.T, path string) {
		s := newStory()
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) (out string) {
			defer func() {
				if r := recover(); r != nil {
					out = fmt.Sprintf("%spanic: %v\n", s.log.String(), r)
					s.engine.running = false
				}
				s.log.Reset()
			}()
			return s.command(t, d)
		})
	})
}

// story is an engine whose events have names.
type story struct {
	engine *Engine
	id     HandlerID
	lane   *Lane
	log    strings.Builder
	names  []string
	timers map[string]Timer
	halts  map[string]bool
	echoes map[string]Duration
}

func newStory() *story {
	s := &story{
		engine: New(),
		timers: map[string]Timer{}, halts: map[string]bool{}, echoes: map[string]Duration{},
	}
	s.id = s.engine.Register(s)
	s.lane = s.engine.NewLane()
	return s
}

// event returns an index for a name.
func (s *story) event(name string) uint32 {
	s.names = append(s.names, name)
	return uint32(len(s.names) - 1)
}

func (s *story) Handle(_ uint16, index uint32) {
	name := s.names[index]
	fmt.Fprintf(&s.log, "%v %s\n", s.engine.Now(), name)
	if d, ok := s.echoes[name]; ok {
		s.engine.After(d, PrioTimer, s.id, 0, index)
	}
	if s.halts[name] {
		s.engine.Halt()
	}
}

func (s *story) command(t *testing.T, d *datadriven.TestData) string {
	e := s.engine
	switch d.Cmd {
	case "at", "start", "lane":
		at, prio, name := s.schedule(t, d)
		switch i := s.event(name); d.Cmd {
		case "at":
			e.At(at, prio, s.id, 0, i)
		case "start":
			s.timers[name] = e.StartTimer(at, prio, s.id, 0, i)
		case "lane":
			s.timers[name] = s.lane.Start(at, prio, s.id, 0, i)
		}
	case "stop":
		fmt.Fprintln(&s.log, e.Stop(s.timers[d.CmdArgs[0].Key]))
	case "halt-at":
		s.halts[d.CmdArgs[0].Key] = true
	case "echo":
		s.echoes[d.CmdArgs[0].Key] = parseDuration(t, d.CmdArgs[1].Vals[0])
	case "step":
		fmt.Fprintln(&s.log, e.Step())
	case "peek":
		fmt.Fprintln(&s.log, fmt.Sprint(e.Peek()))
	case "pending":
		fmt.Fprintln(&s.log, e.Pending())
	case "until":
		if err := e.RunUntil(parseTime(t, d.CmdArgs[0].Key)); err != nil {
			fmt.Fprintln(&s.log, err)
		}
		fmt.Fprintln(&s.log, "now", e.Now())
	case "limit":
		d.ScanArgs(t, "n", &e.RunawayLimit)
	default:
		d.Fatalf(t, "unknown command")
	}
	return s.log.String()
}

// schedule parses "5ms [prio=fault] NAME".
func (s *story) schedule(t *testing.T, d *datadriven.TestData) (Time, Priority, string) {
	at := parseTime(t, d.CmdArgs[0].Key)
	prio := PrioTimer
	if arg := d.CmdArgs[1]; arg.Key == "prio" {
		prio = map[string]Priority{
			"fault": PrioFault, "arrival": PrioArrival, "timer": PrioTimer, "observe": PrioObserve,
		}[arg.Vals[0]]
	}
	return at, prio, d.CmdArgs[len(d.CmdArgs)-1].Key
}

func parseTime(t *testing.T, s string) Time {
	if s == "never" {
		return Never
	}
	return Time(parseDuration(t, s))
}

func parseDuration(t *testing.T, s string) Duration {
	q, err := parseQuantity(s)
	if err != nil {
		t.Fatal(err)
	}
	return Duration(q.value)
}

func TestTimeString(t *testing.T) {
	for _, tc := range []struct {
		t    Time
		want string
	}{
		{0, "0s"},
		{1, "0.000000001s"},
		{Time(12*Second + 3400*Microsecond), "12.0034s"},
		{Time(Hour), "3600s"},
		{-1, "-0.000000001s"},
		{Time(-90 * Second), "-90s"},
		{Never, "never"},
		{Never - 1, "9223372036.854775806s"},
	} {
		if got := tc.t.String(); got != tc.want {
			t.Errorf("Time(%d) is %s, want %s", int64(tc.t), got, tc.want)
		}
	}
}

func TestTimeArithmetic(t *testing.T) {
	if got := Time(Second).Add(-Millisecond); got != Time(999*Millisecond) {
		t.Errorf("1s - 1ms = %v", got)
	}
	if got := Time(Second).Add(1<<63 - 1); got != Never {
		t.Errorf("a sum beyond the range is %v", got)
	}
	if got := Never.Add(1); got != Never {
		t.Errorf("after never comes %v", got)
	}
	if got := Time(Second).Sub(Time(3 * Second)); got != -2*Second {
		t.Errorf("from 3s to 1s it is %v", got)
	}
	if got := Time(1500 * Millisecond).Seconds(); got != 1.5 {
		t.Errorf("1.5s is %v", got)
	}
}

// TestRunaway lets two events schedule each other without moving the clock.
func TestRunaway(t *testing.T) {
	s := newStory()
	s.engine.RunawayLimit = 1000
	s.echoes["loop"] = 0
	s.engine.At(Time(Second), PrioTimer, s.id, 7, s.event("before"))
	s.engine.At(Time(2*Second), PrioTimer, s.id, 7, s.event("loop"))
	err := s.engine.RunUntil(Never)
	var runaway *Runaway
	if !errors.As(err, &runaway) {
		t.Fatalf("error %v", err)
	}
	if want := (Runaway{At: Time(2 * Second), Count: 1001, Handler: s.id}); *runaway != want {
		t.Errorf("got %+v, want %+v", *runaway, want)
	}
	if s.engine.Executed() != 1002 || s.engine.Pending() != 1 {
		t.Errorf("%d executed, %d pending", s.engine.Executed(), s.engine.Pending())
	}
}

// TestRunawayCountsOneInstant runs as many events as the limit allows at each of two
// instants, the second of which RunUntil had already reached.
func TestRunawayCountsOneInstant(t *testing.T) {
	s := newStory()
	s.engine.RunawayLimit = 10
	for _, at := range []Time{0, Time(Second), Time(2 * Second)} {
		if err := s.engine.RunUntil(at); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			s.engine.At(at, PrioTimer, s.id, 0, s.event("x"))
		}
	}
	if err := s.engine.RunUntil(Never); err != nil {
		t.Error(err)
	}
}

// TestMisuse sees that broken callers are told so, with the values and the time.
func TestMisuse(t *testing.T) {
	s := newStory()
	e := s.engine
	if err := e.RunUntil(Time(Second)); err != nil {
		t.Fatal(err)
	}
	mustPanic(t, "sim: event for 0.5s (handler 1) scheduled at 1s, which is later",
		func() { e.At(Time(Second/2), PrioTimer, s.id, 0, 0) })
	mustPanic(t, "sim: event for 0.999999999s (handler 1) scheduled at 1s, which is later",
		func() { e.After(-1, PrioTimer, s.id, 0, 0) })
	mustPanic(t, "sim: event for 0.5s (handler 1) scheduled at 1s, which is later",
		func() { e.StartTimer(Time(Second/2), PrioTimer, s.id, 0, 0) })
	mustPanic(t, "sim: event for 0.5s (handler 1) scheduled at 1s, which is later",
		func() { s.lane.Start(Time(Second/2), PrioTimer, s.id, 0, 0) })
	mustPanic(t, "sim: event for 2s scheduled at 1s for handler 0; there are 1",
		func() { e.At(Time(2*Second), PrioTimer, 0, 0, 0) })
	mustPanic(t, "sim: event for 2s scheduled at 1s for handler 9; there are 1",
		func() { e.At(Time(2*Second), PrioTimer, 9, 0, 0) })
	mustPanic(t, "sim: RunUntil(0.5s) at 1s, which is later",
		func() { _ = e.RunUntil(Time(Second / 2)) })
	mustPanic(t, "sim: Register of a nil handler", func() { e.Register(nil) })
	mustPanic(t, "sim: Func of a nil function", func() { e.Func(e.Now(), PrioTimer, nil) })
	if e.Pending() != 0 {
		t.Errorf("%d pending after calls that panicked", e.Pending())
	}
	e.Func(e.Now(), PrioTimer, func() {
		mustPanic(t, "sim: Step called from a handler at 1s", func() { e.Step() })
		mustPanic(t, "sim: RunUntil called from a handler at 1s", func() { _ = e.RunUntil(Never) })
	})
	e.Step()
}

// TestFuncReuse sees that closures are forgotten when they have run.
func TestFuncReuse(t *testing.T) {
	e := New()
	n := 0
	var f func()
	f = func() {
		if n++; n < 1000 {
			e.Func(e.Now()+1, PrioTimer, f)
			e.Func(Never, PrioTimer, f)
		}
	}
	e.Func(0, PrioTimer, f)
	if err := e.RunUntil(Never); err != nil {
		t.Fatal(err)
	}
	if n != 1000 || len(e.funcs.funcs) > 2 {
		t.Errorf("%d calls with room for %d", n, len(e.funcs.funcs))
	}
}

// TestPriorityRange sees that priorities of the whole range of their type work.
func TestPriorityRange(t *testing.T) {
	e := New()
	var got []int
	for p := 255; p >= 0; p-- {
		e.Func(0, Priority(p), func() { got = append(got, p) })
	}
	if err := e.RunUntil(0); err != nil {
		t.Fatal(err)
	}
	for i, p := range got {
		if i != p {
			t.Fatalf("priority %d came as number %d", p, i)
		}
	}
}
