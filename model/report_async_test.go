package model

import (
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Public reports about asynchronous sends. The stories of testdata/async play one message each.

// asyncConfig has n masters, the first of which is killed at 20 s, and asynchronous sends.
func asyncConfig(release string, n int) config.Config {
	cfg := configtest.Small(release, n)
	cfg.Duration = 60 * second
	cfg.Faults = []config.Fault{{
		Name: "kill", Kind: config.Kill, At: 20 * second,
		Targets: []config.Target{{}},
	}}
	p := &cfg.Producers[0]
	p.Mode, p.Count, p.Rate, p.Arrivals = config.Async, 4, 100, config.Constant
	return cfg
}

// refusedSends are the failed sends of messages that were sent after the kill, by what they were told.
func (l *attemptLog) refusedSends() (n, once int, last sim.Time) {
	for _, a := range l.failed() {
		if a.Scheduled < sim.Time(20*second) {
			continue // in flight at the kill
		}
		n++
		if a.Attempts == 1 && a.Callbacks == 1 && a.FirstOutcome == strategy.OutcomeConnectFailed {
			once++
		}
		last = max(last, a.At)
	}
	return n, once, last
}

// apache/rocketmq issues 2198 and 1588, apache/rocketmq-spring issue 65: retryTimesWhenSendAsyncFailed (and
// retryAnotherBrokerWhenNotStoreOK, which asynchronous sends ignore) does nothing when a broker is killed.
// To 4.9.2 a refused connection is the end of a first attempt, whatever is set; that ends with the next
// poll, each 2 s here. From 4.9.3 on the next broker is tried. The story async/refused pins the order of
// events.
//
// Source: MQClientAPIImpl.sendMessageAsync, 4.9.2 and 4.9.3.
func TestAsyncRetriesAfterAKillByRelease(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.4.0", "4.6.1", "4.9.2", "4.9.3", "4.9.8", "5.1.3", "5.3.3"} {
		for _, retries := range []int{0, 3} {
			cfg := asyncConfig(release, 3)
			cfg.Duration = 40 * second
			p := &cfg.Producers[0]
			p.PollNameServerInterval = 2 * second
			p.Settings.RetryTimesWhenSendAsyncFailed = retries
			p.Settings.RetryAnotherBrokerWhenNotStoreOK = true
			var log attemptLog
			runTo(t, New(cfg, &log), cfg.Duration)
			n, once, last := log.refusedSends()
			none := !beforeCatchAll(release) && retries > 0
			switch {
			case none && n > 0:
				t.Errorf("%s, %d retries: %d sends fail", release, retries, n)
			case !none && (n < 10 || once < n || last > sim.Time(22*second+10*ms)):
				t.Errorf("%s, %d retries: %d sends fail, %d after one attempt, the last at %v", release, retries, n,
					once, last)
			}
		}
	}
}

// beforeCatchAll: an exception of a first attempt of an asynchronous send goes to the caller, to 4.9.2 and
// in the preview that was cut before 4.9.3.
func beforeCatchAll(release string) bool {
	return slices.Contains(between("4.0.0", "4.9.2"), release) || release == "5.0.0-PREVIEW"
}

// apache/rocketmq PR 3555: 30 s of connect errors with asynchronous sends. In 4.9.2 the share of the dead
// broker fails, a third here, until each instance polls, up to 30 s after the kill; in 4.9.3 nothing does
// but what was in flight.
func TestAsyncConnectErrorsUntilThePoll(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.2", "4.9.3"} {
		cfg := asyncConfig(release, 3)
		p := &cfg.Producers[0]
		obs := &asyncWindow{dropped: make([]sim.Time, p.Count)}
		runTo(t, New(cfg, obs), cfg.Duration)
		n, once, last := obs.refusedSends()
		want := 0.
		for _, at := range obs.dropped {
			want += (sim.Duration(at) - 20*second).Seconds() * p.Rate / float64(p.Count) / 3
		}
		if release == "4.9.3" {
			want = 0
		}
		if f := float64(n); f < want*0.95 || f > want*1.05 || once < n || last > sim.Time(50*second+ms) {
			t.Errorf("%s: %d sends fail, %d after one attempt, the last at %v, want %.0f", release, n, once, last,
				want)
		}
	}
}

