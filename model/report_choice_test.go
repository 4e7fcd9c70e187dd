package model

import (
	"maps"
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Public reports about sends whose queue the caller chooses: by its name, by a key, by where brokers are.

// apache/rocketmq PR 63 (ROCKETMQ-101): a send with a queue of its own, or with a selector, stays on the
// broker that was chosen: the table is not asked, though the client avoids that broker, and only
// asynchronous sends tell it anything.
//
// Source: DefaultMQProducerImpl.sendKernelImpl and sendSelectImpl, 4.2.0, 4.9.8, 5.3.3.
func TestChosenQueueIgnoresTheTable(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"4.2.0", "4.7.1", "4.9.8", "5.1.4", "5.3.3"} {
		for _, mode := range []config.SendMode{config.Sync, config.Async} {
			for _, choice := range []config.QueueChoice{config.ChooseQueue, config.ChooseByHash} {
				cfg := configtest.Small(release, 2)
				cfg.Duration = 40 * second
				cfg.Faults = []config.Fault{{
					Name: "stop", Kind: config.Pause, At: 10 * second, Duration: 10 * second,
					Targets: []config.Target{{}},
				}}
				p := &cfg.Producers[0]
				p.Rate, p.PollNameServerInterval = 50, 10_000*sim.Hour
				p.Mode, p.Choice, p.Queue, p.Keys = mode, choice, config.QueueName{Broker: "b00", ID: 1}, 16
				p.Settings.SendLatencyFaultEnable, p.Settings.SendMsgTimeout = true, 1000
				o := &chosen{where: map[uint64]strategy.Queue{}}
				w := New(cfg, o)
				runTo(t, w, 19*second)
				avoided := w.Avoiding(0, 0)
				runTo(t, w, cfg.Duration)
				if o.moved > 0 || o.failed < 100 {
					t.Errorf("%s, %v, %v: %d attempts elsewhere, %d failed sends", release, mode, choice, o.moved,
						o.failed)
				}
				if avoided != 1 && mode == config.Async || o.isolated > 0 && mode == config.Sync {
					t.Errorf("%s, %v, %v: avoided by %d, isolated %d times", release, mode, choice, avoided, o.isolated)
				}
				if o.again == 0 {
					t.Errorf("%s, %v, %v: the broker is not used again at once", release, mode, choice)
				}
			}
		}
	}
}

// chosen follows sends that must stay where they are.
type chosen struct {
	NopObserver
	where                          map[uint64]strategy.Queue
	moved, failed, isolated, again int
}

func (o *chosen) AttemptEnded(a *Attempt) {
	if first, known := o.where[a.Number]; known && first != a.Queue {
		o.moved++
	}
	o.where[a.Number] = a.Queue
	after := a.Began.Sub(sim.Time(20 * second))
	if a.Queue.Broker == 0 && after > 0 && after < second && a.Outcome.Kind == strategy.OutcomeOK {
		o.again++
	}
}

func (o *chosen) Answered(a *Answer) {
	if a.Result.Status == strategy.StatusNone {
		o.failed++
	}
}

func (o *chosen) TableChanged(c *TableChange) {
	if c.Until > c.At {
		o.isolated++
	}
}

// apache/rocketmq PR 2452, issue 3306: a selector that prefers the producer's own data centre. Two data
// centres with two masters each, 10 ms apart. Nothing crosses while its own masters live; when they are
// killed, sends fail until the next poll and then all cross; when they are back, all are back with the
// next poll.
func TestMachineRoomSelector(t *testing.T) {
	t.Parallel()
	const at, back = 60 * second, 160 * second
	for _, release := range testReleases {
		cfg := configtest.Small(release, 4)
		cfg.Duration = 240 * second
		cfg.Zones = []config.Zone{
			{Name: "here", Runs: []config.Target{
				{Index: 0}, {Index: 2}, {Kind: config.ProducerTarget}, {Kind: config.NameServerTarget},
			}},
			{Name: "there", Runs: []config.Target{{Index: 1}, {Index: 3}}},
		}
		cfg.ZoneLinks = []config.ZoneLink{{
			Name: "way", A: "here", B: "there",
			Latency: must(sim.Constant(10 * ms)),
		}}
		cfg.Faults = []config.Fault{{
			Name: "kill", Kind: config.Kill, At: at, Duration: back - at, Targets: []config.Target{
				{Index: 0},
				{Index: 2},
			},
		}}
		p := &cfg.Producers[0]
		p.Rate, p.Choice = 50, config.ChooseByMachineRoom
		var log attemptLog
		runTo(t, New(cfg, &log), cfg.Duration)
		crossing := func(from, to sim.Duration) (share float64, ok int) {
			crossed := 0
			for _, a := range log.attempts {
				if a.Began < sim.Time(from) || a.Began >= sim.Time(to) || a.Outcome.Kind != strategy.OutcomeOK {
					continue
				}
				ok++
				if a.Queue.Broker%2 == 1 {
					crossed++
					if a.took() < 20*ms {
						t.Fatalf("%s: it took %v to cross and come back", release, a.took())
					}
				}
			}
			return float64(crossed) / float64(max(ok, 1)), ok
		}
		if share, n := crossing(0, at); share != 0 || n < 2800 {
			t.Errorf("%s: %.3f of %d cross while all is well", release, share, n)
		}
		if share, n := crossing(at, at+30*second); share != 1 && n > 0 {
			t.Errorf("%s: %.3f of %d cross before the next poll", release, share, n)
		}
		if share, n := crossing(at+30*second, back); share != 1 || n < 3400 {
			t.Errorf("%s: %.3f of %d cross in the outage", release, share, n)
		}
		if share, n := crossing(back+30*second, cfg.Duration); share != 0 || n < 2400 {
			t.Errorf("%s: %.3f of %d cross after it", release, share, n)
		}
		for _, a := range log.failed() {
			if a.Scheduled < sim.Time(at-ms) || a.Scheduled > sim.Time(at+30*second+ms) {
				t.Fatalf("%s: a send at %v fails", release, a.Scheduled)
			}
		}
	}
}

