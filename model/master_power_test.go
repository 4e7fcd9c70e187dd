package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// The timeline of a master that loses its power, as its clients see it.

// powerTimes sorts what clients see of broker 0 by the time since the loss.
type powerTimes struct {
	dropObserver
	attempts map[uint64]Attempt // the first ones, on broker 0
	answers  map[uint64]Answer
	stored   map[uint64]sim.Time
	oldest   sim.Duration // of the messages that the loss destroyed, at the loss
	lost     int
}

func (o *powerTimes) AttemptEnded(a *Attempt) {
	if a.Try == 1 && a.Queue.Broker == 0 {
		o.attempts[a.Number] = *a
	}
}

func (o *powerTimes) Answered(a *Answer) { o.answers[a.Number] = *a }
func (o *powerTimes) CopyStored(c *Copy) { o.stored[c.Message.Number] = c.At }

func (o *powerTimes) FateChanged(f *FateChange) {
	if f.To == Lost {
		o.lost++
		o.oldest = max(o.oldest, o.from.Sub(o.stored[f.Number]))
	}
}

// powerLossOfAMaster runs 20 clients through a loss of power at 40 s; off 0 is for good.
func powerLossOfAMaster(t *testing.T, release string, off, startup, duration sim.Duration) *powerTimes {
	t.Helper()
	cfg := configtest.Small(release, 3)
	cfg.Duration = duration
	cfg.Brokers[0].Startup = startup
	p := &cfg.Producers[0]
	p.Count, p.Threads, p.Rate = 20, 8, 80
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.PowerLoss, At: 40 * second, Duration: off, Targets: []config.Target{masterOnly},
	}}
	o := &powerTimes{
		dropObserver: *newDropObserver(&cfg), attempts: map[uint64]Attempt{}, answers: map[uint64]Answer{},
		stored: map[uint64]sim.Time{},
	}
	runTo(t, New(cfg, o), cfg.Duration)
	return o
}

// broker.md §10.4, the first three rows. 0 to 3 s: "in-flight and new sends on the open channel:
// RemotingTimeoutException at 3 s; no retry budget". 3 s on: up to 4.9.0 "every send costs the full
// timeout"; from 4.9.1 the channel is closed, which fails its other requests at once, the send that starts
// the connect spends 3 s and fails, and those that join it "wait its remainder and retry". Until the
// queues leave the list, 90 to 150 s after the loss. The unflushed tail, 0.5 s from 4.9.1 on and less
// before, is lost. (With the acting master of 5.x, which is not modelled, the route would go sooner.)
// Source: NettyRemotingClient.invokeSync, 4.9.0 and 4.9.1; RouteInfoManager.scanNotActiveBroker, 4.9.8.
func TestTimelineOfAMasterWithoutPower(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		closes  bool
	}{{"4.9.0", false}, {"4.9.1", true}, {"4.9.8", true}, {"5.3.3", true}} {
		o := powerLossOfAMaster(t, c.release, 0, 0, 200*second)
		var early, late, joined int
		for m, a := range o.attempts {
			at, took := a.Began.Sub(o.from), a.took()
			answer, answered := o.answers[m]
			if at < 0 || !answered {
				continue
			}
			failed := answer.Result.Status == strategy.StatusNone
			full := took >= 3*second
			switch {
			case took > 3*second+10*ms:
				t.Errorf("%s: +%v: an attempt takes %v", c.release, at, took)
			case took > 2990*ms && !full: // a remainder with next to nothing left for the retry
			case full != failed || full && answer.Attempts != 1:
				t.Errorf("%s: +%v: %v after %v, failed %v after %d attempts", c.release, at, a.Outcome.Kind,
					took, failed, answer.Attempts)
			case at < 3*second:
				early++
				if a.Ended.Sub(o.from) < 2900*ms {
					t.Errorf("%s: +%v: it ends after %v, before anybody can know", c.release, at, took)
				}
			case at < 3500*ms: // the channels of all clients are still being given up
			case c.closes && a.Outcome.Kind == strategy.OutcomeConnectFailed:
				late++
				if !full {
					joined++
				}
			case !c.closes && a.Outcome.Kind == strategy.OutcomeTimeout && full:
				late++
			case at < 10*second: // a client that had nothing to send at first
			default:
				t.Errorf("%s: +%v: %v after %v", c.release, at, a.Outcome.Kind, took)
			}
		}
		if early == 0 || late < 100 || (joined > 0) != c.closes {
			t.Errorf("%s: %d sends in the first 3 s, %d later, %d of them joined a connect", c.release, early,
				late, joined)
		}
		var s spread
		for i := 0; i < len(o.dropped); i += o.brokers {
			s.add(o.dropped[i])
		}
		if s.never > 0 || s.first < 90*second || s.last > 150*second {
			t.Errorf("%s: dropped after %v to %v, %d never", c.release, s.first, s.last, s.never)
		}
		if o.lost == 0 || o.oldest > 1100*ms {
			t.Errorf("%s: %d messages lost, the oldest %v old", c.release, o.lost, o.oldest)
		}
	}
}

