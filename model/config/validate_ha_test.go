package config_test

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

func TestValidateNamesMistakesOfReplication(t *testing.T) {
	checkMistakes(t, []mistake{
		{
			"broker.b01.ha_slave_fallbehind_max", "must not be negative",
			broker(func(b *config.Broker) { b.SlaveFallbehindMax = -1 }),
		},
		{
			"broker.b01.ha_housekeeping_interval", "must not be negative",
			broker(func(b *config.Broker) { b.HAHousekeepingInterval = -1 }),
		},
		{
			"broker.b01.ha_send_heartbeat_interval", "must not be negative",
			broker(func(b *config.Broker) { b.HAHeartbeatInterval = -1 }),
		},
		{
			"broker.b01.replication_bandwidth", "must not be negative",
			broker(func(b *config.Broker) { b.ReplicationBandwidth = -1 }),
		},
		{
			"broker.b01.in_sync_replicas", "10 is not within 0 to 9",
			broker(func(b *config.Broker) { b.InSyncReplicas = 10 }),
		},
		{
			"broker.b01.slave_timeout", "must be longer than 0",
			broker(func(b *config.Broker) { b.Role = config.SyncMaster }),
		},
	})
	cfg := goodConfig()
	cfg.Brokers[0].HAHousekeepingInterval, cfg.Brokers[0].HAHeartbeatInterval = sim.Second, sim.Second
	if p := cfg.Validate(); len(p) != 1 || !p[0].Warning {
		t.Errorf("a heartbeat that is too slow: %v", p)
	}
}
