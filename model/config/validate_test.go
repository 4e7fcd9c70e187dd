package config_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/model"
	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
)

// mistake breaks a good configuration in one way, and says what Validate answers.
type mistake struct {
	path, message string
	make          func(*config.Config)
}

// goodConfig has every part that can be wrong; the parts are those that mistakes speak about.
func goodConfig() config.Config {
	cfg := configtest.Small("5.3.3", 2)
	cfg.Brokers[0].Slaves = 1
	cfg.Faults = []config.Fault{{
		Name: "f", Kind: config.Slow, Targets: []config.Target{{ID: 1}}, At: sim.Second, Factor: 2,
		Delay: sim.Second,
	}}
	return cfg
}

func broker(change func(*config.Broker)) func(*config.Config) {
	return func(c *config.Config) { change(&c.Brokers[1]) }
}

func producer(change func(*config.Producer)) func(*config.Config) {
	return func(c *config.Config) { change(&c.Producers[0]) }
}

func fault(change func(*config.Fault)) func(*config.Config) {
	return func(c *config.Config) { change(&c.Faults[0]) }
}

var worldMistakes = []mistake{
	{"duration", "must be longer than 0", func(c *config.Config) { c.Duration, c.Faults = 0, nil }},
	{"duration", "must be longer than 0", func(c *config.Config) { c.Duration, c.Faults = -1, nil }},
	{"warmup", "must not be negative", func(c *config.Config) { c.Warmup = -1 }},
	{
		"warmup", "1m0s leaves nothing of the run (duration = 1m0s)",
		func(c *config.Config) { c.Warmup = c.Duration },
	},
	{"network.latency", "is missing", func(c *config.Config) { c.Network.Latency = nil }},
	{"name_server", "at least one name server is needed", func(c *config.Config) { c.NameServers = nil }},
	{
		"name_server.n1.release", `unknown release "5.3.4"; the last known is 5.3.3`,
		func(c *config.Config) { c.NameServers[0].Release = "5.3.4" },
	},
	{
		"name_server.n1.release", `"latest" is not a release; known are 4.0.0 to 5.3.3`,
		func(c *config.Config) { c.NameServers[0].Release = "latest" },
	},
	{
		"topic.t.write_queue_nums", "0 is not within 1 to 1024",
		func(c *config.Config) { c.Topics[0].WriteQueueNums = 0 },
	},
	{
		"topic.t.write_queue_nums", "1025 is not within 1 to 1024",
		func(c *config.Config) { c.Topics[0].WriteQueueNums = 1025 },
	},
	{
		"topic.t.brokers", `there is no broker "b07"`,
		func(c *config.Config) { c.Topics[0].Brokers = []string{"b01", "b07"} },
	},
}

