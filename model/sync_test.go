package model

import (
	"fmt"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// What callers of a SYNC_MASTER are told, message by message.

// syncResult is one message of one attempt and what the broker answered. Times are since the start of
// the run.
type syncResult struct {
	sent, stored, answered sim.Duration
	end                    int64 // of its copy in the log; 0 if it was never stored
	status                 strategy.Status
	code                   int // of an exception of the broker
}

// took is how long the caller waited.
func (r *syncResult) took() sim.Duration { return r.answered - r.sent }

// answer is the response code that RocketMQ's broker gives: 0, 10, 11, 12, or that of its exception.
func (r *syncResult) answer() int {
	switch r.status {
	case strategy.StatusSendOK:
		return 0
	case strategy.StatusFlushDiskTimeout:
		return 10
	case strategy.StatusSlaveNotAvailable:
		return 11
	case strategy.StatusFlushSlaveTimeout:
		return 12
	}
	if r.code == 0 {
		return -1 // the broker has answered nothing
	}
	return r.code
}

// syncObserver collects them in the order in which they were sent.
type syncObserver struct {
	NopObserver
	w       *World
	results []syncResult
	// unheld counts the messages that were told SEND_OK and were in the log of fewer slaves than need
	// says at that time.
	need, unheld int
}

func (o *syncObserver) Scheduled(m *Message) {
	for uint64(len(o.results)) <= m.Number {
		o.results = append(o.results, syncResult{sent: -1, answered: -1})
	}
	o.results[m.Number].sent = sim.Duration(m.Scheduled)
}

func (o *syncObserver) CopyStored(c *Copy) {
	r := &o.results[c.Message.Number]
	r.stored, r.end = sim.Duration(c.At), o.w.procs[o.w.firstProc[c.Broker]].log.end
}

func (o *syncObserver) AttemptEnded(a *Attempt) {
	o.results[a.Number].code = a.Outcome.Code
}

func (o *syncObserver) Answered(a *Answer) {
	r := &o.results[a.Number]
	r.answered, r.status = sim.Duration(a.At), a.Result.Status
	if r.status != strategy.StatusSendOK {
		return
	}
	held := 0
	for p := range o.w.brokerProcs {
		if pr := &o.w.procs[p]; pr.id > 0 && pr.log.end >= r.end && pr.slave.missing < r.end {
			held++
		}
	}
	if held < o.need {
		o.unheld++
	}
}

// syncConfig is one SYNC_MASTER with slaves, RocketMQ's defaults, and a producer that waits for the
// broker's answer however long it takes.
func syncConfig(release string, slaves int) config.Config {
	cfg := configtest.Small("5.3.3", 1)
	cfg.Duration = 120 * sim.Second
	b := &cfg.Brokers[0]
	b.Release, b.Role, b.Slaves = release, config.SyncMaster, slaves
	profile, err := b.Profile()
	if err != nil {
		panic(err)
	}
	if profile.FewSendThreads {
		b.SendThreads = 1
	}
	b.SlaveTimeout = 3 * sim.Second
	b.SlaveFallbehindMax = 256 << 20
	b.HAHousekeepingInterval, b.HAHeartbeatInterval = 20*sim.Second, 5*sim.Second
	b.LogSize = 1 << 30
	p := &cfg.Producers[0]
	p.Rate, p.Arrivals, p.Threads = 20, config.Constant, 4096
	p.Settings.SendMsgTimeout, p.Settings.RetryTimesWhenSendFailed = 1_000_000, 0
	return cfg
}

// runSync runs a configuration to its end.
func runSync(t testing.TB, cfg config.Config) *syncObserver {
	t.Helper()
	o := &syncObserver{need: 1}
	o.w = New(cfg, o)
	for at := sim.Duration(0); at < cfg.Duration; at += sim.Second {
		runTo(t, o.w, at)
		if err := o.w.Check(); err != nil {
			t.Fatal(err)
		}
	}
	runTo(t, o.w, cfg.Duration)
	return o
}

// stretch is a part of a timeline: what those sent in it are answered, and how long they wait.
type stretch struct {
	what     string
	from, to sim.Duration
	code     int
	min, max sim.Duration // of the wait
}

// checkStretches holds results against a timeline.
func checkStretches(t *testing.T, name string, results []syncResult, want []stretch) {
	t.Helper()
	for _, s := range want {
		n, wrong := 0, ""
		for i := range results {
			r := &results[i]
			if r.sent < s.from || r.sent >= s.to {
				continue
			}
			n++
			if r.answered < 0 || r.answer() != s.code || r.took() < s.min || r.took() > s.max {
				wrong = fmt.Sprintf("sent at %v: code %d after %v", r.sent, r.answer(), r.took())
			}
		}
		switch {
		case n == 0:
			t.Errorf("%s, %s: nothing was sent", name, s.what)
		case wrong != "":
			t.Errorf("%s, %s (%v to %v): %s; want code %d after %v to %v", name, s.what, s.from, s.to, wrong,
				s.code, s.min, s.max)
		}
	}
}
