package experiment

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// account is the fold done the slow way: it keeps every message, and sorts them into phases by the
// words of the definition when it is asked.
type account struct {
	model.NopObserver
	cfg    *config.Config
	phases []result.Phase
	list   []*entry
	index  map[[2]uint64]*entry
	tries  []model.Attempt
	now    sim.Time
	// world knows the topics of messages.
	world interface{ TopicOf(m *model.Message) int }
}

type entry struct {
	m      model.Message
	fate   model.Fate
	copies int64
	answer *model.Answer
}

func newAccount(cfg *config.Config) *account {
	return &account{cfg: cfg, phases: testPhases(cfg), index: map[[2]uint64]*entry{}}
}

func (a *account) of(m *model.Message) *entry { return a.index[[2]uint64{uint64(m.Group), m.Number}] }

func (a *account) Scheduled(m *model.Message) {
	a.now = m.Scheduled
	e := &entry{m: *m}
	a.list = append(a.list, e)
	a.index[[2]uint64{uint64(m.Group), m.Number}] = e
}

func (a *account) Answered(x *model.Answer) {
	a.now = x.At
	answer := *x
	a.of(&x.Message).answer = &answer
}

func (a *account) AttemptEnded(x *model.Attempt) {
	a.now = x.Ended
	a.tries = append(a.tries, *x)
}

func (a *account) CopyStored(c *model.Copy) {
	a.now = c.At
	a.of(&c.Message).copies = int64(c.Number)
}

func (a *account) FateChanged(c *model.FateChange) {
	a.now = c.At
	a.of(&c.Message).fate = c.To
}

// phaseOf is the definition: the phase of the intended send time, but the last fault that began while
// the message was in flight.
func (a *account) phaseOf(e *entry, now sim.Time) string {
	if e.answer != nil {
		return a.phaseOfSpan(e.m.Scheduled, e.answer.At)
	}
	return a.phaseOfSpan(e.m.Scheduled, now)
}

// phaseOfSpan is the phase of what began at one time and ended, or has lasted, until another.
func (a *account) phaseOfSpan(from, until sim.Time) string {
	phase, began := a.owner(from), sim.Time(-1)
	for i, f := range a.cfg.Faults {
		at := sim.Time(f.At)
		inFlight := from < at && at <= until
		if inFlight && at >= began && f.At >= a.cfg.Warmup {
			phase, began = result.FaultPrefix+a.cfg.Faults[i].Name, at
		}
	}
	return phase
}

// owner is the phase that owns an instant. The end of the run is no stretch of its own: it is who owned the
// instant before it, even of a fault that ends with the run.
func (a *account) owner(at sim.Time) string {
	at = min(at, sim.Time(a.cfg.Duration)-1)
	if at < sim.Time(a.cfg.Warmup) {
		return result.PhaseWarmup
	}
	name, began := "", sim.Duration(-1)
	for _, f := range a.cfg.Faults {
		active := f.At <= sim.Duration(at) && (f.Duration == 0 || sim.Duration(at) < f.At+f.Duration)
		if active && f.At >= began {
			name, began = result.FaultPrefix+f.Name, f.At
		}
	}
	if name != "" {
		return name
	}
	since := int64(-1)
	for _, p := range a.phases {
		inside := p.FromNS <= int64(at) && int64(at) < p.ToNS
		if inside && p.Name != result.PhaseAll && !p.IsFault() && p.FromNS >= since {
			name, since = p.Name, p.FromNS
		}
	}
	return name
}

// key names a phase with a group and a topic.
func (a *account) key(phase string, m *model.Message) string {
	topic := a.cfg.Producers[m.Group].Topics[0].Name
	if len(a.cfg.Producers[m.Group].Topics) > 1 {
		topic = a.cfg.Topics[a.world.TopicOf(m)].Name
	}
	return fmt.Sprintf("%s/%d/%s", phase, m.Group, topic)
}

