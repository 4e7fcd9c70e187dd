package scenarios

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// readFiles reads from memory, as Options.ReadFile.
func readFiles(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
}

// loadText loads a scenario from its text, with --set flags.
func loadText(text string, set ...string) (*Scenario, error) {
	return Load("x.toml", Options{Set: set, ReadFile: readFiles(map[string]string{"x.toml": text})})
}

// mustLoad loads a scenario that must be valid.
func mustLoad(t testing.TB, text string, set ...string) *Scenario {
	t.Helper()
	s, err := loadText(text, set...)
	if err != nil {
		report(t, err)
		t.FailNow()
	}
	return s
}

// report logs a loader's error in full.
func report(t testing.TB, err error) {
	t.Helper()
	var invalid *Invalid
	if !errors.As(err, &invalid) {
		t.Error(err)
		return
	}
	for i := range invalid.Problems {
		t.Error(invalid.Problems[i].Render())
	}
}

// golden compares a file with what it should be; -rewrite (of package datadriven) updates it.
func golden(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil && !rewriting() {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	if rewriting() {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is out of date; run: go test ./scenarios -rewrite", path)
}
