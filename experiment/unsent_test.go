package experiment

import (
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// refusals is a scenario in which a master hangs and clients refuse retries themselves: none of them has
// time left, up to 5.2.0.
func refusals(t *testing.T) *scenarios.Scenario {
	t.Helper()
	const text = `
seed = 3
duration = "20s"
warmup = "1s"
[broker.a]
[broker.b]
[broker.c]
[topic.orders]
[producer.p]
client = "java-5.2.0"
mode = "async"
count = 2
threads = 8
rate = "100/s"
topic = "orders"
[fault.freeze]
kind = "pause"
target = "b:0"
at = "5s"
duration = "10s"
[expect.load]
metric = "attempts_per_message"
during = "fault.freeze"
max = 1.1
[expect.share]
metric = "broker_share"
broker = "b"
from = "5s"
to = "15s"
max = 0.4
`
	return loaded(t, text)
}

// Goal: attempts that a client gave up before it sent anything are no load: not in the attempts per message,
// the retries, a broker's share or the series; they are among the outcomes all the same. Method: an
// asynchronous client that refuses its retries; attempts are counted apart.
func TestUnsentAttemptsAreNoLoad(t *testing.T) {
	sc := refusals(t)
	w := &unsentWatcher{}
	r := &runner{sc: sc}
	r.make = func(cfg config.Config, obs model.Observer) world {
		w.Observer = obs
		return model.New(cfg, w)
	}
	run := must(r.whole(t.Context()))
	if w.unsent[1] == 0 || w.wrote != 0 {
		t.Fatalf("unsent by broker: %v; of attempts that reached a broker: %d", w.unsent, w.wrote)
	}
	var sends, unsent int64
	for _, win := range run.Series.Windows {
		for _, n := range win.Sends {
			sends += n
		}
	}
	if sends != w.sent {
		t.Errorf("the series has %d attempts, sent were %d", sends, w.sent)
	}
	for _, b := range run.Brokers {
		refused := int64(0)
		for _, c := range b.Outcomes {
			if c.Name == strategy.OutcomeTooMuchRequest.String() {
				refused = c.N
			}
		}
		// A few of those refused had waited for a connection: they tried.
		if b.Unsent > refused || b.Unsent < refused*9/10 {
			t.Errorf("%s, broker %s: %d unsent, %d refused for lack of time", b.Phase, b.Name, b.Unsent, refused)
		}
		if b.Phase == result.PhaseAll {
			unsent += b.Unsent
		}
		if b.Phase == "fault.freeze" && b.Name == "b" && b.Share > 0.35 {
			t.Errorf("%.0f%% of what was sent in the fault went to b", 100*b.Share)
		}
	}
	for _, s := range run.Stats {
		if s.Phase != "fault.freeze" || s.Dim != result.DimAll {
			continue
		}
		// The other retries are of requests that failed with their connection, before their time was over.
		sent := float64(s.Retries - s.UnsentRetries)
		if s.UnsentAttempts < s.FirstFailed/2 || s.UnsentAttempts != s.UnsentRetries ||
			*s.EffectiveRetries != sent/float64(s.FirstFailed) || *s.EffectiveRetries > 0.5 {
			t.Errorf("of messages: %d attempts, %d unsent, %d retries, %d unsent, effective %v, %d failed first",
				s.Attempts, s.UnsentAttempts, s.Retries, s.UnsentRetries, *s.EffectiveRetries, s.FirstFailed)
		}
	}
	for _, e := range run.Expectations {
		if e.Verdict != result.Passed {
			t.Errorf("%s: %s, %s", e.Metric, e.Verdict, e.Reason)
		}
	}
	if unsent == 0 || len(r.fold.unsent) > 100 {
		t.Errorf("%d unsent after the warm-up; %d messages kept", unsent, len(r.fold.unsent))
	}
}

// unsentWatcher counts attempts from the first to the last.
type unsentWatcher struct {
	model.Observer
	sent, wrote int64
	unsent      [3]int64
}

func (w *unsentWatcher) AttemptEnded(a *model.Attempt) {
	w.Observer.AttemptEnded(a)
	switch {
	case !a.Unsent:
		w.sent++
	case a.Ended != a.Began || succeeded(a.Outcome) || a.Outcome.Kind == strategy.OutcomeTimeout:
		w.wrote++ // a refusal takes no time
	default:
		w.unsent[a.Queue.Broker]++
	}
}

// Goal: what tried to connect was sent, though it failed; what knew no address was not. Method: attempts told
// one by one, and their answers.
func TestUnsentAttemptsOfAnswers(t *testing.T) {
	f := must(newFold(testScenario(testConfig("5.3.3", 2)), sim.Second))
	f.windows.end = sim.Never
	m := model.Message{Scheduled: 5 * sim.Time(sim.Second)}
	f.Scheduled(&m)
	try := func(number int32, unsent, again bool, kind strategy.OutcomeKind) {
		f.AttemptEnded(&model.Attempt{
			Message: m, Try: number, Began: m.Scheduled, Ended: m.Scheduled + sim.Time(number), Unsent: unsent,
			Again: again, Outcome: strategy.Outcome{Kind: kind},
		})
	}
	try(1, true, false, strategy.OutcomeBrokerNotExist)
	try(2, false, true, strategy.OutcomeConnectFailed)
	try(3, true, true, strategy.OutcomeTooMuchRequest)
	m.AnsweredAt = m.Scheduled + 9
	f.Answered(&model.Answer{Message: m, Began: m.Scheduled, At: m.AnsweredAt, Attempts: 3, First: 1})
	try(4, true, true, strategy.OutcomeTooMuchRequest) // of an answered message: not in its answer
	l := f.sumOf(result.PhaseAll, f.everySlot)
	if l.attempts != 3 || l.unsent != 2 || l.retries != 2 || l.unsentRetries != 1 || len(f.unsent) != 0 {
		t.Errorf("%d attempts, %d unsent, %d retries, %d unsent, %d kept", l.attempts, l.unsent, l.retries,
			l.unsentRetries, len(f.unsent))
	}
	if err := f.checkUnsent(l); err != nil {
		t.Error(err)
	}
}

// Goal: nothing of an unsent attempt comes to a broker, and what took time for the network was sent. Method:
// producers of every mode beside faults, by release: no copy is of an unsent attempt, and none of those
// ended well.
func TestUnsentAttemptsStoreNothing(t *testing.T) {
	for _, release := range []string{"4.2.0", "4.9.8", "5.2.0", "5.3.0"} {
		w := &copyWatcher{unsent: map[attemptID]bool{}}
		r := &runner{sc: modes(t, release)}
		r.make = func(cfg config.Config, obs model.Observer) world {
			w.Observer = obs
			return model.New(cfg, w)
		}
		must(r.whole(t.Context()))
		for _, id := range w.copies {
			if w.unsent[id] {
				t.Errorf("%s: %+v was stored and never sent", release, id)
			}
		}
		if w.well > 0 || len(w.copies) == 0 {
			t.Errorf("%s: %d attempts never sent ended well, %d copies", release, w.well, len(w.copies))
		}
	}
}

// attemptID names an attempt.
type attemptID struct {
	messageID
	try int32
}

// copyWatcher notes what was stored, and what was never sent.
type copyWatcher struct {
	model.Observer
	unsent map[attemptID]bool
	copies []attemptID
	well   int
}

func (w *copyWatcher) AttemptEnded(a *model.Attempt) {
	w.Observer.AttemptEnded(a)
	if !a.Unsent {
		return
	}
	w.unsent[attemptID{messageID{a.Group, a.Number}, a.Try}] = true
	if succeeded(a.Outcome) || a.Outcome.Kind == strategy.OutcomeBrokerError {
		w.well++
	}
}

func (w *copyWatcher) CopyStored(c *model.Copy) {
	w.Observer.CopyStored(c)
	w.copies = append(w.copies, attemptID{messageID{c.Group, c.Message.Number}, c.Try})
}
