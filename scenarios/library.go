package scenarios

import (
	"embed"
	"slices"
	"strings"

	"simrun/sim"
)

// shipped are the scenarios that come with the program.
//
//go:embed *.toml
var shipped embed.FS

// Info describes a scenario in a list.
type Info struct {
	Name  string `json:"name"`
	Story string `json:"story"`
	// Brokers, Producers (instances), Faults and Expectations are counts.
	Brokers      int          `json:"brokers"`
	Producers    int          `json:"producers"`
	Faults       []string     `json:"faults"` // in words: "power-loss a:0 b:0", "kill b:0 every 60s"
	Expectations int          `json:"expectations"`
	Duration     sim.Duration `json:"duration_ns"`
	// Variants are those of the file, in its order.
	Variants []VariantInfo `json:"variants"`
}

// Names are the names of the shipped scenarios, sorted.
func Names() []string {
	entries, err := shipped.ReadDir(".")
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	slices.Sort(names) // the order of the files is another one: "-" stands before "."
	return names
}

// List describes the shipped scenarios, by name.
func List() []Info {
	var all []Info
	for _, name := range Names() {
		s, err := Load(name, Options{})
		if err != nil {
			panic(err) // a test loads each of them
		}
		all = append(all, s.Info())
	}
	return all
}

// Info describes the scenario in brief.
func (s *Scenario) Info() Info {
	info := Info{
		Name: s.Name, Story: s.Story, Brokers: len(s.Config.Brokers),
		Expectations: len(s.Expectations), Duration: s.Config.Duration, Faults: []string{}, Variants: s.Variants,
	}
	for i := range s.Config.Producers {
		info.Producers += s.Config.Producers[i].Count
	}
	a := assembly{s: s}
	for _, t := range a.tables(tableFault) {
		info.Faults = append(info.Faults, faultWords(t))
	}
	return info
}

// faultWords is a fault in a few words: "partition a:0 to a:1", "kill b:0 every 60s".
func faultWords(t *table) string {
	words := faultKindOf(t).name
	for _, n := range get[[]*node](t, "target") {
		words += " " + n.scalar.(string)
	}
	for i, n := range get[[]*node](t, "to") {
		if i == 0 {
			words += " to"
		}
		words += " " + n.scalar.(string)
	}
	switch {
	case t.has("period"):
		words += " every " + unquoted(t.vals["period"].text)
	case t.has("rate"):
		words += " at random, " + unquoted(t.vals["rate"].text)
	}
	return words
}

// Source is the text of a shipped scenario. The error is *NotFound.
func Source(name string) ([]byte, error) {
	if !slices.Contains(Names(), name) {
		return nil, &NotFound{Ref: name, Nearest: nearestShipped(name)}
	}
	return shipped.ReadFile(name + ".toml")
}

// nearestShipped is the shipped scenario that was perhaps meant.
func nearestShipped(name string) string {
	name = strings.TrimSuffix(name, ".toml")
	names := Names()
	if near := nearest(name, names); near != "" {
		return near
	}
	for _, n := range names { // the beginning of a name, or a part of it
		if len(name) >= 4 && (strings.HasPrefix(n, name) || strings.Contains(n, name)) {
			return n
		}
	}
	return ""
}
