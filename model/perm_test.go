package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

// Permissions of queues: in the memory of name servers, and in registrations.

// routedAt is how many clients of the first group list a broker.
func routedAt(t *testing.T, w *World, at sim.Duration, broker int) int {
	t.Helper()
	runTo(t, w, at)
	return w.Routed(0, broker)
}

// wipeWritePerm takes the queues of a broker name out of the lists of all clients within one poll, 30 s;
// the broker itself goes on taking sends (broker.md §9). It lasts across ordinary registrations. At the
// end addWritePerm, from 4.9.2, gives them back; without it they stay away.
//
// Source: RouteInfoManager.wipeWritePermOfBroker, 4.2.0; operateWritePermOfBroker, 4.9.2 and 5.3.3.
func TestWipeWritePerm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		back    bool
	}{{"4.2.0", false}, {"4.9.1", false}, {"4.9.2", true}, {"4.9.8", true}, {"5.3.3", true}} {
		cfg := nsConfig(c.release, 2, 3, 50)
		cfg.Producers[0].Rate = 100
		cfg.Faults = []config.Fault{{
			Name: "wipe", Kind: config.WipeWritePerm, At: 40 * sim.Second, Duration: 100 * sim.Second,
			Targets: []config.Target{{}},
		}}
		obs := &sendsTo{from: sim.Time(70 * sim.Second), to: sim.Time(140 * sim.Second)}
		w := New(cfg, obs)
		if n := routedAt(t, w, 40*sim.Second, 0); n != 50 {
			t.Errorf("%s: %d clients list the broker before the wipe", c.release, n)
		}
		if n := routedAt(t, w, 55*sim.Second, 0); n < 15 || n > 35 {
			t.Errorf("%s: %d of 50 clients list it after half a poll", c.release, n)
		}
		if n := routedAt(t, w, 70*sim.Second, 0); n != 0 {
			t.Errorf("%s: %d clients list it one poll after the wipe", c.release, n)
		}
		if n := routedAt(t, w, 140*sim.Second, 0); n != 0 {
			t.Errorf("%s: %d clients list it after three registrations", c.release, n)
		}
		want := 0
		if c.back {
			want = 50
		}
		if n := routedAt(t, w, 170*sim.Second, 0); n != want {
			t.Errorf("%s: %d clients list it one poll after the end, want %d", c.release, n, want)
		}
		if obs.count[0] > 0 || obs.count[1] == 0 || obs.failed > 0 {
			t.Errorf("%s: %d sends to the wiped broker, %d to the other, %d failed", c.release,
				obs.count[0], obs.count[1], obs.failed)
		}
	}
}

// sendsTo counts the sends in a time by the broker of their first attempt, and those that failed.
type sendsTo struct {
	NopObserver
	from, to sim.Time
	count    [4]int
	failed   int
}

func (o *sendsTo) AttemptEnded(a *Attempt) {
	if a.Try == 1 && a.Began >= o.from && a.Began < o.to {
		o.count[a.Queue.Broker]++
	}
}

func (o *sendsTo) Answered(a *Answer) {
	if a.Result.Exception != 0 {
		o.failed++
	}
}

// A wipe is of the memory of the name servers that hear it. Others go on listing the broker's queues, a
// name server that starts again has forgotten it, and so it is undone by the registration of a master
// whose id 0 was gone.
//
// Source: RouteInfoManager.registerBroker (registerFirst), 4.9.8 and 5.3.3.
func TestWipeIsInTheMemoryOfNameServers(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.9.8", "5.3.3"} {
		for _, c := range []struct {
			name string
			f    config.Fault
			// listed at 70 s, and at the end
			before, after bool
		}{
			{"nothing", config.Fault{}, false, false},
			{"restart of the name server", nsFault(config.Kill, 80*sim.Second, 10*sim.Second, 0), false, true},
			{"restart of the master", config.Fault{
				Name: "f", Kind: config.Kill, At: 80 * sim.Second, Duration: 10 * sim.Second,
				Targets: []config.Target{{}},
			}, false, true},
			{"short loss of power", config.Fault{
				Name: "f", Kind: config.PowerLoss, At: 80 * sim.Second, Duration: 10 * sim.Second,
				Targets: []config.Target{{}},
			}, false, false},
		} {
			cfg := nsConfig(release, 2, 2, 40)
			cfg.Faults = []config.Fault{{
				Name: "wipe", Kind: config.WipeWritePerm, At: 40 * sim.Second, Targets: []config.Target{{}},
				To: []config.Target{{Kind: config.NameServerTarget}},
			}}
			if c.f.Name != "" {
				cfg.Faults = append(cfg.Faults, c.f)
			}
			w := New(cfg, nil)
			for _, at := range []struct {
				when   sim.Duration
				listed bool
			}{{70 * sim.Second, c.before}, {160 * sim.Second, c.after}} {
				runTo(t, w, at.when)
				if got := w.entry(0, 0, 0).publishes(); got != at.listed {
					t.Errorf("%s, %s: at %v name server 1 lists the broker: %v", release, c.name, at.when, got)
				}
				if !w.entry(1, 0, 0).publishes() {
					t.Errorf("%s, %s: at %v name server 2 does not list the broker", release, c.name, at.when)
				}
				for i := range w.insts {
					n := w.insts[i].lookups.nameServer
					if c.f.Name == "" && w.publishes(int32(i), 0) != (n == 1) {
						t.Errorf("%s, %s: at %v a client of name server %d lists it: %v", release, c.name,
							at.when, n+1, n != 1)
					}
				}
			}
		}
	}
}

