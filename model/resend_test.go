package model

import (
	"fmt"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// What callers do about failed sends: on_failure.

// deadConfig has two brokers that refuse connections, and clients that never hear of it.
func deadConfig(retries, resends int, delay sim.Duration) config.Config {
	cfg := configtest.Small("5.3.3", 2)
	cfg.Duration = 10 * sim.Second
	for b := range cfg.Brokers {
		cfg.Faults = append(cfg.Faults, config.Fault{
			Name: fmt.Sprint("f", b), Kind: config.Kill, Targets: []config.Target{{Index: b}},
		})
	}
	p := &cfg.Producers[0]
	p.Rate, p.Count, p.Threads = 40, 2, 4
	p.PollNameServerInterval, p.HeartbeatBrokerInterval = 10_000*sim.Hour, 10_000*sim.Hour
	p.Settings.RetryTimesWhenSendFailed, p.Settings.RetryTimesWhenSendAsyncFailed = retries, retries
	p.OnFailure.Resends = resends
	if delay > 0 {
		p.OnFailure.Delay = must(sim.Constant(delay))
	}
	return cfg
}

// k resends of sends of 1+r attempts are (1+k)(1+r) attempts, numbered through; the latency is that of all of
// them with the delays between. That holds for open and closed loops, for callbacks and for the Go client.
func TestResendsMultiplyRetries(t *testing.T) {
	t.Parallel()
	const delay = 50 * sim.Millisecond
	for _, c := range []struct {
		name   string
		change func(*config.Producer)
	}{
		{"open loop", func(*config.Producer) {}},
		{"closed loop", func(p *config.Producer) {
			p.Arrivals, p.Rate, p.Think = config.ClosedLoop, 0,
				p.OnFailure.Delay
		}},
		{"asynchronous", func(p *config.Producer) { p.Mode = config.Async }},
		{"asynchronous, 4.9.8", func(p *config.Producer) { p.Mode, p.Release = config.Async, "4.9.8" }},
		{"Go, asynchronous", func(p *config.Producer) {
			p.Client, p.Release, p.Mode = config.GoClient, "2.1.1",
				config.Async
		}},
		{"Go", func(p *config.Producer) { p.Client, p.Release = config.GoClient, "2.1.2" }},
	} {
		for _, k := range []int{0, 1, 3} {
			for _, r := range []int{0, 2} {
				cfg := deadConfig(r, k, delay)
				c.change(&cfg.Producers[0])
				if k == 0 {
					cfg.Producers[0].OnFailure.Delay = nil
				}
				var log attemptLog
				runWorld(t, cfg, &log)
				tries := map[uint64]int32{}
				for _, a := range log.attempts {
					if tries[a.Number]++; a.Try != tries[a.Number] {
						t.Fatalf("%s: attempt %d of message %d is numbered %d", c.name, tries[a.Number], a.Number, a.Try)
					}
				}
				if len(log.answers) < 300 {
					t.Errorf("%s: %d answers", c.name, len(log.answers))
				}
				for _, a := range log.answers {
					want := int32((1 + k) * (1 + r))
					if c.name == "Go, asynchronous" {
						want = int32(1 + k) // it tries once
					}
					took := a.At.Sub(a.Scheduled)
					// A refusal takes a round trip of 0.2 ms, and the Go client's dials wait for each other.
					atMost := delay*sim.Duration(k) + sim.Duration(8*want)*200*sim.Microsecond
					if a.Attempts != want || tries[a.Number] != want || a.Resends != int32(k) ||
						took < delay*sim.Duration(k) || took > atMost || a.Result.Exception == strategy.ExceptionNone {
						t.Fatalf("%s, %d resends, %d retries: %d attempts in %v: %+v", c.name, k, r,
							tries[a.Number], took, a)
					}
					if a.Began != a.Scheduled || a.First > sim.Millisecond {
						t.Errorf("%s: began at %v, first %v: %+v", c.name, a.Began, a.First, a)
					}
				}
			}
		}
	}
}

// In an open loop nobody waits meanwhile: one thread sends all other messages during a delay. In a closed
// loop the thread holds on to its message.
func TestWhoWaitsForAResend(t *testing.T) {
	t.Parallel()
	cfg := deadConfig(0, 1, 2*sim.Second)
	cfg.Producers[0].Count, cfg.Producers[0].Threads = 1, 1
	var log attemptLog
	w := runWorld(t, cfg, &log)
	between := 0
	for i, a := range log.attempts {
		if a.Try == 2 {
			break
		}
		between = i
	}
	if between < 50 || w.Backlog(0) > 1 {
		t.Errorf("%d first attempts before a second one, %d messages wait for a thread", between, w.Backlog(0))
	}
	p := &cfg.Producers[0]
	p.Arrivals, p.Rate = config.ClosedLoop, 0
	log = attemptLog{}
	runWorld(t, cfg, &log)
	for i, a := range log.attempts {
		if number, try := uint64(i/2), int32(1+i%2); a.Number != number || a.Try != try {
			t.Fatalf("attempt %d is %d of message %d", i, a.Try, a.Number)
		}
	}
	if n := len(log.attempts); n < 8 || n > 11 {
		t.Errorf("%d attempts", n)
	}
}

// Copies of all sends are copies of one message: brokers that answer too late store one for each.
func TestResendsStoreExtraCopies(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 1)
	cfg.Duration = 60 * sim.Second
	cfg.Brokers[0].SendThreads, cfg.Brokers[0].Service = 1000, must(sim.Constant(2*sim.Second))
	p := &cfg.Producers[0]
	p.Rate, p.Arrivals, p.Threads = 0, config.RecordedArrivals, 1000
	for i := range 100 {
		p.Recorded = append(p.Recorded, config.Arrival{At: sim.Duration(i) * 100 * sim.Millisecond})
	}
	p.Settings.RetryTimesWhenSendFailed, p.Settings.SendMsgTimeout = 0, 1000
	p.OnFailure = config.OnFailure{Resends: 2, Delay: must(sim.Constant(100 * sim.Millisecond))}
	var log struct {
		attemptLog
		copies
	}
	w := runWorld(t, cfg, &log)
	l := w.Ledger()
	if l.Sent != 100 || l.ExtraCopies != 200 || len(log.list) != 300 {
		t.Errorf("%d messages, %d extra copies, %d copies", l.Sent, l.ExtraCopies, len(log.list))
	}
	for _, c := range log.list {
		if c.Number != c.Try || c.Number > 3 || c.Number > 1 && c.GaveUp == strategy.OutcomeOK {
			t.Errorf("%+v", c)
		}
	}
	for _, a := range log.answers {
		if a.Attempts != 3 || a.Resends != 2 || a.Result.Exception == strategy.ExceptionNone {
			t.Errorf("%+v", a)
		}
	}
}

