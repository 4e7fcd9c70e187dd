package experiment

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
	"simrun/strategy"
)

func metric(name string) result.Metric {
	m, ok := result.LookupMetric(name)
	if !ok {
		panic("no metric " + name)
	}
	return m
}

// expectation of a metric in a phase, without limits.
func expectation(name, phase string) scenarios.Expectation {
	return scenarios.Expectation{
		Name: "e", Metric: metric(name), Fault: -1, Broker: -1, Producer: -1, Topic: -1, Phase: phase,
	}
}

func atMost(e scenarios.Expectation, x float64) scenarios.Expectation {
	e.Max = &x
	return e
}

func atLeast(e scenarios.Expectation, x float64) scenarios.Expectation {
	e.Min = &x
	return e
}

// judged is a fold with expectations that was told some messages of given latencies, all sent at the
// start of the phase "before" and answered in it.
func judged(list []scenarios.Expectation, latencies []int64) *judge {
	cfg := testConfig("5.3.3", 4)
	cfg.Duration, cfg.Warmup = sim.Hour, 0
	f := must(newFold(testScenario(cfg), sim.Second))
	f.windows.end = sim.Never
	j := newJudge(f, list)
	t := new(teller)
	for i, d := range latencies {
		t.tell(f, 0, uint64(i), sim.Duration(d))
	}
	return j
}

// decide is the finding of one expectation on messages of given latencies.
func decide(e scenarios.Expectation, latencies []int64) result.Expectation {
	return judged([]scenarios.Expectation{e}, latencies).judge(0, sim.Time(sim.Hour), true)
}

// repeat is n times low, then m times high.
func repeat(n int, low int64, m int, high int64) []int64 {
	return append(slices.Repeat([]int64{low}, n), slices.Repeat([]int64{high}, m)...)
}

// Goal: the rule of decisions on quantiles, at its very edge. Method: 1,000 messages, so that at most
// ten may lie above the 99th percentile.
func TestQuantileAtItsEdge(t *testing.T) {
	p99, limit := expectation("latency_p99", "before"), float64(sim.Second)
	const quick, at, above = int64(sim.Millisecond), int64(sim.Second), int64(sim.Second) + 1
	for _, tt := range []struct {
		name      string
		e         scenarios.Expectation
		latencies []int64
		want      result.Verdict
		actual    float64
	}{
		{"ten above", atMost(p99, limit), repeat(990, quick, 10, above), result.Passed, 1000447},
		{"eleven above", atMost(p99, limit), repeat(989, quick, 11, above), result.Failed, limit + 1},
		{"all at the limit", atMost(p99, limit), repeat(0, 0, 1000, at), result.Passed, limit},
		{"989 below", atLeast(p99, limit), repeat(989, quick, 11, at), result.Passed, limit},
		{"990 below", atLeast(p99, limit), repeat(990, quick, 10, at), result.Failed, 1000447},
		{"half a nanosecond", atMost(p99, limit-0.5), repeat(0, 0, 1000, at), result.Failed, limit},
		{"both limits", atLeast(atMost(p99, limit), limit), repeat(0, 0, 1000, at), result.Passed, limit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := decide(tt.e, tt.latencies)
			if got.Verdict != tt.want || got.Actual == nil || *got.Actual != tt.actual {
				t.Errorf("%v, actual %v (%s), want %v, %v",
					got.Verdict, deref(got.Actual), got.Reason, tt.want, tt.actual)
			}
		})
	}
}

