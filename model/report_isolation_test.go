package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Public reports about what a fault table remembers: skew that stays, isolation without an end, the
// detector.

// skewConfig has two masters that are slow for a minute, by so much, and one thread that sends a message
// a second.
func skewConfig(release string, a, b sim.Duration) config.Config {
	cfg := configtest.Small(release, 2)
	cfg.Duration = 500 * second
	for i, delay := range []sim.Duration{a, b} {
		cfg.Faults = append(cfg.Faults, config.Fault{
			Name: cfg.Brokers[i].Name, Kind: config.Slow, At: 10 * second, Duration: 60 * second,
			Targets: []config.Target{{Index: i}}, Factor: 1, Delay: delay,
		})
	}
	p := &cfg.Producers[0]
	p.Threads, p.Rate, p.Arrivals = 1, 1, config.Constant
	p.Settings.SendLatencyFaultEnable = true
	return cfg
}

// share is the share of the attempts between two times that went to broker 0, and how many there were.
func (l *attemptLog) share(from, to sim.Duration) (float64, int) {
	a, all := l.sentTo(0, from, to-from), l.sentTo(0, from, to-from)+l.sentTo(1, from, to-from)
	return float64(a) / float64(max(all, 1)), all
}

// skews says whether entries of the list that threads share are rewritten: to 4.9.7 and in 5.0.0-5.1.3.
func skews(release string) bool { return release != "4.9.8" && !resetsIndex(release) }

// apache/rocketmq issue 7779: messages go to the other broker for good, "until producer or broker reboot".
// While both are isolated, each choice overwrites the next entry of the list with the better one, all
// eight within ten sends; when both are well again the list is still full of it. Fixed in 4.9.8, which
// makes a new queue, and in 5.1.4, which has no such rule. After the recovery one of them gets all of it,
// or each half within 1 %. Polls that find the same route change nothing, nor does a restart between two
// polls; a broker that a poll misses brings a new list. (4.9.8 then avoids it, for 600 s after a refusal.)
//
// Source: MQFaultStrategy.selectOneMessageQueue, 4.9.7, 4.9.8, 5.1.3; MQClientInstance.isNeedUpdate.
func TestSkewAfterRecoveryByRelease(t *testing.T) {
	t.Parallel()
	const restart, back = 240 * second, 360 * second
	for _, release := range strategy.Releases() {
		for _, down := range []sim.Duration{2 * second, 45 * second} { // seen by no poll, and by one
			cfg := skewConfig(release, 600*ms, 700*ms)
			poll := restart + New(cfg, nil).phase(ownerInstance(0), phaseRoutePoll, 30*second)
			cfg.Faults = append(cfg.Faults, config.Fault{
				Name: "restart", Kind: config.Shutdown, At: poll + 5*second, Duration: down,
				Targets: []config.Target{{Index: 1}},
			})
			var log attemptLog
			w := New(cfg, &log)
			runTo(t, w, 22*second) // both are isolated from 12 s on
			full := w.listedOn(0) == 8
			runTo(t, w, cfg.Duration)
			recovered, n := log.share(110*second, restart)
			after, m := log.share(back, cfg.Duration)
			if n < 100 || m < 100 {
				t.Fatalf("%s: %d and %d attempts", release, n, m)
			}
			half := func(share float64) bool { return share > 0.49 && share < 0.51 }
			if skews(release) && (!full || recovered != 1 || half(after) != (down > 30*second)) ||
				!skews(release) && (full || !half(recovered)) || resetsIndex(release) && !half(after) {
				t.Errorf("%s: list full of one broker: %v; %.3f of the sends to it after the recovery, %.3f "+
					"after a restart of %v", release, full, recovered, after, down)
			}
		}
	}
}

// listedOn counts the queues on a broker in the first instance's list.
func (w *World) listedOn(b strategy.Broker) (n int) {
	for _, q := range w.views[0].route.Queues {
		if q.Broker == b {
			n++
		}
	}
	return n
}

