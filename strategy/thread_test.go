package strategy_test

import (
	"testing"

	"simrun/strategy"
)

// TestTurn: with nothing in its way, a first choice takes the queue whose turn it is, in every release.
// The first of all is drawn.
func TestTurn(t *testing.T) {
	names := []string{"a", "b", "c"}
	var brokers []strategy.RouteBroker
	for b := range names {
		brokers = append(brokers, strategy.RouteBroker{
			Broker: strategy.Broker(b), WriteQueueNums: 4, Writable: true,
		})
	}
	route := strategy.NewRoute(brokers)
	for _, release := range strategy.Releases() {
		p, err := strategy.Lookup(release)
		if err != nil {
			t.Fatal(err)
		}
		for _, avoids := range []bool{false, true} {
			set := strategy.DefaultSettings(p)
			set.SendLatencyFaultEnable = avoids
			policy := strategy.NewRocketMQ(p, set, names)
			var th strategy.Thread
			src := newPCG(1)
			for i := range 100 {
				want := route.Queues[th.Turn(&p, len(route.Queues))]
				req := strategy.Request{Last: strategy.NoBroker, Attempt: 1}
				got, _ := policy.Select(0, route, &th, src, req, nil)
				if got != want && i > 0 {
					t.Fatalf("%s, avoidance %v: choice %d is %v, its turn was %v", release, avoids, i, got, want)
				}
			}
		}
	}
}
