package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"simrun/scenarios"
)

// families in the order of the page, with the names of their choices.
var families = []struct {
	family family
	name   string
}{{newest, "choice"}, {middle, "choice-52"}, {old, "choice-4"}}

// write makes the study and its files.
func write(ctx context.Context, dir string, jobs int) error {
	found := newSearch(jobs)
	if err := found.run(ctx); err != nil {
		return err
	}
	s := found.study()
	if err := s.report(ctx, jobs); err != nil {
		return err
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// file of the guide.
type file struct {
	name string
	data []byte
}

// files are the page, its numbers and its figures.
func (s *study) files() ([]file, error) {
	text, err := s.page()
	if err != nil {
		return nil, err
	}
	out := []file{{"tuning-guide.md", []byte(text)}, {"tuning-guide.csv", s.csv()}}
	for _, f := range s.figures {
		out = append(out, file{f.file, f.svg})
	}
	return out, nil
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
		out.held += len(t.entries) * len(t.seeds)
		out.tables = append(out.tables, t)
	}
	return out
}

// report makes the runs that are reported.
func (s *study) report(ctx context.Context, jobs int) error {
	for _, t := range s.tables {
		if err := t.fill(ctx, jobs); err != nil {
			return err
		}
	}
	var err error
	if s.gains, err = gains(ctx, jobs); err != nil {
		return err
	}
	s.figures, err = draw(ctx, jobs)
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
	t := &table{cell: s.cells[c], seeds: heldOut()}
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
	known := func(x int) (string, bool) {
		for _, e := range t.entries {
			if e.set.name == s.settings[x].name {
				return e.name, true
			}
		}
		return "", false
	}
	if _, ok := known(best); !ok {
		add(bestHere, s.settings[best])
	}
	t.entries = append(t.entries, t.extra...)
	for _, x := range front {
		name, _ := known(x)
		t.front = append(t.front, fronted{s.settings[x], s.medians(c, x), name})
	}
	return t
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
