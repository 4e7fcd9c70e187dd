package experiment

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Goal: the laws of docs/results.md on availability[]. Method: the random lives of the test of phases.
func TestAvailabilityLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		f := must(newFold(testScenario(cfg), sim.Second))
		f.windows.end = sim.Never
		f.world = noWorld{}
		a := newAccount(&cfg)
		a.world = f.world
		for _, ev := range drawLives(t, &cfg) {
			ev.tell(tee{f, a})
		}
		f.advance(sim.Time(cfg.Duration))
		f.availability.finish(sim.Time(cfg.Duration))
		f.endStreaks(sim.Time(cfg.Duration))
		rows := f.availabilityResults()
		lengths := a.ownedTime()
		for i := range rows {
			checkExperience(t, &rows[i], lengths[rows[i].Phase])
		}
		checkAnswered(t, rows, a)
	})
}

// checkExperience checks one row, of a phase that owns so much time.
func checkExperience(t *rapid.T, r *result.Availability, length sim.Duration) {
	most := int64(length)
	if r.LongestNS > r.OutageNS || r.OutageNS > most || r.WorstNS > most ||
		(r.OutageNS > 0) != (r.Outages > 0) ||
		(r.WorstInstance == "") != (r.WorstNS == 0) || r.WorstNS < r.LongestNS {
		t.Fatalf("of %v: %+v", length, r)
	}
	var before result.Below
	for _, b := range r.Below {
		if b.Level <= before.Level || b.NS < before.NS || b.LongestNS < before.LongestNS ||
			b.LongestNS > b.NS || b.NS > most {
			t.Fatalf("time below levels is not rising: %+v", r)
		}
		before = b
	}
	// A second in which a stretch without success begins has a failure, and so is below 99.9 % of less than
	// 1,000 answers; the one in which it ends may be as good as it likes.
	if slack := int64(sim.Second) * (r.Failed + 1); r.OutageNS > before.NS+slack {
		t.Fatalf("outages are longer than the time below %v: %+v", before.Level, r)
	}
}

// checkAnswered checks that phases, groups and topics split the answered messages.
func checkAnswered(t *rapid.T, rows []result.Availability, a *account) {
	want := map[string]cell{}
	for _, e := range a.list {
		if e.answer == nil {
			continue
		}
		n := a.weight(&e.m)
		for _, phase := range []string{a.owner(e.answer.At), result.PhaseAll} {
			if phase == result.PhaseAll && e.answer.At < sim.Time(a.cfg.Warmup) {
				continue
			}
			c := want[phase]
			c.answered += n
			if e.answer.Result.Status == strategy.StatusNone {
				c.failed += n
			}
			want[phase] = c
		}
	}
	for _, dim := range []result.Dimension{result.DimAll, result.DimProducer, result.DimTopic} {
		got := map[string]cell{}
		for _, r := range rows {
			if r.Dim == dim && r.Answered > 0 {
				c := got[r.Phase]
				got[r.Phase] = cell{c.answered + r.Answered, c.failed + r.Failed}
			}
		}
		for phase := range want {
			if got[phase] != want[phase] {
				t.Fatalf("%s by %s: %+v, want %+v", phase, dim, got[phase], want[phase])
			}
		}
	}
}

// ownedTime is how much of the run each phase owns.
func (a *account) ownedTime() map[string]sim.Duration {
	out := map[string]sim.Duration{result.PhaseAll: a.cfg.Duration - a.cfg.Warmup}
	for at := sim.Time(0); at < sim.Time(a.cfg.Duration); at = at.Add(sim.Second) {
		out[a.owner(at)] += sim.Second // everything in drawConfig is whole seconds
	}
	return out
}

// Goal: balance is what a designer would call it: 1 and 0 if all are alike, and about shares, not counts.
func TestUnevenness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(0, 1e6), 1, 50).Draw(t, "counts")
		even, ok := evenness(counts)
		if !ok {
			if slices.Max(counts) > 0 {
				t.Fatal("counts without a balance")
			}
			return
		}
		n := float64(len(counts))
		if even.maxOverMean < 1 || even.maxOverMean > n || even.cv < 0 || even.cv > n {
			t.Fatalf("%+v of %d", even, len(counts))
		}
		same := slices.Min(counts) == slices.Max(counts)
		if (even.cv == 0) != same || (even.maxOverMean == 1) != same {
			t.Fatalf("%+v of %v", even, counts)
		}
		twice := slices.Clone(counts)
		for i := range twice {
			twice[i] *= 2
		}
		slices.Reverse(twice)
		again, _ := evenness(twice)
		if !alike(again.cv, even.cv) || !alike(again.maxOverMean, even.maxOverMean) {
			t.Fatalf("twice as many: %+v, not %+v", again, even)
		}
	})
}

