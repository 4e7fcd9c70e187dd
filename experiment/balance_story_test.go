package experiment

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"simrun/internal/result"
	"simrun/scenarios"
	"simrun/sim"
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

// judge tells the values of metrics.
func (s *story) judge(t *testing.T, input string) string {
	var b strings.Builder
	for line := range strings.Lines(input) {
		w := strings.Fields(line)
		e := atLeast(expectation(w[0], s.word(w, "during", "all")), 0)
		if name := s.word(w, "broker", ""); name != "" {
			e.Broker = s.broker(name)
		}
		for i := range s.cfg.Faults {
			if s.cfg.Faults[i].Name == s.word(w, "fault", "") {
				e.Fault, e.Phase = i, ""
			}
		}
		j := newJudge(s.fold, []scenarios.Expectation{e})
		j.run = &result.Run{Faults: s.fold.faults.results(s.now)}
		x := j.judge(0, s.now, true)
		value := "undecided"
		switch {
		case x.Actual != nil && e.Metric.Unit == result.UnitNS:
			value = ns(int64(*x.Actual)).String()
		case x.Actual != nil:
			value = strconv.FormatFloat(*x.Actual, 'g', 6, 64)
		}
		fmt.Fprintf(&b, "%s: %s", strings.TrimSpace(line), value)
		if x.Reason != "" {
			fmt.Fprintf(&b, " (%s)", x.Reason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Goal: an expectation with a window of its own counts as a phase does. Method: a lively world, and each
// metric once over "all" and once from the end of the warm-up to the end of the run.
func TestWindowsAgreeWithPhases(t *testing.T) {
	cfg := livelyConfig()
	var list []scenarios.Expectation
	for _, m := range result.Metrics() {
		if m.Scope.OfFault() {
			continue
		}
		e := atLeast(expectation(m.Name, "all"), 0)
		if m.Scope == result.ScopeBroker {
			e.Broker = 1
		}
		own := e
		own.Phase, own.From, own.To = "", sim.Time(cfg.Warmup), sim.Time(cfg.Duration)
		list = append(list, e, own)
	}
	sc := testScenario(cfg)
	sc.Expectations = list
	run := must(Run(t.Context(), sc, Options{}))
	some := 0
	for i := 0; i < len(run.Expectations); i += 2 {
		phase, own := run.Expectations[i], run.Expectations[i+1]
		if phase.Actual != nil && *phase.Actual > 0 {
			some++
		}
		if (phase.Actual == nil) != (own.Actual == nil) ||
			phase.Actual != nil && !alike(*phase.Actual, *own.Actual) {
			t.Errorf("%s: %v in the phase (%s), %v in the window (%s)", phase.Metric, deref(phase.Actual),
				phase.Reason, deref(own.Actual), own.Reason)
		}
	}
	if some < 50 {
		t.Errorf("only %d metrics are above 0", some)
	}
}
