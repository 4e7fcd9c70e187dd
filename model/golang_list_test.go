package model

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

// brokersOf are the brokers of an instance's first publish list, in order.
func brokersOf(w *World, i int32) (names []string) {
	for _, q := range w.views[w.insts[i].firstView].route.Queues {
		if q.ID == 0 {
			names = append(names, w.names[q.Broker])
		}
	}
	return names
}

// TestGoListOrder is rocketmq-client-go #795 and #1092 (H5): to 2.1.2 the publish list is in the order of
// the name server's answer, or backwards, so that a key can go to another broker from another machine;
// the head sorts it by name. Name servers to 4.9.3 name brokers in the order in which they came, which
// two of them need not share; later ones in that of a HashMap.
func TestGoListOrder(t *testing.T) {
	names := []string{"broker-a", "broker-b", "broker-c", "broker-d"}
	// String.hashCode ends in …6 to …9 for these, of which HashMap takes 4 bits: recomputed by hand.
	hashed := slices.Clone(names)
	slices.SortFunc(hashed, func(a, b string) int {
		bin := func(s string) uint32 {
			h := uint32(0)
			for _, c := range []byte(s) {
				h = 31*h + uint32(c)
			}
			return (h ^ h>>16) & 15
		}
		return cmp.Compare(bin(a), bin(b))
	})
	seen := map[string]bool{}
	for seed := range uint64(20) {
		for _, release := range strategy.GoReleases() {
			for _, ns := range []string{"4.9.3", "5.3.3"} {
				cfg := goConfig(release, 4)
				cfg.Seed = seed
				cfg.NameServers = []config.NameServer{{Name: "n1", Release: ns}}
				for b := range cfg.Brokers {
					cfg.Brokers[b].Name = names[b]
				}
				got := brokersOf(New(cfg, nil), 0)
				switch {
				case release == strategy.GoHead:
					if !slices.Equal(got, names) {
						t.Errorf("head: %v", got)
					}
				case ns == "5.3.3":
					want := slices.Clone(hashed)
					if release != "2.1.2" {
						slices.Reverse(want)
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s: %v, want %v", release, got, want)
					}
				case release == "2.1.2":
					seen[strings.Join(got, " ")] = true
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("20 histories of registration gave %d orders", len(seen))
	}
}

// TestGoListOrderAfterRestart: a broker that registers anew with a name server of 4.9.3 is the last that
// it names.
func TestGoListOrderAfterRestart(t *testing.T) {
	cfg := goConfig("2.1.2", 3)
	cfg.NameServers[0].Release = "4.9.3"
	first := brokersOf(New(cfg, nil), 0)
	b := int32(slices.IndexFunc(cfg.Brokers, func(b config.Broker) bool { return b.Name == first[0] }))
	cfg.Duration = 200 * sim.Second
	cfg.Faults = []config.Fault{{
		Name: "kill", Kind: config.Kill, At: 40 * sim.Second, Duration: 60 * sim.Second, Targets: master(int(b)),
	}}
	w := runWorld(t, cfg, nil)
	want := []string{first[1], first[2], first[0]}
	if got := brokersOf(w, 0); !slices.Equal(got, want) {
		t.Errorf("%v became %v, want %v", first, got, want)
	}
}

// TestGoOrderedTopic: the head's publish list follows an ORDER_TOPIC_CONFIG, and so keeps a broker that
// cannot be written to; to 2.1.2 the client does not read it.
func TestGoOrderedTopic(t *testing.T) {
	for _, release := range strategy.GoReleases() {
		cfg := goConfig(release, 3)
		cfg.Topics[0].Ordered = true
		cfg.Topics[0].Brokers = []string{"b02", "b00", "b01"}
		cfg.Brokers[0].Permission = 4
		got := strings.Join(brokersOf(New(cfg, nil), 0), " ")
		if follows := got == "b02 b00 b01"; follows != (release == strategy.GoHead) {
			t.Errorf("%s: %s", release, got)
		}
	}
}
