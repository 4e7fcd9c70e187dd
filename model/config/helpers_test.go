package config_test

import (
	"simrun/model/config"
	"simrun/sim"
)

func must(s sim.Sampler, err error) sim.Sampler {
	if err != nil {
		panic(err)
	}
	return s
}

func names(ts ...config.Target) []config.Target { return ts }

var (
	theProducer = config.Target{Kind: config.ProducerTarget}
	firstServer = config.Target{Kind: config.NameServerTarget}
)
