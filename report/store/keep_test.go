package store

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"simrun/internal/result"
	"simrun/report/store/storetest"
)

// small are the least results: a manifest, whose host differs each time, and a file.
func small() Results { return of("9f3a1ca89f3a1ca8", 12) }

// of are results with a digest, made in some nanoseconds.
func of(digest string, wallNS int64) Results {
	manifest, err := result.JSON(result.Manifest{
		Schema: result.Schema, Scenario: result.Source{Name: "x"}, Key: "00000000", Digest: digest,
		Host: result.Host{WallNS: wallNS},
	})
	if err != nil {
		panic(err)
	}
	return Results{Digest: digest, Complete: true, Files: []File{
		{ManifestFile, manifest}, {"of.txt", []byte(digest)}, {"plots/a.svg", []byte("<svg/>")},
	}}
}

// save expects a status.
func save(t *testing.T, dir string, r Results, force bool, want Status) {
	t.Helper()
	got, err := Save(dir, r, force)
	if err != nil || got != want {
		t.Fatalf("Save: %v, %v; want %v", got, err, want)
	}
}

// The same inputs with another result mean that something is broken: nobody overwrites the evidence
// by accident.
func TestSaveRefusesAnotherResult(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s1")
	first, other := small(), of("ffffffffffffffff", 12)
	save(t, dir, first, false, Written)
	before := storetest.Tree(t, dir)

	_, err := Save(dir, other, false)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || conflict.Have != first.Digest ||
		conflict.Want != other.Digest {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff(before, storetest.Tree(t, dir)); diff != "" {
		t.Errorf("refused, but:\n%s", diff)
	}
	save(t, dir, other, true, Written)
	if m, err := LoadManifest(dir); err != nil || m.Digest != other.Digest {
		t.Errorf("not replaced by force: %v, %v", m, err)
	}
	if names := storetest.Entries(t, filepath.Dir(dir)); len(names) != 1 {
		t.Errorf("beside the results: %v", names)
	}
}

// A directory that is not ours is never replaced, not even by force.
func TestSaveLeavesForeignDirectoriesAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Save(dir, small(), true)
	var conflict *ConflictError
	if !errors.As(err, &conflict) || !conflict.Foreign {
		t.Fatalf("error %v", err)
	}
	if got := storetest.Entries(t, dir); len(got) != 1 {
		t.Errorf("left with %v", got)
	}
	// A file is in the way just as well.
	path := filepath.Join(dir, "thesis.tex")
	_, err = Save(path, small(), true)
	if !errors.As(err, &conflict) || !conflict.Foreign || !strings.Contains(err.Error(), path) {
		t.Fatalf("error %v", err)
	}
	// A damaged manifest is ours, but only force replaces it; an empty directory is free.
	dir = filepath.Join(t.TempDir(), "s1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	save(t, dir, small(), false, Written)
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Save(dir, small(), false)
	if !errors.As(err, &conflict) || conflict.Foreign || conflict.Err == nil ||
		!strings.Contains(err.Error(), filepath.Join(dir, ManifestFile)) {
		t.Fatalf("error %v", err)
	}
	save(t, dir, small(), true, Written)
}

// What a crash left is swept up, what another process is just writing is not.
func TestLeftoversOfACrash(t *testing.T) {
	root := t.TempDir()
	old, fresh := filepath.Join(root, "s1.partial.123"), filepath.Join(root, "s1.partial.456")
	for _, dir := range []string{old, fresh, filepath.Join(root, "s10.partial.1")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, dir := range []string{old, filepath.Join(root, "s10.partial.1")} {
		if err := os.Chtimes(dir, long, long); err != nil {
			t.Fatal(err)
		}
	}
	save(t, filepath.Join(root, "s1"), small(), false, Written)
	want := []string{"s1", "s1.partial.456", "s10.partial.1"}
	if got := storetest.Entries(t, root); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Many writers of the same directory at once: one result at the end, whole, and nothing beside it.
func TestConcurrentSaves(t *testing.T) {
	for _, force := range []bool{false, true} {
		root := t.TempDir()
		dir := filepath.Join(root, "s1")
		const writers = 8
		var wg sync.WaitGroup
		errs := make([]error, writers)
		for i := range writers {
			wg.Go(func() {
				r := of(small().Digest, int64(i))
				if force { // each with a result of its own
					r = of(strings.Repeat("0123456789abcdef"[i:i+1], 16), int64(i))
				}
				for range 5 {
					if _, err := Save(dir, r, force); err != nil {
						errs[i] = err
					}
				}
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatalf("force=%v: %v", force, err)
		}
		files := storetest.Tree(t, dir)
		if m, err := LoadManifest(dir); err != nil || m.Digest != files["of.txt"] {
			t.Errorf("force=%v: manifest of %s with a file of %s, %v", force, m.Digest, files["of.txt"], err)
		}
		alone := filepath.Join(t.TempDir(), "s1")
		save(t, alone, small(), false, Written)
		want, got := slices.Sorted(maps.Keys(storetest.Tree(t, alone))), slices.Sorted(maps.Keys(files))
		if names := storetest.Entries(t, root); len(names) != 1 || !slices.Equal(got, want) {
			t.Errorf("force=%v: left %v, files %v, want %v", force, names, got, want)
		}
	}
}

func TestLinkLatest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("on Windows a symbolic link needs a privilege; LinkLatest then does nothing")
	}
	root := t.TempDir()
	for _, name := range []string{"one", "two"} {
		dir := filepath.Join(root, name, "s1-00000000")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		LinkLatest(root, dir)
		got, err := os.Readlink(filepath.Join(root, "latest"))
		if want := filepath.Join(name, "s1-00000000"); err != nil || got != want {
			t.Errorf("latest is %q, %v; want %q", got, err, want)
		}
	}
	if got, want := storetest.Entries(t, root), []string{"latest", "one", "two"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// A directory of that name is somebody's.
	other := t.TempDir()
	if err := os.Mkdir(filepath.Join(other, "latest"), 0o755); err != nil {
		t.Fatal(err)
	}
	LinkLatest(other, filepath.Join(other, "x"))
	if info, err := os.Lstat(filepath.Join(other, "latest")); err != nil || !info.IsDir() {
		t.Errorf("latest is %v, %v", info, err)
	}
}
