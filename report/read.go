package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"simrun/internal/result"
)

// Load reads the results in a directory, all that any text or figure shows. It reads what an interrupted
// run left as well: ask Run.Complete. Errors are *IOError.
func Load(dir string) (*result.Run, error) {
	m, err := LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, SummaryFile)
	if err := checkSchema(path); err != nil {
		return nil, err
	}
	r := new(result.Run)
	for i := range artefacts {
		if err := artefacts[i].load(dir, r); err != nil {
			return nil, &IOError{err}
		}
		if artefacts[i].path == SummaryFile && (m.Digest != r.Digest || m.Complete != r.Complete) {
			return nil, &IOError{fmt.Errorf("%s is of another run (digest %q) than %s (%q)",
				path, r.Digest, ManifestFile, m.Digest)}
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

// LoadManifest reads the manifest in a directory of results, of whatever schema. Errors are *IOError.
func LoadManifest(dir string) (result.Manifest, error) {
	var m result.Manifest
	path := filepath.Join(dir, ManifestFile)
	if err := loadJSON(path, &m); err != nil {
		return m, err
	}
	if m.Schema == 0 || m.Scenario.Name == "" || m.Key == "" {
		return m, &IOError{fmt.Errorf("%s lacks the schema, the name of the scenario or the key: it was edited, "+
			"or is of something else", path)}
	}
	return m, nil
}

// SchemaError says that results have the layout of another simrun.
type SchemaError struct {
	Path string
	// Have is the schema there.
	Have int
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s: schema %d, this simrun reads %d", e.Path, e.Have, result.Schema)
}

// checkSchema reads of a file no more than its schema.
func checkSchema(path string) error {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := loadJSON(path, &head); err != nil {
		return err
	}
	if head.Schema != result.Schema {
		return &IOError{&SchemaError{path, head.Schema}}
	}
	return nil
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
