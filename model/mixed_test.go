package model

import (
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// What is the client's in a mixed cluster follows the client's release, what is the broker's follows
// the broker's: a 4.9.8 client does not see the FIN of a 5.3.3 broker, and a 5.3.3 client sees that of
// a 4.9.8 broker, whatever the other releases do.
func TestClientOfOneReleaseOnClusterOfAnother(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ client, cluster, want string }{
		{"4.9.8", "5.3.3", "after 3.00s, 1 attempts: MQClientException 10002"},
		{"5.3.3", "4.9.8", "after 0.30s, 1 attempts: MQClientException -1"},
		{"4.2.0", "5.3.3", "after 3.00s, 1 attempts: MQClientException 10002"},
		{"5.1.3", "4.2.0", "after 0.30s, 1 attempts: MQClientException -1"},
	} {
		s := releaseStory(2, 0, 3000)
		s.cfg.Brokers[0].Service = must(sim.Constant(sim.Hour))
		s.strikes(config.Kill, 0, 2300*sim.Millisecond, 0)
		s.sends = []wireSend{{2 * sim.Second, 0}}
		s.servers = tt.cluster
		if got := s.told(t, tt.client, 20*sim.Second); !slices.Equal(got, []string{tt.want}) {
			t.Errorf("client %s on %s: %q, want %q", tt.client, tt.cluster, got, tt.want)
		}
	}
}

// Every release runs through faults beside brokers and name servers of others, and every column of the
// ledger sums at every second.
func TestMixedReleasesKeepTheLedger(t *testing.T) {
	t.Parallel()
	releases := strategy.Releases()
	at := func(i int) string { return releases[i%len(releases)] }
	for i := range releases {
		cfg := configtest.Small(at(i), 4)
		cfg.Duration = 12 * sim.Second
		cfg.Producers[0].Rate = 200
		cfg.Producers[0].Settings.SendLatencyFaultEnable = true
		other := cfg.Producers[0]
		other.Name, other.Release = "q", at(i+5)
		cfg.Producers = append(cfg.Producers, other)
		cfg.NameServers[0].Release = at(i + 29)
		for b := range cfg.Brokers {
			cfg.Brokers[b].Release, cfg.Brokers[b].Slaves = at(i+11*b), b%2
			cfg.Brokers[b].Flush = config.FlushDiskType(b % 2)
		}
		for b, kind := range []config.FaultKind{config.PowerLoss, config.Kill, config.Pause} {
			cfg.Faults = append(cfg.Faults, config.Fault{
				Name: kind.String(), Kind: kind, Targets: []config.Target{{Index: b}},
				At: sim.Duration(2+b) * sim.Second, Duration: 4 * sim.Second,
			})
		}
		runWorld(t, cfg, nil)
	}
}
