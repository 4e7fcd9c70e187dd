package model

import (
	"runtime"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// Name servers that end, hang and come back: what brokers and clients make of it.

// nsConfig has brokers, name servers and idle clients; the wire takes no time.
func nsConfig(release string, brokers, servers, instances int) config.Config {
	cfg := configtest.Small(release, brokers)
	cfg.Network.Latency = must(sim.Constant(sim.Duration(0)))
	cfg.NameServers = nil
	for i := range servers {
		cfg.NameServers = append(cfg.NameServers, config.NameServer{
			Name: string(rune('1' + i)), Release: release, Startup: sim.Second,
		})
	}
	p := &cfg.Producers[0]
	p.Count, p.Threads, p.Rate = instances, 1, 0.001
	cfg.Duration = 200 * sim.Second
	return cfg
}

func nsFault(kind config.FaultKind, at, duration sim.Duration, servers ...int) config.Fault {
	f := config.Fault{Name: "f", Kind: kind, At: at, Duration: duration}
	for _, n := range servers {
		f.Targets = append(f.Targets, config.Target{Kind: config.NameServerTarget, Index: n})
	}
	return f
}

// registeredAt notes when brokers registered anew with each name server.
type registeredAt struct {
	NopObserver
	at map[int32][]sim.Time
}

func (o *registeredAt) Process(p *ProcessEvent) {
	if p.What == Registered {
		o.at[p.NameServer] = append(o.at[p.NameServer], p.At)
	}
}

// A name server that starts again knows nothing until the brokers register, which each does once in
// 30 s (broker.md §5). If it was killed, its FIN has told them, and they make a new connection. If it
// lost its power, the first registration meets the RST of a connection that it does not know, and the
// next one, 30 s later, makes the new one; 5.3.3 finds that out with its cluster polls, 5 s apart.
//
// Source: BrokerController.start and NettyRemotingClient.invokeSync, 4.9.8 and 5.3.3.
func TestNameServerIsEmptyAfterRestart(t *testing.T) {
	t.Parallel()
	const at, off = 40 * sim.Second, 5 * sim.Second
	for _, c := range []struct {
		release string
		kind    config.FaultKind
		within  sim.Duration
	}{
		{"4.9.8", config.Kill, 30 * sim.Second},
		{"5.3.3", config.Kill, 30 * sim.Second},
		{"4.9.8", config.PowerLoss, 54 * sim.Second}, // 60 s less the 6 s in which it was not there
		{"5.3.3", config.PowerLoss, 32 * sim.Second},
	} {
		cfg := nsConfig(c.release, 50, 1, 20)
		cfg.Faults = []config.Fault{nsFault(c.kind, at, off, 0)}
		obs := &registeredAt{at: map[int32][]sim.Time{}}
		w := New(cfg, obs)
		up := at + off + cfg.NameServers[0].Startup
		runTo(t, w, up)
		if got := obs.at[0]; len(got) > 0 {
			t.Errorf("%s, %v: registered at %v, before the port opened", c.release, c.kind, got[0])
		}
		for b := range cfg.Brokers {
			if e := w.entry(0, int32(b), 0); e != 0 {
				t.Errorf("%s, %v: after the restart the name server knows broker %d: %x", c.release, c.kind, b, e)
			}
		}
		runTo(t, w, cfg.Duration)
		got := obs.at[0]
		if len(got) != len(cfg.Brokers) {
			t.Fatalf("%s, %v: %d brokers registered", c.release, c.kind, len(got))
		}
		first, last := got[0].Sub(sim.Time(up)), got[len(got)-1].Sub(sim.Time(up))
		if last > c.within || last < c.within-4*sim.Second {
			t.Errorf("%s, %v: registered between %v and %v after the start, want up to %v", c.release,
				c.kind, first, last, c.within)
		}
		for b := range cfg.Brokers { // code 17 leaves the old route
			if n := w.Routed(0, b); n != cfg.Producers[0].Count {
				t.Errorf("%s, %v: %d clients list broker %d, want all", c.release, c.kind, n, b)
			}
		}
	}
}

// A client sticks to its name server and takes the next one when its channel is unusable (client.md
// §6): at the next poll after the FIN of a killed one; after a silent death at the poll after the one
// that timed out, from 4.9.1; before, never, because the channel stays in use.
//
// Source: NettyRemotingClient.getAndCreateNameserverChannel and invokeSync, 4.9.0, 4.9.8 and 5.3.3.
func TestClientMovesOnToTheNextNameServer(t *testing.T) {
	t.Parallel()
	const at, instances = 40 * sim.Second, 60
	for _, c := range []struct {
		release string
		kind    config.FaultKind
		within  sim.Duration // 0: never
	}{
		{"4.9.0", config.Kill, 30 * sim.Second},
		{"4.9.8", config.Kill, 30 * sim.Second},
		{"5.3.3", config.Kill, 30 * sim.Second},
		{"4.9.0", config.PowerLoss, 0},
		{"4.9.8", config.PowerLoss, 60 * sim.Second},
		{"5.3.3", config.PowerLoss, 60 * sim.Second},
		{"4.9.0", config.Pause, 0},
		{"4.9.8", config.Pause, 60 * sim.Second},
		{"5.3.3", config.Pause, 60 * sim.Second},
		{"4.9.8", config.Shutdown, 30 * sim.Second},
		{"4.9.8", config.Vanish, 30 * sim.Second},
		{"4.9.8", config.BlackHole, 60 * sim.Second},
		{"4.9.8", config.CablePull, 60 * sim.Second},
	} {
		cfg := nsConfig(c.release, 1, 2, instances)
		cfg.Faults = []config.Fault{nsFault(c.kind, at, 0, 0)}
		w := New(cfg, nil)
		runTo(t, w, at)
		on := func() (n int) {
			for i := range w.insts {
				if w.insts[i].lookups.nameServer == 0 {
					n++
				}
			}
			return n
		}
		before := on()
		if before < instances/4 || before > instances*3/4 {
			t.Errorf("%s: %d of %d clients begin with the first name server", c.release, before, instances)
		}
		runTo(t, w, at+max(c.within-sim.Second, 0))
		late := on()
		runTo(t, w, at+c.within)
		if c.within == 0 {
			runTo(t, w, cfg.Duration)
			late = on()
		}
		after := on()
		switch {
		case c.within == 0 && after != before:
			t.Errorf("%s, %v: %d of %d clients left the name server", c.release, c.kind, before-after, before)
		case c.within > 0 && after > 0:
			t.Errorf("%s, %v: %d clients still use the name server after %v", c.release, c.kind, after, c.within)
		case c.within > 0 && (late == 0 || late > before/3):
			t.Errorf("%s, %v: %d of %d clients still use it one second before", c.release, c.kind, late, before)
		}
	}
}

// lookupConfig has one broker with a slave whose master is killed, so that every send asks the name
// server, and a message a second from 75 s on; the name server hangs from 80 s on.
func lookupConfig(release string, hang sim.Duration) config.Config {
	cfg := nsConfig(release, 1, 1, 1)
	cfg.Brokers[0].Slaves = 1
	cfg.Faults = []config.Fault{
		{Name: "kill", Kind: config.Kill, At: 10 * sim.Second, Targets: []config.Target{{}}},
		nsFault(config.Pause, 80*sim.Second, hang, 0),
	}
	p := &cfg.Producers[0]
	p.Arrivals, p.Rate, p.Threads = config.Constant, 1, 64
	p.PollNameServerInterval = 47 * sim.Second
	return cfg
}

// The budget is also spent on the name server (apache/rocketmq issue 2845). A lookup that hangs ends after
// its own 3 s, whatever the timeout of the send: from 4.6.0 with an IllegalStateException; before, the
// send goes on to find no route, code 10005. No broker is touched. Threads take turns to look up; who has
// waited 3 s for its turn goes on without.
//
// Source: MQClientInstance.updateTopicRouteInfoFromNameServer, 4.5.2 and 4.6.0.
func TestSendWithoutRouteWaitsForTheNameServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		throws  bool
	}{{"4.5.2", false}, {"4.6.0", true}, {"4.9.8", true}, {"5.3.3", true}} {
		cfg := lookupConfig(c.release, 0)
		cfg.Producers[0].Settings.SendMsgTimeout = 1000
		cfg.Duration = 90 * sim.Second
		obs := &answers{}
		runTo(t, New(cfg, obs), cfg.Duration)
		thrown, noRoute := 0, 0
		for _, a := range obs.all {
			took := a.At.Sub(a.Scheduled)
			switch {
			case a.Scheduled < sim.Time(60*sim.Second):
			case a.Attempts > 0:
				t.Errorf("%s: a send at %v has %d attempts", c.release, a.Scheduled, a.Attempts)
			case a.Scheduled < sim.Time(80*sim.Second) && a.At < sim.Time(80*sim.Second):
				if a.Result.Code != strategy.CodeNotFoundTopic || took != 0 {
					t.Errorf("%s: before, a send ends with %v %d after %v", c.release, a.Result.Exception,
						a.Result.Code, took)
				}
			case a.Result.Exception == strategy.IllegalStateException:
				thrown++
			case a.Result.Code == strategy.CodeNotFoundTopic:
				noRoute++
				if took < 3*sim.Second {
					t.Errorf("%s: no route after %v", c.release, took)
				}
			}
			if took > 6*sim.Second+20*sim.Millisecond {
				t.Errorf("%s: a send took %v", c.release, took)
			}
		}
		if c.throws != (thrown > 0) || noRoute == 0 {
			t.Errorf("%s: %d sends throw, %d find no route", c.release, thrown, noRoute)
		}
	}
}

