package config

import (
	"fmt"
	"slices"
	"strings"

	"simrun/model/releases"
	"simrun/sim"
	"simrun/strategy"
)

// Problem is a mistake in a Config. Path uses the scenario's keys: "broker.a.slaves".
type Problem struct {
	Path string
	// Message says what is wrong, Hint what to do about it, if there is something to say.
	Message, Hint string
	// Warning is true for what can be run but hardly means what was wanted.
	Warning bool
}

// checker collects the problems of a Config.
type checker struct {
	cfg      *Config
	problems []Problem
}

func (c *checker) say(ok bool, path, format string, args ...any) {
	if !ok {
		c.problems = append(c.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// Limits that keep indices small and mistakes visible.
const (
	maxSlaves      = 8
	maxQueues      = 1024
	MaxThreads     = 4096
	maxInstances   = 100_000
	maxGroupTopics = 64 // of a producer group
	maxBrokers     = 256
	maxRetries     = 100
	// maxAttempts bounds the attempts of a message in all its sends: a record counts them in a byte.
	maxAttempts = 255
	// maxStrikes bounds the strikes of a fault.
	maxStrikes = 100_000
	// MaxDelay bounds times that are added up.
	MaxDelay = 365 * 24 * sim.Hour
	// MaxMessageSize bounds the bytes of a message.
	MaxMessageSize = 1 << 30
)

// Validate returns every mistake, in the order of the configuration; an empty list means that New
// accepts it. Warnings come after mistakes of the same part.
func (c *Config) Validate() []Problem {
	k := &checker{cfg: c}
	k.say(c.Duration > 0, "duration", "must be longer than 0")
	k.say(c.Warmup >= 0, "warmup", "must not be negative")
	k.say(c.Warmup < c.Duration || c.Duration <= 0, "warmup",
		"%v leaves nothing of the run (duration = %v)", c.Warmup, c.Duration)
	k.say(c.Network.Latency != nil, "network.latency", "is missing")
	k.say(len(c.NameServers) > 0, "name_server", "at least one name server is needed")
	for _, n := range c.NameServers {
		k.release("name_server."+n.Name+".release", n.Release)
		k.behaviours("name_server."+n.Name, releases.NameServers.Check(n.Behaviours))
	}
	k.topics()
	k.brokers()
	k.producers()
	k.say(c.Start.Spread >= 0 && c.Start.Spread <= MaxDelay, "start.spread", "%v is not within 0s to %v",
		c.Start.Spread, MaxDelay)
	k.say(c.Start.Cold || c.Start.Spread == 0, "start.spread", "the start is not cold")
	k.hosts()
	k.zoneLinks()
	k.faults()
	return k.problems
}

func (c *checker) release(path, name string) {
	if _, err := strategy.Lookup(name); err != nil {
		c.say(false, path, "%s", strings.TrimPrefix(err.Error(), "strategy: "))
	}
}

// behaviours adds what is wrong with the behaviours that a process has instead of its release's.
func (c *checker) behaviours(path string, err error) {
	if err != nil {
		c.say(false, path+".behaviours", "%s", strings.TrimPrefix(err.Error(), "strategy: "))
	}
}

func (c *checker) topics() {
	c.say(len(c.cfg.Topics) > 0, "topic", "at least one topic is needed")
	for _, t := range c.cfg.Topics {
		path := "topic." + t.Name
		c.say(t.WriteQueueNums >= 1 && t.WriteQueueNums <= maxQueues, path+".write_queue_nums",
			"%d is not within 1 to %d", t.WriteQueueNums, maxQueues)
		for _, b := range t.Brokers {
			c.say(c.brokerIndex(b) >= 0, path+".brokers", "there is no broker %q", b)
		}
	}
}

func (c *checker) brokerIndex(name string) int {
	for i := range c.cfg.Brokers {
		if c.cfg.Brokers[i].Name == name {
			return i
		}
	}
	return -1
}

func (c *checker) brokers() {
	c.say(len(c.cfg.Brokers) > 0, "broker", "at least one broker is needed")
	c.say(len(c.cfg.Brokers) <= maxBrokers, "broker", "%d brokers are more than %d",
		len(c.cfg.Brokers), maxBrokers)
	for i := range c.cfg.Brokers {
		c.broker(&c.cfg.Brokers[i])
	}
}

func (c *checker) broker(b *Broker) {
	path := "broker." + b.Name + "."
	c.release(path+"release", b.Release)
	c.behaviours("broker."+b.Name, releases.Brokers.Check(b.Behaviours))
	c.say(isASCII(b.Name), strings.TrimSuffix(path, "."), "the name must be plain ASCII")
	c.say(b.Slaves >= 0 && b.Slaves <= maxSlaves, path+"slaves", "%d is not within 0 to %d",
		b.Slaves, maxSlaves)
	c.say(b.SendThreads >= 1 && b.SendThreads <= MaxThreads, path+"send_message_thread_pool_nums",
		"%d is not within 1 to %d", b.SendThreads, MaxThreads)
	c.say(b.Service != nil, path+"service", "is missing")
	c.say(b.Fsync != nil, path+"fsync", "is missing")
	c.say(b.FlushInterval > 0, path+"flush_interval_commit_log", "must be longer than 0")
	c.say(b.FlushLeastPages >= 0, path+"flush_commit_log_least_pages", "must not be negative")
	c.say(b.FlushThoroughInterval >= 0, path+"flush_commit_log_thorough_interval",
		"must not be negative")
	c.say(b.SyncFlushTimeout > 0, path+"sync_flush_timeout", "must be longer than 0")
	c.say(b.RegisterPeriod >= 10*sim.Second && b.RegisterPeriod <= sim.Minute,
		path+"register_name_server_period", "%v is not within 10s to 1m0s", b.RegisterPeriod)
	c.say(b.Startup >= 0, path+"startup", "must not be negative")
	c.say(b.ColdFactor == 0 || b.ColdFactor >= 1 && b.ColdFactor <= 1e6, path+"cold_factor",
		"must be 0 (off) or within 1 to 1e6")
	c.say(b.ColdFor >= 0, path+"cold_for", "must not be negative")
	c.store(path, b)
	c.replication(path, b)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func (c *checker) producers() {
	c.say(len(c.cfg.Producers) > 0, "producer", "at least one producer is needed")
	instances := 0
	for i := range c.cfg.Producers {
		c.producer(&c.cfg.Producers[i])
		instances += max(0, c.cfg.Producers[i].Count)
	}
	c.say(instances <= maxInstances, "producer", "%d instances are more than %d", instances,
		maxInstances)
}

func (c *checker) producer(p *Producer) {
	path := "producer." + p.Name + "."
	if p.Client == GoClient {
		c.goProducer(path, p)
	} else {
		c.release(path+"client", p.Release)
	}
	c.say(p.Count >= 1, path+"count", "must be at least 1")
	c.say(p.Threads >= 1 && p.Threads <= MaxThreads, path+"threads", "%d is not within 1 to %d",
		p.Threads, MaxThreads)
	c.load(path, p)
	c.say(slices.Contains(strategy.Policies(), p.Policy), path+"policy",
		"unknown policy %q (known: %s)", p.Policy, strings.Join(strategy.Policies(), ", "))
	c.say(p.MessageSize != nil, path+"message_size", "is missing")
	c.say(p.PollNameServerInterval > 0, path+"poll_name_server_interval", "must be longer than 0")
	c.say(p.HeartbeatBrokerInterval > releases.HeartbeatAfterPoll, path+"heartbeat_broker_interval",
		"must be longer than %v", releases.HeartbeatAfterPoll)
	c.say(p.TimerWakeup != nil, path+"timer_wakeup", "is missing")
	c.topicShares(path, p)
	c.say(p.Settings.RetryTimesWhenSendFailed <= maxRetries, path+"retry_times_when_send_failed",
		"%d is more than %d", p.Settings.RetryTimesWhenSendFailed, maxRetries)
	c.sendMode(path, p)
	c.settings(path, p)
}

func (c *checker) settings(path string, p *Producer) {
	if p.Client == GoClient {
		return // those of another client
	}
	of := *p
	_, err := strategy.Lookup(p.Release)
	known := err == nil
	if !known {
		// That is said. What is wrong in any release is wrong in this one, too.
		all := strategy.Releases()
		of.Release = all[len(all)-1]
	}
	c.behaviours("producer."+p.Name, releases.Clients.Check(p.Behaviours))
	profile, err := of.Profile()
	if err != nil {
		return // said
	}
	for _, s := range p.Settings.Validate(profile) {
		if known || !s.Warning {
			c.problems = append(c.problems, Problem{
				Path: path + s.Key, Message: s.Message, Warning: s.Warning,
			})
		}
	}
}

// topicShares checks the topics of a group.
func (c *checker) topicShares(path string, p *Producer) {
	c.say(len(p.Topics) > 0 && len(p.Topics) <= maxGroupTopics, path+"topic",
		"%d topics are not within 1 to %d", len(p.Topics), maxGroupTopics)
	for i, share := range p.Topics {
		is := func(t Topic) bool { return t.Name == share.Name }
		c.say(slices.ContainsFunc(c.cfg.Topics, is), path+"topic", "there is no topic %q", share.Name)
		same := func(t TopicShare) bool { return t.Name == share.Name }
		c.say(slices.IndexFunc(p.Topics, same) == i, path+"topic", "topic %q is named twice", share.Name)
		c.say(share.Weight >= 0 && share.Weight <= 1e6, path+"topic_weights",
			"entry %d is %g, not within 0 to 1e6", i+1, share.Weight)
	}
}
