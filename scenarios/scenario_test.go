package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"simrun/sim"
	"simrun/strategy"
)

const small = `# A small one.
seed = 5
[broker.a]
slaves = 1
[broker.b]
[producer.p]
rate = "100/s"
[fault.x]
kind = "kill"
target = "a:*"
at = "10s"
[expect.e]
metric = "time_to_avoid"
fault = "x"
max = "4s"
`

func TestLoad(t *testing.T) {
	s := mustLoad(t, small)
	c := &s.Config
	if s.Name != "x" || s.Path != "x.toml" || s.Story != "A small one." {
		t.Errorf("name %q, path %q, story %q", s.Name, s.Path, s.Story)
	}
	if c.Seed != 5 || c.Duration != sim.Minute || c.Warmup != 0 {
		t.Errorf("seed %d, duration %v, warmup %v", c.Seed, c.Duration, c.Warmup)
	}
	if ns := c.NameServers; len(ns) != 1 || ns[0].Name != "n1" || ns[0].Release != "5.3.3" {
		t.Errorf("name servers %+v", c.NameServers)
	}
	if len(c.Topics) != 1 || c.Topics[0].Name != "orders" || c.Topics[0].WriteQueueNums != 4 {
		t.Errorf("topics %+v", c.Topics)
	}
	if len(c.Faults) != 1 || len(c.Faults[0].Targets) != 2 || c.Faults[0].Targets[1].ID != 1 {
		t.Errorf("faults %+v", c.Faults)
	}
	if e := s.Expectations[0]; e.Fault != 0 || e.Broker != -1 || *e.Max != 4e9 || e.Min != nil {
		t.Errorf("expectation %+v", e)
	}
	p := &c.Producers[0]
	if p.Rate != 100 || p.Count != 1 || p.Topics[0].Name != "orders" || p.Settings.SendMsgTimeout != 3000 ||
		p.Settings.SendMsgMaxTimeoutPerRequest != -1 {
		t.Errorf("producer %+v", p)
	}
	if len(s.Setup.Brokers) != 2 || s.Setup.Brokers[0].Service != "lognormal, median 400us, p99 4ms" ||
		s.Setup.Producers[0].SendMsgTimeoutNS != 3e9 || len(s.Setup.Topics[0].Brokers) != 2 {
		t.Errorf("setup %+v", s.Setup)
	}
}

// TestDefaultsAreTheReleases: a producer that sets nothing has the settings of its release.
func TestDefaultsAreTheReleases(t *testing.T) {
	for _, release := range []string{"4.9.8", "5.3.3"} {
		s := mustLoad(t, small, "release="+release)
		profile, err := strategy.Lookup(release)
		if err != nil {
			t.Fatal(err)
		}
		want := strategy.DefaultSettings(profile)
		want.LatencyMax, want.NotAvailableDuration = profile.LatencyMax, profile.NotAvailableDuration
		if got := s.Config.Producers[0].Settings; !reflect.DeepEqual(got, want) {
			t.Errorf("release %s: settings %+v, want %+v", release, got, want)
		}
		for _, b := range s.Config.Brokers {
			if b.Release != release {
				t.Errorf("broker %s has release %s", b.Name, b.Release)
			}
		}
	}
}

