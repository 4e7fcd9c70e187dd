package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// labelled are results under one label: the runs of one variant.
type labelled struct {
	label string
	// args are the directories as they were given, dirs those of the runs.
	args, dirs []string
	manifests  []result.Manifest
	members    []*ensemble.Member
}

// compareResults compares results that are there, paired by seed.
func (a *app) compareResults(ctx context.Context, f *compareFlags, args []string) error {
	list, err := labelResults(args)
	if err != nil {
		return err
	}
	for _, l := range list {
		if err := errors.Join(l.find(), l.check()); err != nil {
			return err
		}
	}
	var names []string
	for _, l := range list {
		names = append(names, l.label)
	}
	reference, err := f.referenceOf(names)
	if err != nil {
		return err
	}
	warnings, err := alike(list, reference)
	if err != nil {
		return err
	}
	for _, l := range list {
		if err := a.loadLabelled(ctx, l, f.seeds.seeds); err != nil {
			return err
		}
	}
	return a.pairResults(ctx, f, list, reference, warnings)
}

// pairResults compares runs that were read.
func (a *app) pairResults(
	ctx context.Context, f *compareFlags, list []*labelled, reference int, warnings []string,
) error {
	var of []*scenarios.Scenario
	for _, l := range list {
		sc, err := storedScenario(ctx, l.dirs[0], &l.manifests[0])
		if err != nil {
			return err
		}
		of = append(of, sc)
	}
	var inputs []ensemble.Input
	for i, l := range list {
		inputs = append(inputs, ensemble.Input{
			Name: l.label, Settings: scenarios.Differences(of[reference], of[i]), Members: l.members,
		})
	}
	rows, err := f.rowsOf(list[reference].members[0].Places())
	if err != nil {
		return err
	}
	c := ensemble.Compare(inputs, ensemble.Options{Reference: reference, Rows: rows, Asked: common(list)})
	if c == nil {
		return usagef("no seed is in all of them: %s", seedsOfAll(list))
	}
	c.Warnings = append(warnings, c.Warnings...)
	for _, w := range warnings {
		a.say("simrun: warning: %s\n", w)
	}
	files := report.CompareFiles{Plots: f.plots.formats, HTML: f.html, Manifest: list[reference].manifests[0]}
	files.Manifest.Simrun = build()
	files.Manifest.Variant, files.Manifest.Events = "", 0
	for i, l := range list {
		toml, err := os.ReadFile(filepath.Join(l.dirs[0], report.ScenarioFile))
		if err != nil {
			return &store.IOError{Err: err}
		}
		files.Variants = append(files.Variants, report.VariantFiles{
			ScenarioTOML: toml, Beside: besideFiles(of[i]),
		})
	}
	return a.keepComparison(f, c, c.Seeds, files, "run each variant with")
}

// labelResults takes arguments apart: LABEL=DIR, or a directory that is called by its variant or name.
func labelResults(args []string) ([]*labelled, error) {
	var list []*labelled
	own := map[string]bool{}
	for _, arg := range args {
		label, dir, given := strings.Cut(arg, "=")
		if isResults(arg) || !given {
			label, dir, given = defaultLabel(arg), arg, false
		}
		if !isLabel(label) {
			return nil, usagef("%q is no label: letters, digits and . _ + - are", label)
		}
		if report.IsComparison(dir) {
			return nil, usagef("%s is a comparison; it can be shown again by itself", dir)
		}
		i := slices.IndexFunc(list, func(l *labelled) bool { return l.label == label })
		switch {
		case i < 0:
			list = append(list, &labelled{label: label, args: []string{dir}})
		case given && own[label]:
			list[i].args = append(list[i].args, dir)
		default:
			return nil, usagef("%s and %s are both called %s; call them LABEL=DIR", list[i].args[0], dir, label)
		}
		own[label] = given
	}
	if len(list) < 2 {
		return nil, usagef("compare needs results of two or more variants, and %s is one", list[0].label)
	}
	return list, nil
}

// defaultLabel is what results are called that have no label: by their variant, else by the directory.
func defaultLabel(dir string) string {
	if m, err := store.LoadManifest(dir); err == nil && m.Variant != "" {
		return m.Variant
	}
	if at, err := filepath.EvalSymlinks(dir); err == nil {
		dir = at
	}
	if at, err := filepath.Abs(dir); err == nil {
		dir = at
	}
	return filepath.Base(dir)
}

// isLabel says whether a label can be the name of a directory.
func isLabel(label string) bool {
	const longest = 64
	return label != "" && len(label) <= longest && strings.Trim(label, ".") != "" &&
		!strings.ContainsFunc(label, func(r rune) bool {
			letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
			return !letter && ('0' > r || r > '9') && !strings.ContainsRune("._+-", r)
		})
}

