package strategy_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"simrun/strategy"
)

// tags are the release tags of RocketMQ's repository from 4.0.0 to 5.3.3. There is no 4.5.0.
const tags = `
rocketmq-4.0.0-incubating rocketmq-all-4.1.0-incubating rocketmq-all-4.2.0 rocketmq-all-4.3.0
rocketmq-all-4.3.1 rocketmq-all-4.3.2 rocketmq-all-4.4.0 rocketmq-all-4.5.1 rocketmq-all-4.5.2
rocketmq-all-4.6.0 rocketmq-all-4.6.1 rocketmq-all-4.7.0 rocketmq-all-4.7.1 rocketmq-all-4.8.0
rocketmq-all-4.9.0 rocketmq-all-4.9.1 rocketmq-all-4.9.2 rocketmq-all-4.9.3 rocketmq-all-4.9.4
rocketmq-all-4.9.5 rocketmq-all-4.9.6 rocketmq-all-4.9.7 rocketmq-all-4.9.8
rocketmq-all-5.0.0-PREVIEW rocketmq-all-5.0.0-ALPHA rocketmq-all-5.0.0 rocketmq-all-5.1.0
rocketmq-all-5.1.1 rocketmq-all-5.1.2 rocketmq-all-5.1.3 rocketmq-all-5.1.4 rocketmq-all-5.2.0
rocketmq-all-5.3.0 rocketmq-all-5.3.1 rocketmq-all-5.3.2 rocketmq-all-5.3.3`

// TestEveryTagHasOneRow: each tag is found, under its tag and under its version, and nothing else
// is in the table.
func TestEveryTagHasOneRow(t *testing.T) {
	var versions []string
	for _, tag := range strings.Fields(tags) {
		version := strings.TrimPrefix(strings.TrimPrefix(tag, "rocketmq-"), "all-")
		version = strings.TrimSuffix(version, "-incubating")
		versions = append(versions, version)
		for _, name := range []string{
			tag, version, strings.ToLower(version), " " + version, "\t" + tag + "\n", "v" + version,
			" V" + version + " ",
		} {
			p, err := strategy.Lookup(name)
			if err != nil {
				t.Error(err)
			} else if p.Release != version {
				t.Errorf("Lookup(%q).Release = %q, want %q", name, p.Release, version)
			}
		}
	}
	if diff := cmp.Diff(versions, strategy.Releases()); diff != "" {
		t.Errorf("Releases differ from the tags, or repeat one (-tags +releases):\n%s", diff)
	}
}

// TestLookupNamesNeighbours: an error tells a user what was meant.
func TestLookupNamesNeighbours(t *testing.T) {
	for _, c := range []struct{ give, want string }{
		{"4.5.0", `strategy: unknown release "4.5.0"; its neighbours are 4.4.0 and 4.5.1`},
		{"rocketmq-all-4.9.9", `strategy: unknown release "rocketmq-all-4.9.9"; ` +
			`its neighbours are 4.9.8 and 5.0.0-PREVIEW`},
		{"5.0.0-BETA", `strategy: unknown release "5.0.0-BETA"; ` +
			`its neighbours are 5.0.0-ALPHA and 5.0.0`},
		{"3.5.8", `strategy: unknown release "3.5.8"; the first known is 4.0.0`},
		{"5.4.0", `strategy: unknown release "5.4.0"; the last known is 5.3.3`},
		{"latest", `strategy: "latest" is not a release; known are 4.0.0 to 5.3.3`},
		{"4.9", `strategy: "4.9" is not a single release; its releases are 4.9.0 to 4.9.8`},
		{" v5.3", `strategy: " v5.3" is not a single release; its releases are 5.3.0 to 5.3.3`},
		{"5", `strategy: "5" is not a single release; its releases are 5.0.0-PREVIEW to 5.3.3`},
		{"4.10", `strategy: unknown release "4.10"; its neighbours are 4.9.8 and 5.0.0-PREVIEW`},
		{"6", `strategy: unknown release "6"; the last known is 5.3.3`},
		{"v4.5.0", `strategy: unknown release "v4.5.0"; its neighbours are 4.4.0 and 4.5.1`},
		{"v", `strategy: "v" is not a release; known are 4.0.0 to 5.3.3`},
		{"vv5.3.3", `strategy: "vv5.3.3" is not a release; known are 4.0.0 to 5.3.3`},
		{"5.", `strategy: "5." is not a release; known are 4.0.0 to 5.3.3`},
		{"", `strategy: "" is not a release; known are 4.0.0 to 5.3.3`},
		{"4.9.8-", `strategy: "4.9.8-" is not a release; known are 4.0.0 to 5.3.3`},
		{"4.-9.8", `strategy: "4.-9.8" is not a release; known are 4.0.0 to 5.3.3`},
	} {
		_, err := strategy.Lookup(c.give)
		if err == nil || err.Error() != c.want {
			t.Errorf("Lookup(%q)\n got %v\nwant %s", c.give, err, c.want)
		}
	}
}

