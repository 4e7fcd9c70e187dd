package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// told is a key of the producer as Java and Spring take it.
type told struct {
	key    string
	setter string // of DefaultMQProducer
	spring string // under rocketmq.producer., empty if the starter has no property
}

// tellings are all keys that settings of the study set, with the setters of rocketmq-all-5.3.3
// (DefaultMQProducer, and ClientConfig for the route poll) and the properties of rocketmq-spring 2.3.5
// (RocketMQProperties.Producer).
var tellings = []told{
	{"send_latency_fault_enable", "setSendLatencyFaultEnable", ""},
	{"send_msg_max_timeout_per_request", "setSendMsgMaxTimeoutPerRequest", ""},
	{"send_msg_timeout", "setSendMsgTimeout", "send-message-timeout"},
	{"retry_times_when_send_failed", "setRetryTimesWhenSendFailed", "retry-times-when-send-failed"},
	{"start_detector_enable", "setStartDetectorEnable", ""},
	{"latency_max", "setLatencyMax", ""},
	{"not_available_duration", "setNotAvailableDuration", ""},
	{"poll_name_server_interval", "setPollNameServerInterval", ""},
}

// told are the keys of a setting that change anything: not the thresholds that its client has anyway.
func (x *setting) told() []string {
	usual := "latency_max=" + levels5
	if slices.Contains(x.keys, java498) {
		usual = "latency_max=" + levels4
	}
	return slices.DeleteFunc(slices.Clone(x.keys), func(k string) bool { return k == usual })
}

// assigned are the keys of a setting as properties of DefaultMQProducer.
func assigned(x *setting) []string {
	var out []string
	for _, call := range java(x) {
		name, value, _ := strings.Cut(strings.TrimPrefix(call, "producer.set"), "(")
		value = strings.NewReplacer("new long[] {", "", "}", "", "L", "", ");", "").Replace(value)
		out = append(out, strings.ToLower(name[:1])+name[1:]+" = "+value)
	}
	return out
}

// java are the calls that make a setting, before start().
func java(x *setting) []string {
	var out []string
	for _, k := range x.told() {
		key, value, _ := strings.Cut(k, "=")
		for _, t := range tellings {
			if t.key == key {
				out = append(out, "producer."+t.setter+"("+literal(value)+");")
			}
		}
	}
	return out
}

// spring splits a setting into properties and the calls that have none.
func spring(x *setting) (properties, calls []string) {
	lines := java(x)
	n := 0
	for _, k := range x.told() {
		key, value, _ := strings.Cut(k, "=")
		for _, t := range tellings {
			if t.key != key {
				continue
			}
			if t.spring != "" {
				properties = append(properties, "rocketmq.producer."+t.spring+"="+literal(value))
			} else {
				calls = append(calls, lines[n])
			}
			n++
		}
	}
	return properties, calls
}

// toml are the keys in a [producer.NAME] table.
func toml(x *setting) []string {
	var out []string
	for _, k := range x.told() {
		key, value, _ := strings.Cut(k, "=")
		switch {
		case strings.Contains(value, ","):
			value = `["` + strings.ReplaceAll(value, ",", `", "`) + `"]`
		case literal(value) != value || key == "client":
			value = `"` + value + `"`
		}
		out = append(out, key+" = "+value)
	}
	return out
}

// literal is a value as Java writes it: milliseconds, or an array of them.
func literal(value string) string {
	if strings.Contains(value, ",") {
		parts := strings.Split(value, ",")
		for i, p := range parts {
			parts[i] = literal(p) + "L"
		}
		return "new long[] {" + strings.Join(parts, ", ") + "}"
	}
	if d, err := time.ParseDuration(value); err == nil {
		return fmt.Sprint(d.Milliseconds())
	}
	return value
}
