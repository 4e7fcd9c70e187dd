package report

import (
	"bytes"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"simrun/internal/result"
)

func summaryOf(t *testing.T, r *result.Run, opt TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Summary(&b, r, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSummaryGolden(t *testing.T) {
	worlds := edgeWorlds()
	for _, name := range slices.Sorted(maps.Keys(worlds)) {
		t.Run(name, func(t *testing.T) {
			r := fixture(worlds[name])
			if name == "two-masters-down" {
				expecting(r)
			}
			got := summaryOf(t, r, TextOptions{})
			golden(t, filepath.Join("testdata", "summary", name+".txt"), []byte(got))
			checkWidth(t, got, 80)
		})
	}
}

// No line is wider than the terminal, none has blanks at its end.
func checkWidth(t *testing.T, text string, width int) {
	t.Helper()
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if runes(l) > width {
			t.Errorf("%d columns: %q", runes(l), l)
		}
		if strings.TrimRight(l, " ") != l {
			t.Errorf("blanks at the end of %q", l)
		}
	}
}

func TestSummaryFitsEveryWidth(t *testing.T) {
	for _, name := range []string{"overlapping", "weaker", "one-way", "thirty-brokers"} {
		r := expecting(served(fixture(coarsened(edgeWorlds()[name]))))
		for width := 40; width <= 200; width += 10 {
			checkWidth(t, summaryOf(t, r, TextOptions{Width: width}), width)
		}
	}
}

// served adds what is measured of the service besides, with numbers of every kind.
func served(r *result.Run) *result.Run {
	ns := func(s float64) *int64 { x := int64(s * 1e9); return &x }
	for _, ph := range r.Phases {
		a := result.Availability{Phase: ph.Name, Dim: result.DimAll}
		m := result.Balance{Phase: ph.Name, Of: "brokers", Topic: "orders", MaxOverMean: 1.02}
		if ph.IsFault() {
			a.Outages, a.OutageNS, a.WorstInstance, a.WorstNS = 2, 3.2e9, "p#3", 7.5e9
			a.Below = []result.Below{{Level: 0.9, NS: 4e9}, {Level: 0.99, NS: 12e9}, {Level: 0.999, NS: 30e9}}
			m.MaxOverMean = 2.031
		}
		r.Availability, r.Balance = append(r.Availability, a), append(r.Balance, m)
	}
	if i := len(r.Availability) - 1; len(r.Faults) > 0 {
		r.Availability[i].Below = []result.Below{{Level: 0.99, NS: 12e9}, {Level: 0.999, NS: 30e9}}
		r.Availability[i].OutageNS = 3.2e9
	}
	for i := range r.Faults {
		f := &r.Faults[i]
		f.Baseline = &result.Baseline{SuccessNS: ns(0), P99NS: ns(12)}
		for k := range f.Effects {
			e := &f.Effects[k]
			e.HeldNS, e.AvoidedNS, e.StarvedNS = f.ToNS-f.FromNS, 8*(f.ToNS-f.FromNS), 20e9
		}
	}
	for i := range r.Brokers {
		r.Brokers[i].Probes, r.Brokers[i].ProbesFailed, r.Brokers[i].ProbeNS = 120, 3, 2e9
		r.Brokers[i].Fallbacks = 5
	}
	return r
}

// What the registry measures besides counts and latencies is in the summary where there is news of it:
// "unavailability windows and partial unavailability (time below a success level, longest bad stretch of any
// producer); starvation after recovery, seconds of isolation per second of fault, probes and what they cost;
// imbalance; return to baseline".
func TestSummaryOfService(t *testing.T) {
	text := summaryOf(t, served(fixture(coarsened(twoMastersDown()))), TextOptions{})
	flat := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"no success for 0s 0s 3.20s 0s 3.20s",
		"below 99% 0s 0s 12.0s 0s 12.0s",
		"imbalance ×1.020 ×1.020 ×2.031 ×1.020 ×1.020",
		"worst instance: p#3 got no success for 7.50s in fault.power-cut",
		"refused by fault tables for 2 880s, summed over instances and brokers: an instance, in the mean, " +
			"for 1 s per second of the fault; 40.0s of it after its end (starved)",
		"back to what was before: success at once, p99 after 12.0s; not in this run: its share of sends",
		"probes: a 120 (3 failed), b 120 (3 failed), c 120 (3 failed), d 120 (3 failed); they took 8.00s in all",
		"against the fault table: attempts for want of another broker: a 5, b 5, c 5, d 5",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Rows of zeros are no news, but that nothing failed, was lost or stored twice is: once, in words.
func TestSummaryHasNoRowsOfZeros(t *testing.T) {
	text := summaryOf(t, fixture(coarsened(edgeWorlds()["steady"])), TextOptions{})
	if regexp.MustCompile(`(?m)^[a-z ,]+( +0)+$`).MatchString(text) {
		t.Errorf("a row of zeros in\n%s", text)
	}
	if want := "none failed, none acknowledged and lost, none duplicated\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

// Names of 64 characters are cut in the middle where they would not fit, and remain distinct.
func TestSummaryOfLongNames(t *testing.T) {
	long := func(s string) string { return strings.Repeat("x", 64-len(s)) + s }
	r := expecting(fixture(edgeWorlds()["overlapping"]))
	rename := func(name *string) { *name = long(*name) }
	for i := range r.Setup.Brokers {
		rename(&r.Setup.Brokers[i].Name)
	}
	for i := range r.Brokers {
		rename(&r.Brokers[i].Name)
		r.Brokers[i].False = 2
	}
	fault := map[string]string{}
	for i := range r.Faults {
		f := &r.Faults[i]
		fault[f.Name] = long(f.Name)
		rename(&f.Name)
		for k := range f.Effects {
			rename(&f.Effects[k].Broker)
			f.Targets[k] = f.Effects[k].Broker + ":0"
		}
	}
	phase := func(name *string) {
		if kind, rest, ok := strings.Cut(*name, "."); ok {
			*name = kind + "." + fault[rest]
		}
	}
	for i := range r.Phases {
		phase(&r.Phases[i].Name)
	}
	for i := range r.Stats {
		phase(&r.Stats[i].Phase)
	}
	for i := range r.Brokers {
		phase(&r.Brokers[i].Phase)
	}
	for i := range r.Expectations {
		r.Expectations[i].Name = long(r.Expectations[i].Name)
		r.Expectations[i].Where = "during fault." + long("f")
	}
	for _, width := range []int{40, 60, 80} {
		checkWidth(t, summaryOf(t, r, TextOptions{Width: width}), width)
	}
	text := summaryOf(t, r, TextOptions{})
	for _, want := range []string{
		"\nshare of xxxxxxx…xxxxxxxxxxxxxxa ", "\nxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxb ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestBrief(t *testing.T) {
	for most, want := range map[int]string{8: "abcd…ghi", 5: "ab…hi", 2: "a…", 9: "abcdefghi"} {
		if got := brief("abcdefghi", most); got != want {
			t.Errorf("%d columns: %q, want %q", most, got, want)
		}
	}
}

// Colours only add to the text: without them it is the same.
func TestSummaryColor(t *testing.T) {
	r := expecting(fixture(coarsened(twoMastersDown())))
	plainText := summaryOf(t, r, TextOptions{})
	colored := summaryOf(t, r, TextOptions{Color: true})
	if strings.Contains(plainText, "\x1b") {
		t.Error("an escape without colours")
	}
	if !strings.Contains(colored, ansi[bad]+"✗") || !strings.Contains(colored, ansi[good]+"✓") {
		t.Error("verdicts have no colour")
	}
	stripped := regexp.MustCompile(`\x1b\[\d+m`).ReplaceAllString(colored, "")
	if got := regexp.MustCompile(` +\n`).ReplaceAllString(stripped, "\n"); got != plainText {
		t.Errorf("colours change the text:\n%s\nwant\n%s", got, plainText)
	}
}

func TestVerdictIsLast(t *testing.T) {
	verdict := func(v result.Verdict) result.Expectation { return result.Expectation{Verdict: v} }
	skipped := result.Expectation{Verdict: result.Failed, Skipped: true}
	p, f, u := verdict(result.Passed), verdict(result.Failed), verdict(result.Undecided)
	for _, c := range []struct {
		give []result.Expectation
		want string
	}{
		{nil, "no expectations: nothing was judged"},
		{[]result.Expectation{p}, "the expectation holds"},
		{[]result.Expectation{p, p}, "all 2 expectations hold"},
		{[]result.Expectation{p, f, u}, "1 of 3 expectations failed, 1 undecided"},
		{[]result.Expectation{p, u}, "1 of 2 expectations undecided"},
		{[]result.Expectation{f}, "1 of 1 expectation failed"},
		{[]result.Expectation{p, p, skipped}, "all 2 expectations hold, 1 skipped"},
		{[]result.Expectation{skipped}, "no expectations: nothing was judged, 1 skipped"},
	} {
		r := &result.Run{Complete: true, Expectations: c.give}
		text := summaryOf(t, r, TextOptions{})
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if last := lines[len(lines)-1]; last != c.want {
			t.Errorf("last line %q, want %q", last, c.want)
		}
	}
}

// An empty run has no numbers to show and must not invent any.
func TestSummaryOfNothing(t *testing.T) {
	r := &result.Run{Scenario: "x", Complete: true, Phases: []result.Phase{{Name: "all"}}}
	text := summaryOf(t, r, TextOptions{})
	for _, l := range []string{"success", "first attempt", "latency p50", "attempts/message"} {
		if !regexp.MustCompile(`(?m)^` + l + ` +–$`).MatchString(text) {
			t.Errorf("no dash for %s in\n%s", l, text)
		}
	}
}

func TestThinQuantilesHaveAFootnote(t *testing.T) {
	r := &result.Run{
		Complete: true, Phases: []result.Phase{{Name: "all"}},
		Stats: []result.Stats{{
			Phase: "all", Dim: result.DimAll, Messages: 500, OK: 500,
			Latency: result.Latency{
				N: 500, P50NS: 2e6, P99NS: 3e6, P999NS: 4e6, MaxNS: 5e6,
				Thin: []string{"p99", "p999"},
			},
		}},
	}
	text := summaryOf(t, r, TextOptions{})
	for _, want := range []string{
		"2.0ms\n", "3.0ms¹\n", "4.0ms¹\n", "5.0ms\n",
		"\n¹ fewer than ten messages",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Rates refer to answered messages: those still in flight neither succeeded nor failed.
func TestRatesAreOfAnswered(t *testing.T) {
	r := &result.Run{
		Complete: true, Phases: []result.Phase{{Name: "all"}},
		Stats: []result.Stats{{
			Phase: "all", Dim: result.DimAll, Messages: 200, OK: 97, OKStatus: 1,
			Failed: 2, InFlight: 100, FirstFailed: 5, Attempts: 110,
		}},
	}
	text := summaryOf(t, r, TextOptions{})
	for _, want := range []string{`success +98\.00%`, `first attempt +95\.00%`, `/message +1\.100`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
