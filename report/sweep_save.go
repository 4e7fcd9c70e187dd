package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"simrun/internal/result"
	"simrun/report/store"
)

// Names of the files in the directory of a sweep.
const (
	SweepFile         = "sweep.json"
	SweepTextFile     = "sweep.txt"
	SweepMarkdownFile = "sweep.md"
	SweepCSVFile      = "sweep.csv"
	PlanFile          = "plan.json"
	CellsFile         = "cells.ndjson"
	SourceDir         = "source"
)

// SweepFiles is what [SaveSweep] needs besides the sweep.
type SweepFiles struct {
	// Manifest says who made it. What the sweep and the scenario know is filled in.
	Manifest result.Manifest
	// ScenarioTOML is the effective scenario as it stands, Beside are the files that it names.
	ScenarioTOML []byte
	Beside       []store.File
	// Source are the scenario's file as its author wrote it and what it reads, below SourceDir.
	Source []store.File
	// Plan is plan.json, what was asked for; Cells is the journal, in the order of points and seeds.
	// CellDigests are those of the runs, by point and by seed.
	Plan, Cells []byte
	CellDigests [][]string
	// Plots are the formats of figures: "svg", "png". None: no figures.
	Plots []string
	// HTML says that report.html is wanted.
	HTML bool
}

// SweepPath is the directory for a sweep: root/scenario/[variant/]sweep-<key8>.
func SweepPath(root, scenario, variant, key string) string {
	return filepath.Join(root, scenario, variant, "sweep-"+key)
}

// SaveSweep writes a complete sweep into dir, all files or none, as [Save] does with a run. What was kept in
// store.PartialPath(dir) while it ran goes away.
func SaveSweep(dir string, s *result.Sweep, f SweepFiles, force bool) (store.Status, error) {
	files, err := renderSweep(s, &f)
	if err != nil {
		return 0, err
	}
	return store.Save(dir, store.Results{Files: files, Digest: s.Digest, Complete: true}, force)
}

// renderSweep makes all files in memory; the manifest, which knows the others, comes first.
func renderSweep(s *result.Sweep, f *SweepFiles) ([]store.File, error) {
	stored, err := storedSweep(s, f)
	if err != nil {
		return nil, err
	}
	drawn, err := drawnSweep(s, f)
	if err != nil {
		return nil, err
	}
	manifest, err := result.JSON(sweptManifest(f, s, stored))
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", store.ManifestFile, err)
	}
	return slices.Concat([]store.File{{Path: store.ManifestFile, Data: manifest}}, stored, drawn), nil
}

// CopySweep writes the complete sweep of a directory, which [LoadSweep] read, into another one: what it is
// stored in as it is, and what is drawn from it anew.
func CopySweep(from, dir string, s *result.Sweep, f SweepFiles) (store.Status, error) {
	var files []store.File
	for _, x := range f.Manifest.Stored {
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(x.Path)))
		if err != nil {
			return 0, &store.IOError{Err: err}
		}
		files = append(files, store.File{Path: x.Path, Data: data})
	}
	drawn, err := drawnSweep(s, &f)
	if err != nil {
		return 0, err
	}
	manifest, err := result.JSON(f.Manifest)
	if err != nil {
		return 0, fmt.Errorf("report: %s: %w", store.ManifestFile, err)
	}
	files = slices.Concat([]store.File{{Path: store.ManifestFile, Data: manifest}}, files, drawn)
	return store.Save(dir, store.Results{Files: files, Digest: s.Digest, Complete: true}, false)
}

// CopyUnfinishedSweep writes a sweep that lacks cells into store.PartialPath(dir), which must not exist: its
// journal, so that it can be gone on with there, and what is drawn of it.
func CopyUnfinishedSweep(dir string, s *result.Sweep, f SweepFiles) error {
	drawn, err := drawnSweep(s, &f)
	if err != nil {
		return err
	}
	return store.SaveNew(store.PartialPath(dir), slices.Concat(f.planned(), drawn))
}

