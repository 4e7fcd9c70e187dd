package scenarios

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"simrun/internal/result"
)

const varied = `# The story.
[broker.a]
slaves = 1
[broker.b]
[producer.p]
rate = "800/s"
send_latency_fault_enable = true
[producer.q]
rate = "1/s"
client = "go-2.1.2"
[fault.x]
kind = "slow"
factor = 10
target = "a:0"
at = "5s"
`

// settings in the order in which a variant applies them: of all tables before one, values before parts.
var settingPool = []struct{ address, value string }{
	{"duration", `"90s"`},
	{"release", `"5.1.4"`},
	{"network.latency", `"1ms"`},
	{"broker.*.slaves", "2"},
	{"broker.*.service.p99", `"8ms"`},
	{"broker.a.service", `{ dist = "exponential", mean = "1ms" }`},
	{"broker.b.service.median", `"500us"`},
	{"broker.b.slaves", "0"},
	{"producer.*.threads", "8"},
	{"producer.p.client", `"java-4.9.8"`},
	{"producer.p.threads", "9"},
	{"producer.p.latency_max", `["50ms", "100ms", "550ms", "1800ms", "3s", "5s", "16s"]`},
	{"producer.p.latency_max[6]", `"17s"`},
	{"fault.x.at", `"6s"`},
	{"fault.x.factor", "3"},
}

// drawVariant draws settings, as a table of a variant (dotted where that can be, in some order) and as flags.
func drawVariant(t *rapid.T) (table string, flags []string) {
	var lines []string
	for i, s := range settingPool {
		if !rapid.Bool().Draw(t, s.address) && (i > 0 || flags != nil) {
			continue
		}
		flags = append(flags, s.address+"="+s.value)
		key := s.address
		if strings.ContainsAny(key, "*[") || rapid.Bool().Draw(t, "quoted") {
			key = `"` + key + `"`
		}
		lines = append(lines, key+" = "+s.value+"\n")
	}
	lines = rapid.Permutation(lines).Draw(t, "order")
	return "[variant.v]\n" + strings.Join(lines, ""), flags
}

var behindValue = regexp.MustCompile(`(?m) +# .*$`)

// TestVariantIsSet: a variant is the scenario with --set flags of the same keys, in whatever order and way
// they are written; and variants leave the scenario as it stands alone.
func TestVariantIsSet(t *testing.T) {
	plain := mustLoad(t, varied)
	rapid.Check(t, func(rt *rapid.T) {
		table, flags := drawVariant(rt)
		text := varied + table
		opt := Options{ReadFile: readFiles(map[string]string{"x.toml": text})}
		list, err := LoadVariants("x.toml", opt)
		if err != nil {
			rt.Fatalf("%v\n%s", err, table)
		}
		base, v := list[0], list[1]
		set, err := loadText(varied, flags...)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(v.Config, set.Config, cmp.Comparer(sameSampler)); diff != "" {
			rt.Fatalf("the variant has another configuration:\n%s%s", table, diff)
		}
		uncommented := func(s *Scenario) string { return behindValue.ReplaceAllString(string(s.Effective()), "") }
		if diff := cmp.Diff(uncommented(v), uncommented(set)); diff != "" {
			rt.Fatalf("the variant has other values:\n%s", diff)
		}
		if v.Key() != set.Key() {
			rt.Fatalf("keys %s and %s", v.Key(), set.Key())
		}
		if base.Key() != plain.Key() || string(base.Effective()) != string(plain.Effective()) {
			rt.Fatal("the variant changed the scenario as it stands")
		}
		differs := slices.ContainsFunc(v.Differs, func(d result.VariantSetting) bool { return d.Base == d.Text })
		if differs || (len(v.Differs) == 0) != (v.Key() == base.Key()) {
			rt.Fatalf("%d settings differ, keys %s and %s", len(v.Differs), v.Key(), base.Key())
		}
		if rapid.IntRange(0, 4).Draw(rt, "alone") > 0 {
			return // takes time
		}
		again, err := loadText(string(v.Effective()))
		if err != nil || string(again.Effective()) != string(v.Effective()) {
			rt.Fatalf("the variant does not reproduce itself: %v", err)
		}
		opt.Variant = "v"
		if one, err := Load("x.toml", opt); err != nil || string(one.Effective()) != string(v.Effective()) {
			rt.Fatalf("alone it is another: %v", err)
		}
	})
}

