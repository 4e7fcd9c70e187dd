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

// releaseStory is a story with n brokers for a table of releases.
func releaseStory(n int, retries int, timeout strategy.Millis) wireStory {
	const never = 10_000 * sim.Hour
	s := wireStory{cfg: configtest.Small(testReleases[0], n)}
	s.cfg.Topics[0].WriteQueueNums = 1
	p := &s.cfg.Producers[0]
	p.Rate = 1e-9 // the story sends
	p.PollNameServerInterval, p.HeartbeatBrokerInterval = never, never
	p.Settings.RetryTimesWhenSendFailed, p.Settings.SendMsgTimeout = retries, timeout
	return s
}

func (s *wireStory) strikes(kind config.FaultKind, broker int, at, duration sim.Duration) {
	s.cfg.Faults = append(s.cfg.Faults, config.Fault{
		Name: fmt.Sprintf("f%d", len(s.cfg.Faults)), Kind: kind, Targets: []config.Target{{Index: broker}},
		At: at, Duration: duration,
	})
}

// answers are what the callers are told, in order of time.
type answers struct {
	NopObserver
	all []Answer
}

func (o *answers) Answered(a *Answer) { o.all = append(o.all, *a) }

// told plays a story in a release and says what its messages come to: "after 3.001s, 3 attempts:
// MQClientException 10002".
func (s *wireStory) told(t *testing.T, release string, until sim.Duration) []string {
	t.Helper()
	o := &answers{}
	s.world(t, release, until, func(*config.Config) Observer { return o })
	var out []string
	for _, a := range o.all {
		what := a.Result.Status.String()
		if a.Result.Status == strategy.StatusNone {
			what = a.Result.Exception.String()
		}
		if a.Result.Exception == strategy.MQClientException {
			what += fmt.Sprintf(" %d", a.Result.Code)
		}
		out = append(out, fmt.Sprintf("after %.2fs, %d attempts: %s",
			a.At.Sub(a.Scheduled).Seconds(), a.Attempts, what))
	}
	return out
}

// between are the releases from one to another, in version order.
func between(from, to string) []string {
	all := strategy.Releases()
	return all[slices.Index(all, from) : slices.Index(all, to)+1]
}

// client.md §11 T2: "sync hang, timeout 1000, retries 2: 4.2.0 = 3 attempts, 3.0 s, code 10002;
// 4.3.0..5.3.3 = RemotingTooMuchRequestException at ~1.0 s". Every broker hangs.
func TestSyncHangByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(3, 2, 1000)
	for b := range 3 {
		s.strikes(config.Pause, b, sim.Second, 0)
	}
	s.sends = []wireSend{{2 * sim.Second, 0}}
	check := func(releases []string, want string) {
		for _, release := range releases {
			if got := s.told(t, release, 20*sim.Second); !slices.Equal(got, []string{want}) {
				t.Errorf("%s: %q, want %q", release, got, want)
			}
		}
	}
	check(between("4.0.0", "4.2.0"), "after 3.00s, 3 attempts: MQClientException 10002")
	check(between("4.3.0", "5.3.3"), "after 1.00s, 1 attempts: RemotingTooMuchRequestException")
}