// find finds the directories of the runs: a set stands for those of its seeds, and a directory that is none
// of results for the runs in it.
func (l *labelled) find() error {
	for _, dir := range l.args {
		runs, err := runsIn(dir)
		if err != nil {
			return err
		}
		for _, run := range runs {
			if slices.Contains(l.dirs, run) {
				continue
			}
			m, err := manifestOf(run)
			if err != nil {
				return err
			}
			l.dirs, l.manifests = append(l.dirs, run), append(l.manifests, m)
		}
	}
	return nil
}

func runsIn(dir string) ([]string, error) {
	if report.IsSeeds(dir) {
		return seedDirs(dir)
	}
	if store.Has(dir, store.ManifestFile) {
		return []string{filepath.Clean(dir)}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("%s: there is no such directory of results", dir)
		}
		return nil, &store.IOError{Err: err}
	}
	var runs []string
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		whole := e.IsDir() && !strings.Contains(e.Name(), ".partial")
		if whole && store.Has(at, report.SummaryFile) && store.Has(at, store.ManifestFile) {
			runs = append(runs, at)
		}
	}
	if len(runs) == 0 {
		_, err := manifestOf(dir) // says what there is instead
		return nil, err
	}
	return runs, nil
}

// check refuses runs under one label that are not of one variant, and a seed that is there twice.
func (l *labelled) check() error {
	for i := range l.manifests {
		for k := range i {
			if !sameButSeed(&l.manifests[k], &l.manifests[i]) {
				return usagef("%s: %s and %s are of different settings; name the runs of one variant, or its set of "+
					"seeds", l.label, l.dirs[k], l.dirs[i])
			}
			if l.manifests[k].Seed == l.manifests[i].Seed {
				return usagef("%s: seed %d is there twice, as %s and %s", l.label, l.manifests[i].Seed, l.dirs[k],
					l.dirs[i])
			}
		}
	}
	return nil
}

// alike refuses results of different scenarios, and warns where something else than the settings differs.
func alike(list []*labelled, reference int) (warnings []string, err error) {
	base := list[reference]
	of := &base.manifests[0]
	for _, l := range list {
		m := &l.manifests[0]
		if m.Scenario.Name != of.Scenario.Name {
			return nil, usagef("%s is of the scenario %s, %s of %s: their seeds are no pairs", l.label,
				m.Scenario.Name, base.label, of.Scenario.Name)
		}
		if m.Scenario.SourceSHA256 != of.Scenario.SourceSHA256 {
			warnings = append(warnings, fmt.Sprintf("%s and %s are of different files of %s: what differs is not "+
				"in the list of settings", l.label, base.label, m.Scenario.Name))
		}
		if text := buildText(m.Simrun); text != buildText(of.Simrun) {
			warnings = append(warnings, fmt.Sprintf("%s was made by %s, %s by %s", l.label, text, base.label,
				buildText(of.Simrun)))
		}
	}
	return warnings, nil
}

// loadLabelled reads the runs of a label, those with some seeds if any are given.
func (a *app) loadLabelled(ctx context.Context, l *labelled, seeds []uint64) error {
	for i, dir := range l.dirs {
		if ctx.Err() != nil {
			return errInterrupted
		}
		if len(seeds) > 0 && !slices.Contains(seeds, l.manifests[i].Seed) {
			continue
		}
		run, _, err := loadResults(dir)
		if err != nil {
			return err
		}
		if !run.Complete {
			a.say("simrun: warning: %s is of an interrupted run; it is left out\n", dir)
			continue
		}
		l.members = append(l.members, ensemble.Of(run))
	}
	slices.SortFunc(l.members, func(x, y *ensemble.Member) int {
		if x.Seed() < y.Seed() {
			return -1
		}
		return 1
	})
	if len(l.members) == 0 {
		return usagef("%s has no run that came to its end%s", l.label, ofSeeds(seeds))
	}
	return nil
}

func ofSeeds(seeds []uint64) string {
	if len(seeds) == 0 {
		return ""
	}
	return " with one of the --seeds"
}

// common counts the seeds that every label has.
func common(list []*labelled) int {
	n := 0
	for _, m := range list[0].members {
		missing := slices.ContainsFunc(list, func(l *labelled) bool {
			return !slices.ContainsFunc(l.members, func(x *ensemble.Member) bool { return x.Seed() == m.Seed() })
		})
		if !missing {
			n++
		}
	}
	return n
}

// seedsOfAll says which seeds each label has.
func seedsOfAll(list []*labelled) string {
	var parts []string
	for _, l := range list {
		var seeds []uint64
		for _, m := range l.members {
			seeds = append(seeds, m.Seed())
		}
		parts = append(parts, l.label+" has "+report.SeedRanges(seeds))
	}
	return strings.Join(parts, ", ")
}