// apache/rocketmq issue 2148: a selector by hash is not uniform. The most loaded of 16 queues has so many
// times the mean: with as many keys as queues some have none and some have several; with many keys it comes
// to 1. Without a selector it is 1.
func TestHashSelectorIsNotUniform(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys     int
		from, to float64
	}{{16, 2, 6}, {100, 1.3, 2.5}, {10_000, 1, 1.3}} {
		for _, release := range []string{"4.7.1", "5.3.3"} {
			cfg := configtest.Small(release, 4)
			cfg.Duration = 20 * second
			cfg.Producers[0].Choice, cfg.Producers[0].Keys = config.ChooseByHash, c.keys
			got := queueSkew(t, cfg)
			cfg.Producers[0].Choice = config.ChooseByPolicy
			even := queueSkew(t, cfg)
			t.Logf("%s, %d keys: the most loaded queue has %.2f of the mean, and %.2f", release, c.keys, got, even)
			if got < c.from || got > c.to || even > 1.02 {
				t.Errorf("%s, %d keys: the most loaded queue has %.2f of the mean, want %g to %g; by turns %.2f",
					release, c.keys, got, c.from, c.to, even)
			}
		}
	}
}

// queueSkew is the number of messages of the most loaded queue over the mean.
func queueSkew(t *testing.T, cfg config.Config) float64 {
	t.Helper()
	var log attemptLog
	runTo(t, New(cfg, &log), cfg.Duration)
	count := map[strategy.Queue]int{}
	most := 0
	for _, a := range log.attempts {
		count[a.Queue]++
		most = max(most, count[a.Queue])
	}
	return float64(most) * 16 / float64(len(log.attempts))
}

// apache/rocketmq issue 1999, apache/rocketmq-client-go issues 795 and 1092: a key goes to different brokers
// if clients list queues in different orders. Java clients sort the brokers by name, as the head of the Go
// client does, so a key has one broker for all instances, in whatever order a scenario lists the brokers.
// The Go client to 2.1.2 has them in the order of its name server, of which there are two.
//
// Source: MQClientInstance.topicRouteData2TopicPublishInfo, 4.2.0, 4.9.8, 5.3.3; rocketmq-client-go
// internal/route.go, routeData2PublishInfo, v2.1.2 and 2173d07.
func TestKeysGoToOneBroker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		client  config.Client
		release string
		one     bool
	}{
		{config.JavaClient, "4.2.0", true},
		{config.JavaClient, "4.9.8", true},
		{config.JavaClient, "5.3.3", true},
		{config.GoClient, "2.1.2", false},
		{config.GoClient, strategy.GoHead, true},
	} {
		where, one := brokersOfKeys(t, c.client, c.release, false)
		otherWay, too := brokersOfKeys(t, c.client, c.release, true)
		if one != c.one || too != c.one || c.one && !maps.Equal(where, otherWay) {
			t.Errorf("%s: %v, %v; with brokers the other way round %v, %v", c.release, one, where, too, otherWay)
		}
	}
}

// brokersOfKeys are the brokers that 20 keys go to, with ten instances that poll two name servers, and
// whether each key goes to one broker.
func brokersOfKeys(t *testing.T, client config.Client, release string, reversed bool) (map[uint32]string,
	bool,
) {
	t.Helper()
	cfg := configtest.Small("4.9.3", 4)
	cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: "4.9.3"})
	cfg.Duration = 20 * second
	if reversed {
		slices.Reverse(cfg.Brokers)
	}
	p := &cfg.Producers[0]
	p.Client, p.Release, p.Count, p.Rate, p.Choice, p.Keys = client, release, 10, 100, config.ChooseByHash, 20
	if client == config.GoClient {
		p.Settings = strategy.GoDefaultSettings()
	}
	var log attemptLog
	w := New(cfg, &log)
	runTo(t, w, cfg.Duration)
	where, one := map[uint32]string{}, true
	for _, a := range log.attempts {
		key, broker := w.keyOf(&w.groups[0], a.Number), cfg.Brokers[a.Queue.Broker].Name
		if before, known := where[key]; known && before != broker {
			one = false
		}
		where[key] = broker
	}
	if len(where) != 20 {
		t.Fatalf("%s: %d keys", release, len(where))
	}
	return where, one
}
