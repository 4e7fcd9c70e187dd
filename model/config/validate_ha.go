package config

import "simrun/model/releases"

// replication checks what Broker says about its slaves and the waits for them.
func (c *checker) replication(path string, b *Broker) {
	c.say(b.SlaveFallbehindMax >= 0, path+"ha_slave_fallbehind_max", "must not be negative")
	c.say(b.HAHousekeepingInterval >= 0, path+"ha_housekeeping_interval", "must not be negative")
	c.say(b.HAHeartbeatInterval >= 0, path+"ha_send_heartbeat_interval", "must not be negative")
	c.say(b.ReplicationBandwidth >= 0, path+"replication_bandwidth", "must not be negative")
	c.say(b.InSyncReplicas >= 0 && b.InSyncReplicas <= maxSlaves+1, path+"in_sync_replicas",
		"%d is not within 0 to %d", b.InSyncReplicas, maxSlaves+1)
	profile, err := b.Profile()
	waits := err == nil &&
		(profile.ReplicaWait == releases.WaitPolled || profile.ReplicaWait == releases.WaitExact)
	c.say(b.Role != SyncMaster || !waits || b.SlaveTimeout > 0, path+"slave_timeout",
		"must be longer than 0")
	if b.HAHousekeepingInterval > 0 && b.HAHeartbeatInterval >= b.HAHousekeepingInterval {
		c.problems = append(c.problems, Problem{
			Path:    path + "ha_send_heartbeat_interval",
			Message: "is not shorter than ha_housekeeping_interval: quiet connections end again and again",
			Warning: true,
		})
	}
}
