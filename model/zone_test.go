package model

import (
	"slices"
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// Zones and the ways between them, by hand.

const zoneWay = 30 * sim.Millisecond

// zonedConfig has the producers in one zone, 30 ms from the other, in which is what runs says.
func zonedConfig(release string, brokers int, runs ...config.Target) config.Config {
	cfg := configtest.Small(release, brokers)
	cfg.Zones = []config.Zone{
		{Name: "here", Runs: []config.Target{{Kind: config.ProducerTarget}}}, {Name: "empty"}, {
			Name: "there",
			Runs: runs,
		},
	}
	cfg.ZoneLinks = []config.ZoneLink{{Name: "l", A: "there", B: "here", Latency: must(sim.Constant(zoneWay))}}
	cfg.Producers[0].Rate = 20
	return cfg
}

// A request and its answer take the way between the zones, each once; a broker that is in no zone is as far
// as ever. Handshakes take it, too: to find a port closed takes a round trip.
func TestSendsTakeTheWayBetweenZones(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := zonedConfig(release, 2, config.Target{Index: 0})
		cfg.Duration = 20 * sim.Second
		cfg.Faults = []config.Fault{{
			Name: "kill", Kind: config.Kill, Targets: []config.Target{{Index: 0}}, At: 10 * sim.Second,
			Duration: sim.Second,
		}}
		var log attemptLog
		runWorld(t, cfg, &log)
		const service = 400 * sim.Microsecond
		var connects, refused int
		for _, a := range log.attempts {
			took, one := a.Ended.Sub(a.Began), 100*sim.Microsecond
			if a.Queue.Broker == 0 {
				one = zoneWay
			}
			down := a.Began >= sim.Time(10*sim.Second)-sim.Time(one) && a.Queue.Broker == 0
			switch {
			case !down && took != 2*one+service:
				t.Errorf("%s: an attempt at broker %d took %v", release, a.Queue.Broker, took)
			case down && took == 4*one+service:
				connects++
			case down && a.Outcome.Kind == strategy.OutcomeConnectFailed && took == 2*one:
				refused++
			}
		}
		if connects == 0 || refused == 0 {
			t.Errorf("%s: %d sends with a handshake, %d refused", release, connects, refused)
		}
	}
}

// A lookup takes the way to the name server and back.
func TestLookupsTakeTheWayBetweenZones(t *testing.T) {
	t.Parallel()
	cfg := zonedConfig("5.3.3", 1, config.Target{Kind: config.NameServerTarget})
	cfg.Topics[0].Absent = true
	cfg.Brokers[0].AutoCreateTopic = true
	var log attemptLog
	runWorld(t, cfg, &log)
	// Its own topic, which nobody knows, and then the default one.
	if a := log.attempts[0]; a.Began.Sub(a.Scheduled) != 4*zoneWay {
		t.Errorf("the first send began %v after it was meant to", a.Began.Sub(a.Scheduled))
	}
}

// The answer of a SYNC_MASTER waits for bytes that go to the slave's zone and for a report that comes back.
func TestReplicationTakesTheWayBetweenZones(t *testing.T) {
	t.Parallel()
	cfg := zonedConfig("4.9.8", 1, config.Target{ID: 1})
	cfg.Brokers[0].Slaves, cfg.Brokers[0].Role = 1, config.SyncMaster
	cfg.Brokers[0].SlaveTimeout = 3 * sim.Second
	cfg.Zones[0].Runs = append(cfg.Zones[0].Runs, config.Target{})
	cfg.Producers[0].Rate = 5
	var log attemptLog
	runWorld(t, cfg, &log)
	for _, a := range log.attempts {
		took := a.Ended.Sub(a.Began)
		if short := 2*zoneWay + 600*sim.Microsecond; took < short || took > short+2*sim.Millisecond {
			t.Errorf("an attempt took %v, want %v", took, short)
		}
	}
	if len(log.attempts) < 200 {
		t.Errorf("%d attempts", len(log.attempts))
	}
}

// Ways that nothing takes change nothing, nor do ways as long as any; a way to a slave that nobody waits for
// leaves all sends alone.
func TestOtherWaysChangeNothing(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := restless(release)
		plain := record(t, cfg)
		cfg.Zones = []config.Zone{
			{Name: "a", Runs: []config.Target{
				{Index: 1},
				{Kind: config.ProducerTarget},
				{Kind: config.NameServerTarget},
			}}, {Name: "b"},
		}
		cfg.ZoneLinks = []config.ZoneLink{{Name: "l", A: "a", B: "b", Latency: must(sim.Constant(sim.Second))}}
		checkSameLines(t, "an empty zone", plain.lines, record(t, cfg).lines)
		cfg.Zones[1].Runs = []config.Target{{Index: 0}, {Index: 2}, {Kind: config.ProducerTarget, ID: 2}}
		cfg.ZoneLinks[0].Latency = cfg.Network.Latency
		checkSameLines(t, "the same latency", plain.lines, record(t, cfg).lines)

		quiet := configtest.Small(release, 2)
		quiet.Duration = 20 * sim.Second
		quiet.Brokers[0].Slaves = 1
		plain = record(t, quiet)
		quiet.Zones = []config.Zone{
			{Name: "a", Runs: []config.Target{{}}},
			{Name: "b", Runs: []config.Target{{ID: 1}}},
		}
		quiet.ZoneLinks = []config.ZoneLink{{Name: "l", A: "a", B: "b", Latency: must(sim.Constant(zoneWay))}}
		if r := record(t, quiet); !slices.Equal(plain.messages(), r.messages()) {
			t.Errorf("%s: a slave far away changes sends", release)
		}
	}
}

func TestValidateZoneLinks(t *testing.T) {
	t.Parallel()
	good := must(sim.Constant(zoneWay))
	link := func(name, a, b string, latency sim.Sampler) config.ZoneLink {
		return config.ZoneLink{Name: name, A: a, B: b, Latency: latency}
	}
	mistake := func(name, key, message string) config.Problem {
		return config.Problem{Path: "zone_link." + name + "." + key, Message: message}
	}
	for _, c := range []struct {
		links []config.ZoneLink
		want  config.Problem
	}{
		{[]config.ZoneLink{link("l", "here", "dort", good)}, mistake("l", "zones", `there is no zone "dort"`)},
		{
			[]config.ZoneLink{link("l", "here", "here", good)},
			mistake("l", "zones", `it leads from "here" to itself`),
		},
		{[]config.ZoneLink{link("l", "here", "there", nil)}, mistake("l", "latency", "is missing")},
		{
			[]config.ZoneLink{link("l", "here", "there", good), link("m", "there", "here", good)},
			mistake("m", "zones", "zone_link.l is between the same zones"),
		},
	} {
		cfg := zonedConfig("5.3.3", 1)
		cfg.ZoneLinks = c.links
		if got := cfg.Validate(); len(got) != 1 || got[0] != c.want {
			t.Errorf("%+v: %+v", c.want, got)
		}
	}
}
