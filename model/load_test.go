package model

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/model/rate"
	"simrun/sim"
)

// load is a cluster under the load of the speed goal, and a state that it stays in.
type load struct {
	name string
	// set changes the healthy cluster; warm is how long it takes to the state to be measured.
	set  func(*config.Config)
	warm sim.Duration
}

// loadConfig has 10,000 messages/s from 8 instances to four brokers with lognormal service.
func loadConfig() config.Config {
	cfg := configtest.Small("5.3.3", 4)
	cfg.Duration = 24 * sim.Hour
	cfg.Network.Latency = must(sim.Lognormal(150*sim.Microsecond, 500*sim.Microsecond))
	for i := range cfg.Brokers {
		cfg.Brokers[i].Service = must(sim.Lognormal(400*sim.Microsecond, 4*sim.Millisecond))
	}
	p := &cfg.Producers[0]
	p.Count, p.Rate = 8, 10_000
	p.Settings.SendLatencyFaultEnable = true
	return cfg
}

func loads() []load {
	dead := func(kind config.FaultKind) func(*config.Config) {
		return func(cfg *config.Config) {
			cfg.Faults = []config.Fault{{Name: "f", Kind: kind, Targets: []config.Target{{}}, At: 12 * sim.Second}}
		}
	}
	return []load{
		{"Healthy", func(*config.Config) {}, 10 * sim.Second},
		{"Slaves", func(cfg *config.Config) {
			for i := range cfg.Brokers {
				cfg.Brokers[i].Slaves = 2
			}
		}, 10 * sim.Second},
		{"SendPath", func(cfg *config.Config) { setSendPath(cfg, 10*sim.Microsecond) }, 10 * sim.Second},
		{"LockWait", func(cfg *config.Config) { setSendPath(cfg, 200*sim.Microsecond) }, 10 * sim.Second},
		{"SyncFlush", func(cfg *config.Config) {
			for i := range cfg.Brokers {
				cfg.Brokers[i].Flush = config.SyncFlush
			}
		}, 10 * sim.Second},
		{"SyncMaster", func(cfg *config.Config) {
			for i := range cfg.Brokers {
				b := &cfg.Brokers[i]
				b.Role, b.Slaves, b.InSyncReplicas, b.SlaveTimeout = config.SyncMaster, 2, 3, 3*sim.Second
				b.HAHousekeepingInterval, b.HAHeartbeatInterval = 20*sim.Second, 5*sim.Second
			}
		}, 10 * sim.Second},
		{"DeadBroker", func(cfg *config.Config) { // in the routes still
			dead(config.PowerLoss)(cfg)
			cfg.Producers[0].Threads = 4000 // sends to it hold one for seconds
		}, 20 * sim.Second},
		{"ClosedLoop", func(cfg *config.Config) {
			p := &cfg.Producers[0]
			p.Arrivals, p.Rate, p.Think = config.ClosedLoop, 0, must(sim.Exponential(40*sim.Millisecond))
		}, 10 * sim.Second},
		{"ChangingRate", func(cfg *config.Config) {
			p := &cfg.Producers[0]
			p.Shape.Period = sim.Second
			p.Shape.Points = []rate.Point{
				{At: 0, Factor: 0.7}, {At: sim.Second / 3, Factor: 1.5}, {At: sim.Second, Factor: 0.7},
			}
			p.MessageSize, p.Batch = must(sim.Uniform(int64(10), int64(2000))), 2
			p.Rate *= float64(p.Batch)
			cfg.Zones = []config.Zone{
				{Name: "here", Runs: []config.Target{{Kind: config.ProducerTarget}}}, {
					Name: "there",
					Runs: master(0),
				},
			}
			cfg.ZoneLinks = []config.ZoneLink{{Name: "l", A: "here", B: "there", Latency: cfg.Network.Latency}}
		}, 10 * sim.Second},
		{"SentAgain", func(cfg *config.Config) { // by the map of those that are, at most
			dead(config.Kill)(cfg)
			p := &cfg.Producers[0]
			p.Settings.SendLatencyFaultEnable, p.Settings.RetryTimesWhenSendFailed = false, 0
			p.PollNameServerInterval = 10_000 * sim.Hour
			p.OnFailure = config.OnFailure{Resends: 3, Delay: must(sim.Constant(100 * sim.Millisecond))}
		}, 20 * sim.Second},
		{"Async", func(cfg *config.Config) { cfg.Producers[0].Mode = config.Async }, 10 * sim.Second},
		{"AsyncByHash", func(cfg *config.Config) {
			p := &cfg.Producers[0]
			p.Mode, p.Choice, p.Keys, p.Remoting.Backpressure = config.Async, config.ChooseByHash, 1000, true
		}, 10 * sim.Second},
		{"AsyncDeadBroker", func(cfg *config.Config) {
			dead(config.PowerLoss)(cfg)
			cfg.Producers[0].Mode = config.Async
		}, 20 * sim.Second},
		{"OneWay", func(cfg *config.Config) { cfg.Producers[0].Mode = config.OneWay }, 10 * sim.Second},
		{"OneWayByRoom", func(cfg *config.Config) {
			cfg.Producers[0].Mode, cfg.Producers[0].Choice = config.OneWay, config.ChooseByMachineRoom
		}, 10 * sim.Second},
		{"KilledBroker", func(cfg *config.Config) {
			dead(config.Kill)(cfg)
			cfg.Producers[0].Settings.SendLatencyFaultEnable = false // so that refusals go on
			cfg.Producers[0].PollNameServerInterval = 10_000 * sim.Hour
		}, 20 * sim.Second},
	}
}

