package model

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/model/rate"
	"simrun/sim"
	"simrun/strategy"
)

// scheduledLog keeps the messages as they come.
type scheduledLog struct {
	NopObserver
	messages []Message
}

func (l *scheduledLog) Scheduled(m *Message) { l.messages = append(l.messages, *m) }

// scheduled are the messages of a run in which nothing fails.
func scheduled(t testing.TB, cfg config.Config) []Message {
	var log scheduledLog
	runTo(t, New(cfg, &log), cfg.Duration)
	return log.messages
}

func arrivalConfig(a config.Arrivals, perSecond float64, s rate.Shape) config.Config {
	cfg := configtest.Small("5.3.3", 1)
	p := &cfg.Producers[0]
	p.Arrivals, p.Rate, p.Shape, p.Count = a, perSecond, s, 3
	return cfg
}

// upAndDown rises from 1 to 4 in 5 s, stays at 0 to the 12th, rises to 2 by the 19th, and stays there.
var upAndDown = []rate.Point{
	{At: 0, Factor: 1},
	{At: 5 * sim.Second, Factor: 4},
	{At: 5 * sim.Second, Factor: 0},
	{At: 12 * sim.Second, Factor: 0},
	{At: 19 * sim.Second, Factor: 2},
}

// upAndDownTo is its integral to a time in seconds, by hand; it begins again each period, 0 for never.
func upAndDownTo(at sim.Time, period sim.Duration) float64 {
	const ofPeriod = 12.5 + 7 + 2
	x, sum := sim.Duration(at).Seconds(), 0.0
	if period > 0 {
		n := math.Floor(x / period.Seconds())
		x, sum = x-n*period.Seconds(), n*ofPeriod
	}
	switch {
	case x < 5:
		return sum + x + 0.3*x*x
	case x < 12:
		return sum + 12.5
	case x < 19:
		return sum + 12.5 + (x-12)*(x-12)/7
	default:
		return sum + 19.5 + 2*(x-19)
	}
}

// In any window a constant load brings the integral of its rate, give or take one message, and a Poisson
// load a Poisson number around it. Method: a shape with all there is; the bounds are the exact quantiles at
// 1e-9.
func TestCountsFollowTheRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := rate.Shape{Period: 20 * sim.Second, Points: upAndDown}
		if rapid.Bool().Draw(rt, "once") {
			s.Period = 0
		}
		a := rapid.SampledFrom([]config.Arrivals{config.Poisson, config.Constant}).Draw(rt, "arrivals")
		const perSecond = 40
		cfg := arrivalConfig(a, perSecond, s)
		cfg.Seed = rapid.Uint64().Draw(rt, "seed")
		cfg.Producers[0].Batch = rapid.IntRange(0, 3).Draw(rt, "batch")
		list := scheduled(t, cfg)
		from := sim.Time(rapid.Int64Range(0, int64(cfg.Duration)).Draw(rt, "from"))
		to := sim.Time(rapid.Int64Range(int64(from), int64(cfg.Duration)).Draw(rt, "to"))
		n := 0.0
		for _, m := range list {
			if m.Scheduled >= from && m.Scheduled < to {
				n++
			}
		}
		mean := (upAndDownTo(to, s.Period) - upAndDownTo(from, s.Period)) * perSecond /
			float64(max(1, cfg.Producers[0].Batch))
		low, high := math.Floor(mean), math.Ceil(mean)
		if a == config.Poisson && mean > 0 {
			d := distuv.Poisson{Lambda: mean}
			for low > 0 && d.CDF(low-1) > 1e-9 {
				low--
			}
			for 1-d.CDF(high) > 1e-9 {
				high++
			}
		}
		if n < low || n > high {
			rt.Errorf("%v messages from %v to %v, want %v to %v around %v", n, from, to, low, high, mean)
		}
	})
}

// A rate of which another is a multiple, by its own number or by its shape, has the same messages; and all
// times scale together.
func TestRatesScale(t *testing.T) {
	t.Parallel()
	base := rate.Shape{Period: 7 * sim.Second, Points: []rate.Point{
		{At: 0, Factor: 1}, {At: 2 * sim.Second, Factor: 3}, {At: 5 * sim.Second, Factor: 0.5},
	}}
	scale := func(s rate.Shape, factor float64, time sim.Duration) rate.Shape {
		s.Period *= time
		s.Points = append([]rate.Point(nil), s.Points...)
		for i := range s.Points {
			s.Points[i].Factor *= factor
			s.Points[i].At *= time
		}
		return s
	}
	flat := rate.Shape{Points: []rate.Point{{At: 0, Factor: 2}}}
	for _, a := range []config.Arrivals{config.Poisson, config.Constant} {
		one := scheduled(t, arrivalConfig(a, 64, base))
		twice := scheduled(t, arrivalConfig(a, 32, scale(base, 2, 1)))
		checkTimes(t, fmt.Sprint(a, " shape twice"), one, twice, 1)
		checkTimes(t, fmt.Sprint(a, " flat"), scheduled(t, arrivalConfig(a, 64, rate.Shape{})),
			scheduled(t, arrivalConfig(a, 32, flat)), 1)
		slow := arrivalConfig(a, 16, scale(base, 1, 4))
		slow.Duration *= 4
		checkTimes(t, fmt.Sprint(a, " slowly"), one, scheduled(t, slow), 4)
	}
}

