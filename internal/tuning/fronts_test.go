package main

import (
	"slices"
	"strings"
	"testing"

	"simrun/internal/ensemble"
)

// measured is a table of cell silent/ssd in which each seed has the same numbers.
func measured(columns []column, entries []entry, numbers map[string][]float64) *table {
	t := &table{cell: cells()[0], seeds: heldOut(), columns: columns, entries: entries}
	rows := t.rows(columns)
	var inputs []ensemble.Input
	for _, e := range entries {
		in := ensemble.Input{Name: e.name}
		for _, seed := range t.seeds {
			in.Members = append(in.Members, ensemble.Recorded(seed, "", rows, numbers[e.name]))
		}
		inputs = append(inputs, in)
	}
	t.of = ensemble.Compare(inputs, ensemble.Options{Rows: rows})
	return t
}

// "No choice that is dominated on the held-out seeds without saying so": it is beaten by what is better in
// one goal and worse in none, if its client can have that, and if a run shows what it costs.
func TestBeatenChoiceIsNamed(t *testing.T) {
	t.Parallel()
	ours := built("", "5s", true, errors)
	limit, ten := built("1s", "5s", true, shape{}), built("", "5s", true, tables)
	main := measured(frontColumns, []entry{{"base", asItComes}, {"choice", ours}}, map[string][]float64{
		"base": {0.9, 1000, 3e9, 0}, "choice": {1, 0, 5e6, 20e9},
	})
	main.front = measured(frontColumns, []entry{{"base", asItComes}, {"limit", limit}, {"ten", ten}},
		map[string][]float64{
			"base": {0.9, 1000, 3e9, 0}, "limit": {1, 0, 5.1e6, 10e9}, "ten": {1, 0, 4e6, 20e9},
		})
	for _, c := range []struct {
		of   family
		want string
	}{{newest, "by `limit-1s+timeout-5s+detector` (starved 10.0s instead of 20.0s)"}, {middle, ""}} {
		got, err := beatenChoice(main, chosen{family: c.of, name: "choice", setting: ours})
		if err != nil || !strings.HasSuffix(got, c.want) || got != "" && c.want == "" {
			t.Errorf("the choice for %s: %q, %v", c.of, got, err)
		}
	}
	s := &study{tables: []*table{main}, choices: []chosen{{newest, "choice", ours, nil}}}
	tally, err := s.beatenTally()
	if err != nil || tally != "in 1 of 1 cases" {
		t.Error(tally, err)
	}
	text, err := s.beaten("silent")
	if err != nil || !strings.Contains(text, "the choice for 5.3.3 by") {
		t.Error(text, err)
	}
	front, err := s.fronts("silent")
	if err != nil || !strings.Contains(front, "| `timeout-5s+detector+tables-4.x` † | 0 | 4.0ms | 20.0s |") ||
		strings.Contains(front, "| `5.x`") {
		t.Error(front, err)
	}
}

// A limit needs 5.3.3, and no client of 5.x is one of 4.9.8.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, s := range candidates() {
		limit := slices.ContainsFunc(s.keys, func(k string) bool { return strings.Contains(k, "per_request") })
		is4 := slices.Contains(s.keys, java498)
		if s.fits(newest) == is4 || s.fits(middle) != (!is4 && !limit) || s.fits(old) != is4 {
			t.Errorf("%s fits %v, %v, %v", s.name, s.fits(newest), s.fits(middle), s.fits(old))
		}
		if s.family != "" && !s.fits(s.family) {
			t.Errorf("%s does not fit its own family", s.name)
		}
	}
}

// Behind the number of failed sends stands their share, if there is one.
func TestWithShare(t *testing.T) {
	t.Parallel()
	tab := measured(frontColumns, []entry{{"base", asItComes}, {"on", on}}, map[string][]float64{
		"base": {0.995, 80, 3e9, 0}, "on": {1, 0, 3e9, 0},
	})
	for text, want := range map[string]string{
		"80": "80 (0.5 %)", "80 [80 … 84]": "80 (0.5 %) [80 … 84]", "80<br>−4": "80 (0.5 %)<br>−4",
	} {
		if got := tab.withShare(text, 0); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := tab.withShare("0", 1); got != "0" {
		t.Error(got)
	}
}
