package experiment

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/sim"
	"simrun/strategy"
)

func TestWindowWidth(t *testing.T) {
	for _, tt := range []struct{ run, want sim.Duration }{
		{5 * sim.Millisecond, sim.Millisecond},
		{1 * sim.Second, 10 * sim.Millisecond},
		{10 * sim.Second, 100 * sim.Millisecond},
		{59 * sim.Second, 500 * sim.Millisecond},
		{60 * sim.Second, 1 * sim.Second},
		{480 * sim.Second, 1 * sim.Second},
		{800 * sim.Second, 1 * sim.Second},
		{801 * sim.Second, 2 * sim.Second},
		{1 * sim.Hour, 5 * sim.Second},
		{24 * sim.Hour, 2 * sim.Minute},
		{365 * 24 * sim.Hour, 24 * sim.Hour},
		{100 * 365 * 24 * sim.Hour, 46 * 24 * sim.Hour},
	} {
		if got := windowWidth(tt.run); got != tt.want {
			t.Errorf("a run of %v has windows of %v, want %v", tt.run, got, tt.want)
		}
	}
}

// Goal: no run has more than maxWindows, and each has one.
func TestWindowsAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := sim.Duration(rapid.Int64Range(1, 1<<62).Draw(t, "run"))
		if n := (run-1)/windowWidth(run) + 1; n < 1 || n > maxWindows {
			t.Fatalf("%v has %d windows", run, n)
		}
	})
}

// Goal: outcomes of a window sum to the messages answered in it, and what is lost later leaves the
// successes of its own window. Method: the random lives of the test of phases; the account is asked
// for the same sums.
func TestWindowsSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		f := must(newFold(testScenario(cfg), 10*sim.Second))
		f.world = noWorld{}
		a := newAccount(&cfg)
		a.world = f.world
		for _, ev := range drawLives(t, &cfg) {
			for f.windows.end <= ev.at && f.windows.open < len(f.windows.list)-1 {
				f.closeWindow()
			}
			ev.tell(tee{f, a})
		}
		for f.windows.open < len(f.windows.list) {
			f.closeWindow()
		}
		checkWindows(t, f, a)
	})
}

func checkWindows(t *rapid.T, f *fold, a *account) {
	for _, w := range f.windows.series(sim.Time(a.cfg.Duration)).Windows {
		var n, ok, retried, weaker, handed, failed, lost, slowest int64
		for _, e := range a.list {
			// What happens at the end of the run is in its last window.
			if e.answer == nil || min(int64(e.answer.At)/10e9, 9) != w.FromNS/10e9 {
				continue
			}
			weight := a.weight(&e.m)
			n += weight
			slowest = max(slowest, int64(e.answer.At-e.m.Scheduled))
			switch {
			case e.answer.Result.Status == 0:
				failed += weight
			case e.answer.Result.Status == strategy.StatusHanded:
				handed += weight
			case gone(e.fate):
				lost += weight
			case e.answer.Result.Status != strategy.StatusSendOK:
				weaker += weight
			case e.answer.Attempts > 1:
				retried += weight
			default:
				ok += weight
			}
		}
		if w.N != n || w.OK != ok || w.OKRetry != retried || w.Weaker != weaker || w.Failed != failed ||
			w.Lost != lost || w.Handed != handed {
			t.Fatalf("window at %v: %+v, want %d answered: %d ok, %d retried, %d weaker, %d handed over, "+
				"%d failed, %d lost", ns(w.FromNS), w, n, ok, retried, weaker, handed, failed, lost)
		}
		if w.MaxNS != slowest || w.P99NS > slowest || w.P50NS > w.P95NS || w.P95NS > w.P99NS {
			t.Fatalf("window at %v: %+v, slowest %v", ns(w.FromNS), w, slowest)
		}
	}
}
