package model

import (
	"fmt"
	"testing"

	"simrun/sim"
	"simrun/strategy"
)

func must(s sim.Sampler, err error) sim.Sampler {
	if err != nil {
		panic(err)
	}
	return s
}

// testReleases are the releases that tests of what all releases share run with: the last of each line.
var testReleases = []string{"4.9.8", "5.3.3"}

// testConfig is a small cluster of n brokers without slaves and one producer instance; tests change
// what they are about.
func testConfig(release string, n int) Config {
	profile, err := strategy.Lookup(release)
	if err != nil {
		panic(err)
	}
	cfg := Config{
		Seed:        1,
		Duration:    60 * sim.Second,
		Network:     Network{Latency: must(sim.Constant(100 * sim.Microsecond))},
		NameServers: []NameServer{{Name: "n1", Release: release}},
		Topics:      []Topic{{Name: "t", WriteQueueNums: 4}},
	}
	for i := range n {
		cfg.Brokers = append(cfg.Brokers, Broker{
			Name: fmt.Sprintf("b%02d", i), Release: release, SendThreads: 4,
			Service: must(sim.Constant(400 * sim.Microsecond)), Fsync: must(sim.Constant(sim.Millisecond)),
			FlushInterval: 500 * sim.Millisecond, FlushLeastPages: 4,
			FlushThoroughInterval: 10 * sim.Second, SyncFlushTimeout: 5 * sim.Second,
			RegisterPeriod: 30 * sim.Second,
		})
	}
	cfg.Producers = []Producer{{
		Name: "p", Release: release, Count: 1, Threads: 64, Rate: 500, Topics: OneTopic("t"),
		MessageSize: must(sim.Constant(int64(1024))), Policy: "rocketmq",
		Settings:                strategy.DefaultSettings(profile),
		PollNameServerInterval:  30 * sim.Second,
		HeartbeatBrokerInterval: 30 * sim.Second,
		TimerWakeup:             must(sim.Constant(sim.Millisecond)),
	}}
	return cfg
}

// runWorld runs a configuration to its end, checking the invariants each simulated second.
func runWorld(t testing.TB, cfg Config, obs Observer) *World {
	t.Helper()
	w := New(cfg, obs)
	for at := sim.Time(0); at <= sim.Time(cfg.Duration); at += sim.Time(sim.Second) {
		if err := w.RunUntil(at); err != nil {
			t.Fatal(err)
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// runTo runs a world to a time without looking at it on the way.
func runTo(t testing.TB, w *World, to sim.Duration) {
	t.Helper()
	if err := w.RunUntil(sim.Time(to)); err != nil {
		t.Fatal(err)
	}
}