// Of the same report: with equal latencies, 600 ms each, the entries only alternate and the shares stay near
// a half; with jitter what the list has come to at the recovery is frozen.
func TestSkewWithEqualLatencies(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.7.1", "4.9.7", "5.1.3"} {
		for _, jitter := range []sim.Duration{0, 300 * ms} {
			mixes := map[int]bool{}
			for seed := range uint64(6) {
				cfg := skewConfig(release, 600*ms, 600*ms)
				cfg.Seed, cfg.Duration = seed, 350*second
				for i := range cfg.Brokers {
					cfg.Brokers[i].Service = must(sim.Constant(ms))
					if jitter > 0 {
						cfg.Brokers[i].Service = must(sim.Uniform(ms, jitter))
					}
				}
				var log attemptLog
				w := New(cfg, &log)
				runTo(t, w, 110*second)
				mix := w.listedOn(0)
				mixes[mix] = true
				runTo(t, w, cfg.Duration)
				share, n := log.share(110*second, cfg.Duration)
				if diff := share - float64(mix)/8; n < 200 || diff > 0.02 || diff < -0.02 {
					t.Errorf("%s: share %.3f of %d with %d of 8 entries", release, share, n, mix)
				}
			}
			near := len(mixes) <= 3 && !mixes[0] && !mixes[1] && !mixes[2] && !mixes[6] && !mixes[7] && !mixes[8]
			if near != (jitter == 0) {
				t.Errorf("%s, jitter of %v: lists have come to %v", release, jitter, mixes)
			}
		}
	}
}

// busyOnce has two brokers, and a client of one thread that gets one busy reply of the first, at 10 s: a
// lock is held for 400 ms there while another client fills the queue behind it.
func busyOnce(release string) config.Config {
	cfg := limitedConfig(release, "4.9.8", 2)
	cfg.Topics[0].WriteQueueNums = 1
	cfg.Topics = append(cfg.Topics, config.Topic{Name: "u", WriteQueueNums: 1, Brokers: []string{"b00"}})
	other := cfg.Producers[0]
	other.Name, other.Topics, other.Rate, other.Threads = "q", config.OneTopic("u"), 50, 200
	p := &cfg.Producers[0]
	p.Threads, p.Rate, p.Arrivals = 1, 20, config.Constant
	p.Settings.SendLatencyFaultEnable = true
	cfg.Producers = append(cfg.Producers, other)
	strikeOne(&cfg, config.LockHold, 400*ms)
	cfg.Faults[0].At += ms // the other client's send is the next
	return cfg
}

// groupLog keeps the attempts and answers of the first group.
type groupLog struct{ attemptLog }

func (l *groupLog) AttemptEnded(a *Attempt) {
	if a.Group == 0 {
		l.attemptLog.AttemptEnded(a)
	}
}

func (l *groupLog) Answered(a *Answer) {
	if a.Group == 0 {
		l.attemptLog.Answered(a)
	}
}

// next is when the first attempt on broker 0 after a time began, 0 if none did.
func (l *attemptLog) next(from sim.Duration) sim.Duration {
	for _, a := range l.attempts {
		if a.Queue.Broker == 0 && a.Began > sim.Time(from) {
			return sim.Duration(a.Began)
		}
	}
	return 0
}

