package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"simrun/internal/result"
	"simrun/model/config"
)

// block is a generated part of docs/scenarios.md.
var block = regexp.MustCompile(`(?s)(<!-- generated: ([a-z_ ]+) -->\n).*?(<!-- end -->\n)`)

// TestReference: the tables of the reference are those of the code; -rewrite updates them.
func TestReference(t *testing.T) {
	const path = "../docs/scenarios.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	want := block.ReplaceAllStringFunc(string(data), func(old string) string {
		m := block.FindStringSubmatch(old)
		seen[m[2]] = true
		return m[1] + generate(t, m[2]) + m[3]
	})
	golden(t, path, want)
	for i := range schema {
		name := "keys " + schema[i].name
		if schema[i].name == "" {
			name = "keys top"
		}
		if !seen[name] {
			t.Errorf("%s has no block %q", path, name)
		}
	}
}

// generate writes one block.
func generate(t *testing.T, what string) string {
	name, isKeys := strings.CutPrefix(what, "keys ")
	switch {
	case what == "metrics":
		return metricTable()
	case what == "distributions":
		return distTable()
	case what == "shapes":
		return shapeTable()
	case what == "faults":
		return faultTable()
	case what == "variants":
		return variantExample(t)
	case what == "library":
		return libraryTable()
	case isKeys && name == "top":
		return keyTable(&schema[0])
	case isKeys && tableOf(name) != nil:
		return keyTable(tableOf(name))
	}
	t.Errorf("unknown block %q", what)
	return ""
}

func keyTable(tk *tableKind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| key | type | default | meaning |\n|---|---|---|---|\n", tk.doc)
	for i := range tk.keys {
		k := &tk.keys[i]
		doc := k.doc
		if len(k.java) > 0 {
			doc += " RocketMQ: `" + k.java[0] + "`."
		}
		if k.since != "" {
			doc += " Since " + k.since + "."
		}
		switch k.goSince {
		case "":
		case noGo:
			doc += " Not of the Go client."
		default:
			doc += " Of the Go client since " + k.goSince + "."
		}
		if k.until != "" {
			doc += " Before " + k.until + "; then `" + k.instead + "`."
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.name, typeText(k), defaultText(k), doc)
	}
	return b.String()
}

func faultTable() string {
	var b strings.Builder
	b.WriteString("| `kind` | strikes | own keys | meaning |\n|---|---|---|---|\n")
	for i, f := range faultKinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.name, struckBy(config.FaultKind(i)),
			strings.Join(code(f.keys), ", "), f.doc)
	}
	return b.String()
}

// struckBy says what a kind of fault strikes.
func struckBy(k config.FaultKind) string {
	var what []string
	for _, kind := range []struct {
		name string
		t    config.Target
	}{
		{"masters", config.Target{}},
		{"slaves", config.Target{ID: 1}},
		{"name servers", config.Target{Kind: config.NameServerTarget}},
		{"producers", config.Target{Kind: config.ProducerTarget}},
	} {
		if k.Strikes(kind.t) {
			what = append(what, kind.name)
		}
	}
	return andList(what)
}

func typeText(k *key) string {
	switch n := len(k.kind.values); {
	case n > fewValues:
		return "one of a list"
	case n > 0:
		return strings.Join(code(k.kind.values), ", ")
	default:
		return k.kind.name
	}
}

func defaultText(k *key) string {
	switch {
	case k.def != "":
		return "`" + k.def + "`"
	case k.defDoc != "":
		return k.defDoc
	case k.required:
		return "required"
	default:
		return ""
	}
}

func code(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return out
}

func metricTable() string {
	var b strings.Builder
	b.WriteString("| metric | limits | about | meaning |\n|---|---|---|---|\n")
	units := map[result.Unit]string{
		result.UnitNS: "duration", result.UnitRatio: "ratio",
		result.UnitCount: "whole number", result.UnitPer: "number",
	}
	scopes := map[result.Scope]string{
		result.ScopeMessages: "messages",
		result.ScopeBroker:   "attempts to one broker", result.ScopeFault: "one fault",
		result.ScopeCluster: "all brokers", result.ScopeBalance: "one topic",
		result.ScopeRecovery: "one fault",
	}
	for _, m := range result.Metrics() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, units[m.Unit], scopes[m.Scope], m.Help)
	}
	return b.String()
}

func distTable() string {
	var b strings.Builder
	b.WriteString("| `dist` | parameters | meaning |\n|---|---|---|\n")
	for _, d := range dists {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.name, strings.Join(code(d.params), ", "), d.doc)
	}
	return b.String()
}

func shapeTable() string {
	var b strings.Builder
	b.WriteString("| `shape` | fields | meaning |\n|---|---|---|\n")
	for _, s := range shapes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.name, strings.Join(code(s.fields), ", "), s.doc)
	}
	return b.String()
}

// variantExample is what there is to say of the variants in the reference.
func variantExample(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range tomlBlock.FindAllStringSubmatch(string(data), -1) {
		if strings.Contains(m[1], "[variant.") {
			list, err := LoadVariants("x.toml", Options{ReadFile: readFiles(map[string]string{"x.toml": m[1]})})
			if err != nil {
				report(t, err)
			}
			return "```\n" + variantsText(list) + "```\n"
		}
	}
	t.Error("no example of variants")
	return ""
}

func libraryTable() string {
	var b strings.Builder
	b.WriteString("| name | story | simulated | faults |\n|---|---|---|---|\n")
	for _, info := range List() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", info.Name, info.Story,
			formatDuration(info.Duration), strings.Join(info.Faults, "; "))
	}
	return b.String()
}

// tomlBlock is an example in the reference.
var tomlBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")

// TestReferenceExamples: every scenario in the reference is valid.
func TestReferenceExamples(t *testing.T) {
	data, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := tomlBlock.FindAllStringSubmatch(string(data), -1)
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	for _, m := range examples {
		text := m[1]
		if !strings.Contains(text, "[producer.") {
			text += "\n[producer.example]\nrate = \"1/s\"\n"
		}
		if !strings.Contains(text, "[broker.") {
			text += "\n[broker.a]\n[broker.b]\n"
		}
		files := map[string]string{
			"x.toml": text, "latencies.txt": "1ms\n2ms,3\n", "arrivals.csv": "time_ms,size\n0,1024\n",
		}
		if _, err := LoadVariants("x.toml", Options{ReadFile: readFiles(files)}); err != nil {
			report(t, err)
		}
	}
}
