package concurrent_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"simrun/strategy"
	"simrun/strategy/concurrent"
)

// newProducer is a producer with a clock that the test moves.
func newProducer(tb testing.TB, release string) (*concurrent.Producer, *atomic.Int64) {
	tb.Helper()
	p := lookup(tb, release)
	s := strategy.DefaultSettings(p)
	s.SendLatencyFaultEnable = true
	var clock, workers atomic.Int64
	r, names := eight()
	prod := concurrent.NewProducer(concurrent.Config{
		Profile: p, Settings: s, Policy: concurrent.NewPolicy(p, s, names),
		Now: func() strategy.Millis { return strategy.Millis(clock.Load()) },
		NewSource: func() strategy.Source {
			return concurrent.NewSource(uint64(workers.Add(1)))
		},
	})
	prod.SetRoute(r)
	return prod, &clock
}

// TestSend: a broker that refuses is tried once and then avoided, by everyone; all sends succeed.
func TestSend(t *testing.T) {
	prod, clock := newProducer(t, "5.3.3")
	var refused atomic.Int64
	call := func(a strategy.Attempt) strategy.Outcome {
		if a.Queue.Broker == 2 {
			refused.Add(1)
			return strategy.Outcome{Kind: strategy.OutcomeConnectFailed}
		}
		return strategy.Outcome{Kind: strategy.OutcomeOK}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				if r := prod.Send(call); r.Status != strategy.StatusSendOK {
					t.Errorf("got %+v", r)
				}
			}
		})
	}
	wg.Wait()
	if n := refused.Load(); n < 1 || n > 4 { // once by each of those at it when it was found out
		t.Errorf("%d attempts on the broker that refuses", n)
	}
	clock.Add(10_000) // its isolation is over
	for range 100 {
		prod.Send(call)
	}
	if n := refused.Load(); n < 2 {
		t.Error("the broker was not tried again")
	}
}

// TestSendWithoutRoute: no route, no attempt.
func TestSendWithoutRoute(t *testing.T) {
	prod, _ := newProducer(t, "4.9.8")
	prod.SetRoute(nil)
	r := prod.Send(func(strategy.Attempt) strategy.Outcome {
		t.Error("an attempt without a route")
		return strategy.Outcome{}
	})
	if r.Exception != strategy.MQClientException || r.Code != strategy.CodeNotFoundTopic {
		t.Errorf("got %+v", r)
	}
}

// TestRouteChangesUnderSends: routes come and go while messages are sent; a send keeps its own.
func TestRouteChangesUnderSends(t *testing.T) {
	prod, _ := newProducer(t, "5.3.3")
	small := strategy.NewRoute([]strategy.RouteBroker{
		{Broker: 0, WriteQueueNums: 1, Writable: true},
		{Broker: 1, WriteQueueNums: 1, Writable: true},
	})
	large, _ := eight()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				if g == 0 && i%10 == 0 {
					prod.SetRoute([]*strategy.Route{small, large}[i/10%2])
				}
				first := true
				prod.Send(func(strategy.Attempt) strategy.Outcome {
					if first {
						first = false
						return strategy.Outcome{Kind: strategy.OutcomeTimeout}
					}
					return strategy.Outcome{Kind: strategy.OutcomeOK}
				})
			}
		})
	}
	wg.Wait()
}

// TestPanicInCall: a call that panics costs its worker and nothing else.
func TestPanicInCall(t *testing.T) {
	prod, _ := newProducer(t, "5.3.3")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		prod.Send(func(strategy.Attempt) strategy.Outcome { panic("sender") })
	}()
	ok := func(strategy.Attempt) strategy.Outcome { return strategy.Outcome{} }
	if r := prod.Send(ok); r.Status != strategy.StatusSendOK {
		t.Errorf("got %+v", r)
	}
}

// TestNewProducerNeedsClockAndRandomness: neither has a default, so that nobody gets one unawares.
func TestNewProducerNeedsClockAndRandomness(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a producer without a clock")
		}
	}()
	concurrent.NewProducer(concurrent.Config{})
}

// TestSource: the values are in range and about even, also for a bound that does not divide 2^32;
// equal seeds give equal values, neighbouring ones others.
func TestSource(t *testing.T) {
	src, same, other := concurrent.NewSource(7), concurrent.NewSource(7), concurrent.NewSource(8)
	counts := [3]int{}
	equal := 0
	for range 30_000 {
		v := src.Int31n(3)
		if v < 0 || v > 2 {
			t.Fatalf("Int31n(3) = %d", v)
		}
		if same.Int31n(3) != v {
			t.Fatal("equal seeds, other values")
		}
		if other.Int31n(3) == v {
			equal++
		}
		counts[v]++
	}
	for v, n := range append(counts[:], equal) {
		if n < 9_700 || n > 10_300 { // 10,000 +- 3.7 standard deviations
			t.Errorf("value %d came up %d times of 30,000", v, n)
		}
	}
	negative := 0
	for range 1000 {
		if src.Int32() < 0 {
			negative++
		}
		if v := src.Int31n(math.MaxInt32); v < 0 || v == math.MaxInt32 {
			t.Fatalf("Int31n(MaxInt32) = %d", v)
		}
	}
	if negative < 440 || negative > 560 {
		t.Errorf("%d of 1000 values of Int32 are negative", negative)
	}
}
