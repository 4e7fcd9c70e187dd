package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"simrun/internal/result"
)

// oneFault is a run of 60 s in which a broker is paused from 10 s to 20 s.
func oneFault() *result.Run {
	at := func(ns int64) *int64 { return &ns }
	all := result.Spread{Instances: 8, Reached: 8, MedianNS: at(1e9), MaxNS: at(2e9)}
	r := &result.Run{
		Complete: true, DurationNS: 60 * second, SimulatedNS: 60 * second,
		Phases:  []result.Phase{{Name: "fault.stall", FromNS: 10 * second, ToNS: 20 * second}},
		Brokers: []result.Broker{{Phase: "fault.stall", Name: "b", Attempts: 9}},
		Faults: []result.Fault{{
			Name: "stall", Kind: "pause", Targets: []string{"b:0"}, Began: true,
			FromNS: 10 * second, ToNS: 20 * second,
			Effects: []result.FaultEffect{{
				Broker: "b", Detect: all, Avoid: all, RouteGone: all, Return: all, FailedAttempts: 7,
				Attempts: 9, AvoidingAttempts: 9, Avoiding: 8,
			}},
		}},
	}
	r.Setup.Producers = []result.SetupProducer{{Name: "p", Count: 8, Avoidance: true}}
	r.Setup.Brokers = []result.SetupBroker{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	return r
}

// faultRow is what the block of the fault says of a broker, and what stands under it.
func faultRow(t *testing.T, r *result.Run, broker string) (row, rest string) {
	t.Helper()
	_, block, _ := strings.Cut(summaryOf(t, r, TextOptions{}), "\nfault.stall · ")
	found := regexp.MustCompile(`(?m)^` + broker + `  +(.*)$`).FindStringSubmatchIndex(block)
	if found == nil {
		t.Fatalf("no row of %s in\n%s", broker, block)
	}
	row = strings.Join(strings.Fields(block[found[2]:found[3]]), " ")
	return row, strings.Join(strings.Fields(block[found[1]:]), " ")
}

// Why a time is missing is told: each reason has a word and a footnote of its own.
func TestWhyATimeIsMissing(t *testing.T) {
	none := result.Spread{Instances: 8}
	for name, c := range map[string]struct {
		change    func(*result.Run, *result.FaultEffect)
		row, note string
	}{
		"all there": {
			func(*result.Run, *result.FaultEffect) {},
			"1.00s 2.00s 1.00s 2.00s 1.00s 2.00s 1.00s 2.00s 7", "from the end of the fault no expect",
		},
		"not by the end": {
			func(_ *result.Run, e *result.FaultEffect) { e.RouteGone, e.Return = none, none },
			"1.00s 2.00s 1.00s 2.00s never never¹ never never¹ 7", "¹ not by 60 s, where the run ended",
		},
		"avoidance off": {
			func(r *result.Run, e *result.FaultEffect) {
				r.Setup.Producers[0].Avoidance, e.Avoid, e.RouteGone = false, none, none
			},
			"1.00s 2.00s off off¹ never never² 1.00s 2.00s 7", "¹ avoidance is off: send_latency",
		},
		"no attempt": {
			func(r *result.Run, e *result.FaultEffect) {
				e.Attempts, e.AvoidingAttempts, e.Detect, e.Avoid = 0, 0, none, none
			},
			"untried untried¹ untried untried¹ 1.00s 2.00s 1.00s 2.00s 7", "¹ no producer made an attempt",
		},
		"no attempt with avoidance": {
			func(r *result.Run, e *result.FaultEffect) { e.AvoidingAttempts, e.Avoid = 0, none },
			"1.00s 2.00s untried untried¹ 1.00s 2.00s 1.00s 2.00s 7", "¹ no producer with avoidance on made",
		},
		"nobody who avoids sends to it": {
			func(r *result.Run, e *result.FaultEffect) {
				e.Avoiding, e.AvoidingAttempts, e.Avoid = 0, 0, none
			},
			"1.00s 2.00s off off¹ 1.00s 2.00s 1.00s 2.00s 7", "¹ no producer that sends to it has avoidance",
		},
		"on some": {
			func(_ *result.Run, e *result.FaultEffect) { e.Avoid.Reached, e.Avoid.MaxNS = 5, nil },
			"1.00s 2.00s 1.00s 5/8¹ 1.00s 2.00s 1.00s 2.00s 7", "¹ it came on so many of the",
		},
		"slaves only": {
			func(r *result.Run, e *result.FaultEffect) {
				*e = result.FaultEffect{Broker: "b"}
				r.Faults[0].Targets = []string{"b:1", "b:2"}
			},
			"– – – – – – – – 0", "slaves only: producers do not talk to them",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := oneFault()
			c.change(r, &r.Faults[0].Effects[0])
			row, rest := faultRow(t, r, "b")
			if row != c.row || !strings.Contains(rest, c.note) {
				t.Errorf("row %q, want %q; under it %q, want %q", row, c.row, rest, c.note)
			}
		})
	}
}

