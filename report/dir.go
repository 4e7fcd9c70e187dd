package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"simrun/internal/result"
)

// Names of the files in a directory of results.
const (
	SummaryFile  = "summary.json"
	TextFile     = "summary.txt"
	ScenarioFile = "scenario.toml"
	ManifestFile = "manifest.json"
	SeriesFile   = "timeseries.csv"
	PlotsDir     = "plots"
)

// partialSuffix marks results that are not finished: "<dir>.partial" of a run that was interrupted,
// "<dir>.partial.*" while they are being written.
const partialSuffix = ".partial"

// Path is the directory for the results of a run: root/scenario/[variant/]s<seed>-<key8>.
func Path(root, scenario, variant string, seed uint64, key string) string {
	return filepath.Join(root, scenario, variant, "s"+strconv.FormatUint(seed, 10)+"-"+key)
}

// PartialPath is where the results for dir are while the run is not complete.
func PartialPath(dir string) string { return filepath.Clean(dir) + partialSuffix }

// Files is what Save needs besides the run.
type Files struct {
	// ScenarioTOML is the effective scenario, runnable as it is.
	ScenarioTOML []byte
	// Beside are files that the effective scenario names, under the names that it has for them.
	Beside []BesideFile
	// Manifest says who made the results. What the run and the scenario know (seed, key, digest,
	// times, events, hash of the effective scenario) is filled in by Save.
	Manifest result.Manifest
	// Plots are the formats of figures: "svg", "png". None: no figures.
	Plots []string
}

// BesideFile is a file that is kept beside the effective scenario.
type BesideFile struct {
	Name string // with slashes
	Data []byte
}

// Status says what Save did.
type Status uint8

// Statuses.
const (
	// StatusWritten: the directory is new, or took the place of another result by force.
	StatusWritten Status = iota + 1
	// StatusUnchanged: the same result was there, with the same files. Nothing was written.
	StatusUnchanged
	// StatusUpdated: the same result was there, but files were missing or looked different; those
	// and the manifest were written.
	StatusUpdated
	// StatusPartial: the run is not complete; the results are in PartialPath(dir).
	StatusPartial
)

// String is the word for people.
func (s Status) String() string {
	switch s {
	case StatusWritten:
		return "wrote"
	case StatusUnchanged:
		return "unchanged"
	case StatusUpdated:
		return "updated"
	case StatusPartial:
		return "partial"
	}
	return "Status(" + strconv.Itoa(int(s)) + ")"
}

// IOError is a file that could not be read or written. It wraps the cause.
type IOError struct{ Err error }