// A lookup that is answered after d leaves the send its timeout less d for the attempt (apache/rocketmq
// issue 2845).
func TestLookupComesOffTheBudget(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.8", "5.3.3"} {
		cfg := nsConfig(release, 1, 1, 1)
		cfg.Brokers[0].Slaves = 1
		cfg.Faults = []config.Fault{
			nsFault(config.Pause, 20*sim.Second, 2*sim.Second, 0),
			{Name: "hang", Kind: config.Pause, At: 20 * sim.Second, Targets: []config.Target{{}}},
		}
		cfg.Producers[0].PollNameServerInterval = 10_000 * sim.Hour
		cfg.Producers[0].HeartbeatBrokerInterval = 10_000 * sim.Hour
		obs := &answers{}
		w := New(cfg, obs)
		runTo(t, w, 20*sim.Second)
		w.routes[0], w.masters[0] = 2, false // as if it had polled while only the slave was there
		w.views[0].route = w.newRoute(0, 0)
		w.arrive(0)
		runTo(t, w, 30*sim.Second)
		if len(obs.all) != 1 {
			t.Fatalf("%s: %d sends ended", release, len(obs.all))
		}
		a := obs.all[0]
		if took := a.At.Sub(a.Scheduled); a.Attempts != 1 || a.FirstOutcome != strategy.OutcomeTimeout ||
			took < 3000*sim.Millisecond || took > 3010*sim.Millisecond {
			t.Errorf("%s: the send ends after %v, %d attempts, the first %v", release, took, a.Attempts,
				a.FirstOutcome)
		}
	}
}

