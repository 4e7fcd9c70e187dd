package model

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/model/config"
	"simrun/model/config/configtest"
	"simrun/sim"
	"simrun/strategy"
)

// outages is a cluster with capacity to spare in which some brokers are killed together, refuse what
// comes to them from then on, and come back together, if at all: as random as the relation of retries
// allows. Where one more dies, or one comes back before the others, a thread that is ahead may be ahead at
// the wrong moment, which costs it a send.
func outages(rt *rapid.T, release string) config.Config {
	cfg := configtest.Small(release, rapid.IntRange(2, 7).Draw(rt, "brokers"))
	cfg.Seed, cfg.Duration = rapid.Uint64().Draw(rt, "seed"), 40*sim.Second
	cfg.Topics[0].WriteQueueNums = rapid.IntRange(1, 5).Draw(rt, "queues")
	startup := rapid.SampledFrom([]sim.Duration{0, sim.Second}).Draw(rt, "startup")
	for i := range cfg.Brokers {
		cfg.Brokers[i].SendThreads, cfg.Brokers[i].Startup = config.MaxThreads, startup
	}
	kill := config.Fault{
		Name: "kill", Kind: config.Kill, At: drawInstant(rt, "at", 20*sim.Second),
		Duration: rapid.SampledFrom([]sim.Duration{0, 10 * sim.Second, 25 * sim.Second}).Draw(rt, "lasts"),
	}
	for b := range cfg.Brokers {
		if rapid.Bool().Draw(rt, "dies") || b == len(cfg.Brokers)-1 && len(kill.Targets) == 0 {
			kill.Targets = append(kill.Targets, config.Target{Index: b})
		}
	}
	cfg.Faults = []config.Fault{kill}
	// Each thread is done with a message long before it gets the next. What is in flight when the brokers
	// die fails at once in all releases: a hang moves the index for an attempt that never is.
	p := &cfg.Producers[0]
	p.Threads, p.Arrivals, p.Behaviours = 1, config.Constant, []string{"fail_fast=on-close"}
	p.Count = rapid.IntRange(1, 8).Draw(rt, "instances")
	p.Rate = 2 * float64(p.Count)
	p.PollNameServerInterval = rapid.SampledFrom([]sim.Duration{
		5 * sim.Second, 30 * sim.Second,
	}).Draw(rt, "poll")
	return cfg
}

// successes notes what each instance was told, in order.
type successes struct {
	NopObserver
	told [][]bool
}

func (o *successes) Answered(a *Answer) {
	o.told[a.Instance] = append(o.told[a.Instance], a.Result.Status != 0)
}

// withRetries runs a configuration with so many retries.
func withRetries(t require, cfg config.Config, retries int) [][]bool {
	cfg.Producers[0].Settings.RetryTimesWhenSendFailed = retries
	o := &successes{told: make([][]bool, cfg.Producers[0].Count)}
	if err := New(cfg, o).RunUntil(sim.Time(cfg.Duration)); err != nil {
		t.Fatal(err)
	}
	return o.told
}

type require interface{ Fatal(...any) }

// fewer says in which instance the first n sends had fewer successes in b than in a, for some n.
func fewer(a, b [][]bool) (instance, n int, found bool) {
	for i := range a {
		lead := 0
		for k := range min(len(a[i]), len(b[i])) {
			if a[i][k] {
				lead--
			}
			if b[i][k] {
				lead++
			}
			if lead < 0 {
				return i, k + 1, true
			}
		}
	}
	return 0, 0, false
}

// With avoidance off, from 4.8.0, brokers that refuse at once and capacity to spare, more retries never
// lower success, on the same seed: not in total, nor of the first n sends of any thread.
//
// A retry walks on with the thread's index to the next queue of another broker, so a thread with more
// retries is never behind one with fewer on its way round the list, and each queue of a living broker
// that it passes is a success.
func TestMoreRetriesNeverLowerSuccess(t *testing.T) {
	t.Parallel()
	rises := 0
	rapid.Check(t, func(rt *rapid.T) {
		cfg := outages(rt, rapid.SampledFrom(steppingReleases()).Draw(rt, "release"))
		before := withRetries(rt, cfg, 0)
		for retries := 1; retries <= 4; retries++ {
			told := withRetries(rt, cfg, retries)
			if i, n, found := fewer(before, told); found {
				rt.Fatalf("of the first %d sends of instance %d fewer succeed with %d retries than with %d",
					n, i, retries, retries-1)
			}
			if _, _, found := fewer(told, before); found {
				rises++
			}
			before = told
		}
	})
	if rises == 0 {
		t.Error("retries never made a difference")
	}
}

// steppingReleases are those whose retries take a step of the index for each queue they pass.
func steppingReleases() []string {
	return slices.DeleteFunc(strategy.Releases(), func(release string) bool {
		p, err := strategy.Lookup(release)
		return err != nil || p.PlainScan != strategy.PlainScanStepEach
	})
}

// To 4.7.1 the first n sends of a thread can succeed less often with more retries: a retry moves the index
// by one only, whatever queues it passes over, and so beyond those of living brokers that no send took.
func TestMoreRetriesLowerSuccessTo471(t *testing.T) {
	t.Parallel()
	for seed := 1; seed < 400; seed++ {
		cfg := rapid.Custom(func(rt *rapid.T) config.Config { return outages(rt, "4.7.1") }).Example(seed)
		for retries := range 3 {
			if _, _, found := fewer(withRetries(t, cfg, retries), withRetries(t, cfg, retries+1)); found {
				return
			}
		}
	}
	t.Error("found no case")
}
