package main

import (
	"fmt"
	"slices"
	"strings"
)

// family is what a client can be told: it depends on its release.
type family string

// Families. Each has a choice of its own.
const (
	newest family = "5.3.3"          // with a limit for each attempt
	middle family = "5.2.0 to 5.3.2" // without one; with a detector that can be switched on
	old    family = "4.9.8"          // no detector either
)

// setting is how producers are set up: keys of the producer, as flags without "producer.*.".
type setting struct {
	name string
	keys []string
	// family is the oldest that can be set so; empty for what is only there to compare with.
	family family
	// changes is how much one has to change to come here from what RocketMQ does by itself.
	changes int
	// long: an error keeps its broker away for longer than a run goes on after its fault. How long the broker
	// is starved can't be measured then, so such a setting is never a choice.
	long bool
}

// flags are the --set flags of the setting: of producers, unless they say of what.
func (s *setting) flags() []string {
	out := slices.Clone(s.keys)
	for i, k := range out {
		if !ofScenario(k) {
			out[i] = "producer.*." + k
		}
	}
	return out
}

// The defaults: of 5.3.3, which is the reference, and of 4.9.8, each without avoidance, as they come, and
// with it.
var (
	asItComes = setting{name: "5.x"}
	on        = setting{name: "5.x-on", keys: []string{avoid}, family: middle, changes: 1}
	old498    = setting{name: "4.x", keys: []string{java498}, family: old}
	on498     = setting{name: "4.x-on", keys: []string{java498, avoid}, family: old, changes: 1, long: true}
)

// defaults are reported in each situation.
var defaults = []setting{asItComes, on, old498, on498}

// Settings that are reported of rolling restarts wherever they stand. The latter is none of producers.
var (
	onPoll = setting{
		name: "5.x-on+poll-10s", family: middle, changes: 2,
		keys: []string{avoid, "poll_name_server_interval=10s"},
	}
	wiped = setting{name: "wipe", keys: []string{"fault.upgrade.wipe=true"}}
)

const (
	avoid    = "send_latency_fault_enable=true"
	noAvoid  = "send_latency_fault_enable=false"
	java498  = "client=java-4.9.8"
	detector = "start_detector_enable=true"
)

// shape is a pair of arrays of the fault table.
type shape struct {
	name             string
	thresholds, away string
	long             bool // see setting
}

// Shapes. The error of 5.x counts as an attempt of 10 s, so it is the sixth entry; that of 4.x counts as
// 30 s, so it is the last one. "x2" and "x0.5" scale the durations of 5.x.
var (
	half   = shape{"x0.5", levels5, "0s,0s,1s,2500ms,3s,5s,15s", false}
	twice  = shape{"x2", levels5, "0s,0s,4s,10s,12s,20s,60s", false}
	errors = shape{"error-30s", levels5, "0s,0s,2s,5s,6s,30s,60s", false}
	minute = shape{"error-60s", levels5, "0s,0s,2s,5s,6s,60s,60s", true}
	alert  = shape{"from-200ms", alertLevels, "0s,0s,2s,5s,6s,10s,30s", false}
	strict = shape{"from-200ms-long", alertLevels, "0s,0s,10s,20s,30s,30s,30s", false}
	tables = shape{"tables-4.x", levels4, "0s,0s,30s,60s,120s,180s,600s", true}
	recent = shape{"tables-5.x", levels5, "0s,0s,2s,5s,6s,10s,30s", false}
	short4 = shape{"error-10s", levels4, "0s,0s,2s,5s,6s,10s,10s", false}
	short6 = shape{"error-60s", levels4, "0s,0s,2s,5s,6s,10s,60s", true}
)

const (
	levels5     = "50ms,100ms,550ms,1800ms,3s,5s,15s"
	levels4     = "50ms,100ms,550ms,1s,2s,3s,15s"
	alertLevels = "50ms,100ms,200ms,600ms,1500ms,5s,15s"
)

func (s shape) keys() []string {
	if s.name == "" {
		return nil
	}
	return []string{"latency_max=" + s.thresholds, "not_available_duration=" + s.away}
}

// candidates are the settings that are tried, the defaults among them.
func candidates() []setting {
	out := slices.Clone(defaults)
	for _, limit := range []string{"", "500ms", "1s"} {
		for _, timeout := range []string{"", "5s"} {
			for _, probe := range []bool{false, true} {
				if limit != "" || timeout != "" || probe {
					out = append(out, built(limit, timeout, probe, shape{}))
				}
			}
		}
	}
	for _, s := range []shape{errors, alert, tables} {
		out = append(out, built("", "5s", true, s))
	}
	for _, s := range []shape{errors, minute, alert, strict, tables} {
		out = append(out, built("500ms", "5s", true, s), built("1s", "5s", true, s))
	}
	for _, s := range []shape{half, twice} {
		out = append(out, built("1s", "5s", true, s))
	}
	for _, retries := range []int{1, 4} {
		s := built("1s", "5s", true, shape{})
		s.name += fmt.Sprintf("+retries-%d", retries)
		s.keys = append(s.keys, fmt.Sprintf("retry_times_when_send_failed=%d", retries))
		s.changes++
		out = append(out, s)
	}
	for _, limit := range []string{"1s"} {
		s := built(limit, "5s", true, shape{})
		s.name += "+poll-10s"
		s.keys = append(s.keys, "poll_name_server_interval=10s")
		s.changes++
		out = append(out, s)
	}
	out = append(out, setting{
		name: "no-avoidance+limit-1s+timeout-5s", family: newest, changes: 2,
		keys: []string{"send_msg_max_timeout_per_request=1s", "send_msg_timeout=5s"},
	}, onPoll)
	return append(out, built498("5s", shape{}), built498("", recent), built498("5s", recent),
		built498("5s", short4), built498("5s", short6))
}

// built is a setting of 5.x with avoidance. An empty limit or timeout, or a shape without a name, is that of
// the release.
func built(limit, timeout string, probe bool, s shape) setting {
	x := setting{keys: []string{avoid}, family: middle, changes: 1}
	names := []string{}
	add := func(name string, keys ...string) {
		names, x.keys, x.changes = append(names, name), append(x.keys, keys...), x.changes+1
	}
	if limit != "" {
		x.family = newest
		add("limit-"+limit, "send_msg_max_timeout_per_request="+limit)
	}
	if timeout != "" {
		add("timeout-"+timeout, "send_msg_timeout="+timeout)
	}
	if probe {
		add("detector", detector)
	}
	if s.name != "" {
		add(s.name, s.keys()...)
	}
	x.name, x.long = strings.Join(names, "+"), s.long
	return x
}

// built498 is a setting of 4.9.8 with avoidance.
func built498(timeout string, s shape) setting {
	x := setting{keys: []string{java498, avoid}, family: old, changes: 1}
	names := []string{"4.x-on"}
	add := func(name string, keys ...string) {
		names, x.keys, x.changes = append(names, name), append(x.keys, keys...), x.changes+1
	}
	if timeout != "" {
		add("timeout-"+timeout, "send_msg_timeout="+timeout)
	}
	if s.name != "" {
		add(s.name, s.keys()...)
	}
	x.name, x.long = strings.Join(names, "+"), s.long || s.name == ""
	return x
}
