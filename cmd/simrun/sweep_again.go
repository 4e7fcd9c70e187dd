package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// reportSweep shows a sweep again and draws its text and figures anew. What cannot be read is reported, and
// no error.
func (a *app) reportSweep(ctx context.Context, f *reportFlags, dir string, another bool) error {
	draw := a.redrawSweep
	if !report.IsSweep(dir) {
		draw = a.drawUnfinished
	}
	s, err := draw(ctx, f, dir)
	if err != nil {
		a.fail(err)
		return nil
	}
	if f.json {
		data, err := report.SweepJSON(s)
		if err == nil {
			a.document(data, f.lines)
		}
		return err
	}
	if another {
		a.stdout.print("\n")
	}
	return a.showSweep(s, nil, formatText)
}

// redrawSweep draws a sweep anew that has all its cells, where it is or elsewhere.
func (a *app) redrawSweep(_ context.Context, f *reportFlags, dir string) (*result.Sweep, error) {
	s, err := report.LoadSweep(dir)
	if err != nil {
		return nil, err
	}
	files := report.SweepFiles{Plots: f.plots.formats, HTML: f.html}
	if files.Manifest, err = manifestOf(dir); err != nil {
		return nil, err
	}
	if f.out == "" {
		written, err := report.RerenderSweep(dir, s, files)
		return s, a.rerendered(dir, written, err)
	}
	to := report.SweepPath(f.out, s.Scenario, s.Variant, s.Key)
	files.Manifest.Host.ResultsPath = to
	status, err := report.CopySweep(dir, to, s, files)
	if err == nil {
		a.say("%s %s\n", status, to)
	}
	return s, err
}

// drawUnfinished draws what there is of a sweep that lacks cells, where it is or elsewhere.
func (a *app) drawUnfinished(ctx context.Context, f *reportFlags, dir string) (*result.Sweep, error) {
	s := &sweeping{app: a, flags: &sweepFlags{out: f.out}}
	if err := s.planned(ctx, dir); err != nil {
		return nil, err
	}
	cells, header, err := s.storedCells(dir)
	if err != nil {
		return nil, err
	}
	swept, files, err := s.result(cells)
	if err != nil {
		return nil, err
	}
	files.Cells = sweep.Encode(header, cells)
	files.Plots, files.HTML = f.plots.formats, f.html
	if f.out == "" {
		written, err := report.RerenderSweep(dir, swept, files)
		return swept, a.rerendered(dir, written, err)
	}
	if err := report.CopyUnfinishedSweep(s.dir, swept, files); err != nil {
		return nil, err
	}
	a.say("wrote %s\n", store.PartialPath(s.dir))
	return swept, nil
}

// storedCells are the cells that the journal in a directory holds, with the header that it has, whichever
// binary wrote it: what it made is compared, and drawn as it is.
func (s *sweeping) storedCells(dir string) ([]sweep.Cell, *sweep.Header, error) {
	path := filepath.Join(dir, report.CellsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, &store.IOError{Err: err}
	}
	header, err := sweep.ReadHeader(path, data)
	if err != nil {
		return nil, nil, journalError(err, dir)
	}
	want := s.header()
	want.Simrun = header.Simrun
	cells, _, err := sweep.Read(path, data, want)
	if err != nil {
		return nil, nil, journalError(err, dir)
	}
	want.Sort(cells)
	return cells, want, nil
}

// unfinishedSweep is the directory of a sweep that lacks cells, if a name is that of one: its own, or the one
// that it will have in the end.
func unfinishedSweep(dir string) (string, bool) {
	for _, d := range []string{dir, store.PartialPath(dir)} {
		if store.Has(d, report.PlanFile) && !store.Has(d, store.ManifestFile) {
			return d, true
		}
		if store.Has(d, store.ManifestFile) {
			break
		}
	}
	return "", false
}

// verifiedCells is how many cells of a sweep are run again.
const verifiedCells = 20

