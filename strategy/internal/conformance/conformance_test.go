package conformance

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"simrun/strategy"
)

// vectors are the recordings of this repository.
const vectors = "../../testdata/vectors"

// TestConformance: every recorded decision of every release is reproduced.
func TestConformance(t *testing.T) {
	for dir, want := range map[string]string{
		vectors:                   "conformance: 19865 of 19865 decisions, 15 releases, 20 files",
		"../../testdata/recorded": "conformance: 49318 of 49318 decisions, 17 releases, 34 files",
	} {
		report, err := Run(os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range report.Problems {
			t.Errorf("%s/%s", dir, p)
		}
		if !report.OK() || report.String() != want {
			t.Errorf("%s:\n got %s\nwant %s", dir, report, want)
		}
	}
}

// TestRecordingsTellReleasesApart: a replay that took one release for another would be noticed.
// Every recording is replayed as every other recorded release; it may agree only with one whose
// behaviours are the same as far as its part goes.
func TestRecordingsTellReleasesApart(t *testing.T) {
	// What no selector recording can show: it has no send loop in it.
	loopOnly := []string{"budget", "request_cap", "retry_codes", "retry_response_codes", "detector"}
	for part, replay := range map[string]func([]byte) (verdict, error){
		"selector": replaySelector, "send-loop": replaySends,
	} {
		files := readPart(t, part)
		for _, file := range files {
			for _, other := range files {
				if file.version == other.version {
					continue
				}
				same := sameBehaviours(t, file.version, other.version, func(key string) bool {
					return part == "selector" && slices.Contains(loopOnly, key)
				})
				agrees := agreesAs(t, replay, file, other.version)
				if same || indistinguishable[part+" "+file.version+" as "+other.version] {
					if !agrees {
						t.Errorf("%s: %s does not pass as %s", part, file.version, other.version)
					}
				} else if agrees {
					t.Errorf("%s: %s passes as %s", part, file.version, other.version)
				}
			}
		}
	}
}

// indistinguishable lists pairs of releases that differ where the recording of the first does not
// go: no send of it starts an index at a negative draw; none sets a cap that 5.3.1 does not know.
var indistinguishable = map[string]bool{
	"send-loop 4.9.4 as 5.0.0": true,
	"send-loop 5.0.0 as 4.9.4": true,
	"send-loop 5.3.1 as 5.3.3": true,
}

// agreesAs replays a recording as if another release had made it.
func agreesAs(
	t *testing.T, replay func([]byte) (verdict, error), r recording, version string,
) bool {
	t.Helper()
	for _, line := range r.lines {
		v, err := replay(asVersion(line, r.version, version))
		if err != nil {
			t.Fatal(err)
		}
		if v.problem != "" {
			return false
		}
	}
	return true
}

type recording struct {
	version string
	lines   [][]byte
}

// readPart reads the recordings of one part.
func readPart(t *testing.T, part string) []recording {
	t.Helper()
	files, err := recordings(os.DirFS(vectors), part)
	if err != nil {
		t.Fatal(err)
	}
	var out []recording
	for _, name := range files {
		data := unzip(t, path.Join(vectors, name))
		version := strings.TrimSuffix(path.Base(name), ".jsonl.gz")
		out = append(out, recording{version, bytes.Split(bytes.TrimSpace(data), []byte("\n"))})
	}
	return out
}

func unzip(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// asVersion claims that a case was recorded from another release.
func asVersion(line []byte, from, to string) []byte {
	return bytes.Replace(line, []byte(`"version":"`+from+`"`), []byte(`"version":"`+to+`"`), 1)
}

// sameBehaviours says whether two releases decide alike, leaving out some behaviours.
func sameBehaviours(t *testing.T, a, b string, skip func(string) bool) bool {
	t.Helper()
	pa, errA := strategy.Lookup(a)
	pb, errB := strategy.Lookup(b)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	for _, key := range strategy.Behaviours() {
		if !skip(key) && pa.Behaviour(key) != pb.Behaviour(key) {
			return false
		}
	}
	return true
}

// TestDisagreementIsShown: one wrong answer in a recording is found, with its case, op and both
// answers, and makes the replay fail.
func TestDisagreementIsShown(t *testing.T) {
	for _, c := range []struct {
		name, file, line string
		want             []string
	}{
		{
			"choice", "selector/a.jsonl",
			`{"version":"5.3.3","case":7,"threads":1,"ops":[` +
				`{"t_ms":0,"op":"route","brokers":[{"broker":"a","write_queues":2,"writable":true}]},` +
				`{"t_ms":5,"op":"select","thread":0,"last_broker":null,` +
				`"send_which_queue_start":0,"want":{"broker":"a","queue":0}}]}`,
			[]string{"selector/a.jsonl:1:", "5.3.3 case 7 op 1", "want a/0, got a/1", "round robin"},
		},
		{
			"draw", "selector/a.jsonl",
			`{"version":"4.9.8","case":0,"threads":1,"ops":[` +
				`{"t_ms":0,"op":"route","brokers":[{"broker":"a","write_queues":1,"writable":true}]},` +
				`{"t_ms":5,"op":"select","thread":0,"last_broker":null,` +
				`"want":{"broker":"a","queue":0}}]}`,
			[]string{"case 0 op 1", "drawn that Java did not draw"},
		},
		{
			"unused draw", "selector/a.jsonl",
			`{"version":"4.9.8","case":0,"threads":1,"ops":[` +
				`{"t_ms":0,"op":"route","brokers":[{"broker":"a","write_queues":1,"writable":true}]},` +
				`{"t_ms":5,"op":"select","thread":0,"last_broker":null,"send_which_queue_start":1,` +
				`"send_which_queue_reset":2,"want":{"broker":"a","queue":0}}]}`,
			[]string{"case 0 op 1", "a random value that Java drew was not drawn"},
		},
		{
			"inspect", "selector/a.jsonl",
			`{"version":"5.3.3","case":1,"threads":1,"send_latency_fault_enable":true,"ops":[` +
				`{"t_ms":0,"op":"update","broker":"a","latency_ms":9,"isolation":true,` +
				`"reachable":false},{"t_ms":9999,"op":"inspect",` +
				`"want":{"a":{"available":false,"reachable":true}}}]}`,
			[]string{"case 1 op 1", "a: want reachable true, got false"},
		},
		{
			"list", "selector/a.jsonl",
			`{"version":"5.3.3","case":1,"threads":1,"ops":[` +
				`{"t_ms":0,"op":"route","brokers":[{"broker":"a","write_queues":1,"writable":true}]},` +
				`{"t_ms":0,"op":"queues","want":[{"broker":"a","queue":1}]}]}`,
			[]string{"case 1 op 1", "want the list [a/1], got [a/0]"},
		},
		{
			"attempt", "send-loop/a.jsonl", oneSend(`"timeout_ms":2999`, `"code":10001`, `10009`),
			[]string{"case 3 send 0: attempt 1", "want a/0 within 2999 ms, got a/0 within 3000 ms"},
		},
		{
			"result", "send-loop/a.jsonl", oneSend(`"timeout_ms":3000`, `"code":10002`, `10009`),
			[]string{"case 3 send 0", "Code:10002", "Code:10001"},
		},
		{
			"table", "send-loop/a.jsonl", oneSend(`"timeout_ms":3000`, `"code":10001`, `10008`),
			[]string{"case 3 send 0", "want latency 9 ms, start 10008 ms", "start 10009 ms"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			report, err := Run(fstest.MapFS{c.file: {Data: []byte(c.line)}})
			if err != nil {
				t.Fatal(err)
			}
			if report.OK() || len(report.Problems) != 1 || report.Reproduced >= report.Decisions {
				t.Fatalf("passed: %s %v", report, report.Problems)
			}
			for _, want := range c.want {
				if got := report.Problems[0].String(); !strings.Contains(got, want) {
					t.Errorf("%q\nlacks %q", got, want)
				}
			}
		})
	}
}

// oneSend is a recording of a single send, to one broker that refuses.
func oneSend(timeout, code, start string) string {
	return `{"version":"5.3.3","case":3,"send_latency_fault_enable":true,` +
		`"send_msg_timeout_ms":3000,"retry_times_when_send_failed":0,` +
		`"brokers":[{"broker":"a","write_queues":1,"writable":true}],"sends":[{"t_ms":0,` +
		`"attempts":[{"want":{"broker":"a","queue":0,` + timeout + `},` +
		`"send_which_queue_start":0,"elapsed_ms":9,"outcome":"CONNECT_FAILED"}],` +
		`"want":{"exception":"MQClientException",` + code + `,"cause":"RemotingConnectException"},` +
		`"end_ms":9,"table":{"a":{"latency_ms":9,"start_ms":` + start + `,"reachable":true}}}]}`
}

// TestOneSendAgrees: the recording that the cases above spoil is right when it is not spoiled,
// plain and compressed.
func TestOneSendAgrees(t *testing.T) {
	line := []byte(oneSend(`"timeout_ms":3000`, `"code":10001`, `10009`))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := Run(fstest.MapFS{
		"send-loop/a.jsonl":    {Data: line},
		"send-loop/b.jsonl.gz": {Data: packed.Bytes()},
		"send-loop/notes.txt":  {Data: []byte("not a recording")},
	})
	if err != nil || !report.OK() {
		t.Fatal(err, report, report.Problems)
	}
	const want = "conformance: 6 of 6 decisions, 1 releases, 2 files"
	if report.String() != want {
		t.Errorf("got %q, want %q", report, want)
	}
}

// TestNothingPasses: what cannot be replayed is a failure, never silence.
func TestNothingPasses(t *testing.T) {
	for name, dir := range map[string]fstest.MapFS{
		"no directory": {},
		"no recording": {"selector/readme.md": {Data: []byte("x")}},
		"empty file":   {"selector/a.jsonl": {Data: nil}},
		"blank file":   {"selector/a.jsonl": {Data: []byte("\n\n")}},
		"not JSON":     {"send-loop/a.jsonl": {Data: []byte("{\"version\":")}},
		"not gzip":     {"send-loop/a.jsonl.gz": {Data: []byte("{}")}},
		"no op":        {"selector/a.jsonl": {Data: []byte(`{"version":"5.3.3","ops":[]}`)}},
		"no send":      {"send-loop/a.jsonl": {Data: []byte(`{"version":"5.3.3","sends":[]}`)}},
		"unknown op": {"selector/a.jsonl": {Data: []byte(
			`{"version":"5.3.3","ops":[{"op":"restart","want":{}}]}`)}},
		"unknown op without want": {"selector/a.jsonl": {Data: []byte(
			`{"version":"5.3.3","threads":1,"ops":[{"op":"restart"},{"op":"inspect","want":{}}]}`)}},
		"unknown outcome": {"send-loop/a.jsonl": {Data: []byte(strings.Replace(
			oneSend(`"timeout_ms":3000`, `"code":1`, `1`), "CONNECT_FAILED", "LOST", 1))}},
		"unknown release": {"send-loop/a.jsonl": {Data: []byte(strings.Replace(
			oneSend(`"timeout_ms":3000`, `"code":1`, `1`), "5.3.3", "4.5.0", 1))}},
		"threads below none": {"selector/a.jsonl": {Data: []byte(
			`{"version":"5.3.3","threads":-1,"ops":[{"op":"inspect","want":{}}]}`)}},
		"two cases in a line": {"selector/a.jsonl": {Data: bytes.Repeat([]byte(
			`{"version":"5.3.3","ops":[{"op":"inspect","want":{}}]}`), 2)}},
		"no such thread": {"selector/a.jsonl": {Data: []byte(`{"version":"5.3.3","threads":1,` +
			`"ops":[{"op":"route"},{"op":"select","thread":1,"want":{}}]}`)}},
		"no route": {"selector/a.jsonl": {Data: []byte(`{"version":"5.3.3","threads":1,` +
			`"ops":[{"op":"select","thread":0,"want":{}}]}`)}},
		"select without want": {"selector/a.jsonl": {Data: []byte(`{"version":"5.3.3","threads":1,` +
			`"ops":[{"op":"inspect","want":{}},{"op":"select","thread":0}]}`)}},
	} {
		report, err := Run(dir)
		if err == nil && report.OK() {
			t.Errorf("%s: passed: %s", name, report)
		}
		if err == nil && len(report.Problems) == 0 {
			t.Errorf("%s: no reason given", name)
		}
	}
}

// TestBadFileStopsNoOther: a file that cannot be read, or only its beginning, is a problem of that
// file; the others, and the cases before the damage, are replayed.
func TestBadFileStopsNoOther(t *testing.T) {
	line := []byte(oneSend(`"timeout_ms":3000`, `"code":10001`, `10009`) + "\n")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(bytes.Repeat(line, 2)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := Run(fstest.MapFS{
		"selector/a.jsonl":      {Mode: fs.ModeDir},                              // no file
		"send-loop/a.jsonl.gz":  {Data: line},                                    // not compressed
		"send-loop/b.jsonl.gz":  {Data: packed.Bytes()[:packed.Len()-4]},         // without its end
		"send-loop/c.jsonl":     {Data: append(line[:len(line):len(line)], '{')}, // likewise
		"send-loop/good.jsonl":  {Data: line},
		"send-loop/zgood.jsonl": {Data: line},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "conformance: 15 of 15 decisions, 1 releases, 6 files"
	if report.OK() || report.String() != want {
		t.Errorf("OK %t\n got %s\nwant %s", report.OK(), report, want)
	}
	var places []string
	for _, p := range report.Problems {
		places = append(places, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	if want := []string{
		"selector/a.jsonl:1", "send-loop/a.jsonl.gz:1", "send-loop/b.jsonl.gz:3",
		"send-loop/c.jsonl:2",
	}; !slices.Equal(places, want) {
		t.Errorf("problems at %q, want %q: %v", places, want, report.Problems)
	}
}

// TestUnreplayedCasesCount: the decisions of a case that cannot be replayed are in the total, and
// not among those reproduced; its release is not one that was replayed.
func TestUnreplayedCasesCount(t *testing.T) {
	send := oneSend(`"timeout_ms":3000`, `"code":10001`, `10009`)
	choice := `{"version":"5.3.3","case":1,"threads":1,"ops":[{"op":"inspect","want":{}},` +
		`{"op":"remove","broker":"a"},{"op":"inspect","want":{}}]}`
	for _, c := range []struct {
		file, line, old, new string
		decisions            int
		want                 string
	}{
		{"send-loop/a.jsonl", send, "5.3.3", "9.9.9", 3, `case 3: strategy: unknown release "9.9.9"`},
		{"selector/a.jsonl", choice, "5.3.3", "9.9.9", 2, `case 1: strategy: unknown release "9.9.9"`},
		{"send-loop/a.jsonl", send, `"case":`, `"mode":"SYNC","case":`, 3, `unknown field "mode"`},
		{"send-loop/a.jsonl", send, `"end_ms":`, `"late":1,"end_ms":`, 3, `unknown field "late"`},
		{"send-loop/a.jsonl", send, `"outcome":`, `"tag":1,"outcome":`, 3, `unknown field "tag"`},
		{"selector/a.jsonl", choice, `"case":`, `"seed":1,"case":`, 2, `unknown field "seed"`},
		{"selector/a.jsonl", choice, `{"op":"remove"`, `{"by":1,"op":"remove"`, 2, `unknown field "by"`},
		{
			"selector/a.jsonl", choice, `"want":{}}]`, `"want":{"a":{"available":true,"up":1}}}]`, 2,
			`unknown field "up"`,
		},
	} {
		line := strings.Replace(c.line, c.old, c.new, 1)
		if line == c.line {
			t.Fatalf("%q is not in %s", c.old, c.line)
		}
		report, err := Run(fstest.MapFS{c.file: {Data: []byte(line)}})
		if err != nil {
			t.Fatal(err)
		}
		if report.OK() || report.Decisions != c.decisions || report.Reproduced == c.decisions ||
			len(report.Problems) != 1 || !strings.Contains(report.Problems[0].Text, c.want) ||
			len(report.Releases) > 0 && strings.Contains(c.want, "unknown release") {
			t.Errorf("%s: %s %v, want 0 of %d: %s", line, report, report.Problems, c.decisions, c.want)
		}
	}
}

// TestDefaultsAreTheRecorded: the arrays that a recording took from its release's classes are the
// defaults of the release here. Some cases set their own.
func TestDefaultsAreTheRecorded(t *testing.T) {
	for _, part := range []string{"selector", "send-loop"} {
		for _, file := range readPart(t, part) {
			p, err := strategy.Lookup(file.version)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, line := range file.lines {
				var c selectorCase
				if err := json.Unmarshal(line, &c); err != nil {
					t.Fatal(err)
				}
				found = found || (slices.Equal(c.LatencyMax, p.LatencyMax) &&
					slices.Equal(c.NotAvailableDuration, p.NotAvailableDuration))
			}
			if !found {
				t.Errorf("%s %s: no case has the defaults", part, file.version)
			}
		}
	}
}