// asyncWindow notes when each instance drops the dead broker.
type asyncWindow struct {
	attemptLog
	dropped []sim.Time
}

func (o *asyncWindow) RouteChanged(r *RouteChange) {
	if !r.Brokers[0] && o.dropped[r.Instance] == 0 {
		o.dropped[r.Instance] = r.At
	}
}

// apache/rocketmq issue 8168, and rocketmq-spring issue 65 once more (whose documentation has the timeout
// "per try"): a broker hangs, the timeout is 3 s, and five retries are configured. It is found by a scan
// each second, 4 to 5 s after the send, when no time is left. 4.0.0 to 4.6.1 send to another broker all the
// same, whose answer comes before the next scan; 4.7.0 to 4.9.2 begin a retry in vain, and end; 4.9.3 to
// 5.2.0 take all the retries at once, send nothing and isolate innocents; in 5.3.0 and 5.3.1 each such
// retry fails twice, counts twice and calls back (with two retries: one innocent, two callbacks); from 5.3.2
// on that is the end. See the story async/hang.
//
// Source: MQClientAPIImpl.onExceptionImpl, 4.6.1, 4.9.2, 4.9.3, 5.3.1, 5.3.2.
func TestAsyncRetriesOfAHangByRelease(t *testing.T) {
	t.Parallel()
	for _, release := range strategy.Releases() {
		cfg := asyncConfig(release, 8)
		cfg.Duration = 80 * second
		cfg.Faults[0].Kind, cfg.Faults[0].Duration = config.Pause, 50*second
		p := &cfg.Producers[0]
		p.Count, p.Rate = 1, 8
		p.HeartbeatBrokerInterval, p.PollNameServerInterval = 10_000*sim.Hour, 10_000*sim.Hour
		p.Settings.SendLatencyFaultEnable = true
		p.Settings.RetryTimesWhenSendAsyncFailed = 5
		o := &hangLog{isolated: map[int32]bool{}}
		runTo(t, New(cfg, o), cfg.Duration)
		k := slices.IndexFunc(o.answers, func(a Answer) bool { return a.FirstOutcome == strategy.OutcomeTimeout })
		first := o.answers[k]
		took, isolated := first.At.Sub(first.Scheduled), len(o.isolated)-1
		attempts, calls, innocents := int32(1), int32(1), 0
		ok := false
		switch {
		case slices.Contains(between("4.0.0", "4.6.1"), release):
			attempts, ok = 2, true
		case beforeCatchAll(release):
			attempts = 2
		case slices.Contains(between("4.9.3", "5.2.0"), release):
			attempts, innocents = 6, 5
		case release == "5.3.0" || release == "5.3.1":
			attempts, calls, innocents = 4, 4, 3
		}
		if took < 4*second || took > 5*second+10*ms || (first.Result.Status == strategy.StatusSendOK) != ok ||
			first.Attempts != attempts || first.Callbacks != calls || isolated != innocents {
			t.Errorf("%s: after %v %+v, %d attempts, %d callbacks, %d others isolated", release, took,
				first.Result, first.Attempts, first.Callbacks, isolated)
		}
	}
}

// hangLog notes who is isolated until the first send fails.
type hangLog struct {
	attemptLog
	isolated map[int32]bool
	over     bool
}

func (o *hangLog) Answered(a *Answer) {
	o.attemptLog.Answered(a)
	o.over = o.over || a.FirstOutcome == strategy.OutcomeTimeout
}

