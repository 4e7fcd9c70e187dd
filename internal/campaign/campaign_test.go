package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// TestShortCampaign is the short form of `make campaign`.
func TestShortCampaign(t *testing.T) {
	c := &campaign{first: 1, n: 60, workers: 2, progress: io.Discard, known: newGrammar()}
	if testing.Short() {
		c.n = 20
	}
	c.run()
	var out bytes.Buffer
	c.report(&out)
	t.Log(out.String())
	if len(c.failures) > 0 {
		t.Error(out.String())
	}
	if c.scenarios != c.n || c.baselines[asBefore] == 0 || c.repeated == 0 {
		t.Errorf("the campaign looked at too little:\n%s", out.String())
	}
}

// scenario runs a text and returns the verdict.
func scenario(t *testing.T, text string) verdict {
	t.Helper()
	sc, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	return judge(sc, 1)
}

// A cluster that does not return to what it was is explained by taking the reason away.
func TestKnownReasons(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"mutation", `
duration = "400s"
release = "5.1.3"
[broker.a]
[broker.b]
[producer.p]
client = "java-5.1.3"
threads = 1
rate = "5/s"
send_latency_fault_enable = true
latency_max = ["50ms", "550ms", "5s"]
not_available_duration = ["0s", "20s", "30s"]
[fault.slow-a]
kind = "slow"
target = "a:0"
at = "10s"
duration = "60s"
delay = "600ms"
[fault.slow-b]
kind = "slow"
target = "b:0"
at = "10s"
duration = "60s"
delay = "900ms"
`, "list mutation (clients to 5.1.3, but for 4.9.8)"},
		{"load", `
duration = "300s"
[broker.a]
send_message_thread_pool_nums = 1
service = "12ms"
broker_fast_failure_enable = false
[broker.b]
send_message_thread_pool_nums = 1
service = "12ms"
broker_fast_failure_enable = false
[producer.p]
threads = 4
rate = "20/s"
[producer.q]
threads = 4096
rate = "142/s"
send_msg_timeout = "1s"
retry_times_when_send_failed = 5
[fault.cut]
kind = "slow"
target = ["a:0", "b:0"]
at = "5s"
duration = "60s"
factor = 100
`, "load above capacity"},
		{"none", `
duration = "300s"
[broker.a]
[broker.b]
[producer.p]
rate = "10/s"
[fault.crash]
kind = "kill"
target = "a:0"
at = "10s"
duration = "20s"
`, asBefore},
		{"without any fault", `
duration = "300s"
[broker.a]
send_message_thread_pool_nums = 1
service = "1s"
[broker.b]
[producer.p]
rate = "10/s"
send_msg_timeout = "500ms"
[fault.crash]
kind = "kill"
target = "b:0"
at = "10s"
duration = "20s"
`, neverWell + " (load above capacity and time limits below the latency of a healthy broker)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if v := scenario(t, c.text); v.problem != "" || v.baseline != c.want {
				t.Errorf("problem %q, baseline %q, want %q", v.problem, v.baseline, c.want)
			}
		})
	}
}

// A shrinker keeps what matters and drops the rest.
func TestShrink(t *testing.T) {
	doc, _, err := draw(4, newGrammar())
	if err != nil {
		t.Fatal(err)
	}
	doc.add("fault.guilty").keys = []pair{
		{"kind", `"slow"`}, {"target", `["a:0"]`}, {"at", `"1s"`}, {"delay", `"7s"`},
	}
	guilty := func(d *document) bool {
		_, err := load(d.text())
		return err == nil && strings.Contains(d.text(), `kind = "slow"`)
	}
	steps := 0
	s := &shrinker{breaks: guilty}
	for next := doc; next != nil; next = s.step(doc) {
		doc, steps = next, steps+1
	}
	if len(doc.text()) > 140 || !guilty(doc) {
		t.Errorf("after %d steps:\n%s", steps, doc.text())
	}
}

