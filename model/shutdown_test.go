package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Orderly ends: SIGTERM in the order of the release, and rolling restarts.

// unregisteredAt notes when brokers left each name server, and what power losses destroyed.
type unregisteredAt struct {
	registeredAt
	left map[int32][]sim.Time
	lost int64
}

func (o *unregisteredAt) Process(p *ProcessEvent) {
	o.registeredAt.Process(p)
	switch p.What {
	case Unregistered:
		o.left[p.NameServer] = append(o.left[p.NameServer], p.At)
	case BytesLost:
		o.lost += p.Bytes
	}
}

func newUnregisteredAt() *unregisteredAt {
	return &unregisteredAt{
		registeredAt: registeredAt{at: map[int32][]sim.Time{}}, left: map[int32][]sim.Time{},
	}
}

func allMasters(cfg *config.Config) []config.Target {
	var out []config.Target
	for b := range cfg.Brokers {
		out = append(out, config.Target{Index: b})
	}
	return out
}

// When a broker that is shut down leaves its name servers (broker.md §10.6): in 5.3.3 before anything
// else; in 4.x last: 1 to 9 s later in 4.9.8, 3 to 11 s in 4.2.0. A healthy broker takes up to 3 s until
// a thread of its second server wakes, and the 1 s or 3 s that the store sleeps. The rest is for a
// scheduled registration that hangs at another name server, for which it waits 5 s.
//
// Source: BrokerController.shutdown, 4.2.0 and 4.9.8; shutdownBasicService, 5.3.3.
func TestWhenAShutdownUnregisters(t *testing.T) {
	t.Parallel()
	const at = 40 * sim.Second
	for _, c := range []struct {
		release            string
		hung               bool
		first, last, reach sim.Duration
	}{
		{"4.2.0", false, 3 * sim.Second, 6 * sim.Second, 5500 * sim.Millisecond},
		{"4.9.8", false, sim.Second, 4 * sim.Second, 3500 * sim.Millisecond},
		{"5.3.3", false, 0, 0, 0},
		{"4.9.8", true, sim.Second, 9 * sim.Second, 6 * sim.Second},
	} {
		cfg := nsConfig(c.release, 100, 2, 1)
		cfg.Topics[0].WriteQueueNums = 1
		cfg.Duration = 60 * sim.Second
		cfg.Faults = []config.Fault{{Name: "term", Kind: config.Shutdown, At: at, Targets: allMasters(&cfg)}}
		if c.hung {
			cfg.Faults = append(cfg.Faults, nsFault(config.Pause, 30*sim.Second, 0, 1))
		}
		obs := newUnregisteredAt()
		runTo(t, New(cfg, obs), cfg.Duration)
		got := obs.left[0]
		if len(got) != len(cfg.Brokers) {
			t.Fatalf("%s: %d of %d brokers left", c.release, len(got), len(cfg.Brokers))
		}
		first, last := got[0].Sub(sim.Time(at)), got[len(got)-1].Sub(sim.Time(at))
		if first < c.first || last > c.last+20*sim.Millisecond || last < c.reach {
			t.Errorf("%s, hung %v: left %v to %v after SIGTERM, want %v to %v", c.release, c.hung, first, last,
				c.first, c.last)
		}
	}
}

// shutdownConfig has two brokers that take 50 ms for a send, and a client that always has some with
// each; the first broker is shut down for 60 s.
func shutdownConfig(release string) config.Config {
	cfg := nsConfig(release, 2, 2, 40)
	cfg.Network.Latency = must(sim.Constant(100 * sim.Microsecond))
	for b := range cfg.Brokers {
		cfg.Brokers[b].Service = must(sim.Constant(50 * sim.Millisecond))
		cfg.Brokers[b].SendThreads = 64
		cfg.Brokers[b].Startup = 5 * sim.Second
	}
	p := &cfg.Producers[0]
	p.Threads, p.Rate = 16, 400
	cfg.Faults = []config.Fault{{
		Name: "term", Kind: config.Shutdown, At: 40 * sim.Second, Duration: 60 * sim.Second,
		Targets: []config.Target{{}},
	}}
	return cfg
}

