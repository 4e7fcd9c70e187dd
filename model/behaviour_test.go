package model

import (
	"slices"
	"strings"
	"testing"

	"simrun/sim"
	"simrun/strategy"
)

// Every behaviour of every row can be written down and read back, and a profile with all of another
// release's behaviours is that release's: each field is overridable.
func TestBehavioursMakeAnyReleaseOutOfAnother(t *testing.T) {
	t.Parallel()
	for _, from := range strategy.Releases() {
		for _, to := range strategy.Releases() {
			checkRemade(t, clientBehaviours, clientTable, from, to)
			checkRemade(t, brokerBehaviours, brokerTable, from, to)
			checkRemade(t, nameServerBehaviours, nameServerTable, from, to)
		}
	}
}

func checkRemade[P comparable](t *testing.T, l behaviourList[P], table profileTable[P], from, to string) {
	t.Helper()
	give, err := table.lookup(from)
	if err != nil {
		t.Fatal(err)
	}
	want, err := table.lookup(to)
	if err != nil {
		t.Fatal(err)
	}
	var overrides []string
	for i := range l {
		if l[i].setting != "" { // the setting changes it
			if err := l[i].set(&give, l[i].get(&want)); err != nil {
				t.Error(err)
			}
			continue
		}
		overrides = append(overrides, l[i].key+" = "+l[i].get(&want))
	}
	got, err := l.with(give, overrides, nil)
	if err != nil || got != want {
		t.Errorf("%s made of %s: %+v, %v; want %+v", to, from, got, err, want)
	}
}

// A producer's list mixes the names of package strategy with those of the wire; each lands where it
// belongs.
func TestProducerBehavioursOfBothKinds(t *testing.T) {
	t.Parallel()
	p := Producer{
		Release:    "5.3.3",
		Behaviours: []string{"update_fault_item=overwrites", "close_on_timeout=never"},
	}
	wire, err := p.wire()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := p.Profile()
	if err != nil {
		t.Fatal(err)
	}
	if wire.closeOnTimeout != closeNever || profile.Update != strategy.UpdateOverwrites {
		t.Errorf("%+v, %v", wire, profile)
	}
	if wire.failFast != failOnClose || profile.Selection != strategy.SelectionFilters {
		t.Errorf("what was not named has changed: %+v, %v", wire, profile)
	}
}

// No name means two things in one list.
func TestBehaviourNamesAreUnique(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{ProducerBehaviours(), BrokerBehaviours(), NameServerBehaviours()} {
		sorted := slices.Sorted(slices.Values(names))
		if len(slices.Compact(sorted)) != len(names) {
			t.Errorf("a name is there twice: %v", names)
		}
	}
}

func TestCheckBehaviours(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind TargetKind
		give string
		want string // part of the error, "" for none
	}{
		{BrokerTarget, "put=blocks", ""},
		{BrokerTarget, " replica_wait = serial ", ""},
		{BrokerTarget, "cluster_poll=0s", ""},
		{BrokerTarget, "put=sometimes", `behaviour put = "sometimes": want one of blocks, async`},
		{BrokerTarget, "put", `behaviour put = "": want one of blocks, async`},
		{BrokerTarget, "page_cache_busy=3", "want one of 1, 2"},
		{BrokerTarget, "store_shutdown=-1s", "want a time such as 5s or 5ms"},
		{BrokerTarget, "store_shutdown=1", "want a time such as 5s or 5ms"},
		{BrokerTarget, "register_timeout=0s", "at least 1ms"},
		{BrokerTarget, "scan=5s", `no behaviour "scan"; there are cluster_poll, `},
		{BrokerTarget, "flush=timed", "flush has a key of its own, flush_commit_log_timed"},
		{NameServerTarget, "scan=5s", ""},
		{NameServerTarget, "scan=0s", "at least 1ms"},
		{ProducerTarget, "fail_fast=never", ""},
		{ProducerTarget, "budget=shared", ""},
		{ProducerTarget, "budget=all", `behaviour budget = "all": want one of per-attempt, shared`},
		{ProducerTarget, "put=async", `no behaviour "put"; there are index, `},
		{ProducerTarget, "put=async", "select_by_hash, fail_fast, close_on_timeout"},
	} {
		err := CheckBehaviours(tt.kind, []string{tt.give})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.give, err, tt.want)
		}
	}
	err := CheckBehaviours(BrokerTarget, []string{"put=async", "put=blocks"})
	if err == nil || err.Error() != "put is there twice" {
		t.Errorf("twice: %v", err)
	}
}

func TestBehaviourValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind TargetKind
		key  string
		want []string
	}{
		{ProducerTarget, "fail_fast", []string{"never", "on-reset", "on-close"}},
		{ProducerTarget, "budget", []string{"per-attempt", "shared"}},
		{ProducerTarget, "put", nil},
		{BrokerTarget, "put", []string{"blocks", "async"}},
		{BrokerTarget, "flush", nil},
		{BrokerTarget, "first_report", nil},
		{NameServerTarget, "add_write_perm", []string{"unknown", "known"}},
	} {
		if got := BehaviourValues(tt.kind, tt.key); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.key, got, tt.want)
		}
	}
}

// What Validate refuses does not come to New.
func TestBehavioursReachTheProcesses(t *testing.T) {
	t.Parallel()
	cfg := testConfig("5.3.3", 2)
	cfg.Brokers[1].Behaviours = []string{"cluster_poll=0s"}
	cfg.NameServers[0].Behaviours = []string{"scan=10s"}
	cfg.Producers[0].Behaviours = []string{"fail_fast=on-reset"}
	w := New(cfg, nil)
	if w.procs[0].profile.clusterPoll == 0 || w.procs[1].profile.clusterPoll != 0 {
		t.Error("the broker's behaviours")
	}
	if w.nameServers[0].profile.scan != 10*sim.Second || w.groups[0].client.failFast != failOnReset {
		t.Error("the name server's or the client's behaviours")
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