// checkTimes compares the times of two loads, of which the second takes so many times as long, up to the
// rounding of gaps to nanoseconds.
func checkTimes(t *testing.T, what string, a, b []Message, times sim.Time) {
	t.Helper()
	if d := len(a) - len(b); d < -1 || d > 1 || len(a) < 1000 {
		t.Fatalf("%s: %d and %d messages", what, len(a), len(b))
	}
	for i := range min(len(a), len(b)) {
		off := b[i].Scheduled - times*a[i].Scheduled
		if max(off, -off) > 1000*times || a[i].Instance != b[i].Instance {
			t.Fatalf("%s: message %d at %v of %d and %v of %d", what, i, a[i].Scheduled, a[i].Instance,
				b[i].Scheduled, b[i].Instance)
		}
	}
}

// Recorded messages come when the record says, as large and with the key that it says; the rest is drawn.
func TestRecordedArrivals(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 1)
	p := &cfg.Producers[0]
	p.Arrivals, p.Rate, p.Count, p.Keys = config.RecordedArrivals, 0, 2, 5
	p.Recorded = []config.Arrival{
		{At: 0}, {At: sim.Second, Size: 7}, {At: sim.Second, Key: 77, HasKey: true}, {At: 90 * sim.Second},
	}
	var log scheduledLog
	w := New(cfg, &log)
	g := &w.groups[0]
	if s := []int32{w.sizeOf(g, 0), w.sizeOf(g, 1), w.sizeOf(g, 2)}; s[0] != 1024 || s[1] != 7 || s[2] != 1024 {
		t.Errorf("sizes %v", s)
	}
	if k := w.keyOf(g, 2); k != 77 || w.keyOf(g, 0) >= 5 {
		t.Errorf("keys %d and %d", w.keyOf(g, 0), k)
	}
	runTo(t, w, cfg.Duration)
	if len(log.messages) != 3 {
		t.Fatalf("%d messages", len(log.messages))
	}
	for i, m := range log.messages {
		if at := sim.Time(p.Recorded[i].At); m.Scheduled != at || m.Number != uint64(i) {
			t.Errorf("message %d: number %d at %v, want %v", i, m.Number, m.Scheduled, at)
		}
	}
}

// closedConfig is a closed loop of n threads on one broker with one send thread; the network takes no
// time.
func closedConfig(threads int, think, service sim.Duration) config.Config {
	cfg := configtest.Small("5.3.3", 1)
	cfg.Network.Latency = must(sim.Constant(sim.Duration(0)))
	cfg.Brokers[0].SendThreads, cfg.Brokers[0].Service = 1, must(sim.Exponential(service))
	limitsOutOfReach(&cfg.Brokers[0])
	p := &cfg.Producers[0]
	p.Arrivals, p.Rate, p.Threads = config.ClosedLoop, 0, threads
	p.Settings.SendMsgTimeout = 1e9
	if think > 0 {
		p.Think = must(sim.Exponential(think))
	}
	return cfg
}

