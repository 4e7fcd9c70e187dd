package scenarios

import (
	"simrun/model/config"
	"simrun/sim"
)

// broker is the broker of a table.
func broker(t *table) config.Broker {
	timed := get[bool](t, "flush_commit_log_timed")
	duration := func(name string) sim.Duration { return get[sim.Duration](t, name) }
	return config.Broker{
		Name:                   t.name,
		Release:                get[string](t, "release"),
		Role:                   config.BrokerRole(get[int](t, "broker_role")),
		Flush:                  config.FlushDiskType(get[int](t, "flush_disk_type")),
		Behaviours:             get[[]string](t, "behaviours"),
		Slaves:                 get[int](t, "slaves"),
		SendThreads:            get[int](t, "send_message_thread_pool_nums"),
		QueueCapacity:          get[int](t, "send_thread_pool_queue_capacity"),
		FastFailure:            get[bool](t, "broker_fast_failure_enable"),
		WaitTimeInQueue:        duration("wait_time_mills_in_send_queue"),
		Service:                sampler(t, "service"),
		Append:                 sampler(t, "append"),
		PageCacheBusyTimeout:   duration("os_page_cache_busy_time_out_mills"),
		Fsync:                  sampler(t, "fsync"),
		FlushInterval:          duration("flush_interval_commit_log"),
		FlushLeastPages:        get[int](t, "flush_commit_log_least_pages"),
		FlushThoroughInterval:  duration("flush_commit_log_thorough_interval"),
		FlushTimed:             &timed,
		SyncFlushTimeout:       duration("sync_flush_timeout"),
		LogSize:                get[int64](t, "commit_log_size"),
		TransientStorePool:     get[bool](t, "transient_store_pool_enable"),
		CommitInterval:         duration("commit_interval_commit_log"),
		CommitLeastPages:       get[int](t, "commit_commit_log_least_pages"),
		CommitThoroughInterval: duration("commit_commit_log_thorough_interval"),
		SlaveTimeout:           duration("slave_timeout"),
		SlaveFallbehindMax: max(get[int64](t, "ha_slave_fallbehind_max"),
			get[int64](t, "ha_max_gap_not_in_sync")),
		HAHousekeepingInterval: duration("ha_housekeeping_interval"),
		HAHeartbeatInterval:    duration("ha_send_heartbeat_interval"),
		InSyncReplicas:         get[int](t, "in_sync_replicas"),
		MinInSyncReplicas:      get[int](t, "min_in_sync_replicas"),
		ReplicationBandwidth:   get[float64](t, "replication_bandwidth"),
		RegisterPeriod:         duration("register_name_server_period"),
		Permission:             get[int](t, "broker_permission"),
		AutoCreateTopic:        get[bool](t, "auto_create_topic_enable"),
		Startup:                duration("startup"),
		ColdFactor:             get[float64](t, "cold_factor"),
		ColdFor:                duration("cold_for"),
	}
}

// brokerWarnings says which settings of a broker mean nothing together.
func (a *assembly) brokerWarnings(t *table, b *config.Broker) {
	warn := func(key, format string, args ...any) {
		path := t.path + "." + key
		if t.vals[key].bad {
			return
		}
		a.l.failAt(path, path+" "+format, args...).Warning = true
	}
	isV4 := !hasSetting(t, "5.0.0", "")
	if b.TransientStorePool && b.Flush == config.SyncFlush && isV4 {
		warn("transient_store_pool_enable", "changes nothing: 4.x has no pool under SYNC_FLUSH")
	}
	switch n := b.InSyncReplicas; {
	case n <= 1:
	case b.Role == config.AsyncMaster:
		warn("in_sync_replicas", "changes nothing: an ASYNC_MASTER waits for no slave")
	case n > 1+b.Slaves:
		warn("in_sync_replicas", "is %d, but the broker has %s: no send can get the acknowledgements "+
			"it waits for", n, slaveCount(b.Slaves))
	}
	const notRead = "changes nothing: only controller mode and slave acting master read it, which " +
		"are not modelled"
	for _, key := range []string{"ha_max_gap_not_in_sync", "min_in_sync_replicas"} {
		if v := t.vals[key]; v.text != v.def {
			warn(key, notRead)
		}
	}
	if b.ColdFactor > 1 && b.ColdFor == 0 && !t.vals["cold_for"].bad {
		warn("cold_factor", "changes nothing without cold_for")
	}
}
