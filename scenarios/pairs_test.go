package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// slip is a mistake of one key, and how it is told.
type slip struct{ table, line, told string }

// key is the key of the slip.
func (s slip) key() string {
	key, _, _ := strings.Cut(s.line, " ")
	return s.table + "." + key
}

// slips are one mistake each, of all tables and of each way to be wrong: type, unit, range, order, name.
var slips = []slip{
	{"", `seed = -3`, "seed is -3"},
	{"", `duration = 60`, "duration is the bare number"},
	{"", `warmup = "soon"`, "warmup:"},
	{"", `release = "5.3.9"`, "release: unknown release"},
	{"", `colour = "red"`, `unknown key "colour"`},
	{"network", `latency = "fast"`, "network.latency"},
	{"start", `cold = "yes"`, "start.cold is"},
	{"name_server.n1", `release = "9.9.9"`, "name_server.n1.release: unknown"},
	{"name_server.n1", `behaviours = ["x=1"]`, "name_server.n1.behaviours"},
	{"topic.t", `write_queue_nums = 0`, "topic.t.write_queue_nums: 0"},
	{"topic.t", `brokers = ["a", 5, "zz"]`, `there is no broker "zz"`},
	{"topic.t", `brokers = ["a", 5, "zz"]`, "topic.t.brokers[1] is a whole number"},
	{"broker.a", `slaves = -1`, "broker.a.slaves: -1"},
	{"broker.a", `broker_role = "SYNC"`, `broker.a.broker_role: "SYNC"`},
	{"broker.a", `release = "9.9.9"`, "broker.a.release: unknown"},
	{"broker.a", `behaviours = ["x=1", 5]`, "broker.a.behaviours[0]"},
	{"broker.a", `service = { dist = "pareto" }`, "broker.a.service has no alpha"},
	{"broker.a", `send_message_thread_pool_nums = 0`, "broker.a.send_message_thread_pool_nums"},
	{"broker.a", `send_thread_pool_queue_capacity = 0`, "broker.a.send_thread_pool_queue_capacity"},
	{"broker.a", `flush_disk_type = "NEVER"`, "broker.a.flush_disk_type"},
	{"producer.p", `client = "java-9.9.9"`, "producer.p.client: unknown release"},
	{"producer.p", `count = 0`, "producer.p.count: 0"},
	{"producer.p", `threads = 1.5`, "producer.p.threads is a number"},
	{"producer.p", `rate = "many"`, "producer.p.rate:"},
	{"producer.p", `topic = ["t", "nope", 7]`, `there is no topic "nope"`},
	{"producer.p", `mode = "asinc"`, `producer.p.mode: "asinc"`},
	{"producer.p", `latency_max = ["50ms", "10ms"]`, "producer.p.latency_max: entry 2"},
	{"producer.p", `not_available_duration = ["0s"]`, "producer.p.not_available_duration has 1"},
	{"producer.p", `retry_times_when_send_failed = -1`, "producer.p.retry_times_when_send_failed: -1"},
	{"producer.p", `send_msg_timeout = "0s"`, "producer.p.send_msg_timeout"},
	{"producer.p", `detect_interval = "1us"`, "producer.p.detect_interval"},
	{"producer.p", `on_failure = "resend"`, "producer.p.on_failure"},
	{"producer.p", `behaviours = ["x=1"]`, "producer.p.behaviours[0]"},
	{"producer.p", `policy = "best"`, "producer.p.policy"},
	{"producer.p", `message_size = { dist = "fixed" }`, "producer.p.message_size.dist"},
	{"producer.p", `load = { shape = "waves" }`, "producer.p.load"},
	{"producer.p", `batch = 0`, "producer.p.batch: 0"},
	{"producer.p", `sendMsgTimeout = "3s"`, `unknown key "sendMsgTimeout"`},
	{"producer.p", `poll_name_server_interval = "0s"`, "producer.p.poll_name_server_interval"},
	{"host.h", `runs = ["name_server:n1", 5, "c:0"]`, "host.h.runs[1] is a whole number"},
	{"host.h", `runs = ["name_server:n1", 5, "c:0"]`, `host.h.runs[2]: there is no broker "c"`},
	{"host.h", `zone = "z9"`, `there is no zone "z9"`},
	{"zone_link.l", `zones = ["z8", 5]`, "zone_link.l.zones[1] is a whole number"},
	{"zone_link.l", `zones = ["z8", 5]`, `there is no zone "z8"`},
	{"fault.f", `kind = "power-los"`, `fault.f.kind: "power-los"`},
	{"fault.f", `target = ["a:9", 5]`, "fault.f.target[1] is a whole number"},
	{"fault.f", `target = ["a:9", 5]`, `fault.f.target[0]: "a:9"`},
	{"fault.f", `at = "70s"`, "fault.f.at (70s) is not before the end"},
	{"fault.f", `duration = "-5s"`, `fault.f.duration: "-5s" is negative`},
	{"expect.e", `metric = "succes_rate"`, "expect.e.metric"},
	{"expect.e", `during = "fault.g"`, `there is no phase "fault.g"`},
	{"expect.e", `min = "101%"`, `expect.e.min is "101%"`},
	{"expect.e", `for = "client > banana"`, "expect.e.for"},
	{"expect.e", `until = "9s"`, `unknown key "until"`},
}

