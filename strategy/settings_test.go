package strategy_test

import (
	"testing"

	"simrun/strategy"
)

// TestEmptyTableIsOdd: a table without thresholds can be used, but isolates nothing, and that is
// said; the defaults are not odd.
func TestEmptyTableIsOdd(t *testing.T) {
	p, err := strategy.Lookup("5.3.3")
	if err != nil {
		t.Fatal(err)
	}
	s := strategy.DefaultSettings(p)
	if got := s.Validate(p); len(got) > 0 {
		t.Errorf("defaults: %+v", got)
	}
	s.SendLatencyFaultEnable = true
	s.LatencyMax, s.NotAvailableDuration = []strategy.Millis{}, []strategy.Millis{}
	want := strategy.Problem{
		Key: "latency_max", Message: "is empty: no broker is ever isolated", Warning: true,
	}
	if got := s.Validate(p); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want only %+v", got, want)
	}
	pol := strategy.NewRocketMQ(p, s, []string{"a"})
	pol.Ended(1, strategy.Ended{Isolation: true}, nil)
	if !pol.Available(1, 0) {
		t.Error("the broker is isolated all the same")
	}
}
