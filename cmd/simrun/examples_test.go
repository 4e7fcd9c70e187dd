package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"simrun/experiment"
	"simrun/report"
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
	m, err := report.LoadManifest(dir)
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
