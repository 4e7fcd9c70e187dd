package strategy_test

import (
	"testing"

	"simrun/strategy"
)

// firstAttempt makes one attempt of a synchronous send over two queues, of brokers 0 and 1.
func firstAttempt(
	pol strategy.Policy, s *strategy.Settings, p *strategy.Profile, now strategy.Millis,
) strategy.Attempt {
	var l strategy.Loop
	r := strategy.NewRoute([]strategy.RouteBroker{
		{Broker: 0, WriteQueueNums: 1, Writable: true}, {Broker: 1, WriteQueueNums: 1, Writable: true},
	})
	l.Begin(now, pol, p, s, r, new(strategy.Thread), zeroSource{}, nil)
	a, _ := l.Next(now)
	return a
}

// "Fallbacks": an attempt is refused only if the table lets no broker be chosen; not while there is another,
// not with avoidance off, and not if it is the one request that a half-open breaker asks for.
func TestRefused(t *testing.T) {
	p, err := strategy.Lookup("5.3.3")
	if err != nil {
		t.Fatal(err)
	}
	s := strategy.DefaultSettings(p)
	s.SendLatencyFaultEnable = true
	names := []string{"a", "b"}
	for _, policy := range []func(strategy.Profile, strategy.Settings, []string) strategy.Policy{
		strategy.NewRocketMQ, strategy.NewHalfOpen,
	} {
		pol := policy(p, s, names)
		fail := func(b strategy.Broker) {
			pol.Sent(0, b)
			pol.Ended(1000, strategy.Ended{Broker: b, Latency: 1000, Isolation: true, Reachable: true}, nil)
		}
		fail(0)
		if a := firstAttempt(pol, &s, &p, 1000); a.Queue.Broker != 1 || a.Refused {
			t.Errorf("%T: with one of two brokers isolated: %+v", pol, a)
		}
		fail(1)
		if a := firstAttempt(pol, &s, &p, 1001); !a.Refused {
			t.Errorf("%T: with both isolated: %+v", pol, a)
		}
		item, _ := pol.Item(0)
		if a := firstAttempt(pol, &s, &p, item.Start); a.Refused {
			t.Errorf("%T: with the isolations over: %+v", pol, a)
		}
		off := s
		off.SendLatencyFaultEnable = false
		if a := firstAttempt(policy(p, off, names), &off, &p, 0); a.Refused {
			t.Errorf("%T: with avoidance off: %+v", pol, a)
		}
	}
}
