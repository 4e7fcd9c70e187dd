package model

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"simrun/sim"
	"simrun/strategy"
)

// Small random clusters for the laws that hold whatever happens.

// drawConfig is any small cluster: brokers with and without slaves, both flush modes, both
// releases, one or two producer groups, and up to six faults of all kinds that may overlap.
func drawConfig(rt *rapid.T) Config {
	cfg := testConfig(drawRelease(rt, "name server"), rapid.IntRange(1, 4).Draw(rt, "brokers"))
	cfg.Seed = rapid.Uint64().Draw(rt, "seed")
	cfg.Duration = rapid.SampledFrom([]sim.Duration{
		5 * sim.Second, 20 * sim.Second, 40 * sim.Second,
	}).Draw(rt, "duration")
	cfg.Network.Latency = drawTime(rt, "latency", sim.Duration(0), 100*sim.Microsecond,
		2*sim.Millisecond, 50*sim.Millisecond)
	cfg.Topics[0].WriteQueueNums = rapid.IntRange(1, 4).Draw(rt, "queues")
	for i := range cfg.Brokers {
		drawBroker(rt, &cfg.Brokers[i])
	}
	first := cfg.Producers[0]
	for i := 1; i < rapid.IntRange(1, 2).Draw(rt, "groups"); i++ {
		second := first
		second.Name = "second"
		cfg.Producers = append(cfg.Producers, second)
	}
	for i := range cfg.Producers {
		drawProducer(rt, &cfg.Producers[i])
	}
	for i := range rapid.IntRange(0, 6).Draw(rt, "faults") {
		cfg.Faults = append(cfg.Faults, drawFault(rt, &cfg, fmt.Sprintf("f%d", i)))
	}
	return cfg
}

func drawRelease(rt *rapid.T, of string) string {
	return rapid.SampledFrom(testReleases).Draw(rt, "release of "+of)
}

// drawTime is a constant or an exponential distribution of one of the values.
func drawTime(rt *rapid.T, what string, values ...sim.Duration) sim.Sampler {
	v := rapid.SampledFrom(values).Draw(rt, what)
	if v == 0 || rapid.Bool().Draw(rt, what+" is constant") {
		return must(sim.Constant(v))
	}
	return must(sim.Exponential(v))
}

func drawBroker(rt *rapid.T, b *Broker) {
	b.Release = drawRelease(rt, b.Name)
	b.Slaves = rapid.IntRange(0, 2).Draw(rt, "slaves")
	b.SendThreads = rapid.SampledFrom([]int{1, 4}).Draw(rt, "send threads")
	b.Service = drawTime(rt, "service", 100*sim.Microsecond, 2*sim.Millisecond, 20*sim.Millisecond)
	b.Fsync = drawTime(rt, "fsync", sim.Millisecond, 20*sim.Millisecond, 300*sim.Millisecond)
	if rapid.Bool().Draw(rt, "sync flush") {
		b.Flush = SyncFlush
	}
	b.SyncFlushTimeout = rapid.SampledFrom([]sim.Duration{
		50 * sim.Millisecond, 5 * sim.Second,
	}).Draw(rt, "sync flush timeout")
	b.FlushLeastPages = rapid.SampledFrom([]int{0, 4}).Draw(rt, "least pages")
	b.Startup = rapid.SampledFrom([]sim.Duration{0, 2 * sim.Second}).Draw(rt, "startup")
}

func drawProducer(rt *rapid.T, p *Producer) {
	p.Release = drawRelease(rt, "producer "+p.Name)
	p.Count = rapid.IntRange(1, 3).Draw(rt, "instances")
	p.Threads = rapid.SampledFrom([]int{1, 4, 32}).Draw(rt, "threads")
	p.Rate = rapid.SampledFrom([]float64{5, 50, 200}).Draw(rt, "rate")
	p.Arrivals = rapid.SampledFrom([]Arrivals{Poisson, Constant}).Draw(rt, "arrivals")
	p.MessageSize = must(sim.Uniform(int64(100), int64(3000)))
	p.TimerWakeup = drawTime(rt, "timer wakeup", 0, sim.Millisecond)
	p.PollNameServerInterval = rapid.SampledFrom([]sim.Duration{
		5 * sim.Second, 30 * sim.Second,
	}).Draw(rt, "poll")
	p.HeartbeatBrokerInterval = rapid.SampledFrom([]sim.Duration{
		5 * sim.Second, 30 * sim.Second,
	}).Draw(rt, "heartbeat")
	s := &p.Settings
	s.SendLatencyFaultEnable = rapid.Bool().Draw(rt, "avoidance")
	s.RetryTimesWhenSendFailed = rapid.IntRange(0, 3).Draw(rt, "retries")
	s.RetryAnotherBrokerWhenNotStoreOK = rapid.Bool().Draw(rt, "retry another broker")
	s.SendMsgTimeout = rapid.SampledFrom([]strategy.Millis{
		5, 100, 1500, 3000,
	}).Draw(rt, "send timeout")
}

func drawFault(rt *rapid.T, cfg *Config, name string) Fault {
	f := Fault{
		Name:   name,
		Kind:   rapid.SampledFrom([]FaultKind{PowerLoss, Kill, Slow, Pause}).Draw(rt, "fault"),
		At:     drawInstant(rt, "at", cfg.Duration-1),
		Factor: 1,
	}
	for range rapid.IntRange(1, 2).Draw(rt, "targets") {
		b := rapid.IntRange(0, len(cfg.Brokers)-1).Draw(rt, "target")
		t := Target{Index: b, ID: rapid.IntRange(0, cfg.Brokers[b].Slaves).Draw(rt, "id")}
		if !slices.Contains(f.Targets, t) {
			f.Targets = append(f.Targets, t)
		}
	}
	if rapid.Bool().Draw(rt, "ends") {
		f.Duration = max(1, drawInstant(rt, "lasts", 10*sim.Second))
	}
	if f.Kind == Slow {
		f.Factor = rapid.SampledFrom([]float64{0.5, 10}).Draw(rt, "factor")
		f.Delay = rapid.SampledFrom([]sim.Duration{0, sim.Second}).Draw(rt, "delay")
	}
	return f
}

// drawInstant is a time up to the limit, often a round one, so that events meet.
func drawInstant(rt *rapid.T, what string, limit sim.Duration) sim.Duration {
	if rapid.Bool().Draw(rt, what+" is round") {
		return sim.Second * sim.Duration(rapid.Int64Range(0, int64(limit/sim.Second)).Draw(rt, what))
	}
	return sim.Duration(rapid.Int64Range(0, int64(limit)).Draw(rt, what))
}