// TestWith: every behaviour can be set to every one of its values, and reads back.
func TestWith(t *testing.T) {
	p, err := strategy.Lookup("4.9.8")
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]string{
		"latency_max":            "50ms,100ms,1s",
		"not_available_duration": "0s,0s,30s",
		"isolation_latency":      "1500ms",
		"retry_response_codes":   "1,2,14",
	}
	for _, key := range strategy.Behaviours() {
		values := strategy.BehaviourValues(key)
		if values == nil {
			values = []string{lists[key]}
		}
		for _, v := range values {
			q, err := p.With(key, v)
			if err != nil {
				t.Error(err)
				continue
			}
			if got := q.Behaviour(key); got != v {
				t.Errorf("With(%q, %q) reads back as %q", key, v, got)
			}
			var want []string
			if v != p.Behaviour(key) {
				want = []string{key + "=" + v}
			}
			if got := q.Overrides(); !slices.Equal(got, want) {
				t.Errorf("With(%q, %q).Overrides() = %q, want %q", key, v, got, want)
			}
		}
	}
	if p.String() != "4.9.8" {
		t.Errorf("With changed the profile it was called on: %s", p)
	}
}

// TestWithRefuses: an override that cannot be is an error that lists what can.
func TestWithRefuses(t *testing.T) {
	p, err := strategy.Lookup("5.3.3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, value, want string }{
		{"budget", "none", `strategy: behaviour budget = "none": want one of per-attempt, shared`},
		{"lastBroker", "ignored", "strategy: no behaviour \"lastBroker\"; there are index, selection"},
		{"isolation_latency", "ten", `"ten" is not a time such as 550ms or 30s`},
		{"isolation_latency", "-1", `"-1" is not a time`},
		{"latency_max", "50ms,,1s", `"" is not a time`},
		{"retry_response_codes", "1,busy", `"busy" is not a response code`},
	} {
		_, err := p.With(c.key, c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("With(%q, %q)\n got %v\nwant %s", c.key, c.value, err, c.want)
		}
	}
}

// TestDocTable: the table in the package documentation is the code's own. With -rewrite the
// documentation is brought up to date; look at the difference before committing it.
func TestDocTable(t *testing.T) {
	const file, begin, end = "doc.go", "//\tbehaviour", "\n//\n// # "
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("//\tbehaviour              value              releases\n")
	for line := range strings.Lines(strategy.VersionTable()) {
		want.WriteString("//\t" + line)
	}
	text := string(doc)
	from := strings.Index(text, begin)
	if from < 0 {
		t.Fatalf("%s has no line that begins with %q", file, begin)
	}
	length := strings.Index(text[from:], end)
	if length < 0 {
		t.Fatalf("%s: no heading after the table", file)
	}
	got := text[from:from+length] + "\n"
	if got == want.String() {
		return
	}
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		text = text[:from] + strings.TrimSuffix(want.String(), "\n") + text[from+length:]
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("the table in %s is not the code's (-doc +code):\n%s", file,
		cmp.Diff(got, want.String()))
}