// told is a small world to tell a watcher about.
func told() *watcher {
	return newWatcher(&config.Config{
		Duration: sim.Minute,
		Brokers:  []config.Broker{{Name: "a"}, {Name: "b", Flush: config.SyncFlush}},
		Producers: []config.Producer{{
			Name: "p", Count: 1,
			Settings: strategy.Settings{RetryTimesWhenSendFailed: 1, SendMsgTimeout: 3000},
		}},
		Faults: []config.Fault{{Name: "cut", Kind: config.PowerLoss}},
	})
}

// Each rule sees what breaks it.
func TestWatcherSees(t *testing.T) {
	const second = sim.Time(sim.Second)
	m := model.Message{Scheduled: second}
	ok := strategy.Result{Status: strategy.StatusSendOK}
	attempt := func(w *watcher, try int32, broker strategy.Broker) {
		w.AttemptEnded(&model.Attempt{
			Message: m, Try: try, Queue: strategy.Queue{Broker: broker}, Began: second, Ended: 2 * second,
		})
	}
	moves := func(w *watcher, broker int32, from, to model.Fate) {
		w.FateChanged(&model.FateChange{Message: m, At: 2 * second, Broker: broker, From: from, To: to})
	}
	answer := func(w *watcher, a model.Answer) {
		a.Message, a.Began, a.At = m, second, 2*second
		a.AnsweredAt = a.At
		w.Answered(&a)
	}
	for _, c := range []struct {
		want string
		tell func(w *watcher)
	}{
		{"time runs backwards", func(w *watcher) { w.tick(2 * second); w.tick(second) }},
		{"numbers of messages", func(w *watcher) { w.Scheduled(&m) }},
		{"attempts", func(w *watcher) { attempt(w, 2, 0) }},
		{"attempts", func(w *watcher) { attempt(w, 1, 0); attempt(w, 2, 0); attempt(w, 3, 0) }},
		{"queue", func(w *watcher) { attempt(w, 1, 2) }},
		{"copies", func(w *watcher) { w.CopyStored(&model.Copy{Message: m, At: second, Number: 2, Try: 1}) }},
		{"fate", func(w *watcher) { moves(w, 0, model.AtRisk, model.Durable) }},
		{"message vanished", func(w *watcher) {
			moves(w, 0, model.NeverStored, model.AtRisk)
			moves(w, 0, model.AtRisk, model.Lost)
		}},
		{"durable message vanished", func(w *watcher) {
			w.struck[0].strike(config.PowerLoss)
			moves(w, 0, model.NeverStored, model.AtRisk)
			moves(w, 0, model.AtRisk, model.Durable)
			moves(w, 0, model.Durable, model.Lost)
		}},
		{"acknowledged but not stored", func(w *watcher) {
			attempt(w, 1, 0)
			answer(w, model.Answer{Result: ok, Attempts: 1})
		}},
		{"second answer", func(w *watcher) {
			failed := strategy.Result{Exception: strategy.InterruptedException}
			answer(w, model.Answer{Result: failed})
			answer(w, model.Answer{Result: failed})
		}},
		{"SYNC_FLUSH", func(w *watcher) {
			attempt(w, 1, 1)
			w.CopyStored(&model.Copy{
				Message: m, At: 2 * second, Broker: 1, Number: 1, Try: 1, Unsynced: 1, UnsyncedBytes: 9,
			})
			moves(w, 1, model.NeverStored, model.AtRisk)
			answer(w, model.Answer{Result: ok, Attempts: 1, Copies: 1, Fate: model.AtRisk})
		}},
		{"fault ends", func(w *watcher) {
			w.Process(&model.ProcessEvent{At: second, What: model.FaultEnded})
		}},
		{"ledger", func(w *watcher) { w.holds(&model.Ledger{Rows: []model.LedgerRow{{}}}) }},
	} {
		w := told()
		if c.want != "numbers of messages" {
			w.Scheduled(&m)
		} else {
			w.Scheduled(&model.Message{Number: 3, Scheduled: second})
		}
		c.tell(w)
		if rule(w.problem) != c.want {
			t.Errorf("told what breaks %q: %q", c.want, w.problem)
		}
	}
}
