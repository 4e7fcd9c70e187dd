package model

import (
	"math"
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

func names(ts ...config.Target) []config.Target { return ts }

var (
	theProducer = config.Target{Kind: config.ProducerTarget}
	firstServer = config.Target{Kind: config.NameServerTarget}
)

// steady is a cluster with two name servers and two producers, of which one talks to the last broker
// only, that has all the time it wants.
func steady(release string) config.Config {
	cfg := configtest.Small(release, 3)
	cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: release})
	p := &cfg.Producers[0]
	p.Rate = 200
	p.Settings.SendMsgTimeout = 600_000
	p.Settings.RetryTimesWhenSendFailed = 0
	return cfg
}

// A fault of the network that lies between processes which have nothing to say to each other is not
// felt: not as a cut, nor as loss or delay, which draw luck of their own.
func TestFaultsNobodyFeels(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: release})
		// Brokers 0 and 2 have no slaves, and do not talk to each other.
		base := config.Fault{
			Targets: names(config.Target{Index: 0}), To: names(config.Target{Index: 2}), At: 1, Loss: 0.5,
			Latency: must(sim.Constant(sim.Second)),
		}
		with := cfg
		with.Faults = slices.Clone(cfg.Faults)
		for _, kind := range []config.FaultKind{config.Partition, config.PacketLoss, config.PacketDelay} {
			f := base
			f.Name, f.Kind = kind.String(), kind
			with.Faults = append(with.Faults, f)
		}
		checkSameLines(t, release, record(t, cfg).messages(), record(t, with).messages())
	}
}

// delays counts attempts and how many of them took at least so long.
type delays struct {
	NopObserver
	at      sim.Duration
	n, long int
	most    sim.Duration
	stored  int
	kinds   map[strategy.OutcomeKind]int
}

func (o *delays) AttemptEnded(a *Attempt) {
	d := a.Ended.Sub(a.Began)
	o.n++
	if d >= o.at {
		o.long++
	}
	o.most = max(o.most, d)
	if o.kinds != nil {
		o.kinds[a.Outcome.Kind]++
	}
}

func (o *delays) CopyStored(*Copy) { o.stored++ }

// Loss p on both ways makes the share 1-(1-p)² of the requests wait for a retransmission, at least
// 0.2 s; loss on one way the share p. Nothing is lost for good.
func TestPacketLossDelaysItsShare(t *testing.T) {
	t.Parallel()
	const p = 0.1
	for _, oneWay := range []bool{false, true} {
		cfg := steady("5.3.3")
		cfg.Duration = 100 * sim.Second
		cfg.Faults = []config.Fault{{
			Name: "f", Kind: config.PacketLoss, Targets: names(theProducer),
			To: names(config.Target{}, config.Target{Index: 1}, config.Target{Index: 2}), OneWay: oneWay, Loss: p,
		}}
		o := &delays{at: firstRTO, kinds: map[strategy.OutcomeKind]int{}}
		runWorld(t, cfg, o)
		want := 1 - (1-p)*(1-p)
		if oneWay {
			want = p
		}
		got := float64(o.long) / float64(o.n)
		if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/float64(o.n)) {
			t.Errorf("one way %v: %.4f of %d attempts were delayed, want %.4f", oneWay, got, o.n, want)
		}
		if o.kinds[strategy.OutcomeOK] != o.n || o.most < 3*firstRTO {
			t.Errorf("one way %v: %v of %d, the longest took %v", oneWay, o.kinds, o.n, o.most)
		}
	}
}

// Two faults that lose packets do so independently of each other, and one that loses all is a cut.
func TestLossesAddUp(t *testing.T) {
	t.Parallel()
	cfg := steady("5.3.3")
	loss := func(name string, p float64) config.Fault {
		return config.Fault{
			Name: name, Kind: config.PacketLoss, Targets: names(theProducer), Loss: p,
			At: sim.Second,
		}
	}
	cfg.Faults = []config.Fault{loss("a", 0.5), loss("b", 0.2), loss("c", 1)}
	cfg.Faults[2].At = 2 * sim.Second
	w := New(cfg, nil)
	from, to := w.ends(0, 0, toBroker)
	runTo(t, w, 1500*sim.Millisecond)
	if p := w.loss(from, to); math.Abs(p-0.6) > 1e-12 || w.cut(from, to) {
		t.Errorf("loss %v, cut %v", p, w.cut(from, to))
	}
	runTo(t, w, 2*sim.Second)
	if !w.cut(from, to) {
		t.Error("everything is lost, and it is no cut")
	}
}

