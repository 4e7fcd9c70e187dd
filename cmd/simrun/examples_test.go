package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"simrun/experiment"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// The results that the documentation shows are what the program makes of their scenarios today: the
// digest, and byte for byte what a reader opens first.
func TestExamplesRepeat(t *testing.T) {
	dirs, err := filepath.Glob("../../results/examples/*/s*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			t.Parallel()
			repeatExample(t, dir)
		})
	}
}

func repeatExample(t *testing.T, dir string) {
	m, err := store.LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := scenarios.Load(m.Scenario.Name, scenarios.Options{Seed: &m.Seed})
	if err != nil {
		t.Fatal(err)
	}
	run, err := experiment.Run(context.Background(), sc, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if run.Digest != m.Digest || run.Key != m.Key {
		t.Errorf("digest %s of %s, want %s of %s (make examples)", run.Digest, run.Key, m.Digest, m.Key)
	}
	summary, err := report.SummaryJSON(run)
	if err != nil {
		t.Fatal(err)
	}
	series, err := report.SeriesCSV(run)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{
		"summary.json": summary, "timeseries.csv": series, "scenario.toml": sc.Effective(),
	} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what is in %s (make examples)", name, dir)
		}
	}
}

// Goal: the figures, the page and the text of the gallery are what simrun makes of its numbers now.
// Method: write them again from what is stored, into a directory of their own, and compare file by file.
func TestExamplesShowWhatIsStored(t *testing.T) {
	dirs, err := filepath.Glob("../../results/examples/*/s*")
	if err != nil || len(dirs) < 4 {
		t.Fatalf("%d examples, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(filepath.Dir(dir)), func(t *testing.T) {
			again := filepath.Join(t.TempDir(), "again")
			c := newCallHere("report", dir, "-q", "-o", again)
			if code := c.run(t); code != exitOK {
				t.Fatalf("code %d\n%s", code, c.stderr.String())
			}
			place := filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir))
			compareTrees(t, dir, filepath.Join(again, place))
		})
	}
}

// Goal: verify agrees with the gallery, lives of messages and all. Method: on one that takes a moment.
func TestExamplesVerify(t *testing.T) {
	dirs, err := filepath.Glob("../../results/examples/planned-stop/s*")
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	c := newCallHere("verify", dirs[0])
	if code := c.run(t); code != exitOK {
		t.Errorf("code %d\n%s%s", code, c.stdout.String(), c.stderr.String())
	}
}

// compareTrees compares two directories of results, but for the manifest, part of which is the machine's.
func compareTrees(t *testing.T, dir, again string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == store.ManifestFile {
			return err
		}
		files++
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(again, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what is in %s (%v); make examples", name, dir, err)
		}
		return nil
	})
	if err != nil || files < 10 {
		t.Errorf("%s: %d files compared, %v", dir, files, err)
	}
}