var brokerMistakes = []mistake{
	{
		"broker.b01.release", `unknown release "4.5.0"; its neighbours are 4.4.0 and 4.5.1`,
		broker(func(b *config.Broker) { b.Release = "4.5.0" }),
	},
	{"broker.bröker", "the name must be plain ASCII", broker(func(b *config.Broker) { b.Name = "bröker" })},
	{"broker.b01.slaves", "-1 is not within 0 to 8", broker(func(b *config.Broker) { b.Slaves = -1 })},
	{"broker.b01.slaves", "9 is not within 0 to 8", broker(func(b *config.Broker) { b.Slaves = 9 })},
	{
		"broker.b01.send_message_thread_pool_nums", "0 is not within 1 to 4096",
		broker(func(b *config.Broker) { b.SendThreads = 0 }),
	},
	{
		"broker.b01.send_message_thread_pool_nums", "4097 is not within 1 to 4096",
		broker(func(b *config.Broker) { b.SendThreads = 4097 }),
	},
	{"broker.b01.service", "is missing", broker(func(b *config.Broker) { b.Service = nil })},
	{"broker.b01.fsync", "is missing", broker(func(b *config.Broker) { b.Fsync = nil })},
	{
		"broker.b01.flush_interval_commit_log", "must be longer than 0",
		broker(func(b *config.Broker) { b.FlushInterval = 0 }),
	},
	{
		"broker.b01.flush_commit_log_least_pages", "must not be negative",
		broker(func(b *config.Broker) { b.FlushLeastPages = -1 }),
	},
	{
		"broker.b01.flush_commit_log_thorough_interval", "must not be negative",
		broker(func(b *config.Broker) { b.FlushThoroughInterval = -1 }),
	},
	{
		"broker.b01.sync_flush_timeout", "must be longer than 0",
		broker(func(b *config.Broker) { b.SyncFlushTimeout = 0 }),
	},
	{
		"broker.b01.register_name_server_period", "9.999999999s is not within 10s to 1m0s",
		broker(func(b *config.Broker) { b.RegisterPeriod = 10*sim.Second - 1 }),
	},
	{
		"broker.b01.register_name_server_period", "1m0.000000001s is not within 10s to 1m0s",
		broker(func(b *config.Broker) { b.RegisterPeriod = sim.Minute + 1 }),
	},
	{"broker.b01.startup", "must not be negative", broker(func(b *config.Broker) { b.Startup = -1 })},
}

var producerMistakes = []mistake{
	{"producer", "at least one producer is needed", func(c *config.Config) { c.Producers = nil }},
	{
		"producer", "100001 instances are more than 100000",
		producer(func(p *config.Producer) { p.Count = 100_001 }),
	},
	{
		"producer.p.client", `unknown release "5.4.0"; the last known is 5.3.3`,
		producer(func(p *config.Producer) { p.Release = "5.4.0" }),
	},
	{"producer.p.count", "must be at least 1", producer(func(p *config.Producer) { p.Count = 0 })},
	{"producer.p.threads", "0 is not within 1 to 4096", producer(func(p *config.Producer) { p.Threads = 0 })},
	{
		"producer.p.threads", "4097 is not within 1 to 4096",
		producer(func(p *config.Producer) { p.Threads = 4097 }),
	},
	{
		"producer.p.rate", "must be above 0 and at most 1e9/s",
		producer(func(p *config.Producer) { p.Rate = 0 }),
	},
	{
		"producer.p.rate", "must be above 0 and at most 1e9/s",
		producer(func(p *config.Producer) { p.Rate = 1.1e9 }),
	},
	{
		"producer.p.rate", "must be above 0 and at most 1e9/s",
		producer(func(p *config.Producer) { p.Rate = math.NaN() }),
	},
	{
		"producer.p.policy", `unknown policy "p2c" (known: rocketmq, reserve, start-time-first, ` +
			`half-open, go-round-robin, random)`,
		producer(func(p *config.Producer) { p.Policy = "p2c" }),
	},
	{
		"producer.p.behaviours", "index is there twice",
		producer(func(p *config.Producer) { p.Behaviours = []string{"index=masked", "index=stuck"} }),
	},
	{
		"producer.p.behaviours", `behaviour index = "odd": want one of to-zero, stuck, reversed, ` +
			`masked-abs-start, masked`,
		producer(func(p *config.Producer) { p.Behaviours = []string{"index=odd"} }),
	},
	{"producer.p.message_size", "is missing", producer(func(p *config.Producer) { p.MessageSize = nil })},
	{
		"producer.p.poll_name_server_interval", "must be longer than 0",
		producer(func(p *config.Producer) { p.PollNameServerInterval = 0 }),
	},
	{
		"producer.p.heartbeat_broker_interval", "must be longer than 990ms",
		producer(func(p *config.Producer) { p.HeartbeatBrokerInterval = 990 * sim.Millisecond }),
	},
	{"producer.p.timer_wakeup", "is missing", producer(func(p *config.Producer) { p.TimerWakeup = nil })},
	{
		"producer.p.topic", `there is no topic "u"`,
		producer(func(p *config.Producer) { p.Topics = config.OneTopic("u") }),
	},
	{
		"producer.p.retry_times_when_send_failed", "101 is more than 100",
		producer(func(p *config.Producer) { p.Settings.RetryTimesWhenSendFailed = 101 }),
	},
	{"producer.p.send_msg_timeout", "is 0 ms, must be at least 1", // as package strategy says
		producer(func(p *config.Producer) { p.Settings.SendMsgTimeout = 0 })},
}

