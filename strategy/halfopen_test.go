package strategy_test

import (
	"testing"

	"simrun/strategy"
)

// halfOpen is the policy with one threshold after which a broker is isolated for short, and one
// for long.
func halfOpen(t *testing.T, short, long strategy.Millis) strategy.Policy {
	t.Helper()
	p, err := strategy.Lookup("5.3.3")
	if err != nil {
		t.Fatal(err)
	}
	s := strategy.DefaultSettings(p)
	s.SendLatencyFaultEnable = true
	s.LatencyMax = []strategy.Millis{100, 1000}
	s.NotAvailableDuration = []strategy.Millis{short, long}
	return strategy.NewHalfOpen(p, s, []string{"a"})
}

// startsAt is what the policy must say about when the broker is available.
func startsAt(t *testing.T, pol strategy.Policy, want strategy.Millis) {
	t.Helper()
	item, ok := pol.Item(0)
	if !ok || item.Start != want {
		t.Errorf("available from %d (known %t), want %d", item.Start, ok, want)
	}
	if pol.Available(want-1, 0) || !pol.Available(want, 0) {
		t.Errorf("before %d available %t, at it %t", want, pol.Available(want-1, 0),
			pol.Available(want, 0))
	}
}

// TestHalfOpenLateFailures: of attempts in flight together, a later end may make the isolation
// longer, and never shorter.
func TestHalfOpenLateFailures(t *testing.T) {
	pol := halfOpen(t, 2000, 5000)
	pol.Ended(10_000, strategy.Ended{Latency: 1000}, nil)
	startsAt(t, pol, 15_000)
	pol.Ended(10_500, strategy.Ended{Latency: 100}, nil) // 12,500 would be sooner
	startsAt(t, pol, 15_000)
	pol.Ended(11_000, strategy.Ended{Latency: 1000}, nil)
	startsAt(t, pol, 16_000)
}

// TestHalfOpenBackoffIsBounded: failed probations double the isolation up to ten minutes; one that
// the settings make longer than that stays as it is.
func TestHalfOpenBackoffIsBounded(t *testing.T) {
	for _, c := range []struct {
		first strategy.Millis
		want  []strategy.Millis
	}{
		{250_000, []strategy.Millis{500_000, 600_000, 600_000}},
		{600_000, []strategy.Millis{600_000, 600_000}},
		{900_000, []strategy.Millis{900_000, 900_000}},
	} {
		pol := halfOpen(t, 0, c.first)
		now := strategy.Millis(1000)
		pol.Ended(now, strategy.Ended{Isolation: true}, nil)
		startsAt(t, pol, now+c.first)
		now += c.first
		for _, want := range c.want {
			pol.Sent(now, 0)
			pol.Ended(now, strategy.Ended{Isolation: true}, nil)
			startsAt(t, pol, now+want)
			now += want
		}
	}
}