// A closed loop is the machine repairman's: of n threads, k are at the broker with a probability
// proportional to n!/(n-k)! (S/Z)^k, and the broker serves while k > 0. And whatever the distributions,
// the interactive response-time law holds: n = X (R + Z).
func TestClosedLoopTheory(t *testing.T) {
	t.Parallel()
	const s, warm, end = sim.Millisecond, 5 * sim.Second, 65 * sim.Second
	for _, c := range []struct {
		threads int
		think   sim.Duration
	}{{1, 0}, {8, 0}, {1, 2 * s}, {4, 4 * s}, {10, 20 * s}, {10, 5 * s}} {
		cfg := closedConfig(c.threads, c.think, s)
		var latency latencySum
		w := New(cfg, &latency)
		runTo(t, w, warm)
		n, sum, busy := latency.n, latency.sum, w.Load(0).Busy
		runTo(t, w, end)
		seconds := (end - warm).Seconds()
		x := float64(latency.n-n) / seconds
		r := (latency.sum - sum).Seconds() / float64(latency.n-n)
		z := c.think.Seconds()
		if law := x * (r + z); math.Abs(law-float64(c.threads)) > 0.01*float64(c.threads) {
			t.Errorf("%+v: X (R+Z) = %.3f", c, law)
		}
		empty, term := 1.0, 1.0
		for k := range c.threads {
			if z == 0 {
				empty = math.Inf(1)
				break
			}
			term *= float64(c.threads-k) * s.Seconds() / z
			empty += term
		}
		want := (1 - 1/empty) / s.Seconds()
		if math.Abs(x-want) > 0.015*want {
			t.Errorf("%+v: %.1f messages/s, want %.1f", c, x, want)
		}
		if u := (w.Load(0).Busy - busy).Seconds() / seconds; math.Abs(u-want*s.Seconds()) > 0.02 {
			t.Errorf("%+v: utilisation %.3f, want %.3f", c, u, want*s.Seconds())
		}
		if w.Backlog(0) != 0 {
			t.Errorf("%+v: %d messages wait for a thread", c, w.Backlog(0))
		}
	}
}

// latencySum sums up latencies.
type latencySum struct {
	NopObserver
	n   int
	sum sim.Duration
}

func (l *latencySum) Answered(a *Answer) {
	l.n++
	l.sum += a.At.Sub(a.Scheduled)
}

// The k-th message of a thread has its place in each round of all threads, so that a slower run gives the
// same thread the same messages; nobody waits for a thread.
func TestClosedLoopNumbers(t *testing.T) {
	t.Parallel()
	cfg := closedConfig(3, 10*sim.Millisecond, sim.Millisecond)
	cfg.Duration = 5 * sim.Second
	cfg.Producers[0].Count = 4
	next := map[uint64]uint64{}
	for _, m := range scheduled(t, cfg) {
		thread := m.Number % 12
		if m.Number/12 != next[thread] || uint64(m.Instance) != thread/3 {
			t.Fatalf("message %d of instance %d is the %d. of its thread", m.Number, m.Instance, next[thread])
		}
		next[thread]++
	}
	if len(next) != 12 || next[0] < 100 {
		t.Errorf("%d threads, %d messages of the first", len(next), next[0])
	}
}

// A thread whose sends fail in no time at all does not stop the clock: here every message is too large
// (Validators.checkMessage, 5.3.3).
func TestClosedLoopOfFailures(t *testing.T) {
	t.Parallel()
	cfg := closedConfig(2, 0, sim.Millisecond)
	cfg.Duration = sim.Second
	cfg.Producers[0].Remoting.MaxMessageSize = 1000
	var log attemptLog
	w := runWorld(t, cfg, &log)
	if n := len(log.answers); n < 19_000 || n > 20_100 {
		t.Errorf("%d answers", n)
	}
	for _, a := range log.answers[:3] {
		if a.Result != tooLargeResult || a.Attempts != 0 || a.At != a.Scheduled || a.Result.Code != 13 ||
			a.Result.Exception != strategy.MQClientException {
			t.Errorf("%+v", a)
		}
	}
	if l := w.Ledger(); l.Sent != int64(len(log.answers)) {
		t.Errorf("%+v", l)
	}
}

// Whoever follows a message of a closed loop changes nothing.
func TestTraceOfAClosedLoop(t *testing.T) {
	t.Parallel()
	cfg := tracedConfig("5.3.3")
	p := &cfg.Producers[0]
	p.Arrivals, p.Rate, p.Think = config.ClosedLoop, 0, must(sim.Exponential(20*sim.Millisecond))
	plain := &observerLog{attempts: map[uint64]int{}}
	runTo(t, New(cfg, plain), cfg.Duration)
	for number := uint64(0); number < 1500; number += 151 {
		obs := &observerLog{attempts: map[uint64]int{}}
		log := &tracerLog{steps: map[StepWhat]int{}}
		w := New(cfg, obs)
		w.Trace(0, number, log)
		runTo(t, w, cfg.Duration)
		if obs.b.String() != plain.b.String() {
			t.Fatalf("following message %d changed the run", number)
		}
		if sent := plain.attempts[number] > 0; sent != (log.steps[Taken] == 1) {
			t.Errorf("message %d: sent %v, taken %d times", number, sent, log.steps[Taken])
		}
	}
	w := New(cfg, nil)
	runTo(t, w, sim.Second)
	for number, there := range map[uint64]bool{0: true, 7: true, 8 * 10: true, 8 * 1000: false} {
		if w.isThere(&w.groups[0], number) != there {
			t.Errorf("message %d is there: %v", number, !there)
		}
	}
}
