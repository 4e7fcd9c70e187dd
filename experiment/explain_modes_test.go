package experiment

import (
	"context"
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/scenarios"
)

// modes is a scenario with producers of every mode and choice, Go ones among them, while a master hangs
// and another is killed.
func modes(t *testing.T, release string) *scenarios.Scenario {
	t.Helper()
	text := `
seed = 7
duration = "18s"
warmup = "1s"
release = "` + release + `"
[broker.a]
[broker.b]
[broker.c]
[topic.orders]
[topic.bills]
[producer.async]
mode = "async"
count = 2
threads = 4
rate = "60/s"
topic = ["orders", "bills"]
send_latency_fault_enable = true
[producer.keyed-async]
mode = "async"
queue_choice = "hash"
keys = 7
count = 1
threads = 4
rate = "20/s"
topic = "bills"
[producer.oneway]
mode = "oneway"
count = 1
threads = 4
rate = "20/s"
topic = "orders"
[producer.fixed]
queue_choice = "queue"
queue = { broker = "b", id = 3 }
count = 1
threads = 2
rate = "80/s"
batch = 4
topic = "orders"
[producer.gopher]
client = "go-2.1.2"
count = 1
threads = 4
rate = "20/s"
topic = "orders"
[producer.closed]
arrivals = "closed"
think_time = "20ms"
count = 1
threads = 4
topic = "orders"
[fault.freeze]
kind = "pause"
target = "a:0"
at = "3s"
duration = "5s"
[fault.kill]
kind = "kill"
target = "b:0"
at = "9s"
duration = "4s"
`
	return must(scenarios.Load("./modes.toml", scenarios.Options{
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
	}))
}

// Goal: stories of every mode are of the run that Run makes; they end with their message, and unless
// attempts of it run side by side their parts sum to its time. Method: a message of each group that met
// the dead broker, with a release that tells of a failure twice.
func TestExplainModes(t *testing.T) {
	sc := modes(t, "5.3.0")
	digest := must(Run(context.Background(), sc, Options{})).Digest
	for g := range sc.Config.Producers {
		pick := Pick{Producer: g, Message: 186}
		if g == 0 {
			pick = Pick{Producer: g, Why: WhyFailed}
		}
		s := must(Explain(context.Background(), sc, pick, Options{}))
		if s.Digest != digest {
			t.Errorf("%+v: digest of the story %s, of the run %s", pick, s.Digest, digest)
		}
		checkModeStory(t, s)
	}
}

// checkModeStory checks what holds of stories in any mode.
func checkModeStory(t *testing.T, s *result.Story) {
	t.Helper()
	if !slices.IsSortedFunc(s.Entries, func(a, b result.StoryEntry) int { return int(a.AtNS - b.AtNS) }) {
		t.Errorf("message %d of %s: told out of order", s.Message, s.Producer)
	}
	tries := map[int]bool{}
	for _, e := range s.Entries {
		chosen := e.Kind == result.StoryChosen && e.Choice.Made
		if e.Kind == "" || chosen && tries[e.Attempt] || !chosen && e.Attempt > 0 && !tries[1] {
			t.Errorf("message %d of %s: %+v", s.Message, s.Producer, e)
		}
		tries[e.Attempt] = tries[e.Attempt] || chosen
	}
	if s.AnsweredNS == nil {
		return
	}
	var sum int64
	for _, p := range s.Parts {
		sum += p.SpanNS
	}
	want := *s.AnsweredNS - s.ScheduledNS
	if sum != want && (s.Mode != "async" || sum < want) {
		t.Errorf("message %d of %s: the parts sum to %d ns of %d: %+v", s.Message, s.Producer, sum, want, s.Parts)
	}
}
