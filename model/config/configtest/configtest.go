// Package configtest has the configuration that tests of the model begin with. It is imported by tests only.
package configtest

import (
	"fmt"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Small is a small cluster of n brokers without slaves and one producer instance; tests change
// what they are about.
func Small(release string, n int) config.Config {
	profile, err := strategy.Lookup(release)
	if err != nil {
		panic(err)
	}
	cfg := config.Config{
		Seed:        1,
		Duration:    60 * sim.Second,
		Network:     config.Network{Latency: must(sim.Constant(100 * sim.Microsecond))},
		NameServers: []config.NameServer{{Name: "n1", Release: release}},
		Topics:      []config.Topic{{Name: "t", WriteQueueNums: 4}},
	}
	for i := range n {
		cfg.Brokers = append(cfg.Brokers, config.Broker{
			Name: fmt.Sprintf("b%02d", i), Release: release, SendThreads: 4,
			Service: must(sim.Constant(400 * sim.Microsecond)), Fsync: must(sim.Constant(sim.Millisecond)),
			FlushInterval: 500 * sim.Millisecond, FlushLeastPages: 4,
			FlushThoroughInterval: 10 * sim.Second, SyncFlushTimeout: 5 * sim.Second,
			RegisterPeriod: 30 * sim.Second,
		})
	}
	cfg.Producers = []config.Producer{{
		Name: "p", Release: release, Count: 1, Threads: 64, Rate: 500, Topics: config.OneTopic("t"),
		MessageSize: must(sim.Constant(int64(1024))), Policy: "rocketmq",
		Settings:                strategy.DefaultSettings(profile),
		PollNameServerInterval:  30 * sim.Second,
		HeartbeatBrokerInterval: 30 * sim.Second,
		TimerWakeup:             must(sim.Constant(sim.Millisecond)),
	}}
	return cfg
}

func must(s sim.Sampler, err error) sim.Sampler {
	if err != nil {
		panic(err)
	}
	return s
}