// brokerPermission = 4 registers at once with that permission, so clients leave within one poll; in
// 4.2.0 name servers heed it with the next registration only (the source differs from broker.md §9
// there). The broker still takes sends (broker.md §9). At the end it is as before.
//
// Source: AdminBrokerProcessor.updateBrokerConfig, 4.2.0 and 4.3.0; msgCheck, 4.9.8.
func TestBrokerPermission(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		late    bool
	}{{"4.2.0", true}, {"4.3.0", false}, {"4.9.8", false}, {"5.3.3", false}} {
		cfg := nsConfig(c.release, 2, 2, 40)
		cfg.Producers[0].Rate = 100
		cfg.Faults = []config.Fault{{
			Name: "read-only", Kind: config.BrokerPermission, At: 40 * sim.Second, Duration: 70 * sim.Second,
			Targets: []config.Target{{}}, Permission: 4,
		}}
		obs := &sendsTo{from: sim.Time(40 * sim.Second), to: sim.Time(55 * sim.Second)}
		w := New(cfg, obs)
		next := w.phase(ownerProcess(0), phaseRegister, 30*sim.Second) + 30*sim.Second
		if next < 40*sim.Second {
			next += 30 * sim.Second
		}
		heard := 40 * sim.Second
		if c.late {
			runTo(t, w, next-sim.Millisecond)
			if !w.entry(0, 0, 0).publishes() {
				t.Errorf("%s: the name server heeds it before the next registration", c.release)
			}
			heard = next
		}
		runTo(t, w, heard+sim.Millisecond)
		if w.entry(0, 0, 0).publishes() || w.entry(1, 0, 0).publishes() {
			t.Errorf("%s: the name servers do not heed it", c.release)
		}
		if n := routedAt(t, w, heard+30*sim.Second, 0); n != 0 {
			t.Errorf("%s: %d clients list the broker one poll later", c.release, n)
		}
		if n := routedAt(t, w, 180*sim.Second, 0); n != 40 {
			t.Errorf("%s: %d clients list the broker after the end", c.release, n)
		}
		if obs.failed > 0 || obs.count[0] == 0 {
			t.Errorf("%s: %d sends failed, %d went to the broker meanwhile", c.release, obs.failed, obs.count[0])
		}
	}
}

// A permission that is given back while the broker is without power is in its file when it starts. The name
// servers have not seen it go, so its registration is not the first; they heed it all the same, because
// the DataVersion that went with the permission was in memory only, and now it is another one. Found by
// the campaign.
//
// Source: AdminBrokerProcessor.updateBrokerConfig (nextVersion without persist), TopicConfigManager.load,
// RouteInfoManager.isBrokerTopicConfigChanged (not equal), 4.9.8 and 5.3.3.
func TestPermissionGivenBackWhileTheBrokerIsDown(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.3.0", "4.9.8", "5.3.3"} {
		cfg := nsConfig(release, 2, 2, 20)
		cfg.Faults = []config.Fault{{
			Name: "read-only", Kind: config.BrokerPermission, At: 40 * sim.Second, Duration: 30 * sim.Second,
			Targets: []config.Target{{}}, Permission: 4,
		}, {
			Name: "power", Kind: config.PowerLoss, At: 60 * sim.Second, Duration: 20 * sim.Second, Factor: 1,
			Targets: []config.Target{{}},
		}}
		w := New(cfg, nil)
		runTo(t, w, 79*sim.Second)
		if w.entry(0, 0, 0).publishes() || !w.regs[w.regIndex(0, 0)].registered {
			t.Errorf("%s: the name server has it as writable, or not at all", release)
		}
		if n := routedAt(t, w, 150*sim.Second, 0); n != 20 {
			t.Errorf("%s: %d clients list the broker after its start", release, n)
		}
	}
}

// A broker with brokerPermission = 4 from the start has no queues to publish.
func TestReadOnlyFromTheStart(t *testing.T) {
	t.Parallel()
	cfg := nsConfig("5.3.3", 2, 1, 10)
	cfg.Brokers[0].Permission = 4
	w := New(cfg, nil)
	if n := w.Routed(0, 0); n != 0 {
		t.Errorf("%d clients list it", n)
	}
	if n := routedAt(t, w, 60*sim.Second, 1); n != 10 {
		t.Errorf("%d clients list the other", n)
	}
}