// tally is what the account and the fold must agree on, for one phase, group and topic.
type tally struct {
	InFlight, OK, Handed, Failed             [fates]int64
	OKStatus, OKFirst, FirstFailed, Attempts int64
	Extra, Latencies, Mean, Max              int64
	Exceptions                               map[failure]int64 // n is 0
	Statuses                                 [statuses]int64
	FirstTook, FirstTookMax                  int64
	Retries, Waits, WaitMean, WaitMax        int64
	Resends, Resent                          int64
	TriedOK, TriedFailed, TriedMax           int64
}

// tallies sorts the messages told so far, as of now.
func (a *account) tallies(now sim.Time) map[string]*tally {
	out, sums, waits := map[string]*tally{}, map[string]int64{}, map[string]int64{}
	of := func(key string) *tally {
		if out[key] == nil {
			out[key] = &tally{Exceptions: map[failure]int64{}}
		}
		return out[key]
	}
	for i := range a.tries {
		x := &a.tries[i]
		t := of(a.key(a.phaseOfSpan(x.Began, x.Ended), &x.Message))
		if n := a.weight(&x.Message); succeeded(x.Outcome) {
			t.TriedOK += n
		} else {
			t.TriedFailed += n
		}
		t.TriedMax = max(t.TriedMax, int64(x.Ended-x.Began))
	}
	for _, e := range a.list {
		key := a.key(a.phaseOf(e, now), &e.m)
		t := of(key)
		n := a.weight(&e.m)
		t.Extra += n * max(0, e.copies-1)
		if e.answer == nil {
			t.InFlight[e.fate] += n
			continue
		}
		r, ns := e.answer.Result, int64(e.answer.At-e.m.Scheduled)
		t.Latencies += n
		sums[key] += n * ns
		t.Mean = sums[key] / t.Latencies
		t.Max = max(t.Max, ns)
		t.Attempts += n * int64(e.answer.Attempts)
		t.Retries += n * max(0, int64(e.answer.Attempts-1-e.answer.Resends))
		t.Resends += n * int64(e.answer.Resends)
		t.Resent += n * int64(min(1, e.answer.Resends))
		wait := int64(e.answer.Began - e.m.Scheduled)
		t.Waits += n
		waits[key] += n * wait
		t.WaitMean, t.WaitMax = waits[key]/t.Waits, max(t.WaitMax, wait)
		if e.answer.Attempts != 1 || r.Status == strategy.StatusNone {
			t.FirstFailed += n
			if e.answer.Attempts > 0 {
				t.FirstTook += n
				t.FirstTookMax = max(t.FirstTookMax, int64(e.answer.First))
			}
		}
		t.answer(e, n)
	}
	return out
}

// answer counts what the caller was told.
func (t *tally) answer(e *entry, n int64) {
	r := e.answer.Result
	switch r.Status {
	case strategy.StatusNone:
		t.Failed[e.fate] += n
		t.Exceptions[failure{exception: r.Exception, code: r.Code}] += n
		return
	case strategy.StatusHanded:
		t.Handed[e.fate] += n
		return
	case strategy.StatusSendOK:
		if e.answer.Attempts == 1 {
			t.OKFirst += n
		}
	default:
		t.OKStatus += n
	}
	t.Statuses[r.Status] += n
	t.OK[e.fate] += n
}

// weight is how many messages a send carries.
func (a *account) weight(m *model.Message) int64 {
	return int64(max(1, a.cfg.Producers[m.Group].Batch))
}

