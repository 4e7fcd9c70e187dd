package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun: the exit code and the last line, for recordings that agree, that do not, and for none.
func TestRun(t *testing.T) {
	spoiled := t.TempDir()
	if err := os.MkdirAll(filepath.Join(spoiled, "selector"), 0o755); err != nil {
		t.Fatal(err)
	}
	line := `{"version":"5.3.3","case":0,"threads":1,"ops":[{"op":"inspect",` +
		`"want":{"a":{"available":false}}}]}`
	file := filepath.Join(spoiled, "selector", "5.3.3.jsonl")
	if err := os.WriteFile(file, []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		code   int
		last   string
		stderr string
	}{
		{
			[]string{"-vectors", "../../../testdata/vectors"},
			0,
			"conformance: 19865 of 19865 decisions, 15 releases, 20 files", "",
		},
		{
			[]string{"-vectors", spoiled},
			1,
			"conformance: 0 of 1 decisions, 1 releases, 1 files", "",
		},
		{
			[]string{"-vectors", t.TempDir()},
			1,
			"conformance: 0 of 0 decisions, 0 releases, 0 files", "no *.jsonl",
		},
		{
			[]string{"-vectors", filepath.Join(spoiled, "missing")},
			1,
			"conformance: 0 of 0 decisions, 0 releases, 0 files", "missing: the directory does not exist",
		},
		{[]string{"extra"}, 2, "", "unexpected argument"},
		{[]string{"-nonsense"}, 2, "", "flag provided but not defined"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(c.args, &stdout, &stderr)
		lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
		if code != c.code || lines[len(lines)-1] != c.last ||
			!strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("run(%q) = %d\nstdout: %s\nstderr: %s", c.args, code, &stdout, &stderr)
		}
	}
}
