package report

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"simrun/internal/result"
	"simrun/report/store"
	"simrun/report/store/storetest"
)

// small is a run that is quick to save.
func small() *result.Run {
	w := twoMastersDown()
	w.window = 60 * second
	r := expecting(fixture(w))
	r.Events = 7
	return r
}

func filesFor(plots ...string) Files {
	return Files{ScenarioTOML: []byte("seed = 42\n"), Plots: plots, Manifest: result.Manifest{
		Simrun:   result.Build{Version: "test", Go: "go1.26", GOOS: "linux", GOARCH: "amd64"},
		Scenario: result.Source{SourceSHA256: "00"},
		Host:     result.Host{ScenarioPath: "x.toml", WallNS: 12},
	}}
}

// save expects a status.
func save(t *testing.T, dir string, r *result.Run, f Files, force bool, want store.Status) {
	t.Helper()
	got, err := Save(dir, r, f, force)
	if err != nil || got != want {
		t.Fatalf("Save: %v, %v; want %v", got, err, want)
	}
}

func TestPath(t *testing.T) {
	got := filepath.ToSlash(Path("results", "gc-pause", "", 42, "9f3a1c7e"))
	if want := "results/gc-pause/s42-9f3a1c7e"; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
	got = filepath.ToSlash(Path("out", "gc-pause", "off", 7, "00000000"))
	if want := "out/gc-pause/off/s7-00000000"; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
}

func TestSaveWritesAllFiles(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "two-masters-down", "s42-9f3a1ca8")
	save(t, dir, small(), filesFor("svg", "png"), false, store.Written)
	got := storetest.Tree(t, dir)
	for _, name := range []string{
		store.ManifestFile, SummaryFile, TextFile, ScenarioFile, SeriesFile,
		"plots/timeline.svg", "plots/timeline.png",
	} {
		if got[name] == "" {
			t.Errorf("no %s", name)
		}
	}
	for name := range got {
		known := name == store.ManifestFile || name == ScenarioFile || strings.HasPrefix(name, PlotsDir+"/")
		for _, a := range artefacts {
			known = known || a.path == name
		}
		if !known {
			t.Errorf("what is %s?", name)
		}
	}
	if names := storetest.Entries(t, filepath.Dir(dir)); len(names) != 1 {
		t.Errorf("beside the results: %v", names)
	}
	for _, name := range []string{store.ManifestFile, SummaryFile} {
		golden(t, filepath.Join("testdata", "dir", name), []byte(got[name]))
	}
	golden(t, filepath.Join("testdata", "dir", SeriesFile), []byte(got[SeriesFile]))
	for name, text := range got {
		if strings.Contains(text, root) || name == TextFile && strings.Contains(text, "\x1b") {
			t.Errorf("%s has paths or escapes", name)
		}
	}
}

// What was saved comes back equal, and saved again gives the same bytes: a report can be drawn from
// its directory alone.
func TestLoadGivesBackTheRun(t *testing.T) {
	for name, w := range map[string]world{
		"complete":    twoMastersDown(),
		"interrupted": edgeWorlds()["interrupted"], "empty": edgeWorlds()["no-messages"],
	} {
		w.window = 60 * second
		r := fixture(w)
		dir := filepath.Join(t.TempDir(), name)
		if _, err := Save(dir, r, filesFor(), false); err != nil {
			t.Fatal(err)
		}
		if !r.Complete {
			dir = store.PartialPath(dir)
		}
		got, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, got, cmpopts.EquateEmpty()); diff != "" && w.rate > 0 {
			t.Errorf("%s: (-saved +loaded)\n%s", name, diff)
		}
		again := filepath.Join(t.TempDir(), "again")
		if _, err := Save(again, got, filesFor(), false); err != nil {
			t.Fatal(err)
		}
		if !got.Complete {
			again = store.PartialPath(again)
		}
		if diff := cmp.Diff(storetest.Tree(t, dir), storetest.Tree(t, again)); diff != "" {
			t.Errorf("%s: saved again differs:\n%s", name, diff)
		}
	}
}

func TestSaveAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s1")
	save(t, dir, small(), filesFor(), false, store.Written)
	before := storetest.Tree(t, dir)

	later := filesFor()
	later.Manifest.Host.WallNS = 99
	save(t, dir, small(), later, false, store.Unchanged)
	if diff := cmp.Diff(before, storetest.Tree(t, dir)); diff != "" {
		t.Errorf("unchanged, but:\n%s", diff)
	}

	// Asked for figures, it adds them; a spoilt file is mended; what others put there stays.
	if err := os.WriteFile(filepath.Join(dir, TextFile), []byte("spoilt"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	later.Plots = []string{"svg"}
	save(t, dir, small(), later, false, store.Updated)
	after := storetest.Tree(t, dir)
	if after[TextFile] != before[TextFile] || after["plots/timeline.svg"] == "" ||
		after["notes.md"] != "mine" || !strings.Contains(after[store.ManifestFile], `"wall_ns": 99`) {
		t.Errorf("updated to %v", slices.Sorted(maps.Keys(after)))
	}
	if len(after) != len(before)+1+len(Figures(small())) {
		t.Errorf("%d files after %d", len(after), len(before))
	}
}

func TestInterruptedRunStaysPartial(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "s1")
	cut := small()
	cut.Complete = false
	cut.SimulatedNS = 300 * second
	save(t, dir, cut, filesFor(), false, store.Partial)
	cut.SimulatedNS = 400 * second // interrupted once more, later
	save(t, dir, cut, filesFor(), false, store.Partial)
	if got, want := storetest.Entries(t, root), []string{"s1.partial"}; !slices.Equal(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	r, err := Load(store.PartialPath(dir))
	if err != nil || r.Complete || r.SimulatedNS != 400*second {
		t.Fatalf("loaded %v, %v", r, err)
	}
	if m, err := store.LoadManifest(store.PartialPath(dir)); err != nil || m.Complete {
		t.Errorf("manifest %v, %v", m, err)
	}
	save(t, dir, small(), filesFor(), false, store.Written)
	if got, want := storetest.Entries(t, root), []string{"s1"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Errors of the file system can be told from others, and what was missing from what is broken.
func TestIOErrors(t *testing.T) {
	root := t.TempDir()
	blocked := filepath.Join(root, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var ioErr *store.IOError
	_, err := Save(filepath.Join(blocked, "s1"), small(), filesFor(), false)
	if !errors.As(err, &ioErr) {
		t.Errorf("saved below a file: %v", err)
	}
	if _, err := Load(filepath.Join(root, "none")); !errors.As(err, &ioErr) ||
		!errors.Is(err, fs.ErrNotExist) {
		t.Errorf("loaded nothing: %v", err)
	}
	dir := filepath.Join(root, "s1")
	save(t, dir, small(), filesFor(), false, store.Written)
	for name, text := range map[string]string{SummaryFile: "{\"schema\": 1,", SeriesFile: "a,b\n"} {
		path := filepath.Join(dir, name)
		good, _ := os.ReadFile(path)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); !errors.As(err, &ioErr) || !strings.Contains(err.Error(), name) {
			t.Errorf("loaded a broken %s: %v", name, err)
		}
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	newer := []byte(`{"schema":99}`)
	if err := os.WriteFile(filepath.Join(dir, SummaryFile), newer, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); !errors.As(err, &ioErr) || !strings.Contains(err.Error(), "schema 99") {
		t.Errorf("loaded another schema: %v", err)
	}
}

// JSON is for every reader: no null lists, no escaped <, a newline at the end.
func TestSummaryJSON(t *testing.T) {
	r := &result.Run{Story: "p99 < 4ms & more", Complete: true, Faults: []result.Fault{{}}}
	r.Setup.Producers = []result.SetupProducer{{}}
	got, err := SummaryJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(got, []byte("null")) {
		t.Errorf("null in\n%s", got)
	}
	if !bytes.Contains(got, []byte("p99 < 4ms & more")) || !bytes.HasSuffix(got, []byte("}\n")) {
		t.Errorf("escapes, or no newline in\n%s", got)
	}
	if r.Faults[0].Targets != nil || r.Setup.Producers[0].LatencyMaxNS != nil {
		t.Error("the run itself was changed")
	}
}

// TestSaveKeepsWhatTheScenarioNames: files beside the effective scenario are kept under their names.
func TestSaveKeepsWhatTheScenarioNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	files := filesFor()
	files.Beside = []store.File{{Path: "data/arrivals.csv", Data: []byte("time\n1s\n")}}
	if _, err := Save(dir, small(), files, false); err != nil {
		t.Fatal(err)
	}
	if got := storetest.Tree(t, dir)["data/arrivals.csv"]; got != "time\n1s\n" {
		t.Errorf("the file beside the scenario is %q", got)
	}
}
