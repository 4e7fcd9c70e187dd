package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// noWorld is a world in which nothing happens.
type noWorld struct{ now sim.Time }

func (w noWorld) RunUntil(sim.Time) error { return nil }
func (w noWorld) Now() sim.Time           { return w.now }
func (w noWorld) Events() uint64          { return 0 }
func (w noWorld) Avoiding(_, _ int) int   { return 0 }
func (w noWorld) Routed(_, _ int) int     { return 0 }
func (w noWorld) Ledger() model.Ledger    { return model.Ledger{} }
func (w noWorld) Check() error            { return nil }

// TopicOf: groups of several topics take turns.
func (w noWorld) TopicOf(m *model.Message) int { return int(m.Number & 1) }

func (w noWorld) Settling(int, uint64) bool { return false }

func (w noWorld) Load(int) model.Load { return model.Load{} }
func (w noWorld) Exposure(int) model.Exposure {
	return model.Exposure{}
}

// shortScenario is a busy run of some seconds with a fault in it.
func shortScenario(seed uint64) *scenarios.Scenario {
	cfg := testConfig("5.3.3", 3)
	cfg.Seed = seed
	cfg.Duration, cfg.Warmup = 20*sim.Second, 2*sim.Second
	cfg.Faults = []config.Fault{fault("cut", config.PowerLoss, 5*sim.Second, 8*sim.Second, master(1))}
	sc := testScenario(cfg)
	sc.Expectations = []scenarios.Expectation{
		atLeast(expectation("success_rate", "all"), 0.5),
		atMost(expectation("latency_p99", "recovery.cut"), 1e9),
	}
	return sc
}

// bytesOf is everything a run left, for comparison.
func bytesOf(t *testing.T, run *result.Run) string {
	t.Helper()
	a, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal([]any{run.Series, run.Spectra, run.Sample.Sends, run.Isolations})
	if err != nil {
		t.Fatal(err)
	}
	return string(a) + string(b)
}

// Goal: a run is a function of the scenario and its seed. Method: twice the same, byte by byte, and
// one with another seed.
func TestSameSeedSameRun(t *testing.T) {
	first := must(Run(t.Context(), shortScenario(1), Options{}))
	again := must(Run(t.Context(), shortScenario(1), Options{}))
	other := must(Run(t.Context(), shortScenario(2), Options{}))
	if bytesOf(t, first) != bytesOf(t, again) {
		t.Error("the second run differs from the first")
	}
	if first.Digest == other.Digest {
		t.Error("another seed has the same digest")
	}
	if first.Digest == strings.Repeat("0", 16) || len(first.Digest) != 16 {
		t.Errorf("digest %q", first.Digest)
	}
}

// Goal: what is shown of a whole run holds together.
func TestRunAddsUp(t *testing.T) {
	run := must(Run(t.Context(), shortScenario(3), Options{}))
	if !run.Complete || run.Verdict != result.Passed {
		t.Errorf("complete %v, verdict %v: %+v", run.Complete, run.Verdict, run.Expectations)
	}
	stats := map[string]result.Stats{}
	var phases int64
	for _, s := range run.Stats {
		if s.Messages != s.OK+s.OKStatus+s.Failed+s.InFlight {
			t.Errorf("%s %s: %d messages by answer", s.Phase, s.Dim, s.Messages)
		}
		if s.Messages != s.NeverStored+s.AtRisk+s.Durable+s.Stranded+s.Lost {
			t.Errorf("%s %s: %d messages by fate", s.Phase, s.Dim, s.Messages)
		}
		if s.Dim == result.DimAll {
			stats[s.Phase] = s
			if s.Phase != result.PhaseAll {
				phases += s.Messages
			}
		}
	}
	all := stats[result.PhaseAll]
	if phases != run.Ledger.Sent || all.Messages != phases-stats[result.PhaseWarmup].Messages {
		t.Errorf("%d in phases, %d in all, %d sent", phases, all.Messages, run.Ledger.Sent)
	}
	var answered, sends int64
	for _, w := range run.Series.Windows {
		answered += w.N
		for _, n := range w.Sends {
			sends += n
		}
	}
	attempts := int64(0)
	share := 0.0
	for _, b := range run.Brokers {
		if b.Phase != result.PhaseAll {
			attempts += b.Attempts
		} else {
			share += b.Share
		}
	}
	inFlight := all.InFlight + stats[result.PhaseWarmup].InFlight
	if answered != run.Ledger.Sent-inFlight || sends != attempts || share < 0.999 || share > 1.001 {
		t.Errorf("%d answered in windows, %d sends, %d attempts, shares of %v",
			answered, sends, attempts, share)
	}
}

