package releases

import (
	"slices"
	"strings"
	"testing"

	"simrun/strategy"
)

// Every behaviour of every row can be written down and read back, and a profile with all of another
// release's behaviours is that release's: each field is overridable.
func TestBehavioursMakeAnyReleaseOutOfAnother(t *testing.T) {
	t.Parallel()
	for _, from := range strategy.Releases() {
		for _, to := range strategy.Releases() {
			checkRemade(t, Clients, from, to)
			checkRemade(t, Brokers, from, to)
			checkRemade(t, NameServers, from, to)
		}
	}
}

func checkRemade[P comparable](t *testing.T, r *Role[P], from, to string) {
	t.Helper()
	give, err := r.lookup(from)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.lookup(to)
	if err != nil {
		t.Fatal(err)
	}
	var overrides []string
	for i := range r.behaviours {
		b := &r.behaviours[i]
		if b.setting != "" { // the setting changes it
			if err := b.set(&give, b.get(&want)); err != nil {
				t.Error(err)
			}
			continue
		}
		overrides = append(overrides, b.key+" = "+b.get(&want))
	}
	got, err := r.with(give, overrides)
	if err != nil || got != want {
		t.Errorf("%s made of %s: %+v, %v; want %+v", to, from, got, err, want)
	}
}

// A producer's list mixes the names of package strategy with those of the wire; each lands where it
// belongs.
func TestProducerBehavioursOfBothKinds(t *testing.T) {
	t.Parallel()
	behaviours := []string{"update_fault_item=overwrites", "close_on_timeout=never"}
	wire, err := Clients.Profile("5.3.3", behaviours)
	if err != nil {
		t.Fatal(err)
	}
	profile, err := Decisions("5.3.3", behaviours)
	if err != nil {
		t.Fatal(err)
	}
	if wire.CloseOnTimeout != CloseNever || profile.Update != strategy.UpdateOverwrites {
		t.Errorf("%+v, %v", wire, profile)
	}
	if wire.FailFast != FailOnClose || profile.Selection != strategy.SelectionFilters {
		t.Errorf("what was not named has changed: %+v, %v", wire, profile)
	}
}

// No name means two things in one list.
func TestBehaviourNamesAreUnique(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{Clients.Behaviours(), Brokers.Behaviours(), NameServers.Behaviours()} {
		sorted := slices.Sorted(slices.Values(names))
		if len(slices.Compact(sorted)) != len(names) {
			t.Errorf("a name is there twice: %v", names)
		}
	}
}

func TestCheckBehaviours(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		check func([]string) error
		give  string
		want  string // part of the error, "" for none
	}{
		{Brokers.Check, "put=blocks", ""},
		{Brokers.Check, " replica_wait = serial ", ""},
		{Brokers.Check, "cluster_poll=0s", ""},
		{Brokers.Check, "put=sometimes", `behaviour put = "sometimes": want one of blocks, async`},
		{Brokers.Check, "put", `behaviour put = "": want one of blocks, async`},
		{Brokers.Check, "page_cache_busy=3", "want one of 1, 2"},
		{Brokers.Check, "store_shutdown=-1s", "want a time such as 5s or 5ms"},
		{Brokers.Check, "store_shutdown=1", "want a time such as 5s or 5ms"},
		{Brokers.Check, "register_timeout=0s", "at least 1ms"},
		{Brokers.Check, "scan=5s", `no behaviour "scan"; there are cluster_poll, `},
		{Brokers.Check, "flush=timed", "flush has a key of its own, flush_commit_log_timed"},
		{NameServers.Check, "scan=5s", ""},
		{NameServers.Check, "scan=0s", "at least 1ms"},
		{Clients.Check, "fail_fast=never", ""},
		{Clients.Check, "budget=shared", ""},
		{Clients.Check, "budget=all", `behaviour budget = "all": want one of per-attempt, shared`},
		{Clients.Check, "put=async", `no behaviour "put"; there are index, `},
		{Clients.Check, "put=async", "select_by_hash, fail_fast, close_on_timeout"},
	} {
		err := tt.check([]string{tt.give})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.give, err, tt.want)
		}
	}
	err := Brokers.Check([]string{"put=async", "put=blocks"})
	if err == nil || err.Error() != "put is there twice" {
		t.Errorf("twice: %v", err)
	}
}

// broker.md §4: "sendMessageThreadPoolNums: 1 in 4.2.0-4.9.0; min(cores,4) from 4.9.1". Source:
// BrokerConfig.sendMessageThreadPoolNums, which is 1 in 5.0.0-PREVIEW, too.
func TestDefaultSendThreads(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]int{
		"4.2.0": 1, "4.9.0": 1, "4.9.1": 4, "5.0.0-PREVIEW": 1, "5.0.0-ALPHA": 4, "5.3.3": 4, "6.0.0": 4,
	} {
		if got := DefaultSendThreads(release, 16); got != want {
			t.Errorf("%s: %d, want %d", release, got, want)
		}
	}
	if DefaultSendThreads("5.3.3", 2) != 2 || DefaultSendThreads("5.3.3", 0) != 1 {
		t.Error("cores")
	}
	if DefaultFlushTimed("4.9.0") || !DefaultFlushTimed("4.9.1") || DefaultFlushTimed("5.0.0-PREVIEW") {
		t.Error("flushCommitLogTimed")
	}
}
