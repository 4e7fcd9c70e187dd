package experiment

import (
	"slices"
	"testing"

	"simrun/internal/result"
	"simrun/model"
	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// Goal: the stretches are all of the time in which tables refused brokers, and each is of a level and the
// duration that belongs to it. Method: whole runs of releases that tell their tables differently; the time
// avoided that brokers count on their own.
func TestIsolationsAreTheTimeAvoided(t *testing.T) {
	for _, release := range []string{"4.9.8", "5.1.4", "5.3.3"} {
		cfg := testConfig(release, 3)
		cfg.Duration, cfg.Warmup = 40*sim.Second, 2*sim.Second
		cfg.Faults = []config.Fault{
			fault("cut", config.PowerLoss, 5*sim.Second, 8*sim.Second, master(1)),
			fault("slow", config.Slow, 20*sim.Second, 10*sim.Second, master(2)),
		}
		cfg.Faults[1].Delay = 300 * sim.Millisecond
		cfg.Producers[0].Settings.StartDetectorEnable = true
		run := must(Run(t.Context(), testScenario(cfg), Options{}))
		avoided := map[string]int64{}
		for _, b := range run.Brokers {
			if b.Phase == result.PhaseAll || b.Phase == result.PhaseWarmup {
				avoided[b.Name] += b.AvoidedNS
			}
		}
		profile := must(strategy.Lookup(release))
		var told, slow int
		for _, x := range run.Isolations {
			avoided[x.Broker] -= min(x.UntilNS, int64(cfg.Duration)) - x.FromNS
			i := slices.Index(profile.LatencyMax, strategy.Millis(x.LevelNS/1e6))
			if i < 0 || millis(profile.NotAvailableDuration[i]) != x.NotAvailableNS || x.NotAvailableNS == 0 {
				t.Errorf("%s: %+v is of no level", release, x)
			}
			if x.Isolated {
				told++
			} else if slow++; x.LatencyNS < x.LevelNS {
				t.Errorf("%s: %+v took less than its level", release, x)
			}
		}
		for name, left := range avoided {
			if left != 0 {
				t.Errorf("%s: %v of the time avoided of %s is in no stretch", release, sim.Duration(left), name)
			}
		}
		if told == 0 || slow == 0 || !slices.ContainsFunc(run.Isolations, func(x result.Isolation) bool {
			return x.Explained
		}) {
			t.Errorf("%s: %d isolations and %d slow answers", release, told, slow)
		}
	}
}

// tableOf makes the changes of one place of a table that is told of attempts.
type tableOf struct {
	policy strategy.Policy
	change model.TableChange
}

// ends tells the table of an attempt, and returns the change.
func (x *tableOf) ends(ms, took strategy.Millis, out strategy.OutcomeKind) *model.TableChange {
	c := &x.change
	c.Before, c.Known = x.policy.Item(0)
	failed := out != strategy.OutcomeOK
	x.policy.Ended(ms, strategy.Ended{Latency: took, Isolation: failed, Reachable: !failed}, nil)
	c.After, _ = x.policy.Item(0)
	c.At, c.ClockMillis = sim.Time(millis(ms)), ms
	c.Until, c.Outcome.Kind = sim.Time(millis(c.After.Start)), out
	return c
}

// A stretch is one as long as its level stays; a fast answer ends it in releases that overwrite, and does
// not in those that extend.
func TestStretchesOfIsolation(t *testing.T) {
	const ok, timeout = strategy.OutcomeOK, strategy.OutcomeTimeout
	type told struct {
		at, took strategy.Millis
		out      strategy.OutcomeKind
	}
	type span struct {
		from, until, level int64 // milliseconds
		isolated           bool
	}
	for _, tt := range []struct {
		name, release string
		told          []told
		want          []span
	}{
		{
			"extended", "5.3.3",
			[]told{{1000, 3000, timeout}, {4000, 3000, timeout}, {20000, 10, ok}},
			[]span{{1000, 14000, 5000, true}},
		},
		{
			"ended by a fast answer", "4.9.8",
			[]told{{1000, 3000, timeout}, {4000, 3, ok}},
			[]span{{1000, 4000, 15000, true}},
		},
		{
			"not ended by a fast answer", "5.3.3",
			[]told{{1000, 3000, timeout}, {4000, 3, ok}},
			[]span{{1000, 11000, 5000, true}},
		},
		{
			"another level", "4.9.8",
			[]told{{1000, 600, ok}, {2000, 1100, ok}, {3000, 1200, ok}},
			[]span{{1000, 2000, 550, false}, {2000, 63000, 1000, false}},
		},
		{
			"over before the next", "5.3.3",
			[]told{{1000, 600, ok}, {9000, 600, ok}},
			[]span{{1000, 3000, 550, false}, {9000, 11000, 550, false}},
		},
		{
			// Both a wait of 5 s and a failure refuse the broker for 10 s: the outcome tells them apart.
			"as slow as a failure", "5.3.3",
			[]told{{1000, 5000, ok}, {20000, 5000, timeout}},
			[]span{{1000, 11000, 5000, false}, {20000, 30000, 5000, true}},
		},
	} {
		profile := must(strategy.Lookup(tt.release))
		cfg := testConfig(tt.release, 1)
		lanes := newIsolations(&cfg)
		table := tableOf{policy: strategy.NewRocketMQ(profile, cfg.Producers[0].Settings, []string{"a"})}
		for _, x := range tt.told {
			c := table.ends(x.at, x.took, x.out)
			lanes.table(c, c.Until > c.At && (!c.Known || c.After.Start != c.Before.Start), true)
		}
		var got []span
		for _, x := range lanes.result() {
			got = append(got, span{x.FromNS / 1e6, x.UntilNS / 1e6, x.LevelNS / 1e6, x.Isolated})
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The list is bounded, and says how many are missing; instances beyond the sixteenth have no part in it.
func TestIsolationsAreBounded(t *testing.T) {
	cfg := testConfig("5.3.3", 1)
	cfg.Producers[0].Count = 20
	lanes := newIsolations(&cfg)
	c := &model.TableChange{}
	c.After = strategy.Item{Latency: 600, Reachable: true}
	const beyond = 10
	for i := range mostIsolations + beyond {
		c.At = sim.Time(i) * sim.Time(10*sim.Second)
		c.ClockMillis = strategy.Millis(10_000 * i)
		c.After.Start, c.Until = c.ClockMillis+2000, c.At.Add(2*sim.Second)
		c.Instance = int32(i % 16)
		lanes.table(c, true, false)
		c.Instance = 16
		lanes.table(c, true, false)
	}
	if got := len(lanes.result()); got != mostIsolations || lanes.dropped != beyond {
		t.Errorf("%d kept, %d dropped", got, lanes.dropped)
	}
}
