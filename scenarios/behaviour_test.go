package scenarios

import (
	"errors"
	"strings"
	"testing"

	"simrun/strategy"
)

const behavioursText = `
[broker.a]
[producer.p]
rate = "100/s"
behaviours = ["update_fault_item=overwrites", "isolation_latency=30s"]
`

// A client can be given behaviours that no release has; the effective scenario says so again.
func TestBehavioursReplaceThoseOfTheRelease(t *testing.T) {
	read := func(text string) (*Scenario, error) {
		return Load("./x.toml", Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
	}
	sc, err := read(behavioursText)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read(string(sc.Effective()))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Scenario{sc, again} {
		profile, err := s.Config.Producers[0].Profile()
		if err != nil {
			t.Fatal(err)
		}
		if profile.Update != strategy.UpdateOverwrites || profile.IsolationLatency != 30_000 {
			t.Errorf("profile %v", profile)
		}
	}
	_, err = read(strings.Replace(behavioursText, "update_fault_item", "update_fault_itm", 1))
	var invalid *Invalid
	if !errors.As(err, &invalid) || len(invalid.Problems) != 1 {
		t.Fatalf("error %v", err)
	}
	p := invalid.Problems[0]
	if p.Line != 5 || p.Col != 15 || p.Hint != `did you mean "update_fault_item"?` {
		t.Errorf("problem %+v", p)
	}
}

// What is wrong with a behaviour is said at its place.
func TestBehaviourMistakes(t *testing.T) {
	for give, want := range map[string]string{
		"latency_max=50ms":     "has a key of its own",
		"fallback":             `has no "="`,
		"fallback=sometimes":   "want one of",
		" index = masked ":     "",
		"isolation_latency=1x": "isolation_latency",
	} {
		text := strings.Replace(behavioursText, `"isolation_latency=30s"`, `"`+give+`"`, 1)
		_, err := Load("./x.toml", Options{ReadFile: func(string) ([]byte, error) { return []byte(text), nil }})
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", give, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "x.toml:5:47")):
			t.Errorf("%q: %v, want %q at 5:47", give, err, want)
		}
	}
}
