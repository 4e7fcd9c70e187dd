package model

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
	checkRows(t, "client", clientTable)
	checkRows(t, "broker", brokerTable)
	checkRows(t, "name server", nameServerTable)
}

func checkRows[P comparable](t *testing.T, role string, table profileTable[P]) {
	known := strategy.Releases()
	at := func(release string) int { return slices.Index(known, release) }
	var all []string
	for i, row := range table {
		if !slices.IsSortedFunc(row.releases, func(a, b string) int { return at(a) - at(b) }) {
			t.Errorf("%s: row %v is not in version order", role, row.releases)
		}
		if i > 0 && at(row.releases[0]) < at(table[i-1].releases[0]) {
			t.Errorf("%s: row %v is before its time", role, table[i-1].releases)
		}
		if i > 0 && row.profile == table[i-1].profile {
			t.Errorf("%s: rows %v and %v say the same", role, table[i-1].releases, row.releases)
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
		kind TargetKind
		key  string
		read string // in the source
		at   map[string]string
	}{
		{
			ProducerTarget, "close_on_timeout", "NettyClientConfig.clientCloseSocketIfTimeout; " +
				"NettyRemotingClient.MIN_CLOSE_TIMEOUT_MILLIS",
			map[string]string{
				"4.0.0": "never", "4.9.0": "never", "4.9.1": "always", "5.0.0-PREVIEW": "never",
				"5.0.0-ALPHA": "always", "5.1.3": "always", "5.1.4": "unless-short",
			},
		},
		{
			ProducerTarget, "fail_fast", "NettyRemotingClient: calls of failFast; channelInactive",
			map[string]string{
				"4.2.0": "never", "4.3.0": "on-reset", "5.1.2": "on-reset", "5.1.3": "on-close",
			},
		},
		{
			ProducerTarget, "name_server_failure",
			"MQClientInstance.updateTopicRouteInfoFromNameServer: IllegalStateException",
			map[string]string{"4.5.2": "no-route", "4.6.0": "throws"},
		},
		{
			BrokerTarget, "flush", "MessageStoreConfig.flushCommitLogTimed",
			map[string]string{
				"4.9.0": "woken", "4.9.1": "timed", "5.0.0-PREVIEW": "woken", "5.0.0-ALPHA": "timed",
				"5.3.3": "timed",
			},
		},
		{
			BrokerTarget, "put", "SendMessageProcessor: asyncPutMessage",
			map[string]string{"4.6.1": "blocks", "4.7.0": "async", "5.3.3": "async"},
		},
		{
			BrokerTarget, "disk_wait", "CommitLog: waitForFlush; future; FlushDiskWatcher.add",
			map[string]string{
				"4.6.1": "thread", "4.7.0": "endless", "4.9.2": "endless", "4.9.3": "watched",
				"5.0.0-PREVIEW": "endless", "5.0.0-ALPHA": "endless", "5.0.0": "watched",
			},
		},
		{
			BrokerTarget, "replica_wait", "GroupTransferService.doWaitTransfer",
			map[string]string{
				"4.5.2": "rounds", "4.6.0": "clock", "4.6.1": "clock", "4.7.0": "serial", "4.9.2": "serial",
				"4.9.3": "polled", "4.9.8": "polled", "5.0.0": "polled", "5.1.1": "polled", "5.1.2": "exact",
			},
		},
		{
			BrokerTarget, "shorter_master", "HAConnection.processReadEvent: getMaxPhyOffset",
			map[string]string{
				"4.9.2": "takes", "4.9.3": "drops", "4.9.8": "drops", "5.0.0-PREVIEW": "takes",
				"5.0.0-ALPHA": "drops", "5.0.0": "takes", "5.3.3": "takes",
			},
		},
		{
			BrokerTarget, "slave_housekeeping", "HAService.HAClient, DefaultHAClient.run: what is set where",
			map[string]string{"4.5.1": "reads", "4.5.2": "writes", "5.0.0-ALPHA": "writes", "5.0.0": "reads"},
		},
		{
			BrokerTarget, "disk_check", "DefaultMessageStore: diskCheckScheduledExecutorService",
			map[string]string{"4.7.0": "when-cleaning", "4.7.1": "apart", "5.0.0": "when-cleaning"},
		},
		{
			BrokerTarget, "page_cache_busy", "SendMessageProcessor: OS_PAGECACHE_BUSY",
			map[string]string{"4.9.8": "1", "5.2.0": "1", "5.3.0": "2"},
		},
		{
			BrokerTarget, "store_shutdown", "DefaultMessageStore.shutdown: sleep",
			map[string]string{"4.2.0": "3s", "4.3.0": "1s", "4.9.8": "1s", "5.0.0-ALPHA": "1s", "5.0.0": "3s"},
		},
		{
			BrokerTarget, "unregister", "BrokerController.shutdown, shutdownBasicService",
			map[string]string{"4.9.8": "last", "5.0.0-ALPHA": "last", "5.0.0": "first"},
		},
		{
			BrokerTarget, "put_wakes_flush", "CommitLog: isWakeFlushWhenPutMessage",
			map[string]string{"4.9.8": "yes", "5.3.1": "yes", "5.3.2": "no"},
		},
		{
			NameServerTarget, "scan", "NamesrvController; NamesrvConfig.scanNotActiveBrokerInterval",
			map[string]string{"4.9.8": "10s", "5.0.0-ALPHA": "10s", "5.0.0": "5s"},
		},
		{
			NameServerTarget, "add_write_perm", "DefaultRequestProcessor: ADD_WRITE_PERM_OF_BROKER",
			map[string]string{
				"4.9.1": "unknown", "4.9.2": "known", "5.0.0-PREVIEW": "unknown", "5.0.0-ALPHA": "known",
			},
		},
	} {
		for release, want := range tt.at {
			if got := behaviourOf(tt.kind, release, tt.key); got != want {
				t.Errorf("%s in %s: %q; the source (%s) says %q", tt.key, release, got, tt.read, want)
			}
		}
	}
}

// behaviourOf is the value of a behaviour in a release, "" if there is none.
func behaviourOf(kind TargetKind, release, key string) string {
	switch kind {
	case BrokerTarget:
		return valueOf(brokerBehaviours, brokerTable, release, key)
	case NameServerTarget:
		return valueOf(nameServerBehaviours, nameServerTable, release, key)
	default:
		return valueOf(clientBehaviours, clientTable, release, key)
	}
}

func valueOf[P any](l behaviourList[P], table profileTable[P], release, key string) string {
	p, err := table.lookup(release)
	b := l.find(key)
	if err != nil || b == nil {
		return ""
	}
	return b.get(&p)
}