// client.md §11 T3: "broker closes 300 ms after receiving a sync request (timeout 3000, no retry)":
// a killed process closes with FIN what it has read, with RST what it has not.
func TestBrokerClosesByRelease(t *testing.T) {
	t.Parallel()
	const atOnce, waits = "after 0.30s, 1 attempts: MQClientException -1",
		"after 3.00s, 1 attempts: MQClientException 10002"
	for _, tt := range []struct {
		releases []string
		fin, rst string
	}{
		{between("4.0.0", "4.2.0"), waits, waits},
		// Run: 4.3.0, 4.6.1, 4.7.1, 4.9.2, 4.9.4, 4.9.8, 5.0.0, 5.1.2; the others by reading.
		{between("4.3.0", "5.1.2"), waits, atOnce},
		// Run: 5.1.4, 5.2.0, 5.3.1, 5.3.3. NettyConnectManageHandler.channelInactive is in 5.1.3, too.
		{between("5.1.3", "5.3.3"), atOnce, atOnce},
	} {
		fin := releaseStory(2, 0, 3000)
		fin.cfg.Brokers[0].Service = must(sim.Constant(sim.Hour))
		fin.strikes(config.Kill, 0, 2300*sim.Millisecond, 0)
		fin.sends = []wireSend{{2 * sim.Second, 0}}
		rst := releaseStory(2, 0, 3000)
		rst.strikes(config.Pause, 0, sim.Second, 0) // its socket buffer holds what it has not read
		rst.strikes(config.Kill, 0, 2300*sim.Millisecond, 0)
		rst.sends = fin.sends
		for _, release := range tt.releases {
			if got := fin.told(t, release, 20*sim.Second); !slices.Equal(got, []string{tt.fin}) {
				t.Errorf("%s, FIN: %q, want %q", release, got, tt.fin)
			}
			if got := rst.told(t, release, 20*sim.Second); !slices.Equal(got, []string{tt.rst}) {
				t.Errorf("%s, RST: %q, want %q", release, got, tt.rst)
			}
		}
	}
}

// client.md §6: "Closing fails every other in-flight request of that channel at once: a 5 s request
// died together with a 1 s one in 4.9.2..5.3.3; not in 4.3.0..4.7.1". Here the shorter request is a
// heartbeat (3 s) to a broker that hangs. Source: NettySystemConfig.clientCloseSocketIfTimeout, 4.9.1.
func TestHeartbeatTakesSendsAlongByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 10_000)
	s.strikes(config.Pause, 0, sim.Second, 0)
	s.beats = []sim.Duration{2 * sim.Second}
	s.sends = []wireSend{{4 * sim.Second, 0}}
	for _, release := range strategy.Releases() {
		want := "after 1.00s, 1 attempts: MQClientException -1"
		if slices.Contains(between("4.0.0", "4.9.0"), release) || release == "5.0.0-PREVIEW" {
			want = "after 10.00s, 1 attempts: MQClientException 10002"
		}
		if got := s.told(t, release, 20*sim.Second); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// client.md §6, "power loss, established channel": ..4.9.0 "dead channel reused, full timeout each
// time"; 4.9.1+ "channel closed on the first timeout, then SYN blackhole", a connect of 3 s that is
// not bounded by the send's timeout.
func TestSendsToADeadHostByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 1000)
	s.strikes(config.PowerLoss, 0, sim.Second, 0)
	s.sends = []wireSend{{2 * sim.Second, 0}, {10 * sim.Second, 0}, {20 * sim.Second, 0}}
	const timeout = "after 1.00s, 1 attempts: MQClientException 10002"
	const noConnection = "after 3.00s, 1 attempts: MQClientException 10001"
	for _, release := range strategy.Releases() {
		want := []string{timeout, noConnection, noConnection}
		if slices.Contains(between("4.0.0", "4.9.0"), release) || release == "5.0.0-PREVIEW" {
			want = []string{timeout, timeout, timeout}
		}
		if got := s.told(t, release, 30*sim.Second); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// client.md §4: "4.0.0..4.2.0 pass the FULL timeout to every attempt and connect time is extra; 4.3.0+
// one shared budget; connect time is deducted". Source: NettyRemotingClient.invokeSync, 4.2.0 and
// 4.3.0. The broker is away when the connect begins, answers its second SYN, one second later, and
// then hangs.
func TestConnectTimeByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 3000)
	s.strikes(config.Kill, 0, sim.Second, sim.Second) // closes the channel
	s.strikes(config.PowerLoss, 0, 2500*sim.Millisecond, sim.Second)
	s.strikes(config.Pause, 0, 3600*sim.Millisecond, 0)
	s.sends = []wireSend{{3 * sim.Second, 0}}
	for _, release := range strategy.Releases() {
		want := "after 3.00s, 1 attempts: MQClientException 10002"
		if slices.Contains(between("4.0.0", "4.2.0"), release) {
			want = "after 4.00s, 1 attempts: MQClientException 10002"
		}
		if got := s.told(t, release, 20*sim.Second); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// broker.md §5: "At exactly elapsed == timeout a 4.3.0-5.1.3 client contacts the next brokers with
// 0 ms: the message is written and stored there but reported failed. 5.1.4+ refuses to send with 0 ms
// left". Source: NettyRemotingClient.invokeSync, 4.9.8 and 5.1.4.
func TestZeroBudgetByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 1, 1000)
	s.cfg.Producers[0].TimerWakeup = must(sim.Constant(sim.Duration(0)))
	s.strikes(config.Pause, 0, sim.Second, 0)
	s.sends = []wireSend{{2 * sim.Second, 0}}
	for _, release := range between("4.3.0", "5.3.3") {
		want := int64(1)
		if slices.Contains(between("5.1.4", "5.3.3"), release) {
			want = 0
		}
		w := s.world(t, release, 10*sim.Second, func(*config.Config) Observer { return nil })
		if got := w.logs[1].appended / 1024; got != want {
			t.Errorf("%s: %d copies on the second broker, want %d", release, got, want)
		}
	}
}