// TestVariantOrigin: the effective scenario of a variant says what the variant set.
func TestVariantOrigin(t *testing.T) {
	text := varied + "[variant.ours]\nproducer.p.threads = 4\n\"broker.*.service.p99\" = \"8ms\"\n" +
		"[variant.ours.fault.y]\nkind = \"kill\"\ntarget = \"b:0\"\nat = \"9s\"\n"
	s, err := Load("x.toml", Options{
		Variant: "ours", Variants: []string{"ours:duration=50s"},
		ReadFile: readFiles(map[string]string{"x.toml": text}),
	})
	if err != nil {
		report(t, err)
		return
	}
	got := string(s.Effective())
	for _, want := range []string{
		`(?m)^threads += 4 +# variant.ours; default 32$`, `(?m)^duration = "50s" +# variant.ours; default`,
		`(?m)^service += .*"8ms" \}  # variant.ours; default`, `(?m)^kind += "kill" +# variant.ours$`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "[variant") || len(s.Variants) != 1 || s.Variants[0].Name != "ours" {
		t.Errorf("variants %v, and\n%s", s.Variants, got)
	}
}

// TestVariantPlaces: every problem of variants has a place: in the file, or at a flag.
func TestVariantPlaces(t *testing.T) {
	opt := Options{Variants: []string{"w:broker.a.slaves=9", "w:producer.p.rate=unset"}, ReadFile: readFiles(
		map[string]string{"x.toml": varied + "[variant.v]\nbroker.a = \"unset\"\nproducer.p.threads = 0\n"})}
	_, err := LoadVariants("x.toml", opt)
	var invalid *Invalid
	if !errors.As(err, &invalid) || invalid.Errors() < 4 {
		t.Fatal(err)
	}
	for _, p := range invalid.Problems {
		if p.Line == 0 && !strings.HasPrefix(p.File, "--") {
			t.Error(p.String())
		}
	}
}

// TestOver: what is laid over a variant finds all before it inherited, the variant's own settings, too: they
// are dropped where they have no meaning, and come back where the variant had dropped them.
func TestOver(t *testing.T) {
	text := varied + "[variant.limited]\nproducer.p.send_msg_max_timeout_per_request = \"800ms\"\n" +
		"[variant.old]\nproducer.p.client = \"java-4.9.8\"\n"
	load := func(variants, over []string) *Scenario {
		t.Helper()
		list, err := LoadNamed("x.toml", Options{
			Variants: variants, Over: over, OverFrom: []string{"--param[1]"},
			ReadFile: readFiles(map[string]string{"x.toml": text}),
		})
		if err != nil || len(list) != 1 {
			t.Fatalf("%v over %v: %d, %v", over, variants, len(list), err)
		}
		return list[0]
	}
	if s := load([]string{"limited"}, []string{"producer.p.client=java-4.9.8"}); len(s.Notes) != 1 ||
		!strings.Contains(s.Notes[0], `"800ms" is dropped`) {
		t.Errorf("notes %q", s.Notes)
	}
	again := load([]string{"old"}, []string{"producer.p.client=java-5.3.3"})
	if again.Key() != load(nil, nil).Key() {
		t.Error("over a variant with an old release the new one is not what it was")
	}
	if a, b := load(nil, []string{"duration=50s"}), load([]string{"v:duration=50s"}, nil); a.Key() != b.Key() ||
		a.Variant != "" {
		t.Errorf("over the scenario it is not as in a variant of it: %q", a.Variant)
	}
	_, err := LoadNamed("x.toml", Options{
		Over:     []string{"producer.p.threads=0", "broker.a=unset"},
		OverFrom: []string{"--param[1]"}, ReadFile: readFiles(map[string]string{"x.toml": text}),
	})
	var invalid *Invalid
	if !errors.As(err, &invalid) || invalid.Errors() != 2 || invalid.Problems[0].File != "--param[1]" ||
		invalid.Problems[1].File != "--over[2]" {
		t.Error(err)
	}
}
