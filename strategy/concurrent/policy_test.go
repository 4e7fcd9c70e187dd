package concurrent_test

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"simrun/strategy"
	"simrun/strategy/concurrent"
)

// lookup is a release's profile.
func lookup(tb testing.TB, release string) strategy.Profile {
	tb.Helper()
	p, err := strategy.Lookup(release)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// eight is a route of eight brokers with four queues each.
func eight() (*strategy.Route, []string) {
	var raw []strategy.RouteBroker
	var names []string
	for b := range strategy.Broker(8) {
		raw = append(raw, strategy.RouteBroker{Broker: b, WriteQueueNums: 4, Writable: true})
		names = append(names, "broker-"+string('a'+rune(b)))
	}
	return strategy.NewRoute(raw), names
}

// TestSameDecisions: used by one goroutine, the concurrent policy decides as strategy's does, in
// every release (with copies instead of rewritten list entries), whether somebody looks or not.
func TestSameDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		release := rapid.SampledFrom(strategy.Releases()).Draw(t, "release")
		p, err := strategy.Lookup(release)
		if err != nil {
			t.Fatal(err)
		}
		s := strategy.DefaultSettings(p)
		s.SendLatencyFaultEnable = rapid.IntRange(0, 9).Draw(t, "off") > 0
		s.StartDetectorEnable = true
		r, names := eight()
		copies, err := p.With("fallback", "copies")
		if err != nil {
			t.Fatal(err)
		}
		one := strategy.NewRocketMQ(copies, s, names).(*strategy.RocketMQ)
		two := concurrent.NewPolicy(p, s, names)
		seed := rapid.Uint64().Draw(t, "seed")
		srcOne, srcTwo := concurrent.NewSource(seed), concurrent.NewSource(seed)
		var thOne, thTwo strategy.Thread
		now := strategy.Millis(1000)
		for range rapid.IntRange(1, 60).Draw(t, "ops") {
			b := strategy.Broker(rapid.IntRange(0, 7).Draw(t, "broker"))
			switch rapid.SampledFrom([]string{
				"select", "select", "end", "end", "wait", "remove", "probe",
			}).Draw(t, "op") {
			case "select":
				req := strategy.Request{
					Last:       b - strategy.Broker(rapid.IntRange(0, 1).Draw(t, "first")),
					Attempt:    rapid.IntRange(1, 2).Draw(t, "attempt"),
					ResetIndex: rapid.Bool().Draw(t, "reset"),
				}
				var tr *strategy.Trace
				if rapid.Bool().Draw(t, "looks") {
					tr = &strategy.Trace{}
				}
				want, _ := one.Select(now, r, &thOne, srcOne, req, nil)
				got, _ := two.Select(now, r, &thTwo, srcTwo, req, tr)
				if got != want || thOne != thTwo {
					t.Fatalf("%s: %v with %+v, want %v with %+v", release, got, thTwo, want, thOne)
				}
			case "end":
				e := strategy.Ended{
					Broker:    b,
					Latency:   strategy.Millis(rapid.SampledFrom([]int{0, 3, 700, 4000}).Draw(t, "ms")),
					Isolation: rapid.Bool().Draw(t, "isolation"),
					Reachable: rapid.Bool().Draw(t, "reachable"),
				}
				var trOne, trTwo strategy.Trace
				one.Ended(now, e, &trOne)
				two.Ended(now, e, &trTwo)
				if trOne.Update != trTwo.Update {
					t.Fatalf("%s: %+v, want %+v", release, trTwo.Update, trOne.Update)
				}
			case "wait":
				now += strategy.Millis(rapid.SampledFrom([]int{1, 800, 5000, 60000}).Draw(t, "wait"))
			case "remove":
				one.Remove(b)
				two.Remove(b)
			case "probe":
				odd := func(b strategy.Broker) bool { return b&1 == 1 }
				some := func(b strategy.Broker) bool { return b != 3 }
				strategy.DetectRound(now, one, some, odd, nil)
				strategy.DetectRound(now, two, some, odd, nil)
			}
			for b := range strategy.Broker(8) {
				itemOne, okOne := one.Item(b)
				itemTwo, okTwo := two.Item(b)
				if itemOne != itemTwo || okOne != okTwo ||
					one.Available(now, b) != two.Available(now, b) {
					t.Fatalf("%s: broker %d: %+v %t, want %+v %t",
						release, b, itemTwo, okTwo, itemOne, okOne)
				}
			}
		}
	})
}

