package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"simrun/internal/result"
	"simrun/report/store"
)

// Names of the files in the directory of a set of seeds.
const (
	SeedsFile         = "seeds.json"
	SeedsTextFile     = "seeds.txt"
	SeedsTimelineFile = "timeline-seeds.csv"
	SeedsLatencyFile  = "latency-seeds.csv"
)

// SeedsPath is the directory for a set: root/scenario/[variant/]seeds-<list>-<key8>. A long list of seeds is
// told by their number.
func SeedsPath(root, variant string, set *result.SeedSet) string {
	seeds := make([]uint64, len(set.Runs))
	for i, r := range set.Runs {
		seeds[i] = r.Seed
	}
	return filepath.Join(root, set.Scenario, variant, "seeds-"+seedsName(seeds)+"-"+set.Key)
}

// seedFile is one of the files of a set. Those with read are what the others are made of.
type seedFile struct {
	path   string
	render func(*result.SeedSet) ([]byte, error)
	read   func(*result.SeedSet, io.Reader) error
}

var seedFiles = []seedFile{
	{path: SeedsFile, render: func(s *result.SeedSet) ([]byte, error) { return SeedsJSON(s) }},
	{
		path: SeedsTimelineFile,
		render: func(s *result.SeedSet) ([]byte, error) {
			return recordsCSV(seedPointFields, curveRows(s.Curves))
		},
		read: readCurves,
	},
	{
		path: SeedsLatencyFile,
		render: func(s *result.SeedSet) ([]byte, error) {
			return recordsCSV(seedQuantileFields, spectrumRows(s.Spectra))
		},
		read: readSpectra,
	},
	{path: SeedsTextFile, render: func(s *result.SeedSet) ([]byte, error) {
		var b bytes.Buffer
		err := SeedsText(&b, s, TextOptions{})
		return b.Bytes(), err
	}},
}

// SeedsJSON is seeds.json: lists are empty where there is nothing, never null.
func SeedsJSON(set *result.SeedSet) ([]byte, error) { return result.JSON(withLists(set)) }

// withLists is a set with empty lists instead of none.
func withLists(set *result.SeedSet) *result.SeedSet {
	c := *set
	c.Runs, c.Metrics, c.Events = list(c.Runs), list(c.Metrics), list(c.Events)
	c.Expectations, c.Faults = list(c.Expectations), list(c.Faults)
	return &c
}

// seedPoint is a line of timeline-seeds.csv.
type seedPoint struct {
	curve string
	result.SeedPoint
}

var seedPointFields = []field[seedPoint]{
	textField("curve", func(x *seedPoint) *string { return &x.curve }),
	wholeField("from_ns", func(x *seedPoint) *int64 { return &x.FromNS }),
	wholeField("seeds", func(x *seedPoint) *int { return &x.Seeds }),
	realField("min", func(x *seedPoint) *float64 { return &x.Min }),
	realField("median", func(x *seedPoint) *float64 { return &x.Median }),
	realField("max", func(x *seedPoint) *float64 { return &x.Max }),
	flagField("thin", func(x *seedPoint) *bool { return &x.Thin }),
}

// realField is a column of numbers with all their digits.
func realField[T any](name string, of func(*T) *float64) field[T] {
	return field[T]{name, func(x *T) string {
		return strconv.FormatFloat(*of(x), 'g', -1, 64)
	}, func(x *T, text string) (err error) {
		*of(x), err = strconv.ParseFloat(text, 64)
		return err
	}}
}

func curveRows(curves []result.SeedCurve) []seedPoint {
	var rows []seedPoint
	for _, c := range curves {
		for _, p := range c.Points {
			rows = append(rows, seedPoint{c.Name, p})
		}
	}
	return rows
}

func readCurves(set *result.SeedSet, rd io.Reader) error {
	rows, err := parseRecords(seedPointFields, rd)
	for _, x := range rows {
		if n := len(set.Curves); n == 0 || set.Curves[n-1].Name != x.curve {
			set.Curves = append(set.Curves, result.SeedCurve{Name: x.curve})
		}
		c := &set.Curves[len(set.Curves)-1]
		c.Points = append(c.Points, x.SeedPoint)
	}
	return err
}

// seedQuantile is a line of latency-seeds.csv.
type seedQuantile struct {
	phase string
	result.SeedQuantile
}

var seedQuantileFields = []field[seedQuantile]{
	textField("phase", func(x *seedQuantile) *string { return &x.phase }),
	realField("beyond", func(x *seedQuantile) *float64 { return &x.Beyond }),
	wholeField("min_ns", func(x *seedQuantile) *int64 { return &x.Min }),
	wholeField("median_ns", func(x *seedQuantile) *int64 { return &x.Median }),
	wholeField("max_ns", func(x *seedQuantile) *int64 { return &x.Max }),
}