// A scenario is called as its file, and so are the directories of its results: a name that makes none, or
// that of the link to the last ones, is refused.
func TestNamesOfScenarios(t *testing.T) {
	for name, good := range map[string]bool{
		"x.toml": true, "my file.toml": true, "-x.toml": true, "ä ö.toml": true, "a.b.toml": true,
		"latest2.toml": true,
		".toml":        false, "..toml": false, "...toml": false, "latest.toml": false, "Latest.toml": false,
		"new\nline.toml": false, "tab\t.toml": false, "\xff.toml": false, "esc\x1b[1m.toml": false,
	} {
		ref := "dir/" + name
		_, err := Load(ref, Options{ReadFile: readFiles(map[string]string{ref: small})})
		var misuse *Misuse
		if is := errors.As(err, &misuse); is == good || good && err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestRefs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "mine.toml")
	if err := os.WriteFile(file, []byte(small), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := Load(file, Options{}); err != nil || s.Name != "mine" || s.Path != file {
		t.Errorf("Load(%s): %+v, %v", file, s, err)
	}
	if s, err := Load("quickstart", Options{}); err != nil || s.Path != "" || s.Name != "quickstart" {
		t.Errorf("Load(quickstart): %+v, %v", s, err)
	}
	for ref, want := range map[string]NotFound{
		"two-master-down":      {Nearest: "two-masters-down"},
		"two-masters-dwon":     {Nearest: "two-masters-down"},
		"nothing":              {},
		"./no/quickstart.toml": {File: true, Nearest: "quickstart"},
		dir + "/nothing.toml":  {File: true},
		dir + "/nothing/again": {File: true},
	} {
		want.Ref = ref
		_, err := Load(ref, Options{})
		var got *NotFound
		if !errors.As(err, &got) || *got != want {
			t.Errorf("Load(%s): %v, want %v", ref, err, &want)
		}
	}
	_, err := Load(dir+"/", Options{}) // a directory is there, and cannot be read
	var invalid *Invalid
	var missing *NotFound
	if err == nil || errors.As(err, &invalid) || errors.As(err, &missing) {
		t.Errorf("Load(directory): %v", err)
	}
	denied := func(string) ([]byte, error) { return nil, fs.ErrPermission }
	if _, err := Load("x.toml", Options{ReadFile: denied}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Load of an unreadable file: %v", err)
	}
}

// TestEffectiveReproducesItself: for every shipped scenario, under every kind of change, the
// effective scenario loads to the same Config, text and key.
func TestEffectiveReproducesItself(t *testing.T) {
	seed := uint64(math.MaxUint64)
	for _, name := range Names() {
		for _, opt := range []Options{
			{},
			{Seed: &seed},
			{Set: []string{
				"producer.*.send_msg_timeout=2s", "broker.*.service.p99=17ms", "release=4.9.8",
				"producer.*.send_msg_max_timeout_per_request=off",
				"producer.*.start_detector_enable=false",
			}},
		} {
			if name == "go-and-java" && len(opt.Set) > 0 {
				continue // not all its clients have these settings
			}
			s, err := Load(name, opt)
			if err != nil {
				report(t, err)
				continue
			}
			text := s.Effective()
			again := mustLoad(t, string(text))
			if !bytes.Equal(again.Effective(), text) {
				t.Errorf("%s: the effective scenario changed on the way:\n%s", name, again.Effective())
			}
			if !reflect.DeepEqual(again.Config, s.Config) {
				t.Errorf("%s: the Config changed on the way:\n%+v\n%+v", name, again.Config, s.Config)
			}
			if !reflect.DeepEqual(again.Expectations, s.Expectations) ||
				!reflect.DeepEqual(again.Phases, s.Phases) || again.Story != s.Story {
				t.Errorf("%s: expectations, phases or story changed on the way", name)
			}
			if got, want := messages(again.Warnings), messages(s.Warnings); !slices.Equal(got, want) {
				t.Errorf("%s: warnings %q became %q", name, want, got)
			}
			if again.Key() != s.Key() {
				t.Errorf("%s: key %s became %s", name, s.Key(), again.Key())
			}
		}
	}
}

// messages are what problems say, sorted: their places differ from file to file.
func messages(list []Problem) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.Message+p.Hint)
	}
	slices.Sort(out)
	return out
}

// TestKey: the key knows every value and the seed, and neither comments nor the way of writing.
func TestKey(t *testing.T) {
	base := mustLoad(t, small).Key()
	same := []string{
		"# Another story.\n" + small[strings.Index(small, "\n")+1:],
		strings.Replace(small, `"100/s"`, `"0.1/ms" # comment`, 1),
		strings.Replace(small, "slaves = 1", "slaves = 1\nstartup = \"10000ms\"", 1),
	}
	for _, text := range same {
		if got := mustLoad(t, text).Key(); got != base {
			t.Errorf("key %s, want %s for\n%s", got, base, text)
		}
	}
	seen := map[string]string{base: "the scenario itself"}
	for _, set := range []string{
		"seed=6", "broker.a.slaves=2", "broker.b.service.p99=5ms",
		"expect.e.max=5s", "fault.x.at=11s", "producer.p.latency_max[6]=16s",
	} {
		key := mustLoad(t, small, set).Key()
		if other, ok := seen[key]; ok || len(key) != 8 {
			t.Errorf("--set %s has the key %s of %s", set, key, other)
		}
		seen[key] = set
	}
}

