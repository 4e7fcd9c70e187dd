package config

// store checks what Broker says about its send path, its flushing and its pool.
func (c *checker) store(path string, b *Broker) {
	c.say(b.QueueCapacity >= 0, path+"send_thread_pool_queue_capacity", "must not be negative")
	c.say(!b.FastFailure || b.WaitTimeInQueue > 0, path+"wait_time_mills_in_send_queue",
		"must be longer than 0")
	c.say(b.PageCacheBusyTimeout >= 0, path+"os_page_cache_busy_time_out_mills",
		"must not be negative")
	c.say(b.LogSize >= 0, path+"log_size", "must not be negative")
	if !b.TransientStorePool {
		return
	}
	c.say(b.CommitInterval > 0, path+"commit_interval_commit_log", "must be longer than 0")
	c.say(b.CommitLeastPages >= 0, path+"commit_commit_log_least_pages", "must not be negative")
	c.say(b.CommitThoroughInterval >= 0, path+"commit_commit_log_thorough_interval",
		"must not be negative")
}
