package experiment

import (
	"context"
	"errors"
	"testing"

	"simrun/internal/result"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// loaded is a scenario of a text, changed as --set does.
func loaded(t *testing.T, text string, set ...string) *scenarios.Scenario {
	t.Helper()
	return must(scenarios.Load("./test.toml", scenarios.Options{
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil }, Set: set,
	}))
}

func diff(t *testing.T, a, b *scenarios.Scenario) *result.Divergence {
	t.Helper()
	if err := Comparable(a, b); err != nil {
		t.Fatal(err)
	}
	return must(Diff(context.Background(), a, b, [2]string{"A", "B"}, Options{}))
}

// Goal: a world never parts from itself. Method: worlds with all modes, clients and faults.
func TestDiffWithItself(t *testing.T) {
	for name, sc := range map[string]*scenarios.Scenario{
		"hanging": hanging(t, "4.9.8"), "modes": modes(t, "5.3.0"),
	} {
		d := diff(t, sc, sc)
		if d.First != nil || d.Decision != nil || d.Answer != nil || d.Budget != nil {
			t.Errorf("%s: %+v", name, d)
		}
		if d.Equal == 0 || d.Equal != d.Messages || d.ComparedNS != int64(sc.Config.Duration) {
			t.Errorf("%s: %d of %d messages are equal, up to %d", name, d.Equal, d.Messages, d.ComparedNS)
		}
		if d.StoryA != nil {
			t.Errorf("%s: a story of nothing", name)
		}
	}
}

// hand is a scenario of which the first timeout can be worked out: a message each 100 ms, and from 5 s on one
// of two brokers hangs.
const hand = `
seed = 3
duration = "20s"
[broker.a]
[broker.b]
[producer.p]
count = 1
threads = 1
rate = "10/s"
arrivals = "constant"
retry_times_when_send_failed = 0
send_msg_timeout = "2s"
timer_wakeup = "0s"
[fault.stop]
kind = "pause"
target = ["a:0", "b:0"]
at = "5s"
duration = "8s"
`

// Goal: a divergence that hand arithmetic finds: with a timeout of 1 s instead of 2 s, everything is the same
// until the first message that finds both brokers paused has waited for 1 s. The clocks of clients are whole
// milliseconds, so that the wait may end up to 1 ms late. The budget differs from the first message on, and
// that is no difference by itself. Method: one message each 100 ms from its phase on, so number 50 is the
// first at or after 5 s.
func TestDiffByHand(t *testing.T) {
	a := loaded(t, hand)
	b := loaded(t, hand, "producer.p.send_msg_timeout=1s")
	d := diff(t, a, b)
	if d.First == nil || d.StoryB == nil {
		t.Fatalf("%+v", d)
	}
	const first = 50
	scheduled := d.StoryB.ScheduledNS
	late := d.First.AtNS - scheduled - int64(sim.Second)
	if d.First.Message != first || d.First.What != result.DiffOutcome && d.First.What != result.DiffTime ||
		late < 0 || late > int64(sim.Millisecond) {
		t.Errorf("first: %+v, scheduled at %d, %d ns late", d.First, scheduled, late)
	}
	if scheduled < int64(5*sim.Second) || scheduled >= int64(5*sim.Second+100*sim.Millisecond) {
		t.Errorf("message %d is scheduled at %d", first, scheduled)
	}
	if d.Equal != first {
		t.Errorf("%d messages are equal, want the %d before it", d.Equal, first)
	}
	if d.Budget == nil || d.Budget.Message != 0 || d.Budget.A != "2s" || d.Budget.B != "1s" {
		t.Errorf("budget: %+v", d.Budget)
	}
	if d.StoryA.Message != d.StoryB.Message || d.StoryA.Entries[0].AtNS != d.StoryB.Entries[0].AtNS {
		t.Errorf("stories of messages %d and %d", d.StoryA.Message, d.StoryB.Message)
	}
	// The first caller that gets something else is a later one: number 50 fails in both.
	if d.Answer != nil && d.Answer.Message <= first {
		t.Errorf("answer: %+v", d.Answer)
	}
}

