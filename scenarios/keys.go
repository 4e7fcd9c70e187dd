package scenarios

import "simrun/strategy"

// defaultRelease is of everything that does not say otherwise: the last release at the time of
// writing.
const defaultRelease = "5.3.3"

var topKeys = []key{
	{
		name: "seed", kind: seedKind, def: "1",
		doc: "Keys every random draw; `--seed` goes before it.",
	},
	{
		name: "duration", kind: durationKind, def: `"60s"`,
		doc: "Simulated time that the run covers, at most `\"87600h\"` (ten years).",
	},
	{
		name: "warmup", kind: durationKind, def: `"0s"`,
		doc: "Time at the start that no phase counts. A run starts in the middle of life (routes " +
			"known, connections open, periodic tasks at a random phase), but with empty queues.",
	},
	{
		name: "release", kind: releaseKind, def: quote(defaultRelease),
		doc: "RocketMQ release of all brokers, name servers and Java clients that do not say otherwise.",
	},
}

var networkKeys = []key{
	{
		name: "latency", kind: durationSampler,
		def: `{ dist = "lognormal", median = "150us", p99 = "500us" }`,
		doc: "One-way delay of a packet, within one data centre by default.",
	},
}

var nameServerKeys = []key{releaseKey}

// releaseKey takes the release of the top level unless it is given.
var releaseKey = key{
	name: "release", kind: releaseKind, defDoc: "`release` of the top level",
	defaults: func(l *loader, _ *table) string { return quote(l.release0()) },
	doc:      "RocketMQ release.",
}

var topicKeys = []key{
	{
		name: "write_queue_nums", kind: whole(1, 1024), def: "4", java: []string{"writeQueueNums"},
		doc: "Write queues on each of its brokers, 1 to 1024.",
	},
	{
		name: "brokers", kind: nameListKind, defDoc: "all brokers",
		doc: "Brokers that have the topic.",
	},
}

var brokerKeys = []key{
	releaseKey,
	{name: "slaves", kind: whole(0, 8), def: "0", doc: "Slaves of the master, 0 to 8."},
	{
		name: "broker_role", kind: enum([]string{"ASYNC_MASTER"}, "SYNC_MASTER"),
		def: `"ASYNC_MASTER"`, java: []string{"brokerRole"},
		doc: "`ASYNC_MASTER`: the answer waits for no slave.",
	},
	{
		name: "flush_disk_type", kind: enum([]string{"ASYNC_FLUSH", "SYNC_FLUSH"}),
		def: `"ASYNC_FLUSH"`, java: []string{"flushDiskType"},
		doc: "Whether the answer follows the page cache or the fsync.",
	},
	{
		name: "send_message_thread_pool_nums", kind: whole(1, 4096),
		defaults: sendThreads, defDoc: "`4`; `1` before 4.9.1",
		java: []string{"sendMessageThreadPoolNums"},
		doc: "Sends served at once. The broker's own default is min(cores, 4); a host has 4 cores " +
			"or more.",
	},
	{
		name: "service", kind: durationSampler,
		def: `{ dist = "lognormal", median = "400us", p99 = "4ms" }`,
		doc: "Time that one send holds a send thread, append included.",
	},
	{
		name: "fsync", kind: durationSampler,
		def: `{ dist = "lognormal", median = "1ms", p99 = "8ms" }`,
		doc: "Time of one fsync of the commit log.",
	},
	{
		name: "flush_interval_commit_log", kind: durationKind, def: `"500ms"`,
		java: []string{"flushIntervalCommitLog"},
		doc:  "Period of the flush under `ASYNC_FLUSH`.",
	},
	{
		name: "flush_commit_log_least_pages", kind: whole(0, 1_000_000), def: "4",
		java: []string{"flushCommitLogLeastPages"},
		doc:  "Fewer dirty pages of 4 KiB than this are left for later.",
	},
	{
		name: "flush_commit_log_thorough_interval", kind: durationKind, def: `"10s"`,
		java: []string{"flushCommitLogThoroughInterval"},
		doc:  "After this time whatever is dirty is flushed.",
	},
	{
		name: "sync_flush_timeout", kind: durationKind, def: `"5s"`,
		java: []string{"syncFlushTimeout"},
		doc:  "A send under `SYNC_FLUSH` answers `FLUSH_DISK_TIMEOUT` after it.",
	},
	{
		name: "register_name_server_period", kind: durationKind, def: `"30s"`,
		java: []string{"registerNameServerPeriod"},
		doc:  "Period of the registration with each name server; 10 s to 60 s.",
	},
	{
		name: "startup", kind: durationKind, def: `"10s"`,
		doc: "From the start of the process to its open port and first registration.",
	},
}

