package model

import (
	"testing"

	"simrun/model/config"
	"simrun/sim"
)

func must(s sim.Sampler, err error) sim.Sampler {
	if err != nil {
		panic(err)
	}
	return s
}

// testReleases are the releases that tests of what all releases share run with: the last of each line.
var testReleases = []string{"4.9.8", "5.3.3"}

// runWorld runs a configuration to its end, checking the invariants each simulated second.
func runWorld(t testing.TB, cfg config.Config, obs Observer) *World {
	t.Helper()
	w := New(cfg, obs)
	for at := sim.Time(0); at <= sim.Time(cfg.Duration); at += sim.Time(sim.Second) {
		if err := w.RunUntil(at); err != nil {
			t.Fatal(err)
		}
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// runTo runs a world to a time without looking at it on the way.
func runTo(t testing.TB, w *World, to sim.Duration) {
	t.Helper()
	if err := w.RunUntil(sim.Time(to)); err != nil {
		t.Fatal(err)
	}
}
