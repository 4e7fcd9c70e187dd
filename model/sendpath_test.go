package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// What the send path does with more than it can take: requests queue up, are refused, are swept out of
// the queue. Times are RocketMQ's defaults: 200 ms in the queue, a sweep each 10 ms, page cache busy
// after a second.

// attemptLog keeps every attempt and answer.
type attemptLog struct {
	NopObserver
	attempts []Attempt
	answers  []Answer
}

func (l *attemptLog) AttemptEnded(a *Attempt) { l.attempts = append(l.attempts, *a) }
func (l *attemptLog) Answered(a *Answer)      { l.answers = append(l.answers, *a) }

// coded are the attempts that ended with a response code.
func (l *attemptLog) coded(code int) []Attempt {
	var out []Attempt
	for _, a := range l.attempts {
		if a.Outcome.Kind == strategy.OutcomeBrokerError && a.Outcome.Code == code {
			out = append(out, a)
		}
	}
	return out
}

// sentTo counts the attempts on a broker that began within a span.
func (l *attemptLog) sentTo(broker strategy.Broker, from, span sim.Duration) int {
	n := 0
	for _, a := range l.attempts {
		if at := a.Began.Sub(sim.Time(from)); a.Queue.Broker == broker && at >= 0 && at < span {
			n++
		}
	}
	return n
}

// failed are the answers with an exception.
func (l *attemptLog) failed() []Answer {
	var out []Answer
	for _, a := range l.answers {
		if a.Result.Status == strategy.StatusNone {
			out = append(out, a)
		}
	}
	return out
}

// took is how long an attempt took.
func (a *Attempt) took() sim.Duration { return a.Ended.Sub(a.Began) }

// limitedConfig is a cluster of n brokers with the default limits, each with one send thread and 1000
// messages a second in equal distances, more than the client's threads ever wait for.
func limitedConfig(client, broker string, n int) config.Config {
	cfg := configtest.Small(client, n)
	cfg.Duration = 20 * sim.Second
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		b.Release, b.SendThreads = broker, 1
		b.Service = must(sim.Constant(100 * sim.Microsecond))
	}
	setSendPath(&cfg, 10*sim.Microsecond)
	p := &cfg.Producers[0]
	p.Threads, p.Rate, p.Arrivals = 4000, 1000*float64(n), config.Constant
	return cfg
}

// strikeOne adds a fault of the first master from 10 s on.
func strikeOne(cfg *config.Config, kind config.FaultKind, lasts sim.Duration) {
	cfg.Faults = append(cfg.Faults, config.Fault{
		Name: kind.String(), Kind: kind, Targets: []config.Target{{}}, At: 10 * sim.Second, Duration: lasts,
	})
}

// broker.md §4: "removes head requests that waited >= waitTimeMillsInSendQueue 200 ms with
// [TIMEOUT_CLEAN_QUEUE]"; apache/rocketmq issue 2542: the append lock held for 300 ms at 1000/s makes a
// burst of 90 to 100 busy replies: what arrived in the first 100 ms, less up to one sweep. Clients before
// 5.3.0 fail with them, later ones send them elsewhere.
func TestLockHeldMakesBurstOfBusyReplies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		client string
		fails  bool
	}{{"4.9.8", true}, {"5.2.0", true}, {"5.3.0", false}, {"5.3.3", false}} {
		cfg := limitedConfig(c.client, "4.9.8", 2)
		strikeOne(&cfg, config.LockHold, 300*ms)
		var log attemptLog
		w := runWorld(t, cfg, &log)
		busy := log.coded(strategy.CodeSystemBusy)
		early, late := log.sentTo(0, 10*second, 89*ms), log.sentTo(0, 10*second, 100*ms)
		if n := len(busy); n < early-1 || n > late || late < 80 || late > 120 {
			t.Errorf("client %s: %d busy replies, want %d to %d", c.client, n, early, late)
		}
		if refused := w.Load(0).Refused[RefusedTimeInQueue]; refused != int64(len(busy)) {
			t.Errorf("client %s: %d busy replies, %d by the broker's account", c.client, len(busy), refused)
		}
		want := 0
		if c.fails {
			want = len(busy)
		}
		if n := len(log.failed()); n != want {
			t.Errorf("client %s: %d sends failed after %d busy replies, want %d", c.client, n, len(busy), want)
		}
	}
}