var faultMistakes = []mistake{
	{"fault.f.target", "is missing", fault(func(f *config.Fault) { f.Targets = nil })},
	{"fault.f.target", "there is no broker 2", fault(func(f *config.Fault) { f.Targets[0].Index = 2 })},
	{"fault.f.target", "there is no broker -1", fault(func(f *config.Fault) { f.Targets[0].Index = -1 })},
	{
		"fault.f.target", `broker "b00" has no id 2 (ids 0 to 1)`,
		fault(func(f *config.Fault) { f.Targets[0].ID = 2 }),
	},
	{
		"fault.f.target", "names the same process twice",
		fault(func(f *config.Fault) { f.Targets = append(f.Targets, f.Targets[0]) }),
	},
	{"fault.f.target", "there is no name server 3", fault(func(f *config.Fault) {
		f.Targets[0] = config.Target{Kind: config.NameServerTarget, Index: 3}
	})},
	{"fault.f.target", "there is no producer 1", fault(func(f *config.Fault) {
		f.Targets[0] = config.Target{Kind: config.ProducerTarget, Index: 1}
	})},
	{"fault.f.target", `producer "p" has no instance 1 (instances 0 to 0)`, fault(func(f *config.Fault) {
		f.Targets[0] = config.Target{Kind: config.ProducerTarget, ID: 1}
	})},
	{"fault.f.target", "slow does not strike a name server", fault(func(f *config.Fault) {
		f.Targets[0] = config.Target{Kind: config.NameServerTarget}
	})},
	{"fault.f.to", "slow does not strike a slave", fault(func(f *config.Fault) {
		f.To = []config.Target{{ID: 1}}
	})},
	{"fault.f.at", "must not be negative", fault(func(f *config.Fault) { f.At = -1 })},
	{
		"fault.f.at", "1m0s is not before the end of the run (duration = 1m0s)",
		fault(func(f *config.Fault) { f.At = sim.Minute }),
	},
	{"fault.f.duration", "must not be negative", fault(func(f *config.Fault) { f.Duration = -1 })},
	{"fault.f.factor", "must be above 0 and at most 1e6", fault(func(f *config.Fault) { f.Factor = 0 })},
	{"fault.f.factor", "must be above 0 and at most 1e6", fault(func(f *config.Fault) { f.Factor = 2e6 })},
	{
		"fault.f.factor", "must be above 0 and at most 1e6",
		fault(func(f *config.Fault) { f.Factor = math.NaN() }),
	},
	{"fault.f.delay", "-1ns is not within 0s to 8760h0m0s", fault(func(f *config.Fault) { f.Delay = -1 })},
}

func TestValidateNamesEachMistake(t *testing.T) {
	checkMistakes(t, worldMistakes, brokerMistakes, producerMistakes, faultMistakes)
}

// checkMistakes makes each mistake alone: Validate names it and nothing else.
func checkMistakes(t *testing.T, lists ...[]mistake) {
	t.Helper()
	for _, m := range slices.Concat(lists...) {
		cfg := goodConfig()
		m.make(&cfg)
		want := []config.Problem{{Path: m.path, Message: m.message}}
		if diff := cmp.Diff(want, cfg.Validate()); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", m.path, m.message, diff)
		}
	}
}

