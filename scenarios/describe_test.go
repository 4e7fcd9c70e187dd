package scenarios

import (
	"testing"

	"simrun/model/config"
	"simrun/model/rate"
	"simrun/sim"
	"simrun/strategy"
)

// A load is described in words.
func TestLoadWords(t *testing.T) {
	at := func(s int, factor float64) rate.Point {
		return rate.Point{At: sim.Duration(s) * sim.Second, Factor: factor}
	}
	think, err := sim.Constant(10 * sim.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	const every = 60 * sim.Second
	for want, p := range map[string]config.Producer{
		"Poisson":       {},
		"constant gaps": {Arrivals: config.Constant},
		"closed loop of 64 threads, think 10ms": {
			Arrivals: config.ClosedLoop, Count: 4, Threads: 16, Think: think,
		},
		"closed loop of one thread": {Arrivals: config.ClosedLoop, Count: 1, Threads: 1},
		"2 recorded arrivals":       {Arrivals: config.RecordedArrivals, Recorded: make([]config.Arrival, 2)},
		"Poisson, bursts ×5 for 5s every 60s": {
			Shape: rate.Shape{Points: []rate.Point{at(0, 5), at(5, 5), at(5, 1)}, Period: every},
		},
		"Poisson, bursts ×0.5 for 10s every 60s": {Shape: rate.Shape{Points: []rate.Point{
			at(0, 1), at(50, 1), at(50, 0.5), at(60, 0.5),
		}, Period: every}},
		"Poisson, burst ×5 for 5s at 20s": {Shape: rate.Shape{Points: []rate.Point{
			at(0, 1), at(20, 1), at(20, 5), at(25, 5), at(25, 1),
		}}},
		"Poisson, ramp ×1 to ×3 over 60s": {Shape: rate.Shape{Points: []rate.Point{at(0, 1), at(60, 3)}}},
		"Poisson, ramp ×1 to ×3 over 10s from 20s": {Shape: rate.Shape{Points: []rate.Point{
			at(0, 1), at(20, 1), at(30, 3),
		}}},
		"Poisson, a curve of 4 points from ×0.2 to ×2 every 60s": {Shape: rate.Shape{Points: []rate.Point{
			at(0, 0.2), at(20, 1), at(40, 2), at(60, 0.2),
		}, Period: every}},
		// It stays high after the step: no burst.
		"Poisson, a curve of 4 points from ×1 to ×5": {Shape: rate.Shape{Points: []rate.Point{
			at(0, 1), at(20, 1), at(20, 5), at(25, 5),
		}}},
	} {
		if got := loadWords(&p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// How many attempts may follow the first depends on mode and choice: one-way and a queue that the
// caller or a selector picks get one attempt, but for asynchronous sends (client.md 5 and 6; source:
// DefaultMQProducerImpl.sendDefaultImpl, sendSelectImpl and sendOneway, 4.9.8).
func TestRetriesOfAMode(t *testing.T) {
	settings := strategy.Settings{RetryTimesWhenSendFailed: 2, RetryTimesWhenSendAsyncFailed: 5}
	for _, tt := range []struct {
		p    config.Producer
		want int
	}{
		{config.Producer{}, 2},
		{config.Producer{Mode: config.Async}, 5},
		{config.Producer{Mode: config.OneWay}, 0},
		{config.Producer{Choice: config.ChooseByHash}, 0},
		{config.Producer{Choice: config.ChooseByHash, Mode: config.Async}, 5},
		{config.Producer{Client: config.GoClient, Choice: config.ChooseByHash}, 2},
		{config.Producer{Client: config.GoClient, Mode: config.Async}, 0},
		{config.Producer{Client: config.GoClient, Mode: config.OneWay}, 2},
	} {
		tt.p.Settings = settings
		if got := retries(&tt.p); got != tt.want {
			t.Errorf("%v, %v: %d retries, want %d", tt.p.Mode, tt.p.Choice, got, tt.want)
		}
	}
}
