package scenarios

import "simrun/strategy"

var clientKeys = []key{
	{
		name: "send_msg_timeout", kind: millisKind, goSince: "head", fixed: true, defaults: setting(
			func(s *strategy.Settings) string { return quote(formatMillis(s.SendMsgTimeout)) }),
		defDoc: "`\"3s\"`", java: []string{"sendMsgTimeout"},
		doc: "Budget of a send, its retries included; of an attempt before 4.3.0 and with the Go client.",
	},
	{
		name: "send_msg_max_timeout_per_request", kind: optionalMillis, since: "5.3.3", goSince: noGo,
		defaults: setting(func(s *strategy.Settings) string {
			return offText(s.SendMsgMaxTimeoutPerRequest)
		}),
		defDoc: "`\"off\"`", java: []string{"sendMsgMaxTimeoutPerRequest"},
		doc: "Longest wait of an attempt that another one can follow.",
	},
}

var retryKeys = []key{
	{
		name: "retry_times_when_send_failed", kind: whole(0, 100), defaults: setting(
			func(s *strategy.Settings) string { return intText(s.RetryTimesWhenSendFailed) }),
		defDoc: "`2`; `3` of the Go client", java: []string{"retryTimesWhenSendFailed"},
		doc: "Attempts of a synchronous send after the first.",
	},
	{
		name: "retry_times_when_send_async_failed", kind: whole(0, 100), goSince: noGo,
		defaults: setting(
			func(s *strategy.Settings) string { return intText(s.RetryTimesWhenSendAsyncFailed) }),
		defDoc: "`2`", java: []string{"retryTimesWhenSendAsyncFailed"},
		doc: "Attempts of an asynchronous send after the first.",
	},
	{
		name: "retry_another_broker_when_not_store_ok", kind: boolKind, goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return boolText(s.RetryAnotherBrokerWhenNotStoreOK) }),
		defDoc: "`false`",
		java:   []string{"retryAnotherBrokerWhenNotStoreOK", "retryAnotherBrokerWhenNotStoreOk"},
		doc:    "Try again when the status is not `SEND_OK`. Synchronous sends only.",
	},
	{
		name: "retry_response_codes", kind: codesKind, since: "4.9.2", goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return codesText(s.RetryResponseCodes) }),
		defDoc: "of the release", java: []string{"retryResponseCodes", "addRetryResponseCode"},
		doc: "Response codes of a broker after which a synchronous send is tried again, the complete list.",
	},
}

var avoidanceKeys = []key{
	{
		name: "send_latency_fault_enable", kind: boolKind, goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return boolText(s.SendLatencyFaultEnable) }),
		defDoc: "`false`", java: []string{"sendLatencyFaultEnable", "sendLatencyEnable"},
		doc: "Fault avoidance: the fault table and everything that depends on it.",
	},
	{
		name: "latency_max", kind: millisListKind, goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return millisText(s.LatencyMax) }),
		defDoc: "of the release", java: []string{"latencyMax"},
		doc: "Thresholds of an attempt's latency, rising.",
	},
	{
		name: "not_available_duration", kind: millisListKind, goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return millisText(s.NotAvailableDuration) }),
		defDoc: "of the release", java: []string{"notAvailableDuration"},
		doc: "How long an attempt at or above each threshold makes its broker unavailable.",
	},
	{
		name: "start_detector_enable", kind: boolKind, since: "5.1.4", goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return boolText(s.StartDetectorEnable) }),
		defDoc: "`false`", java: []string{"startDetectorEnable"},
		doc: "Probe the brokers in the fault table.",
	},
	{
		name: "detect_interval", kind: millisKind, since: "5.1.4", goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return quote(formatMillis(s.DetectInterval)) }),
		defDoc: "`\"2s\"`", java: []string{"detectInterval"},
		doc: "How long a broker is not probed again; the detector looks every 3 s. No producer can really " +
			"change it: the detector takes a copy before a setter can be called.",
	},
	{
		name: "detect_timeout", kind: millisKind, since: "5.1.4", goSince: noGo, defaults: setting(
			func(s *strategy.Settings) string { return quote(formatMillis(s.DetectTimeout)) }),
		defDoc: "`\"200ms\"`", java: []string{"detectTimeout"},
		doc: "How long a probe waits for its answer; likewise.",
	},
}