// Some mistakes bring others with them: what refers to a part that is not there.
func TestValidateNamesWhatFollows(t *testing.T) {
	for _, c := range []struct {
		want string
		make func(*config.Config)
	}{
		{
			`topic: at least one topic is needed; producer.p.topic: there is no topic "t"`,
			func(c *config.Config) { c.Topics = nil },
		},
		{
			"broker: at least one broker is needed; fault.f.target: there is no broker 0",
			func(c *config.Config) { c.Brokers = nil },
		},
		{"broker: 257 brokers are more than 256", func(c *config.Config) {
			c.Brokers = configtest.Small("5.3.3", 257).Brokers
			c.Faults = nil
		}},
	} {
		cfg := goodConfig()
		c.make(&cfg)
		if got := problemList(cfg.Validate()); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

func problemList(problems []config.Problem) string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Path+": "+p.Message)
	}
	return strings.Join(out, "; ")
}

// All mistakes are found in one go, in the order of the configuration.
func TestValidateFindsAllMistakesAtOnce(t *testing.T) {
	cfg := goodConfig()
	cfg.Warmup = -1
	cfg.Topics[0].WriteQueueNums = 0
	cfg.Brokers[0].Fsync = nil
	cfg.Brokers[1].Startup = -1
	cfg.Producers[0].Count = 0
	cfg.Faults[0].Delay = -1
	want := "warmup topic.t.write_queue_nums broker.b00.fsync broker.b01.startup producer.p.count " +
		"fault.f.delay"
	var got []string
	for _, p := range cfg.Validate() {
		got = append(got, p.Path)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestValidateWarns(t *testing.T) {
	for _, c := range []struct {
		want config.Problem
		make func(*config.Config)
	}{
		{
			config.Problem{
				Path: "fault.f.kind", Warning: true,
				Message: "changes nothing: neither factor nor delay is set",
			},
			fault(func(f *config.Fault) { f.Factor, f.Delay = 1, 0 }),
		},
		{
			config.Problem{
				Path: "producer.p.send_msg_max_timeout_per_request", Warning: true,
				Message: "has no effect in 4.9.8",
			},
			producer(func(p *config.Producer) {
				p.Release, p.Settings.SendMsgMaxTimeoutPerRequest = "4.9.8", 1000
			}),
		},
	} {
		cfg := goodConfig()
		c.make(&cfg)
		if diff := cmp.Diff([]config.Problem{c.want}, cfg.Validate()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := model.New(cfg, nil).RunUntil(sim.Time(sim.Second)); err != nil { // a warning does not stop it
			t.Error(err)
		}
	}
}

// What is at a limit is still allowed, and a good configuration has no problem at all.
func TestValidateAcceptsLimits(t *testing.T) {
	for i, change := range []func(*config.Config){
		func(*config.Config) {},
		func(c *config.Config) { c.Warmup = c.Duration - 1 },
		func(c *config.Config) { c.Topics[0].WriteQueueNums = 1024 },
		broker(func(b *config.Broker) { b.Slaves, b.SendThreads = 8, 4096 }),
		broker(func(b *config.Broker) { b.RegisterPeriod, b.Startup = 10*sim.Second, 0 }),
		broker(func(b *config.Broker) { b.RegisterPeriod, b.FlushLeastPages = sim.Minute, 0 }),
		producer(func(p *config.Producer) { p.Threads, p.Rate = 4096, 1e-9 }),
		producer(func(p *config.Producer) { p.Settings.RetryTimesWhenSendFailed = 100 }),
		fault(func(f *config.Fault) { f.At, f.Duration = 0, 0 }),
		fault(func(f *config.Fault) { f.Kind, f.Factor = config.Kill, 0 }), // factor is Slow's
	} {
		cfg := goodConfig()
		change(&cfg)
		for _, p := range cfg.Validate() {
			t.Errorf("case %d: %v", i, p)
		}
		if err := model.New(cfg, nil).RunUntil(sim.Time(100 * sim.Millisecond)); err != nil {
			t.Errorf("case %d: %v", i, err)
		}
	}
}
