package strategy_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"simrun/strategy"
)

// world is a producer in an arbitrary state, with a route and threads.
type world struct {
	profile  strategy.Profile
	settings strategy.Settings
	policy   strategy.Policy
	route    *strategy.Route
	threads  []strategy.Thread
	src      pcg
	now      strategy.Millis
	brokers  int
	// nearEdge is set if an index may overflow.
	nearEdge bool
}

// edges is a Source whose index starts are drawn near the edges of int32.
type edges struct{ pcg }

func (e edges) Int32() int32 {
	v := math.MaxInt32 - e.Int32N(70)
	if e.Uint32()&1 == 0 {
		v = -v - 1
	}
	return v
}

func (e edges) Int31n(n int32) int32 {
	if n == math.MaxInt32 {
		return n - 1 - e.Int32N(70)
	}
	return e.pcg.Int31n(n)
}

// source is the world's.
func (w *world) source() strategy.Source {
	if w.nearEdge {
		return edges{w.src}
	}
	return w.src
}

// anyRelease draws a release.
func anyRelease(t *rapid.T) strategy.Profile {
	p, err := strategy.Lookup(rapid.SampledFrom(strategy.Releases()).Draw(t, "release"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// anyWorld draws a producer of the profile, with a random history of attempts that ended.
func anyWorld(t *rapid.T, p strategy.Profile, enable bool) *world {
	w := &world{profile: p, settings: strategy.DefaultSettings(p), now: 1_000_000}
	w.settings.SendLatencyFaultEnable = enable
	w.settings.StartDetectorEnable = rapid.Bool().Draw(t, "detector")
	w.brokers = rapid.IntRange(1, 6).Draw(t, "brokers")
	names := make([]string, w.brokers+1) // the last is not in the route
	var raw []strategy.RouteBroker
	for b := range names {
		names[b] = "broker-" + string(rune('a'+b))
		if b == w.brokers {
			break
		}
		raw = append(raw, strategy.RouteBroker{
			Broker:         strategy.Broker(b),
			WriteQueueNums: rapid.Int32Range(1, 4).Draw(t, "queues"),
			Writable:       b == 0 || rapid.IntRange(0, 5).Draw(t, "writable") > 0,
		})
	}
	w.route = strategy.NewRoute(raw)
	w.threads = make([]strategy.Thread, 2)
	w.src = newPCG(rapid.Uint64().Draw(t, "seed"))
	w.nearEdge = rapid.Bool().Draw(t, "near edge")
	w.policy = strategy.NewRocketMQ(p, w.settings, names)
	for range rapid.IntRange(0, 12).Draw(t, "history") {
		w.end(t)
	}
	return w
}

// end tells of an attempt that ended somewhere, and lets time pass.
func (w *world) end(t *rapid.T) {
	w.policy.Ended(w.now, strategy.Ended{
		Broker:    strategy.Broker(rapid.IntRange(0, w.brokers).Draw(t, "broker")),
		Latency:   strategy.Millis(rapid.SampledFrom([]int{0, 3, 600, 2500, 20000}).Draw(t, "ms")),
		Isolation: rapid.Bool().Draw(t, "isolation"),
		Reachable: rapid.Bool().Draw(t, "reachable"),
	}, nil)
	w.now += strategy.Millis(rapid.SampledFrom([]int{0, 1, 700, 9999, 40000}).Draw(t, "wait"))
}

// last draws a last broker, or none.
func (w *world) last(t *rapid.T) strategy.Broker {
	return strategy.Broker(rapid.IntRange(-1, w.brokers-1).Draw(t, "last"))
}

// choose makes one choice.
func (w *world) choose(t *rapid.T, last strategy.Broker, tr *strategy.Trace) strategy.Queue {
	th := &w.threads[rapid.IntRange(0, 1).Draw(t, "thread")]
	req := strategy.Request{Last: last, ResetIndex: rapid.Bool().Draw(t, "reset")}
	q, ok := w.policy.Select(w.now, w.route, th, w.source(), req, tr)
	if !ok {
		t.Fatalf("%s: no choice from %v", w.profile.Release, w.route.Queues)
	}
	return q
}

// TestAlwaysAChoice: with a queue in the list there is always a choice, of a broker of the route or
// of one that the raw route has; whatever the table holds and wherever the index stands, nothing
// panics.
func TestAlwaysAChoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t, anyRelease(t), rapid.Bool().Draw(t, "enable"))
		for range rapid.IntRange(1, 30).Draw(t, "choices") {
			q := w.choose(t, w.last(t), nil)
			if q.Broker < 0 || int(q.Broker) >= w.brokers {
				t.Fatalf("chose broker %d of %d", q.Broker, w.brokers)
			}
			if rapid.Bool().Draw(t, "ends") {
				w.end(t)
			}
		}
	})
}

