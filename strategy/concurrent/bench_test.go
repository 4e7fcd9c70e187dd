package concurrent_test

import (
	"sync/atomic"
	"testing"

	"simrun/strategy"
	"simrun/strategy/concurrent"
)

// BenchmarkShared measures a choice and the end of its attempt, by as many goroutines as -cpu
// says, on one policy: all brokers healthy, and every other one isolated. Compare -cpu 1 with -cpu
// 2: time per operation should halve. "locked" is the same under one mutex; "own" gives every
// goroutine a policy to itself, which is as well as the machine at hand can do.
func BenchmarkShared(b *testing.B) {
	for _, release := range []string{"4.9.8", "5.3.3"} {
		p := lookup(b, release)
		s := strategy.DefaultSettings(p)
		s.SendLatencyFaultEnable = true
		for _, state := range []string{"healthy", "half"} {
			r, names := eight()
			shared := map[string]strategy.Policy{
				"atomic": concurrent.NewPolicy(p, s, names),
				"locked": concurrent.NewLocked(strategy.NewRocketMQ(p, s, names)),
			}
			for _, kind := range []string{"atomic", "locked"} {
				pol := shared[kind]
				prepare(pol, state)
				b.Run(release+"/"+state+"/"+kind, func(b *testing.B) {
					share(b, func() strategy.Policy { return pol }, r)
				})
			}
			b.Run(release+"/"+state+"/own", func(b *testing.B) {
				share(b, func() strategy.Policy {
					pol := concurrent.NewPolicy(p, s, names)
					prepare(pol, state)
					return pol
				}, r)
			})
		}
	}
}

// prepare lets the policy meet all brokers, and isolates every other one if half of them are to be.
func prepare(pol strategy.Policy, state string) {
	for i := range strategy.Broker(8) {
		pol.Ended(0, strategy.Ended{
			Broker: i, Isolation: state == "half" && i%2 == 0, Reachable: true,
		}, nil)
	}
}

func share(b *testing.B, policy func() strategy.Policy, r *strategy.Route) {
	var workers atomic.Uint64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		pol := policy()
		src := concurrent.NewSource(workers.Add(1))
		// Two workers' threads must not be neighbours in memory: each choice writes the index.
		var apart struct {
			_  [64]byte
			th strategy.Thread
			_  [64]byte
		}
		th := &apart.th
		const now = 1 // all within one millisecond, as 16,000 sends of this kind would be
		for pb.Next() {
			q, _ := pol.Select(now, r, th, src, strategy.Request{Last: strategy.NoBroker}, nil)
			pol.Ended(now, strategy.Ended{
				Broker: q.Broker, Latency: 3, Reachable: true, OK: true,
			}, nil)
		}
	})
}

// BenchmarkSend measures a whole send through a Producer that lends its workers.
func BenchmarkSend(b *testing.B) {
	prod, _ := newProducer(b, "5.3.3")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		call := func(strategy.Attempt) strategy.Outcome { return strategy.Outcome{} }
		for pb.Next() {
			prod.Send(call)
		}
	})
}