// Goal: which of the two is called A changes nothing but the names.
func TestDiffIsSymmetric(t *testing.T) {
	for _, set := range []string{
		"producer.shop.retry_times_when_send_failed=0", "producer.shop.send_latency_fault_enable=false",
		"broker.c.flush_disk_type=ASYNC_FLUSH", "producer.desk.rate=21/s",
	} {
		a := hanging(t, "5.3.3")
		b := loaded(t, string(a.Effective()), set)
		there, back := diff(t, a, b), diff(t, b, a)
		for i, pair := range [][2]*result.Difference{
			{there.First, back.First},
			{there.Decision, back.Decision},
			{there.Answer, back.Answer},
			{there.Budget, back.Budget},
		} {
			x, y := pair[0], pair[1]
			if (x == nil) != (y == nil) {
				t.Errorf("%s, %d: %+v and %+v", set, i, x, y)
			}
			if x != nil && y != nil {
				turned := *y
				turned.A, turned.B = y.B, y.A
				if turned != *x {
					t.Errorf("%s, %d: %+v and %+v", set, i, x, y)
				}
			}
		}
		if there.First == nil || there.Equal != back.Equal {
			t.Errorf("%s: %+v, %d and %d messages are equal", set, there.First, there.Equal, back.Equal)
		}
	}
}

// Goal: the earliest difference is told, though it is known later: an attempt is told when it ends. Method:
// two runs told by hand; in the first window one message is answered later in the second run; an attempt that
// began before that ends in the third window, on another queue.
func TestDiffFindsTheEarliest(t *testing.T) {
	sc := loaded(t, hand)
	d := newDiffer(sc, sc)
	ms := func(n int64) sim.Time { return sim.Time(n * int64(sim.Millisecond)) }
	attempt := func(side int8, number uint64, began, ended sim.Time, queue int32) {
		d.take(fact{happening: happensAttempt, number: number, n: 1}, telling{
			side: side, began: began, at: ended, queue: strategy.Queue{ID: queue},
		})
	}
	for side := range int8(2) {
		d.sides[side].flying[messageID{0, 7}] = ms(100)
		attempt(side, 1, ms(10), ms(20), 0)
		attempt(side, 2, ms(500), ms(600+int64(side)), 0)
	}
	d.until = ms(1000)
	d.closeWindow()
	if d.first == nil || d.first.at != ms(600) || d.first.what != result.DiffTime || d.settled() {
		t.Fatalf("%+v", d.first)
	}
	attempt(0, 7, ms(100), ms(2500), 0)
	d.until = ms(3000)
	d.closeWindow()
	attempt(1, 7, ms(100), ms(3100), 3)
	if d.first.at != ms(100) || d.first.what != result.DiffQueue || d.decision.fact.number != 7 {
		t.Errorf("%+v", d.first)
	}
	if text := d.words(d.first); text.A != "to a, queue 0, at 0.100000s" ||
		text.B != "to a, queue 3, at 0.100000s" {
		t.Errorf("%+v", text)
	}
	// The other run answers a message without the attempt that this one made.
	d = newDiffer(sc, sc)
	d.take(fact{happening: happensAttempt, number: 9, n: 2}, telling{side: 0, began: ms(50), at: ms(60)})
	d.take(fact{happening: happensAnswer, number: 9}, telling{side: 1, began: ms(55), at: ms(55), attempts: 1})
	if d.decision == nil || d.decision.what != result.DiffAttempt || d.decision.at != ms(50) {
		t.Errorf("%+v", d.decision)
	}
	// Or it answered before.
	d = newDiffer(sc, sc)
	d.take(fact{happening: happensAnswer, number: 9}, telling{side: 1, began: ms(55), at: ms(55), attempts: 1})
	d.take(fact{happening: happensAttempt, number: 9, n: 2}, telling{side: 0, began: ms(50), at: ms(60)})
	if d.decision == nil || d.decision.what != result.DiffAttempt {
		t.Errorf("%+v", d.decision)
	}
}

func TestDiffOfTheIncomparable(t *testing.T) {
	a := loaded(t, hand)
	if err := Comparable(a, loaded(t, hand, "seed=4")); err == nil {
		t.Error("two seeds are comparable")
	}
	if err := Comparable(a, hanging(t, "5.3.3")); err == nil {
		t.Error("other producer groups are comparable")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Diff(ctx, a, a, [2]string{}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
