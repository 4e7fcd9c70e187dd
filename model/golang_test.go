package model

import (
	"fmt"
	"runtime"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// goConfig is configtest.Small with producers of the Go client.
func goConfig(release string, n int) config.Config {
	cfg := configtest.Small("5.3.3", n)
	p := &cfg.Producers[0]
	p.Client, p.Release, p.Settings = config.GoClient, release, strategy.GoDefaultSettings()
	p.Arrivals = config.Constant
	return cfg
}

// goTally counts what callers of a run are told, by answer, and remembers attempts.
type goTally struct {
	NopObserver
	answers  map[string]int
	attempts []Attempt
	all      []Answer
}

func (o *goTally) AttemptEnded(a *Attempt) { o.attempts = append(o.attempts, *a) }

func (o *goTally) Answered(a *Answer) {
	if o.answers == nil {
		o.answers = map[string]int{}
	}
	name := a.Result.Exception.String()
	if a.Result.Exception == strategy.ExceptionNone {
		name = a.Result.Status.String()
	}
	o.answers[name]++
	o.all = append(o.all, *a)
}

// TestGoHealthy: while nothing fails, the Go client uses all queues in turn, and is told SEND_OK.
func TestGoHealthy(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goConfig(release, 2)
		cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: "5.3.3"})
		cfg.Duration = 70 * sim.Second
		obs := &goTally{}
		runWorld(t, cfg, obs)
		if len(obs.answers) != 1 || obs.answers["SEND_OK"] < 34_900 {
			t.Errorf("%s: %v", release, obs.answers)
		}
		for i := 8; i < len(obs.attempts); i++ {
			if obs.attempts[i].Queue != obs.attempts[i-8].Queue {
				t.Fatalf("%s: attempt %d is not on the queue of the one 8 before", release, i)
			}
		}
	}
}

// TestGoReportRetriesStay is rocketmq-client-go #736 and #1014 (I1): two masters with a slave each,
// SYNC_MASTER, four queues, three retries. When one master is killed, each turn of the round robin comes
// to its first queue once, after four sends to the other, and makes all four attempts there: one send in
// five fails. The head tells its selector the last broker, and none fails.
func TestGoReportRetriesStay(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goConfig(release, 2)
		cfg.Duration = 80 * sim.Second
		for b := range cfg.Brokers {
			br := &cfg.Brokers[b]
			br.Role, br.Slaves, br.SlaveTimeout, br.InSyncReplicas = config.SyncMaster, 1, 3*sim.Second, 2
			br.HAHousekeepingInterval, br.HAHeartbeatInterval = 20*sim.Second, 5*sim.Second
		}
		cfg.Faults = []config.Fault{{
			Name: "kill", Kind: config.Kill, At: 40 * sim.Second,
			Targets: []config.Target{{Kind: config.BrokerTarget, Index: 0}},
		}}
		obs := &goTally{}
		w := New(cfg, obs)
		runTo(t, w, 40*sim.Second)
		// Until the next poll, at most 30 s later.
		obs.all, obs.answers = nil, nil
		failed, sent := 0, 0
		for at := 40 * sim.Second; w.Routed(0, 0) > 0; at += 10 * sim.Millisecond {
			runTo(t, w, at)
		}
		for _, a := range obs.all[8:] { // the cursor starts anywhere
			sent++
			if a.Result.Exception != strategy.ExceptionNone {
				failed++
				if a.Result.Exception != strategy.GoDialError || a.Attempts != 4 {
					t.Fatalf("%s: %v after %d attempts", release, a.Result, a.Attempts)
				}
			}
		}
		share := fmt.Sprintf("%.3f", float64(failed)/float64(sent))
		want := "0.200"
		if release == strategy.GoHead {
			want = "0.000"
		}
		if share != want || sent < 500 {
			t.Errorf("%s: %s of %d sends fail, want %s", release, share, sent, want)
		}
	}
}

// TestGoNoAllocationPerMessage: neither sends that succeed nor those that are refused and tried again
// allocate anything, once all tables have grown.
func TestGoNoAllocationPerMessage(t *testing.T) {
	for _, kill := range []bool{false, true} {
		cfg := goConfig(strategy.GoHead, 3)
		cfg.Duration = 100 * sim.Second
		cfg.Producers[0].Rate = 5000
		if kill {
			// Nobody tells the producer: the name server is stopped first.
			cfg.Faults = []config.Fault{
				{
					Name: "ns", Kind: config.Pause, At: sim.Second,
					Targets: []config.Target{{Kind: config.NameServerTarget}},
				},
				{Name: "kill", Kind: config.Kill, At: 2 * sim.Second, Targets: master(0)},
			}
		}
		w := New(cfg, nil)
		runTo(t, w, 40*sim.Second)
		sent := w.ledger.sent
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		runTo(t, w, 42*sim.Second)
		runtime.ReadMemStats(&after)
		n := w.ledger.sent - sent
		if each := float64(after.Mallocs-before.Mallocs) / float64(n); each > 0.01 || n < 9000 {
			t.Errorf("%.3f allocations for each of %d messages (kill: %v)", each, n, kill)
		}
	}
}

// TestGoSendWithoutRoute: a send to a topic of which the client has no route asks for it before each of
// its four tries, and each waits for the one name server, which is stopped: 3 s to 2.1.1, then 6 s. Java
// 5.3.3 throws after one lookup.
func TestGoSendWithoutRoute(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goConfig(release, 1)
		cfg.Duration = 80 * sim.Second
		cfg.Topics[0].Absent = true
		cfg.Producers[0].Rate, cfg.Producers[0].Threads = 0.5, 1
		cfg.Faults = []config.Fault{{
			Name: "ns", Kind: config.Pause,
			Targets: []config.Target{{Kind: config.NameServerTarget}},
		}}
		obs := &goTally{}
		runWorld(t, cfg, obs)
		timeout := 6 * sim.Second
		if release < "2.1.2" {
			timeout = 3 * sim.Second
		}
		if len(obs.all) == 0 {
			t.Errorf("%s: no send ends", release)
			continue
		}
		a := obs.all[0]
		took := a.At.Sub(a.Began)
		if a.Result.Exception != strategy.GoRouteNotFound || a.Attempts != 0 ||
			took < 4*timeout || took > 4*timeout+sim.Second {
			t.Errorf("%s: %v after %v", release, a.Result, took)
		}
	}
}

// TestGoColdStart: a Go client that starts in the run asks the first name server of its list for the
// route, and its first message takes the second queue: the counter starts at 0, and steps first (§9).
func TestGoColdStart(t *testing.T) {
	cfg := goConfig(strategy.GoHead, 2)
	cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: "5.3.3"})
	cfg.Start.Cold = true
	cfg.Duration = 5 * sim.Second
	obs := &goTally{}
	w := New(cfg, obs)
	runTo(t, w, 9*sim.Millisecond) // the first poll, after 10 ms, asks the second
	if gc := w.goOf(0); w.chans[gc.firstServer].state != channelOpen ||
		w.chans[gc.firstServer+1].state == channelOpen {
		t.Error("it is not connected to the first name server alone")
	}
	runTo(t, w, cfg.Duration)
	if q := obs.attempts[0].Queue; q.Broker != 0 || q.ID != 1 {
		t.Errorf("the first message goes to %v", q)
	}
	if len(obs.answers) != 1 || obs.answers["SEND_OK"] < 2400 {
		t.Errorf("%v", obs.answers)
	}
}
