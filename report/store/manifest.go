package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"simrun/internal/result"
)

// LoadManifest reads the manifest in a directory of results, of whatever schema. Errors are *IOError.
func LoadManifest(dir string) (result.Manifest, error) {
	var m result.Manifest
	path := filepath.Join(dir, ManifestFile)
	if err := readJSON(path, &m); err != nil {
		return m, err
	}
	if m.Schema == 0 || m.Scenario.Name == "" || m.Key == "" {
		return m, &IOError{fmt.Errorf("%s lacks the schema, the name of the scenario or the key: it was edited, "+
			"or is of something else", path)}
	}
	return m, nil
}

// CheckSchema reads of a file no more than its schema: it must be that of this simrun. Errors are *IOError.
func CheckSchema(path string) error {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := readJSON(path, &head); err != nil {
		return err
	}
	if head.Schema != result.Schema {
		return &IOError{&SchemaError{path, head.Schema}}
	}
	return nil
}

// LoadJSON reads a file of results that has their schema. Errors are *IOError.
func LoadJSON(path string, v any) error {
	if err := CheckSchema(path); err != nil {
		return err
	}
	return readJSON(path, v)
}

func readJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return &IOError{err}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &IOError{fmt.Errorf("%s: %w", path, err)}
	}
	return nil
}

// LoadStored reads the main file of a directory, once all stored ones are known to be those that were
// written.
// Errors are *IOError.
func LoadStored(dir, main string, into any) (result.Manifest, error) {
	m, err := LoadManifest(dir)
	if err != nil {
		return m, err
	}
	at := filepath.Join(dir, main)
	if err := CheckSchema(at); err != nil {
		return m, err
	}
	if err := checkStored(dir, main, &m); err != nil {
		return m, &IOError{err}
	}
	return m, readJSON(at, into)
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
		case SHA256(data) != x.SHA256:
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

// SHA256 is the hash of a file as a manifest has it.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
