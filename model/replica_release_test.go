package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// syncMaster makes the first broker of a story a SYNC_MASTER with one slave and the defaults of
// MessageStoreConfig.
func (s *wireStory) syncMaster() {
	b := &s.cfg.Brokers[0]
	b.Role, b.Slaves = config.SyncMaster, 1
	b.SyncFlushTimeout, b.SlaveTimeout = 5*sim.Second, 3*sim.Second
	b.SlaveFallbehindMax = 256 << 20
	b.HAHousekeepingInterval, b.HAHeartbeatInterval = 20*sim.Second, 5*sim.Second
}

// fates are the answers to three sends at 10 s, 10.1 s and 10.2 s, in the order of the sends, as "12
// after 5.0s"; 0 is SEND_OK, the rest are the broker's response codes of the same name.
func (s *wireStory) fates(t *testing.T, release string) []string {
	t.Helper()
	s.sends = nil
	for i := range sim.Duration(3) {
		s.sends = append(s.sends, wireSend{10*sim.Second + i*100*sim.Millisecond, 0})
	}
	o := &answers{}
	s.world(t, release, 60*sim.Second, func(*config.Config) Observer { return o })
	slices.SortFunc(o.all, func(a, b Answer) int { return int(a.Number) - int(b.Number) })
	codes := map[strategy.Status]int{
		strategy.StatusSendOK: 0, strategy.StatusFlushDiskTimeout: 10, strategy.StatusSlaveNotAvailable: 11,
		strategy.StatusFlushSlaveTimeout: 12,
	}
	var out []string
	for _, a := range o.all {
		code, ok := codes[a.Result.Status]
		if !ok {
			code = a.Result.Code
		}
		out = append(out, fmt.Sprintf("%d after %.1fs", code, a.At.Sub(a.Scheduled).Seconds()))
	}
	return out
}

// broker.md §2.2, "response time of a message whose ack never comes": a slave has lost its power just
// before. 4.2.0-4.6.1 5.0 s, in the one send thread; 4.7.0-4.9.2 "5 s x position in line"; 4.9.3-4.9.8
// "3.0-4.0 s, polls in 1000 ms steps". §2.5: 5.x does not wait at all. Source: CommitLog.handleHA and
// submitReplicaRequest, GroupTransferService.doWaitTransfer; in 5.0.0-ALPHA FlushDiskWatcher answers.
func TestLostSlaveByRelease(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		releases []string
		want     []string
	}{
		{
			between("4.0.0", "4.6.1"),
			[]string{"12 after 5.0s", "12 after 9.9s", "12 after 14.8s"},
		},
		{
			slices.Concat(between("4.7.0", "4.9.2"), []string{"5.0.0-PREVIEW"}),
			[]string{"12 after 5.0s", "12 after 9.9s", "12 after 14.8s"},
		},
		{between("4.9.3", "4.9.8"), []string{"12 after 3.0s", "12 after 3.9s", "12 after 3.8s"}},
		{[]string{"5.0.0-ALPHA"}, []string{"10 after 5.0s", "10 after 5.0s", "10 after 5.0s"}},
		{between("5.0.0", "5.3.3"), []string{"0 after 0.0s", "0 after 0.0s", "0 after 0.0s"}},
	} {
		s := releaseStory(2, 0, 30_000)
		s.syncMaster()
		s.cfg.Brokers[0].SendThreads = 1
		s.strikes(config.PowerLoss, 0, 9900*sim.Millisecond, 0)
		s.cfg.Faults[0].Targets[0].ID = 1
		for _, release := range tt.releases {
			if got := s.fates(t, release); !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q, want %q", release, got, tt.want)
			}
		}
	}
}

