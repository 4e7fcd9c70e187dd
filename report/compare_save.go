package report

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"simrun/internal/result"
	"simrun/report/store"
)

// Names of the files in the directory of a comparison.
const (
	CompareFile         = "comparison.json"
	CompareTextFile     = "comparison.txt"
	CompareMarkdownFile = "comparison.md"
	CompareCSVFile      = "comparison.csv"
	DifferencesFile     = "differences.csv"
	VariantsDir         = "variants"
)

// CompareFiles is what [SaveComparison] needs besides the comparison.
type CompareFiles struct {
	// Manifest says who made it. What the comparison and the scenarios know is filled in.
	Manifest result.Manifest
	// Variants are in the order of those of the comparison.
	Variants []VariantFiles
	// Plots are the formats of figures: "svg", "png". None: no figures.
	Plots []string
	// HTML says that report.html is wanted.
	HTML bool
}

// VariantFiles are the effective scenario of a variant, with the seed of its file, and the files that it
// names.
type VariantFiles struct {
	ScenarioTOML []byte
	Beside       []store.File
}

// ComparePath is the directory for a comparison: root/scenario/compare-<list>-<key8>. The seeds are those
// that were asked for; a long list of them is told by their number.
func ComparePath(root string, c *result.Comparison, seeds []uint64) string {
	return filepath.Join(root, c.Scenario, "compare-"+seedsName(seeds)+"-"+c.Key)
}

// SeedRanges are seeds as they are asked for: "1..3,7".
func SeedRanges(seeds []uint64) string { return seedRanges(seeds) }

// seedsName is a list of seeds as a part of the name of a directory.
func seedsName(seeds []uint64) string {
	const longest = 40
	if list := seedRanges(seeds); len(list) <= longest {
		return list
	}
	return strconv.Itoa(len(seeds))
}

// VariantPath is where the directory of a comparison has the files of a variant.
func VariantPath(dir, name string) string { return filepath.Join(dir, VariantsDir, name) }

// SaveComparison writes a comparison into dir, all files or none, as [Save] does with a run: one that is not
// complete goes to store.PartialPath(dir).
func SaveComparison(dir string, c *result.Comparison, f CompareFiles, force bool) (store.Status, error) {
	files, err := renderComparison(c, &f)
	if err != nil {
		return 0, err
	}
	return store.Save(dir, store.Results{Files: files, Digest: c.Digest, Complete: c.Complete}, force)
}

// renderComparison makes all files in memory; the manifest, which knows the others, comes first.
func renderComparison(c *result.Comparison, f *CompareFiles) ([]store.File, error) {
	stored, err := storedComparison(c, f)
	if err != nil {
		return nil, err
	}
	drawn, err := drawnComparison(c, f)
	if err != nil {
		return nil, err
	}
	manifest, err := result.JSON(comparedManifest(f, c, stored))
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", store.ManifestFile, err)
	}
	return slices.Concat([]store.File{{Path: store.ManifestFile, Data: manifest}}, stored, drawn), nil
}

// storedComparison are the files that all others are drawn from.
func storedComparison(c *result.Comparison, f *CompareFiles) ([]store.File, error) {
	data, err := CompareJSON(c)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", CompareFile, err)
	}
	files := []store.File{{Path: CompareFile, Data: data}}
	for i, v := range c.Variants {
		at := path.Join(VariantsDir, v.Name)
		files = append(files, store.File{Path: path.Join(at, ScenarioFile), Data: f.Variants[i].ScenarioTOML})
		for _, b := range f.Variants[i].Beside {
			files = append(files, store.File{Path: path.Join(at, b.Path), Data: b.Data})
		}
		for _, x := range seedFiles {
			if x.path == SeedsTextFile {
				continue
			}
			data, err := x.render(v.Set)
			if err != nil {
				return nil, fmt.Errorf("report: %s: %w", path.Join(at, x.path), err)
			}
			files = append(files, store.File{Path: path.Join(at, x.path), Data: data})
		}
	}
	return files, nil
}

// comparedFiles are what is drawn from a comparison, but for the figures.
var comparedFiles = []drawnFile[result.Comparison, CompareFiles]{
	{CompareTextFile, func(c *result.Comparison, _ *CompareFiles) ([]byte, error) {
		var b bytes.Buffer
		err := CompareText(&b, c, TextOptions{})
		return b.Bytes(), err
	}},
	{CompareMarkdownFile, func(c *result.Comparison, _ *CompareFiles) ([]byte, error) {
		var b bytes.Buffer
		err := CompareMarkdown(&b, c)
		return b.Bytes(), err
	}},
	{CompareCSVFile, func(c *result.Comparison, _ *CompareFiles) ([]byte, error) { return CompareCSV(c) }},
	{DifferencesFile, func(c *result.Comparison, _ *CompareFiles) ([]byte, error) { return DifferencesCSV(c) }},
	{HTMLFile, compareHTML},
}

func drawnComparison(c *result.Comparison, f *CompareFiles) ([]store.File, error) {
	files, err := drawnFiles(comparedFiles, c, f)
	if err != nil || len(f.Plots) == 0 {
		return files, err
	}
	plots, err := plotFiles(CompareFigures(c), f.Plots)
	return append(files, plots...), err
}

// comparedManifest is the manifest of a comparison.
func comparedManifest(f *CompareFiles, c *result.Comparison, stored []store.File) result.Manifest {
	x := manyRuns{
		scenario: c.Scenario, key: c.Key, digest: c.Digest, complete: c.Complete, seeds: c.Seeds,
		durationNS: c.DurationNS, effective: f.Variants[c.Reference].ScenarioTOML,
	}
	return x.manifest(f.Manifest, stored)
}

// IsComparison says whether a directory has the results of a comparison.
func IsComparison(dir string) bool { return store.Has(dir, CompareFile) }

// LoadComparison reads a comparison, all that its text and figures show. Every file that is read must be the
// one that was written: one that is missing, cut short, edited or of another comparison is named. Errors are
// *store.IOError.
func LoadComparison(dir string) (*result.Comparison, error) {
	c := new(result.Comparison)
	m, err := store.LoadStored(dir, CompareFile, c)
	if err != nil {
		return nil, err
	}
	if m.Digest != c.Digest || m.Key != c.Key || m.Complete != c.Complete {
		return nil, &store.IOError{Err: fmt.Errorf("%s is of another comparison (digest %q) than %s (%q)",
			filepath.Join(dir, CompareFile), c.Digest, store.ManifestFile, m.Digest)}
	}
	for i := range c.Variants {
		v := &c.Variants[i]
		for _, x := range seedFiles {
			if x.read == nil {
				continue
			}
			if err := x.load(VariantPath(dir, v.Name), v.Set); err != nil {
				return nil, &store.IOError{Err: err}
			}
		}
	}
	return c, nil
}

// RerenderComparison draws again what is drawn from the comparison in dir: its text and tables, the figures
// in f.Plots and the page. The names of the files that were written are returned. Errors of the file system
// are *store.IOError.
func RerenderComparison(dir string, c *result.Comparison, f CompareFiles) (written []string, err error) {
	files, err := drawnComparison(c, &f)
	if err != nil {
		return nil, err
	}
	return store.Rewrite(dir, files)
}

// VerifyComparison holds the files in dir against those of the same comparison made again, byte for byte, as
// [Compare] does with a run.
func VerifyComparison(
	dir string, c *result.Comparison, f CompareFiles,
) (differ []store.Difference, compared int, err error) {
	f.Manifest.Host = result.Host{}
	files, err := renderComparison(c, &f)
	if err != nil {
		return nil, 0, err
	}
	return store.Differences(dir, files)
}