// sendThreads is min(cores, 4) from 4.9.1 on, and one thread before.
//
// Source: BrokerConfig.sendMessageThreadPoolNums, 4.9.0, 4.9.1 and 5.0.0-PREVIEW.
func sendThreads(_ *loader, t *table) string {
	release := get[string](t, "release")
	if compareReleases(release, "4.9.1") < 0 || release == "5.0.0-PREVIEW" {
		return "1"
	}
	return "4"
}

var producerKeys = []key{
	{
		name: "client", kind: clientKind, defDoc: "`java-` and `release` of the top level",
		defaults: func(l *loader, _ *table) string { return quote("java-" + l.release0()) },
		doc:      "Client library and its release.",
	},
	{
		name: "count", kind: whole(1, 100_000), def: "1",
		doc: "Producer instances, 1 to 100000; each has its own fault table, clock and connections.",
	},
	{
		name: "threads", kind: whole(1, 4096), def: "32",
		doc: "Application threads of an instance, 1 to 4096. A synchronous send holds one until its " +
			"answer; a message waits for a free one, and its latency counts from the intended time.",
	},
	{
		name: "rate", kind: rateKind, required: true,
		doc: "Messages per time of all instances together, at most `\"10000000/s\"`.",
	},
	{
		name: "arrivals", kind: enum([]string{"poisson", "constant"}), def: `"poisson"`,
		doc: "`poisson`: independent gaps; `constant`: equal gaps, instances taking turns.",
	},
	{
		name: "topic", kind: nameKind, defaults: onlyTopic, defDoc: "the only topic",
		required: true,
		doc:      "Topic it sends to.",
	},
	{
		name: "message_size", kind: sizeSampler, def: `"1KiB"`,
		doc: "Bytes that a message takes in the commit log, `\"1B\"` to `\"64MiB\"`.",
	},
	{
		name: "policy", kind: enum(policies), def: `"rocketmq"`,
		doc: "Rule that picks queues: `rocketmq` is the client's own, the others are baselines to " +
			"compare it with, not what RocketMQ does.",
	},
	{
		name: "behaviours", kind: behaviourListKind, defDoc: "the release's",
		doc: "Named behaviours of the client that differ from its release's, each `\"name=value\"`; " +
			"the package documentation of `strategy` has the names and what each release does. " +
			"No RocketMQ is like that: it is for asking which of its rules matters.",
	},
	{
		name: "send_latency_fault_enable", kind: boolKind, defaults: setting(
			func(s *strategy.Settings) string { return boolText(s.SendLatencyFaultEnable) }),
		defDoc: "`false`", java: []string{"sendLatencyFaultEnable", "sendLatencyEnable"},
		doc: "Fault avoidance: the fault table and everything that depends on it.",
	},
	{
		name: "latency_max", kind: millisListKind, defaults: setting(
			func(s *strategy.Settings) string { return millisText(s.LatencyMax) }),
		defDoc: "of the release", java: []string{"latencyMax"},
		doc: "Thresholds of an attempt's latency, rising.",
	},
	{
		name: "not_available_duration", kind: millisListKind, defaults: setting(
			func(s *strategy.Settings) string { return millisText(s.NotAvailableDuration) }),
		defDoc: "of the release", java: []string{"notAvailableDuration"},
		doc: "How long an attempt at or above each threshold makes its broker unavailable.",
	},
	{
		name: "send_msg_timeout", kind: millisKind, defaults: setting(
			func(s *strategy.Settings) string { return quote(formatMillis(s.SendMsgTimeout)) }),
		defDoc: "`\"3s\"`", java: []string{"sendMsgTimeout"},
		doc: "Budget of a send, its retries included.",
	},
	{
		name: "retry_times_when_send_failed", kind: whole(0, 100), defaults: setting(
			func(s *strategy.Settings) string { return intText(s.RetryTimesWhenSendFailed) }),
		defDoc: "`2`", java: []string{"retryTimesWhenSendFailed"},
		doc: "Attempts after the first.",
	},
	{
		name: "retry_another_broker_when_not_store_ok", kind: boolKind, defaults: setting(
			func(s *strategy.Settings) string { return boolText(s.RetryAnotherBrokerWhenNotStoreOK) }),
		defDoc: "`false`",
		java:   []string{"retryAnotherBrokerWhenNotStoreOK", "retryAnotherBrokerWhenNotStoreOk"},
		doc:    "Try again when the status is not `SEND_OK`.",
	},
	{
		name: "send_msg_max_timeout_per_request", kind: optionalMillis, since: "5.3.3",
		defaults: setting(func(s *strategy.Settings) string {
			return offText(s.SendMsgMaxTimeoutPerRequest)
		}),
		defDoc: "`\"off\"`", java: []string{"sendMsgMaxTimeoutPerRequest"},
		doc: "Longest wait of an attempt that another one can follow.",
	},
	{
		name: "start_detector_enable", kind: boolKind, since: "5.1.4", defaults: setting(
			func(s *strategy.Settings) string { return boolText(s.StartDetectorEnable) }),
		defDoc: "`false`", java: []string{"startDetectorEnable"},
		doc: "Probe the brokers in the fault table.",
	},
	{
		name: "poll_name_server_interval", kind: durationKind, def: `"30s"`,
		java: []string{"pollNameServerInterval", "pollNameServerInteval"},
		doc:  "Period at which a client asks for its routes.",
	},
	{
		name: "heartbeat_broker_interval", kind: durationKind, def: `"30s"`,
		java: []string{"heartbeatBrokerInterval"},
		doc:  "Period of the client's heartbeats to the masters.",
	},
	{
		name: "timer_wakeup", kind: durationSampler,
		def: `{ dist = "lognormal", median = "900us", p99 = "3ms" }`,
		doc: "How late a thread wakes from a timed wait. It decides how often a hang ends in an exact " +
			"tie with the budget: in about one of five with the default.",
	},
}