// planned are the files that say what the sweep is of, and its journal.
func (f *SweepFiles) planned() []store.File {
	files := []store.File{
		{Path: ScenarioFile, Data: f.ScenarioTOML},
		{Path: PlanFile, Data: f.Plan},
		{Path: CellsFile, Data: f.Cells},
	}
	return slices.Concat(files, f.Source, f.Beside)
}

// storedSweep are the files that are read again; the manifest has their hashes.
func storedSweep(s *result.Sweep, f *SweepFiles) ([]store.File, error) {
	files := f.planned()
	data, err := SweepJSON(s)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", SweepFile, err)
	}
	table, err := SweepCSV(s, f.CellDigests)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", SweepCSVFile, err)
	}
	return append(files,
		store.File{Path: SweepFile, Data: data}, store.File{Path: SweepCSVFile, Data: table}), nil
}

// sweptFiles are what is drawn from a sweep, but for the figures.
var sweptFiles = []drawnFile[result.Sweep, SweepFiles]{
	{SweepTextFile, func(s *result.Sweep, _ *SweepFiles) ([]byte, error) {
		var b bytes.Buffer
		err := SweepText(&b, s, TextOptions{})
		return b.Bytes(), err
	}},
	{SweepMarkdownFile, func(s *result.Sweep, _ *SweepFiles) ([]byte, error) {
		var b bytes.Buffer
		err := SweepMarkdown(&b, s)
		return b.Bytes(), err
	}},
	{HTMLFile, func(s *result.Sweep, f *SweepFiles) ([]byte, error) {
		if !f.HTML {
			return nil, nil
		}
		return SweepHTML(s, f.Manifest)
	}},
}

func drawnSweep(s *result.Sweep, f *SweepFiles) ([]store.File, error) {
	files, err := drawnFiles(sweptFiles, s, f)
	if err != nil || len(f.Plots) == 0 {
		return files, err
	}
	plots, err := plotFiles(SweepFigures(s), f.Plots)
	return append(files, plots...), err
}

// sweptManifest is the manifest of a sweep.
func sweptManifest(f *SweepFiles, s *result.Sweep, stored []store.File) result.Manifest {
	x := manyRuns{
		scenario: s.Scenario, key: s.Key, digest: s.Digest, complete: s.Complete, seeds: s.Seeds,
		durationNS: s.DurationNS, effective: f.ScenarioTOML,
	}
	return x.manifest(f.Manifest, stored)
}

// IsSweep says whether a directory has the results of a sweep.
func IsSweep(dir string) bool { return store.Has(dir, SweepFile) }

// LoadSweep reads a sweep, all that its text and figures show. Every stored file must be the one that was
// written: one that is missing, cut short, edited or of another sweep is named. Errors are *store.IOError.
func LoadSweep(dir string) (*result.Sweep, error) {
	s := new(result.Sweep)
	m, err := store.LoadStored(dir, SweepFile, s)
	if err != nil {
		return nil, err
	}
	if m.Digest != s.Digest || m.Key != s.Key {
		return nil, &store.IOError{Err: fmt.Errorf("%s is of another sweep (digest %q) than %s (%q)",
			filepath.Join(dir, SweepFile), s.Digest, store.ManifestFile, m.Digest)}
	}
	return s, nil
}

// RerenderSweep draws again what is drawn from the sweep in dir: its text and tables, the figures in f.Plots
// and the page. The names of the files that were written are returned. Errors of the file system are
// *store.IOError.
func RerenderSweep(dir string, s *result.Sweep, f SweepFiles) (written []string, err error) {
	files, err := drawnSweep(s, &f)
	if err != nil {
		return nil, err
	}
	return store.Rewrite(dir, files)
}

// VerifySweep holds the files in dir against those of the same sweep made again, byte for byte, as [Compare]
// does with a run.
func VerifySweep(
	dir string, s *result.Sweep, f SweepFiles,
) (differ []store.Difference, compared int, err error) {
	f.Manifest.Host = result.Host{}
	files, err := renderSweep(s, &f)
	if err != nil {
		return nil, 0, err
	}
	return store.Differences(dir, files)
}