func alike(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// livelyConfig is a small world in which a lot goes wrong: two groups, two topics, overlapping faults.
func livelyConfig() config.Config {
	cfg := testConfig("4.9.8", 3)
	cfg.Duration = 50 * sim.Second
	cfg.Producers = append(cfg.Producers, cfg.Producers[0])
	cfg.Producers[1].Name, cfg.Producers[1].Rate, cfg.Producers[1].Batch = "q", 100, 5
	cfg.Topics = append(cfg.Topics, config.Topic{Name: "bills", WriteQueueNums: 2, Brokers: []string{"b", "c"}})
	cfg.Producers[1].Topics = []config.TopicShare{{Name: "bills", Weight: 2}, {Name: "orders"}}
	cfg.Faults = []config.Fault{
		fault("stop", config.Pause, 10*sim.Second, 6*sim.Second, master(0)),
		fault("cut", config.PowerLoss, 12*sim.Second, 20*sim.Second, master(1)),
		fault("shot", config.Kill, 25*sim.Second, 10*sim.Second, master(0), master(2)),
	}
	return cfg
}

// Goal: what is counted twice agrees: queues and instances with brokers and messages, windows with phases.
func TestCountsAgree(t *testing.T) {
	cfg := livelyConfig()
	run := must(Run(t.Context(), testScenario(cfg), Options{}))
	sent, avoided := map[string]int64{}, map[string]int64{}
	for _, q := range run.Queues {
		sent[q.Phase+" "+q.Broker] += q.Sent
	}
	instances := map[string]result.InstanceCount{}
	for _, x := range run.Instances {
		sum := instances[x.Phase+" "+x.Producer]
		sum.Messages += x.Messages
		sum.Failed += x.Failed
		sum.Attempts += x.Attempts
		sum.AvoidedNS += x.AvoidedNS
		instances[x.Phase+" "+x.Producer] = sum
	}
	fallbacks := int64(0)
	for _, b := range run.Brokers {
		if got := sent[b.Phase+" "+b.Name]; got != b.Attempts-b.Unsent {
			t.Errorf("%s: queues of %s got %d attempts, the broker %d", b.Phase, b.Name, got, b.Attempts-b.Unsent)
		}
		avoided[b.Phase] += b.AvoidedNS
		if b.Phase == result.PhaseAll || b.Phase == result.PhaseWarmup {
			fallbacks += b.Fallbacks
		}
	}
	for _, s := range run.Stats {
		checkAttemptCounts(t, &s)
		if s.Dim != result.DimProducer {
			continue
		}
		want := result.InstanceCount{
			Messages: s.Answered(), Failed: s.Failed, Attempts: s.Attempts, AvoidedNS: *s.AvoidedNS,
		}
		if got := instances[s.Phase+" "+s.Name]; got != want {
			t.Errorf("%s: instances of %s: %+v, want %+v", s.Phase, s.Name, got, want)
		}
	}
	var scheduled, windowFallbacks int64
	for _, w := range run.Series.Windows {
		scheduled += w.Scheduled
		windowFallbacks += w.Fallbacks
	}
	if scheduled != run.Ledger.Sent || windowFallbacks != fallbacks || fallbacks == 0 {
		t.Errorf("windows: %d scheduled of %d, %d fallbacks of %d", scheduled, run.Ledger.Sent, windowFallbacks,
			fallbacks)
	}
}

func checkAttemptCounts(t *testing.T, s *result.Stats) {
	var n, attempts int64
	for k, c := range s.AttemptCounts {
		n += c
		attempts += int64(k) * c
	}
	if n != s.Answered() || attempts != s.Attempts {
		t.Errorf("%s %s%s: %v are %d messages with %d attempts, not %d with %d", s.Phase, s.Dim, s.Name,
			s.AttemptCounts, n, attempts, s.Answered(), s.Attempts)
	}
}

// Goal: the time that attempts are under way is booked to the windows in which they were. Method: attempts
// of known lengths over windows of a second.
func TestInFlight(t *testing.T) {
	cfg := testConfig("5.3.3", 2)
	cfg.Duration = 5 * sim.Second
	f := must(newFold(testScenario(cfg), sim.Second))
	f.world = noWorld{}
	tell := func(broker int32, from, to sim.Duration, unsent bool) {
		for f.windows.end <= sim.Time(to) && f.windows.open < len(f.windows.list)-1 {
			f.closeWindow()
		}
		f.AttemptEnded(&model.Attempt{
			Queue: strategy.Queue{Broker: strategy.Broker(broker)}, Began: sim.Time(from), Ended: sim.Time(to),
			Unsent: unsent,
		})
	}
	tell(0, 500*sim.Millisecond, 750*sim.Millisecond, false)
	tell(0, 800*sim.Millisecond, 3*sim.Second, false)
	tell(1, 3*sim.Second, 3500*sim.Millisecond, false)
	tell(1, 3*sim.Second, 3500*sim.Millisecond, true) // never sent: it is no load
	tell(1, 4900*sim.Millisecond, 5*sim.Second, false)
	for f.windows.open < len(f.windows.list) {
		f.closeWindow()
	}
	want := [][2]float64{{0.45, 0}, {1, 0}, {1, 0}, {0, 0.5}, {0, 0.1}}
	for i, w := range f.windows.series(sim.Time(cfg.Duration)).Windows {
		if got := [2]float64{w.Brokers[0].InFlight, w.Brokers[1].InFlight}; got != want[i] {
			t.Errorf("window %d: %v in flight, want %v", i, got, want[i])
		}
	}
}