// setSendPath gives each broker the limits that a scenario gives it, and an append that takes time.
func setSendPath(cfg *config.Config, appends sim.Duration) {
	for i := range cfg.Brokers {
		b := &cfg.Brokers[i]
		b.Append = must(sim.Constant(appends))
		b.QueueCapacity, b.FastFailure, b.WaitTimeInQueue = 10_000, true, 200*sim.Millisecond
		b.PageCacheBusyTimeout = sim.Second
	}
}

// start builds the world and takes it to its state.
func (l load) start(t testing.TB) *World {
	cfg := loadConfig()
	l.set(&cfg)
	w := New(cfg, nil)
	runTo(t, w, l.warm)
	return w
}

// A message in steady state allocates nothing: all tables have the size they need. What is allowed
// is a table that grows once more.
//
// And memory grows with what is in flight, not with what was sent: the tables stay as large as they
// are. With a silent broker what is in flight comes in bursts, one for each connect into the
// silence.
func TestNoAllocationPerMessage(t *testing.T) {
	for _, l := range loads() {
		w := l.start(t)
		var before, after runtime.MemStats
		sent, sizes := w.ledger.sent, tableSizes(w)
		runtime.ReadMemStats(&before)
		runTo(t, w, l.warm+5*sim.Second)
		runtime.ReadMemStats(&after)
		messages := w.ledger.sent - sent
		if messages < 45_000 {
			t.Fatalf("%s: only %d messages in 5 s", l.name, messages)
		}
		allocs := after.Mallocs - before.Mallocs
		if each := float64(allocs) / float64(messages); each > 0.01 {
			t.Errorf("%s: %d allocations for %d messages", l.name, allocs, messages)
		}
		for i, size := range tableSizes(w) {
			if limit := 2*sizes[i] + 64; size > limit && !strings.HasSuffix(l.name, "DeadBroker") {
				t.Errorf("%s: table %d has grown from %d to %d places", l.name, i, sizes[i], size)
			}
		}
	}
}

// tableSizes are the places of all tables that messages go through.
func tableSizes(w *World) []int {
	sizes := []int{
		len(w.msgs.items), len(w.requests.items), w.eng.Pending(), len(w.calls.items), len(w.sends.items),
	}
	for b := range w.logs {
		sizes = append(sizes, len(w.logs[b].unflushed.ring), cap(w.logs[b].orphans))
	}
	for p := range w.procs {
		pr := &w.procs[p]
		sizes = append(sizes, len(pr.queue.ring), len(pr.awaiting.ring), cap(pr.inbox),
			len(pr.freeing.ring), len(pr.lock.waiting.ring))
	}
	for b := range w.ha {
		sizes = append(sizes, len(w.ha[b].transfers.waits.ring))
	}
	return sizes
}

// benchmark reports the speed of a load in messages per second of real time; one operation is one
// message.
func (l load) benchmark(b *testing.B) {
	w := l.start(b)
	first := w.ledger.sent
	b.ReportAllocs()
	for b.Loop() {
		for want := w.ledger.sent + 1; w.ledger.sent < want; {
			if !w.eng.Step() {
				b.Fatal("no events left")
			}
		}
	}
	b.ReportMetric(float64(w.ledger.sent-first)/b.Elapsed().Seconds(), "messages/s")
}

func BenchmarkWorld(b *testing.B) {
	for _, l := range loads() {
		b.Run(l.name, l.benchmark)
	}
}

// Slow faults on one broker multiply, and no product of them is too slow to be simulated.
func TestSlowFaultsMultiply(t *testing.T) {
	cfg := configtest.Small("5.3.3", 2)
	cfg.Producers[0].Rate = 10
	for i := range 4 {
		cfg.Faults = append(cfg.Faults, config.Fault{
			Name: fmt.Sprint(i), Kind: config.Slow, Targets: []config.Target{{}}, At: sim.Second, Factor: 1e6,
			Delay: config.MaxDelay,
		})
	}
	w := runWorld(t, cfg, nil)
	if p := &w.procs[0]; p.factor != 1e24 || p.busy == 0 ||
		slowed(sim.Second, p.factor, p.delay) < config.MaxDelay {
		t.Errorf("factor %g, %d sends in service", p.factor, p.busy)
	}
}