func (e *IOError) Error() string { return "results: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *IOError) Unwrap() error { return e.Err }

// ConflictError says that a directory holds something else and was left as it is.
type ConflictError struct {
	Dir string
	// Have and Want are the digests there and here.
	Have, Want string
	// Foreign means that what is there does not look like results: it is not replaced by force
	// either.
	Foreign bool
	// Err is why the digest there is not known; nil if it is, or if Foreign.
	Err error
}

func (e *ConflictError) Error() string {
	switch {
	case e.Foreign:
		return fmt.Sprintf("results: %s is in the way: it is not a directory of results, for it has "+
			"no %s", e.Dir, ManifestFile)
	case e.Err != nil:
		return fmt.Sprintf("results: what %s holds is not known: %v", e.Dir, e.Err)
	}
	return fmt.Sprintf("results: %s holds another result: digest %s, this run has %s",
		e.Dir, e.Have, e.Want)
}

// Unwrap returns the cause, if there is one.
func (e *ConflictError) Unwrap() error { return e.Err }

// renameTries is how often a rename is tried against other processes that save the same run.
const renameTries = 20

// file is a file to be written; the path is relative, with slashes.
type file struct {
	path string
	data []byte
}

// Save writes the results of a run into dir, all files or none.
//
// The files are written beside dir, to "<dir>.partial.*", and renamed at the end; so two
// processes may save the same run at once, and a crash leaves dir as it was. If dir has the same
// digest it is kept (StatusUnchanged, StatusUpdated); if it has another one the error is a
// *ConflictError, unless force is set. A run that is not complete goes to PartialPath(dir)
// instead, where it replaces an earlier one; a complete one removes it. Errors of the file system
// are *IOError.
func Save(dir string, r *result.Run, f Files, force bool) (Status, error) {
	dir = filepath.Clean(dir)
	files, err := render(r, f)
	if err != nil {
		return 0, err
	}
	sweep(dir)
	staged, err := stage(dir, files)
	if err != nil {
		return 0, &IOError{err}
	}
	defer discard(staged)
	if !r.Complete {
		if err := replace(staged, PartialPath(dir)); err != nil {
			return 0, &IOError{err}
		}
		return StatusPartial, nil
	}
	status, err := settle(staged, dir, files, r.Digest, force)
	if err == nil {
		discard(PartialPath(dir)) // superseded
	}
	return status, err
}

// settle moves the staged results to dir, or finds that the same ones are there. Another process
// may do the same at any moment: whoever renames first wins, and the other looks at what is
// there.
func settle(staged, dir string, files []file, digest string, force bool) (Status, error) {
	var err error
	for try := range renameTries {
		if err = os.Rename(staged, dir); err == nil {
			return StatusWritten, nil
		}
		if _, statErr := os.Stat(dir); errors.Is(statErr, fs.ErrNotExist) {
			continue // gone again, or the rename has another reason to fail
		}
		if list, err := os.ReadDir(dir); err == nil && len(list) == 0 && os.Remove(dir) == nil {
			continue // an empty directory is free, but os.Rename wants it out of the way
		}
		conflict := inspect(dir, digest)
		if conflict == nil {
			status, refreshErr := refresh(dir, files)
			if errors.Is(refreshErr, fs.ErrNotExist) { // another process has put its own there
				err = refreshErr
				continue
			}
			return status, refreshErr
		}
		if conflict.Foreign && try+1 < renameTries {
			continue // it may just have been renamed away
		}
		if conflict.Foreign || !force {
			return 0, conflict
		}
		if err = replace(staged, dir); err == nil {
			return StatusWritten, nil
		}
	}
	return 0, &IOError{err}
}

// inspect compares what is in dir with a digest; nil means it is the same result.
func inspect(dir, digest string) *ConflictError {
	c := &ConflictError{Dir: dir, Want: digest}
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err != nil {
		c.Foreign = true
		return c
	}
	m, err := LoadManifest(dir)
	var files *IOError
	switch {
	case errors.As(err, &files):
		c.Err = files.Err
	case m.Digest == "":
		c.Err = fmt.Errorf("%s: no digest", filepath.Join(dir, ManifestFile))
	case m.Digest == digest:
		return nil
	}
	c.Have = m.Digest
	return c
}

// refresh writes the files of the same result that are missing or different. The manifest alone
// is no reason: its host section differs each time.
func refresh(dir string, files []file) (Status, error) {
	status := StatusUnchanged
	for i := len(files) - 1; i >= 0; i-- { // the manifest is the first file and written last
		f := files[i]
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		have, err := os.ReadFile(path)
		if err == nil && (bytes.Equal(have, f.data) || i == 0 && status == StatusUnchanged) {
			continue
		}
		if err := writeAtomic(path, f.data); err != nil {
			return 0, &IOError{err}
		}
		status = StatusUpdated
	}
	return status, nil
}

// writeAtomic writes a file so that a reader sees the old one or the new one.
func writeAtomic(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = t.Write(data)
	err = errors.Join(err, t.Chmod(0o644), t.Close())
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		discard(t.Name())
	}
	return err
}

// stage writes the files into a new directory beside dir.
func stage(dir string, files []file) (string, error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	staged, err := os.MkdirTemp(parent, filepath.Base(dir)+partialSuffix+".*")
	if err != nil {
		return "", err
	}
	err = os.Chmod(staged, 0o755) // MkdirTemp made it private
	for _, f := range files {
		path := filepath.Join(staged, filepath.FromSlash(f.path))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, f.data, 0o644)
		}
	}
	if err != nil {
		discard(staged)
	}
	return staged, err
}

// replace renames staged to dir. What was there is renamed away first, so that dir is never half of
// the one and half of the other; between the two renames there is no dir.
func replace(staged, dir string) error {
	old := staged + ".old"
	var err error
	for range renameTries {
		if err = os.Rename(staged, dir); err == nil {
			return nil
		}
		if gone := os.Rename(dir, old); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			return gone
		}
		if err = os.Rename(staged, dir); err == nil {
			discard(old)
			return nil
		}
		if os.Rename(old, dir) != nil { // put it back, unless another process was faster
			discard(old)
		}
	}
	return err
}