// Polls and heartbeats share one thread, so a name server that hangs holds the heartbeats up: by the 3 s
// of one lookup, to 4.5.2 by those of the default topic's as well.
//
// Source: MQClientInstance.startScheduledTask, 4.5.2 and 4.9.8.
func TestHangingNameServerDelaysHeartbeats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		late    sim.Duration
	}{{"4.5.2", 6 * sim.Second}, {"4.9.8", 3 * sim.Second}, {"5.3.3", 3 * sim.Second}} {
		cfg := nsConfig(c.release, 1, 1, 1)
		cfg.Faults = []config.Fault{nsFault(config.Pause, 31*sim.Second, 0, 0)}
		w := New(cfg, nil)
		poll := w.phase(ownerInstance(0), phaseRoutePoll, 30*sim.Second) + 60*sim.Second
		runTo(t, w, poll+releases.HeartbeatAfterPoll)
		if w.insts[0].beatDue == 0 {
			t.Errorf("%s: the heartbeat is not put off", c.release)
		}
		runTo(t, w, poll+c.late-sim.Millisecond)
		if w.insts[0].beatDue == 0 {
			t.Errorf("%s: the heartbeat has run before %v", c.release, c.late)
		}
		runTo(t, w, poll+c.late+20*sim.Millisecond)
		if w.insts[0].beatDue != 0 || w.insts[0].busy {
			t.Errorf("%s: the heartbeat has not run after %v", c.release, c.late)
		}
	}
}

