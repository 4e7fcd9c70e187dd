package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// Relations between runs: what must be the same in two worlds that differ in something that must
// not matter, and what must not be the same.

// recorder writes down everything that an Observer is told, a line each.
type recorder struct{ lines []string }

func (r *recorder) add(what string, v any) {
	r.lines = append(r.lines, fmt.Sprintf("%s %+v", what, v))
}

func (r *recorder) Scheduled(m *Message)        { r.add("scheduled", *m) }
func (r *recorder) AttemptEnded(a *Attempt)     { r.add("attempt", *a) }
func (r *recorder) Answered(a *Answer)          { r.add("answered", *a) }
func (r *recorder) FateChanged(f *FateChange)   { r.add("fate", *f) }
func (r *recorder) TableChanged(c *TableChange) { r.add("table", *c) }
func (r *recorder) Process(p *ProcessEvent)     { r.add("process", *p) }
func (r *recorder) Probed(p *ProbeEnd)          { r.add("table probed", *p) }

func (r *recorder) RouteChanged(c *RouteChange) {
	one := *c
	one.Topic = 0 // an index, which another topic moves
	r.add("route", one)
}

func (r *recorder) CopyStored(c *Copy) { r.add("stored", *c) }

// messages are the lines about messages; tables, routes and processes are left out.
func (r *recorder) messages() []string {
	return slices.DeleteFunc(slices.Clone(r.lines), func(l string) bool {
		return strings.HasPrefix(l, "table") || strings.HasPrefix(l, "route") ||
			strings.HasPrefix(l, "process")
	})
}

func record(t testing.TB, cfg config.Config) *recorder {
	t.Helper()
	r := &recorder{}
	runTo(t, New(cfg, r), cfg.Duration)
	return r
}

// restless is a cluster in which most things happen that can: lognormal times, slaves, both flush
// modes, and one broker that is cut off, another that is killed, paused and slow.
func restless(release string) config.Config {
	cfg := configtest.Small(release, 4)
	cfg.Duration = 50 * sim.Second
	cfg.Network.Latency = must(sim.Lognormal(150*sim.Microsecond, 2*sim.Millisecond))
	for i := range cfg.Brokers {
		cfg.Brokers[i].Service = must(sim.Lognormal(sim.Millisecond, 20*sim.Millisecond))
		cfg.Brokers[i].Slaves = i % 2
	}
	cfg.Brokers[2].Flush = config.SyncFlush
	p := &cfg.Producers[0]
	p.Count, p.Rate = 3, 60
	p.TimerWakeup = must(sim.Lognormal(900*sim.Microsecond, 4*sim.Millisecond))
	p.Settings.SendLatencyFaultEnable = true
	one := []config.Target{{Index: 1}}
	zero := []config.Target{{Index: 0}}
	const sec = sim.Second
	cfg.Faults = []config.Fault{
		{Name: "cut", Kind: config.PowerLoss, Targets: one, At: 5 * sec, Duration: 20 * sec},
		{Name: "kill", Kind: config.Kill, Targets: zero, At: 8 * sec, Duration: 3 * sec},
		{Name: "pause", Kind: config.Pause, Targets: zero, At: 15 * sec, Duration: sec},
		{Name: "slow", Kind: config.Slow, Targets: zero, At: 30 * sec, Duration: 9 * sec, Factor: 400},
	}
	return cfg
}

// checkSameLines reports the first difference of two streams.
func checkSameLines(t *testing.T, what string, a, b []string) {
	t.Helper()
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a) || i >= len(b):
			t.Fatalf("%s: %d and %d lines", what, len(a), len(b))
		case a[i] != b[i]:
			t.Fatalf("%s: line %d of %d:\n  %s\n  %s", what, i+1, len(a), a[i], b[i])
		}
	}
}

func TestOneSeedIsOneRun(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		a, b := record(t, cfg), record(t, cfg)
		checkSameLines(t, release, a.lines, b.lines)
		cfg.Seed++
		if c := record(t, cfg); slices.Equal(a.lines, c.lines) {
			t.Errorf("%s: another seed gives the same run", release)
		}
	}
}

// How often somebody stops the world to look at it changes nothing.
func TestSlicesOfARunAddUp(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		whole := record(t, cfg)
		for _, slice := range []sim.Duration{7 * sim.Millisecond, sim.Second, 13 * sim.Second} {
			r := &recorder{}
			w := New(cfg, r)
			for at := sim.Duration(0); at < cfg.Duration; at += slice {
				runTo(t, w, at)
				if err := w.Check(); err != nil {
					t.Fatal(err)
				}
				_, _, _, _ = w.Ledger(), w.Avoiding(0, 1), w.Routed(0, 1), w.Backlog(0)
			}
			runTo(t, w, cfg.Duration)
			checkSameLines(t, fmt.Sprintf("%s in slices of %v", release, slice), whole.lines, r.lines)
		}
	}
}