// The time to avoid is of the instances whose avoidance is on, and the block says how many those are.
func TestWhoAvoids(t *testing.T) {
	r := oneFault()
	e := &r.Faults[0].Effects[0]
	if _, rest := faultRow(t, r, "b"); strings.Contains(rest, "avoidance on") {
		t.Errorf("told of all instances: %q", rest)
	}
	e.Avoid.Instances, e.Avoid.Reached, e.Avoiding = 1, 1, 1
	row, rest := faultRow(t, r, "b")
	const want = "avoided: of the 1 of 8 producer instances that have avoidance on"
	if !strings.Contains(rest, want) ||
		strings.Contains(row, "1/8") {
		t.Errorf("row %q, under it %q, want %q", row, rest, want)
	}
}

// A hundred brokers with a hundred reasons of two kinds: two footnotes.
func TestOneFootnoteForEachKind(t *testing.T) {
	r := oneFault()
	f := &r.Faults[0]
	one := f.Effects[0]
	f.Effects = nil
	for i := range 100 {
		e := one
		e.Broker = fmt.Sprintf("b%d", i)
		e.Avoid = result.Spread{Instances: 200, Reached: i}
		f.Effects = append(f.Effects, e)
	}
	text := summaryOf(t, r, TextOptions{})
	if n := len(regexp.MustCompile(`(?m)^[¹²³⁴⁵⁶⁷⁸⁹] `).FindAllString(text, -1)); n != 2 {
		t.Errorf("%d footnotes in\n%s", n, text)
	}
	checkWidth(t, text, 80)
}

// Brokers that no fault explains the isolation of are named, the worst first, with the time avoided if
// no fault has its part in it.
func TestFalseIsolations(t *testing.T) {
	r := oneFault()
	if text := summaryOf(t, r, TextOptions{}); strings.Contains(text, "healthy") {
		t.Errorf("false isolations of nobody:\n%s", text)
	}
	for _, b := range []result.Broker{
		{Name: "a", False: 1, AvoidedNS: 2 * second},
		{Name: "b", False: 3, AvoidedNS: 50 * second},
		{Name: "c", False: 2, AvoidedNS: 60 * second},
		{Name: "d"},
	} {
		b.Phase = result.PhaseAll
		r.Brokers = append(r.Brokers, b)
	}
	text := summaryOf(t, r, TextOptions{})
	flat := strings.Join(strings.Fields(text), " ")
	want := "isolated though healthy: b 3 times, c 2 times (avoided for 60.0s), " +
		"a once (avoided for 2.00s), renewals included; a slow or failed send was taken for a faulty broker"
	if !strings.Contains(flat, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// What was not simulated is not shown: neither phases nor the rest of a fault.
func TestInterruptedRangesAreClipped(t *testing.T) {
	r := oneFault()
	r.Complete, r.SimulatedNS = false, 15*second
	r.Phases = []result.Phase{
		{Name: "before", ToNS: 10 * second},
		{Name: "fault.stall", FromNS: 10 * second, ToNS: 20 * second},
		{Name: "recovery.stall", FromNS: 20 * second, ToNS: 60 * second},
		{Name: "all", ToNS: 60 * second},
	}
	text := summaryOf(t, r, TextOptions{})
	for _, want := range []string{" 10–15 s", " 0–15 s", "pause of b:0 · 10 s to the interrupt"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"recovery", "20 s", "0–60 s"} {
		if strings.Contains(text, not) {
			t.Errorf("%q in\n%s", not, text)
		}
	}
}

// Messages in flight have a row once there are any.
func TestUnanswered(t *testing.T) {
	r := oneFault()
	r.Stats = []result.Stats{{Phase: "fault.stall", Dim: result.DimAll, Messages: 9, OK: 9}}
	row := regexp.MustCompile(`(?m)^unanswered +3$`)
	if text := summaryOf(t, r, TextOptions{}); strings.Contains(text, "unanswered") {
		t.Errorf("a row of nothing in\n%s", text)
	}
	r.Stats[0].InFlight = 3
	if text := summaryOf(t, r, TextOptions{}); !row.MatchString(text) {
		t.Errorf("no %v in\n%s", row, text)
	}
}

// A process that is struck again before it has started is down between the strikes, too: the summary
// tells both times, and the figure shades all of it.
func TestDownBetweenStrikes(t *testing.T) {
	r := oneFault()
	f := &r.Faults[0]
	f.Kind, f.Strikes, f.HeldNS = "kill", 1000, 20*second
	for i := range int64(200) {
		f.Spans = append(f.Spans, [2]int64{10*second + i, 10*second + i + 1})
	}
	f.DownNS, f.Downs = 15*second, [][2]int64{{10 * second, 25 * second}}
	flat := strings.Join(strings.Fields(summaryOf(t, r, TextOptions{})), " ")
	if want := "struck 1 000 times, for 20 s in all, down for 15 s"; !strings.Contains(flat, want) {
		t.Errorf("no %q in\n%s", want, flat)
	}
	if b := bandsOf(r, 60*second)[0]; len(b.shade) != 1 || b.shade[0] != f.Downs[0] {
		t.Errorf("shaded: %v, want %v", b.shade, f.Downs)
	}
}