// discard removes what nobody needs any more. If that fails the leftover does no harm: its name says
// that it is partial, and a later run sweeps it up.
func discard(path string) { _ = os.RemoveAll(path) }

// sweep removes what a crash left behind when these results were last written. Writing takes less
// than a second; a directory that was not touched for an hour has no writer.
func sweep(dir string) {
	const stale = time.Hour
	left, err := filepath.Glob(quoteGlob(dir) + partialSuffix + ".*")
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > stale {
			discard(path)
		}
	}
}

// quoteGlob makes a path match only itself.
func quoteGlob(path string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(path)
}

// render makes all files in memory; the manifest comes first.
func render(r *result.Run, f Files) ([]file, error) {
	summary, err := SummaryJSON(r)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", SummaryFile, err)
	}
	series, err := SeriesCSV(r)
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", SeriesFile, err)
	}
	var text bytes.Buffer
	if err := Summary(&text, r, TextOptions{}); err != nil {
		return nil, fmt.Errorf("report: %s: %w", TextFile, err)
	}
	manifest, err := JSON(complete(f, r))
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", ManifestFile, err)
	}
	files := []file{
		{ManifestFile, manifest},
		{SummaryFile, summary},
		{TextFile, text.Bytes()},
		{ScenarioFile, f.ScenarioTOML},
		{SeriesFile, series},
	}
	for _, b := range f.Beside {
		files = append(files, file{b.Name, b.Data})
	}
	if len(f.Plots) == 0 {
		return files, nil
	}
	figure := Timeline(r)
	for _, format := range f.Plots {
		data, err := figure.Render(format)
		if err != nil {
			return nil, err
		}
		files = append(files, file{PlotsDir + "/" + figure.Name + "." + format, data})
	}
	return files, nil
}

// complete fills in what the run and the scenario know.
func complete(f Files, r *result.Run) result.Manifest {
	m := f.Manifest
	m.Schema = result.Schema
	m.Scenario.Name = r.Scenario
	sum := sha256.Sum256(f.ScenarioTOML)
	m.Scenario.EffectiveSHA256 = hex.EncodeToString(sum[:])
	m.Overrides = list(m.Overrides)
	m.Seed, m.Key, m.Digest, m.Complete = r.Seed, r.Key, r.Digest, r.Complete
	m.Events, m.DurationNS, m.SimulatedNS = r.Events, r.DurationNS, r.SimulatedNS
	return m
}

// Load reads the results in a directory, with their series and number of events. It reads what an
// interrupted run left as well: ask Run.Complete. Errors are *IOError.
func Load(dir string) (*result.Run, error) {
	r := new(result.Run)
	if err := loadJSON(filepath.Join(dir, SummaryFile), r); err != nil {
		return nil, err
	}
	if r.Schema != result.Schema {
		return nil, &IOError{fmt.Errorf("%s: schema %d, this simrun reads %d",
			filepath.Join(dir, SummaryFile), r.Schema, result.Schema)}
	}
	m, err := LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	r.Events = m.Events
	path := filepath.Join(dir, SeriesFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, &IOError{err}
	}
	defer f.Close() //nolint:errcheck // it was only read
	if r.Series, err = ParseSeries(f); err != nil {
		return nil, &IOError{fmt.Errorf("%s: %w", path, err)}
	}
	return r, nil
}

// LoadManifest reads the manifest in a directory of results. Errors are *IOError.
func LoadManifest(dir string) (result.Manifest, error) {
	var m result.Manifest
	err := loadJSON(filepath.Join(dir, ManifestFile), &m)
	return m, err
}

func loadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return &IOError{err}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &IOError{fmt.Errorf("%s: %w", path, err)}
	}
	return nil
}

// LinkLatest points root/latest to dir, which lies below root. Where links are not supported, or
// something that is no link has the name, it does nothing: the link is a convenience.
func LinkLatest(root, dir string) {
	link := filepath.Join(root, "latest")
	target, err := filepath.Rel(root, dir)
	if err != nil {
		return
	}
	if info, err := os.Lstat(link); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	// A link cannot be overwritten in place, but renamed over.
	temp := fmt.Sprintf("%s.%d", link, os.Getpid())
	discard(temp)
	if os.Symlink(target, temp) != nil {
		return
	}
	if os.Rename(temp, link) != nil {
		discard(temp)
	}
}
