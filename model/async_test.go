package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// client.md §4: "timeout detection for async is by scan, not a timer: … every 1000 ms; expires when
// begin+timeout+1000 <= now … A 3000 ms request fails between 4000 and 5000 ms". From 5.1.1 on the scan
// comes every 1100 ms (NettyRemotingClient.start: a HashedWheelTimer with ticks of 100 ms). Requests
// written at any time wait for it evenly.
func TestAsyncTimeoutIsFoundByAScan(t *testing.T) {
	t.Parallel()
	for release, every := range map[string]sim.Duration{
		"4.9.8": 1000 * sim.Millisecond, "5.1.0": 1000 * sim.Millisecond,
		"5.1.1": 1100 * sim.Millisecond, "5.3.3": 1100 * sim.Millisecond,
	} {
		cfg := configtest.Small(release, 1)
		cfg.Faults = []config.Fault{{Name: "f", Kind: config.Pause, Targets: []config.Target{{}}, At: sim.Second}}
		p := &cfg.Producers[0]
		p.Rate = 200
		p.Mode, p.Settings.RetryTimesWhenSendAsyncFailed = config.Async, 0
		least, most, sum, n := sim.Duration(1<<62), sim.Duration(0), 0.0, 0
		runWorld(t, cfg, newAttempts(func(a *Attempt) {
			if a.Outcome.Kind != strategy.OutcomeTimeout {
				return
			}
			took := a.Ended.Sub(a.Began)
			least, most, sum, n = min(least, took), max(most, took), sum+took.Seconds(), n+1
		}))
		const tick = 2 * sim.Millisecond // of the clock, and the wake-up of the scan
		if least < 4*sim.Second-tick || least > 4*sim.Second+20*sim.Millisecond ||
			most > 4*sim.Second+every+tick || most < 4*sim.Second+every-20*sim.Millisecond {
			t.Errorf("%s: attempts took %v to %v", release, least, most)
		}
		mean, want := sum/float64(n), 4+every.Seconds()/2
		if n < 9_000 || mean < want-0.01 || mean > want+0.01 {
			t.Errorf("%s: %d attempts took %.3f s on average, want %.3f", release, n, mean, want)
		}
	}
}

// client.md §5: "async timeouts never close a channel, so for an async-only producer [the heartbeat's] is the
// only close".
func TestAsyncTimeoutClosesNoConnection(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 2)
	cfg.Duration = 25 * sim.Second
	cfg.Faults = []config.Fault{{Name: "f", Kind: config.Pause, Targets: []config.Target{{}}, At: sim.Second}}
	p := &cfg.Producers[0]
	p.Mode = config.Async
	p.HeartbeatBrokerInterval, p.PollNameServerInterval = 10_000*sim.Hour, 10_000*sim.Hour
	w := runWorld(t, cfg, nil)
	if w.chans[0].state != channelOpen || w.chans[0].number != 0 {
		t.Errorf("the connection is %d, number %d", w.chans[0].state, w.chans[0].number)
	}
	p.Mode = config.Sync
	if w = runWorld(t, cfg, nil); w.chans[0].number == 0 {
		t.Error("a synchronous timeout closes none either: the test can show nothing")
	}
}

// Reports C1 and C3 (issues 2198 and 3556): a killed broker, in the routes of a client that polls every 2 s:
// to 4.9.2 its share of the sends fails until a poll takes it out, however many retries there are; from 4.9.3
// on none fails but what is in flight at the kill.
func TestAsyncSendsToAKilledBroker(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]bool{"4.7.1": true, "4.9.2": true, "4.9.3": false, "5.3.3": false} {
		cfg := configtest.Small(release, 3)
		cfg.Duration = 40 * sim.Second
		const at = 10 * sim.Second
		cfg.Faults = []config.Fault{{Name: "f", Kind: config.Kill, Targets: []config.Target{{}}, At: at}}
		p := &cfg.Producers[0]
		p.Mode, p.Settings.RetryTimesWhenSendAsyncFailed, p.PollNameServerInterval = config.Async, 3, 2*sim.Second
		o := &answers{}
		runWorld(t, cfg, o)
		failed, last := 0, sim.Time(0)
		for _, a := range o.all {
			if a.Result.Status == strategy.StatusNone && a.Scheduled > sim.Time(at)+sim.Time(sim.Millisecond) {
				failed, last = failed+1, a.Scheduled
			}
		}
		if (failed > 100) != want || !want && failed > 0 {
			t.Errorf("%s: %d sends failed", release, failed)
		}
		if last > sim.Time(at+2*sim.Second+10*sim.Millisecond) {
			t.Errorf("%s: a send failed that was made %v after the kill", release, last.Sub(sim.Time(at)))
		}
	}
}

