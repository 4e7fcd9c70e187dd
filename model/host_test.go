package model

import (
	"testing"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// routeObserver notes when instances drop broker 0 from their publish list.
type routeObserver struct {
	NopObserver
	gone map[int32]sim.Time
}

func (o *routeObserver) RouteChanged(r *RouteChange) {
	if !r.Brokers[0] {
		if _, was := o.gone[r.Instance]; !was {
			o.gone[r.Instance] = r.At
		}
	} else {
		delete(o.gone, r.Instance)
	}
}

// What strikes a machine strikes all on it, and nothing else.
func TestPowerIsOfTheHost(t *testing.T) {
	t.Parallel()
	cfg := configtest.Small("5.3.3", 3)
	cfg.Brokers[1].Slaves = 1
	cfg.Hosts = []config.Host{{Name: "h", Runs: names(config.Target{}, config.Target{Index: 1, ID: 1},
		firstServer)}}
	cfg.Faults = []config.Fault{
		{
			Name: "f", Kind: config.PowerLoss, Targets: names(config.Target{}), At: 10 * sim.Second,
			Duration: 10 * sim.Second,
		},
		{
			Name: "g", Kind: config.PowerLoss, Targets: names(config.Target{Index: 1, ID: 1}), At: 15 * sim.Second,
			Duration: 10 * sim.Second,
		},
	}
	w := New(cfg, nil)
	dark := map[config.Target]bool{{}: true, {Index: 1, ID: 1}: true, firstServer: true}
	for _, c := range []struct {
		at  sim.Duration
		off bool
	}{{9 * sim.Second, false}, {12 * sim.Second, true}, {22 * sim.Second, true}, {30 * sim.Second, false}} {
		runTo(t, w, c.at)
		for p := range w.procs {
			target := w.places.Target(int32(p))
			want := c.off && dark[target]
			if off := !w.poweredAt(int32(p)); off != want || w.procs[p].running == want {
				t.Errorf("at %v: %s is off: %v, runs: %v", c.at, cfg.TargetName(target), off,
					w.procs[p].running)
			}
		}
	}
}

// A broker cut off from the name servers serves its clients all the while. The name servers lose it 90
// to 120 s after the cut, clients within the next poll (broker.md §5: the idle close at 120 s after the
// last registration precedes the scan), and it is back a registration and a poll after the cut has
// healed.
func TestBrokerCutOffFromNameServers(t *testing.T) {
	t.Parallel()
	for _, release := range testReleases {
		cfg := configtest.Small(release, 2)
		cfg.NameServers = append(cfg.NameServers, config.NameServer{Name: "n2", Release: release})
		p := &cfg.Producers[0]
		p.Count, p.Rate = 8, 20
		const at, heals = 40 * sim.Second, 300 * sim.Second
		cfg.Duration = 420 * sim.Second
		cfg.Faults = []config.Fault{{
			Name: "f", Kind: config.Partition, Targets: names(config.Target{}), At: at, Duration: heals - at,
			To: names(firstServer, config.Target{Kind: config.NameServerTarget, Index: 1}),
		}}
		o := &cutOffObserver{routeObserver: routeObserver{gone: map[int32]sim.Time{}}}
		w := New(cfg, o)
		runTo(t, w, heals)
		for i := range int32(p.Count) {
			gone, is := o.gone[i]
			if !is || gone < sim.Time(at+85*sim.Second) || gone > sim.Time(at+151*sim.Second) {
				t.Errorf("%s: instance %d drops the route: %v, at %v", release, i, is, gone)
			}
		}
		runTo(t, w, heals+66*sim.Second)
		if len(o.gone) > 0 {
			t.Errorf("%s: %v have not got the route back", release, o.gone)
		}
		if o.failed > 0 {
			t.Errorf("%s: %d attempts failed", release, o.failed)
		}
	}
}

type cutOffObserver struct {
	routeObserver
	failed int
}

func (o *cutOffObserver) AttemptEnded(a *Attempt) {
	if a.Outcome.Kind != strategy.OutcomeOK {
		o.failed++
	}
}
