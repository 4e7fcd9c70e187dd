package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// sweepSpec is plan.json: what simrun sweep was called with. With the scenario's files, which are kept beside
// it, it makes the same points again wherever the directory is.
type sweepSpec struct {
	Schema   int    `json:"schema"`
	Scenario string `json:"scenario"`
	// Ref is how the scenario was named: by its name, or by the path of its file.
	Ref string `json:"ref"`
	// Variant is that of the scenario that was swept, VariantFlags are the --variant flags.
	Variant      string        `json:"variant,omitempty"`
	VariantFlags []string      `json:"variant_flags,omitempty"`
	Params       []string      `json:"params"`
	Design       result.Design `json:"design"`
	Points       int           `json:"points,omitempty"`
	DesignSeed   uint64        `json:"design_seed,omitempty"`
	Seeds        []uint64      `json:"seeds"`
	Metrics      []string      `json:"metrics"`
	Front        []string      `json:"front,omitempty"`
	Require      []string      `json:"require,omitempty"`
	SkipInvalid  bool          `json:"skip_invalid,omitempty"`
	Overrides    []string      `json:"overrides,omitempty"`
	// Source is the file as its author wrote it.
	Source result.Source `json:"source"`
}

// plan makes the plan, of the flags or of a directory.
func (s *sweeping) plan(ctx context.Context, refs []string) error {
	f := s.flags
	if f.resume != "" {
		return s.resumed(ctx)
	}
	s.spec = sweepSpec{
		Schema: result.Schema, Ref: refs[0], Params: f.params.setValue, Design: result.Design(f.design),
		Seeds: f.seeds.seeds, SkipInvalid: f.skipInvalid, Overrides: f.set, VariantFlags: f.variants,
		Front: f.front, Require: f.require,
	}
	if s.spec.Design != result.DesignGrid {
		s.spec.Points, s.spec.DesignSeed = f.points, f.designSeed
	}
	return s.expand(ctx, refs[0], f.metrics)
}

// expand turns the spec into points and rows.
func (s *sweeping) expand(ctx context.Context, ref string, metrics []string) error {
	s.flags.noExpect = true // a cell has values, no verdict
	base, err := load(ctx, ref, &s.flags.loadFlags)
	if err != nil {
		return err
	}
	s.source = base
	if s.spec.Scenario == "" {
		s.spec.Scenario, s.spec.Variant = base.Name, base.Variant
		s.spec.Source = result.Source{
			Name: base.Name, SourceSHA256: sha256Hex(base.text), Shipped: base.Path == "",
		}
	}
	if err := s.addRows(metrics); err != nil {
		return err
	}
	s.points, err = sweep.New(sweep.Options{
		Load: s.loader(ctx, ref), Loaded: s.loadedPoints(),
		Params: s.spec.Params, Design: s.spec.Design, Points: s.spec.Points, Seed: s.spec.DesignSeed,
		Seeds: s.spec.Seeds, Metrics: s.spec.Metrics, SkipInvalid: s.spec.SkipInvalid, Weigh: messagesOf,
	})
	if err != nil {
		return err
	}
	s.dir = report.SweepPath(s.flags.out, s.spec.Scenario, s.spec.Variant, s.points.Key[:8])
	return nil
}

// loadedPoints says now and then how many points are loaded, if that takes long.
func (s *sweeping) loadedPoints() func(done, all int) {
	const every = 2 * time.Second
	last := s.env.Now()
	return func(done, all int) {
		if now := s.env.Now(); now.Sub(last) >= every && done < all {
			last = now
			s.say("%d of %s checked\n", done, plural(all, "point"))
		}
	}
}

