package experiment

import (
	"context"
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
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
	return loaded(t, text)
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

// Goal: a one-way message of which nothing is left, and one that its caller sent again, can be picked: the
// first of its kind. Method: the host of a master loses its power; the stories have the properties, and none
// that was scheduled before the picked one does, as the events of the run tell.
func TestExplainMissedAndResent(t *testing.T) {
	sc := loaded(t, `
seed = 7
duration = "12s"
warmup = "1s"
release = "4.9.8"
[broker.a]
[broker.b]
[topic.orders]
[producer.oneway]
mode = "oneway"
count = 1
threads = 4
rate = "50/s"
topic = "orders"
[producer.stubborn]
retry_times_when_send_failed = 0
on_failure = { resend = 9, delay = "100ms" }
count = 1
threads = 4
rate = "50/s"
topic = "orders"
[fault.outage]
kind = "power-loss"
target = "b:0"
at = "3s"
duration = "4s"
`)
	w := &watcher{missed: map[uint64]bool{}}
	r := &runner{sc: sc}
	r.make = func(cfg config.Config, obs model.Observer) world {
		w.Observer = obs
		return model.New(cfg, w)
	}
	digest := must(r.whole(context.Background())).Digest
	for why, want := range map[Why]uint64{WhyMissed: w.first(), WhyResent: w.resent} {
		s := must(Explain(context.Background(), sc, Pick{Producer: -1, Why: why}, Options{}))
		if s.Digest != digest || s.Message != want {
			t.Errorf("%s: message %d, want %d; digest %s, want %s", why, s.Message, want, s.Digest, digest)
		}
		if missed := s.Fate != "durable" && s.Fate != "at risk"; missed != (why == WhyMissed) {
			t.Errorf("%s: %s", why, s.Fate)
		}
	}
}

// watcher notes the one-way messages after the warm-up of which nothing is left, and the first resent one.
type watcher struct {
	model.Observer
	missed map[uint64]bool
	resent uint64
}

func (w *watcher) Answered(a *model.Answer) {
	w.Observer.Answered(a)
	switch {
	case a.Group == 0 && a.Scheduled >= sim.Time(sim.Second):
		w.missed[a.Number] = a.Fate == model.NeverStored
	case a.Group == 1 && a.Resends > 0 && (w.resent == 0 || a.Number < w.resent):
		w.resent = a.Number
	}
}

func (w *watcher) FateChanged(c *model.FateChange) {
	w.Observer.FateChanged(c)
	if c.Group == 0 && c.Answered && c.Scheduled >= sim.Time(sim.Second) {
		w.missed[c.Number] = gone(c.To)
	}
}

// first is the lowest number of those missed.
func (w *watcher) first() uint64 {
	least := uint64(1 << 63)
	for number, missed := range w.missed {
		if missed {
			least = min(least, number)
		}
	}
	return least
}