// apache/rocketmq issue 7812: one busy reply, and 5.1.4 never uses the broker again, without the detector:
// an error makes it unreachable, and only a success there, or a probe, would make it reachable. It comes
// back by the last tier alone: when the other one has just failed and is left out as the last broker. 5.2.0
// and later use it when the isolation of 10 s is over, 5.1.3 and earlier after 600 s.
//
// Source: LatencyFaultToleranceImpl.FaultItem.isAvailable, 5.1.3, 5.1.4, 5.2.0.
func TestOneBusyReplyByRelease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		back    sim.Duration // after the reply, 0 for never
	}{
		{"4.9.8", 600 * second},
		{"5.1.3", 600 * second},
		{"5.1.4", 0},
		{"5.2.0", 10 * second},
		{"5.3.3", 10 * second},
	} {
		cfg := busyOnce(c.release)
		cfg.Duration = 60 * second
		if c.back != 10*second {
			cfg.Duration = 620 * second
		}
		var log groupLog
		runTo(t, New(cfg, &log), cfg.Duration)
		busy := log.coded(strategy.CodeSystemBusy)
		if len(busy) != 1 || busy[0].Queue.Broker != 0 {
			t.Fatalf("%s: busy replies %+v", c.release, busy)
		}
		at := sim.Duration(busy[0].Ended)
		back := log.next(at)
		if c.back == 0 && back != 0 || c.back > 0 && (back < at+c.back-ms || back > at+c.back+100*ms) {
			t.Errorf("%s: one busy reply at %v, and back at %v", c.release, at, back)
		}
		if failed := len(log.failed()); (failed > 0) != (c.release < "5.3.0") {
			t.Errorf("%s: %d sends fail", c.release, failed)
		}
	}
	cfg := busyOnce("5.1.4") // and the other one is stopped for a moment
	cfg.Duration = 60 * second
	cfg.Faults = append(cfg.Faults, config.Fault{
		Name: "kill", Kind: config.Kill, At: 40 * second, Duration: ms, Targets: []config.Target{{Index: 1}},
	})
	var log groupLog
	runTo(t, New(cfg, &log), cfg.Duration)
	if back := log.next(11 * second); back < 40*second || back > 40*second+100*ms {
		t.Errorf("5.1.4: back at %v by the last tier", back)
	}
	if share, n := log.share(50*second, 60*second); n < 100 || share < 0.49 || share > 0.51 {
		t.Errorf("5.1.4: a share of %.3f of %d after a success", share, n)
	}
}

// apache/rocketmq issue 7813: in 5.1.4 the detector's switch has no effect when it is set on the producer,
// which is as if it was off (see the test above); by the JVM property, which is what the setting stands for
// here, the broker of one busy reply is back at the later of two: the end of the isolation, 10 s, and the
// first tick of 3 s after which it answers within 200 ms. From 5.2.0 on it is back at the end of the
// isolation, whatever the detector says. The broker is well again at once, or after 15 s of a stop.
//
// Source: LatencyFaultToleranceImpl.startDetector and detectByOneRound, 5.1.4; isAvailable, 5.2.0.
func TestDetectorBringsABusyBrokerBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release  string
		detector bool
		stopped  sim.Duration // after the busy reply
		from, to sim.Duration // when it is back, 0 for never
	}{
		{"5.1.4", false, 0, 0, 0},
		{"5.1.4", true, 0, 10 * second, 10*second + 100*ms},
		{"5.1.4", true, 15 * second, 15 * second, 18*second + 300*ms},
		{"5.2.0", false, 15 * second, 10 * second, 10*second + 100*ms},
		{"5.2.0", true, 15 * second, 10 * second, 10*second + 100*ms},
		{"5.3.3", true, 15 * second, 10 * second, 10*second + 100*ms},
	} {
		cfg := busyOnce(c.release)
		cfg.Duration = 60 * second
		cfg.Producers[0].Settings.StartDetectorEnable = c.detector
		if c.stopped > 0 {
			cfg.Faults = append(cfg.Faults, config.Fault{
				Name: "stop", Kind: config.Pause, At: 10*second + 500*ms, Duration: c.stopped,
				Targets: []config.Target{{}},
			})
		}
		var log groupLog
		runTo(t, New(cfg, &log), cfg.Duration)
		busy := log.coded(strategy.CodeSystemBusy)
		if len(busy) != 1 {
			t.Fatalf("%s: %d busy replies", c.release, len(busy))
		}
		at := sim.Duration(busy[0].Ended)
		back := log.next(at)
		if c.to == 0 && back != 0 || c.to > 0 && (back < at+c.from-ms || back > at+c.to) {
			t.Errorf("%s, detector %v, stopped for %v: busy at %v, back at %v", c.release, c.detector, c.stopped,
				at, back)
		}
	}
}

