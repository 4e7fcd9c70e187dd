package report

import (
	"strings"
	"testing"

	"simrun/internal/result"
)

// Goal: of a fault of name servers the summary says what is true: who was struck, whose routes changed,
// and where the attempts went if they moved.
// Method: a name server that comes back empty takes b from the lists of two instances of eight.
func TestRoutesThatANameServerTook(t *testing.T) {
	r := oneFault()
	f := &r.Faults[0]
	f.Kind, f.Targets, f.Effects = "kill", []string{"name_server:n1"}, nil
	r.Series = result.Series{WindowNS: 10 * second, Brokers: []string{"a", "b"}}
	for i := range int64(6) {
		r.Series.Windows = append(r.Series.Windows, result.Window{
			FromNS: i * 10 * second, Sends: make([]int64, 2), Avoided: make([]float64, 2),
			Routed: []float64{1, 1}, Brokers: make([]result.BrokerWindow, 2),
		})
	}
	r.Phases = append([]result.Phase{{Name: result.PhaseBefore, ToNS: 10 * second}}, r.Phases...)
	r.Brokers = []result.Broker{
		{Phase: result.PhaseBefore, Name: "a", Attempts: 50, Share: 0.5},
		{Phase: result.PhaseBefore, Name: "b", Attempts: 50, Share: 0.5},
		{Phase: "fault.stall", Name: "a", Attempts: 52, Share: 0.52},
		{Phase: "fault.stall", Name: "b", Attempts: 48, Share: 0.48},
	}
	check := func(words, share string) {
		t.Helper()
		text := summaryOf(t, r, TextOptions{})
		flat := strings.Join(strings.Fields(text), " ")
		if !strings.Contains(flat, words) || strings.Contains(text, "\nshare of ") != (share != "") ||
			!strings.Contains(flat, share) {
			t.Errorf("no %q or no %q in\n%s", words, share, text)
		}
	}
	check("name servers only: no broker is struck no expectations", "")
	r.Series.Windows[3].Routed[1] = 0.75
	r.Brokers[2].Share, r.Brokers[3].Share = 0.6, 0.4
	check("no broker is struck; by 60 s the routes of 2 of 8 producer instances had lost b no",
		"share of b 50.0% 40.0%")
	r.Series.Windows[0].Routed[0] = 0.5
	check("had lost b; by 60 s those of 4 of 8 producer instances had got a", "share of a 50.0% 60.0%")
}