// broker.md §4: "a request is answered SYSTEM_BUSY after 200-210 ms in the queue"; apache/rocketmq issue
// 3169: busy if and only if the time in the queue reaches the limit, and at most one sweep later.
func TestTimeInQueueDecides(t *testing.T) {
	t.Parallel()
	for _, limit := range []sim.Duration{200 * ms, 1000 * ms} {
		cfg := limitedConfig("5.3.3", "5.3.3", 1)
		cfg.Brokers[0].WaitTimeInQueue = limit
		cfg.Producers[0].Rate = 200
		cfg.Brokers[0].Service = must(sim.Exponential(6 * ms)) // more than it can take
		var log attemptLog
		runWorld(t, cfg, &log)
		busy, wire := 0, 200*sim.Microsecond
		for _, a := range log.attempts {
			took := a.took() - wire
			switch a.Outcome.Kind {
			case strategy.OutcomeOK:
				if took > limit+sweepPeriod+100*ms { // and the service
					t.Fatalf("served after %v in spite of a limit of %v", took, limit)
				}
			case strategy.OutcomeBrokerError:
				busy++
				if took < limit || took > limit+sweepPeriod {
					t.Fatalf("busy after %v, want %v to %v", took, limit, limit+sweepPeriod)
				}
			}
		}
		if busy < 100 {
			t.Errorf("only %d busy replies of %d", busy, len(log.attempts))
		}
	}
}

// broker.md §4: "So a disk stall of D s: first 1 s requests pile up; then every request is refused in
// ~0 ms until the holder returns"; fast failure meanwhile answers what waits 200-210 ms, and empties
// the queue when the page cache becomes busy.
func TestDiskStallTimeline(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.3.3"} {
		cfg := limitedConfig("4.8.0", release, 1) // whose timeouts close no connection
		strikeOne(&cfg, config.DiskStall, 5*sim.Second)
		var log attemptLog
		runWorld(t, cfg, &log)
		from := sim.Time(10 * sim.Second)
		held := 0
		for _, a := range log.attempts {
			at, took := a.Began.Sub(from), a.took()
			switch {
			case at < -ms || at > 5*sim.Second:
				if a.Outcome.Kind != strategy.OutcomeOK {
					t.Fatalf("%s: %v at %v, without a stall", release, a.Outcome, at)
				}
			case a.Outcome.Kind == strategy.OutcomeTimeout:
				held++ // it has the lock
			case at > sim.Second+20*ms && (a.Outcome.Code != strategy.CodeSystemBusy || took > ms):
				t.Fatalf("%s: %v after %v at %v, want refused at once", release, a.Outcome, took, at)
			case at > 10*ms && at < 780*ms && (took < 200*ms || took > 211*ms):
				t.Fatalf("%s: %v after %v at %v, want busy after 200-210 ms", release, a.Outcome, took, at)
			}
		}
		if held != 1 {
			t.Errorf("%s: %d sends timed out, want the one that has the lock", release, held)
		}
	}
}

// apache/rocketmq issues 3948 and 2709: what a stalled disk does to the queue has two names, whatever the
// load. Requests are swept out when they reach the limit (402 ms with one of 400), and younger ones when
// the page cache becomes busy (357 ms).
func TestStallHasTwoKindsOfBusy(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{50, 3000} {
		cfg := limitedConfig("4.9.2", "4.9.2", 1)
		cfg.Brokers[0].WaitTimeInQueue, cfg.Producers[0].Rate = 400*ms, rate
		strikeOne(&cfg, config.DiskStall, 2*sim.Second)
		var log attemptLog
		w := runWorld(t, cfg, &log)
		refused := w.Load(0).Refused
		late, young := refused[RefusedTimeInQueue], refused[RefusedPageCacheBusyQueue]
		if late == 0 || young == 0 {
			t.Errorf("at %g/s %d by their age, %d since the page cache was busy", rate, late, young)
		}
		var got int64
		for _, a := range log.coded(strategy.CodeSystemBusy) {
			if took := a.took() - 200*sim.Microsecond; took > 20*ms && took < 400*ms {
				got++
			} else if took > 410*ms {
				t.Errorf("busy after %v", took)
			}
		}
		if got > young || got < young-int64(rate*0.03)-2 { // 20 ms of new ones, 10 ms of old ones
			t.Errorf("at %g/s %d busy replies before their time, want about %d", rate, got, young)
		}
	}
}

// broker.md §4: "queue full => 2 [OVERLOAD]": with fast failure off nothing else bounds the queue.
func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	cfg := limitedConfig("5.3.3", "5.3.3", 1)
	cfg.Brokers[0].FastFailure, cfg.Brokers[0].QueueCapacity = false, 50
	cfg.Producers[0].Settings.RetryTimesWhenSendFailed = 0
	strikeOne(&cfg, config.LockHold, 800*ms)
	var log attemptLog
	w := New(cfg, &log)
	runTo(t, w, 10*sim.Second+700*ms)
	if n := w.Load(0).QueueLength; n != 50 {
		t.Errorf("%d requests in a queue for 50", n)
	}
	runTo(t, w, cfg.Duration)
	want := 800 - 50 - 1 // arrivals less those in the queue and in the lock
	if n := len(log.coded(strategy.CodeSystemBusy)); n < want-2 || n > want+2 {
		t.Errorf("%d refused, want about %d", n, want)
	}
	for _, a := range log.coded(strategy.CodeSystemBusy) {
		if a.took() > ms {
			t.Fatalf("refused after %v, want at once", a.took())
		}
	}
}