func deref(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// Goal: a quantile is undecided with fewer than 10/(1-q) answered messages, and not with as many.
func TestQuantileNeedsMessages(t *testing.T) {
	for name, need := range map[string]int{
		"latency_p50": 20, "latency_p95": 200, "latency_p99": 1000, "latency_p999": 10000,
	} {
		e := atMost(expectation(name, "before"), 1e9)
		if got := decide(e, repeat(need-1, 5, 0, 0)); got.Verdict != result.Undecided {
			t.Errorf("%s of %d messages: %v", name, need-1, got.Verdict)
		}
		if got := decide(e, repeat(need, 5, 0, 0)); got.Verdict != result.Passed {
			t.Errorf("%s of %d messages: %v: %s", name, need, got.Verdict, got.Reason)
		}
	}
}

// Goal: the verdict is that of the exact nearest-rank quantile, and the value shown agrees with the
// verdict and with the quantile to three digits. Method: sort the latencies.
func TestQuantileIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		latencies := rapid.SliceOfN(rapid.Int64Range(1, 1<<40), 20, 60).Draw(t, "latencies")
		i := rapid.IntRange(0, len(latencies)-1).Draw(t, "limit is near")
		limit := float64(latencies[i]) + rapid.Float64Range(-2, 2).Draw(t, "off by")
		e := expectation("latency_p50", "all")
		isMax := rapid.Bool().Draw(t, "max")
		if isMax {
			e = atMost(e, limit)
		} else {
			e = atLeast(e, limit)
		}
		got := decide(e, latencies)
		slices.Sort(latencies)
		exact := float64(latencies[(len(latencies)+1)/2-1])
		want := result.Failed
		if isMax && exact <= limit || !isMax && exact >= limit {
			want = result.Passed
		}
		if got.Verdict != want {
			t.Fatalf("%v of exact %v, want %v (%s)", got.Verdict, exact, want, got.Reason)
		}
		shown := *got.Actual
		if math.Abs(shown-exact) > exact/1000+1 {
			t.Fatalf("shown %v, exact %v", shown, exact)
		}
		if agrees := compare(&e, shown, "").verdict; agrees != want {
			t.Fatalf("shown %v looks %v, verdict is %v (exact %v, limit %v)",
				shown, agrees, want, exact, limit)
		}
	})
}

// Goal: limits are inclusive, and an empty window decides nothing.
func TestLimitsAreInclusive(t *testing.T) {
	for _, tt := range []struct {
		e    scenarios.Expectation
		want result.Verdict
	}{
		{atMost(expectation("messages", "before"), 3), result.Passed},
		{atMost(expectation("messages", "before"), 2), result.Failed},
		{atLeast(expectation("messages", "before"), 3), result.Passed},
		{atLeast(expectation("messages", "before"), 4), result.Failed},
		{atMost(expectation("latency_max", "before"), 3), result.Passed},
		{atMost(expectation("latency_max", "before"), 2.9), result.Failed},
		{atMost(expectation("latency_mean", "before"), 2), result.Passed},
		{atMost(expectation("latency_mean", "before"), 1.99), result.Failed},
		{atLeast(expectation("success_rate", "before"), 1), result.Passed},
		{atMost(expectation("success_rate", "before"), 0.999), result.Failed},
		{atMost(expectation("attempts_per_message", "before"), 1), result.Passed},
		{atLeast(expectation("first_attempt_success_rate", "before"), 1), result.Passed},
		{atMost(expectation("lost", "before"), 0), result.Passed},
	} {
		if got := decide(tt.e, []int64{1, 2, 3}); got.Verdict != tt.want {
			t.Errorf("%s: %v, actual %v", got.Metric, got.Verdict, deref(got.Actual))
		}
		if tt.e.Metric.Name == "messages" {
			continue
		}
		if got := decide(tt.e, nil); got.Verdict != result.Undecided || got.Actual != nil {
			t.Errorf("%s of no message: %v", got.Metric, got.Verdict)
		}
	}
}

// Goal: a registered metric is a measured one. Method: ask for each of them.
func TestEveryMetricIsMeasured(t *testing.T) {
	cfg := testConfig("5.3.3", 2)
	cfg.Faults = []config.Fault{fault("cut", config.Pause, 10*sim.Second, 10*sim.Second, master(0))}
	var list []scenarios.Expectation
	for _, m := range result.Metrics() {
		e := atLeast(expectation(m.Name, "all"), 0)
		switch m.Scope {
		case result.ScopeBroker:
			e.Broker = 0
		case result.ScopeFault, result.ScopeRecovery:
			e.Fault, e.Phase = 0, ""
		}
		list = append(list, e)
		if !m.Scope.OfFault() {
			e.Phase, e.From, e.To = "", sim.Time(20*sim.Second), sim.Time(50*sim.Second)
			list = append(list, e)
		}
	}
	sc := testScenario(cfg)
	sc.Expectations = list
	run := must(Run(t.Context(), sc, Options{}))
	for _, e := range run.Expectations {
		if e.Verdict == result.Failed || e.Verdict == "" {
			t.Errorf("%s is %q below 0 (%s)", e.Metric, e.Verdict, e.Reason)
		}
	}
}