// TestAnyMixtureHolds: behaviours can be combined at will; nothing panics and there is always a
// choice.
func TestAnyMixtureHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyRelease(t)
		for range rapid.IntRange(1, 6).Draw(t, "overrides") {
			key := rapid.SampledFrom(strategy.Behaviours()).Draw(t, "behaviour")
			values := strategy.BehaviourValues(key)
			if values == nil {
				continue
			}
			var err error
			if p, err = p.With(key, rapid.SampledFrom(values).Draw(t, "value")); err != nil {
				t.Fatal(err)
			}
		}
		w := anyWorld(t, p, true)
		for range rapid.IntRange(1, 20).Draw(t, "choices") {
			w.choose(t, w.last(t), nil)
			w.end(t)
		}
	})
}

// TestLastBrokerIsExcluded: from 5.1.1 on, with avoidance on and an available queue on another
// broker, the last broker is never chosen. That holds as long as the index does not overflow inside the
// walk. In 5.1.1-5.1.3 the story overflow_inside_the_scan tells what happens there; later, the steps
// before and after the overflow can come to the same queue, so that the walk misses another.
func TestLastBrokerIsExcluded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyRelease(t)
		if p.LastBroker != strategy.LastBrokerMustDiffer {
			t.Skip()
		}
		w := anyWorld(t, p, true)
		w.nearEdge = false
		w.src = pcg{newPCG(1).Rand}
		w.threads = make([]strategy.Thread, 2)
		last := w.last(t)
		other := slices.ContainsFunc(w.route.Queues, func(q strategy.Queue) bool {
			return q.Broker != last && w.policy.Available(w.now, q.Broker)
		})
		q := w.choose(t, last, nil)
		if other && q.Broker == last {
			t.Fatalf("%s: chose the last broker %d of %v", p.Release, last, w.route.Queues)
		}
		if other && !w.policy.Available(w.now, q.Broker) {
			t.Fatalf("%s: chose %d, which is not available", p.Release, q.Broker)
		}
	})
}

// TestListOnlyChangesWhereItMutates: in releases that do not mutate, nothing ever changes a queue
// list; in the others an entry changes only by the last resort that says so.
func TestListOnlyChangesWhereItMutates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := anyWorld(t, anyRelease(t), rapid.Bool().Draw(t, "enable"))
		var tr strategy.Trace
		for range rapid.IntRange(1, 30).Draw(t, "choices") {
			before := slices.Clone(w.route.Queues)
			q := w.choose(t, w.last(t), &tr)
			if tr.Mutated > 0 {
				if w.profile.Fallback != strategy.FallbackMutates || !w.settings.SendLatencyFaultEnable {
					t.Fatalf("%s rewrote an entry", w.profile.Release)
				}
				if before[tr.Mutated-1] != tr.MutatedBefore || w.route.Queues[tr.Mutated-1] != q {
					t.Fatalf("the trace tells of another entry: %+v", tr)
				}
				before[tr.Mutated-1] = q
			}
			if !slices.Equal(before, w.route.Queues) {
				t.Fatalf("%s: list %v became %v", w.profile.Release, before, w.route.Queues)
			}
			w.end(t)
		}
	})
}

