package experiment

import (
	"context"
	"errors"
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
queue = { broker = "a", id = 3 }
count = 1
threads = 2
rate = "20/s"
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
// attempts of it run side by side their parts sum to its time. Method: messages that failed, were
// retried or took longest, and some by number, of each group, with a release before the callbacks run
// in executors, one that tells of a failure twice, and the last.
func TestExplainModes(t *testing.T) {
	for _, release := range []string{"4.2.0", "5.3.0", "5.3.3"} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			sc := modes(t, release)
			digest := must(Run(context.Background(), sc, Options{})).Digest
			for g := range sc.Config.Producers {
				for _, pick := range []Pick{
					{Producer: g, Why: WhyFailed}, {Producer: g, Why: WhyRetried},
					{Producer: g, Why: WhySlowest}, {Producer: g, Message: 50}, {Producer: g, Message: 60},
				} {
					s, err := Explain(context.Background(), sc, pick, Options{})
					if none := (*NoMessageError)(nil); errors.As(err, &none) && pick.Why != "" {
						continue // nothing of the kind in this mode
					}
					if err != nil || s.Digest != digest {
						t.Fatalf("%+v: %v, digest of the story and of the run differ", pick, err)
					}
					checkModeStory(t, s)
				}
			}
		})
	}
}

// checkModeStory checks what holds of stories in any mode.
func checkModeStory(t *testing.T, s *result.Story) {
	t.Helper()
	if !slices.IsSortedFunc(s.Entries, func(a, b result.StoryEntry) int { return int(a.AtNS - b.AtNS) }) {
		t.Errorf("message %d of %s: told out of order", s.Message, s.Producer)
	}
	tries, last := map[int]bool{}, 0
	for _, e := range s.Entries {
		if e.Kind == "" || e.Kind == result.StoryChosen && e.Choice.Made && tries[e.Attempt] {
			t.Errorf("message %d of %s: %+v", s.Message, s.Producer, e)
		}
		if e.Kind == result.StoryChosen && e.Choice.Made {
			tries[e.Attempt] = true
		}
		last = max(last, e.Attempt)
	}
	if last > len(tries) {
		t.Errorf("message %d of %s: attempt %d of %d that were chosen", s.Message, s.Producer, last, len(tries))
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