// Goal: a window of its own holds the messages scheduled from its start up to, not including, its
// end, and the attempts that began in it, whatever phases say.
func TestWindowsOfTheirOwn(t *testing.T) {
	e := expectation("messages", "")
	e.From, e.To = 10, 20
	p := expectation("latency_max", "")
	p.From, p.To = 10, 20
	share := expectation("broker_share", "")
	share.From, share.To, share.Broker = 10, 20, 1
	share = atLeast(share, 0)
	list := []scenarios.Expectation{atLeast(e, 0), atLeast(p, 0), share}
	j := judged(list, nil)
	tell := new(teller)
	for i, at := range []sim.Time{9, 10, 19, 20} {
		tell.tell(j.fold, at, uint64(i), sim.Duration(100+i)) // number i goes to broker i%4
	}
	for i, want := range []float64{2, 102, 0.5} {
		if got := j.judge(i, sim.Time(sim.Hour), true); deref(got.Actual) != want {
			t.Errorf("%s is %v, want %v", got.Metric, deref(got.Actual), want)
		}
	}
}

// Goal: an expectation counts the producer groups it names, and no others.
func TestGroups(t *testing.T) {
	cfg := testConfig("5.3.3", 2)
	cfg.Topics = append(cfg.Topics, config.Topic{Name: "bills", WriteQueueNums: 4})
	cfg.Producers = append(cfg.Producers, cfg.Producers[0], cfg.Producers[0])
	cfg.Producers[2].Topics = config.OneTopic("bills")
	f := must(newFold(testScenario(cfg), sim.Second))
	byProducer := atLeast(expectation("messages", "warm-up"), 0)
	byProducer.Producer = 1
	byTopic := atLeast(expectation("messages", "warm-up"), 0)
	byTopic.Topic = 0
	j := newJudge(f, []scenarios.Expectation{byProducer, byTopic})
	for group, n := range []int{1, 2, 4} {
		for range n {
			f.Scheduled(&model.Message{Group: int32(group)})
		}
	}
	for i, want := range []float64{2, 3} {
		if got := j.judge(i, 1, true); deref(got.Actual) != want {
			t.Errorf("expectation %d counts %v messages, want %v", i, deref(got.Actual), want)
		}
	}
}