// TestHealthyIsRoundRobin: as long as nothing fails and nothing takes as long as the first latencyMax with
// a duration, a first attempt is chosen with avoidance on as it is with it off, in every release, and the
// thread-local index takes the same steps, also where it overflows.
func TestHealthyIsRoundRobin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyRelease(t)
		on := anyWorld(t, p, true)
		s := on.settings
		s.SendLatencyFaultEnable = false
		names := make([]string, on.brokers)
		policyOn := strategy.NewRocketMQ(p, on.settings, names)
		policyOff := strategy.NewRocketMQ(p, s, names)
		var thOn, thOff strategy.Thread
		seed := rapid.Uint64().Draw(t, "start")
		source := func() strategy.Source {
			if on.nearEdge {
				return edges{newPCG(seed)}
			}
			return newPCG(seed)
		}
		srcOn, srcOff := source(), source()
		req := strategy.Request{Last: strategy.NoBroker, Attempt: 1}
		for range 80 + 2*len(on.route.Queues) {
			a, _ := policyOn.Select(on.now, on.route, &thOn, srcOn, req, nil)
			b, _ := policyOff.Select(on.now, on.route, &thOff, srcOff, req, nil)
			if a != b || thOn != thOff {
				t.Fatalf("%s: on %v, off %v; indexes %v, %v", p.Release, a, b, thOn, thOff)
			}
			policyOn.Ended(on.now, strategy.Ended{
				Broker: a.Broker, Latency: on.now % 550, Reachable: true, OK: true,
			}, nil)
			on.now += 7
		}
	})
}

// TestTraceChangesNothing: a choice and an update come out the same whether somebody looks or not.
func TestTraceChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyRelease(t)
		seed := rapid.Uint64().Draw(t, "seed")
		history := rapid.SliceOfN(rapid.Uint64(), 0, 20).Draw(t, "history")
		run := func(tr *strategy.Trace) (out []strategy.Queue) {
			s := strategy.DefaultSettings(p)
			s.SendLatencyFaultEnable = true
			r, names := eight()
			pol := strategy.NewRocketMQ(p, s, names)
			src := edges{newPCG(seed)}
			var th strategy.Thread
			now := strategy.Millis(0)
			for _, h := range history {
				q, _ := pol.Select(now, r, &th, src, strategy.Request{
					Last: strategy.Broker(h%9) - 1, ResetIndex: h&1024 > 0,
				}, tr)
				out = append(out, q)
				now += strategy.Millis(h >> 32 & 8191)
				pol.Ended(now, strategy.Ended{
					Broker: strategy.Broker(h >> 16 & 7), Latency: strategy.Millis(h >> 20 & 4095),
					Isolation: h&512 > 0, Reachable: h&256 > 0,
				}, tr)
			}
			return out
		}
		var tr strategy.Trace
		if blind, seen := run(nil), run(&tr); !slices.Equal(blind, seen) {
			t.Fatalf("%s: %v without a trace, %v with one", p.Release, blind, seen)
		}
	})
}

