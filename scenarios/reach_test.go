package scenarios

import (
	"reflect"
	"strings"
	"testing"

	"simrun/model/config"
)

// reachCase is another value of a producer's key, and what the table needs beside it.
type reachCase struct{ value, beside string }

// reaches has an entry for each key of a producer.
var reaches = map[string]reachCase{
	"client":                                 {value: `"java-4.9.8"`},
	"count":                                  {value: "2"},
	"threads":                                {value: "7"},
	"mode":                                   {value: `"async"`},
	"queue_choice":                           {value: `"random"`},
	"queue":                                  {`{ broker = "b", id = 1 }`, "queue_choice = \"queue\""},
	"keys":                                   {"5", "queue_choice = \"hash\""},
	"arrivals":                               {value: `"constant"`},
	"rate":                                   {value: `"2/s"`},
	"load":                                   {value: `{ shape = "ramp", to = 2, over = "1s" }`},
	"arrivals_file":                          {`"late.csv"`, "arrivals = \"recorded\""},
	"think_time":                             {`"2s"`, "arrivals = \"closed\""},
	"on_failure":                             {value: `{ resend = 1 }`},
	"topic":                                  {value: `["t", "u"]`},
	"topic_weights":                          {`[1, 2]`, `topic = ["t", "u"]`},
	"message_size":                           {value: `"2KiB"`},
	"batch":                                  {value: "3"},
	"policy":                                 {value: `"random"`},
	"behaviours":                             {value: `["zero_budget=written"]`},
	"send_msg_timeout":                       {value: `"4s"`},
	"send_msg_max_timeout_per_request":       {value: `"1s"`},
	"retry_times_when_send_failed":           {value: "1"},
	"retry_times_when_send_async_failed":     {value: "1"},
	"retry_another_broker_when_not_store_ok": {value: "true"},
	"retry_response_codes":                   {value: "[1]"},
	"send_latency_fault_enable":              {value: "true"},
	"latency_max":                            {value: `["1ms", "2ms", "3ms", "4ms", "5ms", "6ms", "7ms"]`},
	"not_available_duration":                 {value: `["1s", "2s", "3s", "4s", "5s", "6s", "7s"]`},
	"start_detector_enable":                  {value: "true"},
	"detect_interval":                        {value: `"1s"`},
	"detect_timeout":                         {value: `"1s"`},
	"poll_name_server_interval":              {value: `"20s"`},
	"heartbeat_broker_interval":              {value: `"20s"`},
	"mq_client_api_timeout":                  {value: `"1s"`},
	"client_close_socket_if_timeout":         {value: "false"},
	"compress_msg_body_over_howmuch":         {value: `"1KiB"`},
	"compressed_to":                          {value: "0.5"},
	"max_message_size":                       {value: `"1MiB"`},
	"default_topic_queue_nums":               {value: "8"},
	"enable_backpressure_for_async_mode":     {value: "true"},
	"back_pressure_for_async_send_num":       {value: "100"},
	"back_pressure_for_async_send_size":      {value: `"1MiB"`},
	"cores":                                  {value: "8"},
	"timer_wakeup":                           {value: `"1ms"`},
	"vip_channel_enabled":                    {value: "true"},
}

// usual are the values that required keys have otherwise, where they apply.
var usual = map[string]reachCase{
	"topic":         {value: `"t"`},
	"rate":          {value: `"1/s"`},
	"arrivals_file": {`"early.csv"`, "arrivals = \"recorded\""},
	"queue":         {`{ broker = "a", id = 0 }`, "queue_choice = \"queue\""},
}

// TestEachKeyReachesTheConfig: no key of a producer is read and forgotten, but for the one that its
// documentation says changes nothing.
func TestEachKeyReachesTheConfig(t *testing.T) {
	for i := range producerKeys {
		key := producerKeys[i].name
		c, known := reaches[key]
		if !known {
			t.Errorf("no value for %s", key)
			continue
		}
		other := configWith(t, key, c.value, c.beside)
		same := reflect.DeepEqual(configWith(t, key, usual[key].value, c.beside), other)
		if same != (key == "vip_channel_enabled") {
			t.Errorf("%s = %s: another configuration is %v", key, c.value, !same)
		}
	}
}

// configWith is the configuration of a producer with a value of a key, "" for none.
func configWith(t *testing.T, key, value, beside string) config.Config {
	t.Helper()
	text := "[topic.t]\n[topic.u]\n[broker.a]\n[broker.b]\n[producer.p]\n" + beside + "\n"
	if value != "" {
		text += key + " = " + value + "\n"
	}
	hasRate := beside != usual["arrivals_file"].beside && beside != reaches["think_time"].beside
	if key != "rate" && hasRate {
		text += "rate = " + usual["rate"].value + "\n"
	}
	if key != "topic" && !strings.HasPrefix(beside, "topic = ") {
		text += "topic = " + usual["topic"].value + "\n"
	}
	s, err := Load("x.toml", Options{ReadFile: readFiles(map[string]string{
		"x.toml": text, "late.csv": "time\n1s\n2s\n", "early.csv": "time\n1s\n",
	})})
	if err != nil {
		t.Errorf("%s = %s:", key, value)
		report(t, err)
		return config.Config{}
	}
	return s.Config
}