// client.md §6: "client idle close 120 s without read AND write". The next send after that connects.
func TestIdleChannelIsClosed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		second sim.Duration
		beats  []sim.Duration
		want   uint32 // connections made after the first
	}{
		{120 * sim.Second, nil, 0},
		{122 * sim.Second, nil, 1},
		{200 * sim.Second, []sim.Duration{100 * sim.Second}, 0},
		{230 * sim.Second, []sim.Duration{100 * sim.Second}, 1},
	} {
		s := releaseStory(2, 0, 3000)
		s.beats = tt.beats
		s.sends = []wireSend{{sim.Second, 0}, {tt.second, 0}}
		o := &answers{}
		w := s.world(t, "5.3.3", 300*sim.Second, func(*config.Config) Observer { return o })
		if got := w.chans[0].number; got != tt.want {
			t.Errorf("second send at %v: connected %d times, want %d", tt.second, got, tt.want)
		}
		for _, a := range o.all {
			if a.Result.Status != strategy.StatusSendOK {
				t.Errorf("second send at %v: %+v", tt.second, a.Result)
			}
		}
	}
}

// client.md §6, power loss in ..4.9.0: the dead channel is used "until TCP gives up (OS, ~15 min)" -
// tcp_retries2 comes to 924.6 s - "or idle 120 s (heartbeats every 30 s keep it non-idle)". From then
// on a send has to connect, and fails after the connect timeout of 3 s.
func TestDeadChannelUntilTCPGivesUp(t *testing.T) {
	t.Parallel()
	const waits = "after 1.00s, 1 attempts: MQClientException 10002"
	const connects = "after 3.00s, 1 attempts: MQClientException 10001"
	s := releaseStory(2, 0, 1000)
	s.strikes(config.PowerLoss, 0, sim.Second, 0)
	for at := sim.Duration(30); at < 1000; at += 30 {
		s.beats = append(s.beats, at*sim.Second)
	}
	for _, at := range []sim.Duration{10, 500, 900, 1000} { // the first unacknowledged byte is from 10 s
		s.sends = append(s.sends, wireSend{at * sim.Second, 0})
	}
	got := s.told(t, "4.9.0", 1100*sim.Second)
	if !slices.Equal(got, []string{waits, waits, waits, connects}) {
		t.Errorf("kept busy by heartbeats: %q", got)
	}
	s.beats = nil
	got = s.told(t, "4.9.0", 1100*sim.Second)
	if !slices.Equal(got, []string{waits, connects, connects, connects}) {
		t.Errorf("idle: %q", got)
	}
}