// TestUpdateRules: where a release extends, the start of an isolation never moves earlier; where it
// overwrites, it is the last end plus its duration.
func TestUpdateRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyRelease(t)
		w := anyWorld(t, p, true)
		var tr strategy.Trace
		for range rapid.IntRange(1, 10).Draw(t, "ends") {
			b := strategy.Broker(rapid.IntRange(0, w.brokers).Draw(t, "broker"))
			before, known := w.policy.Item(b)
			latency := strategy.Millis(rapid.IntRange(0, 20000).Draw(t, "latency"))
			w.policy.Ended(w.now, strategy.Ended{Broker: b, Latency: latency, Reachable: true}, &tr)
			after, _ := w.policy.Item(b)
			u := tr.Update
			if u.Known != known || (known && u.Before != before) || u.After != after {
				t.Fatalf("the trace tells of another item: %+v", u)
			}
			if after.Latency != latency || !after.Reachable {
				t.Fatalf("%s: item %+v after %d ms", p.Release, after, latency)
			}
			end := w.now + u.Duration
			switch {
			case p.Update == strategy.UpdateOverwrites && after.Start != end:
				t.Fatalf("%s: start %d, want %d", p.Release, after.Start, end)
			case p.Update == strategy.UpdateExtends && u.Duration > 0 &&
				after.Start != max(before.Start, end):
				t.Fatalf("%s: start %d, want %d", p.Release, after.Start, max(before.Start, end))
			case p.Update == strategy.UpdateExtends && u.Duration == 0 &&
				after.Start != before.Start:
				t.Fatalf("%s: start %d, want %d", p.Release, after.Start, before.Start)
			}
			if u.Bucket > 0 && (latency < p.LatencyMax[u.Bucket-1] ||
				(u.Bucket < len(p.LatencyMax) && latency >= p.LatencyMax[u.Bucket])) {
				t.Fatalf("%s: %d ms in bucket %d", p.Release, latency, u.Bucket)
			}
			w.now += 500
		}
	})
}

// TestNamesDecideOnlyTies: other names for the same brokers give the same choices, unless fault
// items tie and their order is the hash's.
func TestNamesDecideOnlyTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyRelease(t)
		seed := rapid.Uint64().Draw(t, "seed")
		latencies := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "latencies")
		run := func(prefix string) (out []strategy.Queue) {
			s := strategy.DefaultSettings(p)
			s.SendLatencyFaultEnable = true
			r, names := eight()
			for i := range names {
				names[i] = prefix + names[i]
			}
			pol := strategy.NewRocketMQ(p, s, names)
			var th strategy.Thread
			src := newPCG(seed)
			for b, ms := range latencies {
				pol.Ended(0, strategy.Ended{
					Broker: strategy.Broker(b), Latency: strategy.Millis(ms), Isolation: true,
				}, nil)
			}
			for range 20 {
				q, _ := pol.Select(1, r, &th, src, strategy.Request{Last: strategy.NoBroker}, nil)
				out = append(out, q)
			}
			return out
		}
		// The draws of a shuffle come from the same source as the index's start.
		if p.PickOneAtLeast == strategy.PickShuffleSortHalf {
			t.Skip()
		}
		if a, b := run(""), run("x"); !slices.Equal(a, b) {
			t.Fatalf("%s: %v, and with other names %v", p.Release, a, b)
		}
	})
}

// TestTiesFallByChance: to 4.9.3 items that tie are shuffled, so that over time each of three equal
// brokers is named; the sort itself keeps ties as they are, so from 4.9.4 on it is always the same
// one.
func TestTiesFallByChance(t *testing.T) {
	for release, want := range map[string]int{"4.0.0": 3, "4.9.3": 3, "4.9.4": 1, "5.1.3": 1} {
		p, err := strategy.Lookup(release)
		if err != nil {
			t.Fatal(err)
		}
		s := strategy.DefaultSettings(p)
		s.SendLatencyFaultEnable = true
		r := strategy.NewRoute([]strategy.RouteBroker{
			{Broker: 0, WriteQueueNums: 1, Writable: true},
			{Broker: 1, WriteQueueNums: 1, Writable: true},
			{Broker: 2, WriteQueueNums: 1, Writable: true},
		})
		pol := strategy.NewRocketMQ(p, s, []string{"a", "b", "c"})
		for b := range strategy.Broker(3) {
			pol.Ended(0, strategy.Ended{Broker: b, Latency: 1, Isolation: true}, nil)
		}
		var th strategy.Thread
		src := newPCG(1)
		seen := map[strategy.Broker]bool{}
		for range 100 {
			q, _ := pol.Select(1, r, &th, src, strategy.Request{Last: strategy.NoBroker}, nil)
			seen[q.Broker] = true
		}
		if len(seen) != want {
			t.Errorf("%s: %d brokers were named, want %d", release, len(seen), want)
		}
	}
}