// withoutSweeps verifies the sweeps among some directories and returns the others.
func (a *app) withoutSweeps(ctx context.Context, dirs []string, workers int) []string {
	var others []string
	for _, dir := range dirs {
		if !report.IsSweep(dir) {
			others = append(others, dir)
			continue
		}
		if err := a.verifySweep(ctx, dir, workers); err != nil {
			a.fail(err)
		}
	}
	return others
}

// verifySweep runs some cells of a sweep again and holds all its files against what its cells say.
func (a *app) verifySweep(ctx context.Context, dir string, workers int) error {
	m, err := manifestOf(dir)
	if err != nil {
		return err
	}
	s := &sweeping{app: a, flags: &sweepFlags{jobs: workers}}
	if err := s.planned(ctx, dir); err != nil {
		return err
	}
	cells, header, err := s.storedCells(dir)
	switch {
	case err != nil:
		return err
	case len(cells) < s.points.Cells():
		return &store.IOError{Err: fmt.Errorf("%s has %d of %s", filepath.Join(dir, report.CellsFile),
			len(cells), plural(s.points.Cells(), "cell"))}
	}
	differ, made, err := s.again(ctx, cells)
	if err != nil {
		return err
	}
	swept, files, err := s.result(cells)
	if err != nil {
		return err
	}
	files.Cells = sweep.Encode(header, cells)
	files.Manifest = m
	var drawn report.Files
	drawn.Wanted(dir)
	files.Plots, files.HTML = drawn.Plots, drawn.HTML
	names, compared, err := report.VerifySweep(dir, swept, files)
	if err != nil {
		return err
	}
	for _, d := range names {
		differ = append(differ, d.String())
	}
	if len(differ) > 0 {
		a.codes = append(a.codes, exitIrreproduced)
		a.line("DIFFERS   %s  %s", dir, strings.Join(differ, ", "))
		if was, is := buildText(m.Simrun), buildText(build()); was != is {
			a.say("simrun: %s: it was made by %s, this is %s\n", dir, was, is)
		}
		return nil
	}
	a.line("same      %s  digest %s, %d of %s run again, %d files", dir, m.Digest, made,
		plural(len(cells), "cell"), compared)
	return nil
}

// again runs some cells again, evenly spread, and names those that come out otherwise.
func (s *sweeping) again(ctx context.Context, cells []sweep.Cell) (differ []string, made int, err error) {
	n := min(verifiedCells, len(cells))
	var jobs []experiment.Job
	chosen := make([]sweep.Cell, n)
	words := make([]string, n)
	for i := range n {
		c := cells[i*len(cells)/n]
		chosen[i] = c
		jobs = append(jobs, experiment.Job{
			Load: func() (*scenarios.Scenario, error) {
				sc, err := s.points.Load(c.Point)
				if err != nil {
					return nil, err
				}
				return sc.WithSeed(c.Seed), nil
			},
			Options: experiment.Options{Progress: func(experiment.Progress) {}},
			Keep: func(run *result.Run) {
				if run.Complete {
					words[i] = s.held(run, &c)
				}
				*run = result.Run{Complete: run.Complete}
			},
		})
	}
	err = s.env.RunAll(ctx, jobs, s.flags.jobs, func(_ int, run *result.Run) error {
		if !run.Complete {
			return errInterrupted
		}
		made++
		return nil
	})
	if err == nil && made < n {
		err = errInterrupted
	}
	for _, w := range words {
		if w != "" {
			differ = append(differ, w)
		}
	}
	return differ, made, err
}

// held holds a run against its cell; empty if it is the same.
func (s *sweeping) held(run *result.Run, c *sweep.Cell) string {
	now := s.cell(c.Point, run)
	h := s.header()
	if bytes.Equal(sweep.Encode(h, []sweep.Cell{now}), sweep.Encode(h, []sweep.Cell{*c})) {
		return ""
	}
	if run.Digest != c.Digest {
		return fmt.Sprintf("point %d seed %d (digest %s, made again %s)", c.Point, c.Seed, c.Digest, run.Digest)
	}
	return fmt.Sprintf("point %d seed %d (values)", c.Point, c.Seed)
}