// endObserver looks at the sends around a shutdown at `at`.
type endObserver struct {
	unregisteredAt
	at sim.Time
	// Of the first attempts on broker 0 that had begun before it and ended after it: how many, how many
	// of them timed out, failed at once, were stored afterwards.
	open, timedOut, failedAtOnce, stored int
	// crossed are requests that were written before the FIN came.
	crossed, refused, slow, failed, duplicates int
}

func (o *endObserver) AttemptEnded(a *Attempt) {
	if a.Queue.Broker != 0 || a.Ended <= o.at {
		return
	}
	if a.Began < o.at {
		o.open++
		switch a.Outcome.Kind {
		case strategy.OutcomeTimeout:
			o.timedOut++
		case strategy.OutcomeSendRequestFailed:
			o.failedAtOnce++
		}
		return
	}
	if a.Began < o.at.Add(100*sim.Microsecond) {
		o.crossed++
		return
	}
	if a.Outcome.Kind == strategy.OutcomeConnectFailed {
		o.refused++
		if a.Ended.Sub(a.Began) > sim.Millisecond {
			o.slow++
		}
	}
}

func (o *endObserver) CopyStored(c *Copy) {
	if c.Broker == 0 && c.At > o.at && c.At < o.at+sim.Time(10*sim.Second) {
		o.stored++
	}
	if c.Number > 1 {
		o.duplicates++
	}
}

func (o *endObserver) Answered(a *Answer) {
	if a.Result.Exception != 0 {
		o.failed++
	}
}

// A graceful restart of a master (broker.md §10.6). The requests it has are stored, but their replies are
// lost: a client up to 5.1.2 waits out its timeout, a later one tries elsewhere at once, which makes a
// duplicate. Then connects are refused within a round trip and the sends go elsewhere; the queues leave
// the lists within a poll of the unregistration; they are back within a poll of the start. The log is
// flushed, so a loss of power after the end destroys nothing.
//
// A cloud vendor announces the same of an upgrade (alibabacloud.com/notice/rmq20230803): interruptions,
// retries that help, duplicates.
//
// Source: BrokerController.shutdown, 4.9.8; shutdownBasicService, 5.3.3; NettyRemotingServer.shutdown and
// DefaultMessageStore.shutdown, 4.9.8 and 5.3.3.
func TestGracefulRestart(t *testing.T) {
	t.Parallel()
	const at, up = 40 * sim.Second, 105 * sim.Second
	for _, release := range []string{"4.9.8", "5.3.3"} {
		cfg := shutdownConfig(release)
		cfg.Faults = append(cfg.Faults, config.Fault{
			Name: "power", Kind: config.PowerLoss, At: 80 * sim.Second, Duration: 5 * sim.Second,
			Targets: []config.Target{{}},
		})
		obs := &endObserver{unregisteredAt: *newUnregisteredAt(), at: sim.Time(at)}
		w := New(cfg, obs)
		runTo(t, w, 75*sim.Second)
		if n := w.Routed(0, 0); n != 0 {
			t.Errorf("%s: %d clients list the broker 35 s later", release, n)
		}
		runTo(t, w, up+30*sim.Second)
		if n := w.Routed(0, 0); n != 40 {
			t.Errorf("%s: %d clients list the broker 30 s after its start", release, n)
		}
		runTo(t, w, cfg.Duration)
		if obs.open < 3 || obs.stored != obs.open {
			t.Errorf("%s: %d sends in flight at the end, %d stored after it", release, obs.open, obs.stored)
		}
		timeouts, atOnce, duplicates, failed := obs.open, 0, 0, obs.open+obs.crossed
		if release == "5.3.3" {
			timeouts, atOnce, duplicates, failed = 0, obs.open, obs.open, 0
		}
		if obs.timedOut != timeouts || obs.failedAtOnce != atOnce || obs.duplicates != duplicates ||
			obs.failed != failed {
			t.Errorf("%s: of %d in flight %d timed out, %d failed at once; %d duplicates, %d sends failed",
				release, obs.open, obs.timedOut, obs.failedAtOnce, obs.duplicates, obs.failed)
		}
		if obs.refused == 0 || obs.slow > 0 {
			t.Errorf("%s: %d connects refused, %d of them slowly", release, obs.refused, obs.slow)
		}
		if obs.lost > 0 {
			t.Errorf("%s: the loss of power after the shutdown destroys %d bytes", release, obs.lost)
		}
		if got := obs.within(0, up); got != 1 {
			t.Errorf("%s: the broker registers %d times within a second of its start", release, got)
		}
	}
}