var faultKeys = []key{
	{
		name: "kind", kind: enum(faultKinds, laterFaults...), required: true,
		doc: "`power-loss`: the host falls silent, its page cache is gone. `kill`: the process ends, " +
			"its sockets close, the page cache stays. `slow`: service takes longer. `pause`: the " +
			"process stops, its kernel goes on accepting.",
	},
	{
		name: "target", kind: targetsKind, required: true,
		doc: "Process or list of processes it strikes: `\"a:0\"` is the master of broker `a`, " +
			"`\"a:1\"` its first slave, `\"a:*\"` all of them.",
	},
	{
		name: "at", kind: durationKind, required: true,
		doc: "When it strikes.",
	},
	{
		name: "duration", kind: durationKind, defDoc: "to the end",
		doc: "How long it lasts. After a power loss or a kill the process then starts, which takes " +
			"`startup` more.",
	},
	{
		name: "factor", kind: floatKind, def: "1", unfit: onlySlow,
		doc: "`slow` only: multiplies the service time; at most 1e6.",
	},
	{
		name: "delay", kind: durationKind, def: `"0s"`, unfit: onlySlow,
		doc: "`slow` only: is added to the service time.",
	},
}

var faultKinds = []string{"power-loss", "kill", "slow", "pause"}

// laterFaults are the ways to fail that have a name but no model yet.
var laterFaults = []string{
	"shutdown", "vanish", "cable-pull", "black-hole", "partition", "packet-loss", "packet-delay",
	"disk-stall", "lock-hold", "fsync-stall", "fsync-lie", "disk-full", "read-only-disk", "flap",
	"random", "rolling-restart", "wipe-write-perm",
}

func onlySlow(t *table) string {
	if v := t.vals["kind"]; !v.bad && v.v != nil && faultKinds[v.v.(int)] != "slow" {
		return `it is for kind = "slow"`
	}
	return ""
}

var expectKeys = []key{
	{
		name: "metric", kind: nameKind, required: true,
		doc: "What is measured; see the list of metrics.",
	},
	{name: "fault", kind: nameKind, doc: "The fault, for a metric of a fault."},
	{
		name: "during", kind: nameKind, defDoc: "`\"all\"`",
		doc: "Phase: `before`, `fault.NAME`, `recovery.NAME`, `warm-up`, or `all` (all but the warm-up).",
	},
	{name: "from", kind: durationKind, doc: "Start of a window of its own, instead of `during`."},
	{name: "to", kind: durationKind, doc: "End of that window."},
	{name: "broker", kind: nameKind, doc: "Only attempts to this broker."},
	{name: "producer", kind: nameKind, doc: "Only messages of this group."},
	{name: "topic", kind: nameKind, doc: "Only messages of this topic."},
	{name: "min", kind: limitKind, doc: "Lower limit, inclusive, in the unit of the metric."},
	{name: "max", kind: limitKind, doc: "Upper limit, inclusive."},
	{
		name: "for", kind: conditionKind,
		doc: "Skip the expectation unless this holds: `\"client >= 5.1.4\"`, also `broker` and " +
			"`name_server`, and several joined by `and`.",
	},
}