// Names matter by their order only. The exception is 4.9.8 with no broker left available: then
// Java's hash order of the names decides between fault items that tie; here some broker always is.
func TestNamesOfBrokersDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		a := record(t, cfg)
		for i, name := range []string{"alpha", "beta", "delta", "gamma"} {
			cfg.Brokers[i].Name = name
		}
		checkSameLines(t, release, a.lines, record(t, cfg).lines)
	}
}

// A topic that nobody sends to costs nothing.
func TestUnusedTopicDoesNotMatter(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		a := record(t, cfg)
		unused := config.Topic{Name: "unused", WriteQueueNums: 7, Brokers: []string{"b03", "b01"}}
		cfg.Topics = append([]config.Topic{unused}, cfg.Topics...)
		checkSameLines(t, release, a.lines, record(t, cfg).lines)
	}
}

// A second group that sends to brokers of its own does not change the luck of the first.
func TestStrangersDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		cfg.Topics[0].Brokers = []string{"b00", "b01", "b02", "b03"}
		a := record(t, cfg)
		other := configtest.Small(release, 5).Brokers[4]
		cfg.Brokers = append(cfg.Brokers, other)
		cfg.Topics = append(cfg.Topics, config.Topic{Name: "other", WriteQueueNums: 1, Brokers: []string{"b04"}})
		p := cfg.Producers[0]
		p.Name, p.Topics = "stranger", config.OneTopic("other")
		cfg.Producers = append(cfg.Producers, p)
		b := record(t, cfg)
		ours := slices.DeleteFunc(b.messages(), func(l string) bool {
			return strings.Contains(l, "Group:1")
		})
		checkSameLines(t, release, a.messages(), ours)
	}
}

// Without faults, and with every latency below the first threshold that isolates (550 ms), fault
// avoidance is round robin: the same queues in the same order, message by message.
func TestAvoidanceWithoutFaultsIsRoundRobin(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		run := func(slowest sim.Duration) (on, off []string) {
			cfg := configtest.Small(release, 4)
			cfg.Duration, cfg.Producers[0].Rate = 30*sim.Second, 100
			for i := range cfg.Brokers {
				cfg.Brokers[i].SendThreads = config.MaxThreads // no message waits for another
				cfg.Brokers[i].Service = must(sim.Uniform(sim.Millisecond, slowest))
			}
			off = record(t, cfg).messages()
			cfg.Producers[0].Settings.SendLatencyFaultEnable = true
			return record(t, cfg).messages(), off
		}
		on, off := run(548 * sim.Millisecond) // 548.2 ms may show as 549 on a clock of milliseconds
		checkSameLines(t, release, on, off)
		if on, off = run(600 * sim.Millisecond); slices.Equal(on, off) {
			t.Errorf("%s: latencies above the threshold change nothing", release)
		}
	}
}

// The retry of a send has draws of its own, so what one message meets does not change the luck of
// the others: with a fault, messages that stay on their first attempt at a healthy broker are
// served in the same time.
func TestFaultElsewhereDoesNotChangeServiceTimes(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		cfg.Producers[0].Settings.SendLatencyFaultEnable = false
		// No exact ties: those close the channels of healthy brokers, and a handshake takes time.
		cfg.Producers[0].TimerWakeup = must(sim.Constant(sim.Millisecond))
		for i := range cfg.Brokers {
			cfg.Brokers[i].SendThreads = config.MaxThreads
			cfg.Brokers[i].Flush = config.AsyncFlush
		}
		cfg.Faults = cfg.Faults[:1]
		cfg.Faults[0].Duration = 0 // or first attempts after the return would take a handshake more
		first := func(cfg config.Config) map[uint64]sim.Duration {
			o := &firstAttempts{took: map[uint64]sim.Duration{}}
			runTo(t, New(cfg, o), cfg.Duration)
			return o.took
		}
		with := first(cfg)
		cfg.Faults = nil
		without := first(cfg)
		same := 0
		for m, d := range with {
			if e, ok := without[m]; ok {
				same++
				if d != e {
					t.Fatalf("%s: message %d took %v with the fault, %v without", release, m, d, e)
				}
			}
		}
		if same < len(without)/2 || same == len(without) {
			t.Errorf("%s: %d of %d messages compared", release, same, len(without))
		}
	}
}

// firstAttempts notes how long the sends took that were answered at the first attempt.
type firstAttempts struct {
	NopObserver
	took map[uint64]sim.Duration
}

func (o *firstAttempts) Answered(a *Answer) {
	if a.Attempts == 1 && a.Result.Status != 0 && a.Began == a.Scheduled {
		o.took[a.Number] = a.At.Sub(a.Scheduled)
	}
}
