package model

import (
	"fmt"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// What clients know of a dead master: when its queues leave their publish lists, and when they come
// back.

// routeConfig is a cluster in which the first `dead` of dead+1 masters suffer a fault at `at`. The
// wire takes no time, so that the bounds are exact; nobody sends anything that matters.
func routeConfig(release string, dead, instances int, kind config.FaultKind, at sim.Duration) config.Config {
	cfg := configtest.Small(release, dead+1)
	cfg.Network.Latency = must(sim.Constant(sim.Duration(0)))
	cfg.Topics[0].WriteQueueNums = 1
	p := &cfg.Producers[0]
	p.Count, p.Threads, p.Rate = instances, 1, 0.001
	f := config.Fault{Name: "f", Kind: kind, At: at}
	for b := range dead {
		f.Targets = append(f.Targets, config.Target{Index: b})
	}
	cfg.Faults = []config.Fault{f}
	cfg.Duration = at + 200*sim.Second
	return cfg
}

// dropObserver notes for each instance and broker when its queues left the instance's list after
// the fault, and when they came back. -1: never.
type dropObserver struct {
	NopObserver
	from            sim.Time
	dropped, back   []sim.Duration // by instance*brokers+broker, since from
	brokers, change int
}

func newDropObserver(cfg *config.Config) *dropObserver {
	n := cfg.Producers[0].Count * len(cfg.Brokers)
	o := &dropObserver{
		from: sim.Time(cfg.Faults[0].At), brokers: len(cfg.Brokers),
		dropped: make([]sim.Duration, n), back: make([]sim.Duration, n),
	}
	for i := range n {
		o.dropped[i], o.back[i] = -1, -1
	}
	return o
}

func (o *dropObserver) RouteChanged(r *RouteChange) {
	o.change++
	for b, listed := range r.Brokers {
		i := int(r.Instance)*o.brokers + b
		switch {
		case !listed && o.dropped[i] < 0:
			o.dropped[i] = r.At.Sub(o.from)
		case listed && o.dropped[i] >= 0 && o.back[i] < 0:
			o.back[i] = r.At.Sub(o.from)
		}
	}
}

// spread is the range of a set of times, and how many of the values were never.
type spread struct {
	n, never    int
	first, last sim.Duration
}

func (s *spread) add(d sim.Duration) {
	if d < 0 {
		s.never++
		return
	}
	if s.n == 0 || d < s.first {
		s.first = d
	}
	s.last = max(s.last, d)
	s.n++
}

// dead adds what the instances of a run saw of the masters that the fault struck.
func (s *spread) dead(o *dropObserver, times []sim.Duration) {
	for i, d := range times {
		if i%o.brokers != o.brokers-1 {
			s.add(d)
		}
	}
}

// YunaiV/Blog issue 1 asks whether failover takes 2 min 30 s. A master that falls silent is forgotten by
// its name servers 120 s after the last registration, which was up to one period of 30 s before the death,
// and by each client at its next poll, up to 30 s later: 90 to 150 s. In 5.3.3 the scan and the idle time
// of a channel that also carries cluster polls push the early removals up a little, most of all if there
// is a single name server; the bounds are the same.
//
// A run has 100 dead masters with a registration phase each, and 200 clients with a poll phase
// each, so a few seeds sweep the whole square of phases. Heartbeats are out of the way: 100 silent
// brokers would hold up the client's one scheduled thread, which polls too.
func TestSilentMasterLeavesRouteWithin90To150Seconds(t *testing.T) {
	for _, release := range testReleases {
		for _, servers := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d_name_servers", release, servers), func(t *testing.T) {
				t.Parallel()
				var s spread
				for seed := range uint64(24) {
					cfg := routeConfig(release, 100, 200, config.PowerLoss, 40*sim.Second)
					cfg.Seed = seed
					for i := 1; i < servers; i++ {
						cfg.NameServers = append(cfg.NameServers,
							config.NameServer{Name: fmt.Sprintf("n%d", i+1), Release: release})
					}
					cfg.Producers[0].HeartbeatBrokerInterval = 10_000 * sim.Hour
					obs := newDropObserver(&cfg)
					runTo(t, New(cfg, obs), cfg.Duration)
					s.dead(obs, obs.dropped)
				}
				t.Logf("%d drops between %v and %v", s.n, s.first, s.last)
				if s.never > 0 {
					t.Errorf("%d of %d were never dropped", s.never, s.n+s.never)
				}
				if s.first < 90*sim.Second || s.last > 150*sim.Second {
					t.Errorf("dropped between %v and %v, outside 90s to 150s", s.first, s.last)
				}
				if s.first > 91*sim.Second || s.last < 149*sim.Second {
					t.Errorf("dropped between %v and %v: the sweep does not reach both ends",
						s.first, s.last)
				}
			})
		}
	}
}

