package model

import (
	"fmt"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// tracerLog writes down what a Tracer is told.
type tracerLog struct {
	b       strings.Builder
	choices int
	updates int
	last    sim.Time
	steps   map[StepWhat]int
}

func (l *tracerLog) at(t sim.Time) {
	if t < l.last {
		panic("told out of order")
	}
	l.last = t
}

func (l *tracerLog) Chosen(c *Choice) {
	l.at(c.At)
	l.choices++
	fmt.Fprintf(&l.b, "chosen %v %v %+v %v\n", c.At, c.Why.Rule, c.Attempt, c.Why.Index)
}

func (l *tracerLog) Stepped(s *Step) {
	l.at(s.At)
	l.steps[s.What]++
	fmt.Fprintf(&l.b, "step %+v\n", *s)
}

func (l *tracerLog) Updated(u *TableUpdate) {
	l.at(u.At)
	l.updates++
}

// observerLog hashes nothing: it keeps every attempt and answer as text.
type observerLog struct {
	NopObserver
	b        strings.Builder
	attempts map[uint64]int // of group 0
}

func (l *observerLog) AttemptEnded(a *Attempt) {
	l.attempts[a.Number]++
	fmt.Fprintf(&l.b, "%+v\n", *a)
}
func (l *observerLog) Answered(a *Answer)          { fmt.Fprintf(&l.b, "%+v\n", *a) }
func (l *observerLog) TableChanged(c *TableChange) { fmt.Fprintf(&l.b, "%+v\n", *c) }

// tracedConfig is a world in which sends hang, are refused and wait for connections.
func tracedConfig(release string) config.Config {
	cfg := configtest.Small(release, 3)
	cfg.Duration = 12 * sim.Second
	cfg.Producers[0].Count, cfg.Producers[0].Threads, cfg.Producers[0].Rate = 2, 4, 100
	cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	cfg.Producers[0].Settings.SendMsgTimeout = 800
	cfg.Faults = []config.Fault{
		{
			Name: "cut", Kind: config.PowerLoss, Targets: []config.Target{{Index: 0}}, At: 2 * sim.Second,
			Duration: 3 * sim.Second, Factor: 1,
		},
		{
			Name: "stop", Kind: config.Pause, Targets: []config.Target{{Index: 1}}, At: 2 * sim.Second,
			Duration: 4 * sim.Second, Factor: 1,
		},
		{
			Name: "kill", Kind: config.Kill, Targets: []config.Target{{Index: 2}}, At: 8 * sim.Second,
			Duration: sim.Second, Factor: 1,
		},
	}
	return cfg
}

// Goal: whoever follows a message changes nothing, and sees each of its attempts. Method: many
// messages from the first faults on are followed, each in a run of its own, and what an observer is
// told is compared with the run that nobody looked into.
func TestTraceChangesNothing(t *testing.T) {
	for _, release := range testReleases {
		t.Run(release, func(t *testing.T) {
			cfg := tracedConfig(release)
			plain := &observerLog{attempts: map[uint64]int{}}
			if err := New(cfg, plain).RunUntil(sim.Time(cfg.Duration)); err != nil {
				t.Fatal(err)
			}
			seen := map[StepWhat]int{}
			alone := map[uint64]string{}
			for number := uint64(190); number < 1000; number++ {
				if number > 225 {
					number += 24 // the faults have begun
				}
				obs := &observerLog{attempts: map[uint64]int{}}
				log := &tracerLog{steps: map[StepWhat]int{}}
				w := New(cfg, obs)
				w.Trace(0, number, log)
				if err := w.RunUntil(sim.Time(cfg.Duration)); err != nil {
					t.Fatal(err)
				}
				if obs.b.String() != plain.b.String() {
					t.Fatalf("following message %d changed the run", number)
				}
				alone[number] = log.b.String()
				attempts := plain.attempts[number]
				if log.choices < attempts || log.updates != attempts || log.steps[Taken] != 1 {
					t.Errorf("message %d: %d choices and %d updates for %d attempts\n%s",
						number, log.choices, log.updates, attempts, log.b.String())
				}
				for what, n := range log.steps {
					seen[what] += n
				}
			}
			followAll(t, cfg, plain, alone)
			for _, what := range []StepWhat{
				Written, HostSilent, ProcessPaused, Accepted, Responded, ResponseCame, ResponseLate,
				WaitOver, ClosedItself, ClosedByTimeout, ConnectBegan,
			} {
				if seen[what] == 0 {
					t.Errorf("no step %d was seen: the test's world is too quiet", what)
				}
			}
		})
	}
}

// followAll follows messages at once that were followed alone, and compares.
func followAll(t *testing.T, cfg config.Config, plain *observerLog, alone map[uint64]string) {
	t.Helper()
	obs := &observerLog{attempts: map[uint64]int{}}
	w := New(cfg, obs)
	logs := map[uint64]*tracerLog{}
	for number := range alone {
		logs[number] = &tracerLog{steps: map[StepWhat]int{}}
		w.Trace(0, number, logs[number])
	}
	if err := w.RunUntil(sim.Time(cfg.Duration)); err != nil {
		t.Fatal(err)
	}
	if obs.b.String() != plain.b.String() {
		t.Error("following many messages changed the run")
	}
	for number, want := range alone {
		if got := logs[number].b.String(); got != want {
			t.Errorf("message %d, followed with others:\n%s\nalone:\n%s", number, got, want)
		}
	}
}

func TestTraceComesTooLate(t *testing.T) {
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", what)
			}
		}()
		f()
	}
	w := New(configtest.Small("5.3.3", 1), nil)
	w.Trace(0, 3, &tracerLog{})
	panics("twice", func() { w.Trace(0, 3, &tracerLog{}) })
	w.Trace(0, 4, &tracerLog{})
	w = New(configtest.Small("5.3.3", 1), nil)
	if err := w.RunUntil(sim.Time(5 * sim.Second)); err != nil {
		t.Fatal(err)
	}
	panics("too late", func() { w.Trace(0, 0, &tracerLog{}) })
}
