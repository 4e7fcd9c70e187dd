package model

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/model/rate"
	"simrun/sim"
	"simrun/strategy"
)

// Small random clusters for the laws that hold whatever happens.

// drawConfig is any small cluster: brokers with and without slaves, both flush modes, both
// releases, one or two producer groups, and up to six faults of all kinds that may overlap.
func drawConfig(rt *rapid.T) config.Config {
	cfg := configtest.Small(drawRelease(rt, "name server"), rapid.IntRange(1, 4).Draw(rt, "brokers"))
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
	drawHosts(rt, &cfg)
	if rapid.IntRange(0, 3).Draw(rt, "start") == 0 {
		spread := rapid.SampledFrom([]sim.Duration{0, 2 * sim.Second}).Draw(rt, "spread")
		cfg.Start = config.Start{Cold: true, Spread: spread}
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

func drawBroker(rt *rapid.T, b *config.Broker) {
	b.Release = drawRelease(rt, b.Name)
	b.Slaves = rapid.IntRange(0, 2).Draw(rt, "slaves")
	b.SendThreads = rapid.SampledFrom([]int{1, 4}).Draw(rt, "send threads")
	b.Service = drawTime(rt, "service", 100*sim.Microsecond, 2*sim.Millisecond, 20*sim.Millisecond)
	b.Fsync = drawTime(rt, "fsync", sim.Millisecond, 20*sim.Millisecond, 300*sim.Millisecond)
	if rapid.Bool().Draw(rt, "sync flush") {
		b.Flush = config.SyncFlush
	}
	b.SyncFlushTimeout = rapid.SampledFrom([]sim.Duration{
		50 * sim.Millisecond, 5 * sim.Second,
	}).Draw(rt, "sync flush timeout")
	b.FlushLeastPages = rapid.SampledFrom([]int{0, 4}).Draw(rt, "least pages")
	b.Startup = rapid.SampledFrom([]sim.Duration{0, 2 * sim.Second}).Draw(rt, "startup")
	drawSendPath(rt, b)
	drawReplication(rt, b)
}

// drawSendPath draws the limits of the send path, and the pool.
func drawSendPath(rt *rapid.T, b *config.Broker) {
	if rapid.Bool().Draw(rt, "appends take time") {
		b.Append = drawTime(rt, "append", 10*sim.Microsecond, 80*sim.Microsecond, 3*sim.Millisecond)
	}
	b.QueueCapacity = rapid.SampledFrom([]int{0, 3, 10_000}).Draw(rt, "queue capacity")
	b.FastFailure = rapid.Bool().Draw(rt, "fast failure")
	b.WaitTimeInQueue = rapid.SampledFrom([]sim.Duration{
		20 * sim.Millisecond, 200 * sim.Millisecond, 3 * sim.Second,
	}).Draw(rt, "wait time in queue")
	b.PageCacheBusyTimeout = rapid.SampledFrom([]sim.Duration{
		0, 50 * sim.Millisecond, sim.Second,
	}).Draw(rt, "page cache busy")
	b.TransientStorePool = rapid.Bool().Draw(rt, "pool")
	b.CommitInterval, b.CommitThoroughInterval = 200*sim.Millisecond, 200*sim.Millisecond
	b.CommitLeastPages = 4
	if rapid.Bool().Draw(rt, "flush is set") {
		timed := rapid.Bool().Draw(rt, "flush timed")
		b.FlushTimed = &timed
	}
}

// drawReplication is how slaves are waited for and looked after, with short times so that all of it
// happens.
func drawReplication(rt *rapid.T, b *config.Broker) {
	times := func(what string, of ...sim.Duration) sim.Duration {
		return rapid.SampledFrom(of).Draw(rt, what)
	}
	if rapid.Bool().Draw(rt, "sync master") {
		b.Role = config.SyncMaster
	}
	b.InSyncReplicas = rapid.IntRange(0, 3).Draw(rt, "in sync replicas")
	b.SlaveTimeout = times("slave timeout", 100*sim.Millisecond, 3*sim.Second)
	b.SlaveFallbehindMax = rapid.SampledFrom([]int64{0, 10_000, 256 << 20}).Draw(rt, "fallbehind max")
	b.HAHousekeepingInterval = times("housekeeping", 0, 2*sim.Second, 20*sim.Second)
	b.HAHeartbeatInterval = times("heartbeat", 0, sim.Second, 5*sim.Second)
	b.ReplicationBandwidth = rapid.SampledFrom([]float64{0, 20_000, 1e9}).Draw(rt, "bandwidth")
	b.LogSize = rapid.SampledFrom([]int64{0, 1_000_000, 3 << 30}).Draw(rt, "log size")
}

func drawProducer(rt *rapid.T, p *config.Producer) {
	p.Release = drawRelease(rt, "producer "+p.Name)
	p.Count = rapid.IntRange(1, 3).Draw(rt, "instances")
	p.Threads = rapid.SampledFrom([]int{1, 4, 32}).Draw(rt, "threads")
	p.Rate = rapid.SampledFrom([]float64{5, 50, 200}).Draw(rt, "rate")
	drawLoad(rt, p)
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
	if rapid.IntRange(0, 3).Draw(rt, "go") == 0 {
		drawGo(rt, p)
		return
	}
	drawCalls(rt, p)
}

// drawCalls is how a group of the Java client calls send, in any mode and with any choice, as far as its
// batches allow. Executors and permits are scarce.
func drawCalls(rt *rapid.T, p *config.Producer) {
	p.Mode = rapid.SampledFrom([]config.SendMode{
		config.Sync, config.Async, config.Async,
		config.OneWay,
	}).Draw(rt, "mode")
	p.Choice = rapid.SampledFrom([]config.QueueChoice{
		config.ChooseByPolicy, config.ChooseByPolicy, config.ChooseByPolicy, config.ChooseQueue,
		config.ChooseByHash, config.ChooseByRandom,
		config.ChooseByMachineRoom,
	}).Draw(rt, "choice")
	p.Queue = config.QueueName{Broker: "b00", ID: rapid.IntRange(0, 1).Draw(rt, "queue")}
	p.Settings.RetryTimesWhenSendAsyncFailed = rapid.IntRange(0, 4).Draw(rt, "async retries")
	p.Remoting.Cores = rapid.IntRange(1, 2).Draw(rt, "cores")
	p.Remoting.Backpressure = rapid.Bool().Draw(rt, "backpressure")
	p.Remoting.BackpressureNum, p.Remoting.BackpressureSize = 10, 1<<20
	fitCalls(p)
}

// fitCalls makes calls of what the client has for batches.
func fitCalls(p *config.Producer) {
	if p.Client == config.GoClient {
		return
	}
	if client, _ := p.Wire(); p.Batch > 1 && (p.Mode == config.OneWay || p.Mode == config.Async &&
		!client.AsyncBatch) {
		p.Mode = config.Sync
	}
	if p.Batch > 1 && p.Choice != config.ChooseQueue {
		p.Choice = config.ChooseByPolicy
	}
}

// drawGo makes a group one of the Go client, in any mode and with any selector.
func drawGo(rt *rapid.T, p *config.Producer) {
	p.Client, p.Release = config.GoClient, rapid.SampledFrom(strategy.GoReleases()).Draw(rt, "go release")
	p.Settings.SendLatencyFaultEnable, p.Settings.RetryAnotherBrokerWhenNotStoreOK = false, false
	p.Mode = rapid.SampledFrom([]config.SendMode{
		config.Sync, config.Sync, config.Async,
		config.OneWay,
	}).Draw(rt, "go mode")
	p.Choice = rapid.SampledFrom([]config.QueueChoice{
		config.ChooseByPolicy, config.ChooseByPolicy, config.ChooseByHash, config.ChooseByRandom,
		config.ChooseByMachineRoom,
	}).Draw(rt, "go choice")
	p.Keys = rapid.SampledFrom([]int{0, 1, 5}).Draw(rt, "keys")
}

// drawLoad is an arrival process; the rate may change, and sends may be batches.
func drawLoad(rt *rapid.T, p *config.Producer) {
	p.Arrivals = rapid.SampledFrom([]config.Arrivals{
		config.Poisson, config.Constant,
		config.ClosedLoop,
	}).Draw(rt, "arrivals")
	p.Batch = rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(rt, "batch")
	p.Remoting.CompressedTo = rapid.SampledFrom([]float64{0, 0.3}).Draw(rt, "compressed to")
	p.Remoting.CompressOver = 2000
	// Two sends of four attempts: a record remembers how eight ended.
	if p.OnFailure.Resends = rapid.SampledFrom([]int{0, 0, 1}).Draw(rt, "resends"); p.OnFailure.Resends > 0 {
		p.OnFailure.Delay = drawTime(rt, "delay", 0, 100*sim.Millisecond, sim.Second)
	}
	p.Remoting.MaxMessageSize = rapid.SampledFrom([]int64{0, 2500}).Draw(rt, "max message size")
	switch {
	case p.Arrivals == config.ClosedLoop:
		p.Rate, p.Threads = 0, min(p.Threads, 4) // no more load than in an open loop
		p.Think = drawTime(rt, "think", 300*sim.Millisecond, 2*sim.Second)
	case rapid.Bool().Draw(rt, "load changes"):
		p.Shape = rate.Shape{Period: 3 * sim.Second, Points: []rate.Point{
			{At: 0, Factor: 0.1}, {At: sim.Second, Factor: 2}, {At: sim.Second, Factor: 0},
		}}
	}
}

func drawFault(rt *rapid.T, cfg *config.Config, name string) config.Fault {
	f := config.Fault{
		Name:   name,
		Kind:   rapid.SampledFrom(randomKinds).Draw(rt, "fault"),
		At:     drawInstant(rt, "at", cfg.Duration-1),
		Factor: 1,
	}
	for range rapid.IntRange(1, 2).Draw(rt, "targets") {
		if t := drawTarget(rt, cfg, f.Kind); !slices.Contains(f.Targets, t) {
			f.Targets = append(f.Targets, t)
		}
	}
	stalls := f.Kind == config.DiskStall || f.Kind == config.LockHold ||
		f.Kind == config.FsyncStall // sends do not end before
	if rapid.Bool().Draw(rt, "ends") || stalls {
		f.Duration = max(1, drawInstant(rt, "lasts", 10*sim.Second))
	}
	if f.Kind == config.Slow {
		f.Factor = rapid.SampledFrom([]float64{0.5, 10}).Draw(rt, "factor")
		f.Delay = rapid.SampledFrom([]sim.Duration{0, sim.Second}).Draw(rt, "delay")
		f.Ramp = rapid.SampledFrom([]sim.Duration{0, 3 * sim.Second}).Draw(rt, "ramp")
	}
	drawLink(rt, cfg, &f)
	drawStrikes(rt, &f)
	return f
}

// randomKinds are the faults of drawFault.
var randomKinds = []config.FaultKind{
	config.PowerLoss, config.Kill, config.Slow, config.Pause, config.Vanish, config.DiskLoss, config.CablePull,
	config.BlackHole, config.Partition, config.PacketLoss, config.PacketDelay,
	config.DiskStall, config.LockHold, config.FsyncStall, config.FsyncLie, config.DiskFull, config.ReadOnlyDisk,
}

// drawTarget is any process that a fault of a kind can strike. Producers share no host here.
func drawTarget(rt *rapid.T, cfg *config.Config, kind config.FaultKind) config.Target {
	b := rapid.IntRange(0, len(cfg.Brokers)-1).Draw(rt, "target")
	t := config.Target{Index: b, ID: rapid.IntRange(0, cfg.Brokers[b].Slaves).Draw(rt, "id")}
	switch other := (config.Target{Kind: config.TargetKind(rapid.IntRange(0, 2).Draw(rt, "kind of target"))}); {
	case other.Kind == config.BrokerTarget || !kind.Strikes(other):
		return t
	default:
		return other
	}
}

// drawLink draws what faults of the network have.
func drawLink(rt *rapid.T, cfg *config.Config, f *config.Fault) {
	switch f.Kind {
	case config.Partition, config.PacketLoss, config.PacketDelay:
	default:
		return
	}
	f.OneWay = rapid.Bool().Draw(rt, "one way")
	if t := drawTarget(rt, cfg, f.Kind); rapid.Bool().Draw(rt, "two sides") &&
		!slices.Contains(f.Targets, t) {
		f.To = []config.Target{t}
	}
	f.Loss = rapid.SampledFrom([]float64{0.01, 0.5, 1}).Draw(rt, "loss")
	f.Latency = drawTime(rt, "extra latency", sim.Millisecond, 700*sim.Millisecond)
}

// drawStrikes makes some faults strike more than once.
func drawStrikes(rt *rapid.T, f *config.Fault) {
	switch rapid.IntRange(0, 3).Draw(rt, "timetable") {
	case 0:
		f.Period = rapid.SampledFrom([]sim.Duration{300 * sim.Millisecond, 4 * sim.Second}).Draw(rt, "period")
		f.Jitter = rapid.SampledFrom([]sim.Duration{0, f.Period / 3}).Draw(rt, "jitter")
		f.Down = rapid.SampledFrom([]sim.Duration{1, f.Period / 2}).Draw(rt, "down")
	case 1:
		f.Rate = rapid.SampledFrom([]float64{0.1, 2}).Draw(rt, "rate")
		f.Repair = drawTime(rt, "repair", 100*sim.Millisecond, 5*sim.Second)
	}
}

// drawHosts puts some processes together: a machine with a broker and the name server, one with two
// brokers, or none.
func drawHosts(rt *rapid.T, cfg *config.Config) {
	switch rapid.IntRange(0, 3).Draw(rt, "hosts") {
	case 0:
		cfg.Hosts = []config.Host{{Name: "h", Runs: []config.Target{{}, {Kind: config.NameServerTarget}}}}
	case 1:
		n := len(cfg.Brokers) - 1
		if n > 0 {
			cfg.Hosts = []config.Host{{Name: "h", Runs: []config.Target{{}, {Index: n, ID: cfg.Brokers[n].Slaves}}}}
		}
	case 2:
		last := config.Target{Index: len(cfg.Brokers) - 1}
		cfg.Zones = []config.Zone{{Name: "z1", Runs: []config.Target{last}}, {Name: "z2", Runs: []config.Target{
			{Kind: config.ProducerTarget}, {Kind: config.NameServerTarget},
		}}}
		cfg.ZoneLinks = []config.ZoneLink{{Name: "l", A: "z1", B: "z2"}}
		cfg.ZoneLinks[0].Latency = drawTime(rt, "latency between zones", 0, 30*sim.Millisecond)
	}
}

// drawInstant is a time up to the limit, often a round one, so that events meet.
func drawInstant(rt *rapid.T, what string, limit sim.Duration) sim.Duration {
	if rapid.Bool().Draw(rt, what+" is round") {
		return sim.Second * sim.Duration(rapid.Int64Range(0, int64(limit/sim.Second)).Draw(rt, what))
	}
	return sim.Duration(rapid.Int64Range(0, int64(limit)).Draw(rt, what))
}