// Goal: each rule for a "time to". Method: a fault from 20 s to 50 s in a run of 100 s, two instances,
// of which i0 (and in some cases i1) avoids and returns in time.
func TestTimeTo(t *testing.T) {
	sec := func(x float64) float64 { return x * float64(sim.Second) }
	for _, tt := range []struct {
		name    string
		metric  string
		both    bool // both instances do it
		end     sim.Duration
		min     float64 // < 0: none
		max     float64 // < 0: none
		want    result.Verdict
		actual  float64 // NaN: none, +Inf: infinite
		members bool
	}{
		{"in time", "time_to_avoid", true, 100, -1, sec(3), result.Passed, sec(3), true},
		{"too late", "time_to_avoid", true, 100, -1, sec(2.9), result.Failed, sec(3), true},
		{"too early", "time_to_avoid", true, 100, sec(3.1), -1, result.Failed, sec(3), true},
		{"late enough", "time_to_avoid", true, 100, sec(3), -1, result.Passed, sec(3), true},
		{
			"one never did, the limit is over", "time_to_avoid", false, 100, -1, sec(79), result.Failed,
			math.Inf(1), true,
		},
		{
			"one never did, the limit is not over", "time_to_avoid", false, 100, -1, sec(81),
			result.Undecided, math.NaN(), true,
		},
		{
			"one was too late, the other never did", "time_to_avoid", false, 100, -1, sec(2),
			result.Failed, math.Inf(1), true,
		},
		{
			"one never did, and should not soon", "time_to_avoid", false, 100, sec(60), -1, result.Passed,
			math.Inf(1), true,
		},
		{
			"one never did, too short to tell", "time_to_avoid", false, 100, sec(90), -1,
			result.Undecided, math.NaN(), true,
		},
		{
			"the fault did not begin", "time_to_avoid", true, 15, -1, sec(4), result.Undecided,
			math.NaN(), true,
		},
		{
			"the fault did not end", "time_to_return", true, 45, -1, sec(4), result.Undecided,
			math.NaN(), true,
		},
		{"back in time", "time_to_return", true, 100, -1, sec(10), result.Passed, sec(10), true},
		{
			"not back, the limit is not over", "time_to_return", true, 55, -1, sec(10), result.Undecided,
			math.NaN(), true,
		},
		{
			"not back, the limit is over", "time_to_return", true, 58, -1, sec(7), result.Failed,
			math.Inf(1), true,
		},
		{
			"nobody sends there", "time_to_avoid", true, 100, -1, sec(4), result.Undecided,
			math.NaN(), false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := scenarios.Expectation{Metric: metric(tt.metric), Broker: -1, Producer: -1, Topic: -1}
			if tt.min >= 0 {
				e.Min = &tt.min
			}
			if tt.max >= 0 {
				e.Max = &tt.max
			}
			got := timeTo(e, tt.both, tt.members, tt.end*sim.Second)
			actual := deref(got.Actual)
			if got.Infinite {
				actual = math.Inf(1)
			}
			same := actual == tt.actual || math.IsNaN(actual) && math.IsNaN(tt.actual)
			if got.Verdict != tt.want || !same {
				t.Errorf("%v, actual %v (%s), want %v, %v",
					got.Verdict, actual, got.Reason, tt.want, tt.actual)
			}
		})
	}
}

// timeTo tells the run of TestTimeTo and decides e at its end.
func timeTo(e scenarios.Expectation, both, members bool, end sim.Duration) result.Expectation {
	cfg := testConfig("5.3.3", 2)
	cfg.Duration, cfg.Warmup = 100*sim.Second, 0
	cfg.Producers[0].Count = 2
	if !members {
		cfg.Topics[0].Brokers = []string{"b"}
	}
	cfg.Faults = []config.Fault{fault("cut", config.Pause, 20*sim.Second, 30*sim.Second, master(0))}
	f := must(newFold(testScenario(cfg), sim.Second))
	j := newJudge(f, []scenarios.Expectation{e})
	at := func(s float64, tell func(at sim.Time)) {
		if now := sim.Time(s * float64(sim.Second)); now <= sim.Time(end) {
			tell(now)
		}
	}
	isolate := func(instance int32, from, until float64) {
		at(from, func(now sim.Time) {
			c := &model.TableChange{At: now, Instance: instance, Until: sim.Time(until * float64(sim.Second))}
			c.After.Start = strategy.Millis(until * 1000)
			f.TableChanged(c)
		})
	}
	isolate(0, 22, 40)
	if both {
		isolate(1, 23, 60)
	}
	at(50, func(now sim.Time) {
		f.Process(&model.ProcessEvent{At: now, What: model.FaultEnded, Target: master(0)})
	})
	f.advance(sim.Time(end))
	f.faults.closeAll(sim.Time(end))
	return j.judge(0, sim.Time(end), true)
}

// Goal: a run that was interrupted decides nothing, and a skipped expectation has no verdict.
func TestNoVerdict(t *testing.T) {
	e := atMost(expectation("messages", "before"), 0)
	j := judged([]scenarios.Expectation{e}, []int64{1, 2})
	if got := j.judge(0, 5, false); got.Verdict != result.Undecided || deref(got.Actual) != 2 {
		t.Errorf("interrupted: %v, %v", got.Verdict, deref(got.Actual))
	}
	e.Skipped = true
	if got := decide(e, []int64{1}); got.Verdict != "" || !got.Skipped {
		t.Errorf("skipped: %q", got.Verdict)
	}
}