// Whom a fault of the network cuts off from whom. Rows are senders, columns receivers: brokers a and
// b, a slave of a, two name servers, two producers; x is cut. The slave shares a host with b.
func TestWhoIsCutOff(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 2)
	cfg.Brokers[0].Slaves = 1
	cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: "5.3.3"})
	cfg.Producers[0].Count = 2
	a, a1, b := config.Target{}, config.Target{ID: 1}, config.Target{Index: 1}
	cfg.Hosts = []config.Host{{Name: "h", Runs: names(a1, b)}}
	order := []config.Target{
		a, b, a1, firstServer,
		{Kind: config.NameServerTarget, Index: 1},
		theProducer,
		{Kind: config.ProducerTarget, ID: 1},
	}
	for _, c := range []struct {
		name string
		f    config.Fault
		want [7]string
	}{
		{"cable", config.Fault{Kind: config.CablePull, Targets: names(a)}, [7]string{
			".xxxxxx", "x......", "x......", "x......", "x......", "x......", "x......",
		}},
		{"cable of a host of two", config.Fault{Kind: config.CablePull, Targets: names(a1)}, [7]string{
			".xx....", "x..xxxx", "x..xxxx", ".xx....", ".xx....", ".xx....", ".xx....",
		}},
		{"black hole", config.Fault{Kind: config.BlackHole, Targets: names(a)}, [7]string{
			".......", ".......", ".......", ".......", ".......", "x......", "x......",
		}},
		{
			"black hole of a name server",
			config.Fault{Kind: config.BlackHole, Targets: names(firstServer)},
			[7]string{
				"...x...", "...x...", "...x...", ".......", "...x...", "...x...", "...x...",
			},
		},
		{
			"partition",
			config.Fault{Kind: config.Partition, Targets: names(a, b), To: names(a1, theProducer)},
			[7]string{
				"..x..x.", ".....x.", "x......", ".......", ".......", "xx.....", ".......",
			},
		},
		{"partition one way", config.Fault{
			Kind: config.Partition, Targets: names(a, b), To: names(a1, theProducer), OneWay: true,
		}, [7]string{
			"..x..x.", ".....x.", ".......", ".......", ".......", ".......", ".......",
		}},
		{
			"partition from everyone else",
			config.Fault{Kind: config.Partition, Targets: names(a, theProducer)},
			[7]string{
				".xxxx.x", "x....x.", "x....x.", "x....x.", "x....x.", ".xxxx.x", "x....x.",
			},
		},
	} {
		c.f.Name = "f"
		cfg.Faults = []config.Fault{c.f}
		w := New(cfg, nil)
		runTo(t, w, sim.Second)
		for i, from := range order {
			got := ""
			for _, to := range order {
				if from != to && w.cut(w.places.Endpoint(from), w.places.Endpoint(to)) {
					got += "x"
				} else {
					got += "."
				}
			}
			if got != c.want[i] {
				t.Errorf("%s: from %s %s, want %s", c.name, cfg.TargetName(from), got, c.want[i])
			}
		}
	}
}

// A cut of the answers leaves the requests of the first 0.2 s stored though their callers time out;
// what is written later waits for a kernel that hears nothing.
func TestOneWayCutStoresAndTimesOut(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := configtest.Small(release, 1)
		cfg.Producers[0].Rate = 100
		cfg.Producers[0].Arrivals = config.Constant
		cfg.Producers[0].Settings.RetryTimesWhenSendFailed = 0
		cfg.Duration = 12 * sim.Second
		cfg.Faults = []config.Fault{{
			Name: "f", Kind: config.Partition, Targets: names(config.Target{}), To: names(theProducer),
			OneWay: true,
			At:     10 * sim.Second,
		}}
		o := &delays{at: sim.Second, kinds: map[strategy.OutcomeKind]int{}}
		w := runWorld(t, cfg, o)
		answered := o.kinds[strategy.OutcomeOK]
		if late := o.stored - answered; late < 20 || late > 22 {
			t.Errorf("%s: %d stored and %d answered", release, o.stored, answered)
		}
		runTo(t, w, 13100*sim.Millisecond)
		if o.kinds[strategy.OutcomeOK] != answered || o.long == 0 {
			t.Errorf("%s: %v after the cut", release, o.kinds)
		}
	}
}

// broker.md §5 and client.md §6 (Linux, tcp_retries2): a client that keeps its channel after a timeout
// (clientCloseSocketIfTimeout is false to 4.9.0) reuses the dead one until TCP gives up, some 15 minutes
// later.
func TestTCPGivesUp(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("4.7.1", 1)
	cfg.Duration = 1000 * sim.Second
	p := &cfg.Producers[0]
	p.Rate, p.Threads = 1, 4
	p.PollNameServerInterval, p.HeartbeatBrokerInterval = 9000*sim.Second, 9000*sim.Second
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.Partition, Targets: names(config.Target{}), To: names(theProducer),
		At: sim.Second,
	}}
	w := New(cfg, nil)
	ch := &w.chans[0]
	runTo(t, w, 900*sim.Second)
	if ch.state != channelOpen {
		t.Fatal("the client has closed the connection")
	}
	for ch.number == 0 && w.Now() < sim.Time(cfg.Duration) {
		runTo(t, w, sim.Duration(w.Now())+100*sim.Millisecond)
	}
	if at := sim.Duration(w.Now()) - giveUp; at < sim.Second || at > 5*sim.Second {
		t.Errorf("the client connects anew at %v", w.Now())
	}
	if w.pipes.live != 0 {
		t.Errorf("%d pipes are left", w.pipes.live)
	}
}
