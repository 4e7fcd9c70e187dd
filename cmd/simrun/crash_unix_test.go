//go:build unix

package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"simrun/report"
	"simrun/report/store"
)

// Goal: "crash-safe (partial name, then rename)": whenever a run is killed, its directory is what it was, or
// all of the new results; what else there is has "partial" in its name. Method: kill -9 at moments spread
// over the life of the process, with nothing in the way and with another result that is to be replaced.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process several times")
	}
	args := []string{"run", "./quick.toml", "--trace", "--plots", "none", "--html=false", "--force", "-q"}
	first := simrun(t, args...)
	began := time.Now()
	if err := first.Run(); err != nil {
		t.Fatal(err)
	}
	life := time.Since(began)
	dir := onlyResults(t, first.Dir)
	whole := files(t, filepath.Join(first.Dir, dir))
	const rounds = 8
	for i := range rounds {
		old := map[string]string{}
		cmd := simrun(t, args...)
		if i%2 == 1 { // another result is there
			old = maps.Clone(whole)
			for _, name := range []string{store.ManifestFile, report.SummaryFile} {
				old[name] = regexp.MustCompile(`"digest": ".*"`).ReplaceAllString(old[name],
					`"digest": "0123456789abcdef"`)
			}
			for name, text := range old {
				put(t, filepath.Join(cmd.Dir, dir, name), text)
			}
		}
		kill(t, cmd, life*time.Duration(i+1)/rounds)
		got := files(t, filepath.Join(cmd.Dir, dir))
		partial, err := filepath.Glob(filepath.Join(cmd.Dir, dir+".partial*"))
		if err != nil {
			t.Fatal(err)
		}
		isNew := len(got) > 0 && got[report.SummaryFile] == whole[report.SummaryFile]
		if isNew {
			got[store.ManifestFile] = whole[store.ManifestFile] // the wall time
		}
		switch {
		case isNew && maps.Equal(got, whole), maps.Equal(got, old):
		case len(got) == 0 && len(partial) > 0: // between the two renames
		default:
			t.Errorf("killed after %d/%d: %d files, new %v, partial %v", i+1, rounds, len(got), isNew, partial)
		}
	}
}

// kill starts a process and kills it after a time, if it still runs.
func kill(t *testing.T, cmd *exec.Cmd, after time.Duration) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
}

// onlyResults is the one directory of results below a directory, relative to it.
func onlyResults(t *testing.T, root string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "results", "quick", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	rel, err := filepath.Rel(root, found[0])
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// files are the files below a directory, by name; none if it does not exist.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || e.IsDir():
			return err
		}
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("a leftover, %s", e.Name())
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