// foldTallies reads the same from a fold; empty ones are left out.
func foldTallies(f *fold) map[string]*tally {
	out := map[string]*tally{}
	for i := range f.leaves {
		l := &f.leaves[i]
		answers, waits := &l.times[result.SampleAnswers], &l.times[result.SampleWaits]
		first, tries := &l.times[result.SampleFirstFailed], l.sample(result.SampleAttempts)
		if l.messages() == 0 && tries.n() == 0 {
			continue
		}
		slot := f.slots.list[i%len(f.slots.list)]
		caught := map[failure]int64{}
		for _, x := range l.failures {
			caught[failure{exception: x.exception, code: x.code}] += x.n
		}
		phase := f.cursor.phases[i/len(f.slots.list)].Name
		out[fmt.Sprintf("%s/%d/%s", phase, slot.group, f.cfg.Topics[slot.topic].Name)] = &tally{
			InFlight: l.inFlight, OK: l.ok, Handed: l.handed, Failed: l.failed,
			OKStatus: l.okStatus(), OKFirst: l.okFirst, FirstFailed: l.firstFailed,
			Attempts: l.attempts, Extra: l.extra + l.extraInFlight, Latencies: answers.n(),
			Mean: answers.mean(), Max: answers.max, Exceptions: caught, Statuses: l.statuses,
			Retries: l.retries, Resends: l.resends, Resent: l.resent, Waits: waits.n(),
			WaitMean: waits.mean(), WaitMax: waits.max,
			TriedOK:     l.times[result.SampleAttemptsOK].n(),
			TriedFailed: l.times[result.SampleAttemptsFailed].n(), TriedMax: tries.max,
			FirstTook: first.n(), FirstTookMax: first.max,
		}
	}
	return out
}

// tee tells two observers.
type tee struct{ a, b model.Observer }

func (t tee) Scheduled(m *model.Message)      { t.a.Scheduled(m); t.b.Scheduled(m) }
func (t tee) AttemptEnded(m *model.Attempt)   { t.a.AttemptEnded(m); t.b.AttemptEnded(m) }
func (t tee) Answered(m *model.Answer)        { t.a.Answered(m); t.b.Answered(m) }
func (t tee) FateChanged(m *model.FateChange) { t.a.FateChanged(m); t.b.FateChanged(m) }
func (t tee) TableChanged(m *model.TableChange) {
	t.a.TableChanged(m)
	t.b.TableChanged(m)
}
func (t tee) Probed(m *model.ProbeEnd)          { t.a.Probed(m); t.b.Probed(m) }
func (t tee) RouteChanged(m *model.RouteChange) { t.a.RouteChanged(m); t.b.RouteChanged(m) }
func (t tee) Process(m *model.ProcessEvent)     { t.a.Process(m); t.b.Process(m) }
func (t tee) CopyStored(m *model.Copy)          { t.a.CopyStored(m); t.b.CopyStored(m) }

// Goal: the counters of every phase and producer group are exact at every instant, whatever the
// faults. Method: random lives of messages, told to the fold and to the account, compared at random
// instants and at the end.
func TestPhasesHoldEveryMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		f := must(newFold(testScenario(cfg), sim.Second))
		f.windows.end = sim.Never // windows have a test of their own
		f.world = noWorld{}
		a := newAccount(&cfg)
		a.world = f.world
		tell := tee{f, a}
		for _, ev := range drawLives(t, &cfg) {
			ev.tell(tell)
			if ev.look {
				now := max(ev.at, f.cursor.since)
				if diff := cmp.Diff(a.tallies(now), foldTallies(f)); diff != "" {
					t.Fatalf("at %v (-account +fold):\n%s", now, diff)
				}
			}
		}
		f.advance(sim.Time(cfg.Duration))
		if diff := cmp.Diff(a.tallies(sim.Time(cfg.Duration)), foldTallies(f)); diff != "" {
			t.Fatalf("at the end (-account +fold):\n%s", diff)
		}
	})
}

// drawConfig draws two groups, one of which sends batches to two topics, and up to four faults, which may
// overlap and begin together.
func drawConfig(t *rapid.T) config.Config {
	cfg := testConfig("5.3.3", 2)
	cfg.Producers = append(cfg.Producers, cfg.Producers[0])
	cfg.Producers[1].Name, cfg.Producers[1].Batch = "q", 3
	cfg.Topics = append(cfg.Topics, cfg.Topics[0])
	cfg.Topics[1].Name = "bills"
	cfg.Producers[1].Topics = append(config.OneTopic("orders"), config.OneTopic("bills")...)
	cfg.Duration = 100 * sim.Second
	cfg.Warmup = sim.Duration(rapid.IntRange(0, 30).Draw(t, "warmup")) * sim.Second
	for i := range rapid.IntRange(0, 4).Draw(t, "faults") {
		at := sim.Duration(rapid.IntRange(0, 99).Draw(t, "at")) * sim.Second
		d := sim.Duration(rapid.IntRange(0, 60).Draw(t, "for")) * sim.Second
		cfg.Faults = append(cfg.Faults,
			fault(fmt.Sprintf("f%d", i), config.PowerLoss, at, d, master(i%2)))
	}
	return cfg
}