// broker.md §1: OS_PAGECACHE_BUSY is SYSTEM_ERROR up to 5.2.0, SYSTEM_BUSY from 5.3.0; every client
// takes either for a reason to try elsewhere. It is what a send thread finds when the lock has been
// held for a second while it was at work.
func TestPageCacheBusyAtThePut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		code    int
	}{
		{"4.2.0", strategy.CodeSystemError},
		{"4.9.8", strategy.CodeSystemError},
		{"5.2.0", strategy.CodeSystemError},
		{"5.3.0", strategy.CodeSystemBusy},
	} {
		cfg := limitedConfig("4.8.0", c.release, 1)
		cfg.Brokers[0].SendThreads = 20
		cfg.Brokers[0].Service = must(sim.Constant(1500 * ms))
		cfg.Producers[0].Rate = 10
		cfg.Producers[0].Settings.RetryTimesWhenSendFailed = 0
		strikeOne(&cfg, config.LockHold, 3*sim.Second)
		var log attemptLog
		w := runWorld(t, cfg, &log)
		n := 0
		for _, a := range log.coded(c.code) {
			if a.took() > sim.Second {
				n++
			}
		}
		if want := w.Load(0).Refused[RefusedPageCacheBusyPut]; want < 10 || int64(n) != want {
			t.Errorf("%s: %d attempts ended with code %d after their service, want %d", c.release, n,
				c.code, want)
		}
	}
}

// broker.md §1: the order of checks in the store is writable flags, then page-cache-busy.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	w := New(limitedConfig("5.3.3", "4.9.8", 1), nil)
	w.holdPutLock(0)
	runTo(t, w, 1100*ms)
	if code, why := w.checkStore(0); code != strategy.CodeSystemError || why != RefusedPageCacheBusyPut {
		t.Errorf("lock held: code %d (%v)", code, why)
	}
	w.procs[0].disk.unwritable = true
	if code, why := w.checkStore(0); code != strategy.CodeServiceNotAvailable || why != RefusedDiskFull {
		t.Errorf("lock held and disk full: code %d (%v)", code, why)
	}
}

// apache/rocketmq issue 1494: another topic's burst delays a topic, since all topics share the send queue;
// with one send thread that waits for the disk the burst need not be large.
func TestNoisyTopic(t *testing.T) {
	t.Parallel()
	for _, noise := range []float64{1, 400} {
		cfg := limitedConfig("4.6.1", "4.6.1", 1)
		cfg.Brokers[0].Flush = config.SyncFlush
		cfg.Brokers[0].Fsync = must(sim.Constant(5 * ms))
		cfg.Producers[0].Arrivals = config.Poisson
		cfg.Topics = append(cfg.Topics, config.Topic{Name: "noisy", WriteQueueNums: 4})
		other := cfg.Producers[0]
		other.Name, other.Topics, other.Rate = "q", config.OneTopic("noisy"), noise
		cfg.Producers[0].Rate = 20
		cfg.Producers = append(cfg.Producers, other)
		var log attemptLog
		runWorld(t, cfg, &log)
		busy := 0
		for _, a := range log.coded(strategy.CodeSystemBusy) {
			if a.Group == 0 {
				busy++
			}
		}
		if noise == 1 && busy > 0 || noise > 1 && busy < 100 {
			t.Errorf("%d busy replies with %g/s on another topic", busy, noise)
		}
	}
}

// Capacity is real: a client that avoids a slow broker moves its load to the healthy one, and if that
// is more than it can take, it refuses in its turn.
func TestAvoidanceOverloadsTheHealthyPeer(t *testing.T) {
	t.Parallel()
	load := func(avoid bool) (before, after Load) {
		cfg := limitedConfig("5.3.3", "5.3.3", 2)
		for i := range cfg.Brokers {
			cfg.Brokers[i].SendThreads = 4
			cfg.Brokers[i].Service = must(sim.Exponential(5 * ms)) // 800/s
		}
		p := &cfg.Producers[0]
		p.Rate, p.Count, p.Settings.SendLatencyFaultEnable = 1000, 4, avoid
		p.Settings.RetryTimesWhenSendFailed = 0
		cfg.Duration = 30 * sim.Second
		strikeOne(&cfg, config.Slow, 20*sim.Second)
		cfg.Faults[0].Factor, cfg.Faults[0].Delay = 1, 600*ms
		w := New(cfg, nil)
		runTo(t, w, 12*sim.Second)
		before = w.Load(1)
		runTo(t, w, 28*sim.Second)
		after = w.Load(1)
		return before, after
	}
	utilisation := func(a, b Load) float64 { return (b.Busy - a.Busy).Seconds() / 4 / 16 }
	a, b := load(false)
	if u, n := utilisation(a, b), b.BusyReplies()-a.BusyReplies(); u > 0.75 || n > 0 {
		t.Errorf("without avoidance the healthy broker is %.0f %% busy, refuses %d", 100*u, n)
	}
	a, b = load(true)
	if u, n := utilisation(a, b), b.BusyReplies()-a.BusyReplies(); u < 0.95 || n < 1000 {
		t.Errorf("with avoidance the healthy broker is %.0f %% busy, refuses %d", 100*u, n)
	}
}
