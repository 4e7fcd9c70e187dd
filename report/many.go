package report

import (
	"bytes"
	"fmt"

	"simrun/internal/result"
	"simrun/report/store"
)

// A comparison, a sweep and a set of seeds are results of many runs. What their directories have in common is
// here: a manifest, files that all else is drawn from, and what is drawn.

// drawnFile is a file that is drawn from results of many runs, and from what else its directory knows. A
// render without data says that there is no such file.
type drawnFile[Results, Files any] struct {
	path   string
	render func(*Results, *Files) ([]byte, error)
}

// drawnFiles renders all.
func drawnFiles[Results, Files any](
	all []drawnFile[Results, Files], r *Results, f *Files,
) ([]store.File, error) {
	var files []store.File
	for _, x := range all {
		data, err := x.render(r, f)
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", x.path, err)
		}
		if len(data) > 0 {
			files = append(files, store.File{Path: x.path, Data: data})
		}
	}
	return files, nil
}

// plotFiles renders figures in each of the formats.
func plotFiles(figures []*Figure, formats []string) ([]store.File, error) {
	var files []store.File
	for _, figure := range figures {
		for _, format := range formats {
			data, err := figure.Render(format)
			if err != nil {
				return nil, err
			}
			files = append(files, store.File{Path: PlotsDir + "/" + figure.Name + "." + format, Data: data})
		}
	}
	return files, nil
}

// manyRuns is what a manifest says of results of many runs.
type manyRuns struct {
	scenario, key, digest string
	complete              bool
	seeds                 []uint64
	durationNS            int64
	effective             []byte // scenario.toml
}

// manifest fills in m; the stored files are those that are read again.
func (x *manyRuns) manifest(m result.Manifest, stored []store.File) result.Manifest {
	m.Schema = result.Schema
	m.Scenario.Name = x.scenario
	m.Scenario.EffectiveSHA256 = store.SHA256(x.effective)
	m.Overrides = list(m.Overrides)
	m.Seed, m.Seeds = 0, x.seeds
	m.Key, m.Digest, m.Complete = x.key, x.digest, x.complete
	m.DurationNS, m.SimulatedNS = x.durationNS, x.durationNS
	m.Stored = nil
	for _, s := range stored {
		one := result.StoredFile{Path: s.Path, SHA256: store.SHA256(s.Data)}
		if s.Path == SweepCSVFile || s.Path == CellsFile {
			one.Rows = bytes.Count(s.Data, []byte("\n")) - 1 // the header
		}
		m.Stored = append(m.Stored, one)
	}
	return m
}