// With heartbeats on, each silent master costs the client's scheduled thread 3 s in each round. Up
// to nine of them leave the poll, 29 s later, in time.
func TestHeartbeatsToSilentMastersDoNotDelayThePoll(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		for _, dead := range []int{1, 8} {
			var s spread
			for seed := range uint64(4) {
				cfg := routeConfig(release, dead, 20, config.PowerLoss, 40*sim.Second)
				cfg.Seed = seed
				obs := newDropObserver(&cfg)
				runTo(t, New(cfg, obs), cfg.Duration)
				s.dead(obs, obs.dropped)
			}
			if s.never > 0 || s.first < 90*sim.Second || s.last > 150*sim.Second {
				t.Errorf("%s, %d dead: dropped between %v and %v, %d never", release, dead,
					s.first, s.last, s.never)
			}
		}
	}
}

// The kernel of a killed process closes its connections, so name servers know at once and clients
// at their next poll, within 30 s. A slave that is left does not help: its group has no master.
func TestKilledMasterLeavesRouteWithinOnePoll(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		for slaves := range 2 {
			var s spread
			for seed := range uint64(10) {
				cfg := routeConfig(release, 3, 100, config.Kill, 40*sim.Second)
				cfg.Seed = seed
				for i := range cfg.Brokers {
					cfg.Brokers[i].Slaves = slaves
				}
				obs := newDropObserver(&cfg)
				runTo(t, New(cfg, obs), cfg.Duration)
				s.dead(obs, obs.dropped)
			}
			if s.never > 0 || s.last > 30*sim.Second {
				t.Errorf("%s, %d slaves: dropped up to %v after the kill, %d never", release,
					slaves, s.last, s.never)
			}
			if s.first > sim.Second || s.last < 29*sim.Second {
				t.Errorf("%s, %d slaves: dropped between %v and %v: polls are out of phase",
					release, slaves, s.first, s.last)
			}
		}
	}
}

// A master that starts again registers as soon as its port is open; each client has it back at its
// next poll.
func TestReturnedMasterIsBackWithinOnePoll(t *testing.T) {
	t.Parallel()
	const down, startup = 45 * sim.Second, 7 * sim.Second
	for _, release := range testReleases {
		var s spread
		for seed := range uint64(10) {
			cfg := routeConfig(release, 3, 100, config.Kill, 40*sim.Second)
			cfg.Seed = seed
			cfg.Faults[0].Duration = down
			for i := range cfg.Brokers {
				cfg.Brokers[i].Startup = startup
			}
			obs := newDropObserver(&cfg)
			runTo(t, New(cfg, obs), cfg.Duration)
			s.dead(obs, obs.back)
		}
		up := down + startup
		if s.never > 0 || s.first < up || s.last > up+30*sim.Second {
			t.Errorf("%s: back between %v and %v after the kill, %d never; up after %v", release,
				s.first, s.last, s.never, up)
		}
		if s.first > up+sim.Second || s.last < up+29*sim.Second {
			t.Errorf("%s: back between %v and %v: polls are out of phase", release, s.first, s.last)
		}
	}
}

