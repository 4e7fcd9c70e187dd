package report

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"simrun/internal/result"
	"simrun/report/store"
	"simrun/report/store/storetest"
)

// anyName is a name that gives CSV some work.
var anyName = rapid.StringMatching(`[a-z",. \n-]{1,8}`)

// roundTrip writes and reads, and wants the same back.
func roundTrip[T any](
	t *rapid.T, give T, write func(T) ([]byte, error), read func(io.Reader) (T, error),
) {
	t.Helper()
	text, err := write(give)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(give, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-written +read)\n%s", diff)
	}
}

// Whatever a run keeps for its figures, reading what was written gives it back.
func TestLatencyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []result.Spectrum
		for _, phase := range rapid.SliceOfNDistinct(anyName, 0, 4, rapid.ID).Draw(t, "phases") {
			s := result.Spectrum{Phase: phase, Dim: result.DimAll}
			if rapid.Bool().Draw(t, "of a group") {
				s.Dim, s.Name = result.DimProducer, anyName.Draw(t, "group")
			}
			for range rapid.IntRange(1, 4).Draw(t, "buckets") {
				s.Buckets = append(s.Buckets, result.Bucket{
					UpToNS: rapid.Int64Min(0).Draw(t, "up to"), N: rapid.Int64Min(1).Draw(t, "n"),
				})
			}
			list = append(list, s)
		}
		roundTrip(t, list, LatencyCSV, ParseLatency)
	})
}

func TestSampleRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		send := rapid.Custom(func(t *rapid.T) result.SampledSend {
			return result.SampledSend{
				Producer: anyName.Draw(t, "producer"), Message: rapid.Uint64().Draw(t, "message"),
				ScheduledNS: rapid.Int64().Draw(t, "scheduled"), LatencyNS: rapid.Int64().Draw(t, "latency"),
				Attempts: rapid.IntRange(0, 99).Draw(t, "attempts"), Outcome: anyName.Draw(t, "outcome"),
				Lost: rapid.Bool().Draw(t, "lost"), Broker: rapid.StringN(0, 3, 9).Draw(t, "broker"),
			}
		})
		sends := rapid.SliceOfN(send, 0, 5).Draw(t, "sends")
		for i := range sends { // a carriage return before a line feed does not survive encoding/csv
			sends[i].Broker = strings.ReplaceAll(sends[i].Broker, "\r", "")
		}
		roundTrip(t, sends, SampleCSV, ParseSample)
	})
}

func TestIsolationsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ns := rapid.Int64()
		isolation := rapid.Custom(func(t *rapid.T) result.Isolation {
			return result.Isolation{
				Producer: anyName.Draw(t, "producer"), Instance: rapid.IntRange(0, 15).Draw(t, "instance"),
				Broker: anyName.Draw(t, "broker"), FromNS: ns.Draw(t, "from"), UntilNS: ns.Draw(t, "until"),
				LatencyNS: ns.Draw(t, "latency"), LevelNS: ns.Draw(t, "level"),
				NotAvailableNS: ns.Draw(t, "for"), Isolated: rapid.Bool().Draw(t, "isolated"),
				Unreachable: rapid.Bool().Draw(t, "unreachable"), Explained: rapid.Bool().Draw(t, "explained"),
			}
		})
		roundTrip(t, rapid.SliceOfN(isolation, 0, 5).Draw(t, "list"), IsolationsCSV, ParseIsolations)
	})
}

// The columns are those of docs/results.md, with a header even if there is nothing else.
func TestRecordsCSV(t *testing.T) {
	text, err := SampleCSV([]result.SampledSend{{
		Producer: "p", Message: 7, ScheduledNS: 5, LatencyNS: 3, Attempts: 2, Outcome: result.OutcomeOK,
		Lost: true, Broker: "a",
	}})
	want := "producer,message,scheduled_ns,latency_ns,attempts,outcome,lost,broker\np,7,5,3,2,ok,true,a\n"
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = LatencyCSV(nil)
	if want := "phase,dimension,name,up_to_ns,messages\n"; err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
	text, err = IsolationsCSV(nil)
	want = "producer,instance,broker,from_ns,until_ns,latency_ns,level_ns,not_available_ns," +
		"isolated,unreachable,explained\n"
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
}

// A damaged file is an error that says where.
func TestParseRecordsErrors(t *testing.T) {
	head := "phase,dimension,name,up_to_ns,messages\n"
	for give, want := range map[string]string{
		"":                                "header",
		"phase,dimension\n":               "the header is not phase,",
		head + "a,all,\n":                 "wrong number of fields",
		head + "a,all,,1,2\nb,all,,1,x\n": "line 3: messages",
	} {
		if _, err := ParseLatency(strings.NewReader(give)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", give, err, want)
		}
	}
	if _, err := ParseSample(strings.NewReader(
		"producer,message,scheduled_ns,latency_ns,attempts,outcome,lost,broker\np,-1,5,3,2,ok,true,a\n",
	)); err == nil || !strings.Contains(err.Error(), "line 2: message") {
		t.Errorf("a negative number: %v", err)
	}
}

// The files of records share their reader: whatever one holds, it does not panic.
func FuzzParseIsolations(f *testing.F) {
	text, err := IsolationsCSV([]result.Isolation{{Producer: "p", Broker: "a", UntilNS: 3}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = ParseIsolations(strings.NewReader(text))
	})
}

// What a run keeps for its figures is saved in files of its own and comes back with the rest.
func TestSaveKeepsRecords(t *testing.T) {
	r := small()
	r.Spectra = []result.Spectrum{{
		Phase: result.PhaseBefore, Dim: result.DimAll, Buckets: []result.Bucket{{UpToNS: 7, N: 2}},
	}}
	r.Sample = result.SendSample{Of: 9, Every: 4, SlowEvery: 1, Dropped: 3, Sends: []result.SampledSend{{
		Producer: "p", Message: 8, ScheduledNS: 1, LatencyNS: 2, Attempts: 1, Outcome: result.OutcomeFailed,
	}}}
	r.Isolations = []result.Isolation{{Producer: "p", Broker: "a", FromNS: 1, UntilNS: 2, Explained: true}}
	r.IsolationsDropped = 1
	dir := filepath.Join(t.TempDir(), "records")
	save(t, dir, r, filesFor(), false, store.Written)
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-saved +loaded)\n%s", diff)
	}
	for _, name := range []string{LatencyFile, SampleFile, IsolationsFile} {
		if storetest.Tree(t, dir)[name] == "" {
			t.Errorf("no %s in %v", name, storetest.Entries(t, dir))
		}
	}
}
