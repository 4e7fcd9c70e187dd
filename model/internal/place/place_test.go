package place_test

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/model/internal/place"
)

// targets are all processes and instances of a configuration, in the order of endpoints.
func targets(cfg *config.Config) (all []config.Target) {
	for i := range cfg.Brokers {
		for id := range 1 + cfg.Brokers[i].Slaves {
			all = append(all, config.Target{Kind: config.BrokerTarget, Index: i, ID: id})
		}
	}
	for i := range cfg.NameServers {
		all = append(all, config.Target{Kind: config.NameServerTarget, Index: i})
	}
	for i := range cfg.Producers {
		for id := range cfg.Producers[i].Count {
			all = append(all, config.Target{Kind: config.ProducerTarget, Index: i, ID: id})
		}
	}
	return all
}

// world is two name servers, three brokers of which one has slaves, and two groups.
func world() config.Config {
	cfg := configtest.Small("5.3.3", 3)
	cfg.Brokers[1].Slaves = 2
	cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: "5.3.3"})
	cfg.Producers = append(cfg.Producers, cfg.Producers[0])
	cfg.Producers[1].Name, cfg.Producers[1].Count = "q", 3
	return cfg
}

// Endpoints number the targets, each once, and lead back to them.
func TestEndpointsAreTargets(t *testing.T) {
	cfg := world()
	m := place.New(&cfg)
	all := targets(&cfg)
	if m.Len() != len(all) {
		t.Fatalf("%d endpoints, want %d", m.Len(), len(all))
	}
	for want, target := range all {
		e := m.Endpoint(target)
		if e != int32(want) || m.Target(e) != target {
			t.Errorf("%+v is at %d and that is %+v, want %d", target, e, m.Target(e), want)
		}
		if m.IsInstance(e) != (target.Kind == config.ProducerTarget) ||
			m.IsNameServer(e) != (target.Kind == config.NameServerTarget) {
			t.Errorf("%+v: an instance %v, a name server %v", target, m.IsInstance(e), m.IsNameServer(e))
		}
	}
}

// Hosts of the configuration come first; who is on none has one to himself.
func TestEveryoneHasAHost(t *testing.T) {
	cfg := world()
	shared := []config.Target{{Index: 2}, {Kind: config.ProducerTarget, Index: 1, ID: 2}}
	cfg.Hosts = []config.Host{{Name: "h", Runs: shared}}
	m := place.New(&cfg)
	if m.Hosts() != m.Len()-1 || len(m.Runs(0)) != 2 {
		t.Errorf("%d hosts for %d endpoints, of which %v share one", m.Hosts(), m.Len(), m.Runs(0))
	}
	seen := 0
	for h := range m.Hosts() {
		for _, e := range m.Runs(int32(h)) {
			seen++
			if m.Host(e) != int32(h) {
				t.Errorf("endpoint %d runs on %d and stands on %d", e, h, m.Host(e))
			}
		}
	}
	if seen != m.Len() {
		t.Errorf("%d of %d endpoints stand on a host", seen, m.Len())
	}
}

// A way between two zones is the same in both directions, and there is none from a zone to itself, to one
// that is not linked or to nowhere. Who is on a host is in its zone.
func TestWays(t *testing.T) {
	cfg := world()
	cfg.Zones = []config.Zone{
		{Name: "here", Runs: []config.Target{{Index: 0}}},
		{Name: "there"},
		{Name: "alone", Runs: []config.Target{{Index: 1, ID: 1}}},
	}
	cfg.Hosts = []config.Host{{Name: "h", Zone: "there", Runs: []config.Target{{Index: 2}}}}
	cfg.ZoneLinks = []config.ZoneLink{{Name: "l", A: "there", B: "here"}}
	m := place.New(&cfg)
	here, there := m.Endpoint(config.Target{Index: 0}), m.Endpoint(config.Target{Index: 2})
	alone, nowhere := m.Endpoint(config.Target{Index: 1, ID: 1}), m.Endpoint(config.Target{Index: 1})
	for _, c := range []struct{ a, b, want int32 }{
		{here, there, 0},
		{here, here, place.None},
		{here, alone, place.None},
		{there, nowhere, place.None},
		{nowhere, nowhere, place.None},
	} {
		if to, back := m.Way(c.a, c.b), m.Way(c.b, c.a); to != c.want || back != c.want {
			t.Errorf("from %d to %d: %d and %d, want %d", c.a, c.b, to, back, c.want)
		}
	}
}