// A registration that hangs leaves those with other name servers alone, from 4.3.0; before, one name
// server follows the other, and the ones behind wait for 6 s (broker.md §5 and the source).
//
// Source: BrokerOuterAPI.registerBrokerAll, 4.2.0 and 4.3.0.
func TestHangingNameServerAndOtherRegistrations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		late    sim.Duration
	}{{"4.2.0", 6 * sim.Second}, {"4.3.0", 0}, {"4.9.8", 0}, {"5.3.3", 0}} {
		cfg := nsConfig(c.release, 1, 2, 1)
		cfg.Faults = []config.Fault{nsFault(config.Pause, 31*sim.Second, 0, 0)}
		w := New(cfg, nil)
		due := w.phase(ownerProcess(0), phaseRegister, 30*sim.Second) + 60*sim.Second
		runTo(t, w, due+10*sim.Second)
		last := w.regs[w.regIndex(1, 0)].lastUpdate.Sub(sim.Time(due))
		if last != c.late {
			t.Errorf("%s: the second name server heard of the broker %v after it was due, want %v",
				c.release, last, c.late)
		}
	}
}

// A name server that hung for longer than a registration waits for its answer forgets the brokers when it
// goes on: it finds the FINs of the connections that timed out (from 4.9.1). That are those which have
// registered more than 6 s ago, in 5.x more than 24 s. They are back with their next registration.
//
// Source: NettyRemotingClient.invokeSync, 4.9.1, and RouteInfoManager.onChannelDestroy, 4.9.8.
func TestNameServerThatHungForgetsBrokers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release  string
		from, to int // of 100 brokers
	}{{"4.9.0", 100, 100}, {"4.9.8", 10, 30}, {"5.3.3", 70, 90}} {
		cfg := nsConfig(c.release, 100, 1, 1)
		cfg.Faults = []config.Fault{nsFault(config.Pause, 40*sim.Second, 60*sim.Second, 0)}
		w := New(cfg, nil)
		known := func() (n int) {
			for b := range cfg.Brokers {
				if w.entry(0, int32(b), 0) != 0 {
					n++
				}
			}
			return n
		}
		runTo(t, w, 100*sim.Second)
		if got := known(); got < c.from || got > c.to {
			t.Errorf("%s: the name server knows %d brokers when it goes on, want %d to %d", c.release, got,
				c.from, c.to)
		}
		runTo(t, w, 130*sim.Second)
		if got := known(); got != len(cfg.Brokers) {
			t.Errorf("%s: 30 s later the name server knows %d of %d brokers", c.release, got, len(cfg.Brokers))
		}
	}
}

// A poll, a heartbeat and a registration allocate nothing.
func TestNoAllocationPerPoll(t *testing.T) {
	cfg := nsConfig("5.3.3", 2, 3, 2000)
	cfg.Duration = 700 * sim.Second
	w := New(cfg, nil)
	runTo(t, w, 100*sim.Second)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runTo(t, w, 700*sim.Second)
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n > 1000 {
		t.Errorf("%d allocations for 40000 polls", n)
	}
}
