package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"simrun/internal/result"
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
func drawnFiles[Results, Files any](all []drawnFile[Results, Files], r *Results, f *Files) ([]file, error) {
	var files []file
	for _, x := range all {
		data, err := x.render(r, f)
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", x.path, err)
		}
		if len(data) > 0 {
			files = append(files, file{x.path, data})
		}
	}
	return files, nil
}

// plotFiles renders figures in each of the formats.
func plotFiles(figures []*Figure, formats []string) ([]file, error) {
	var files []file
	for _, figure := range figures {
		for _, format := range formats {
			data, err := figure.Render(format)
			if err != nil {
				return nil, err
			}
			files = append(files, file{PlotsDir + "/" + figure.Name + "." + format, data})
		}
	}
	return files, nil
}

// saveMany writes files into dir, all or none, as [Save] does with those of a run: results that are not
// complete go to PartialPath(dir), complete ones supersede what is there.
func saveMany(dir string, files []file, digest string, complete, force bool) (Status, error) {
	staged, err := OpenStage(dir)
	if err != nil {
		return 0, err
	}
	defer staged.Discard()
	if err := staged.write(files); err != nil {
		return 0, &IOError{err}
	}
	if !complete {
		if err := replace(staged.dir, PartialPath(dir)); err != nil {
			return 0, &IOError{err}
		}
		return StatusPartial, nil
	}
	status, err := settle(staged, dir, files, digest, force)
	if err == nil {
		discard(PartialPath(dir))
	}
	return status, err
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
func (x *manyRuns) manifest(m result.Manifest, stored []file) result.Manifest {
	m.Schema = result.Schema
	m.Scenario.Name = x.scenario
	m.Scenario.EffectiveSHA256 = sha256Of(x.effective)
	m.Overrides = list(m.Overrides)
	m.Seed, m.Seeds = 0, x.seeds
	m.Key, m.Digest, m.Complete = x.key, x.digest, x.complete
	m.DurationNS, m.SimulatedNS = x.durationNS, x.durationNS
	m.Stored = nil
	for _, s := range stored {
		one := result.StoredFile{Path: s.path, SHA256: sha256Of(s.data)}
		if s.path == SweepCSVFile || s.path == CellsFile {
			one.Rows = bytes.Count(s.data, []byte("\n")) - 1 // the header
		}
		m.Stored = append(m.Stored, one)
	}
	return m
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// loadMany reads the main file of a directory, once all stored ones are known to be those that were written.
// Errors are *IOError.
func loadMany(dir, main string, into any) (result.Manifest, error) {
	m, err := LoadManifest(dir)
	if err != nil {
		return m, err
	}
	at := filepath.Join(dir, main)
	if err := checkSchema(at); err != nil {
		return m, err
	}
	if err := checkStored(dir, main, &m); err != nil {
		return m, &IOError{err}
	}
	return m, loadJSON(at, into)
}

// checkStored compares the files that a comparison or a sweep is stored in with what the manifest says of
// them, and names all that are not the same. One of them is main.
func checkStored(dir, main string, m *result.Manifest) error {
	var errs []error
	named := false
	for _, x := range m.Stored {
		at := filepath.Join(dir, filepath.FromSlash(x.Path))
		named = named || x.Path == main
		data, err := os.ReadFile(at)
		switch {
		case err != nil:
			errs = append(errs, err)
		case sha256Of(data) != x.SHA256:
			errs = append(errs, fmt.Errorf("%s is not the file that %s was written with: it was cut short, "+
				"edited, or is of other results%s", at, ManifestFile, rowsWords(x, data)))
		}
	}
	if !named {
		errs = append(errs, fmt.Errorf("%s does not know %s: it is of something else",
			filepath.Join(dir, ManifestFile), main))
	}
	return errors.Join(errs...)
}

// rowsWords say how many rows a table has if that is not how many it had.
func rowsWords(x result.StoredFile, data []byte) string {
	if rows := bytes.Count(data, []byte("\n")) - 1; x.Rows > 0 && rows != x.Rows {
		return fmt.Sprintf(" (it has %d rows of %d)", rows, x.Rows)
	}
	return ""
}
