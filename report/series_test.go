package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"simrun/internal/result"
)

// Whatever a series holds, reading what was written gives it back, bit for bit.
func TestSeriesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z",. \n-]{1,8}`)
		s := result.Series{
			WindowNS: rapid.Int64Range(1, 1e12).Draw(t, "window"),
			Brokers:  rapid.SliceOfNDistinct(name, 0, 4, rapid.ID).Draw(t, "brokers"),
		}
		n := len(s.Brokers)
		count := rapid.Int64Range(0, 1e9)
		share := rapid.Float64Range(0, 1)
		for k := range rapid.IntRange(1, 5).Draw(t, "windows") {
			w := result.Window{
				FromNS: int64(k) * s.WindowNS, N: count.Draw(t, "n"),
				OK: count.Draw(t, "ok"), OKRetry: count.Draw(t, "retry"),
				Weaker: count.Draw(t, "weaker"), Failed: count.Draw(t, "failed"), Lost: count.Draw(t, "lost"),
				Sends:   rapid.SliceOfN(count, n, n).Draw(t, "sends"),
				Avoided: rapid.SliceOfN(share, n, n).Draw(t, "avoided"),
				Routed:  rapid.SliceOfN(share, n, n).Draw(t, "routed"),
				AtRisk:  count.Draw(t, "at risk"), AtRiskBytes: count.Draw(t, "bytes"),
				Unreadable: count.Draw(t, "unreadable"),
				Scheduled:  count.Draw(t, "scheduled"), Fallbacks: count.Draw(t, "fallbacks"),
			}
			for range n {
				w.Brokers = append(w.Brokers, result.BrokerWindow{
					UnsyncedBytes: count.Draw(t, "unsynced"), SingleBytes: count.Draw(t, "single"),
					Unreadable: count.Draw(t, "unreadable"), Utilisation: share.Draw(t, "utilisation"),
					Queue: share.Draw(t, "queue"), Busy: count.Draw(t, "busy"),
					InFlight: share.Draw(t, "in flight"),
				})
			}
			if w.N > 0 {
				w.P50NS, w.P95NS = count.Draw(t, "p50"), count.Draw(t, "p95")
				w.P99NS, w.MaxNS = count.Draw(t, "p99"), count.Draw(t, "max")
			}
			s.Windows = append(s.Windows, w)
		}
		r := &result.Run{Series: s, SimulatedNS: int64(len(s.Windows)) * s.WindowNS}
		text, err := SeriesCSV(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseSeries(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(s, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-written +read)\n%s", diff)
		}
	})
}

// The last window ends with the run, and a window without messages has no quantiles.
func TestSeriesCSV(t *testing.T) {
	r := &result.Run{SimulatedNS: 25, Series: result.Series{WindowNS: 10, Brokers: []string{"a", "b"}}}
	for k := range int64(3) {
		r.Series.Windows = append(r.Series.Windows, result.Window{
			FromNS: 10 * k, Sends: []int64{k, 0},
			Avoided: []float64{0, 0.125}, Routed: []float64{1, 1}, AtRisk: 9, Unreadable: 8,
			Scheduled: 7, Fallbacks: 1,
			Brokers: []result.BrokerWindow{
				{UnsyncedBytes: 512, Utilisation: 0.5, InFlight: 0.25}, {SingleBytes: 3, Busy: 4},
			},
		})
	}
	w := &r.Series.Windows[1]
	w.N, w.P50NS, w.P95NS, w.P99NS, w.MaxNS, w.OK, w.Failed = 3, 4, 5, 6, 7, 2, 1
	got, err := SeriesCSV(r)
	want := `from_ns,to_ns,answered,p50_ns,p95_ns,p99_ns,max_ns,ok,ok_retry,weaker,handed,failed,lost,` +
		`at_risk,at_risk_bytes,unreadable,scheduled,fallbacks,` +
		`sends.a,sends.b,avoided.a,avoided.b,routed.a,routed.b,unsynced_bytes.a,unsynced_bytes.b,` +
		`single_bytes.a,single_bytes.b,unreadable.a,unreadable.b,utilisation.a,utilisation.b,` +
		`queue.a,queue.b,busy.a,busy.b,in_flight.a,in_flight.b
0,10,0,,,,,0,0,0,0,0,0,9,0,8,7,1,0,0,0,0.125,1,1,512,0,0,3,0,0,0.5,0,0,0,0,4,0.25,0
10,20,3,4,5,6,7,2,0,0,0,1,0,9,0,8,7,1,1,0,0,0.125,1,1,512,0,0,3,0,0,0.5,0,0,0,0,4,0.25,0
20,25,0,,,,,0,0,0,0,0,0,9,0,8,7,1,2,0,0,0.125,1,1,512,0,0,3,0,0,0.5,0,0,0,0,4,0.25,0
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	r.Series.Windows[2].Routed = nil
	if _, err := SeriesCSV(r); err == nil || !strings.Contains(err.Error(), "20 ns") {
		t.Errorf("a window without values: %v", err)
	}
}

func TestParseSeriesErrors(t *testing.T) {
	head := strings.Join(seriesHeader(nil), ",")
	one := strings.Join(seriesHeader([]string{"a"}), ",")
	for give, want := range map[string]string{
		"":                  "header",
		"from_ns,to_ns\n":   "does not begin",
		head + ",sends.a\n": "1 columns of brokers are not 10 for each",
		strings.Replace(one, "avoided.a", "avoided.b", 1) + "\n": `"avoided.b"`,
		strings.Replace(one, "sends.a", "a", 1) + "\n":           `"a"`,
		head + "\n1,2\n": "wrong number of fields",
		head + "\n0,10,x,,,,,0,0,0,0,0,0,0,0,0,0,0\n":                    "line 2",
		head + "\n0,10,0,,,,,,0,0,0,0,0,0,0,0,0,0\n":                     "line 2", // only quantiles may be empty
		one + "\n0,1,0,,,,,0,0,0,0,0,0,0,0,0,0,0,0,no,1,0,0,0,0,0,0,0\n": "line 2",
	} {
		if _, err := ParseSeries(strings.NewReader(give)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", give, err, want)
		}
	}
}

// A damaged file is an error, never a panic.
func FuzzParseSeries(f *testing.F) {
	text, err := SeriesCSV(small())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text[:1000]))
	f.Add(strings.Join(seriesHeader([]string{"a"}), ",") + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSeries(strings.NewReader(text))
		if err != nil {
			return
		}
		for i := range s.Windows {
			if err := sameLength(s.Brokers, &s.Windows[i]); err != nil {
				t.Error(err)
			}
		}
	})
}
