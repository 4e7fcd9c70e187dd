package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// make runs what is missing of the sweep, keeps it and shows it.
func (s *sweeping) make(ctx context.Context) error {
	began := s.env.Now()
	partial := store.PartialPath(s.dir)
	if s.flags.force {
		if err := s.setAside(s.dir, partial); err != nil {
			return err
		}
	}
	cells, err := s.finishedBefore()
	switch {
	case err != nil:
		return err
	case cells == nil:
		if cells, err = s.runMissing(ctx, partial); err != nil {
			return err
		}
	default:
		s.say("%s: %s\n", s.name(), s.size(len(cells)))
	}
	if missing := s.points.Cells() - len(cells); missing > 0 {
		s.codes = append(s.codes, exitInterrupted)
		s.say("kept %d of %s in %s\nnext: simrun sweep --resume %s   # or the same command again\n"+
			"      simrun report %s   # shows what is there\n", len(cells),
			plural(s.points.Cells(), "cell"), partial, shellQuote(partial), shellQuote(partial))
		return nil
	}
	return s.finish(cells, began)
}

// setAside renames what is there out of the way: to DIR.old, DIR.old-2 and so on.
func (s *sweeping) setAside(dirs ...string) error {
	for _, dir := range dirs {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		to := s.dir + ".old"
		for n := 2; ; n++ {
			if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
				break
			}
			to = fmt.Sprintf("%s.old-%d", s.dir, n)
		}
		if err := os.Rename(dir, to); err != nil {
			return &store.IOError{Err: err}
		}
		s.say("kept %s as %s\n", dir, to)
	}
	return nil
}

// finishedBefore are the cells of a sweep that is there, whole; nil if there is none.
func (s *sweeping) finishedBefore() ([]sweep.Cell, error) {
	path := filepath.Join(s.dir, report.CellsFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &store.IOError{Err: err}
	}
	cells, good, err := sweep.Read(path, data, s.header())
	if err == nil && (good < len(data) || len(cells) < s.points.Cells()) {
		err = &sweep.Damage{
			File: path, Line: bytes.Count(data[:good], []byte("\n")) + 1,
			Why: fmt.Sprintf("the file ends after %d of %s", len(cells), plural(s.points.Cells(), "cell")),
		}
	}
	if err != nil {
		return nil, journalError(err, s.dir)
	}
	return cells, nil
}

// runMissing goes on with the journal in a directory, or begins one.
func (s *sweeping) runMissing(ctx context.Context, partial string) (cells []sweep.Cell, err error) {
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return nil, &store.IOError{Err: err}
	}
	journal, err := sweep.Open(filepath.Join(partial, report.CellsFile), s.header(), s.env.Now)
	if err != nil {
		return nil, journalError(err, s.dir)
	}
	// Only who has the journal writes beside it.
	if err := s.describe(partial); err != nil {
		return nil, &store.IOError{Err: errors.Join(err, journal.Close())}
	}
	if journal.Torn > 0 {
		s.console.errorf("%s:%d: the last line was torn; its cell is run again",
			filepath.Join(partial, report.CellsFile), journal.Torn)
	}
	s.say("%s: %s\n", s.name(), s.size(len(journal.Cells)))
	if len(journal.Cells) < s.points.Cells() {
		s.say("%s\n", s.guess(ctx, journal.Cells))
	}
	cells, err = s.simulate(ctx, journal)
	if closed := journal.Close(); err == nil && closed != nil {
		err = &store.IOError{Err: closed}
	}
	return cells, err
}

// describe writes what the sweep is of beside its journal, for --resume and for a report.
func (s *sweeping) describe(dir string) error {
	files, err := s.description()
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Path))
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, f.Data) {
			continue
		}
		write := func(w io.Writer) error {
			_, err := w.Write(f.Data)
			return err
		}
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o755), store.WriteFile(path, write))
	}
	return errors.Join(errs...)
}

// description are the files that say what a sweep is of.
func (s *sweeping) description() ([]store.File, error) {
	plan, err := result.JSON(s.spec)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]store.File{
		{Path: report.PlanFile, Data: plan}, {Path: report.ScenarioFile, Data: s.source.Effective()},
	}, s.sourceFiles(), besideFiles(s.source.Scenario)), nil
}

// finish saves and shows a sweep that has all its cells.
func (s *sweeping) finish(cells []sweep.Cell, began time.Time) error {
	swept, files, err := s.result(cells)
	if err != nil {
		return err
	}
	files.Plots, files.HTML = s.flags.plots.formats, s.flags.html
	files.Manifest.Host = result.Host{
		ScenarioPath: s.spec.Ref, ResultsPath: s.dir, StartedAt: began.UTC().Format(time.RFC3339),
		WallNS: int64(s.env.Now().Sub(began)), CPUs: s.env.CPUs, Jobs: s.flags.jobs,
	}
	status, saveErr := report.SaveSweep(s.dir, swept, files, false)
	if err := s.show(swept, files.CellDigests); err != nil {
		return err
	}
	if saveErr != nil {
		s.console.print(conflictHelp(saveErr))
		if partial := store.PartialPath(s.dir); store.Has(partial, report.CellsFile) {
			s.say("all cells are kept in %s; the same command makes the files again\n", partial)
		}
		return saveErr
	}
	s.say("%s %s\n", status, s.dir)
	return nil
}

