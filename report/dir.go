package report

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"simrun/internal/result"
)

// Names of the files in a directory of results.
const (
	SummaryFile  = "summary.json"
	TextFile     = "summary.txt"
	ScenarioFile = "scenario.toml"
	ManifestFile = "manifest.json"
	SeriesFile   = "timeseries.csv"
	HTMLFile     = "report.html"
	PlotsDir     = "plots"

	LatencyFile    = "latency.csv"
	SampleFile     = "sample.csv"
	IsolationsFile = "isolations.csv"

	HGRMFile   = "latency.hgrm"
	JUnitFile  = "junit.xml"
	ExpectFile = "expect.json"
)

// PartialSuffix marks results that are not finished: "<dir>.partial" of a run that was interrupted,
// "<dir>.partial.*" while they are being written.
const PartialSuffix = ".partial"

// Path is the directory for the results of a run: root/scenario/[variant/]s<seed>-<key8>.
func Path(root, scenario, variant string, seed uint64, key string) string {
	return filepath.Join(root, scenario, variant, SeedDir(seed, key))
}

// SeedDir is the name of that directory: s<seed>-<key8>.
func SeedDir(seed uint64, key string) string { return "s" + strconv.FormatUint(seed, 10) + "-" + key }

// PartialPath is where the results for dir are while the run is not complete.
func PartialPath(dir string) string { return behindLink(filepath.Clean(dir)) + PartialSuffix }

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
	// HTML says that report.html is wanted.
	HTML bool
	// Stage, if not nil, has the files that were written while the run was simulated. It was opened for the
	// directory that the results go to.
	Stage *Stage
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
	if info, err := os.Lstat(temp); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		discard(temp) // a crash left it
	}
	if os.Symlink(target, temp) != nil {
		return
	}
	if os.Rename(temp, link) != nil {
		discard(temp)
	}
}