// broker.md §10.4, third row: without fault avoidance and with one thread 1/((N-1)q) of the sends fail
// from 4.8.0 on, 1/(2N-1) in 4.3.0 to 4.7.1 if q is even, and 1/N without retries, until the route
// changes. Here N is 3 and q is 4. Source: TopicPublishInfo.selectOneMessageQueue, 4.7.1 and 4.8.0.
func TestShareOfSendsThatMeetASilentMaster(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		retries int
		one     int // of so many fails
	}{
		{"4.3.0", 2, 5},
		{"4.7.1", 2, 5},
		{"4.8.0", 2, 8},
		{"4.9.8", 2, 8},
		{"5.3.3", 1, 8},
		{"4.7.1", 0, 3},
		{"4.9.8", 0, 3},
		{"5.3.3", 0, 3},
	} {
		failed, sends := sendsAtSilentMasters(t, c.release, c.retries, config.Target{Index: 1})
		if want := sends / c.one; failed < want-1 || failed > want+1 {
			t.Errorf("%s, %d retries: %d of %d sends fail, want %d", c.release, c.retries, failed, sends, want)
		}
	}
}

// sendsAtSilentMasters counts the sends that fail, of how many, when one thread sends to three masters, of
// which some are without power all the while, and no route changes.
func sendsAtSilentMasters(t *testing.T, release string, retries int, silent ...config.Target) (failed,
	sends int,
) {
	t.Helper()
	cfg := configtest.Small(release, 3)
	cfg.Faults = []config.Fault{{Name: "cut", Kind: config.PowerLoss, Targets: silent}}
	p := &cfg.Producers[0]
	p.Threads, p.Rate, p.Arrivals = 1, 0.25, config.Constant
	p.PollNameServerInterval, p.HeartbeatBrokerInterval = 10_000*sim.Hour, 10_000*sim.Hour
	p.Settings.RetryTimesWhenSendFailed = retries
	sends = 240
	cfg.Duration = sim.Duration(sends+20) * 4 * second
	var log attemptLog
	runTo(t, New(cfg, &log), cfg.Duration)
	for _, a := range log.answers[15 : 15+sends] {
		if a.Result.Status == strategy.StatusNone {
			failed++
		}
	}
	return failed, sends
}

// broker.md §10.4, last row: power that is back, with the process up, within 90 s: the route never
// changed, "old sockets get RST, reconnect at once"; later: it registers, and clients have it at their
// next poll. Up to 4.9.0 the old socket still has bytes of before to send again, and meets the RST with
// the retransmission that follows, 102.2 s after they were written first.
func TestPowerOfAMasterReturns(t *testing.T) {
	t.Parallel()
	const startup = 10 * second
	for _, c := range []struct {
		release string
		reset   sim.Duration // when old sockets meet the RST
	}{{"4.9.0", 102*second + 200*ms}, {"4.9.8", 0}, {"5.3.3", 0}} {
		release := c.release
		o := powerLossOfAMaster(t, release, 60*second, startup, 180*second)
		if o.change > 0 {
			t.Errorf("%s: %d route changes", release, o.change)
		}
		served, reset, stuck := 0, 0, 0
		for _, a := range o.attempts {
			// A connect that began before the port was open may still wait for its next SYN.
			at := a.Began.Sub(o.from)
			if at < 60*second+startup+4*second {
				continue
			}
			if at < c.reset && a.Outcome.Kind == strategy.OutcomeTimeout {
				stuck++
				continue
			}
			switch took := a.took(); {
			case a.Outcome.Kind == strategy.OutcomeOK && took < 10*ms:
				served++
			case took < 10*ms || at < c.reset+10*second:
				reset++
			default:
				t.Errorf("%s: +%v: %v after %v", release, a.Began.Sub(o.from), a.Outcome.Kind, took)
			}
		}
		if served < 200 || (stuck > 0) != (c.reset > 0) || reset > 80 || c.reset == 0 && reset > 0 {
			t.Errorf("%s: %d sends served after the return, %d reset, %d on dead sockets", release, served,
				reset, stuck)
		}
		late := powerLossOfAMaster(t, release, 170*second, startup, 260*second)
		var s spread
		for i := 0; i < len(late.back); i += late.brokers {
			s.add(late.back[i])
		}
		if up := 170*second + startup; s.never > 0 || s.first < up || s.last > up+30*second+10*ms {
			t.Errorf("%s: back after %v to %v, %d never, up after %v", release, s.first, s.last, s.never, up)
		}
	}
}
