package model

import (
	"fmt"
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Public reports about how long a send may take, and how often it is tried in that time.

// alibaba/rocketmq issue 173, the question that follows: two of three machines crash. A walk round the list
// then has q sends that succeed and one that meets a silent master: from 4.8.0 on the choice that is made
// but not used moves on to the other silent one, so that one more fails: (q-1)/(q+1) succeed in all. To
// 4.7.1 one step of the index is half a broker's queues on the average: 1/2. Without retries 1/3, as one
// would think.
func TestTwoOfThreeMastersSilent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		retries int
		want    float64
	}{
		{"4.3.0", 2, 0.5},
		{"4.7.1", 2, 0.5},
		{"4.8.0", 2, 0.6},
		{"4.9.8", 2, 0.6},
		{"5.3.3", 2, 0.6},
		{"4.7.1", 0, 1. / 3},
		{"5.3.3", 0, 1. / 3},
	} {
		failed, sends := sendsAtSilentMasters(t, c.release, c.retries, config.Target{}, config.Target{Index: 1})
		if got := 1 - float64(failed)/float64(sends); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("%s, %d retries: %.3f of the sends succeed, want %.3f", c.release, c.retries, got, c.want)
		}
	}
}

// apache/rocketmq issues 760 and 1864: packets to one of n brokers are dropped. 4.2.0 gives each attempt
// the whole timeout, and all sends succeed after some 3 s; from 4.3.0 on the first attempt takes the
// whole budget: 1/(2n-1) of the sends fail in 4.3.0 to 4.7.1, 1/n without retries, and each that fails has
// made one attempt of the three that are configured.
func TestDroppedPacketsByRelease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release    string
		n, retries int
		one        int // of so many fails, 0 for none
	}{
		{"4.2.0", 2, 2, 0},
		{"4.2.0", 3, 2, 0},
		{"4.7.1", 2, 2, 3},
		{"4.7.1", 3, 2, 5},
		{"4.7.1", 3, 0, 3},
		{"5.3.3", 3, 2, 8},
	} {
		cfg := configtest.Small(c.release, c.n)
		cfg.Faults = []config.Fault{{Name: "drop", Kind: config.BlackHole, Targets: []config.Target{{}}}}
		p := &cfg.Producers[0]
		p.Threads, p.Rate, p.Arrivals = 1, 0.25, config.Constant
		p.PollNameServerInterval, p.HeartbeatBrokerInterval = 10_000*sim.Hour, 10_000*sim.Hour
		p.Settings.RetryTimesWhenSendFailed = c.retries
		const sends = 240
		cfg.Duration = (sends + 20) * 4 * second
		var log attemptLog
		runTo(t, New(cfg, &log), cfg.Duration)
		failed, longest := 0, sim.Duration(0)
		for _, a := range log.answers[15 : 15+sends] {
			longest = max(longest, a.At.Sub(a.Scheduled))
			if a.Result.Status == strategy.StatusNone {
				failed++
				if a.Attempts != 1 {
					t.Errorf("%s: a failed send has made %d attempts", c.release, a.Attempts)
				}
			}
		}
		want := 0
		if c.one > 0 {
			want = sends / c.one
		}
		if failed < want-1 || failed > want+1 || longest < 3*second || longest > 3*second+20*ms {
			t.Errorf("%s, %d brokers, %d retries: %d of %d fail, want %d; the longest takes %v", c.release, c.n,
				c.retries, failed, sends, want, longest)
		}
	}
}

