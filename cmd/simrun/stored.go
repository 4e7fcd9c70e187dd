package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"simrun/internal/result"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// manifestOf reads the manifest of a directory of results. What is none is wrong usage; what cannot be read
// is an error of the file system.
func manifestOf(dir string) (result.Manifest, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return result.Manifest{}, usagef("%s: there is no such directory of results", dir)
	case err != nil:
		return result.Manifest{}, err
	case !info.IsDir():
		return result.Manifest{}, usagef("%s is a file; name the directory of results that it is in", dir)
	}
	m, err := store.LoadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) && store.Has(dir, report.PlanFile) {
		return m, usagef("the sweep in %s has not come to its end; to go on: simrun sweep --resume %s", dir,
			shellQuote(dir))
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := partOfComparison(dir); err != nil {
			return m, err
		}
		return m, usagef("%s is a directory, but not one of results: it has no %s%s", dir,
			store.ManifestFile, resultsBelow(dir))
	}
	if err != nil {
		return m, fmt.Errorf("%w\nsimrun: the directory is damaged; make its results again with "+
			"simrun run --force", err)
	}
	return m, nil
}

// partOfComparison refuses the directory of a variant in that of a comparison; nil if it is none.
func partOfComparison(dir string) error {
	at, err := filepath.Abs(dir)
	of := filepath.Dir(filepath.Dir(at))
	if err != nil || filepath.Base(filepath.Dir(at)) != report.VariantsDir || !report.IsComparison(of) {
		return nil //nolint:nilerr // where a directory without a place is, others say
	}
	return usagef("%s is a part of a comparison, and has no runs of its own; name %s", dir,
		filepath.Join(dir, "..", ".."))
}

// resultsBelow points to results below a directory that is none, if there are any.
func resultsBelow(dir string) string {
	for depth := range 3 {
		found, err := filepath.Glob(filepath.Join(dir, strings.Repeat("*/", depth+1), store.ManifestFile))
		if err == nil && len(found) > 0 {
			return "; there are results below, such as " + filepath.Dir(found[0])
		}
	}
	return ""
}

// loadResults reads the results in a directory, and tells what to do if it cannot.
func loadResults(dir string) (*result.Run, result.Manifest, error) {
	m, err := manifestOf(dir)
	if err != nil {
		return nil, m, err
	}
	run, err := report.Load(dir)
	var schema *store.SchemaError
	switch {
	case errors.As(err, &schema):
		return nil, m, fmt.Errorf("%w\nsimrun: simrun %s made it; make it again with this one: %s",
			err, m.Simrun.Version, remake(&m))
	case err != nil:
		return nil, m, fmt.Errorf("%w\nsimrun: the directory is damaged; make its results again: %s",
			err, remake(&m))
	}
	return run, m, nil
}

// remake is the command that makes results again.
func remake(m *result.Manifest) string {
	words := []string{"simrun run", shellQuote(m.Host.ScenarioPath)}
	if m.Host.ScenarioPath == "" {
		words[1] = shellQuote(m.Scenario.Name)
	}
	for _, word := range m.Flags() {
		words = append(words, shellQuote(word))
	}
	if m.NoExpect {
		words = append(words, "--no-expect")
	}
	return fmt.Sprintf("%s --seed %d --force", strings.Join(words, " "), m.Seed)
}

// storedScenario is the scenario of a directory of results as it was run.
func storedScenario(ctx context.Context, dir string, m *result.Manifest) (*scenarios.Scenario, error) {
	f := &loadFlags{seed: seedValue{set: true, seed: m.Seed}, noExpect: m.NoExpect}
	s, err := load(ctx, filepath.Join(dir, report.ScenarioFile), f)
	if err != nil {
		return nil, err
	}
	sc := *s.Scenario
	sc.Name, sc.Variant = m.Scenario.Name, m.Variant
	return &sc, nil
}
