package scenarios

import (
	"slices"
	"strconv"
	"strings"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// defaultSettings are those that a client starts with, the defaults of its release filled in.
func defaultSettings(c client) strategy.Settings {
	profile, err := strategy.Lookup(c.release)
	if err != nil {
		profile, _ = strategy.Lookup(defaultRelease) // the client is reported already, or another one
	}
	s := strategy.DefaultSettings(profile)
	s.LatencyMax = profile.LatencyMax
	s.NotAvailableDuration = profile.NotAvailableDuration
	s.RetryResponseCodes = profile.RetryResponseCodes
	if c.lib == config.GoClient {
		s.RetryTimesWhenSendFailed = 3 // DefaultClientOptions, v2.1.0 to head
	}
	return s
}

// setting makes the default of a producer's key from the settings that its release starts with.
func setting(text func(*strategy.Settings) string) func(*loader, *table) string {
	return func(_ *loader, t *table) string {
		c, _ := t.client()
		s := defaultSettings(c)
		return text(&s)
	}
}

// settings are the client's settings of a producer table.
func settings(t *table) strategy.Settings {
	c, _ := t.client()
	s := defaultSettings(c)
	s.RetryResponseCodes = nil // the release's, which behaviours may replace
	if v := t.vals["retry_response_codes"]; v.v != nil && v.text != v.def {
		s.RetryResponseCodes = v.v.([]int)
	}
	s.SendLatencyFaultEnable = get[bool](t, "send_latency_fault_enable")
	s.StartDetectorEnable = get[bool](t, "start_detector_enable")
	s.LatencyMax = get[[]strategy.Millis](t, "latency_max")
	s.NotAvailableDuration = get[[]strategy.Millis](t, "not_available_duration")
	s.SendMsgTimeout = get[strategy.Millis](t, "send_msg_timeout")
	s.RetryTimesWhenSendFailed = get[int](t, "retry_times_when_send_failed")
	s.RetryTimesWhenSendAsyncFailed = get[int](t, "retry_times_when_send_async_failed")
	s.RetryAnotherBrokerWhenNotStoreOK = get[bool](t, "retry_another_broker_when_not_store_ok")
	for name, to := range map[string]*strategy.Millis{
		"send_msg_max_timeout_per_request": &s.SendMsgMaxTimeoutPerRequest,
		"detect_interval":                  &s.DetectInterval,
		"detect_timeout":                   &s.DetectTimeout,
	} {
		if v := t.vals[name]; v.v != nil {
			*to = v.v.(strategy.Millis)
		}
	}
	return s
}

// remoting are the client's settings below the send loop.
func remoting(t *table) config.Remoting {
	return config.Remoting{
		APITimeout:            get[sim.Duration](t, "mq_client_api_timeout"),
		CompressOver:          get[int64](t, "compress_msg_body_over_howmuch"),
		CompressedTo:          get[float64](t, "compressed_to"),
		MaxMessageSize:        get[int64](t, "max_message_size"),
		DefaultTopicQueueNums: get[int](t, "default_topic_queue_nums"),
		Backpressure:          get[bool](t, "enable_backpressure_for_async_mode"),
		BackpressureNum:       get[int](t, "back_pressure_for_async_send_num"),
		BackpressureSize:      get[int64](t, "back_pressure_for_async_send_size"),
		Cores:                 get[int](t, "cores"),
	}
}

// neverCloses is the behaviour that client_close_socket_if_timeout = false stands for.
const neverCloses = "close_on_timeout=never"

// clientBehavioursOf are the behaviours of a producer, those that have a key of their own included.
func clientBehavioursOf(t *table) []string {
	list := get[[]string](t, "behaviours")
	if v := t.vals["client_close_socket_if_timeout"]; v.v == false {
		list = append(slices.Clip(list), neverCloses)
	}
	return list
}

func codesText(codes []int) string {
	texts := make([]string, len(codes))
	for i, c := range codes {
		texts[i] = strconv.Itoa(c)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func boolText(v bool) string { return strconv.FormatBool(v) }
func intText(v int) string   { return strconv.Itoa(v) }

func offText(v strategy.Millis) string {
	if v < 0 {
		return `"off"`
	}
	return quote(formatMillis(v))
}

func millisText(list []strategy.Millis) string {
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = quote(formatMillis(v))
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// onlyTopic is the name of the only topic.
func onlyTopic(l *loader, _ *table) string {
	if topics := l.tablesOf(tableTopic); len(topics) == 1 {
		return quote(topics[0].name)
	}
	return ""
}
