package main

import (
	"strconv"
	"time"

	"simrun/strategy"
)

// option is a key that a scenario may have: how often it is there, and what it may be. A draw of ""
// leaves it out. Keys that the loader does not know yet are left out, see grammar.
type option struct {
	kind, key string
	chance    float64
	draw      func(g *generator, t *section) string
}

const (
	ms = time.Millisecond
	s  = time.Second
)

// oneOf draws one of some values.
func oneOf(values ...string) func(*generator, *section) string {
	return func(g *generator, _ *section) string { return pick(g, values...) }
}

// anyOf draws one of some durations.
func anyOf(values ...time.Duration) func(*generator, *section) string {
	return func(g *generator, _ *section) string { return dur(pick(g, values...)) }
}

// around draws a sampler around one of some durations.
func around(values ...time.Duration) func(*generator, *section) string {
	return func(g *generator, _ *section) string { return g.times(pick(g, values...)) }
}

func either(g *generator, _ *section) string { return strconv.FormatBool(g.chance(0.5)) }

func anyRelease(g *generator, _ *section) string {
	return quoted(pick(g, strategy.Releases()...))
}

func anyClient(g *generator, _ *section) string {
	if g.chance(0.15) {
		return quoted("go-" + pick(g, strategy.GoReleases()...))
	}
	return quoted("java-" + pick(g, strategy.Releases()...))
}

// serviceTime is short for the load there is, now and then too long for it.
func serviceTime(g *generator, _ *section) string {
	switch {
	case g.busy:
		return g.times(pick(g, 5*ms, 20*ms, 50*ms))
	default:
		return g.times(pick(g, 400*time.Microsecond, 2*ms, 10*ms))
	}
}

// isolations is a short table, so that a cluster heals soon, or that of the release.
func isolations(g *generator, t *section) string {
	switch {
	case g.chance(0.4):
		return ""
	case g.chance(0.5):
		t.set("latency_max", list(dur(50*ms), dur(550*ms), dur(s), dur(5*s)))
		return list(dur(0), dur(2*s), dur(5*s), dur(20*s))
	default:
		t.set("latency_max", list(dur(100*ms), dur(3*s)))
		return list(dur(s), dur(30*s))
	}
}

// loadShapes are values of load.
var loadShapes = []string{
	`{ shape = "bursts", factor = 4, for = "2s", at = "5s", every = "20s" }`,
	`{ shape = "ramp", from = 0.5, to = 2, at = "3s", over = "30s" }`,
	`{ shape = "daily", factors = [0.2, 1.5, 0.8], day = "60s" }`,
	`{ shape = "points", points = [{ at = "0s", factor = 1 }, { at = "8s", factor = 0 }] }`,
}