func TestWithSeed(t *testing.T) {
	s := mustLoad(t, small)
	text := string(s.Effective())
	for _, seed := range []uint64{0, 7, math.MaxInt64, math.MaxUint64} {
		other := s.WithSeed(seed)
		loaded, err := Load("x.toml", Options{
			Seed:     &seed,
			ReadFile: readFiles(map[string]string{"x.toml": small}),
		})
		if err != nil {
			t.Fatal(err)
		}
		if other.Config.Seed != seed || other.Key() != loaded.Key() || other.Key() == s.Key() ||
			!bytes.Equal(other.Effective(), loaded.Effective()) {
			t.Errorf("WithSeed(%d) differs from --seed %d", seed, seed)
		}
	}
	if string(s.Effective()) != text || s.WithSeed(5).Key() != s.Key() {
		t.Error("WithSeed changed the scenario it was called on")
	}
}

// Keys with a warning in the shipped scenarios: settings that contradict each other, as they do in life.
var shippedWarnings = map[string]string{
	"async-refused":                 "not_available_duration",
	"one-silent-broker-few-threads": "threads",
	"fsync-lies":                    "threads send_msg_timeout",
	"gc-pause":                      "threads",
	"near-capacity":                 "not_available_duration",
	"planned-stop":                  "at", // it is stopped while it is read-only: so it is planned
	"replication-cut":               "send_msg_timeout",
	"two-masters-down":              "threads",
	"two-masters-down-plain":        "threads",
	"zone-dark":                     "threads",
}