// within is how many registrations a name server had within a second from an instant on.
func (o *registeredAt) within(ns int32, from sim.Duration) (n int) {
	for _, at := range o.at[ns] {
		if at >= sim.Time(from) && at < sim.Time(from+sim.Second) {
			n++
		}
	}
	return n
}

// A started broker registers at once, 10 s later, and then each period (broker.md §5).
//
// Source: BrokerController.start, 4.9.8 and 5.3.3.
func TestStartedBrokerRegisters(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.8", "5.3.3"} {
		cfg := nsConfig(release, 1, 1, 1)
		cfg.Faults = []config.Fault{{
			Name: "kill", Kind: config.Kill, At: 10 * sim.Second, Duration: 10 * sim.Second,
			Targets: []config.Target{{}},
		}}
		w := New(cfg, nil)
		for _, at := range []sim.Duration{20, 30, 60, 90} {
			runTo(t, w, at*sim.Second+sim.Millisecond)
			if got := w.regs[0].lastUpdate; got != sim.Time(at*sim.Second) {
				t.Errorf("%s: at %v s the last registration was at %v", release, int64(at), got)
			}
			runTo(t, w, at*sim.Second+9*sim.Second)
			if got := w.regs[0].lastUpdate; got != sim.Time(at*sim.Second) {
				t.Errorf("%s: a registration at %v", release, got)
			}
		}
	}
}

// The shutdown of a name server closes its connections, as a kill does: brokers and clients know at once.
//
// Source: NamesrvController.shutdown, 4.9.8 and 5.3.3.
func TestShutdownOfANameServer(t *testing.T) {
	t.Parallel()
	cfg := nsConfig("4.9.8", 3, 2, 20)
	cfg.Faults = []config.Fault{nsFault(config.Shutdown, 40*sim.Second, 30*sim.Second, 0)}
	obs := &registeredAt{at: map[int32][]sim.Time{}}
	w := New(cfg, obs)
	runTo(t, w, 70*sim.Second)
	for i := range w.insts {
		if w.insts[i].lookups.nameServer == 0 {
			t.Errorf("client %d still uses the name server", i)
		}
	}
	runTo(t, w, 101*sim.Second)
	if n := len(obs.at[0]); n != 3 {
		t.Errorf("%d brokers registered within 30 s of the start", n)
	}
}

// A shutdown commits and flushes the transient store pool, which a kill would destroy.
//
// Source: CommitLog.CommitRealTimeService.run and FlushRealTimeService.run (at the end), 4.9.8 and 5.3.3.
func TestShutdownCommitsThePool(t *testing.T) {
	t.Parallel()
	for _, kind := range []config.FaultKind{config.Kill, config.Shutdown} {
		cfg := shutdownConfig("5.3.3")
		b := &cfg.Brokers[0]
		b.TransientStorePool, b.CommitInterval = true, 200*sim.Millisecond
		b.CommitLeastPages, b.CommitThoroughInterval = 1000, 200*sim.Second
		cfg.Faults[0].Kind = kind
		obs := newUnregisteredAt()
		w := New(cfg, obs)
		runTo(t, w, 60*sim.Second)
		if (obs.lost > 0) != (kind == config.Kill) {
			t.Errorf("%v destroys %d bytes", kind, obs.lost)
		}
		if log := &w.procs[0].log; log.end != log.flushed {
			t.Errorf("%v: the log ends at %d, %d flushed", kind, log.end, log.flushed)
		}
	}
}