// event is something a world tells its observer.
type event struct {
	at   sim.Time
	tell func(model.Observer)
	look bool
}

// drawLives draws messages with everything that can become of them, in order of time.
func drawLives(t *rapid.T, cfg *config.Config) []event {
	var out []event
	add := func(at sim.Time, tell func(model.Observer)) {
		if at <= sim.Time(cfg.Duration) {
			look := rapid.IntRange(0, 9).Draw(t, "look") == 0
			out = append(out, event{at: at, tell: tell, look: look})
		}
	}
	for i := range rapid.IntRange(1, 25).Draw(t, "messages") {
		drawLife(t, uint64(i), add)
	}
	slices.SortStableFunc(out, func(a, b event) int { return int(a.at - b.at) })
	return out
}

// drawLife draws the life of one message: half-second steps, so that it meets faults exactly.
func drawLife(t *rapid.T, number uint64, add func(sim.Time, func(model.Observer))) {
	step := func(from, to int, what string) sim.Duration {
		return sim.Duration(rapid.IntRange(from, to).Draw(t, what)) * sim.Second / 2
	}
	m := &model.Message{Group: int32(rapid.IntRange(0, 1).Draw(t, "group")), Number: number}
	m.Scheduled = sim.Time(step(0, 199, "scheduled"))
	fate, copies := model.NeverStored, int32(0)
	try := &model.Attempt{Message: *m, Try: 1, Began: m.Scheduled.Add(step(0, 3, "began"))}
	try.Ended = try.Began.Add(step(0, 20, "took"))
	if rapid.Bool().Draw(t, "fails") {
		try.Outcome.Kind = strategy.OutcomeTimeout
	}
	add(try.Ended, func(o model.Observer) { o.AttemptEnded(try) })
	a := &model.Answer{Message: *m, At: m.Scheduled.Add(step(1, 80, "latency"))}
	a.Began = min(a.At, m.Scheduled.Add(step(0, 3, "wait")))
	a.Attempts = int32(rapid.IntRange(1, 3).Draw(t, "attempts"))
	a.Resends = int32(rapid.IntRange(0, int(a.Attempts)-1).Draw(t, "resends"))
	a.Result.Status = rapid.SampledFrom([]strategy.Status{
		strategy.StatusNone, strategy.StatusSendOK, strategy.StatusFlushDiskTimeout, strategy.StatusHanded,
	}).Draw(t, "status")
	if a.Result.Status == strategy.StatusNone {
		a.Attempts-- // no route: no attempt
		a.Result.Exception = strategy.Exception(rapid.IntRange(1, 3).Draw(t, "exception"))
	}
	add(m.Scheduled, func(o model.Observer) { o.Scheduled(m) })
	add(a.At, func(o model.Observer) {
		a.Fate, a.Copies = fate, copies
		m.AnsweredAt = a.At
		o.Answered(a)
	})
	for at, n := m.Scheduled, rapid.IntRange(0, 5).Draw(t, "steps"); n > 0; n-- {
		at = at.Add(step(1, 60, "pause"))
		if rapid.Bool().Draw(t, "copy") {
			add(at, func(o model.Observer) {
				copies++
				o.CopyStored(&model.Copy{Message: *m, Number: copies, At: at})
			})
			continue
		}
		to := model.Fate(rapid.IntRange(0, fates-1).Draw(t, "fate"))
		add(at, func(o model.Observer) {
			c := model.FateChange{Message: *m, At: at, From: fate, To: to}
			if m.AnsweredAt > 0 {
				c.Answered, c.Attempts = true, a.Attempts
				c.OK, c.Status = acknowledged(a.Result.Status), a.Result.Status
			}
			fate = to
			o.FateChanged(&c)
		})
	}
}