// apache/rocketmq issues 6567 and 7319 (RIP-63): isolation is passive, and when several brokers are bad one
// of them is as good as another; the detector is to tell them apart. Three of four are bad for a minute and
// stay in the routes. An isolation of 10 s ends whether a probe was answered or not, so the bad ones are
// tried again; what the detector changes is where the retries go while none is available, and with them
// how often the healthy one is drawn in: it runs into timeouts of what is left of a budget. If the bad
// ones refuse, retries find the healthy one in any case, and the detector changes nothing from 5.2.0 on.
func TestDetectorOnAndOffWithThreeBadBrokers(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"5.1.4", "5.3.3"} {
		for _, kind := range []config.FaultKind{config.Kill, config.PowerLoss, config.Pause} {
			failed, innocent := threeBad(t, release, kind, false)
			with, drawnIn := threeBad(t, release, kind, true)
			t.Logf("%s, %v: %d failed sends without and %d with, %d and %d attempts on the healthy one",
				release, kind, failed, with, innocent, drawnIn)
			if with > failed || kind == config.PowerLoss &&
				(failed < 1000 || with > failed/3 || drawnIn > innocent/3) ||
				kind == config.Pause && (failed < 100 || with > failed*2/3) || kind == config.Kill && failed > 10 {
				t.Errorf("%s, %v: %d failed sends without the detector, %d with it; %d and %d attempts that "+
					"fail on the healthy broker", release, kind, failed, with, innocent, drawnIn)
			}
		}
	}
}

// threeBad counts the sends that fail in the first minute, and attempts that fail on the healthy broker.
func threeBad(t *testing.T, release string, kind config.FaultKind, detector bool) (failed, healthy int) {
	cfg := configtest.Small(release, 4)
	cfg.Duration = 70 * second
	p := &cfg.Producers[0]
	p.Rate, p.Count, p.PollNameServerInterval = 100, 2, 10_000*sim.Hour
	p.Settings.SendLatencyFaultEnable, p.Settings.StartDetectorEnable = true, detector
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: kind, At: 10 * second, Targets: []config.Target{{}, {Index: 1}, {Index: 2}},
	}}
	var log attemptLog
	runTo(t, New(cfg, &log), cfg.Duration)
	for _, a := range log.attempts {
		if a.Queue.Broker == 3 && a.Outcome.Kind != strategy.OutcomeOK {
			healthy++
		}
	}
	return len(log.failed()), healthy
}

// client.md §10, 7: to 5.1.3 any later success ends an isolation: a broker whose lock was held for 300 ms
// has isolated itself with busy replies, and is used again with the first answer to what was sent before.
// From 5.1.4 on an isolation is never shortened.
//
// Source: LatencyFaultToleranceImpl.updateFaultItem, 5.1.3 and 5.1.4.
func TestLateSuccessEndsAnIsolationByRelease(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.8", "5.1.3", "5.1.4"} {
		cfg := limitedConfig(release, "4.9.8", 2)
		cfg.Producers[0].Settings.SendLatencyFaultEnable = true
		cfg.Producers[0].Rate = 1000
		strikeOne(&cfg, config.LockHold, 300*ms)
		cfg.Duration = 22 * second
		var log attemptLog
		runTo(t, New(cfg, &log), cfg.Duration)
		if n := len(log.coded(strategy.CodeSystemBusy)); n < 30 {
			t.Fatalf("%s: %d busy replies", release, n)
		}
		used, later := log.sentTo(0, 10*second+310*ms, 8*second), log.sentTo(0, 20*second+400*ms, second)
		if ends := !resetsIndex(release); ends != (used > 500) || !ends && used > 0 || later < 100 {
			t.Errorf("%s: %d attempts in the 8 s after the lock was free, %d after 10 s", release, used, later)
		}
	}
}
