package concurrent_test

import (
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
			return concurrent.NewPCG(uint64(workers.Add(1)), 4)
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
