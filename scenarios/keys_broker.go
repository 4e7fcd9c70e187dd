package scenarios

import (
	"strconv"

	"simrun/model/releases"
)

var brokerKeys = []key{
	releaseKey,
	{name: "slaves", kind: whole(0, 8), def: "0", doc: "Slaves of the master, 0 to 8."},
	{
		name: "broker_role", kind: enum([]string{"ASYNC_MASTER", "SYNC_MASTER"}),
		def: `"ASYNC_MASTER"`, java: []string{"brokerRole"},
		doc: "`ASYNC_MASTER`: the answer waits for no slave. `SYNC_MASTER`: 4.x waits for one slave, " +
			"if any is connected; 5.x for `in_sync_replicas`, the master included, so by default for none.",
	},
	{
		name: "flush_disk_type", kind: enum([]string{"ASYNC_FLUSH", "SYNC_FLUSH"}),
		def: `"ASYNC_FLUSH"`, java: []string{"flushDiskType"},
		doc: "Whether the answer follows the page cache or the fsync.",
	},
	{
		name: "send_message_thread_pool_nums", kind: whole(1, 4096),
		defaults: sendThreads, defDoc: "`4`; `1` before 4.9.1",
		java: []string{"sendMessageThreadPoolNums"},
		doc: "Sends served at once. The broker's own default is min(cores, 4); a host has 4 cores " +
			"or more.",
	},
	{
		name: "send_thread_pool_queue_capacity", kind: whole(1, 100_000_000), def: "10000",
		java: []string{"sendThreadPoolQueueCapacity"},
		doc:  "Requests that may wait for a send thread; one more is refused.",
	},
	{
		name: "broker_fast_failure_enable", kind: boolKind, def: "true", since: "4.2.0", fixed: true,
		java: []string{"brokerFastFailureEnable"},
		doc:  "Whether requests that wait too long for a send thread are refused.",
	},
	{
		name: "wait_time_mills_in_send_queue", kind: settingKind, def: `"200ms"`,
		java: []string{"waitTimeMillsInSendQueue"},
		doc:  "How long a request may wait for a send thread.",
	},
	{
		name: "service", kind: durationSampler,
		def: `{ dist = "lognormal", median = "400us", p99 = "4ms" }`,
		doc: "Time that one send holds a send thread before its append.",
	},
	{
		name: "append", kind: durationSampler, def: `"10us"`,
		doc: "Time that the append of one message then holds the put lock, of which a broker has one.",
	},
	{
		name: "os_page_cache_busy_time_out_mills", kind: settingKind, def: `"1s"`,
		java: []string{"osPageCacheBusyTimeOutMills"},
		doc:  "While one append has held the put lock for longer, all sends are refused.",
	},
	{
		name: "fsync", kind: durationSampler,
		def: `{ dist = "lognormal", median = "1ms", p99 = "8ms" }`,
		doc: "Time of one fsync of the commit log.",
	},
	{
		name: "flush_interval_commit_log", kind: settingKind, def: `"500ms"`,
		java: []string{"flushIntervalCommitLog"},
		doc:  "Period of the flush under `ASYNC_FLUSH`.",
	},
	{
		name: "flush_commit_log_timed", kind: boolKind,
		defaults: flushTimed, defDoc: "`true`; `false` before 4.9.1",
		java: []string{"flushCommitLogTimed"},
		doc:  "Whether the flush under `ASYNC_FLUSH` waits for its period; otherwise each put wakes it.",
	},
	{
		name: "flush_commit_log_least_pages", kind: whole(0, 1_000_000), def: "4",
		java: []string{"flushCommitLogLeastPages"},
		doc:  "Fewer dirty pages of 4 KiB than this are left for later.",
	},
	{
		name: "flush_commit_log_thorough_interval", kind: durationKind, def: `"10s"`,
		java: []string{"flushCommitLogThoroughInterval"},
		doc:  "After this time whatever is dirty is flushed.",
	},
	{
		name: "sync_flush_timeout", kind: durationKind, def: `"5s"`,
		java: []string{"syncFlushTimeout"},
		doc: "A send under `SYNC_FLUSH` answers `FLUSH_DISK_TIMEOUT` after it. Before 4.9.3 it is the " +
			"longest wait for a slave, too.",
	},
	{
		name: "transient_store_pool_enable", kind: boolKind, def: "false",
		java: []string{"transientStorePoolEnable"},
		doc: "Whether messages wait in memory outside the page cache until they are committed to it: a " +
			"kill loses those. 4.x does so under `ASYNC_FLUSH` only.",
	},
	{
		name: "commit_interval_commit_log", kind: settingKind, def: `"200ms"`,
		java: []string{"commitIntervalCommitLog"},
		doc:  "Period of the commit from the pool to the page cache.",
	},
	{
		name: "commit_commit_log_least_pages", kind: whole(0, 1_000_000), def: "4",
		java: []string{"commitCommitLogLeastPages"},
		doc:  "Fewer pages of 4 KiB than this are left for later.",
	},
	{
		name: "commit_commit_log_thorough_interval", kind: durationKind, def: `"200ms"`,
		java: []string{"commitCommitLogThoroughInterval"},
		doc:  "After this time whatever is in the pool is committed.",
	},
	{
		name: "commit_log_size", kind: logSizeKind, def: `"1GiB"`,
		doc: "Length of the commit log at the start of the run, flushed and replicated; at most " +
			"`\"1048576GiB\"`. A restarted 4.x master waits for its slave if the log is shorter than " +
			"`ha_slave_fallbehind_max`.",
	},
	{
		name: "slave_timeout", kind: settingKind, since: "4.9.3",
		defaults: ofReleases("4.9.3", "", `"3s"`), defDoc: "`\"3s\"`", java: []string{"slaveTimeout"},
		doc: "A send that waits for a slave answers `FLUSH_SLAVE_TIMEOUT` after it.",
	},
	{
		name: "ha_slave_fallbehind_max", kind: logSizeKind, until: "5.0.0",
		instead:  "ha_max_gap_not_in_sync",
		defaults: ofReleases("", "5.0.0", `"256MiB"`), defDoc: "`\"256MiB\"`",
		java: []string{"haSlaveFallbehindMax"},
		doc:  "A slave that lacks as many bytes counts as absent.",
	},
	{
		name: "ha_max_gap_not_in_sync", kind: logSizeKind, since: "5.0.0",
		defaults: ofReleases("5.0.0", "", `"256MiB"`), defDoc: "`\"256MiB\"`",
		java: []string{"haMaxGapNotInSync"},
		doc: "Likewise, but read by controller mode and slave acting master only, which are not " +
			"modelled: it changes nothing.",
	},
	{
		name: "ha_housekeeping_interval", kind: settingKind, def: `"20s"`,
		java: []string{"haHousekeepingInterval"},
		doc:  "A replication connection on which nothing came for longer is closed.",
	},
	{
		name: "ha_send_heartbeat_interval", kind: settingKind, def: `"5s"`,
		java: []string{"haSendHeartbeatInterval"},
		doc:  "A slave that got nothing reports its offset this often.",
	},
	{
		name: "in_sync_replicas", kind: whole(1, 9), def: "1", since: "5.0.0",
		java: []string{"inSyncReplicas"},
		doc: "How many replicas, the master included, must have a message before a `SYNC_MASTER` " +
			"answers `PUT_OK`.",
	},
	{
		name: "min_in_sync_replicas", kind: whole(1, 9), def: "1", since: "5.0.0",
		java: []string{"minInSyncReplicas"},
		doc: "Read by controller mode and slave acting master only, which are not modelled: it changes " +
			"nothing.",
	},
	{
		name: "replication_bandwidth", kind: bandwidthKind, def: `"off"`,
		doc: "Bytes a second that flow to one slave, such as `\"100MiB/s\"`, or `\"off\"` for no limit.",
	},
	{
		name: "register_name_server_period", kind: durationKind, def: `"30s"`,
		since: "4.3.0", fixed: true, java: []string{"registerNameServerPeriod"},
		doc: "Period of the registration with each name server; 10 s to 60 s.",
	},
	{
		name: "broker_permission", kind: intEnum(6, 4), def: "6", java: []string{"brokerPermission"},
		doc: "`6`: read and write; `4`: read only, which clients see in the route.",
	},
	{
		name: "auto_create_topic_enable", kind: boolKind, def: "true",
		java: []string{"autoCreateTopicEnable"},
		doc:  "Whether a send to a topic that nobody has created (`created = false`) creates it here.",
	},
	{
		name: "startup", kind: durationKind, def: `"10s"`,
		doc: "From the start of the process to its open port and first registration.",
	},
	{
		name: "cold_factor", kind: number(1, 1e6), def: "1",
		doc: "Multiplies the service time of a process that has just started, 1 to 1e6; it falls to 1 " +
			"evenly over `cold_for`.",
	},
	{
		name: "cold_for", kind: durationKind, def: `"0s"`,
		doc: "How long a process that has just started is cold.",
	},
	{
		name: "behaviours", kind: brokerBehaviours.list(), defDoc: "the release's",
		doc: "Named behaviours that differ from its release's, each `\"name=value\"`, see " +
			"[versions.md](versions.md).",
	},
}

// sendThreads and flushTimed are defaults of the release, on a host with 4 cores or more.
func sendThreads(_ *loader, t *table) string {
	return strconv.Itoa(releases.DefaultSendThreads(get[string](t, "release"), 4))
}

func flushTimed(_ *loader, t *table) string {
	return strconv.FormatBool(releases.DefaultFlushTimed(get[string](t, "release")))
}

// ofReleases is the default of a setting whose absence means something else.
func ofReleases(since, until, def string) func(*loader, *table) string {
	return func(_ *loader, t *table) string {
		if hasSetting(t, since, until) {
			return def
		}
		return ""
	}
}
