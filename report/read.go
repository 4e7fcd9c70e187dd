package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"simrun/internal/result"
	"simrun/report/store"
)

// Load reads the results in a directory, all that any text or figure shows. It reads what an interrupted
// run left as well: ask Run.Complete. Errors are *store.IOError.
func Load(dir string) (*result.Run, error) {
	m, err := store.LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, SummaryFile)
	if err := store.CheckSchema(path); err != nil {
		return nil, err
	}
	r := new(result.Run)
	for i := range artefacts {
		if err := artefacts[i].load(dir, r); err != nil {
			return nil, &store.IOError{Err: err}
		}
		if artefacts[i].path == SummaryFile && (m.Digest != r.Digest || m.Complete != r.Complete) {
			return nil, &store.IOError{Err: fmt.Errorf("%s is of another run (digest %q) than %s (%q)",
				path, r.Digest, store.ManifestFile, m.Digest)}
		}
	}
	r.Events = m.Events
	return r, nil
}

// load reads what is stored in the file alone.
func (a *artefact) load(dir string, r *result.Run) error {
	if a.read == nil {
		return nil
	}
	path := filepath.Join(dir, filepath.FromSlash(a.path))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !a.must {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := a.read(r, f); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
