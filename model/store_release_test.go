package model

import (
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// A broker that starts with a full disk takes messages until it looks: after a minute, or after a
// second where a schedule apart looks. Source: DefaultMessageStore.addScheduleTask, 4.7.0, 4.7.1 and
// 5.0.0. SERVICE_NOT_AVAILABLE is 14.
func TestFullDiskAfterAStartByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 3000)
	s.strikes(config.Kill, 0, sim.Second, sim.Second)
	s.strikes(config.DiskFull, 0, 1500*sim.Millisecond, 0)
	for _, at := range []sim.Duration{2500, 3500, 61_000, 63_000} {
		s.sends = append(s.sends, wireSend{at * sim.Millisecond, 0})
	}
	const ok, refused = "after 0.00s, 1 attempts: SEND_OK", "after 0.00s, 1 attempts: MQClientException 14"
	for _, release := range strategy.Releases() {
		want := []string{ok, ok, ok, refused}
		if slices.Contains(between("4.7.1", "5.0.0-ALPHA"), release) {
			want = []string{ok, refused, refused, refused}
		}
		if got := s.told(t, release, 70*sim.Second); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// broker.md §3 has "wait limit syncFlushTimeout 5 s" for every release; the source has a limit up to
// 4.6.1 and from 4.9.3 on, and none in between, where the answer comes with the fsync: FlushDiskWatcher
// came in 4.9.3. In 4.7.0 an answer later than the limit is FLUSH_SLAVE_TIMEOUT. Source:
// CommitLog.submitFlushRequest and GroupCommitRequest, 4.7.0, 4.7.1, 4.9.2, 4.9.3.
func TestStalledFsyncByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 30_000)
	s.cfg.Brokers[0].Flush = config.SyncFlush
	s.strikes(config.FsyncStall, 0, sim.Second, 10*sim.Second)
	s.sends = []wireSend{{2 * sim.Second, 0}}
	for _, tt := range []struct {
		releases []string
		want     string
	}{
		{between("4.0.0", "4.6.1"), "after 5.00s, 1 attempts: FLUSH_DISK_TIMEOUT"},
		{[]string{"4.7.0"}, "after 9.00s, 1 attempts: FLUSH_SLAVE_TIMEOUT"},
		{between("4.7.1", "4.9.2"), "after 9.00s, 1 attempts: SEND_OK"},
		{between("4.9.3", "4.9.8"), "after 5.00s, 1 attempts: FLUSH_DISK_TIMEOUT"},
		{[]string{"5.0.0-PREVIEW", "5.0.0-ALPHA"}, "after 9.00s, 1 attempts: SEND_OK"},
		{between("5.0.0", "5.3.3"), "after 5.00s, 1 attempts: FLUSH_DISK_TIMEOUT"},
	} {
		for _, release := range tt.releases {
			if got := s.told(t, release, 20*sim.Second); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("%s: %q, want %q", release, got, tt.want)
			}
		}
	}
}

// broker.md §1: OS_PAGECACHE_BUSY is "1 SYSTEM_ERROR <= 5.2.0; 2 SYSTEM_BUSY >= 5.3.0", and §4: after
// 1 s of a held put lock "every request is refused in ~0 ms" with [REJECTREQUEST], 2 in every release.
func TestHeldLockByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 3000)
	b := &s.cfg.Brokers[0]
	b.PageCacheBusyTimeout, b.Append = sim.Second, must(sim.Constant(10*sim.Microsecond))
	s.strikes(config.LockHold, 0, sim.Second, 10*sim.Second)
	s.sends = []wireSend{{5 * sim.Second, 0}}
	for _, release := range strategy.Releases() {
		want := "after 0.00s, 1 attempts: MQBrokerException"
		if slices.Contains(between("5.3.0", "5.3.3"), release) { // tried again, so it ends with a cause
			want = "after 0.00s, 1 attempts: MQClientException 2"
		}
		if got := s.told(t, release, 20*sim.Second); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}
