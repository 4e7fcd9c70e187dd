package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simrun/scenarios"
)

// families in the order of the page, with the names of their choices.
var families = []struct {
	family family
	name   string
}{{newest, "choice"}, {middle, "choice-52"}, {old, "choice-4"}}

// work is a study under way.
type work struct {
	search *search
	shelf  *shelf
}

// fresh has no numbers yet and makes them.
func fresh(jobs int) *work {
	return &work{newSearch(jobs), &shelf{jobs: jobs}}
}

// again has the numbers that a directory of the guide has, and makes none.
func again(dir string) (*work, error) {
	w := fresh(1)
	w.search.closed, w.shelf.closed = true, true
	if err := w.search.read(filepath.Join(dir, rawSearch)); err != nil {
		return nil, err
	}
	return w, w.shelf.read(filepath.Join(dir, rawSeeds))
}

// file of the guide.
type file struct {
	name string
	data []byte
}

// files looks for settings and reports them. Of a page that can't be written the numbers are there all the
// same, so that its text can be put right.
func (w *work) files(ctx context.Context) (numbers, pages []file, err error) {
	if err := w.search.run(ctx); err != nil {
		return nil, nil, err
	}
	s := w.search.study()
	if err := s.report(ctx, w.shelf); err != nil {
		return nil, nil, err
	}
	numbers = []file{{rawSearch, w.search.csv()}, {rawSeeds, w.shelf.csv()}}
	text, err := s.page()
	if err != nil {
		return numbers, nil, err
	}
	pages = []file{{"tuning-guide.md", []byte(text)}, {"tuning-guide.csv", s.csv()}}
	for _, f := range s.figures {
		pages = append(pages, file{f.file, f.svg})
	}
	return numbers, pages, nil
}

// write makes the files of a study in a directory.
func (w *work) write(ctx context.Context, dir string) error {
	numbers, pages, err := w.files(ctx)
	for _, f := range append(numbers, pages...) {
		name := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.data, 0o644); err != nil {
			return err
		}
	}
	return err
}

func newSearch(jobs int) *search {
	return &search{lab: &lab{
		cells: cells(), settings: candidates(), jobs: jobs, known: map[asked]score{},
	}}
}

// study is what is to be reported of what was found.
func (s *search) study() *study {
	out := &study{trained: len(s.known), settings: len(s.settings)}
	for _, f := range families {
		out.choices = append(out.choices, s.chosen(f.family, f.name))
	}
	for c := range s.cells {
		t := s.table(c, out.choices)
		out.tables = append(out.tables, t)
	}
	return out
}

// report makes the runs that are reported.
func (s *study) report(ctx context.Context, from *shelf) error {
	for _, t := range s.tables {
		if err := t.fill(ctx, from); err != nil {
			return err
		}
		if err := t.front.fill(ctx, from); err != nil {
			return err
		}
	}
	var err error
	if s.gains, err = gains(ctx, from, scenarios.Options{}, heldOut()); err != nil {
		return err
	}
	s.figures, err = draw(ctx, from)
	s.held = from.runs()
	return err
}

// chosen is the choice of a family, and what it would be under other weights.
func (s *search) chosen(f family, name string) chosen {
	x := s.choice(f, plain)
	out := chosen{family: f, name: name, setting: s.settings[x]}
	for _, w := range others {
		if y := s.choice(f, w); y != x {
			out.others = append(out.others, fmt.Sprintf("`%s` if %s", s.settings[y].name, w.name))
		}
	}
	return out
}

// table of a cell: the defaults, the choices, and the setting of the front that is best there, if it is none
// of those.
func (s *search) table(c int, choices []chosen) *table {
	t := &table{cell: s.cells[c], seeds: heldOut(), columns: columns}
	add := func(name string, x setting) {
		t.entries = append(t.entries, entry{name, x})
	}
	for i, name := range []string{scenarios.BaseName, "on", "v4", "v4-on"} {
		add(name, defaults[i])
	}
	for _, x := range choices {
		add(x.name, x.setting)
	}
	front := s.front(c)
	best := front[0]
	for _, x := range front {
		if !s.settings[x].long && s.mean(c, x) < s.mean(c, best) {
			best = x
		}
	}
	t.entries = append(t.entries, t.extra...)
	if t.called(&s.settings[best]) == "" {
		add(bestHere, s.settings[best])
	}
	t.front = &table{cell: t.cell, seeds: t.seeds, columns: frontColumns, entries: t.entries[:1:1]}
	for _, x := range front {
		if x == 0 {
			t.front.reference = true
			continue
		}
		name := strings.ReplaceAll(strings.ReplaceAll(s.settings[x].name, "+", "-"), ".", "")
		t.front.entries = append(t.front.entries, entry{name, s.settings[x]})
	}
	return t
}

// called is what a setting is called in a table, empty if it is not there.
func (t *table) called(x *setting) string {
	for _, e := range t.entries {
		if e.set.name == x.name {
			return e.name
		}
	}
	return ""
}

// mean loss of a setting in a cell.
func (s *search) mean(c, x int) float64 {
	sum := 0.0
	for seed := uint64(1); seed <= s.seeds; seed++ {
		sum += s.loss(c, x, seed, plain)
	}
	return sum / float64(s.seeds)
}

func heldOut() []uint64 {
	var out []uint64
	for seed := uint64(firstHeldOut); seed <= lastHeldOut; seed++ {
		out = append(out, seed)
	}
	return out
}

// off says whether producers do not avoid brokers.
func (x *setting) off() bool { return !slices.Contains(x.keys, avoid) }