// result is what the cells say together, and the files besides.
func (s *sweeping) result(cells []sweep.Cell) (*result.Sweep, report.SweepFiles, error) {
	h, p := s.header(), s.points
	h.Sort(cells)
	plan, err := result.JSON(s.spec)
	if err != nil {
		return nil, report.SweepFiles{}, err
	}
	files := report.SweepFiles{
		Manifest: result.Manifest{
			Simrun: build(), Scenario: s.spec.Source, Variant: s.spec.Variant,
			VariantFlags: s.flags.flagsOf(s.source.variantName()), Overrides: s.spec.Overrides,
		},
		ScenarioTOML: s.source.Effective(), Beside: besideFiles(s.source.Scenario), Plan: plan,
		Source: s.sourceFiles(), Cells: sweep.Encode(h, cells),
	}
	var rows []ensemble.SweepRow
	rows, files.CellDigests = s.values(cells)
	digest := sha256.New()
	for _, c := range cells {
		digest.Write([]byte(c.Digest + "\n"))
	}
	swept := &result.Sweep{
		Schema: result.Schema, Scenario: s.spec.Scenario, Variant: s.spec.Variant, Story: s.source.Story,
		Key: p.Key[:8], Digest: hex.EncodeToString(digest.Sum(nil))[:16],
		Complete: len(cells) == p.Cells(), Runs: len(cells),
		DurationNS: int64(p.Base.Config.Duration), Design: p.Design, Axes: p.Axes, Seeds: p.Seeds,
		Overrides: s.spec.Overrides, Points: p.Points, Default: p.Default,
		Requirements: s.needs,
	}
	if !s.spec.Source.Shipped {
		swept.Ref = s.spec.Ref
	}
	if s.source.VariantStory != "" {
		swept.Story = s.source.VariantStory
	}
	swept.VariantSet, swept.Variants = s.variantSet(), len(s.source.Variants)
	if p.Skipped > 0 {
		swept.Warnings = append(swept.Warnings, plural(p.Skipped, "point")+" that the scenario refuses left out")
	}
	return ensemble.Sweep(swept, rows, s.front), files, nil
}

// values are what the cells hold, by row, point and seed, and the digests of their runs: NaN and nothing
// where there is no cell.
func (s *sweeping) values(cells []sweep.Cell) (rows []ensemble.SweepRow, digests [][]string) {
	p := s.points
	at := map[uint64]int{}
	for i, seed := range p.Seeds {
		at[seed] = i
	}
	for _, r := range s.rows {
		rows = append(rows, ensemble.SweepRow{Row: r, Values: make([][]float64, len(p.Points))})
	}
	digests = make([][]string, len(p.Points))
	for i := range p.Points {
		digests[i] = make([]string, len(p.Seeds))
		for k := range rows {
			rows[k].Values[i] = slices.Repeat([]float64{math.NaN()}, len(p.Seeds))
		}
	}
	for _, c := range cells {
		for k, v := range c.Values {
			rows[k].Values[c.Point][at[c.Seed]] = float64(v)
		}
		digests[c.Point][at[c.Seed]] = c.Digest
	}
	return rows, digests
}

// variantSet are --set flags that make the scenario what its variant is, for a command that takes no variant
// of a variant; none if no flags do.
func (s *sweeping) variantSet() []string {
	if s.source.Variant == "" {
		return nil
	}
	set := []string{}
	for _, d := range s.source.Differs {
		set = append(set, d.Path+"="+d.Text)
	}
	opt := scenarios.Options{
		Set:      slices.Concat(s.flags.set, set),
		ReadFile: func(string) ([]byte, error) { return s.source.text, nil }, ReadBeside: scenarios.ReadRegular,
	}
	if sc, err := scenarios.Load(s.source.ref, opt); err != nil || sc.Key() != s.source.Key() {
		return nil
	}
	return set
}

// showSweep writes a sweep to stdout.
func (a *app) showSweep(s *result.Sweep, digests [][]string, format string) error {
	data, err := a.sweepAs(format, s, digests)
	if err == nil {
		a.console.data(func() { a.stdout.print(string(data)) })
	}
	return err
}

// sweepAs is a sweep in one of the formats.
func (a *app) sweepAs(format string, s *result.Sweep, digests [][]string) ([]byte, error) {
	var b bytes.Buffer
	switch format {
	case formatJSON:
		return report.SweepJSON(s)
	case formatCSV:
		return report.SweepCSV(s, digests)
	case formatMarkdown:
		err := report.SweepMarkdown(&b, s)
		return b.Bytes(), err
	}
	err := report.SweepText(&b, s, report.TextOptions{Width: a.env.width(), Color: a.env.colour(a.color)})
	return b.Bytes(), err
}

func (s *sweeping) show(swept *result.Sweep, digests [][]string) error {
	return s.showSweep(swept, digests, s.flags.format)
}