// Goal: an interrupted run is readable and says so. Method: interrupt it half way.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sc := shortScenario(1)
	half := sc.Config.Duration / 2
	run := must(Run(ctx, sc, Options{Progress: func(p Progress) {
		if p.At >= half {
			cancel()
		}
	}}))
	if run.Complete || run.SimulatedNS != int64(half) || run.Verdict != result.Undecided {
		t.Errorf("complete %v, simulated %v, verdict %v", run.Complete, run.SimulatedNS, run.Verdict)
	}
	if got := len(run.Series.Windows); got != 50 {
		t.Errorf("%d windows of 200 ms in 10 s", got)
	}
	for _, f := range run.Faults {
		if !f.Began || f.Effects[0].Return.Reached != 0 {
			t.Errorf("%+v", f)
		}
	}
	whole := must(Run(t.Context(), shortScenario(1), Options{}))
	a, b := answeredOK(run.Series.Windows[:40]), answeredOK(whole.Series.Windows[:40])
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("what was simulated before the interrupt differs from the whole run")
	}
}

// answeredOK counts lost messages as the successes that they were when they were answered: what
// becomes of them can happen after an interrupt.
func answeredOK(windows []result.Window) []result.Window {
	out := slices.Clone(windows)
	for i := range out {
		out[i].OK += out[i].OKRetry + out[i].Lost
		out[i].OKRetry, out[i].Lost = 0, 0
	}
	return out
}

// Goal: progress tells the simulated time, in order, up to the end.
func TestProgress(t *testing.T) {
	var at []sim.Duration
	var last Progress
	must(Run(t.Context(), shortScenario(1), Options{Progress: func(p Progress) {
		at, last = append(at, p.At), p
	}}))
	if !slices.IsSorted(at) || len(at) != 100 || last.At != last.Duration ||
		last.Phase != "recovery.cut" || last.Messages < 7000 || last.Events < 3*7000 {
		t.Errorf("%d reports, last %+v", len(at), last)
	}
}

// brokenWorld is a world with a bug in one place.
type brokenWorld struct {
	noWorld
	runUntil, check error
	panics          any
	ledger          model.Ledger
}

func (w brokenWorld) RunUntil(sim.Time) error {
	if w.panics != nil {
		panic(w.panics)
	}
	return w.runUntil
}
func (w brokenWorld) Check() error         { return w.check }
func (w brokenWorld) Ledger() model.Ledger { return w.ledger }

// Goal: a bug in the core ends in an error with the place and the seed, never in a crash.
func TestInternalErrors(t *testing.T) {
	boom := errors.New("boom")
	for name, w := range map[string]brokenWorld{
		"time stands still": {runUntil: &sim.Runaway{At: 7, Count: 8}},
		"invariant":         {check: boom},
		"panic":             {panics: "boom"},
		"panic with error":  {panics: boom},
		"lost message":      {ledger: model.Ledger{Sent: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			w.now = sim.Time(3 * sim.Second)
			r := &runner{sc: shortScenario(9)}
			r.make = func(config.Config, model.Observer) world { return w }
			run, err := r.guarded(t.Context())
			var bug *InternalError
			if run != nil || !errors.As(err, &bug) {
				t.Fatalf("run %v, error %v", run, err)
			}
			if bug.Seed != 9 || bug.At != w.now || bug.Scenario != "test" || bug.Cause == nil {
				t.Errorf("%+v", bug)
			}
			if (bug.Stack != nil) != (w.panics != nil) {
				t.Error("a panic, and nothing else, has a stack")
			}
			if !strings.Contains(err.Error(), "seed 9, at 3s") {
				t.Error(err)
			}
		})
	}
}

