package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"simrun/internal/result"
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
	Beside       []BesideFile
	// Source are the scenario's file as its author wrote it and what it reads, below SourceDir.
	Source []BesideFile
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
// PartialPath(dir) while it ran goes away.
func SaveSweep(dir string, s *result.Sweep, f SweepFiles, force bool) (Status, error) {
	dir = behindLink(filepath.Clean(dir))
	files, err := renderSweep(s, &f)
	if err != nil {
		return 0, err
	}
	return saveMany(dir, files, s.Digest, true, force)
}

// renderSweep makes all files in memory; the manifest, which knows the others, comes first.
func renderSweep(s *result.Sweep, f *SweepFiles) ([]file, error) {
	stored, err := storedSweep(s, f)
	if err != nil {
		return nil, err
	}
	drawn, err := drawnSweep(s, f)
	if err != nil {
		return nil, err
	}
	manifest, err := JSON(sweptManifest(f, s, stored))
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", ManifestFile, err)
	}
	return slices.Concat([]file{{ManifestFile, manifest}}, stored, drawn), nil
}

// CopySweep writes the complete sweep of a directory, which [LoadSweep] read, into another one: what it is
// stored in as it is, and what is drawn from it anew.
func CopySweep(from, dir string, s *result.Sweep, f SweepFiles) (Status, error) {
	dir = behindLink(filepath.Clean(dir))
	var files []file
	for _, x := range f.Manifest.Stored {
		data, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(x.Path)))
		if err != nil {
			return 0, &IOError{err}
		}
		files = append(files, file{x.Path, data})
	}
	drawn, err := drawnSweep(s, &f)
	if err != nil {
		return 0, err
	}
	manifest, err := JSON(f.Manifest)
	if err != nil {
		return 0, fmt.Errorf("report: %s: %w", ManifestFile, err)
	}
	files = slices.Concat([]file{{ManifestFile, manifest}}, files, drawn)
	staged, err := OpenStage(dir)
	if err != nil {
		return 0, err
	}
	defer staged.Discard()
	if err := staged.write(files); err != nil {
		return 0, &IOError{err}
	}
	return settle(staged, dir, files, s.Digest, false)
}

// CopyUnfinishedSweep writes a sweep that lacks cells into PartialPath(dir), which must not exist: its
// journal, so that it can be gone on with there, and what is drawn of it.
func CopyUnfinishedSweep(dir string, s *result.Sweep, f SweepFiles) error {
	drawn, err := drawnSweep(s, &f)
	if err != nil {
		return err
	}
	staged, err := OpenStage(behindLink(filepath.Clean(dir)))
	if err != nil {
		return err
	}
	defer staged.Discard()
	if err := staged.write(slices.Concat(f.planned(), drawn)); err != nil {
		return &IOError{err}
	}
	if err := os.Rename(staged.dir, PartialPath(dir)); err != nil {
		return &IOError{err}
	}
	return nil
}

// planned are the files that say what the sweep is of, and its journal.
func (f *SweepFiles) planned() []file {
	files := []file{{ScenarioFile, f.ScenarioTOML}, {PlanFile, f.Plan}, {CellsFile, f.Cells}}
	for _, b := range slices.Concat(f.Source, f.Beside) {
		files = append(files, file{b.Name, b.Data})
	}
	return files
}

// storedSweep are the files that are read again; the manifest has their hashes.
func storedSweep(s *result.Sweep, f *SweepFiles) ([]file, error) {
	files := f.planned()
	data, err := SweepJSON(s)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", SweepFile, err)
	}
	table, err := SweepCSV(s, f.CellDigests)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", SweepCSVFile, err)
	}
	return append(files, file{SweepFile, data}, file{SweepCSVFile, table}), nil
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

func drawnSweep(s *result.Sweep, f *SweepFiles) ([]file, error) {
	files, err := drawnFiles(sweptFiles, s, f)
	if err != nil || len(f.Plots) == 0 {
		return files, err
	}
	plots, err := plotFiles(SweepFigures(s), f.Plots)
	return append(files, plots...), err
}

// sweptManifest is the manifest of a sweep.
func sweptManifest(f *SweepFiles, s *result.Sweep, stored []file) result.Manifest {
	x := manyRuns{
		scenario: s.Scenario, key: s.Key, digest: s.Digest, complete: s.Complete, seeds: s.Seeds,
		durationNS: s.DurationNS, effective: f.ScenarioTOML,
	}
	return x.manifest(f.Manifest, stored)
}

// IsSweep says whether a directory has the results of a sweep.
func IsSweep(dir string) bool { return Has(dir, SweepFile) }

// LoadSweep reads a sweep, all that its text and figures show. Every stored file must be the one that was
// written: one that is missing, cut short, edited or of another sweep is named. Errors are *IOError.
func LoadSweep(dir string) (*result.Sweep, error) {
	s := new(result.Sweep)
	m, err := loadMany(dir, SweepFile, s)
	if err != nil {
		return nil, err
	}
	if m.Digest != s.Digest || m.Key != s.Key {
		return nil, &IOError{fmt.Errorf("%s is of another sweep (digest %q) than %s (%q)",
			filepath.Join(dir, SweepFile), s.Digest, ManifestFile, m.Digest)}
	}
	return s, nil
}

// RerenderSweep draws again what is drawn from the sweep in dir: its text and tables, the figures in f.Plots
// and the page. The names of the files that were written are returned. Errors of the file system are
// *IOError.
func RerenderSweep(dir string, s *result.Sweep, f SweepFiles) (written []string, err error) {
	files, err := drawnSweep(s, &f)
	if err != nil {
		return nil, err
	}
	return rewrite(dir, files)
}

// VerifySweep holds the files in dir against those of the same sweep made again, byte for byte, as [Compare]
// does with a run.
func VerifySweep(dir string, s *result.Sweep, f SweepFiles) (differ []Difference, compared int, err error) {
	f.Manifest.Host = result.Host{}
	files, err := renderSweep(s, &f)
	if err != nil {
		return nil, 0, err
	}
	return differencesIn(dir, files)
}
