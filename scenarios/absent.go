package scenarios

// absentSetting is a setting of RocketMQ's client that has no key of its name.
type absentSetting struct {
	java string
	// instead says what there is in its place; plain text.
	instead string
}

// absentSettings are those of a producer.
//
// Source: DefaultMQProducer, ClientConfig and NettyClientConfig, 4.2.0, 4.9.8 and 5.3.3; for the properties,
// NettySystemConfig, 4.9.1; MQClientInstance.LOCK_TIMEOUT_MILLIS.
var absentSettings = []absentSetting{
	{"createTopicKey", "the model has RocketMQ's default, TBW102; see created in [topic.NAME] and " +
		"auto_create_topic_enable in [broker.NAME]"},
	{"clientCallbackExecutorThreads", `it is "cores" here, as by RocketMQ's default`},
	{"connectTimeoutMillis", "the model has RocketMQ's default, 3s; a system property sets it from 4.9.1 on, " +
		"the producer never"},
	{"lockTimeoutMillis", "it is a constant of the client, 3s, here as there"},
	{"clientChannelMaxIdleTimeSeconds", "the model has RocketMQ's default, 120s; a system property sets it " +
		"from 4.9.1 on, the producer never"},
}

// absent says what there is instead of a setting that the grammar does not have; "" if it is none.
func absent(tk *tableKind, name string) string {
	if tk.name != tableProducer {
		return ""
	}
	for _, s := range absentSettings {
		if fold(s.java) == fold(name) {
			return s.instead
		}
	}
	return ""
}
