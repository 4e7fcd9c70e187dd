package experiment

import (
	"fmt"
	"strings"

	"simrun/internal/result"
)

// lookAtAvailability tells of the phases in which anything was answered.
func (s *story) lookAtAvailability() string {
	var b strings.Builder
	for _, a := range s.fold.availabilityResults() {
		if a.Dim != result.DimAll || a.Answered == 0 && a.OutageNS == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s: %d of %d failed; %d outages, %v, longest %v", a.Phase, a.Failed, a.Answered,
			a.Outages, ns(a.OutageNS), ns(a.LongestNS))
		if a.Open {
			b.WriteString(", not over")
		}
		for _, l := range a.Below {
			if l.NS > 0 {
				fmt.Fprintf(&b, "; below %g%% %v, longest %v", 100*l.Level, ns(l.NS), ns(l.LongestNS))
			}
		}
		if a.WorstInstance != "" {
			fmt.Fprintf(&b, "; worst %s %v", a.WorstInstance, ns(a.WorstNS))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lookAtBalance tells how even the attempts are, and which queues got any.
func (s *story) lookAtBalance() string {
	var b strings.Builder
	queues, balance := s.fold.queueResults()
	for _, x := range balance {
		fmt.Fprintf(&b, "%s, %d %s of %s: max/mean %.3f, cv %.3f, largest %s, smallest %s\n", x.Phase, x.N, x.Of,
			x.Topic, x.MaxOverMean, x.CV, x.Largest, x.Smallest)
	}
	for _, q := range queues {
		if q.Phase == result.PhaseAll && q.Sent > 0 {
			fmt.Fprintf(&b, "%s %s:%d %d\n", q.Topic, q.Broker, q.Queue, q.Sent)
		}
	}
	return b.String()
}