// loader loads the scenario as its points have it. Each file is read once.
func (s *sweeping) loader(
	ctx context.Context, ref string,
) func(set, from []string) (*scenarios.Scenario, error) {
	s.read = map[string][]byte{}
	cached := func(reads func(string) ([]byte, error)) func(string) ([]byte, error) {
		return func(name string) ([]byte, error) {
			s.reading.Lock()
			defer s.reading.Unlock()
			if data, ok := s.read[name]; ok {
				return data, nil
			}
			data, err := reads(name)
			if err == nil {
				s.read[name] = data
			}
			return data, err
		}
	}
	opt := s.flags.options()
	opt.ReadFile, opt.ReadBeside = cached(scenarios.ReadScenario), cached(opt.ReadBeside)
	return func(set, from []string) (*scenarios.Scenario, error) {
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		o := opt
		o.Over, o.OverFrom, o.Base = set, from, s.source.Scenario
		list, err := scenarios.LoadNamed(ref, o)
		if err != nil {
			return nil, err
		}
		plain := *list[0]
		plain.Name = s.spec.Scenario
		return &plain, nil
	}
}

// messagesOf is about how many messages a run of a scenario schedules, 0 if its load says nothing of it.
func messagesOf(sc *scenarios.Scenario) float64 {
	n := 0.0
	for i := range sc.Config.Producers {
		n += sc.Config.Producers[i].Rate * sc.Config.Duration.Seconds()
	}
	return n
}

// sourcePath is where the file of a scenario is kept, below the directory of a sweep.
func sourcePath(scenario string) string { return report.SourceDir + "/" + scenario + ".toml" }

// sourceFiles are the scenario's file as its author wrote it, and those beside it that any point reads. What
// the effective scenario says would not do: it has values that another release of a client refuses.
func (s *sweeping) sourceFiles() []store.File {
	list := []store.File{{Path: sourcePath(s.spec.Scenario), Data: s.source.text}}
	dir := filepath.Dir(s.source.ref)
	for name, data := range s.read {
		beside, err := filepath.Rel(dir, name)
		if err == nil && name != s.source.ref {
			list = append(list, store.File{
				Path: report.SourceDir + "/" + filepath.ToSlash(beside), Data: data,
			})
		}
	}
	slices.SortFunc(list, func(a, b store.File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// resumed makes the plan of what a directory says.
func (s *sweeping) resumed(ctx context.Context) error {
	dir := filepath.Clean(s.flags.resume)
	at := dir
	if _, err := os.Stat(filepath.Join(at, report.PlanFile)); errors.Is(err, fs.ErrNotExist) {
		at = store.PartialPath(dir)
	}
	if err := s.planned(ctx, at); err != nil {
		return err
	}
	// It goes where it is.
	s.dir = strings.TrimSuffix(at, store.PartialSuffix)
	return nil
}

// planned makes the plan that a directory has.
func (s *sweeping) planned(ctx context.Context, dir string) (err error) {
	if s.spec, err = readSpec(dir); err != nil {
		return err
	}
	s.flags.set, s.flags.variants, s.flags.front = s.spec.Overrides, s.spec.VariantFlags, s.spec.Front
	source := filepath.Join(dir, filepath.FromSlash(sourcePath(s.spec.Scenario)))
	if _, err := os.Stat(source); errors.Is(err, fs.ErrNotExist) {
		return &store.IOError{Err: fmt.Errorf("%s is not there: the directory is damaged, or an older simrun "+
			"made it; sweep again with --force", source)}
	}
	return s.expand(ctx, source, s.spec.Metrics)
}

// readSpec reads the plan.json of a directory.
func readSpec(dir string) (spec sweepSpec, err error) {
	path := filepath.Join(dir, report.PlanFile)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return spec, usagef("%s is no directory of a sweep: it has no %s", dir, report.PlanFile)
	case err != nil:
		return spec, &store.IOError{Err: err}
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		return spec, &store.IOError{Err: fmt.Errorf("%s is damaged: %w", path, err)}
	}
	if spec.Schema != result.Schema {
		return spec, &store.IOError{Err: fmt.Errorf("%s: its schema is %d, this simrun writes %d", path,
			spec.Schema, result.Schema)}
	}
	return spec, nil
}
