package experiment

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/scenarios"
)

// hanging is a scenario in which sends hang and messages are lost.
func hanging(t *testing.T, release string) *scenarios.Scenario {
	t.Helper()
	limit := ""
	if release == "5.3.3" { // it came with that; without it nothing is left for a retry
		limit = `send_msg_max_timeout_per_request = "300ms"`
	}
	text := `
duration = "25s"
warmup = "1s"
release = "` + release + `"
[broker.a]
slaves = 1
[broker.b]
[broker.c]
flush_disk_type = "SYNC_FLUSH"
[producer.shop]
count = 2
threads = 6
rate = "150/s"
send_latency_fault_enable = true
send_msg_timeout = "900ms"
` + limit + `
[producer.desk]
rate = "20/s"
[fault.cut]
kind = "power-loss"
target = ["a:0", "b:0"]
at = "5s"
duration = "4s"
[fault.freeze]
kind = "pause"
target = "c:0"
at = "12s"
duration = "2s"
[fault.kill]
kind = "kill"
target = "c:0"
at = "18s"
duration = "2s"
`
	return loaded(t, text)
}

// Goal: a story is of the run that Run makes, tells the same every time, and its times add up.
// Method: stories of many messages in a world with all kinds of faults.
func TestExplain(t *testing.T) {
	for _, release := range []string{"4.9.8", "5.3.3"} {
		t.Run(release, func(t *testing.T) {
			sc := hanging(t, release)
			digest := must(Run(context.Background(), sc, Options{})).Digest
			picks := []Pick{}
			for _, why := range Whys() {
				if why == WhyMissed || why == WhyResent {
					continue // none is one-way, nobody sends again: TestExplainMissedAndResent
				}
				if why == WhyDuplicated && release == "4.9.8" {
					continue // its first attempt takes all the time, so there is no second copy
				}
				picks = append(picks, Pick{Producer: -1, Why: why})
			}
			for number := uint64(740); number < 3000; number += 251 {
				picks = append(picks, Pick{Message: number})
			}
			for _, pick := range picks {
				s, err := Explain(context.Background(), sc, pick, Options{})
				if err != nil {
					t.Fatalf("%+v: %v", pick, err)
				}
				if s.Digest != digest {
					t.Fatalf("%+v: digest %s, want %s", pick, s.Digest, digest)
				}
				checkStory(t, s)
			}
			again := must(Explain(context.Background(), sc, picks[0], Options{}))
			if once := must(Explain(context.Background(), sc, picks[0], Options{})); !reflect.DeepEqual(
				once, again) {
				t.Error("told twice, it differs")
			}
		})
	}
}

// checkStory checks what holds of every story.
func checkStory(t *testing.T, s *result.Story) {
	t.Helper()
	if !slices.IsSortedFunc(s.Entries, func(a, b result.StoryEntry) int {
		return int(a.AtNS - b.AtNS)
	}) {
		t.Errorf("message %d of %s: told out of order", s.Message, s.Producer)
	}
	chosen, ended, updated := 0, 0, 0
	for _, e := range s.Entries {
		switch e.Kind {
		case "":
			t.Errorf("an entry without a kind: %+v", e)
		case result.StoryChosen:
			if e.Choice.Made {
				chosen++
			}
		case result.StoryEnded:
			ended++
		case result.StoryUpdated:
			updated++
		}
	}
	if chosen < ended || chosen > ended+1 || s.Avoidance && updated != ended {
		t.Errorf("message %d of %s: %d attempts chosen, %d ended, %d updates", s.Message, s.Producer,
			chosen, ended, updated)
	}
	if s.AnsweredNS == nil {
		return
	}
	var sum int64
	for _, p := range s.Parts {
		sum += p.SpanNS
	}
	if want := *s.AnsweredNS - s.ScheduledNS; sum != want {
		t.Errorf("message %d of %s: the parts sum to %d ns of %d", s.Message, s.Producer, sum, want)
	}
}

// Goal: each Why finds what it says, and the first of its kind. Method: the story has the property,
// and the counts of the run say that there is such a message.
func TestExplainWhy(t *testing.T) {
	sc := hanging(t, "5.3.3")
	story := func(why Why) *result.Story {
		t.Helper()
		return must(Explain(context.Background(), sc, Pick{Producer: -1, Why: why}, Options{}))
	}
	answer := func(s *result.Story) result.StoryEntry {
		i := slices.IndexFunc(s.Entries, func(e result.StoryEntry) bool {
			return e.Kind == result.StoryAnswered
		})
		return s.Entries[i]
	}
	if s := story(WhyFailed); answer(s).Outcome == "SEND_OK" {
		t.Errorf("failed: %+v", answer(s))
	}
	if s := story(WhyRetried); answer(s).N < 2 {
		t.Errorf("retried: %+v", answer(s))
	}
	if s := story(WhyDuplicated); s.Copies < 2 {
		t.Errorf("duplicated: %d copies", s.Copies)
	}
	if s := story(WhyLost); answer(s).Outcome != "SEND_OK" || s.Fate != "lost" && s.Fate != "stranded" {
		t.Errorf("lost: %+v, %s", answer(s), s.Fate)
	}
	run := must(Run(context.Background(), sc, Options{}))
	s := story(WhySlowest)
	for _, stats := range run.Stats {
		if stats.Phase == result.PhaseAll && stats.Dim == result.DimAll &&
			stats.Latency.MaxNS != answer(s).SpanNS {
			t.Errorf("slowest: %d, but the maximum is %d", answer(s).SpanNS, stats.Latency.MaxNS)
		}
	}
}

func TestExplainNothing(t *testing.T) {
	sc := hanging(t, "5.3.3")
	_, err := Explain(context.Background(), sc, Pick{Message: 1 << 40}, Options{})
	var none *NoMessageError
	if !errors.As(err, &none) || none.Producer != "shop" || none.Messages < 3000 {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Explain(ctx, sc, Pick{}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
