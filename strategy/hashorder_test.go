package strategy

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestHashOrder replays what a ConcurrentHashMap of Java did. A recording is not ours to rewrite.
func TestHashOrder(t *testing.T) {
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		t.Skip("the recordings are Java's: -rewrite must not replace them with our answers")
	}
	datadriven.RunTest(t, "testdata/hashorder", func(t *testing.T, d *datadriven.TestData) string {
		ops := strings.Fields(d.Input)
		var names []string
		for _, op := range ops {
			if !slices.Contains(names, op[1:]) {
				names = append(names, op[1:])
			}
		}
		h := newHashOrder(names)
		for _, op := range ops {
			b := Broker(slices.Index(names, op[1:]))
			if op[0] == '+' {
				h.add(b)
			} else {
				h.remove(b)
			}
		}
		order := make([]string, 0, len(h.brokers))
		for _, b := range h.brokers {
			order = append(order, names[b])
		}
		return strings.Join(order, " ") + "\n"
	})
}

// TestHashOrderAfter: a detector round goes on behind the broker it just probed, even if that
// broker was dropped meanwhile.
func TestHashOrderAfter(t *testing.T) {
	h := newHashOrder([]string{"broker-a", "broker-b", "broker-c", "broker-d"})
	for b := range Broker(4) {
		h.add(b)
	}
	var walked []Broker
	for i := h.after(NoBroker); i < len(h.brokers); i = h.after(h.brokers[i]) {
		walked = append(walked, h.brokers[i])
	}
	if want := []Broker{3, 1, 2, 0}; !slices.Equal(walked, want) {
		t.Errorf("walked %v, want %v", walked, want)
	}
	h.remove(1)
	if got := h.brokers[h.after(1)]; got != 2 {
		t.Errorf("after the dropped 1 comes %d, want 2", got)
	}
}
