package report

import (
	"path/filepath"
	"strconv"

	"simrun/internal/result"
	"simrun/report/store"
)

// Names of the files in a directory of results.
const (
	SummaryFile  = "summary.json"
	TextFile     = "summary.txt"
	ScenarioFile = "scenario.toml"
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

// Names of the files that are written while a run is simulated.
const (
	SendsFile      = "sends.csv"
	FaultTableFile = "faulttable.csv"
	TraceFile      = "trace.json"
)

// Streams are the names of all files that are written while a run is simulated.
func Streams() []string { return []string{SendsFile, FaultTableFile, TraceFile} }

// CopyStreams opens a stage for results that are to be in another directory, with a copy of what was streamed
// in dir. Errors are *store.IOError.
func CopyStreams(dir, to string) (*store.Stage, error) {
	s, err := store.OpenStage(to)
	if err != nil {
		return nil, err
	}
	for _, name := range Streams() {
		if err := s.Copy(name, filepath.Join(dir, name)); err != nil {
			s.Discard()
			return nil, err
		}
	}
	return s, nil
}

// Path is the directory for the results of a run: root/scenario/[variant/]s<seed>-<key8>.
func Path(root, scenario, variant string, seed uint64, key string) string {
	return filepath.Join(root, scenario, variant, SeedDir(seed, key))
}

// SeedDir is the name of that directory: s<seed>-<key8>.
func SeedDir(seed uint64, key string) string { return "s" + strconv.FormatUint(seed, 10) + "-" + key }

// Files is what Save needs besides the run.
type Files struct {
	// ScenarioTOML is the effective scenario, runnable as it is.
	ScenarioTOML []byte
	// Beside are files that the effective scenario names, under the names that it has for them.
	Beside []store.File
	// Manifest says who made the results. What the run and the scenario know (seed, key, digest,
	// times, events, hash of the effective scenario) is filled in by Save.
	Manifest result.Manifest
	// Plots are the formats of figures: "svg", "png". None: no figures.
	Plots []string
	// HTML says that report.html is wanted.
	HTML bool
	// Stage, if not nil, has the files that were written while the run was simulated. It was opened for the
	// directory that the results go to.
	Stage *store.Stage
}