func (o *hangLog) TableChanged(c *TableChange) {
	if c.Until > c.At && !o.over {
		o.isolated[c.Broker] = true
	}
}

// apache/rocketmq issue 2459: is the default of asynchronous retries 0 or 2, and is it the same broker or
// another? The default is 2; a plain send chooses another broker, and keeps the queue's number, whatever
// queues that broker has; a send to a queue of the caller's choice stays where it is.
func TestAsyncRetriesKeepTheQueueNumber(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.3", "4.9.8", "5.1.3", "5.1.4", "5.3.3"} {
		for _, choice := range []config.QueueChoice{config.ChooseByPolicy, config.ChooseQueue} {
			cfg := asyncConfig(release, 3)
			cfg.Duration = 40 * second
			cfg.Producers[0].Choice, cfg.Producers[0].PollNameServerInterval = choice, 10_000*sim.Hour
			cfg.Producers[0].Queue = config.QueueName{Broker: "b00", ID: 3}
			var log attemptLog
			runTo(t, New(cfg, &log), cfg.Duration)
			retries, same := log.retries()
			id := map[uint64]int32{}
			for _, a := range log.attempts {
				if first, known := id[a.Number]; known && a.Queue.ID != first {
					t.Fatalf("%s: message %d was for queue %d, and then for %d", release, a.Number, first, a.Queue.ID)
				}
				id[a.Number] = a.Queue.ID
			}
			if retries < 100 || choice == config.ChooseQueue && same < retries ||
				choice == config.ChooseByPolicy && same > 0 {
				t.Errorf("%s, %v: %d retries, %d on the broker that failed", release, choice, retries, same)
			}
			for _, a := range log.failed() {
				if choice == config.ChooseQueue && a.Scheduled > sim.Time(20*second) && a.Attempts != 3 {
					t.Fatalf("%s: %d attempts", release, a.Attempts)
				}
			}
		}
	}
}

// client.md §4: a one-way send is a success when it is handed to the socket; a refused connection isolates
// and throws, but from 5.3.0 on it is swallowed: "oneway never detects a refused broker". So a dead broker
// takes its share of the messages without a word, until a poll; avoidance learns nothing.
//
// Source: NettyRemotingClient.invokeOneway, 5.2.0 and 5.3.0.
func TestOneWayHidesRefusals(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.9.8", "5.2.0", "5.3.0", "5.3.3"} {
		cfg := asyncConfig(release, 2)
		cfg.Duration = 40 * second
		p := &cfg.Producers[0]
		p.Mode, p.Count, p.PollNameServerInterval = config.OneWay, 1, 10_000*sim.Hour
		p.Settings.SendLatencyFaultEnable = true
		o := &oneWays{stored: map[uint64]bool{}}
		runTo(t, New(cfg, o), cfg.Duration)
		missing := 0 // told that it was handed over, and stored nowhere
		for _, n := range o.handed {
			if !o.stored[n] {
				missing++
			}
		}
		hides := release == "5.3.0" || release == "5.3.3"
		if hides && (o.failed > 0 || o.isolated > 0 || missing < 900) || !hides && (o.failed == 0 ||
			o.failed > 5 || o.isolated == 0 || missing > 5) {
			t.Errorf("%s: %d failed, %d isolations, %d of %d handed over are nowhere", release, o.failed,
				o.isolated, missing, len(o.handed))
		}
	}
}

// oneWays follows one-way sends.
type oneWays struct {
	NopObserver
	stored           map[uint64]bool
	handed           []uint64
	failed, isolated int
}

func (o *oneWays) CopyStored(c *Copy) { o.stored[c.Message.Number] = true }

func (o *oneWays) Answered(a *Answer) {
	if a.Result.Status == strategy.StatusHanded {
		o.handed = append(o.handed, a.Number)
		return
	}
	o.failed++
}

func (o *oneWays) TableChanged(c *TableChange) {
	if c.Until > c.At {
		o.isolated++
	}
}
