package experiment

import (
	"cmp"
	"slices"

	"simrun/internal/result"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// testConfig is a small world: n brokers with a slave each, one group of producers that avoids.
func testConfig(release string, n int) config.Config {
	profile := must(strategy.Lookup(release))
	cfg := config.Config{
		Seed:        1,
		Duration:    60 * sim.Second,
		Warmup:      5 * sim.Second,
		Network:     config.Network{Latency: must(sim.Lognormal(150*sim.Microsecond, 500*sim.Microsecond))},
		NameServers: []config.NameServer{{Name: "n1", Release: release}},
		Topics:      []config.Topic{{Name: "orders", WriteQueueNums: 4}},
	}
	for i := range n {
		cfg.Brokers = append(cfg.Brokers, config.Broker{
			Name: string(rune('a' + i)), Release: release, SendThreads: 4, Slaves: 1,
			Service:       must(sim.Lognormal(400*sim.Microsecond, 4*sim.Millisecond)),
			Fsync:         must(sim.Constant(sim.Millisecond)),
			FlushInterval: 500 * sim.Millisecond, FlushLeastPages: 4,
			FlushThoroughInterval: 10 * sim.Second, SyncFlushTimeout: 5 * sim.Second,
			RegisterPeriod: 30 * sim.Second, Startup: 2 * sim.Second,
		})
	}
	cfg.Producers = []config.Producer{{
		Name: "p", Release: release, Count: 4, Threads: 16, Rate: 400, Topics: config.OneTopic("orders"),
		MessageSize: must(sim.Constant(int64(1024))), Policy: "rocketmq",
		Settings:                strategy.DefaultSettings(profile),
		PollNameServerInterval:  30 * sim.Second,
		HeartbeatBrokerInterval: 30 * sim.Second,
		TimerWakeup:             must(sim.Lognormal(900*sim.Microsecond, 5*sim.Millisecond)),
	}}
	cfg.Producers[0].Settings.SendLatencyFaultEnable = true
	return cfg
}

// testScenario gives a configuration the phases that the loader would give it.
func testScenario(cfg config.Config) *scenarios.Scenario {
	return &scenarios.Scenario{Name: "test", Config: cfg, Phases: testPhases(&cfg)}
}

// testPhases are those that package scenarios makes: warm-up and before; fault.NAME while a fault
// lasts, recovery.NAME from its end to the next beginning of a fault; all. Phases may overlap.
func testPhases(cfg *config.Config) []result.Phase {
	var out []result.Phase
	add := func(name string, from, to sim.Duration) {
		from, to = max(from, cfg.Warmup), max(to, cfg.Warmup)
		out = append(out, result.Phase{Name: name, FromNS: int64(from), ToNS: int64(to)})
	}
	nextFault := func(after sim.Duration) sim.Duration {
		next := cfg.Duration
		for _, f := range cfg.Faults {
			if f.At >= after {
				next = min(next, f.At)
			}
		}
		return next
	}
	if cfg.Warmup > 0 {
		out = append(out, result.Phase{Name: result.PhaseWarmup, ToNS: int64(cfg.Warmup)})
	}
	if first := nextFault(0); first > cfg.Warmup {
		add(result.PhaseBefore, cfg.Warmup, first)
	}
	head := len(out)
	for _, f := range cfg.Faults {
		over := cfg.Duration
		if f.Duration > 0 {
			over = min(over, f.At+f.Duration)
		}
		add(result.FaultPrefix+f.Name, f.At, over)
		if next := nextFault(over); over < next && next > cfg.Warmup {
			add(result.RecoveryPrefix+f.Name, over, next)
		}
	}
	slices.SortStableFunc(out[head:], func(a, b result.Phase) int {
		return cmp.Compare(a.FromNS, b.FromNS)
	})
	add(result.PhaseAll, cfg.Warmup, cfg.Duration)
	return out
}

func fault(name string, kind config.FaultKind, at, d sim.Duration, targets ...config.Target) config.Fault {
	return config.Fault{Name: name, Kind: kind, At: at, Duration: d, Targets: targets, Factor: 1}
}

func master(b int) config.Target { return config.Target{Index: b} }