// Goal: failed beats undecided beats passed; what was skipped does not count.
func TestOverall(t *testing.T) {
	const p, f, u = result.Passed, result.Failed, result.Undecided
	for _, tt := range []struct {
		list []result.Verdict
		want result.Verdict
	}{
		{nil, result.NoExpectations},
		{[]result.Verdict{""}, result.NoExpectations},
		{[]result.Verdict{p}, p},
		{[]result.Verdict{"", p}, p},
		{[]result.Verdict{p, u, p}, u},
		{[]result.Verdict{u, p}, u},
		{[]result.Verdict{p, u, f, p}, f},
		{[]result.Verdict{f, u}, f},
	} {
		var list []result.Expectation
		for _, v := range tt.list {
			list = append(list, result.Expectation{Verdict: v, Skipped: v == ""})
		}
		if got := overall(list); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.list, got, tt.want)
		}
	}
}

// Goal: times of attempts and waits for a thread are decided by counting, as latencies are, and only
// over those that the metric names. Method: 1,000 messages of one failed and one good attempt, of
// which 10 or 11 waited for a second.
func TestAttemptsAndWaitsAreCounted(t *testing.T) {
	const second = int64(sim.Second)
	limit := float64(sim.Second) - 1
	list := []scenarios.Expectation{
		atMost(expectation("thread_wait_p99", "before"), limit),
		atMost(expectation("attempt_latency_p50", "before"), 100), // half of them
		atMost(expectation("ok_attempt_latency_p99", "before"), 100),
		atLeast(expectation("failed_attempt_latency_p50", "before"), 200),
		atMost(expectation("thread_wait_max", "before"), limit),
		atMost(expectation("failed_attempt_latency_mean", "before"), 200),
		atLeast(atMost(expectation("effective_retries", "before"), 1), 1),
	}
	for _, tt := range []struct {
		waiting int
		want    result.Verdict
	}{{10, result.Passed}, {11, result.Failed}} {
		cfg := testConfig("5.3.3", 2)
		cfg.Duration, cfg.Warmup = sim.Hour, 0
		f := must(newFold(testScenario(cfg), sim.Second))
		f.windows.end = sim.Never
		j := newJudge(f, list)
		for i := range 1000 {
			tellTwoAttempts(f, uint64(i), i < tt.waiting)
		}
		for i, want := range []result.Verdict{
			tt.want, result.Passed, result.Passed, result.Passed, result.Failed, result.Passed, result.Passed,
		} {
			if got := j.judge(i, sim.Time(sim.Hour), true); got.Verdict != want {
				t.Errorf("%d wait: %s is %v: %v (%s)", tt.waiting, got.Metric, got.Verdict,
					deref(got.Actual), got.Reason)
			}
		}
		s := f.sumOf("before", func(slot) bool { return true }).stats()
		if s.ThreadWait.MeanNS != int64(tt.waiting)*second/1000 || s.AttemptLatency.N != 2000 {
			t.Errorf("mean wait %d of %d attempts", s.ThreadWait.MeanNS, s.AttemptLatency.N)
		}
	}
}

// tellTwoAttempts tells a message that fails after 200 ns and is stored 100 ns later, after a wait of
// a second for a thread, or none.
func tellTwoAttempts(f *fold, number uint64, waits bool) {
	m := model.Message{Number: number}
	f.Scheduled(&m)
	began := sim.Time(0)
	if waits {
		began = sim.Time(sim.Second)
	}
	first := model.Attempt{Message: m, Try: 1, Began: began, Ended: began + 200}
	first.Outcome.Kind = strategy.OutcomeTimeout
	f.AttemptEnded(&first)
	f.AttemptEnded(&model.Attempt{Message: m, Try: 2, Began: began + 200, Ended: began + 300})
	f.Answered(&model.Answer{
		Message: m, Began: began, At: began + 300, Attempts: 2, First: 200,
		FirstOutcome: strategy.OutcomeTimeout, Result: strategy.Result{Status: strategy.StatusSendOK},
	})
}

// Reasons are for people, who read "1 016 of 575 849" in every other text, too ("Numbers in the text, JSON,
// figures and HTML are the same").
func TestReasonsGroupThousands(t *testing.T) {
	got := words("%v of %v above %v, %v may be", 1016, int64(575849), ns(1_200_000_000), int64(-1000))
	if want := "1 016 of 575 849 above 1.2s, -1 000 may be"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