func spectrumRows(spectra []result.SeedSpectrum) []seedQuantile {
	var rows []seedQuantile
	for _, s := range spectra {
		for _, q := range s.Points {
			rows = append(rows, seedQuantile{s.Phase, q})
		}
	}
	return rows
}

func readSpectra(set *result.SeedSet, rd io.Reader) error {
	rows, err := parseRecords(seedQuantileFields, rd)
	for _, x := range rows {
		if n := len(set.Spectra); n == 0 || set.Spectra[n-1].Phase != x.phase {
			set.Spectra = append(set.Spectra, result.SeedSpectrum{Phase: x.phase})
		}
		s := &set.Spectra[len(set.Spectra)-1]
		s.Points = append(s.Points, x.SeedQuantile)
	}
	return err
}

// SaveSeeds writes a set into dir, all files or none, as [Save] does with a run. The set must be complete.
func SaveSeeds(dir string, set *result.SeedSet, f Files, force bool) (store.Status, error) {
	files, err := renderSeeds(set, &f, true)
	if err != nil {
		return 0, err
	}
	return store.Save(dir, store.Results{Files: files, Digest: set.Digest, Complete: true}, force)
}

// renderSeeds makes the files of a set in memory, the manifest first; without all, only what is drawn from
// the others.
func renderSeeds(set *result.SeedSet, f *Files, all bool) ([]store.File, error) {
	var files []store.File
	if all {
		manifest, err := result.JSON(seedManifest(f, set))
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", store.ManifestFile, err)
		}
		files = []store.File{
			{Path: store.ManifestFile, Data: manifest}, {Path: ScenarioFile, Data: f.ScenarioTOML},
		}
		files = append(files, f.Beside...)
	}
	for _, x := range seedFiles {
		if !all && (x.read != nil || x.path == SeedsFile) {
			continue
		}
		data, err := x.render(set)
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", x.path, err)
		}
		files = append(files, store.File{Path: x.path, Data: data})
	}
	if f.HTML {
		page, err := SeedsHTML(set, *f)
		if err != nil {
			return nil, err
		}
		files = append(files, store.File{Path: HTMLFile, Data: page})
	}
	plots, err := plotFiles(SeedFigures(set), f.Plots)
	return append(files, plots...), err
}

// seedManifest is the manifest of a set.
func seedManifest(f *Files, set *result.SeedSet) result.Manifest {
	x := manyRuns{
		scenario: set.Scenario, key: set.Key, digest: set.Digest, complete: set.Complete,
		durationNS: set.DurationNS, effective: f.ScenarioTOML,
	}
	for _, r := range set.Runs {
		x.seeds = append(x.seeds, r.Seed)
	}
	return x.manifest(f.Manifest, nil)
}

// IsSeeds says whether a directory has the results of a set of seeds.
func IsSeeds(dir string) bool { return store.Has(dir, SeedsFile) }

// LoadSeeds reads a set, all that its text and figures show. Errors are *store.IOError.
func LoadSeeds(dir string) (*result.SeedSet, error) {
	path := filepath.Join(dir, SeedsFile)
	set := new(result.SeedSet)
	if err := store.LoadJSON(path, set); err != nil {
		return nil, err
	}
	for _, x := range seedFiles {
		if x.read == nil {
			continue
		}
		if err := x.load(dir, set); err != nil {
			return nil, &store.IOError{Err: err}
		}
	}
	return set, nil
}

func (x *seedFile) load(dir string, set *result.SeedSet) error {
	path := filepath.Join(dir, x.path)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := x.read(set, f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// RerenderSeeds draws again what is drawn from the set in dir: its text, its page and the figures in
// f.Plots. The names of the files that were written are returned. Errors of the file system are
// *store.IOError.
func RerenderSeeds(dir string, set *result.SeedSet, f Files) (written []string, err error) {
	files, err := renderSeeds(set, &f, false)
	if err != nil {
		return nil, err
	}
	return store.Rewrite(dir, files)
}

// CompareSeeds holds the files in dir against those of the same set made again, as [Compare] does with a run.
func CompareSeeds(
	dir string, set *result.SeedSet, f Files,
) (differ []store.Difference, compared int, err error) {
	f.Manifest.Host = result.Host{}
	files, err := renderSeeds(set, &f, true)
	if err != nil {
		return nil, 0, err
	}
	return store.Differences(dir, files)
}