// broker.md §2.5: with inSyncReplicas = 2 "FLUSH_SLAVE_TIMEOUT after 3 s". Source:
// GroupTransferService.doWaitTransfer, which looks once a second in 5.0.0-5.1.1 and each millisecond
// from 5.1.2.
func TestInSyncReplicasByRelease(t *testing.T) {
	t.Parallel()
	for _, release := range between("5.0.0", "5.3.3") {
		s := releaseStory(2, 0, 30_000)
		s.syncMaster()
		s.cfg.Brokers[0].InSyncReplicas = 2
		s.strikes(config.PowerLoss, 0, 9900*sim.Millisecond, 0)
		s.cfg.Faults[0].Targets[0].ID = 1
		want := []string{"12 after 3.0s", "12 after 3.0s", "12 after 3.0s"}
		if slices.Contains(between("5.0.0", "5.1.1"), release) {
			want = []string{"12 after 3.0s", "12 after 3.9s", "12 after 3.8s"}
		}
		if got := s.fates(t, release); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// broker.md §0 fact 3: "the 5.x store never produces SLAVE_NOT_AVAILABLE"; 4.x does when the slave is
// known to be gone, at once. The slave was killed.
func TestKilledSlaveByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 30_000)
	s.syncMaster()
	s.strikes(config.Kill, 0, 9900*sim.Millisecond, 0)
	s.cfg.Faults[0].Targets[0].ID = 1
	for _, release := range strategy.Releases() {
		want := "11 after 0.0s"
		if slices.Contains(between("5.0.0", "5.3.3"), release) {
			want = "0 after 0.0s"
		}
		if got := s.fates(t, release); !slices.Equal(got, []string{want, want, want}) {
			t.Errorf("%s: %q, want 3 times %q", release, got, want)
		}
	}
}

// broker.md §0 fact 6: "4.2-4.6 a blocked replication wait blocks a send thread, and
// sendMessageThreadPoolNums is 1: everything else queued > 200 ms gets SYSTEM_BUSY(2)". From 4.7.0 the
// put is asynchronous. Source: SendMessageProcessor, 4.6.1 and 4.7.0; BrokerFastFailure.
func TestBlockedSendThreadByRelease(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 30_000)
	s.syncMaster()
	b := &s.cfg.Brokers[0]
	b.SendThreads, b.FastFailure, b.WaitTimeInQueue = 1, true, 200*sim.Millisecond
	s.strikes(config.PowerLoss, 0, 9900*sim.Millisecond, 0)
	s.cfg.Faults[0].Targets[0].ID = 1
	for _, release := range between("4.0.0", "4.9.8") {
		got := s.fates(t, release)
		blocked := slices.Contains(between("4.0.0", "4.6.1"), release)
		if blocked != (got[1] == "2 after 0.2s" && got[2] == "2 after 0.2s") {
			t.Errorf("%s: %q", release, got)
		}
	}
}

// broker.md §0 fact 1: "With default timeouts a client never sees FLUSH_SLAVE_TIMEOUT. It sees a client
// timeout and the message IS stored": the wait is 3 s or more from arrival, sendMsgTimeout 3 s from the
// call. A timer that wakes exactly when it should, and no later, leaves no room for luck.
func TestClientTimeoutComesBeforeFlushSlaveTimeout(t *testing.T) {
	t.Parallel()
	s := releaseStory(2, 0, 3000)
	s.syncMaster()
	s.cfg.Producers[0].TimerWakeup = must(sim.Constant(sim.Duration(0)))
	s.strikes(config.PowerLoss, 0, 9900*sim.Millisecond, 0)
	s.cfg.Faults[0].Targets[0].ID = 1
	s.cfg.Brokers[0].InSyncReplicas = 2
	for _, release := range strategy.Releases() {
		got := s.fates(t, release)
		if got[0] != "10002 after 3.0s" { // from 4.9.1 on its timeout takes the others along
			t.Errorf("%s: %q", release, got)
		}
		for _, fate := range got {
			if strings.HasPrefix(fate, "12 ") {
				t.Errorf("%s: %q", release, got)
			}
		}
	}
}