var remotingKeys = []key{
	{
		name: "poll_name_server_interval", kind: durationKind, def: `"30s"`, goSince: noGo, fixed: true,
		java: []string{"pollNameServerInterval", "pollNameServerInteval"},
		doc:  "Period at which a client asks for its routes.",
	},
	{
		name: "heartbeat_broker_interval", kind: durationKind, def: `"30s"`, goSince: noGo, fixed: true,
		java: []string{"heartbeatBrokerInterval"},
		doc:  "Period of the client's heartbeats to the masters.",
	},
	{
		name: "mq_client_api_timeout", kind: settingKind, since: "4.9.2", goSince: noGo,
		defaults: ofReleases("4.9.2", "", `"3s"`), defDoc: "`\"3s\"`", java: []string{"mqClientApiTimeout"},
		doc: "How long lookups and heartbeats wait for their answer.",
	},
	{
		name: "client_close_socket_if_timeout", kind: boolKind, since: "4.9.1", goSince: noGo,
		defaults: ofReleases("4.9.1", "", "true"), defDoc: "`true`",
		java: []string{"clientCloseSocketIfTimeout"},
		doc: "Whether a synchronous request that times out closes its connection, which fails everything " +
			"else in flight on it; `false` is the behaviour `close_on_timeout=never`. A system property, " +
			"`com.rocketmq.remoting.client.closeSocketIfTimeout`.",
	},
	{
		name: "compress_msg_body_over_howmuch", kind: sizeKind, def: `"4KiB"`,
		java: []string{"compressMsgBodyOverHowmuch"},
		doc:  "A message of at least so many bytes is compressed; a batch never is.",
	},
	{
		name: "compressed_to", kind: leftKind, def: "1",
		doc: "Share of its size that a compressed message has left, above 0 and at most 1; by default " +
			"compression gains nothing.",
	},
	{
		name: "max_message_size", kind: sizeKind, def: `"4MiB"`, java: []string{"maxMessageSize"},
		goSince: noGo,
		doc:     "A larger message is refused before anything is sent.",
	},
	{
		name: "default_topic_queue_nums", kind: whole(1, 1024), def: "4",
		java: []string{"defaultTopicQueueNums"},
		doc:  "Queues of a topic that the first send creates.",
	},
	{
		name: "enable_backpressure_for_async_mode", kind: boolKind, def: "false", since: "5.0.0", goSince: noGo,
		java: []string{"enableBackpressureForAsyncMode"},
		doc: "Whether an asynchronous send waits while too much is in flight. Before 5.1.4 that is given " +
			"back right after the submit, and changes nothing.",
	},
	{
		name: "back_pressure_for_async_send_num", kind: whole(1, 100_000_000), since: "5.0.0", goSince: noGo,
		defaults: ofReleases("5.0.0", "", "10000"), defDoc: "`10000`",
		java: []string{"backPressureForAsyncSendNum"},
		doc:  "Sends in flight from which on the next one waits; less than 10 counts as 10.",
	},
	{
		name: "back_pressure_for_async_send_size", kind: logSizeKind, since: "5.0.0", goSince: noGo,
		defaults: ofReleases("5.0.0", "", `"100MiB"`), defDoc: "`\"100MiB\"`",
		java: []string{"backPressureForAsyncSendSize"},
		doc:  "Likewise their bytes; less than 1 MiB counts as 1 MiB.",
	},
	{
		name: "vip_channel_enabled", kind: boolKind, defaults: vipChannel,
		defDoc: "`false`; `true` before 4.5.1", java: []string{"vipChannelEnabled"},
		doc: "Whether sends have a port of their own, two below the broker's. It changes nothing here: the " +
			"model has one port.",
	},
	{
		name: "cores", kind: whole(1, 1024), def: "4",
		doc: "Processors that a client sees: the threads of its executor of asynchronous sends " +
			"(`asyncSenderExecutor`, since 4.4.0) and of its callbacks " +
			"(`clientCallbackExecutorThreads`).",
	},
	{
		name: "timer_wakeup", kind: durationSampler,
		def: `{ dist = "lognormal", median = "900us", p99 = "3ms" }`,
		doc: "How late a thread wakes from a timed wait. It decides how often a hang ends in an exact " +
			"tie with the budget: in about one of five with the default.",
	},
}

var codesKind = listOf[int](whole(0, 1_000_000), "list of codes",
	"an array of response codes, such as [1, 14]")

// vipChannel is the default of the release. Source: ClientConfig.vipChannelEnabled, 4.4.0 and 4.5.1.
func vipChannel(_ *loader, t *table) string {
	return boolText(!t.isGo() && !hasSetting(t, "4.5.1", ""))
}
