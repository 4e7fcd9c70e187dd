package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"simrun/internal/result"
)

// Goal: junit.xml is what build servers read: counts that are right, and for each expectation that does not
// hold, its limit and what was found.
func TestJUnit(t *testing.T) {
	limit, found := 0.99, 0.5
	r := small()
	r.Expectations = []result.Expectation{
		{Name: "held", Metric: "success_rate", Min: &limit, Actual: &limit, Verdict: result.Passed},
		{
			Name: "broken & <odd>", Metric: "success_rate", Where: "during all", Min: &limit, Actual: &found,
			Verdict: result.Failed, Reason: "1 of 2 failed",
		},
		{Name: "unknown", Metric: "success_rate", Min: &limit, Verdict: result.Undecided, Reason: "no message"},
		{Name: "other", Metric: "success_rate", Min: &limit, Skipped: true},
	}
	data, err := JUnitXML(r)
	if err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	s := got.Suites[0]
	if s.Tests != 4 || s.Failures != 1 || s.Errors != 1 || s.Skipped != 1 || len(s.Cases) != 4 ||
		got.Tests != 4 || got.Failures != 1 || s.Name != "two-masters-down seed 42" {
		t.Errorf("suite %+v", s)
	}
	for i, want := range []string{
		"success_rate ≥ 99%: 99.00% ", "success_rate (during all) ≥ 99%: 50.00% 1 of 2 failed",
		"undecided: success_rate ≥ 99%: – no message", "its condition does not hold for this run ",
	} {
		c := s.Cases[i]
		got := c.Out + " "
		for _, why := range []*junitReason{c.Failure, c.Error, c.Skipped} {
			if why != nil {
				got = why.Message + " " + why.Text
			}
		}
		if got != want || c.Name != r.Expectations[i].Name {
			t.Errorf("case %q: %q, want %q", c.Name, got, want)
		}
	}
	data, err = ExpectJSON(r)
	var judged judgement
	if err != nil || json.Unmarshal(data, &judged) != nil || len(judged.Expectations) != 4 ||
		judged.Digest != r.Digest {
		t.Errorf("expect.json %v: %s", err, data)
	}
}

// Goal: latency.hgrm is what HdrHistogram's plotter reads: four columns, of which value, percentile and count
// only rise, the last row the maximum at 1, and the quantiles those of the distribution.
func TestHGRM(t *testing.T) {
	r := small()
	var total int64
	buckets := []result.Bucket{}
	for i := range int64(2000) { // 1 to 2000 ms, the short ones more often
		n := 1 + (2000-i)/100
		buckets = append(buckets, result.Bucket{UpToNS: (i + 1) * 1e6, N: n})
		total += n
	}
	r.Spectra = []result.Spectrum{{Phase: result.PhaseAll, Dim: result.DimAll, Buckets: buckets}}
	lines := strings.Split(strings.TrimSpace(string(LatencyHGRM(r))), "\n")
	if strings.Join(strings.Fields(lines[0]), " ") != "Value Percentile TotalCount 1/(1-Percentile)" ||
		lines[1] != "" {
		t.Fatalf("head %q", lines[:2])
	}
	var value, percentile, last float64
	var count int64
	rows := 0
	for _, line := range lines[2:] {
		if strings.HasPrefix(line, "#[") {
			continue
		}
		var v, p, inverse float64
		var n int64
		columns, _ := fmt.Sscan(line, &v, &p, &n, &inverse)
		if columns < 3 || v < value || p <= percentile && rows > 0 || n < count || columns == 3 && p != 1 {
			t.Fatalf("row %d: %q after %v %v %v", rows, line, value, percentile, count)
		}
		if columns == 4 && (inverse-1/(1-p))/inverse > 0.01 {
			t.Errorf("%q: 1/(1-p) is %v", line, 1/(1-p))
		}
		var upTo int64 // how many are at most v
		for _, b := range buckets {
			if float64(b.UpToNS) <= v*1e6 {
				upTo += b.N
			}
		}
		if upTo != n || float64(n) < p*float64(total)-1e-6 {
			t.Errorf("%q: %d are at most that, of %d", line, upTo, total)
		}
		value, percentile, count, last = v, p, n, p
		rows++
	}
	if last != 1 || value != 2000 || count != total || rows < 20 || rows > 200 {
		t.Errorf("%d rows, the last %v %v %v", rows, value, last, count)
	}
	r.Spectra = nil
	if got := LatencyHGRM(r); got != nil {
		t.Errorf("of no messages: %s", got)
	}
	r.Spectra = []result.Spectrum{{
		Phase: result.PhaseAll, Dim: result.DimAll, Buckets: []result.Bucket{{UpToNS: 1e6, N: 1}},
	}}
	if got := string(LatencyHGRM(r)); !strings.Contains(got, "       1.000 1.000000000000          1\n") {
		t.Errorf("of one message: %s", got)
	}
}