// copies keeps copies.
type copies struct{ list []Copy }

func (c *copies) CopyStored(s *Copy) { c.list = append(c.list, *s) }

// After a fault the load dies down: what failed is sent again and arrives, nothing is left over, and what is
// sent later needs no resend.
func TestLoadDiesDownAfterTheFault(t *testing.T) {
	t.Parallel()
	for _, a := range []config.Arrivals{config.Poisson, config.ClosedLoop} {
		cfg := deadConfig(1, 20, sim.Second)
		cfg.Duration = 40 * sim.Second
		p := &cfg.Producers[0]
		p.OnFailure.Delay = must(sim.Exponential(sim.Second))
		p.HeartbeatBrokerInterval = 30 * sim.Second
		if p.Arrivals = a; a == config.ClosedLoop {
			p.Rate, p.Think = 0, must(sim.Exponential(100*sim.Millisecond))
		}
		for i := range cfg.Faults {
			cfg.Faults[i].At, cfg.Faults[i].Duration = 5*sim.Second, 5*sim.Second
		}
		var log attemptLog
		w := New(cfg, &log)
		runTo(t, w, 9*sim.Second)
		if err := w.Check(); err != nil || w.resending.pending < 5 {
			t.Errorf("%d messages wait for their resend: %v", w.resending.pending, err)
		}
		runTo(t, w, cfg.Duration)
		windDown(w)
		runTo(t, w, cfg.Duration+2*sim.Minute)
		again, failed := 0, 0
		for _, a := range log.answers {
			if a.Resends > 0 {
				again++
			}
			if a.Result.Status != strategy.StatusSendOK {
				failed++
			}
			if a.Resends > 0 && a.Scheduled > sim.Time(11*sim.Second) {
				t.Errorf("%+v", a)
			}
		}
		if again < 8 || failed > 0 || len(log.answers) < 500 {
			t.Errorf("%d of %d messages were sent again, %d failed", again, len(log.answers), failed)
		}
		if w.resending.pending != 0 || len(w.resending.first) != 0 || w.heldByThreads() != 0 {
			t.Errorf("%d pending, %d remembered, %d held", w.resending.pending, len(w.resending.first),
				w.heldByThreads())
		}
		if err := w.Check(); err != nil {
			t.Error(err)
		}
	}
}

