package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report"
)

// make runs what is missing of the sweep, keeps it and shows it.
func (s *sweeping) make(ctx context.Context) error {
	began := s.env.Now()
	partial := report.PartialPath(s.dir)
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
		s.say("%s: %s\n", s.spec.Scenario, s.size(len(cells)))
	}
	if missing := s.points.Cells() - len(cells); missing > 0 {
		s.codes = append(s.codes, exitInterrupted)
		s.say("kept %d of %s in %s\nnext: simrun sweep --resume %s   # or the same command again\n", len(cells),
			plural(s.points.Cells(), "cell"), partial, shellQuote(partial))
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
			return &report.IOError{Err: err}
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
		return nil, &report.IOError{Err: err}
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
	if err := s.describe(partial); err != nil {
		return nil, &report.IOError{Err: err}
	}
	journal, err := sweep.Open(filepath.Join(partial, report.CellsFile), s.header(), s.env.Now)
	if err != nil {
		return nil, journalError(err, s.dir)
	}
	if journal.Torn > 0 {
		s.console.errorf("%s:%d: the last line was torn; its cell is run again",
			filepath.Join(partial, report.CellsFile), journal.Torn)
	}
	s.say("%s: %s\n%s\n", s.spec.Scenario, s.size(len(journal.Cells)), s.guess())
	cells, err = s.simulate(ctx, journal)
	if closed := journal.Close(); err == nil && closed != nil {
		err = &report.IOError{Err: closed}
	}
	return cells, err
}

// describe writes what the sweep is of beside its journal, for --resume.
func (s *sweeping) describe(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	plan, err := report.JSON(s.spec)
	if err != nil {
		return err
	}
	files := map[string][]byte{report.PlanFile: plan, report.ScenarioFile: s.source.Effective()}
	for _, b := range s.source.Beside {
		files[b.Name] = b.Data
	}
	var errs []error
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, data) {
			continue
		}
		write := func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o755), report.WriteFile(path, write))
	}
	return errors.Join(errs...)
}

// resumed makes the plan of what a directory says.
func (s *sweeping) resumed(ctx context.Context) error {
	dir := filepath.Clean(s.flags.resume)
	at := dir
	if _, err := os.Stat(filepath.Join(at, report.PlanFile)); errors.Is(err, fs.ErrNotExist) {
		at = report.PartialPath(dir)
	}
	spec, err := readSpec(at)
	if err != nil {
		return err
	}
	s.spec, s.flags.set = spec, nil
	s.flags.front = spec.Front
	if err := s.expand(ctx, filepath.Join(at, report.ScenarioFile), spec.Metrics); err != nil {
		return err
	}
	// It goes where it is, whatever -o says.
	s.dir = strings.TrimSuffix(at, report.PartialSuffix)
	return nil
}

// readSpec reads the plan.json of a directory.
func readSpec(dir string) (spec sweepSpec, err error) {
	path := filepath.Join(dir, report.PlanFile)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return spec, usagef("%s is no directory of a sweep: it has no %s", dir, report.PlanFile)
	case err != nil:
		return spec, &report.IOError{Err: err}
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		return spec, &report.IOError{Err: fmt.Errorf("%s is damaged: %w", path, err)}
	}
	if spec.Schema != result.Schema {
		return spec, &report.IOError{Err: fmt.Errorf("%s: its schema is %d, this simrun writes %d", path,
			spec.Schema, result.Schema)}
	}
	return spec, nil
}

// finish saves and shows a sweep that has all its cells.
func (s *sweeping) finish(cells []sweep.Cell, began time.Time) error {
	swept, files, err := s.result(cells)
	if err != nil {
		return err
	}
	files.Plots, files.HTML = s.flags.plots.formats, s.flags.html
	files.Manifest.Host = result.Host{
		ScenarioPath: s.source.ref, ResultsPath: s.dir, StartedAt: began.UTC().Format(time.RFC3339),
		WallNS: int64(s.env.Now().Sub(began)), CPUs: s.env.CPUs, Jobs: s.flags.jobs,
	}
	status, saveErr := report.SaveSweep(s.dir, swept, files, false)
	if err := s.show(swept, files.CellDigests); err != nil {
		return err
	}
	if saveErr != nil {
		s.console.print(conflictHelp(saveErr))
		return saveErr
	}
	s.say("%s %s\n", status, s.dir)
	return nil
}

// result is what the cells say together, and the files besides.
func (s *sweeping) result(cells []sweep.Cell) (*result.Sweep, report.SweepFiles, error) {
	h, p := s.header(), s.points
	h.Sort(cells)
	plan, err := report.JSON(s.spec)
	if err != nil {
		return nil, report.SweepFiles{}, err
	}
	files := report.SweepFiles{
		Manifest:     result.Manifest{Simrun: build(), Scenario: s.spec.Source, Overrides: s.spec.Overrides},
		ScenarioTOML: s.source.Effective(), Beside: besideFiles(s.source.Scenario), Plan: plan,
		Cells: sweep.Encode(h, cells),
	}
	rows := make([]ensemble.SweepRow, len(s.rows))
	for i, r := range s.rows {
		rows[i] = ensemble.SweepRow{Row: r, Values: make([][]float64, len(p.Points))}
	}
	digest := sha256.New()
	files.CellDigests = make([][]string, len(p.Points))
	for _, c := range cells {
		for i, v := range c.Values {
			rows[i].Values[c.Point] = append(rows[i].Values[c.Point], float64(v))
		}
		files.CellDigests[c.Point] = append(files.CellDigests[c.Point], c.Digest)
		digest.Write([]byte(c.Digest + "\n"))
	}
	swept := &result.Sweep{
		Schema: result.Schema, Scenario: s.spec.Scenario, Story: s.source.Story, Key: p.Key[:8],
		Digest: hex.EncodeToString(digest.Sum(nil))[:16], Complete: true,
		DurationNS: int64(p.Base.Config.Duration), Design: p.Design, Axes: p.Axes, Seeds: p.Seeds,
		Overrides: s.spec.Overrides, Points: p.Points, Default: p.Default,
	}
	if p.Skipped > 0 {
		swept.Warnings = append(swept.Warnings, plural(p.Skipped, "point")+" that the scenario refuses left out")
	}
	return ensemble.Sweep(swept, rows, s.front), files, nil
}

// show writes the sweep to stdout.
func (a *app) showSweep(s *result.Sweep, digests [][]string, format string) error {
	var b bytes.Buffer
	var err error
	switch format {
	case formatJSON, formatCSV:
		var data []byte
		if data, err = report.SweepJSON(s); format == formatCSV {
			data, err = report.SweepCSV(s, digests)
		}
		b.Write(data)
	case formatMarkdown:
		err = report.SweepMarkdown(&b, s)
	default:
		err = report.SweepText(&b, s, report.TextOptions{Width: a.env.width(), Color: a.env.colour(a.color)})
	}
	if err == nil {
		a.console.data(func() { a.stdout.print(b.String()) })
	}
	return err
}

func (s *sweeping) show(swept *result.Sweep, digests [][]string) error {
	return s.showSweep(swept, digests, s.flags.format)
}
