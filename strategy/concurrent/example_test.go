package concurrent_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"simrun/strategy"
	"simrun/strategy/concurrent"
)

// errRefused is what the fake network says when nobody listens.
var errRefused = errors.New("connection refused")

// fakeSender stands for the network: broker-b refuses connections, the others answer.
type fakeSender struct {
	refused atomic.Int64
	names   []string
}

// call is the network's part: it takes as long as it takes, but not longer than the context.
func (s *fakeSender) call(ctx context.Context, broker, _ string) error {
	if broker == "broker-b" {
		s.refused.Add(1)
		return errRefused
	}
	select {
	case <-time.After(time.Millisecond): // the answer
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send makes one attempt, and ends within its timeout: that is what a Producer relies on.
func (s *fakeSender) send(a strategy.Attempt, body string) strategy.Outcome {
	ctx, cancel := context.WithTimeout(context.Background(),
		time.Duration(a.Timeout)*time.Millisecond)
	defer cancel()
	err := s.call(ctx, s.names[a.Queue.Broker], body)
	switch {
	case err == nil:
		return strategy.Outcome{Kind: strategy.OutcomeOK}
	case errors.Is(err, context.DeadlineExceeded):
		return strategy.Outcome{Kind: strategy.OutcomeTimeout}
	default:
		return strategy.Outcome{Kind: strategy.OutcomeConnectFailed}
	}
}

// A producer with fault avoidance as in RocketMQ 5.3.3, shared by eight goroutines, on the real
// clock.
func Example() {
	profile, err := strategy.Lookup("5.3.3")
	if err != nil {
		panic(err)
	}
	settings := strategy.DefaultSettings(profile)
	settings.SendLatencyFaultEnable = true

	sender := &fakeSender{names: []string{"broker-a", "broker-b", "broker-c"}}
	policy := concurrent.NewPolicy(profile, settings, sender.names)
	var route []strategy.RouteBroker
	for _, name := range sender.names {
		route = append(route, strategy.RouteBroker{
			Broker: policy.Broker(name), WriteQueueNums: 4, Writable: true,
		})
	}
	began := time.Now() // monotonic: a clock that is set back does not disturb anything
	var workers atomic.Uint64
	producer := concurrent.NewProducer(concurrent.Config{
		Profile:  profile,
		Settings: settings,
		Policy:   policy,
		Now:      func() strategy.Millis { return strategy.Millis(time.Since(began).Milliseconds()) },
		NewSource: func() strategy.Source {
			return concurrent.NewSource(uint64(began.UnixNano()) + workers.Add(1))
		},
	})
	producer.SetRoute(strategy.NewRoute(route))

	var wg sync.WaitGroup
	var ok atomic.Int64
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				result := producer.Send(func(a strategy.Attempt) strategy.Outcome {
					return sender.send(a, fmt.Sprintf("message %d", i))
				})
				if result.Status == strategy.StatusSendOK {
					ok.Add(1)
				}
			}
		})
	}
	wg.Wait()
	fmt.Printf("%d of 400 sent\n", ok.Load())
	fmt.Println("broker-b was asked at most once by each goroutine:", sender.refused.Load() <= 8)
	fmt.Println("broker-b is available:", policy.Available(
		strategy.Millis(time.Since(began).Milliseconds()), policy.Broker("broker-b")))
	// Output:
	// 400 of 400 sent
	// broker-b was asked at most once by each goroutine: true
	// broker-b is available: false
}