// apache/rocketmq issue 8990: a broker is half dead: its connections live, it does not answer, and callers
// are told "send 3 times, still failed", with all brokers. The first attempt has the whole budget, so two
// of the three take no time: a tie, where it ends to the millisecond with the budget. To 5.1.3 they are
// written all the same. What is written is stored as soon as the brokers go on, though nobody was told.
// Without the tie there is one attempt, and another exception.
func TestHalfDeadBrokersByRelease(t *testing.T) {
	t.Parallel()
	for _, tie := range []bool{false, true} {
		for _, release := range between("4.3.0", "5.3.3") {
			s := releaseStory(3, 2, 3000)
			if tie {
				s.cfg.Producers[0].TimerWakeup = must(sim.Constant(sim.Duration(0)))
			}
			for b := range 3 {
				s.strikes(config.Pause, b, second, 10*second)
			}
			s.sends = []wireSend{{2 * second, 0}}
			want, copies := "after 3.00s, 1 attempts: RemotingTooMuchRequestException", int32(1)
			if tie {
				want, copies = "after 3.00s, 3 attempts: MQClientException 10002", 3
				if resetsIndex(release) {
					copies = 1
				}
			}
			if got := s.told(t, release, 20*second); !slices.Equal(got, []string{want}) {
				t.Errorf("%s, tie %v: %q, want %q", release, tie, got, want)
			}
			o := newFateObserver()
			s.world(t, release, 20*second, func(*config.Config) Observer { return o })
			if got, at := o.copies[0], o.when[0]; got != copies || at < sim.Time(11*second) {
				t.Errorf("%s, tie %v: %d copies stored, the last at %v, want %d", release, tie, got, at, copies)
			}
		}
	}
}

// alibaba/rocketmq issues 201 and 257, and the FAQ (issue 50): what the text of a failure says by release,
// the class of the exception and the attempts that it counts. A broker that is silent: 4.0.0 to 4.2.0 say
// "Send [3] times", later ones that the call has timed out, after one attempt. Brokers that refuse: "Send
// [3] times", in all of them. A broker that is busy: its own code, after one attempt to 5.2.0.
func TestFailureTextsByRelease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind     config.FaultKind
		releases []string
		want     string
	}{
		{config.PowerLoss, between("4.0.0", "4.2.0"), "after 9.00s, 3 attempts: MQClientException 10002"},
		{config.PowerLoss, between("4.3.0", "5.3.3"), "after 3.00s, 1 attempts: RemotingTooMuchRequestException"},
		{config.Kill, between("4.0.0", "5.3.3"), "after 0.00s, 3 attempts: MQClientException 10001"},
		{config.LockHold, between("4.0.0", "5.2.0"), "after 0.00s, 1 attempts: MQBrokerException"},
		{config.LockHold, between("5.3.0", "5.3.3"), "after 0.00s, 3 attempts: MQClientException 2"},
	} {
		s := releaseStory(3, 2, 3000)
		s.servers = "4.9.8"
		for b := range 3 {
			s.cfg.Brokers[b].PageCacheBusyTimeout = second
			s.strikes(c.kind, b, second, 0)
		}
		s.sends = []wireSend{{5 * second, 0}}
		for _, release := range c.releases {
			if got := s.told(t, release, 30*second); !slices.Equal(got, []string{c.want}) {
				t.Errorf("%s, %v: %q, want %q", release, c.kind, got, c.want)
			}
		}
	}
}

// apache/rocketmq PR 4493: the default timeout is 3 s, whatever the documentation says, of the whole send
// from 4.3.0 on and of each attempt before: what each attempt is given by default when every broker hangs
// for 1 s and then answers with an error that is retried.
func TestBudgetOfEachAttempt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		releases []string
		limit    strategy.Millis // sendMsgMaxTimeoutPerRequest
		want     string
	}{
		{between("4.0.0", "4.2.0"), -1, "[3000 3000 3000]"},
		{between("4.3.0", "5.3.3"), -1, "[3000 2000 1000]"},
		{between("4.3.0", "5.3.2"), 1500, "[3000 2000 1000]"},
		{[]string{"5.3.3"}, 1500, "[1500 1500 1000]"},
	} {
		for _, release := range c.releases {
			s := releaseStory(3, 2, 3000)
			s.servers = "4.9.8"
			for b := range 3 {
				s.cfg.Brokers[b].Service = must(sim.Constant(second))
				s.strikes(config.DiskFull, b, second, 0)
			}
			s.cfg.Producers[0].Settings.SendMsgMaxTimeoutPerRequest = c.limit
			s.sends = []wireSend{{15 * second, 0}}
			var b budgets
			w := s.begin(t, release, 30*second, func(*config.Config) Observer { return nil })
			w.Trace(0, 0, &b)
			runTo(t, w, 30*second)
			if got := fmt.Sprint(b.list); got != c.want {
				t.Errorf("%s, limit %d: attempts have %s ms, want %s", release, c.limit, got, c.want)
			}
		}
	}
}