// The permit for the message is lost in 5.1.4-5.3.0 when the caller waits in vain for those of its bytes
// (DefaultMQProducerImpl.executeAsyncMessageSend): with ten permits and room for one message, nine are
// lost while a broker hangs, and one send at a time is left for ever.
func TestBackpressureLosesPermits(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]int64{"5.1.4": 1, "5.3.0": 1, "5.3.1": 10, "5.3.3": 10} {
		cfg := configtest.Small(release, 1)
		cfg.Duration = 20 * sim.Second
		cfg.Faults = []config.Fault{{
			Name: "f", Kind: config.Pause, Targets: []config.Target{{}}, At: sim.Second, Duration: 9 * sim.Second,
		}}
		p := &cfg.Producers[0]
		p.MessageSize = must(sim.Constant(int64(3 << 20)))
		p.Remoting.CompressOver, p.Remoting.Backpressure = 1<<30, true
		p.Remoting.BackpressureNum, p.Remoting.BackpressureSize = 10, 4<<20
		p.Mode, p.Rate, p.Settings.SendMsgTimeout = config.Async, 20, 500
		p.Settings.RetryTimesWhenSendAsyncFailed = 0
		w := runWorld(t, cfg, nil)
		if got := w.insts[0].async.messages.free; got != want {
			t.Errorf("%s: %d permits are left, want %d", release, got, want)
		}
	}
}

// A queue of 50,000 that is full: the caller gets an MQClientException, at once. All of the four threads that
// begin sends wait for the connection to a host without power.
func TestFullExecutorRejects(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("4.9.8", 1)
	cfg.Duration = 4 * sim.Second
	cfg.Faults = []config.Fault{{Name: "f", Kind: config.Vanish, Targets: []config.Target{{}}, At: sim.Second}}
	p := &cfg.Producers[0]
	p.Mode, p.Rate, p.PollNameServerInterval = config.Async, 30_000, 10_000*sim.Hour
	rejected, late := 0, 0
	o := &answerWatcher{see: func(a *Answer) {
		if a.Attempts == 0 && a.Result.Exception == strategy.MQClientException {
			rejected++
			if a.At != a.Scheduled || a.Result.Code != strategy.CodeNone || a.Callbacks != 0 {
				late++
			}
		}
	}}
	runTo(t, New(cfg, o), cfg.Duration)
	if rejected < 5_000 || late > 0 {
		t.Errorf("%d sends were rejected, %d of them not as they should", rejected, late)
	}
}

// answerWatcher calls a function for each answer.
type answerWatcher struct {
	NopObserver
	see func(*Answer)
}

func (o *answerWatcher) Answered(a *Answer) { o.see(a) }

// client.md §4, ONEWAY, and §8: nobody is told of a SYSTEM_BUSY: a broker with room for one request refuses
// most of a burst; synchronous callers learn of it, one-way callers are told "handed over", and the messages
// are nowhere.
func TestOneWayHidesBusyReplies(t *testing.T) {
	t.Parallel()
	for _, mode := range []config.SendMode{config.Sync, config.OneWay} {
		cfg := configtest.Small("5.3.3", 1)
		b, p := &cfg.Brokers[0], &cfg.Producers[0]
		b.SendThreads, b.QueueCapacity, b.Service = 1, 1, must(sim.Constant(10*sim.Millisecond))
		p.Mode, p.Settings.RetryTimesWhenSendFailed = mode, 0
		o := &attemptLog{}
		w := runWorld(t, cfg, o)
		runTo(t, w, cfg.Duration+sim.Second)
		refused := w.Load(0).BusyReplies()
		if refused < 20_000 { // of 500/s for 60 s, a hundred a second fit
			t.Fatalf("%v: only %d sends were refused", mode, refused)
		}
		told := int64(len(o.coded(strategy.CodeSystemBusy)))
		if mode == config.Sync && told < refused-2 || mode == config.OneWay && (told > 0 || len(o.failed()) > 0) {
			t.Errorf("%v: %d refused, callers heard of %d, %d sends failed", mode, refused, told, len(o.failed()))
		}
	}
}
