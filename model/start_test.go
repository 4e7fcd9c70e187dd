package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Cold starts, by hand: the network takes a millisecond each way.

const coldWay = sim.Millisecond

// coldConfig has instances that start at 0 and send when at says.
func coldConfig(release string, brokers int, at ...sim.Duration) config.Config {
	cfg := configtest.Small(release, brokers)
	cfg.Duration = 10 * sim.Second
	cfg.Start.Cold = true
	cfg.Network.Latency = must(sim.Constant(coldWay))
	p := &cfg.Producers[0]
	p.Arrivals, p.Rate = config.RecordedArrivals, 0
	for _, t := range at {
		p.Recorded = append(p.Recorded, config.Arrival{At: t})
	}
	return cfg
}

// The first send to a topic looks up its route, the first one to each broker connects, and only those
// (client.md §5: "First send of an unknown topic: sync lookup"; §6 connects). The poll after 10 ms (§5) has
// opened the connection to the name server by then; a send before that waits for this, too.
func TestFirstSendsLookUpAndConnect(t *testing.T) {
	t.Parallel()
	const ms = sim.Millisecond
	const send = 2*coldWay + 400*sim.Microsecond
	for _, release := range append([]string{"4.2.0"}, testReleases...) {
		for _, first := range []sim.Duration{5 * ms, 100 * ms} {
			cfg := coldConfig(release, 2, first, 200*ms, 300*ms, 400*ms, 500*ms, 600*ms, 700*ms, 800*ms, 900*ms)
			var log attemptLog
			runWorld(t, cfg, &log)
			met := map[strategy.Broker]bool{}
			for i, a := range log.attempts {
				want, lookup := send, sim.Duration(0)
				if i == 0 {
					lookup = 2 * coldWay
					if first < firstPoll {
						lookup += 2 * coldWay
					}
				}
				if !met[a.Queue.Broker] {
					want += 2 * coldWay
				}
				met[a.Queue.Broker] = true
				if a.Began.Sub(a.Scheduled) != lookup || a.Ended.Sub(a.Began) != want {
					t.Errorf("%s: attempt %d at broker %d began after %v and took %v, want %v and %v", release, i,
						a.Queue.Broker, a.Began.Sub(a.Scheduled), a.Ended.Sub(a.Began), lookup, want)
				}
			}
			if len(log.attempts) != 9 || len(met) != 2 {
				t.Errorf("%s: %d attempts at %d brokers", release, len(log.attempts), len(met))
			}
		}
	}
}

// The heartbeat after a second connects to every master of the routes that are known (client.md §5: "first
// 1000 ms"), so that a later first send to one finds its connection.
func TestFirstHeartbeatConnects(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := coldConfig(release, 4, 990*sim.Millisecond)
		w := New(cfg, nil)
		open := func() (n int) {
			for b := range int32(4) {
				if w.chans[w.channelOf(0, b)].state == channelOpen {
					n++
				}
			}
			return n
		}
		runTo(t, w, 999*sim.Millisecond)
		if n := open(); n != 1 {
			t.Errorf("%s: %d connections after one send", release, n)
		}
		runTo(t, w, 1030*sim.Millisecond)
		if n := open(); n != 4 {
			t.Errorf("%s: %d connections after the heartbeat", release, n)
		}
	}
}

// A first send whose handshake makes it last 550 ms or more isolates a healthy broker (client.md §1: "it
// spans the whole kernel call, connect and channel-lock waits included").
func TestSlowFirstConnectIsolates(t *testing.T) {
	t.Parallel()
	cfg := coldConfig("4.9.8", 2, 2*sim.Second, 4*sim.Second)
	cfg.Network.Latency = must(sim.Constant(150 * sim.Millisecond))
	cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	r := record(t, cfg)
	var log attemptLog
	w := New(cfg, &log)
	runTo(t, w, 3*sim.Second)
	if n := w.Avoiding(0, 0) + w.Avoiding(0, 1); n != 1 {
		t.Errorf("%d brokers are avoided after the first send\n%v", n, r.lines)
	}
	a := log.attempts[0]
	if took := a.Ended.Sub(a.Began); a.Outcome.Kind != strategy.OutcomeOK || took < 600*sim.Millisecond {
		t.Errorf("%+v", a)
	}
}

