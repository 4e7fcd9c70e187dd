package strategy_test

import (
	"math/rand/v2"
	"testing"

	"simrun/strategy"
)

// pcg is a Source over the standard library's generator.
type pcg struct{ *rand.Rand }

func newPCG(seed uint64) pcg { return pcg{rand.New(rand.NewPCG(seed, seed))} }

func (p pcg) Int32() int32         { return int32(p.Uint32()) }
func (p pcg) Int31n(n int32) int32 { return p.Int32N(n) }

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

// benchReleases are one of each way to choose.
var benchReleases = []string{"4.7.1", "4.9.8", "5.1.3", "5.3.3"}

// BenchmarkSelect measures a choice among 8 brokers with 4 queues each: all healthy, every other
// one isolated, all isolated; and with avoidance off.
func BenchmarkSelect(b *testing.B) {
	for _, release := range benchReleases {
		for _, c := range []struct {
			name     string
			enable   bool
			isolated func(strategy.Broker) bool
		}{
			{"off", false, func(strategy.Broker) bool { return false }},
			{"healthy", true, func(strategy.Broker) bool { return false }},
			{"half", true, func(b strategy.Broker) bool { return b%2 == 0 }},
			{"block", true, func(b strategy.Broker) bool { return b < 4 }},
			{"none", true, func(strategy.Broker) bool { return true }},
		} {
			b.Run(release+"/"+c.name, func(b *testing.B) {
				p, err := strategy.Lookup(release)
				if err != nil {
					b.Fatal(err)
				}
				s := strategy.DefaultSettings(p)
				s.SendLatencyFaultEnable = c.enable
				r, names := eight()
				pol := strategy.NewRocketMQ(p, s, names)
				for i := range strategy.Broker(8) {
					pol.Ended(0, strategy.Ended{
						Broker: i, Latency: 5, Isolation: c.isolated(i), Reachable: true, OK: true,
					}, nil)
				}
				var th strategy.Thread
				src := newPCG(1)
				req := strategy.Request{Last: strategy.NoBroker, Attempt: 1}
				b.ReportAllocs()
				for b.Loop() {
					pol.Select(1, r, &th, src, req, nil)
				}
			})
		}
	}
}

// BenchmarkEnded measures updateFaultItem for a broker that is known.
func BenchmarkEnded(b *testing.B) {
	for _, release := range benchReleases {
		b.Run(release, func(b *testing.B) {
			p, err := strategy.Lookup(release)
			if err != nil {
				b.Fatal(err)
			}
			s := strategy.DefaultSettings(p)
			s.SendLatencyFaultEnable = true
			_, names := eight()
			pol := strategy.NewRocketMQ(p, s, names)
			now := strategy.Millis(0)
			b.ReportAllocs()
			for b.Loop() {
				now++
				pol.Ended(now, strategy.Ended{
					Broker: strategy.Broker(now & 7), Latency: now & 1023, Reachable: true, OK: true,
				}, nil)
			}
		})
	}
}

// BenchmarkLoop measures a whole send of one attempt, and one of two.
func BenchmarkLoop(b *testing.B) {
	for _, release := range benchReleases {
		for _, c := range []struct {
			name  string
			first strategy.OutcomeKind
		}{{"ok", strategy.OutcomeOK}, {"retry", strategy.OutcomeConnectFailed}} {
			b.Run(release+"/"+c.name, func(b *testing.B) {
				p, err := strategy.Lookup(release)
				if err != nil {
					b.Fatal(err)
				}
				s := strategy.DefaultSettings(p)
				s.SendLatencyFaultEnable = true
				r, names := eight()
				pol := strategy.NewRocketMQ(p, s, names)
				var th strategy.Thread
				var loop strategy.Loop
				src := newPCG(1)
				now := strategy.Millis(0)
				b.ReportAllocs()
				for b.Loop() {
					loop.Begin(now, pol, &p, &s, r, &th, src, nil)
					kind := c.first
					for _, more := loop.Next(now); more; _, more = loop.Next(now) {
						now++
						loop.Done(now, strategy.Outcome{Kind: kind})
						kind = strategy.OutcomeOK
					}
				}
			})
		}
	}
}
