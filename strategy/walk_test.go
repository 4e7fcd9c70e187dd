package strategy_test

import (
	"testing"

	"pgregory.net/rapid"

	"simrun/strategy"
)

// counted is a Source that counts what is drawn from it.
type counted struct {
	strategy.Source
	n int
}

func (c *counted) Int32() int32         { c.n++; return c.Source.Int32() }
func (c *counted) Int31n(n int32) int32 { c.n++; return c.Source.Int31n(n) }

// TestWalkIsTheFirstRule: a walk takes the queue that Select takes by its first rule, leaves the
// index at the same place, and draws as often; and if it takes none, Select goes on from there as
// if there had been no walk.
func TestWalkIsTheFirstRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := anyRelease(t).With("fallback", "copies")
		if err != nil {
			t.Fatal(err)
		}
		w := anyWorld(t, p, true)
		a, b := w.threads[0], w.threads[0]
		seed := rapid.Uint64().Draw(t, "source")
		source := func() *counted {
			if w.nearEdge {
				return &counted{Source: edges{newPCG(seed)}}
			}
			return &counted{Source: newPCG(seed)}
		}
		srcA, srcB := source(), source()
		other := anyCopy(w)
		for range rapid.IntRange(1, 20).Draw(t, "choices") {
			req := strategy.Request{
				Last:       w.last(t),
				Attempt:    rapid.IntRange(1, 3).Draw(t, "attempt"),
				ResetIndex: rapid.Bool().Draw(t, "reset"),
			}
			want, _ := w.policy.Select(w.now, w.route, &a, srcA, req, nil)
			got, taken := strategy.Queue{}, false
			var walk strategy.Walk
			walk.Begin(other, w.route, &b, srcB, req)
			for q, more := walk.Next(); more; q, more = walk.Next() {
				if other.Available(w.now, q.Broker) {
					walk.Take()
					got, taken = q, true
					break
				}
			}
			if !taken {
				req.ResetIndex = false
				got, _ = other.Select(w.now, w.route, &b, srcB, req, nil)
			}
			if got != want || a != b || srcA.n != srcB.n {
				t.Fatalf("%s: walk %v (taken %t) with %+v after %d draws, Select %v with %+v after %d",
					p.Release, got, taken, b, srcB.n, want, a, srcA.n)
			}
			e := strategy.Ended{
				Broker:    strategy.Broker(rapid.IntRange(0, w.brokers-1).Draw(t, "broker")),
				Latency:   7,
				Isolation: rapid.Bool().Draw(t, "isolation"),
				Reachable: rapid.Bool().Draw(t, "reachable"),
			}
			w.policy.Ended(w.now, e, nil)
			other.Ended(w.now, e, nil)
		}
	})
}

// anyCopy is another policy with the same table.
func anyCopy(w *world) *strategy.RocketMQ {
	names := make([]string, w.brokers+1)
	for b := range names {
		names[b] = "broker-" + string(rune('a'+b))
	}
	other := strategy.NewRocketMQ(w.profile, w.settings, names).(*strategy.RocketMQ)
	for b := range strategy.Broker(len(names)) {
		if item, ok := w.policy.Item(b); ok {
			other.SetItem(b, item)
		}
	}
	return other
}
