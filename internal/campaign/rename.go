package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf16"

	"simrun/model/config"
)

// renamed gives the brokers other names of the same order. Java knows three orders of names: that of
// strings, in which clients list brokers, and those of hash maps of two sizes: fault items that tie come
// to stand so in 4.9.4 to 5.1.3 (and probes in all releases), and routes as name servers give them, which
// the Go client does not sort to 2.1.1. New names keep all three.
func renamed(cfg *config.Config, r *rand.Rand) (a, b config.Config, applies bool) {
	names := make([]string, len(cfg.Brokers))
	for i := range cfg.Brokers {
		names[i] = cfg.Brokers[i].Name
	}
	for range 10_000 {
		if other := namesLike(names, r); sameHashOrder(names, other) {
			return *cfg, withNames(cfg, names, other), true
		}
	}
	return a, b, false
}

// namesLike are random names in the order of some names.
func namesLike(names []string, r *rand.Rand) []string {
	drawn := map[string]bool{}
	var sorted []string
	for len(sorted) < len(names) {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)])
		}
		if name := b.String(); !drawn[name] {
			drawn[name] = true
			sorted = append(sorted, name)
		}
	}
	slices.Sort(sorted)
	order := slices.Sorted(slices.Values(names))
	other := make([]string, len(names))
	for i, name := range names {
		place, _ := slices.BinarySearch(order, name)
		other[i] = sorted[place]
	}
	return other
}

// sameHashOrder says whether Java's maps go through two lists of names in the same order, whatever the
// order in which they are put into it. With so few names, a HashMap has 16 bins, and the
// ConcurrentHashMap of the fault table 32.
//
// Source: java.util.HashMap.hash, java.util.concurrent.ConcurrentHashMap.spread and
// java.lang.String.hashCode, OpenJDK 8.
func sameHashOrder(names, others []string) bool {
	for i := range names {
		for j := range i {
			for _, bins := range []uint32{16, 32} {
				was, is := bin(names[i], bins)-bin(names[j], bins), bin(others[i], bins)-bin(others[j], bins)
				if (was < 0) != (is < 0) || (was > 0) != (is > 0) {
					return false
				}
			}
		}
	}
	return true
}

func bin(name string, bins uint32) int {
	var h uint32
	for _, u := range utf16.Encode([]rune(name)) {
		h = 31*h + uint32(u)
	}
	return int((h ^ h>>16) & (bins - 1))
}

// withNames is a configuration with other names for its brokers.
func withNames(cfg *config.Config, names, others []string) config.Config {
	other := func(name string) string {
		if i := slices.Index(names, name); i >= 0 {
			return others[i]
		}
		return name
	}
	c := *cfg
	c.Brokers, c.Topics = slices.Clone(cfg.Brokers), slices.Clone(cfg.Topics)
	c.Producers = slices.Clone(cfg.Producers)
	for i := range c.Brokers {
		c.Brokers[i].Name = other(c.Brokers[i].Name)
	}
	for i := range c.Topics {
		on := slices.Clone(c.Topics[i].Brokers)
		for j := range on {
			on[j] = other(on[j])
		}
		c.Topics[i].Brokers = on
	}
	for i := range c.Producers {
		c.Producers[i].Queue.Broker = other(c.Producers[i].Queue.Broker)
	}
	return c
}
