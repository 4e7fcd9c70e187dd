package main

import (
	"flag"
	"math/rand/v2"
	"testing"

	"simrun/model/config"
	"simrun/sim"
	"simrun/strategy"
)

var related = flag.Int("related", 24, "number of random scenarios that each relation is held against")

// Relations between runs hold on random scenarios, whatever their releases, loads and faults.
func TestRelations(t *testing.T) {
	t.Parallel()
	known := newGrammar()
	for i := range relations {
		rel := &relations[i]
		applied, parted := 0, 0
		for seed := uint64(1); seed <= uint64(*related); seed++ {
			cfg := relatedConfig(t, seed, known)
			v := verdict{}
			r := rand.New(rand.NewPCG(seed, 2))
			if v.relate(rel, cfg, r) {
				applied++
			}
			if a, b, ok := rel.pair(cfg, r); ok && rel.until {
				if _, differ := mustTape(t, &a).parts(mustTape(t, &b), sim.Never); differ {
					parted++
				}
			}
			if v.problem != "" {
				t.Errorf("campaign seed %d: %s", seed, v.problem)
			}
		}
		if applied < *related/2 {
			t.Errorf("%s: only %d of %d scenarios", rel.name, applied, *related)
		}
		if rel.until && parted < *related/4 {
			t.Errorf("%s: only %d of %d scenarios part later", rel.name, parted, *related)
		}
	}
}

// relatedConfig is a random scenario, cut to a length that a test has time for.
func relatedConfig(t *testing.T, seed uint64, known *grammar) *config.Config {
	t.Helper()
	doc, _ := generate(seed, known)
	sc, err := known.accept(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &sc.Config
}

// Avoidance is plain round robin in every release, thread-local index and all, to the very end of a run
// in which nothing fails and nothing takes as long as the first latencyMax with a duration; and it is not
// any more when something does. (The tables of all releases begin to isolate at 550 ms; 549 ms may show
// as 550 on a clock of milliseconds.)
func TestAvoidanceIsRoundRobinInEveryRelease(t *testing.T) {
	t.Parallel()
	for _, release := range strategy.Releases() {
		for _, c := range []struct {
			slowest string
			same    bool
		}{{"548ms", true}, {"700ms", false}} {
			text := "duration = \"20s\"\nrelease = \"" + release + "\"\n[network]\nlatency = \"0s\"\n"
			for _, b := range []string{"a", "b", "c"} {
				text += "[broker." + b + "]\nsend_message_thread_pool_nums = 1024\nappend = \"0s\"\n" +
					"service = { dist = \"uniform\", min = \"1ms\", max = \"" + c.slowest + "\" }\n"
			}
			sc, err := load(text + "[producer.p]\ncount = 2\nthreads = 200\nrate = \"40/s\"\n")
			if err != nil {
				t.Fatal(err)
			}
			a, b, _ := avoidingOrNot(&sc.Config, nil)
			on, off := mustTape(t, &a), mustTape(t, &b)
			at, differ := on.parts(off, sim.Never)
			if differ == c.same || c.same && on.trouble != sim.Never {
				t.Errorf("%s, up to %s: differ %v at %v, trouble at %v", release, c.slowest, differ, at,
					on.trouble)
			}
		}
	}
}

func mustTape(t *testing.T, cfg *config.Config) *tape {
	t.Helper()
	x, err := tapeOf(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if x.problem != "" {
		t.Error(x.problem)
	}
	return x
}
