package releases

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/strategy"
)

// Every release is in exactly one row of each role, rows and the releases in them in version order,
// and no two neighbouring rows say the same.
func TestEveryReleaseHasOneRow(t *testing.T) {
	t.Parallel()
	checkRows(t, "client", Clients)
	checkRows(t, "broker", Brokers)
	checkRows(t, "name server", NameServers)
}

func checkRows[P comparable](t *testing.T, role string, r *Role[P]) {
	known := strategy.Releases()
	at := func(release string) int { return slices.Index(known, release) }
	var all []string
	for i, row := range r.rows {
		if !slices.IsSortedFunc(row.releases, func(a, b string) int { return at(a) - at(b) }) {
			t.Errorf("%s: row %v is not in version order", role, row.releases)
		}
		if i > 0 && at(row.releases[0]) < at(r.rows[i-1].releases[0]) {
			t.Errorf("%s: row %v is before its time", role, r.rows[i-1].releases)
		}
		if i > 0 && row.profile == r.rows[i-1].profile {
			t.Errorf("%s: rows %v and %v say the same", role, r.rows[i-1].releases, row.releases)
		}
		all = append(all, row.releases...)
	}
	slices.SortFunc(all, func(a, b string) int { return at(a) - at(b) })
	if diff := cmp.Diff(known, all); diff != "" {
		t.Errorf("%s (-strategy +table):\n%s", role, diff)
	}
}

// What was read in RocketMQ's source at both sides of each change: file, field or method, and the value
// at a tag. The neighbours make a row that starts or ends one release too late fail.
func TestRowsSayWhatTheSourceSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of   func(release, key string) string
		key  string
		read string // in the source
		at   map[string]string
	}{
		{
			valueOf(Clients), "close_on_timeout", "NettyClientConfig.clientCloseSocketIfTimeout; " +
				"NettyRemotingClient.MIN_CLOSE_TIMEOUT_MILLIS",
			map[string]string{
				"4.0.0": "never", "4.9.0": "never", "4.9.1": "always", "5.0.0-PREVIEW": "never",
				"5.0.0-ALPHA": "always", "5.1.3": "always", "5.1.4": "unless-short",
			},
		},
		{
			valueOf(Clients), "fail_fast", "NettyRemotingClient: calls of failFast; channelInactive",
			map[string]string{
				"4.2.0": "never", "4.3.0": "on-reset", "5.1.2": "on-reset", "5.1.3": "on-close",
			},
		},
		{
			valueOf(Clients), "name_server_failure",
			"MQClientInstance.updateTopicRouteInfoFromNameServer: IllegalStateException",
			map[string]string{"4.5.2": "no-route", "4.6.0": "throws"},
		},
		{
			valueOf(Brokers), "flush", "MessageStoreConfig.flushCommitLogTimed",
			map[string]string{
				"4.9.0": "woken", "4.9.1": "timed", "5.0.0-PREVIEW": "woken", "5.0.0-ALPHA": "timed",
				"5.3.3": "timed",
			},
		},
		{
			valueOf(Brokers), "put", "SendMessageProcessor: asyncPutMessage",
			map[string]string{"4.6.1": "blocks", "4.7.0": "async", "5.3.3": "async"},
		},
		{
			valueOf(Brokers), "disk_wait", "CommitLog: waitForFlush; future; FlushDiskWatcher.add",
			map[string]string{
				"4.6.1": "thread", "4.7.0": "endless", "4.9.2": "endless", "4.9.3": "watched",
				"5.0.0-PREVIEW": "endless", "5.0.0-ALPHA": "endless", "5.0.0": "watched",
			},
		},
		{
			valueOf(Brokers), "replica_wait", "GroupTransferService.doWaitTransfer",
			map[string]string{
				"4.5.2": "rounds", "4.6.0": "clock", "4.6.1": "clock", "4.7.0": "serial", "4.9.2": "serial",
				"4.9.3": "polled", "4.9.8": "polled", "5.0.0": "polled", "5.1.1": "polled", "5.1.2": "exact",
			},
		},
		{
			valueOf(Brokers), "shorter_master", "HAConnection.processReadEvent: getMaxPhyOffset",
			map[string]string{
				"4.9.2": "takes", "4.9.3": "drops", "4.9.8": "drops", "5.0.0-PREVIEW": "takes",
				"5.0.0-ALPHA": "drops", "5.0.0": "takes", "5.3.3": "takes",
			},
		},
		{
			valueOf(Brokers), "slave_housekeeping", "HAService.HAClient, DefaultHAClient.run: what is set where",
			map[string]string{"4.5.1": "reads", "4.5.2": "writes", "5.0.0-ALPHA": "writes", "5.0.0": "reads"},
		},
		{
			valueOf(Brokers), "disk_check", "DefaultMessageStore: diskCheckScheduledExecutorService",
			map[string]string{"4.7.0": "when-cleaning", "4.7.1": "apart", "5.0.0": "when-cleaning"},
		},
		{
			valueOf(Brokers), "page_cache_busy", "SendMessageProcessor: OS_PAGECACHE_BUSY",
			map[string]string{"4.9.8": "1", "5.2.0": "1", "5.3.0": "2"},
		},
		{
			valueOf(Brokers), "store_shutdown", "DefaultMessageStore.shutdown: sleep",
			map[string]string{"4.2.0": "3s", "4.3.0": "1s", "4.9.8": "1s", "5.0.0-ALPHA": "1s", "5.0.0": "3s"},
		},
		{
			valueOf(Brokers), "unregister", "BrokerController.shutdown, shutdownBasicService",
			map[string]string{"4.9.8": "last", "5.0.0-ALPHA": "last", "5.0.0": "first"},
		},
		{
			valueOf(Brokers), "put_wakes_flush", "CommitLog: isWakeFlushWhenPutMessage",
			map[string]string{"4.9.8": "yes", "5.3.1": "yes", "5.3.2": "no"},
		},
		{
			valueOf(NameServers), "scan", "NamesrvController; NamesrvConfig.scanNotActiveBrokerInterval",
			map[string]string{"4.9.8": "10s", "5.0.0-ALPHA": "10s", "5.0.0": "5s"},
		},
		{
			valueOf(NameServers), "add_write_perm", "DefaultRequestProcessor: ADD_WRITE_PERM_OF_BROKER",
			map[string]string{
				"4.9.1": "unknown", "4.9.2": "known", "5.0.0-PREVIEW": "unknown", "5.0.0-ALPHA": "known",
			},
		},
	} {
		for release, want := range tt.at {
			if got := tt.of(release, tt.key); got != want {
				t.Errorf("%s in %s: %q; the source (%s) says %q", tt.key, release, got, tt.read, want)
			}
		}
	}
}

// valueOf gives the value of a behaviour in a release, "" if there is none.
func valueOf[P any](r *Role[P]) func(release, key string) string {
	return func(release, key string) string {
		p, err := r.lookup(release)
		b := findBehaviour(r.behaviours, key)
		if err != nil || b == nil {
			return ""
		}
		return b.get(&p)
	}
}