// Power that is back before the registration expires (90 s at the earliest) leaves no trace in any
// route: the master registers again before anybody missed it.
func TestShortPowerLossLeavesRoutesAlone(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		for seed := range uint64(10) {
			cfg := routeConfig(release, 3, 20, config.PowerLoss, 40*sim.Second)
			cfg.Seed = seed
			cfg.Faults[0].Duration = 89 * sim.Second
			obs := newDropObserver(&cfg)
			runTo(t, New(cfg, obs), cfg.Duration)
			if obs.change > 0 {
				t.Errorf("%s, seed %d: %d route changes", release, seed, obs.change)
			}
		}
	}
}

// When nothing of a topic is left the name server does not know it any more (code 17), and clients
// keep the route they had.
func TestClientKeepsRouteOfVanishedTopic(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := routeConfig(release, 3, 20, config.Kill, 40*sim.Second)
		cfg.Faults[0].Targets = append(cfg.Faults[0].Targets, config.Target{Index: 3})
		obs := newDropObserver(&cfg)
		w := New(cfg, obs)
		runTo(t, w, cfg.Duration)
		for b := range cfg.Brokers {
			if n := w.Routed(0, b); n != cfg.Producers[0].Count {
				t.Errorf("%s: %d clients list broker %d, want all", release, n, b)
			}
		}
	}
}

// A slave that survives keeps the topic known, so the publish list of a topic without any master is
// empty, and sends fail for want of a route, before any attempt.
func TestTopicWithSlavesOnlyHasNoQueues(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := routeConfig(release, 3, 20, config.Kill, 40*sim.Second)
		cfg.Faults[0].Targets = append(cfg.Faults[0].Targets, config.Target{Index: 3})
		for i := range cfg.Brokers {
			cfg.Brokers[i].Slaves = 1
		}
		cfg.Producers[0].Rate = 20
		obs := &noRouteObserver{from: sim.Time(70 * sim.Second)}
		w := New(cfg, obs)
		runTo(t, w, cfg.Duration)
		for b := range cfg.Brokers {
			if n := w.Routed(0, b); n != 0 {
				t.Errorf("%s: %d clients list broker %d, want none", release, n, b)
			}
		}
		if obs.noRoute == 0 || obs.other > 0 {
			t.Errorf("%s: %d sends without a route, %d ended otherwise", release, obs.noRoute, obs.other)
		}
	}
}

// noRouteObserver tells sends that ended for want of a route from all others.
type noRouteObserver struct {
	NopObserver
	from           sim.Time
	noRoute, other int
}

func (o *noRouteObserver) Answered(a *Answer) {
	if a.Scheduled < o.from {
		return
	}
	if a.Attempts == 0 && a.Result.Code == strategy.CodeNotFoundTopic {
		o.noRoute++
		return
	}
	o.other++
}

// A registration that was on its way when the process was killed must not bring the dead broker
// back: bytes of a connection do not arrive behind its FIN.
func TestRegistrationDoesNotOvertakeFIN(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		for seed := range uint64(60) {
			cfg := routeConfig(release, 40, 1, config.Kill, 35*sim.Second)
			cfg.Seed = seed
			cfg.Duration = 36 * sim.Second
			cfg.Network.Latency = must(sim.Uniform(0, 100*sim.Millisecond))
			obs := &registrationObserver{}
			runTo(t, New(cfg, obs), cfg.Duration)
			if obs.registered > 0 {
				t.Fatalf("%s, seed %d: %d killed brokers registered", release, seed, obs.registered)
			}
		}
	}
}

type registrationObserver struct {
	NopObserver
	registered int
}

func (o *registrationObserver) Process(p *ProcessEvent) {
	if p.What == Registered {
		o.registered++
	}
}
