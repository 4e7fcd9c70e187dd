package main

import (
	"fmt"
	"slices"
	"sync"

	"simrun/model/config"
	"simrun/scenarios"
	"simrun/sim"
)

// claim is what the published table says of a case.
type claim uint8

const (
	claimRetry claim = iota
	claimUnaffected
	claimFails
)

func (c claim) String() string {
	return [...]string{
		"first attempt fails, the retry on the other group succeeds", "unaffected", "every send fails",
	}[c]
}

// published is the table under test: who loses power, and what it says about each way to replicate.
// masters and slaves are the broker groups that lose their master, or their slave.
var published = []struct {
	lost            string
	sync, async     claim
	masters, slaves []string
}{
	{"one slave", claimRetry, claimUnaffected, nil, []string{"a"}},
	{"both slaves", claimFails, claimUnaffected, nil, []string{"a", "b"}},
	{"one master", claimRetry, claimRetry, []string{"a"}, nil},
	{"both masters", claimFails, claimFails, []string{"a", "b"}, nil},
	{"master and slave of one group", claimRetry, claimUnaffected, []string{"a"}, []string{"a"}},
	{"all four", claimFails, claimFails, []string{"a", "b"}, []string{"a", "b"}},
}

// cell is a case of the table in one of its two columns.
type cell struct {
	number int // from 1
	sync   bool
}

func (c cell) mode() string {
	if c.sync {
		return "sync"
	}
	return "async"
}

func (c cell) String() string { return fmt.Sprintf("%d %s", c.number, c.mode()) }

func (c cell) scenario() string { return fmt.Sprintf("power-loss-%d-%s", c.number, c.mode()) }

func (c cell) claim() claim {
	if c.sync {
		return published[c.number-1].sync
	}
	return published[c.number-1].async
}

func (c cell) losesMaster() bool { return len(published[c.number-1].masters) > 0 }

func (c cell) losesAll() bool {
	p := &published[c.number-1]
	return max(len(p.masters), len(p.slaves)) == 2
}

func cells() []cell {
	var all []cell
	for n := range published {
		all = append(all, cell{n + 1, true}, cell{n + 1, false})
	}
	return all
}

// variant is a way to run a cell.
type variant struct {
	release string
	inSync  int // in_sync_replicas, 0 where the release has none
	killed  bool
	// retry is retry_another_broker_when_not_store_ok, avoid send_latency_fault_enable.
	retry, avoid bool
}

// columns are the clusters that the table is run on.
var columns = []variant{{release: "4.9.8"}, {release: "5.3.3", inSync: 1}, {release: "5.3.3", inSync: 2}}

func (v variant) column() string {
	if v.inSync > 1 {
		return fmt.Sprintf("%s, `in_sync_replicas = %d`", v.release, v.inSync)
	}
	return v.release
}

func (v variant) death() string {
	if v.killed {
		return "killed"
	}
	return "silent"
}

// How long a fault lasts: longer than it takes to be noticed. After it the cluster is whole again for
// a while, so that what was lost is known.
const (
	silentMaster = 200 * sim.Second
	silentSlave  = 60 * sim.Second
	killed       = 60 * sim.Second
	wholeAgain   = 25 * sim.Second
)

func (c cell) lasts(v variant) sim.Duration {
	switch {
	case v.killed:
		return killed
	case c.losesMaster():
		return silentMaster
	default:
		return silentSlave
	}
}

// How a cell is loaded: as it is shipped, by producers whose instances have one thread each, and for
// short with ten times the load, to catch sends in flight.
var (
	asShipped []string
	alone     = []string{"producer.orders.count=20", "producer.orders.threads=1", "producer.orders.rate=4/s"}
	burst     = []string{
		"producer.orders.rate=400/s", "network.latency=5ms", "broker.*.startup=0s", "warmup=1s",
		"fault.power-loss.at=12s",
		"fault.power-loss.duration=4s", "duration=18s",
	}
)

// bursts is how many short runs there are, each with a seed of its own.
const bursts = 4

// load reads the shipped scenario of a cell with what the variant changes.
func (c cell) load(v variant, seed uint64, more []string) (*config.Config, error) {
	sc, err := scenarios.Load(c.scenario(), scenarios.Options{})
	if err != nil {
		return nil, err
	}
	kind := "power-loss"
	if v.killed {
		kind = "kill"
	}
	over := sc.Config.Faults[0].At + c.lasts(v)
	set := []string{
		"release=" + v.release,
		"fault.power-loss.kind=" + kind,
		"fault.power-loss.duration=" + c.lasts(v).String(),
		"duration=" + (over + wholeAgain).String(),
		fmt.Sprintf("producer.*.retry_another_broker_when_not_store_ok=%t", v.retry),
		fmt.Sprintf("producer.*.send_latency_fault_enable=%t", v.avoid),
	}
	if v.inSync > 0 {
		set = append(set, fmt.Sprintf("broker.*.in_sync_replicas=%d", v.inSync))
	}
	for _, m := range more { // the last flag for a key would do, but two are a mistake
		set = slices.DeleteFunc(set, func(s string) bool { return sameKey(s, m) })
	}
	sc, err = scenarios.Load(c.scenario(), scenarios.Options{Set: slices.Concat(set, more), Seed: &seed})
	if err != nil {
		return nil, err
	}
	return &sc.Config, nil
}

func sameKey(a, b string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return false
		}
		if a[i] == '=' {
			return true
		}
	}
	return false
}

// result is everything measured of a cell in a variant.
type result struct {
	cell
	variant
	shared, alone *outcome
	// before and flying are of the short runs: sends answered before the fault, and in flight.
	before, flying measured
}

// measure runs a cell in a variant. The cheap form leaves out all but the shipped load.
func measure(c cell, v variant, cheap bool) (*result, error) {
	r := &result{cell: c, variant: v}
	var err error
	if r.shared, err = c.run(v, 1, asShipped); err != nil || cheap {
		return r, err
	}
	if r.alone, err = c.run(v, 2, alone); err != nil {
		return r, err
	}
	for seed := range uint64(bursts) {
		o, err := c.run(v, 3+seed, burst)
		if err != nil {
			return r, err
		}
		r.before.add(&o.stages[answeredBefore])
		r.flying.add(&o.stages[inFlight])
	}
	return r, nil
}

func (c cell) run(v variant, seed uint64, more []string) (*outcome, error) {
	cfg, err := c.load(v, seed, more)
	if err != nil {
		return nil, err
	}
	o, err := run(cfg)
	if err != nil {
		return nil, fmt.Errorf("case %v, %s, %s: %w", c, v.column(), v.death(), err)
	}
	return o, nil
}

// key names a result.
type key struct {
	cell
	variant
}

// measureAll runs many cells in many variants at a time.
func measureAll(keys []key, cheap bool, workers int) (map[key]*result, error) {
	var mu sync.Mutex
	var first error
	all := make(map[key]*result, len(keys))
	next := make(chan key)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for k := range next {
				r, err := measure(k.cell, k.variant, cheap)
				mu.Lock()
				all[k] = r
				if first == nil {
					first = err
				}
				mu.Unlock()
			}
		})
	}
	for _, k := range keys {
		next <- k
	}
	close(next)
	wg.Wait()
	return all, first
}

// keys are all cells in all variants, with avoidance or without.
func keys(avoid bool) []key {
	var all []key
	for _, c := range cells() {
		for _, v := range columns {
			for _, killed := range []bool{false, true} {
				for _, retry := range []bool{false, true} {
					v.killed, v.retry, v.avoid = killed, retry, avoid
					all = append(all, key{c, v})
				}
			}
		}
	}
	return all
}
