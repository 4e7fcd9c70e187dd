package store

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"simrun/report/store/storetest"
)

// staged are results with a file that was written bit by bit.
func staged(t *testing.T, dir, text string) Results {
	t.Helper()
	stage, err := OpenStage(dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := stage.Create("sends.csv")
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := small()
	r.Stage = stage
	return r
}

// Files that were written bit by bit keep the promises of the others: all or none, the same
// ones again are left alone, missing and spoilt ones are mended.
func TestStreamedFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s1")
	long := strings.Repeat("a,b\n", streamBuffer)
	for _, step := range []struct {
		before func()
		want   Status
	}{
		{func() {}, Written},
		{func() {}, Unchanged},
		{func() { discard(filepath.Join(dir, "sends.csv")) }, Updated},
		{func() { write(t, filepath.Join(dir, "sends.csv"), long+"c") }, Updated},
		{func() { write(t, filepath.Join(dir, "sends.csv"), long[1:]) }, Updated},
	} {
		step.before()
		save(t, dir, staged(t, dir, long), false, step.want)
		if got := storetest.Tree(t, dir)["sends.csv"]; got != long {
			t.Errorf("%v: the streamed file has %d bytes, not %d", step.want, len(got), len(long))
		}
		if names := storetest.Entries(t, filepath.Dir(dir)); len(names) != 1 {
			t.Errorf("%v: beside the results: %v", step.want, names)
		}
	}
	save(t, dir, small(), false, Unchanged) // not asked for, it stays
	if got := storetest.Tree(t, dir)["sends.csv"]; got != long {
		t.Error("a run without it took the streamed file away")
	}
	cut := staged(t, dir, "a\n")
	cut.Complete = false
	save(t, dir, cut, false, Partial)
	if got := storetest.Tree(t, PartialPath(dir))["sends.csv"]; got != "a\n" {
		t.Errorf("an interrupted run kept %q", got)
	}
}

// What is not saved leaves nothing behind.
func TestStageOfARefusedResult(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s1")
	save(t, dir, staged(t, dir, "1\n"), false, Written)
	other := staged(t, dir, "2\n")
	other.Digest = "ffffffffffffffff"
	if _, err := Save(dir, other, false); err == nil {
		t.Error("another result was not refused")
	}
	if got := storetest.Tree(t, dir)["sends.csv"]; got != "1\n" {
		t.Errorf("refused, but the streamed file is %q", got)
	}
	if names := storetest.Entries(t, filepath.Dir(dir)); !slices.Equal(names, []string{"s1"}) {
		t.Errorf("beside the results: %v", names)
	}
}

// A stage in which a file grows has a writer, however old the directory is.
func TestSweepSparesAStageThatIsWrittenTo(t *testing.T) {
	root := t.TempDir()
	stage := filepath.Join(root, "s1.partial.7")
	if err := os.Mkdir(stage, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(stage, "sends.csv")
	write(t, path, "a\n")
	old := time.Now().Add(-2 * stale)
	if err := os.Chtimes(stage, old, old); err != nil {
		t.Fatal(err)
	}
	sweep(filepath.Join(root, "s1"))
	if got := storetest.Entries(t, root); len(got) != 1 {
		t.Fatal("a stage with a fresh file was swept up")
	}
	for _, p := range []string{path, stage} {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	sweep(filepath.Join(root, "s1"))
	if got := storetest.Entries(t, root); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