// budgets are the timeouts of a message's attempts.
type budgets struct {
	decisions
	list []strategy.Millis
}

func (b *budgets) Chosen(c *Choice) {
	if c.Made {
		b.list = append(b.list, c.Attempt.Timeout)
	}
}

// client.md §10, 13: one hang takes the whole budget, from 4.3.0 on; sendMsgMaxTimeoutPerRequest of 5.3.3
// bounds each attempt but the last, and another broker has the message after that.
//
// Source: DefaultMQProducerImpl.sendDefaultImpl, 5.3.2 and 5.3.3.
func TestCapPerRequestSparesASend(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 2, 3000)
	s.cfg.Producers[0].Settings.SendMsgMaxTimeoutPerRequest = 1000
	s.strikes(config.Pause, 0, second, 0)
	s.sends = []wireSend{{2 * second, 0}}
	for release, want := range map[string]string{
		"4.2.0": "after 3.00s, 2 attempts: SEND_OK",
		"4.3.0": "after 3.00s, 1 attempts: RemotingTooMuchRequestException",
		"5.3.2": "after 3.00s, 1 attempts: RemotingTooMuchRequestException",
		"5.3.3": "after 1.00s, 2 attempts: SEND_OK",
	} {
		if got := s.told(t, release, 10*second); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// apache/rocketmq issues 508 and 1651: the first send after a start fails with "sendDefaultImpl call
// timeout". It pays for four round trips: to connect to the name server and ask it, to connect to the broker
// and send. With 400 ms each way that is 3.2 s, and 3 s is the time of a send from 4.3.0 on; to 4.2.0 what
// it takes to connect is extra. Only the first pays; a heartbeat connects to the other brokers meanwhile.
// (From 4.9.1 on its timeout closes that connection, so that one more send has to connect.)
func TestFirstSendAfterAStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		releases []string
		way      sim.Duration
		first    string
	}{
		{between("4.0.0", "4.2.0"), 400 * ms, "SEND_OK"},
		{between("4.3.0", "5.3.3"), 400 * ms, "RemotingTooMuchRequestException"},
		{between("4.0.0", "5.3.3"), 200 * ms, "SEND_OK"},
	} {
		for _, release := range c.releases {
			cfg := coldConfig(release, 2, 10*ms, 5*second, 6*second, 7*second, 8*second)
			cfg.Network.Latency = must(sim.Constant(c.way))
			var log answers
			runTo(t, New(cfg, &log), 10*second)
			connects := 0 // behind the first send
			for i, a := range log.all {
				told, want, took := a.Result.Status.String(), "SEND_OK", a.At.Sub(a.Scheduled)
				if a.Result.Status == strategy.StatusNone {
					told = a.Result.Exception.String()
				}
				least, most := 2*c.way, 2*c.way+ms
				if i == 0 {
					want, least, most = c.first, min(8*c.way-10*ms, 3*second), 8*c.way+ms
				}
				if again := told == want && took >= 4*c.way && took < 4*c.way+ms; i > 0 && again {
					connects++
					continue
				}
				if told != want || took < least || took > most {
					t.Errorf("%s, %v: send %d: %s after %v, want %s", release, c.way, i, told, took, want)
				}
			}
			closed := 0 // by the timeout of the first send
			if old := between("4.0.0", "4.9.0"); c.first != "SEND_OK" &&
				!slices.Contains(old, release) && release != "5.0.0-PREVIEW" {
				closed = 1
			}
			if len(log.all) != 5 || connects != closed {
				t.Errorf("%s: %d answers, %d connects behind the first, want %d", release, len(log.all), connects,
					closed)
			}
		}
	}
}
