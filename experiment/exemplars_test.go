package experiment

import (
	"fmt"
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

// lives notes all that happened to each message, as an exemplar has it.
type lives struct {
	model.Observer
	sc     *scenarios.Scenario
	run    *runner
	of     map[messageID]*life
	extras map[string]int64 // copies after the warm-up, by reason
}

// life is one message: what it came to.
type life struct {
	result.Exemplar
	model.Message
	phase        int
	acked, extra bool
	loss         model.Loss
}

func (l *lives) at(m *model.Message) *life { return l.of[messageID{m.Group, m.Number}] }

func (l *lives) Scheduled(m *model.Message) {
	l.Observer.Scheduled(m)
	x := &life{Message: *m}
	x.Fate, x.Answer = model.NeverStored.String(), inFlightAnswer
	l.of[messageID{m.Group, m.Number}] = x
}

func (l *lives) Answered(a *model.Answer) {
	l.Observer.Answered(a)
	x := l.at(&a.Message)
	took := int64(a.At - a.Scheduled)
	x.LatencyNS, x.Answer, x.Attempts = &took, answerText(a.Result), int(a.Attempts)
	x.acked = acknowledged(a.Result.Status)
	x.phase = l.run.fold.cursor.of(a.Scheduled, a.At)
}

func (l *lives) CopyStored(c *model.Copy) {
	l.Observer.CopyStored(c)
	x := l.at(&c.Message)
	x.Copies = int(c.Number)
	if c.Number > 1 {
		x.extra = true
		if sim.Duration(c.Scheduled) >= l.sc.Config.Warmup {
			l.extras[result.ExtraWords(c.GaveUp.String(), c.Late)]++
		}
	}
}

func (l *lives) FateChanged(c *model.FateChange) {
	l.Observer.FateChanged(c)
	x := l.at(&c.Message)
	x.Fate, x.loss = c.To.String(), c.Loss
	if x.Copies != int(c.Copies) {
		panic(fmt.Sprintf("%d copies, the change says %d", x.Copies, c.Copies))
	}
}

// lived makes a run and notes the lives of all its messages.
func lived(t *testing.T, sc *scenarios.Scenario) (*result.Run, *lives) {
	t.Helper()
	l := &lives{sc: sc, of: map[messageID]*life{}, extras: map[string]int64{}}
	l.run = &runner{sc: sc}
	l.run.make = func(cfg config.Config, obs model.Observer) world {
		l.Observer = obs
		return model.New(cfg, l)
	}
	return must(l.run.whole(t.Context())), l
}

// kindsOf are the kinds of which a message is one, with its reason in each.
func (l *lives) kindsOf(x *life) map[string]string {
	out := map[string]string{}
	if sim.Duration(x.Scheduled) < l.sc.Config.Warmup {
		return out
	}
	loss := ""
	if x.loss.Cause != model.NotLost {
		loss = result.LossWords(x.loss.Cause.String()) + " on " + l.sc.Config.Brokers[x.loss.Broker].Name
	}
	oneWay := x.Answer == strategy.StatusHanded.String()
	switch {
	case x.acked && loss != "":
		out[result.ExemplarLost] = loss
	case oneWay && loss != "":
		out[result.ExemplarMissed] = loss
	case oneWay && x.Fate == model.NeverStored.String():
		out[result.ExemplarMissed] = "never stored"
	case x.LatencyNS != nil && !x.acked && !oneWay:
		out[result.ExemplarFailed] = x.Answer
	}
	if x.extra {
		out[result.ExemplarDuplicated] = ""
	}
	if x.LatencyNS != nil {
		out[result.ExemplarSlowest] = ""
	}
	return out
}

// troubled are short runs in which messages come to grief, each in a way of its own.
func troubled() map[string]config.Config {
	pause := func(kind config.SendMode) config.Config {
		cfg := testConfig("5.3.3", 2)
		cfg.Duration, cfg.Warmup = 40*sim.Second, 5*sim.Second
		cfg.Faults = []config.Fault{fault("stop", config.Pause, 20*sim.Second, 2*sim.Second, master(0))}
		cfg.Producers[0].Mode = kind
		cfg.Producers[0].Settings.SendMsgMaxTimeoutPerRequest = 500
		return cfg
	}
	cold := pause(config.OneWay)
	cold.Faults[0].Kind = config.PowerLoss
	cold.Brokers[0].Slaves = 0
	return map[string]config.Config{
		"lost": lossy(config.PowerLoss, false), "duplicated": pause(config.Sync), "missed": cold,
		"disk gone": lossy(config.DiskLoss, false),
	}
}

// Goal: an exemplar is what it is said to be at the end of the run, although it was chosen long before; it
// stands for as many as there are; no reason goes without one; and there are at most sixteen (issue 6:
// "exemplars chosen while simulating, bounded"). Method: the lives of all messages, noted beside.
func TestExemplarsAreWhatTheyAreSaidToBe(t *testing.T) {
	for name, cfg := range troubled() {
		t.Run(name, func(t *testing.T) {
			run, l := lived(t, testScenario(cfg))
			like := map[[2]string]int64{}
			for _, x := range l.of {
				for kind, why := range l.kindsOf(x) {
					like[[2]string{kind, why}]++
				}
			}
			if len(run.Exemplars) == 0 || len(run.Exemplars) > mostExemplars {
				t.Errorf("%d exemplars", len(run.Exemplars))
			}
			seen := map[uint64]bool{}
			for _, e := range run.Exemplars {
				x := l.of[messageID{0, e.Message}]
				why, is := l.kindsOf(x)[e.Kind]
				want := x.Exemplar
				want.Kind, want.Phase, want.Producer, want.Message = e.Kind, run.Phases[x.phase].Name, "p", e.Message
				want.ScheduledNS, want.Reason, want.Like = int64(x.Scheduled), why, like[[2]string{e.Kind, why}]
				switch e.Kind {
				case result.ExemplarSlowest:
					want.Like = 1
				case result.ExemplarDuplicated:
					want.Reason, want.Like = e.Reason, l.extras[e.Reason]
				}
				if got, want := fmt.Sprintf("%+v", plain(e)), fmt.Sprintf("%+v", plain(want)); !is || got != want {
					t.Errorf("exemplar %s\nis       %s", got, want)
				}
				if seen[e.Message] {
					t.Errorf("message %d is there twice", e.Message)
				}
				seen[e.Message] = true
			}
			for kind := range like {
				if kind[0] == result.ExemplarDuplicated || kind[0] == result.ExemplarSlowest {
					kind[1] = "*"
				}
				if !slices.ContainsFunc(run.Exemplars, func(e result.Exemplar) bool {
					return e.Kind == kind[0] && (kind[1] == "*" || e.Reason == kind[1])
				}) {
					t.Errorf("no exemplar of %v", kind)
				}
			}
		})
	}
}

// plain is an exemplar without pointers.
func plain(e result.Exemplar) any {
	took := int64(-1)
	if e.LatencyNS != nil {
		took = *e.LatencyNS
	}
	e.LatencyNS = nil
	return struct {
		result.Exemplar
		took int64
	}{e, took}
}

// The slowest message of each phase but the warm-up is among the exemplars, unless it is there for another
// reason; and those of one phase are of different instances.
func TestSlowestOfEachPhase(t *testing.T) {
	cfg := testConfig("5.3.3", 3)
	cfg.Duration, cfg.Warmup = 40*sim.Second, 5*sim.Second
	cfg.Faults = []config.Fault{
		fault("slow", config.Slow, 15*sim.Second, 5*sim.Second, master(0)),
		fault("slower", config.Slow, 30*sim.Second, 5*sim.Second, master(1)),
	}
	cfg.Faults[0].Delay, cfg.Faults[1].Delay = 200*sim.Millisecond, 300*sim.Millisecond
	run, l := lived(t, testScenario(cfg))
	for _, s := range run.Stats {
		if s.Dim != result.DimAll || s.Phase == result.PhaseAll || s.Phase == result.PhaseWarmup {
			continue
		}
		if !slices.ContainsFunc(run.Exemplars, func(e result.Exemplar) bool {
			return e.LatencyNS != nil && *e.LatencyNS == s.Latency.MaxNS && e.Phase == s.Phase
		}) {
			t.Errorf("%s: the message of %v is no exemplar", s.Phase, sim.Duration(s.Latency.MaxNS))
		}
	}
	of := map[string]bool{}
	for _, e := range run.Exemplars {
		if e.Kind != result.ExemplarSlowest {
			continue
		}
		key := fmt.Sprint(e.Phase, " instance ", l.of[messageID{0, e.Message}].Instance)
		if of[key] {
			t.Errorf("two of %s", key)
		}
		of[key] = true
	}
	if len(of) != mostOfKind {
		t.Errorf("%d of the slowest", len(of))
	}
}

// looking is a look at a run of two phases after the warm-up.
func looking() *exemplars {
	cfg := testConfig("5.3.3", 2)
	x := newExemplars(&cfg, []result.Phase{
		{Name: result.PhaseWarmup}, {Name: result.PhaseBefore}, {Name: result.FaultPrefix + "f"},
	})
	return &x
}

// A message that a late copy brings back is no longer lost, and does not count among those that are.
func TestExemplarComesBack(t *testing.T) {
	x := looking()
	l := model.Loss{Cause: model.PageCacheLost, Broker: 1}
	change := func(number uint64, from, to model.Fate) *model.FateChange {
		c := &model.FateChange{
			Message: model.Message{Number: number, AnsweredAt: 5}, From: from, To: to, Answered: true, OK: true,
			Status: strategy.StatusSendOK, Attempts: 1, Copies: 1,
		}
		if gone(from) {
			c.Was = l
		} else {
			c.Loss = l
		}
		return c
	}
	for n := range uint64(3) {
		x.fate(change(n, model.AtRisk, model.Lost), 2, 1)
	}
	x.fate(change(0, model.Lost, model.AtRisk), 2, 1)
	x.fate(change(9, model.AtRisk, model.Lost), 0, 1) // of the warm-up
	x.fate(change(7, model.AtRisk, model.Lost), 2, 1)
	if len(x.list) != fewOfClass || x.list[0].Number != 1 || x.list[1].Number != 7 || x.reasons[0].n != 3 {
		t.Errorf("%+v, %+v", x.list, x.reasons)
	}
}

// However many messages come to grief, few stand by; and a million quick ones leave nothing behind.
func TestExemplarsAreBounded(t *testing.T) {
	x := looking()
	a := &model.Answer{Attempts: 1, Copies: 1, Fate: model.Durable}
	for i := range uint64(200_000) {
		a.Number, a.At, a.Instance = i, sim.Time(i*1000+i%4096), int32(i%4)
		a.Scheduled = sim.Time(i * 1000)
		a.Result, a.Fate, a.Loss = strategy.Result{Status: strategy.StatusSendOK}, model.Durable, model.Loss{}
		switch i % 4 {
		case 1:
			a.Result = strategy.Result{Exception: strategy.MQBrokerException, Code: int(2 + i%3)}
		case 2:
			a.Fate, a.Loss = model.Lost, model.Loss{Cause: model.DiskGone, Broker: int32(i % 2)}
		case 3:
			a.Result.Status, a.Fate = strategy.StatusHanded, model.NeverStored
		}
		x.answered(a, 1+int(i/150_000), 1)
		x.extraCopy(&model.Copy{Message: a.Message, Number: 2, GaveUp: strategy.OutcomeTimeout}, 1, 1)
	}
	for phase := range x.handed {
		if len(x.handed[phase]) > fewHanded || len(x.slowest[phase]) > fewSlowest {
			t.Errorf("phase %d: %d handed, %d slow", phase, len(x.handed[phase]), len(x.slowest[phase]))
		}
	}
	const reasons = 3 + 2 + 1
	if len(x.reasons) > reasons || len(x.list) > reasons*2*fewOfClass {
		t.Errorf("%d reasons, %d stand by", len(x.reasons), len(x.list))
	}
}

// Goal: what is kept for figures costs no memory for each message. Method: a fold that has seen the life of a
// hundred thousand messages is told more of them.
func TestFoldAllocatesNothing(t *testing.T) {
	cfg := benchConfig()
	f := must(newFold(testScenario(cfg), sim.Second))
	f.windows.end = sim.Never
	f.advance(sim.Time(cfg.Warmup))
	tell, now, i := new(teller), sim.Time(cfg.Warmup), uint64(0)
	values := latencies()
	step := func() {
		now += 1000
		tell.tell(f, now, i, sim.Duration(values[i%uint64(len(values))]))
		i++
	}
	for range 100_000 {
		step()
	}
	if got := testing.AllocsPerRun(20_000, step); got > 0 {
		t.Errorf("%v allocations for each message", got)
	}
}

// The stories of the exemplars of a run end as the exemplars say, wherever the run was left for them.
func TestExemplarsHaveStories(t *testing.T) {
	sc := testScenario(troubled()["duplicated"])
	sc.Setup.Producers = []result.SetupProducer{{Name: "p", LatencyMaxNS: make([]int64, 7)}}
	run := must(Run(t.Context(), sc, Options{}))
	stories := must(Stories(t.Context(), sc, run.Exemplars, Options{}))
	if len(stories) != len(run.Exemplars) || len(stories) < 3 {
		t.Fatalf("%d stories of %d exemplars", len(stories), len(run.Exemplars))
	}
	for i, e := range run.Exemplars {
		s := &stories[i]
		if s.Fate != e.Fate || s.Copies != e.Copies || s.Phase != e.Phase || s.ScheduledNS != e.ScheduledNS ||
			*s.AnsweredNS-s.ScheduledNS != *e.LatencyNS {
			t.Errorf("exemplar %+v ends as %s with %d copies in %s", plain(e), s.Fate, s.Copies, s.Phase)
		}
	}
}

// A duplicated message that is in flight learns what its caller is told; of one whose copy comes after that
// the exception is known, and the code, if all that failed with it have the same.
func TestExemplarLearnsItsAnswer(t *testing.T) {
	x := looking()
	m := model.Message{Number: 4}
	x.extraCopy(&model.Copy{Message: m, Number: 2, Attempts: 2, Fate: model.AtRisk}, 1, 1)
	failed := strategy.Result{Exception: strategy.MQClientException, Code: strategy.CodeAccessTimeout}
	x.answered(&model.Answer{
		Message: m, At: 9, Attempts: 3, Copies: 2, Fate: model.Durable, Result: failed,
	}, 2, 1)
	if c := &x.list[0]; c.attempts != 3 || c.phase != 2 || c.fate != model.Durable || c.answer != failed ||
		c.took() != 9 {
		t.Errorf("%+v", c)
	}
	late := model.Copy{
		Message: model.Message{Number: 5, AnsweredAt: 3}, Number: 2, Exception: strategy.MQClientException,
	}
	x.extraCopy(&late, 1, 1)
	c := &x.list[len(x.list)-1]
	if got := x.coded(c.answer); got.Code != failed.Code || got.Exception != failed.Exception {
		t.Errorf("with one code: %+v", got)
	}
	other := strategy.Result{Exception: strategy.MQClientException, Code: 1}
	x.answered(&model.Answer{Message: model.Message{Number: 6}, At: 9, Result: other}, 2, 1)
	if got := x.coded(c.answer); got.Code != 0 || answerText(got) != "MQClientException" {
		t.Errorf("with several: %+v", got)
	}
}
