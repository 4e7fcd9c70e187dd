package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Look at what changed before committing it: a golden file is a statement that this is right.
var update = flag.Bool("update", false, "rewrite golden files and generated documents")

// golden compares got with a file byte for byte.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update to create it)", err)
	}
	if bytes.Equal(want, got) {
		return
	}
	const most = 20_000
	if len(got) > most {
		t.Fatalf("%s differs: %d bytes, want %d (run with -update and look at it)",
			path, len(got), len(want))
	}
	t.Fatalf("%s differs (-want +got; -update rewrites it):\n%s",
		path, cmp.Diff(string(want), string(got)))
}
