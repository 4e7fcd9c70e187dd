package main

import (
	"slices"
	"strings"
	"testing"

	"simrun/scenarios"
)

// Every setting loads, is called like no other, and each key of it has a setter; arrays of Java are in
// milliseconds. A choice isolates after an error for no longer than a run shows.
func TestSettings(t *testing.T) {
	t.Parallel()
	var names []string
	for _, s := range candidates() {
		if slices.Contains(names, s.name) {
			t.Errorf("%s is there twice", s.name)
		}
		names = append(names, s.name)
		calls := java(&s)
		want := len(s.told())
		if slices.Contains(s.keys, java498) {
			want--
		}
		if len(calls) != want {
			t.Errorf("%s: %d setters for %q", s.name, len(calls), s.keys)
		}
		properties, rest := spring(&s)
		if len(properties)+len(rest) != len(calls) {
			t.Errorf("%s: %q and %q of %q", s.name, properties, rest, calls)
		}
		for _, f := range []family{newest, middle, old} {
			if s.long && s.can(f) {
				t.Errorf("%s may be chosen", s.name)
			}
		}
		if _, err := cells()[0].load(&s); err != nil {
			t.Error(err)
		}
	}
	s := built("500ms", "5s", false, errors)
	want := "producer.setNotAvailableDuration(new long[] {0L, 0L, 2000L, 5000L, 6000L, 30000L, 60000L});"
	if !slices.Contains(java(&s), want) {
		t.Errorf("%q", java(&s))
	}
	if !slices.Contains(assigned(&s), "notAvailableDuration = 0, 0, 2000, 5000, 6000, 30000, 60000") {
		t.Errorf("%q", assigned(&s))
	}
}

// Thresholds that a client has anyway are not told, others are.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, s := range candidates() {
		usual := levels5
		if slices.Contains(s.keys, java498) {
			usual = levels4
		}
		thresholds := func(k string) bool { return strings.HasPrefix(k, "latency_max=") }
		other := func(k string) bool { return thresholds(k) && k != "latency_max="+usual }
		if slices.ContainsFunc(s.told(), thresholds) != slices.ContainsFunc(s.keys, other) {
			t.Errorf("%s tells %q of %q", s.name, s.told(), s.keys)
		}
	}
}

// Every cell loads, and its snippets of TOML do.
func TestCells(t *testing.T) {
	t.Parallel()
	for _, c := range cells() {
		if _, err := c.load(&asItComes); err != nil {
			t.Error(err)
		}
	}
	s := built("500ms", "5s", true, errors)
	text := "[broker.a]\n[producer.mine]\nrate = \"5/s\"\n" + strings.Join(toml(&s), "\n")
	_, err := scenarios.Load("./mine.toml", scenarios.Options{
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
	})
	if err != nil {
		t.Errorf("%v:\n%s", err, text)
	}
}

// A setting that is worse than another in a goal and better in none is beaten. Two that differ by less than
// counts are alike, and the one that changes least stands for both.
func TestFront(t *testing.T) {
	t.Parallel()
	s := &search{seeds: 1, alive: [][]int{{0, 1, 2, 3}}, lab: &lab{
		cells: cells()[:1],
		settings: []setting{
			{name: "reference"}, {name: "good", changes: 2}, {name: "alike", changes: 1}, {name: "beaten"},
		},
		known: map[asked]score{
			{0, 0, 1}: {0.1, 3, 0}, {0, 1, 1}: {0.001, 1, 10}, {0, 2, 1}: {0.00102, 1.01, 10.1},
			{0, 3, 1}: {0.002, 1, 12},
		},
	}}
	var names []string
	for _, x := range s.front(0) {
		names = append(names, s.settings[x].name)
	}
	if !slices.Equal(names, []string{"reference", "alike"}) {
		t.Errorf("%q", names)
	}
}
