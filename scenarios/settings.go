package scenarios

import (
	"strconv"
	"strings"

	"simrun/strategy"
)

// setting makes the default of a producer's key from the settings that its release starts with.
func setting(text func(*strategy.Settings) string) func(*loader, *table) string {
	return func(_ *loader, t *table) string {
		profile, err := strategy.Lookup(get[string](t, "client"))
		if err != nil {
			profile, _ = strategy.Lookup(defaultRelease) // the client is reported already
		}
		s := strategy.DefaultSettings(profile)
		if s.LatencyMax == nil {
			s.LatencyMax = profile.LatencyMax
		}
		if s.NotAvailableDuration == nil {
			s.NotAvailableDuration = profile.NotAvailableDuration
		}
		return text(&s)
	}
}

// settings are the client's settings of a producer table.
func settings(t *table) strategy.Settings {
	profile, _ := strategy.Lookup(get[string](t, "client"))
	s := strategy.DefaultSettings(profile)
	s.SendLatencyFaultEnable = get[bool](t, "send_latency_fault_enable")
	s.StartDetectorEnable = get[bool](t, "start_detector_enable")
	s.LatencyMax = get[[]strategy.Millis](t, "latency_max")
	s.NotAvailableDuration = get[[]strategy.Millis](t, "not_available_duration")
	s.SendMsgTimeout = get[strategy.Millis](t, "send_msg_timeout")
	s.RetryTimesWhenSendFailed = get[int](t, "retry_times_when_send_failed")
	s.RetryAnotherBrokerWhenNotStoreOK = get[bool](t, "retry_another_broker_when_not_store_ok")
	if v := t.vals["send_msg_max_timeout_per_request"]; v.v != nil {
		s.SendMsgMaxTimeoutPerRequest = v.v.(strategy.Millis)
	}
	return s
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