// Goal: the number of workers changes nothing. Method: the same seeds with one and with eight.
func TestWorkersChangeNothing(t *testing.T) {
	seeds := []uint64{5, 1, 4, 2}
	runAll := func(workers int) string {
		var b bytes.Buffer
		err := RunAll(t.Context(), Seeds(withSeeds(), seeds), workers, func(i int, run *result.Run) error {
			fmt.Fprintln(&b, i, run.Seed, bytesOf(t, run))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one, eight := runAll(1), runAll(8)
	if one != eight {
		t.Error("results differ")
	}
	for i, seed := range seeds {
		if !strings.Contains(one, fmt.Sprintf("\n%d %d ", i, seed)) && i > 0 {
			t.Errorf("seed %d is not number %d", seed, i)
		}
	}
}

// withSeeds is a quick scenario that package scenarios has loaded, so that it has a WithSeed.
func withSeeds() *scenarios.Scenario {
	return must(scenarios.Load("quickstart", scenarios.Options{Set: []string{"duration=25s"}}))
}

// jobs makes n jobs that report where they are.
func jobs(n int, progress func(job int)) []Job {
	out := make([]Job, n)
	for i := range out {
		out[i] = Job{Scenario: shortScenario(uint64(i)), Options: Options{
			Progress: func(Progress) { progress(i) },
		}}
	}
	return out
}

// Goal: the first error in the order of the list is the one returned, after what is before it.
func TestFirstErrorWins(t *testing.T) {
	list := jobs(6, func(job int) {
		if job == 2 || job == 4 {
			panic(fmt.Sprint("bug in ", job))
		}
	})
	for range 3 {
		var done []int
		err := RunAll(t.Context(), list, 3, func(job int, _ *result.Run) error {
			done = append(done, job)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "bug in 2") || !slices.Equal(done, []int{0, 1}) {
			t.Errorf("done %v, error %v", done, err)
		}
	}
}

// Goal: an error of done ends it.
func TestDoneFails(t *testing.T) {
	full := errors.New("disk full")
	calls := 0
	err := RunAll(t.Context(), jobs(5, func(int) {}), 2, func(job int, _ *result.Run) error {
		calls++
		if job == 1 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || calls != 2 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

// Goal: what is kept is kept by whoever made it, before it is handed over; a panic there is a bug like
// any other.
func TestKeep(t *testing.T) {
	list := jobs(4, func(int) {})
	kept := make([]bool, len(list))
	for i := range list {
		list[i].Keep = func(run *result.Run) {
			if kept[i] = run.Seed == uint64(i); i == 2 {
				panic("no paint")
			}
		}
	}
	var done []int
	err := RunAll(t.Context(), list, 2, func(job int, _ *result.Run) error {
		if done = append(done, job); !kept[job] {
			t.Errorf("run %d was not kept", job)
		}
		return nil
	})
	var bug *InternalError
	if !errors.As(err, &bug) || bug.Seed != 2 || bug.Stack == nil || !slices.Equal(done, []int{0, 1}) {
		t.Errorf("done %v, error %v", done, err)
	}
}

// Goal: an interrupt keeps what is finished and what is under way, and leaves out the rest.
func TestInterruptMany(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	reports := map[int]int{}
	list := jobs(5, func(job int) {
		mu.Lock()
		defer mu.Unlock()
		if reports[job]++; job == 1 && reports[job] == 3 {
			cancel()
		}
	})
	var complete []bool
	err := RunAll(ctx, list, 1, func(_ int, run *result.Run) error {
		complete = append(complete, run.Complete)
		return nil
	})
	if err != nil || !slices.Equal(complete, []bool{true, false}) {
		t.Errorf("%v, error %v", complete, err)
	}
}