var options = []option{
	{"", "release", 0.7, anyRelease},
	{"", "warmup", 0.2, anyOf(s, 3*s)},
	{"network", "latency", 0.7, around(0, 100*time.Microsecond, 2*ms, 20*ms)},

	{"name_server", "release", 0.4, anyRelease},
	{"name_server", "startup", 0.5, anyOf(0, s, 5*s)},

	{"topic", "created", 0.1, oneOf("false")},

	{"broker", "release", 0.5, anyRelease},
	{"broker", "broker_role", 0.5, func(g *generator, t *section) string {
		if t.get("slaves") == "0" && g.chance(0.95) {
			return ""
		}
		return quoted("SYNC_MASTER")
	}},
	{"broker", "flush_disk_type", 0.4, oneOf(quoted("SYNC_FLUSH"))},
	{"broker", "send_message_thread_pool_nums", 0.4, oneOf("1", "2", "8")},
	{"broker", "service", 0.8, serviceTime},
	{"broker", "fsync", 0.7, around(500*time.Microsecond, 2*ms, 20*ms, 100*ms)},
	{"broker", "flush_interval_commit_log", 0.2, anyOf(50*ms, 2*s)},
	{"broker", "flush_commit_log_least_pages", 0.2, oneOf("0", "16")},
	{"broker", "flush_commit_log_thorough_interval", 0.2, anyOf(0, 3*s)},
	{"broker", "sync_flush_timeout", 0.1, anyOf(50*ms, s)},
	{"broker", "register_name_server_period", 0.3, anyOf(10*s, 60*s)},
	{"broker", "startup", 0.6, anyOf(0, s, 5*s)},
	{"broker", "append", 0.3, around(0, 100*time.Microsecond, ms)},
	{"broker", "send_thread_pool_queue_capacity", 0.4, oneOf("1", "10", "100")},
	{"broker", "broker_fast_failure_enable", 0.2, either},
	{"broker", "wait_time_mills_in_send_queue", 0.3, anyOf(20*ms, 500*ms, s)},
	{"broker", "os_page_cache_busy_time_out_mills", 0.2, anyOf(100*ms, 3*s)},
	{"broker", "commit_log_size", 0.3, oneOf(`"0B"`, `"10MiB"`, `"1GiB"`)},
	{"broker", "flush_commit_log_timed", 0.2, either},
	{"broker", "transient_store_pool_enable", 0.2, oneOf("true")},
	{"broker", "commit_interval_commit_log", 0.2, anyOf(50*ms, s)},
	{"broker", "commit_commit_log_least_pages", 0.2, oneOf("0", "16")},
	{"broker", "commit_commit_log_thorough_interval", 0.2, anyOf(0, s)},
	{"broker", "slave_timeout", 0.2, anyOf(500*ms, 5*s)},
	{"broker", "ha_slave_fallbehind_max", 0.2, oneOf(`"100KiB"`, `"1MiB"`)},
	{"broker", "ha_housekeeping_interval", 0.3, anyOf(5*s, 20*s)},
	{"broker", "ha_send_heartbeat_interval", 0.2, anyOf(s, 5*s)},
	{"broker", "ha_max_gap_not_in_sync", 0.2, oneOf(`"100KiB"`, `"1MiB"`)},
	{"broker", "in_sync_replicas", 0.4, func(g *generator, t *section) string {
		if t.get("slaves") == "0" && g.chance(0.95) {
			return ""
		}
		return "2"
	}},
	{"broker", "min_in_sync_replicas", 0.1, oneOf("1", "2")},
	{"broker", "replication_bandwidth", 0.2, oneOf(`"200KiB/s"`, `"1MiB/s"`)},
	{"broker", "broker_permission", 0.05, oneOf("6")},
	{"broker", "auto_create_topic_enable", 0.3, either},
	{"broker", "cold_factor", 0.2, oneOf("2", "10")},
	{"broker", "cold_for", 0.5, anyOf(s, 10*s)},

	{"producer", "client", 0.7, anyClient},
	{"producer", "arrivals", 0.3, func(g *generator, t *section) string {
		if g.chance(0.2) {
			t.unset("rate") // the threads decide
			return quoted("closed")
		}
		return quoted("constant")
	}},
	{"producer", "load", 0.15, oneOf(loadShapes...)},
	{"producer", "message_size", 0.5, oneOf(`"100B"`, `"4KiB"`, `"64KiB"`,
		`{ dist = "uniform", min = "100B", max = "5KiB" }`)},
	{"producer", "policy", 0.15, func(g *generator, _ *section) string {
		return quoted(pick(g, strategy.Policies()...))
	}},
	{"producer", "send_latency_fault_enable", 0.6, oneOf("true")},
	{"producer", "not_available_duration", 0.5, isolations},
	{"producer", "send_msg_timeout", 0.4, anyOf(500*ms, 1500*ms, 4*s, 10*s)},
	{"producer", "retry_times_when_send_failed", 0.4, oneOf("0", "1", "3", "5")},
	{"producer", "retry_another_broker_when_not_store_ok", 0.3, oneOf("true")},
	{"producer", "send_msg_max_timeout_per_request", 0.3, func(g *generator, t *section) string {
		if t.get("client") != quoted("java-5.3.3") {
			return ""
		}
		return pick(g, dur(500*ms), dur(2*s))
	}},
	{"producer", "start_detector_enable", 0.3, func(_ *generator, t *section) string {
		if t.get("client") != quoted("java-5.3.3") {
			return ""
		}
		return "true"
	}},
	{"producer", "poll_name_server_interval", 0.5, anyOf(2*s, 10*s, 30*s)},
	{"producer", "heartbeat_broker_interval", 0.3, anyOf(5*s, 30*s)},
	{"producer", "timer_wakeup", 0.4, around(0, ms, 10*ms)},

	{"producer", "mode", 0.25, oneOf(quoted("async"), quoted("async"), quoted("oneway"))},
	{"producer", "queue_choice", 0.15, oneOf(quoted("hash"), quoted("random"), quoted("machine-room"))},
	{"producer", "keys", 0.5, oneOf("1", "7", "1000")},
	{"producer", "retry_times_when_send_async_failed", 0.3, oneOf("0", "1", "4")},
	{"producer", "on_failure", 0.15, oneOf(`{ resend = 1, delay = "0s" }`, `{ resend = 2, delay = "200ms" }`,
		`{ resend = 3, delay = { dist = "exponential", mean = "1s" } }`)},
	{"producer", "think_time", 0.3, around(10*ms, s)},
	{"producer", "mq_client_api_timeout", 0.2, anyOf(500*ms, 5*s)},
	{"producer", "enable_backpressure_for_async_mode", 0.3, oneOf("true")},
	{"producer", "back_pressure_for_async_send_num", 0.3, oneOf("10", "50")},
	{"producer", "compress_msg_body_over_howmuch", 0.2, oneOf(`"1KiB"`)},
	{"producer", "compressed_to", 0.2, oneOf("0.3")},
	{"producer", "max_message_size", 0.05, oneOf(`"4KiB"`)},
	{"producer", "cores", 0.2, oneOf("1", "2")},

	{"start", "cold", 0.5, oneOf("true")},
	{"start", "spread", 0.5, anyOf(s, 20*s)},
}