// TestSharedByMany: goroutines choose, end, forget, probe and look at once; nothing is lost that
// one of them was told last. Run with -race.
func TestSharedByMany(t *testing.T) {
	for _, release := range []string{"4.7.1", "4.9.8", "5.1.3", "5.1.4", "5.3.3"} {
		p := lookup(t, release)
		s := strategy.DefaultSettings(p)
		s.SendLatencyFaultEnable, s.StartDetectorEnable = true, true
		r, names := eight()
		before := *r
		pol := concurrent.NewPolicy(p, s, names[:4]) // the others are met on the way
		for _, name := range names {
			pol.Broker(name)
		}
		var wg sync.WaitGroup
		for g := range uint64(8) {
			wg.Go(func() { churn(t, pol, r, g) })
		}
		wg.Wait()
		for i := range before.Queues {
			if before.Queues[i] != r.Queues[i] {
				t.Errorf("%s: the queue list was rewritten", release)
			}
		}
		// Quiet again: the last word counts.
		for b := range strategy.Broker(8) {
			pol.Ended(1_000_000, strategy.Ended{Broker: b, Latency: 9, Reachable: true, OK: true}, nil)
			if item, ok := pol.Item(b); !ok || item.Latency != 9 || !item.Reachable {
				t.Errorf("%s: broker %d: %+v %t", release, b, item, ok)
			}
		}
	}
}

// churn uses a policy as hard as it can.
func churn(t *testing.T, pol *concurrent.Policy, r *strategy.Route, g uint64) {
	src := concurrent.NewSource(g)
	var th strategy.Thread
	var tr strategy.Trace
	for i := range strategy.Millis(3000) {
		now := i * 20
		look := &tr
		if i%16 > 0 {
			look = nil
		}
		q, ok := pol.Select(now, r, &th, src, strategy.Request{
			Last: strategy.Broker(src.Int31n(9)) - 1, ResetIndex: i&1 > 0,
		}, look)
		if !ok || q.Broker < 0 || q.Broker > 7 || q.ID < 0 || q.ID > 3 {
			t.Errorf("chose %v %t", q, ok)
			return
		}
		pol.Sent(now, q.Broker)
		pol.Ended(now, strategy.Ended{
			Broker: q.Broker, Latency: strategy.Millis(src.Int31n(900)),
			Isolation: src.Int31n(3) == 0, Reachable: src.Int31n(3) > 0,
		}, look)
		switch i % 64 {
		case 1:
			pol.Remove(strategy.Broker(src.Int31n(8)))
		case 2:
			some := func(b strategy.Broker) bool { return uint64(b) != g }
			strategy.DetectRound(now, pol, some, some, nil)
		case 3:
			pol.Broker("late-" + string('a'+src.Int31n(20)))
		}
	}
}

// TestIsolationIsNeverLost: of many isolations at once the longest holds, where a release only
// extends.
func TestIsolationIsNeverLost(t *testing.T) {
	p := lookup(t, "5.3.3")
	s := strategy.DefaultSettings(p)
	s.SendLatencyFaultEnable = true
	_, names := eight()
	for range 200 {
		pol := concurrent.NewPolicy(p, s, names)
		var wg sync.WaitGroup
		for _, latency := range []strategy.Millis{600, 2000, 20000, 3500} {
			wg.Go(func() { pol.Ended(0, strategy.Ended{Broker: 1, Latency: latency}, nil) })
		}
		wg.Wait()
		if item, _ := pol.Item(1); item.Start != 30000 {
			t.Fatalf("isolated until %d ms, want 30000", item.Start)
		}
	}
}

// TestLocked: any policy can be shared under a lock.
func TestLocked(t *testing.T) {
	p := lookup(t, "5.3.3")
	s := strategy.DefaultSettings(p)
	s.SendLatencyFaultEnable = true
	for _, name := range strategy.Policies() {
		r, names := eight()
		inner, err := strategy.NewPolicy(name, p, s, names)
		if err != nil {
			t.Fatal(err)
		}
		pol := concurrent.NewLocked(inner)
		var wg sync.WaitGroup
		for g := range uint64(4) {
			wg.Go(func() {
				var th strategy.Thread
				src := concurrent.NewSource(g)
				for i := range strategy.Millis(500) {
					q, ok := pol.Select(i, r, &th, src, strategy.Request{Last: strategy.NoBroker}, nil)
					if !ok {
						t.Errorf("%s: no choice", name)
					}
					pol.Sent(i, q.Broker)
					pol.Budget(1, 3, 3000)
					pol.Available(i, q.Broker)
					pol.Ended(i, strategy.Ended{Broker: q.Broker, Isolation: i%5 == 0, OK: true}, nil)
					pol.Item(q.Broker)
					yes := func(strategy.Broker) bool { return true }
					strategy.DetectRound(i, pol, yes, yes, nil)
				}
			})
		}
		wg.Wait()
	}
}