func TestLibrary(t *testing.T) {
	infos := List()
	if len(infos) != len(Names()) || len(infos) < 6 {
		t.Fatalf("%d scenarios for %d names", len(infos), len(Names()))
	}
	for _, info := range infos {
		if info.Story == "" || strings.Contains(info.Story, "effective") || len(info.Story) > 98 {
			t.Errorf("%s: story %q", info.Name, info.Story)
		}
		breaks := len(info.Faults) > 0 || info.Name == "flash-crowd" // which the callers break
		if info.Expectations == 0 || !breaks || info.Brokers == 0 || info.Producers == 0 {
			t.Errorf("%s expects, breaks or has nothing: %+v", info.Name, info)
		}
		s, err := Load(info.Name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for i := range s.Warnings {
			keys = append(keys, s.Warnings[i].Path[strings.LastIndexByte(s.Warnings[i].Path, '.')+1:])
		}
		if got := strings.Join(keys, " "); got != shippedWarnings[info.Name] {
			t.Errorf("%s: warnings of %q, want %q", info.Name, got, shippedWarnings[info.Name])
		}
		source, err := Source(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(source), "\n") {
			if len(line) > 100 {
				t.Errorf("%s:%d has %d columns", info.Name, i+1, len(line))
			}
		}
	}
}

// TestTwins: the plain twin differs in fault avoidance and in nothing else of the world.
func TestTwins(t *testing.T) {
	avoiding, err := Load("two-masters-down", Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Load("two-masters-down-plain", Options{
		Set: []string{"producer.*.send_latency_fault_enable=true"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(avoiding.Config, plain.Config) {
		t.Errorf("the twins differ:\n%+v\n%+v", avoiding.Config, plain.Config)
	}
}

// TestSilentTwins: one-silent-broker and the twin with few threads differ in the threads only.
func TestSilentTwins(t *testing.T) {
	many, err := Load("one-silent-broker", Options{})
	if err != nil {
		t.Fatal(err)
	}
	few, err := Load("one-silent-broker-few-threads", Options{
		Set: []string{"producer.*.threads=160"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(many.Config, few.Config) {
		t.Errorf("the twins differ:\n%+v\n%+v", many.Config, few.Config)
	}
}

// TestInvalid: what the error says on one line, to people and to editors.
func TestInvalid(t *testing.T) {
	var b strings.Builder
	b.WriteString("[broker.a]\n[producer.p]\nrate = \"1/s\"\n")
	for i := range maxRendered + 3 {
		fmt.Fprintf(&b, "wrong%d = 1\n", i)
	}
	_, err := loadText(b.String())
	var invalid *Invalid
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	if want := `x.toml:4:1: unknown key "wrong0" in [producer.p] (and 202 more)`; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	var out strings.Builder
	if err := invalid.Render(&out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "unknown key"); n != maxRendered {
		t.Errorf("%d problems are shown, want %d", n, maxRendered)
	}
	end := "and 3 more: --json tells all of them\n203 errors in x.toml; nothing was simulated.\n"
	if !strings.HasSuffix(out.String(), end) {
		t.Errorf("the report ends in %q, want %q", out.String()[out.Len()-80:], end)
	}
	data, err := invalid.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		Scenario string
		Problems []Problem
	}
	if err := json.Unmarshal(data, &decoded); err != nil {
		t.Fatal(err)
	}
	if p := decoded.Problems[0]; len(decoded.Problems) != maxRendered+3 || decoded.Scenario != "x.toml" ||
		p.Line != 4 || p.Col != 1 || p.Width != 6 || p.Path != "producer.p.wrong0" {
		t.Errorf("JSON: %s", data)
	}
}

// TestLinesEndAnyhow: Windows line ends and a byte order mark change nothing.
func TestLinesEndAnyhow(t *testing.T) {
	want := mustLoad(t, small)
	got := mustLoad(t, "\ufeff"+strings.ReplaceAll(small, "\n", "\r\n"))
	if got.Key() != want.Key() || got.Story != want.Story {
		t.Errorf("key %s, story %q; want %s, %q", got.Key(), got.Story, want.Key(), want.Story)
	}
	_, err := loadText("\ufeffseed = -1\r\n")
	if err == nil || !strings.HasPrefix(err.Error(), "x.toml:1:8: seed is -1") {
		t.Errorf("error %v", err)
	}
}

// TestManyKeys: the work of reading grows no faster than the text, whose keys are looked up by name.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	const keys = 50_000
	for i := range keys {
		fmt.Fprintf(&b, "a.k%d.x = 1\n", i)
	}
	root, problem := parse(newSource("x", b.String()))
	if problem != nil {
		t.Fatal(problem)
	}
	if n := len(root.child("a").fields); n != keys {
		t.Errorf("%d keys, want %d", n, keys)
	}
}

func TestUTF16IsRefused(t *testing.T) {
	_, err := loadText("\xff\xfes\x00e\x00")
	if err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("error %v", err)
	}
}

// TestDefaultsAreValid: every default of the schema reads as its own kind.
func TestDefaultsAreValid(t *testing.T) {
	s := mustLoad(t, small)
	for _, table := range s.tables {
		for _, k := range table.kind.keys {
			if v := table.vals[k.name]; k.def != "" && v.def == "" && k.unfit == nil {
				t.Errorf("%s.%s: the default %s is refused", table.path, k.name, k.def)
			}
		}
	}
}

func Example() {
	_, err := Load("mine.toml", Options{ReadFile: readFiles(map[string]string{"mine.toml": `
[broker.a]
slavs = 1

[producer.shop]
count = "8"
rate = "800/s"
`})})
	var invalid *Invalid
	if errors.As(err, &invalid) {
		for _, p := range invalid.Problems {
			fmt.Println(p.String())
		}
	}
	// Output:
	// mine.toml:3:1: unknown key "slavs" in [broker.a]; did you mean "slaves"?
	// mine.toml:6:9: producer.shop.count is a string ("8"); it must be a whole number; write 8 without quotes
}
