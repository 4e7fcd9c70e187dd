package experiment_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/scenarios"
)

// shippedRun is a shipped scenario as it comes, or with flags that its comments name; missed are the
// expectations that then do not hold, as the comments say.
type shippedRun struct {
	name, flags string
	missed      []string
}

var shippedRuns = []shippedRun{
	{name: "quickstart"},
	{name: "gc-pause"},
	{name: "kill-one-master"},
	{name: "slow-broker"},
	{name: "slow-broker", flags: "fault.slow-disk.delay=540ms", missed: []string{"seen", "share", "mean"}},
	{name: "rolling-restart"},
	{name: "rolling-restart", flags: "fault.upgrade.gap=0s", missed: []string{"callers"}},
	{name: "rolling-restart", flags: "fault.upgrade.gap=0s fault.upgrade.wipe=true"},
	{name: "planned-stop"},
	{name: "planned-stop", flags: "fault.stop.at=40s", missed: []string{"not-even-a-retry"}},
	{
		name:   "planned-stop",
		flags:  "fault.stop.at=50s producer.shop.retry_times_when_send_failed=0",
		missed: []string{"callers"},
	},
	{name: "disk-stall"},
	{name: "disk-stall", flags: "producer.orders.client=java-5.2.0"},
	{name: "disk-stall", flags: "fault.stall.kind=fsync-stall", missed: []string{"avoided-soon"}},
	{name: "replication-cut"},
	{name: "replication-cut", flags: "producer.orders.send_msg_timeout=5s", missed: []string{"twice"}},
	{name: "flapping-broker"},
	{name: "flapping-broker", flags: "producer.orders.client=java-4.9.8"},
	{name: "fsync-lies"},
	{name: "fsync-lies", flags: "fault.lie.target=b:0", missed: []string{"all-of-it"}},
	{name: "fsync-lies", flags: "broker.*.slaves=1"},
	{name: "zone-dark"},
	{name: "one-silent-broker"},
	{name: "one-silent-broker", flags: "producer.shop.threads=96", missed: []string{"tail"}},
	{
		name: "one-silent-broker", flags: "producer.shop.threads=72",
		missed: []string{"a-quarter-fails", "the-others-notice-nothing", "tail"},
	},
	{name: "one-silent-broker-few-threads"},
	{name: "canary"},
	{name: "async-refused"},
	{name: "flash-crowd"},
	{
		name: "flash-crowd", flags: "producer.shop.on_failure=drop",
		missed: []string{"amplified", "still-overloaded", "still-slow"},
	},
	{name: "silent-death"},
	{
		name: "silent-death", flags: "producer.orders.send_msg_max_timeout_per_request=1s",
		missed: []string{"avoided"},
	},
	{name: "small-cluster"},
	{name: "large-cluster"},
	{name: "near-capacity"},
	{
		name: "near-capacity", flags: "producer.orders.send_latency_fault_enable=false",
		missed: []string{"not-over", "isolated-though-healthy"},
	},
	{name: "tuning"},
	{name: "start-up-storm"},
	{name: "start-up-storm", flags: "start.spread=0s", missed: []string{"storm", "longest"}},
	{name: "go-and-java"},
	{name: "go-and-java", flags: "fault.moved.kind=kill", missed: []string{"go-waits"}},
}

// runElsewhere are scenarios whose runs are the examples in results, which have a test of their own.
var runElsewhere = []string{"two-masters-down", "two-masters-down-plain"}

// powerLossRuns are the scenarios of the power-loss table: by the two releases, and with killed processes
// in place of silent ones.
func powerLossRuns() (runs []shippedRun) {
	for _, name := range scenarios.Names() {
		number, ok := strings.CutPrefix(name, "power-loss-")
		if !ok {
			continue
		}
		killed := shippedRun{name: name, flags: "fault.power-loss.kind=kill"}
		switch number[0] {
		case '3', '4', '5':
			killed.missed = []string{"route-removal"}
		case '6':
			killed.missed = []string{"hangs"}
		}
		runs = append(runs, shippedRun{name: name}, shippedRun{name: name, flags: "release=4.9.8"}, killed)
	}
	return runs
}

// Every shipped scenario keeps what it expects, and its comments tell the truth about what misses it.
func TestShippedScenariosHold(t *testing.T) {
	left := scenarios.Names()
	for _, r := range append(powerLossRuns(), shippedRuns...) {
		left = slices.DeleteFunc(left, func(name string) bool { return name == r.name })
		t.Run(strings.TrimSpace(r.name+" "+r.flags), func(t *testing.T) {
			t.Parallel()
			if missed := missedBy(t, r.name, strings.Fields(r.flags)); !slices.Equal(missed, r.missed) {
				t.Errorf("misses %q, want %q", missed, r.missed)
			}
		})
	}
	if !slices.Equal(left, runElsewhere) {
		t.Errorf("not run: %q, want %q", left, runElsewhere)
	}
}

// missedBy are the expectations that do not hold in a run of a shipped scenario.
func missedBy(t *testing.T, name string, flags []string) (missed []string) {
	t.Helper()
	sc, err := scenarios.Load(name, scenarios.Options{Set: flags})
	if err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Run(context.Background(), sc, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range run.Expectations {
		if !e.Skipped && e.Verdict != result.Passed {
			missed = append(missed, e.Name)
		}
	}
	return missed
}