// Instances start evenly over the spread. What comes before goes to those that have started, so nobody
// waits longer than for the first of them; and each first send of a storm is as quick as one alone, as name
// servers have all the time in the world in this model.
func TestStartStorm(t *testing.T) {
	t.Parallel()
	for _, spread := range []sim.Duration{0, 4 * sim.Second} {
		cfg := coldConfig("5.3.3", 3)
		cfg.Start.Spread = spread
		p := &cfg.Producers[0]
		p.Arrivals, p.Recorded, p.Rate, p.Count, p.Threads = config.Poisson, nil, 2000, 300, 4
		var log attemptLog
		w := runWorld(t, cfg, &log)
		started := make([]int, 4)
		for i := range w.insts {
			at := w.startOf(int32(i))
			if spread > 0 {
				started[at*4/spread]++
			}
			if at < 0 || at > spread {
				t.Fatalf("instance %d starts at %v", i, at)
			}
		}
		for _, n := range started {
			if spread > 0 && (n < 50 || n > 100) {
				t.Errorf("starts by quarter: %v", started)
			}
		}
		var worst sim.Duration
		for _, a := range log.answers {
			if a.Attempts != 1 || a.Result.Status != strategy.StatusSendOK {
				t.Fatalf("%+v", a)
			}
			if at := w.startOf(a.Instance); a.Began < sim.Time(at) {
				t.Fatalf("message %d was sent at %v by an instance that started at %v", a.Number, a.Began, at)
			}
			if a.Scheduled > sim.Time(200*sim.Millisecond) {
				worst = max(worst, a.At.Sub(a.Scheduled))
			}
		}
		// Lookup, connecting, sending; at most there is a name server to connect to, and a turn behind the poll.
		if limit := 10*coldWay + sim.Millisecond; worst < 6*coldWay || worst > limit {
			t.Errorf("spread over %v: the slowest took %v", spread, worst)
		}
		if len(log.answers) < 19_000 {
			t.Errorf("%d answers", len(log.answers))
		}
	}
}

// The Go client starts the same way: its first send asks each name server until one answers, and dials
// (client.md §9).
func TestGoStartsCold(t *testing.T) {
	t.Parallel()
	cfg := coldConfig("5.3.3", 2, 100*sim.Millisecond, 200*sim.Millisecond, 5*sim.Second)
	p := &cfg.Producers[0]
	p.Client, p.Release = config.GoClient, "2.1.2"
	var log attemptLog
	runWorld(t, cfg, &log)
	const send = 2*coldWay + 400*sim.Microsecond
	first, last := log.attempts[0], log.attempts[2]
	waited, took := first.Began.Sub(first.Scheduled), first.Ended.Sub(first.Began)
	if waited < 2*coldWay || took != 2*coldWay+send {
		t.Errorf("the first began after %v and took %v", waited, took)
	}
	if last.Ended.Sub(last.Scheduled) != send {
		t.Errorf("the last took %v", last.Ended.Sub(last.Scheduled))
	}
}

// A closed loop begins with its instances.
func TestClosedLoopStartsCold(t *testing.T) {
	t.Parallel()
	cfg := closedConfig(3, sim.Millisecond, sim.Millisecond)
	cfg.Start = config.Start{Cold: true, Spread: 3 * sim.Second}
	cfg.Duration, cfg.Producers[0].Count = 5*sim.Second, 20
	var log scheduledLog
	w := New(cfg, &log)
	runTo(t, w, cfg.Duration)
	first := map[int32]sim.Time{}
	for _, m := range log.messages {
		if _, met := first[m.Instance]; !met {
			first[m.Instance] = m.Scheduled
		}
	}
	for i := range w.insts {
		at := sim.Time(w.startOf(int32(i)))
		if f := first[int32(i)]; f < at || f > at.Add(20*sim.Millisecond) {
			t.Errorf("instance %d starts at %v and sends at %v", i, at, f)
		}
	}
}

// Messages that come before any instance is up wait for the first one that will be, and for nobody else.
func TestMessagesWaitForTheFirstStart(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		cfg := coldConfig("5.3.3", 2, sim.Millisecond, 2*sim.Millisecond, 3*sim.Millisecond)
		cfg.Seed, cfg.Start.Spread = seed, 5*sim.Second
		cfg.Producers[0].Count = 4
		var log attemptLog
		w := runWorld(t, cfg, &log)
		first := min(w.startOf(0), w.startOf(1), w.startOf(2), w.startOf(3))
		if first < 3*sim.Millisecond {
			continue
		}
		for _, a := range log.attempts {
			if wait := a.Began.Sub(sim.Time(first)); wait < 0 || wait > 10*coldWay {
				t.Errorf("seed %d: message %d was sent %v after the first start", seed, a.Number, wait)
			}
		}
		if len(log.attempts) != 3 {
			t.Errorf("seed %d: %d attempts", seed, len(log.attempts))
		}
	}
}