// follows says whether a slip cannot be told, or not yet, because of another one.
func follows(of, s slip) bool {
	for _, x := range [][2]string{
		{".duration", "fault.f.at"},           // when it ends
		{"expect.e.metric", "expect.e.min"},   // in which unit
		{"broker.a.slaves", "fault.f.target"}, // how many there are
	} {
		if of.key() == x[0] && s.key() == x[1] {
			return true
		}
	}
	return of.key() == s.key() && of.line != s.line
}

// scenarioWith is a small scenario with some keys replaced.
func scenarioWith(slips ...slip) string {
	tables := []struct {
		name string
		keys []string
	}{
		{"", []string{`duration = "60s"`}},
		{"network", nil},
		{"start", nil},
		{"name_server.n1", nil},
		{"topic.t", nil},
		{"broker.a", nil},
		{"broker.b", nil},
		{"zone.z1", nil},
		{"zone.z2", nil},
		{"host.h", []string{`runs = "name_server:n1"`}},
		{"zone_link.l", []string{`zones = ["z1", "z2"]`, `latency = "1ms"`}},
		{"producer.p", []string{`rate = "100/s"`, `send_latency_fault_enable = true`}},
		{"fault.f", []string{`kind = "kill"`, `target = "b:0"`, `at = "20s"`, `duration = "9s"`}},
		{"expect.e", []string{`metric = "success_rate"`, `during = "fault.f"`, `min = "99%"`}},
	}
	var b strings.Builder
	for _, t := range tables {
		if t.name != "" {
			fmt.Fprintf(&b, "[%s]\n", t.name)
		}
		lines := slices.Clone(t.keys)
		for _, s := range slips {
			if s.table != t.name || slices.Contains(lines, s.line) {
				continue
			}
			key, _, _ := strings.Cut(s.line, " ")
			lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+" ") })
			lines = append(lines, s.line)
		}
		b.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return b.String()
}

// "Every mistake at once." Goal: no mistake hides another one that does not follow from it. Method: every
// pair of a list of mistakes in one scenario; each must be told as it is told alone.
func TestNoMistakeHidesAnother(t *testing.T) {
	told := func(slips ...slip) string {
		_, err := loadText(scenarioWith(slips...))
		var invalid *Invalid
		if !errors.As(err, &invalid) {
			return fmt.Sprint(err)
		}
		var b strings.Builder
		for _, p := range invalid.Problems {
			b.WriteString(p.Message + "\n")
		}
		return b.String()
	}
	for i, a := range slips {
		if alone := told(a); !strings.Contains(alone, a.told) {
			t.Errorf("%s is not told as %q but as\n%s", a.key(), a.told, alone)
			continue
		}
		for _, b := range slips[i+1:] {
			if a.key() == b.key() {
				continue
			}
			both := told(a, b)
			for _, s := range []slip{a, b} {
				if !strings.Contains(both, s.told) && !follows(a, s) && !follows(b, s) {
					t.Errorf("%s and %s: no %q in\n%s", a.key(), b.key(), s.told, both)
				}
			}
		}
	}
}
