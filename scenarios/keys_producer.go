package scenarios

import "simrun/strategy"

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
		name: "behaviours", kind: clientBehaviours.list(), defDoc: "the release's",
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