// Whoever follows a message that is sent again changes nothing, and sees each send.
func TestTraceOfResends(t *testing.T) {
	t.Parallel()
	for _, mode := range []config.SendMode{config.Sync, config.Async} {
		cfg := tracedConfig("5.3.3")
		p := &cfg.Producers[0]
		p.Settings.RetryTimesWhenSendFailed = 0
		p.OnFailure, p.Mode = config.OnFailure{Resends: 2, Delay: must(sim.Constant(300 * sim.Millisecond))}, mode
		var answers attemptLog
		runTo(t, New(cfg, &answers), cfg.Duration)
		plain := &observerLog{attempts: map[uint64]int{}}
		runTo(t, New(cfg, plain), cfg.Duration)
		followed := 0
		for _, a := range answers.answers {
			if a.Resends == 0 || a.Number%3 != 0 || followed == 8 {
				continue
			}
			followed++
			obs := &observerLog{attempts: map[uint64]int{}}
			log := &tracerLog{steps: map[StepWhat]int{}}
			w := New(cfg, obs)
			w.Trace(0, a.Number, log)
			runTo(t, w, cfg.Duration)
			if obs.b.String() != plain.b.String() {
				t.Fatalf("%v: following message %d changed the run", mode, a.Number)
			}
			again := int(a.Resends)
			if log.steps[SendsAgain] != again || log.steps[Taken] != 1+again || log.choices < int(a.Attempts) {
				t.Errorf("%v: message %d of %d resends, %d attempts: %v, %d choices", mode, a.Number, again,
					a.Attempts, log.steps, log.choices)
			}
		}
		if followed < 5 {
			t.Errorf("%v: %d messages followed", mode, followed)
		}
	}
}

func TestValidateOnFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		retries, resends int
		delay            bool
		want             string
	}{
		{2, 84, true, ""},
		{2, 85, true, "86 sends of up to 3 attempts are 258, more than 255"},
		{100, 0, false, ""},
		{0, 1_000_000_000, false, "1000000001 sends of up to 1 attempts are 256, more than 255"},
		{0, -1, false, "must not be negative"},
		{0, 0, true, "a delay and no resends"},
	} {
		cfg := configtest.Small("5.3.3", 1)
		p := &cfg.Producers[0]
		p.Settings.RetryTimesWhenSendFailed, p.Settings.RetryTimesWhenSendAsyncFailed = c.retries, 0
		p.OnFailure.Resends = c.resends
		if c.delay {
			p.OnFailure.Delay = must(sim.Constant(sim.Second))
		}
		got := ""
		for _, problem := range cfg.Validate() {
			if problem.Path != "producer.p.on_failure" {
				t.Errorf("%+v", problem)
			}
			got = problem.Message
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