// Goal: the same for the real world, with real faults. Method: a world with overlapping faults of
// every kind, looked at every five seconds.
func TestPhasesHoldTheModelsMessages(t *testing.T) {
	cfg := testConfig("4.9.8", 3)
	cfg.Duration = 90 * sim.Second
	cfg.Producers[0].Rate = 800
	cfg.Producers = append(cfg.Producers, cfg.Producers[0])
	cfg.Producers[1].Name, cfg.Producers[1].Rate = "q", 100
	cfg.Topics = append(cfg.Topics, config.Topic{Name: "bills", WriteQueueNums: 2, Brokers: []string{"b", "c"}})
	cfg.Producers[1].Topics = []config.TopicShare{{Name: "bills", Weight: 2}, {Name: "orders"}}
	cfg.Producers[1].Batch = 5
	cfg.Producers[1].Settings.SendLatencyFaultEnable = false
	cfg.Faults = []config.Fault{
		fault("stop", config.Pause, 10*sim.Second, 6*sim.Second, master(0)),
		fault("cut", config.PowerLoss, 12*sim.Second, 30*sim.Second, master(1)),
		fault("shot", config.Kill, 30*sim.Second, 20*sim.Second, master(0), master(2)),
		fault("slow", config.Slow, 60*sim.Second, 10*sim.Second, master(2)),
	}
	cfg.Faults[3].Factor = 50
	a := newAccount(&cfg)
	r := &runner{sc: testScenario(cfg)}
	r.make = func(cfg config.Config, obs model.Observer) world { return model.New(cfg, tee{a, obs}) }
	if err := r.build(); err != nil {
		t.Fatal(err)
	}
	a.world = r.world
	w := &r.fold.windows
	for w.open < len(w.list) {
		if err := r.world.RunUntil(w.end - 1); err != nil {
			t.Fatal(err)
		}
		now := r.world.Now()
		r.fold.advance(now)
		if w.open%5 != 0 && w.open < len(w.list)-1 {
			r.fold.closeWindow()
			continue
		}
		if diff := cmp.Diff(a.tallies(now), foldTallies(r.fold)); diff != "" {
			t.Fatalf("at %v (-account +fold):\n%s", now, diff)
		}
		ledger := r.world.Ledger()
		if err := r.fold.check(&ledger); err != nil {
			t.Fatalf("at %v: %v", now, err)
		}
		r.fold.closeWindow()
	}
	checkRowsSum(t, r.fold.stats(), r.world.Ledger())
}

// checkRowsSum checks that the rows of the groups, and those of the topics, sum to the row of all
// messages of their phase, and those of all phases to the ledger.
func checkRowsSum(t *testing.T, stats []result.Stats, ledger model.Ledger) {
	t.Helper()
	columns := func(s *result.Stats) []int64 {
		return []int64{
			s.Messages, s.OK, s.OKStatus, s.Handed, s.Failed, s.InFlight, s.Attempts, s.AttemptLatency.N,
			s.NeverStored, s.AtRisk, s.Durable, s.Stranded, s.Lost, s.AckedLost, s.ExtraCopies,
		}
	}
	sums := map[string][]int64{}
	var sent int64
	for i := range stats {
		s := &stats[i]
		if s.Dim == result.DimAll && s.Phase != result.PhaseAll {
			sent += s.Messages
		}
		key := fmt.Sprintf("%s by %s", s.Phase, s.Dim)
		if sums[key] == nil {
			sums[key] = make([]int64, len(columns(s)))
		}
		for k, n := range columns(s) {
			sums[key][k] += n
		}
	}
	if sent != ledger.Sent {
		t.Errorf("phases hold %d messages, the ledger %d", sent, ledger.Sent)
	}
	for i := range stats {
		for _, dim := range []result.Dimension{result.DimProducer, result.DimTopic} {
			key := fmt.Sprintf("%s by %s", stats[i].Phase, dim)
			if got := sums[key]; stats[i].Dim == result.DimAll && !slices.Equal(got, columns(&stats[i])) {
				t.Errorf("%s: %v, of all %v", key, got, columns(&stats[i]))
			}
		}
	}
}
