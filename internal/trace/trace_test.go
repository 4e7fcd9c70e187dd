package trace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/scenarios"
	"simrun/sim"
)

// busy has all that a trace can hold: two brokers hang, one is killed; sends of each mode, batches, callers
// that send again.
const busy = `# A trace of everything.
seed     = 3
duration = "14s"
warmup   = "2s"
[broker.a]
slaves = 1
[broker.b]
[broker.c]
[producer.shop]
count   = 2
threads = 8
rate    = "100/s"
send_latency_fault_enable = true
send_msg_timeout = "1200ms"
on_failure = { resend = 2, delay = "200ms" }
[producer.many]
rate  = "60/s"
count = 20
batch = 3
send_latency_fault_enable = true
[producer.later]
rate = "40/s"
mode = "async"
[producer.gone]
rate = "40/s"
mode = "oneway"
[fault.freeze]
kind     = "pause"
target   = ["a:0", "b:0"]
at       = "5s"
duration = "4s"
[fault.crash]
kind     = "kill"
target   = "c:0"
at       = "10s"
duration = "2s"
`

// traced is a run with what was written of it.
type traced struct {
	run                *result.Run
	sends, table, json bytes.Buffer
	held               int // messages whose attempts were held at once, at most
}

func trace(t *testing.T, text string, window Window, set ...string) *traced {
	t.Helper()
	sc, err := scenarios.Load("./busy.toml", scenarios.Options{
		Set: set, ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	x := &traced{}
	kept := Sends(&sc.Config, &x.sends, window)
	sinks := Sinks{kept, FaultTable(&sc.Config, &x.table, window), Chrome(&sc.Config, &x.json, window)}
	opt := experiment.Options{Witness: func() (experiment.Witness, error) { return sinks, nil }}
	if x.run, err = experiment.Run(context.Background(), sc, opt); err != nil {
		t.Fatal(err)
	}
	h := &kept.(*sends).held
	x.held = len(h.free) + len(h.of)
	if err := sinks.Finish(x.run); err != nil {
		t.Fatal(err)
	}
	return x
}

// rows reads a CSV file with its header.
func rows(t *testing.T, text []byte) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range all[1:] {
		m := map[string]string{}
		for i, name := range all[0] {
			m[name] = row[i]
		}
		out = append(out, m)
	}
	return out
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Goal: the rows of sends.csv add up to summary.json: attempts, failures and unsent ones of each broker, and
// the answers of all messages.
func TestSendsAddUp(t *testing.T) {
	x := trace(t, busy, Window{})
	type sum struct{ attempts, unsent, failed int64 }
	got, want := map[string]sum{}, map[string]sum{}
	answers, retries := map[string]int64{}, int64(0)
	last := map[string]bool{}
	for _, row := range rows(t, x.sends.Bytes()) {
		n := number(t, row["messages"])
		if row["attempt"] != "0" {
			s := got[row["broker"]]
			s.attempts += n
			if row["unsent"] == "true" {
				s.unsent += n
			}
			switch row["outcome"] {
			case "SEND_OK", "FLUSH_DISK_TIMEOUT", "FLUSH_SLAVE_TIMEOUT", "SLAVE_NOT_AVAILABLE", "HANDED_OVER":
			default:
				s.failed += n
			}
			got[row["broker"]] = s
			if number(t, row["began_ns"]) > number(t, row["ended_ns"]) ||
				number(t, row["scheduled_ns"]) > number(t, row["began_ns"]) {
				t.Errorf("times of %v", row)
			}
		}
		if row["retry"] == "true" && row["answer"] != "" {
			retries += n
		}
		if id := row["producer"] + row["message"]; row["answer"] != "" && !last[id] {
			last[id] = true
			answers[row["answer"]] += n
		}
	}
	for _, b := range x.run.Brokers {
		if b.Phase != result.PhaseAll {
			s := want[b.Name]
			want[b.Name] = sum{s.attempts + b.Attempts, s.unsent + b.Unsent, s.failed + b.Failed}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("rows of brokers %v, summary %v", got, want)
	}
	told := map[string]int64{}
	wantRetries := int64(0)
	for _, s := range x.run.Stats {
		if s.Phase == result.PhaseAll || s.Dim != result.DimAll {
			continue
		}
		wantRetries += s.Retries
		for _, c := range slices.Concat(s.Exceptions, s.Statuses, []result.Count{
			{Name: "SEND_OK", N: s.OK}, {Name: "HANDED_OVER", N: s.Handed},
		}) {
			if c.N > 0 {
				told[c.Name] += c.N
			}
		}
	}
	if !maps.Equal(answers, told) {
		t.Errorf("answers in rows %v, summary %v", answers, told)
	}
	if retries != wantRetries || retries == 0 {
		t.Errorf("%d retries in rows, %d in the summary", retries, wantRetries)
	}
}

// Goal: the rows of faulttable.csv add up to the isolations of summary.json, and no table is told twice.
func TestFaultTableAddsUp(t *testing.T) {
	x := trace(t, busy, Window{})
	got, want := map[string][2]int64{}, map[string][2]int64{}
	for _, row := range rows(t, x.table.Bytes()) {
		if row["isolates"] != "true" {
			continue
		}
		s := got[row["broker"]]
		s[0]++
		if row["explained"] != "true" {
			s[1]++
		}
		got[row["broker"]] = s
		until, at := number(t, row["until_ns"]), number(t, row["at_ns"])
		if span := number(t, row["not_available_ns"]); until <= at || max(until-at-span, at+span-until) > 2e6 {
			t.Errorf("%v: until is not not_available_ns after at_ns", row)
		}
	}
	for _, b := range x.run.Brokers {
		if b.Phase != result.PhaseAll && b.Isolations > 0 {
			s := want[b.Name]
			want[b.Name] = [2]int64{s[0] + b.Isolations, s[1] + b.False}
		}
	}
	if !maps.Equal(got, want) || len(got) < 3 {
		t.Errorf("rows %v, summary %v", got, want)
	}
}

// event is an event of a trace.
type event struct {
	Ph   string  `json:"ph"`
	Name string  `json:"name"`
	Cat  string  `json:"cat"`
	PID  int     `json:"pid"`
	TID  int     `json:"tid"`
	TS   float64 `json:"ts"`
	Dur  float64 `json:"dur"`
	Args map[string]any
}

func events(t *testing.T, text []byte) []event {
	t.Helper()
	var doc struct {
		TraceEvents []event           `json:"traceEvents"`
		OtherData   map[string]any    `json:"otherData"`
		Unit        string            `json:"displayTimeUnit"`
		Rest        map[string]string `json:"-"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OtherData["sends_left_out"] != 0.0 {
		t.Errorf("left out: %v", doc.OtherData)
	}
	return doc.TraceEvents
}

// Goal: trace.json is what trace viewers read: each event has the fields of its kind, processes and threads
// have names, and the stretches of a thread lie within each other or apart. Every send is there with its
// attempts.
func TestChromeTrace(t *testing.T) {
	x := trace(t, busy, Window{})
	list := events(t, x.json.Bytes())
	named := map[string]bool{}
	kinds := map[string]int64{}
	threads := map[string][]event{}
	for _, e := range list {
		kinds[e.Ph+e.Cat]++
		switch e.Ph {
		case "M":
			named[fmt.Sprint(e.Name, e.PID, e.TID)] = true
		case "X":
			key := fmt.Sprint(e.PID, e.TID)
			threads[key] = append(threads[key], e)
			if !named[fmt.Sprint("thread_name", e.PID, e.TID)] {
				t.Fatalf("no name of the thread of %v", e)
			}
		case "i", "C":
		default:
			t.Errorf("an event of kind %q", e.Ph)
		}
		if e.Name == "" || !named[fmt.Sprint("process_name", e.PID, 0)] || e.TS < 0 || e.Dur < 0 {
			t.Fatalf("event %+v", e)
		}
	}
	for key, stretches := range threads {
		slices.SortStableFunc(stretches, func(a, b event) int {
			return cmp.Or(cmp.Compare(a.TS, b.TS), cmp.Compare(b.Dur, a.Dur))
		})
		var open []event
		const slack = 0.0015 // of the reader's floating point
		for _, e := range stretches {
			for len(open) > 0 && open[len(open)-1].TS+open[len(open)-1].Dur <= e.TS+slack {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && e.TS+e.Dur > open[len(open)-1].TS+open[len(open)-1].Dur+slack {
				t.Fatalf("thread %s: %+v overlaps %+v", key, open[len(open)-1], e)
			}
			open = append(open, e)
		}
	}
	ids, attempts := map[string]bool{}, int64(0)
	for _, row := range rows(t, x.sends.Bytes()) {
		ids[row["producer"]+" "+row["message"]] = true
		if row["attempt"] != "0" {
			attempts++
		}
	}
	if kinds["Xsend"] != int64(len(ids)) || kinds["Xattempt"] != attempts {
		t.Errorf("%d sends and %d attempts, want %d and %d",
			kinds["Xsend"], kinds["Xattempt"], len(ids), attempts)
	}
	if kinds["Xfault"] != 2 || kinds["Xphase"] < 4 || kinds["C"] == 0 || kinds["i"] == 0 {
		t.Errorf("kinds %v", kinds)
	}
}

// Goal: a part of a run is the rows of all of it that began then.
func TestWindow(t *testing.T) {
	const from, to = 6 * sim.Second, 7 * sim.Second
	all := trace(t, busy, Window{})
	part := trace(t, busy, Window{From: sim.Time(from), To: sim.Time(to)})
	for _, of := range []struct {
		name, at  string
		all, part []byte
	}{
		{"sends", "began_ns", all.sends.Bytes(), part.sends.Bytes()},
		{"faulttable", "at_ns", all.table.Bytes(), part.table.Bytes()},
	} {
		var want []string
		for _, row := range rows(t, of.all) {
			if row[of.at] == "" {
				continue
			}
			if at := number(t, row[of.at]); at >= int64(from) && at < int64(to) {
				want = append(want, fmt.Sprint(row))
			}
		}
		var got []string
		for _, row := range rows(t, of.part) {
			got = append(got, fmt.Sprint(row))
		}
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: %d rows, want %d", of.name, len(got), len(want))
		}
	}
	for _, e := range events(t, part.json.Bytes()) {
		if e.Cat == "send" && (e.TS+e.Dur < 6e6 || e.TS >= 7e6) {
			t.Fatalf("outside of the window: %+v", e)
		}
	}
}

// Goal: whoever looks changes nothing ("cost only when on"), and what is held does not grow with the run
// ("exporting an hour of traffic does not hold it in memory").
func TestTracingIsBounded(t *testing.T) {
	short := trace(t, busy, Window{})
	long := trace(t, busy, Window{}, "duration=60s")
	if short.held == 0 || long.held > 2*short.held || long.sends.Len() < 3*short.sends.Len() {
		t.Errorf("%d messages held of %d bytes, %d of %d", short.held, short.sends.Len(), long.held,
			long.sends.Len())
	}
	sc, err := scenarios.Load("./busy.toml", scenarios.Options{
		ReadFile: func(string) ([]byte, error) { return []byte(busy), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Run(context.Background(), sc, experiment.Options{})
	if err != nil || run.Digest != short.run.Digest {
		t.Errorf("digest %s with a trace, without %s, %v", short.run.Digest, run.Digest, err)
	}
}

// Goal: names are quoted as CSV and JSON ask for.
func TestNames(t *testing.T) {
	if got := csvText(`a,"b`); got != `"a,""b"` || csvText("plain") != "plain" {
		t.Errorf("csv: %s", got)
	}
	if got := jsonText("a\"\n"); got != `"a\"\n"` {
		t.Errorf("json: %s", got)
	}
}

// failing is a disk that is full after some bytes.
type failing struct{ room int }

func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, fmt.Errorf("disk full")
	}
	return len(p), nil
}

// Goal: what could not be written is an error at the end, not a file that is shorter.
func TestWriteError(t *testing.T) {
	sc, err := scenarios.Load("./busy.toml", scenarios.Options{
		ReadFile: func(string) ([]byte, error) { return []byte(busy), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := &sc.Config
	for _, sink := range []Sink{
		Sends(cfg, &failing{10}, Window{}), FaultTable(cfg, &failing{10}, Window{}),
		Chrome(cfg, &failing{10}, Window{}),
	} {
		if err := (Sinks{sink}).Finish(&result.Run{}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%T: %v", sink, err)
		}
	}
}

// Goal: docs/results.md describes each column, in the order of the file.
func TestColumnsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	for title, header := range map[string]string{"sends.csv": sendsHeader, "faulttable.csv": tableHeader} {
		_, text, _ := strings.Cut(string(doc), "\n## "+title+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		for name := range strings.SplitSeq(strings.TrimSpace(header), ",") {
			before, after, found := strings.Cut(text, "`"+name+"`")
			if text = after; !found {
				t.Errorf("%s: no %s after %.60q", title, name, before)
				break
			}
		}
	}
}
