package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"simrun/experiment"
	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// remadeComparison is a stored comparison whose runs are made again.
type remadeComparison struct {
	v         *verification
	stored    *result.Comparison
	scenarios []*scenarios.Scenario
	jobs      []experiment.Job
	members   []*ensemble.Member // by job: seed by seed, variant by variant
	asked     []ensemble.Row
}

// remakeComparison reads a comparison and plans its runs.
func remakeComparison(ctx context.Context, dir string) (*remadeComparison, error) {
	c, err := loadComparison(dir)
	if err != nil {
		return nil, err
	}
	m, err := manifestOf(dir)
	if err != nil {
		return nil, err
	}
	if !m.Complete {
		return nil, usagef("%s cannot be verified: it was interrupted; compare again to make all of it", dir)
	}
	r := &remadeComparison{v: &verification{dir: dir, manifest: m}, stored: c}
	if r.scenarios, err = variantScenarios(ctx, dir, c, m); err != nil {
		return nil, err
	}
	for i := range c.Rows {
		if row := &c.Rows[i]; row.Named {
			r.asked = append(r.asked, ensemble.Row{Metric: row.Metric, Phase: row.Phase, Fault: row.Fault})
		}
	}
	r.members = make([]*ensemble.Member, len(c.Seeds)*len(r.scenarios))
	for _, seed := range c.Seeds {
		for _, sc := range r.scenarios {
			i := len(r.jobs)
			again := sc.WithSeed(seed)
			if m.NoExpect {
				again.Expectations = nil
			}
			r.jobs = append(r.jobs, experiment.Job{Scenario: again, Keep: func(run *result.Run) {
				r.members[i] = ensemble.Of(run)
				lean(run)
			}})
		}
	}
	return r, nil
}

// variantScenarios are the scenarios of the variants of a comparison as they were run.
func variantScenarios(
	ctx context.Context, dir string, c *result.Comparison, m result.Manifest,
) (list []*scenarios.Scenario, err error) {
	for _, v := range c.Variants {
		m.Seed, m.Variant = c.Seeds[0], v.Set.Variant
		sc, err := storedScenario(ctx, report.VariantPath(dir, v.Name), &m)
		if err != nil {
			return nil, err
		}
		list = append(list, sc)
	}
	return list, nil
}

// compare compares the runs made again as those before were, and then every file.
func (r *remadeComparison) compare() error {
	c := r.stored
	inputs := make([]ensemble.Input, len(c.Variants))
	for i, v := range c.Variants {
		inputs[i] = ensemble.Input{Name: v.Name, Story: v.Story, Settings: v.Settings, Notes: v.Notes}
		for k := i; k < len(r.members); k += len(inputs) {
			inputs[i].Members = append(inputs[i].Members, r.members[k])
		}
	}
	again := ensemble.Compare(inputs, ensemble.Options{
		Reference: c.Reference, Rows: r.asked, Asked: c.Asked, Alpha: c.Alpha, Precision: c.Precision,
	})
	r.v.digest = again.Digest
	if again.Digest != c.Digest {
		return nil
	}
	again.Key = c.Key
	if !slices.ContainsFunc(again.Warnings, func(w string) bool { return !slices.Contains(c.Warnings, w) }) {
		again.Warnings = c.Warnings // some are of how the runs came together
	}
	files, err := compareFilesOf(r.v.dir, c, r.scenarios, &r.v.manifest)
	if err != nil {
		return err
	}
	r.v.differ, r.v.compared, err = report.VerifyComparison(r.v.dir, again, files)
	return err
}

// compareFilesOf are the files of a stored comparison that are not drawn, and which of the others there are.
func compareFilesOf(
	dir string, c *result.Comparison, list []*scenarios.Scenario, m *result.Manifest,
) (report.CompareFiles, error) {
	var wanted report.Files
	wanted.Wanted(dir)
	files := report.CompareFiles{Manifest: *m, Plots: wanted.Plots, HTML: store.Has(dir, report.HTMLFile)}
	for i, sc := range list {
		toml, err := os.ReadFile(filepath.Join(report.VariantPath(dir, c.Variants[i].Name), report.ScenarioFile))
		if err != nil {
			return files, &store.IOError{Err: err}
		}
		files.Variants = append(files.Variants, report.VariantFiles{ScenarioTOML: toml, Beside: besideFiles(sc)})
	}
	return files, nil
}

// verifyComparison makes the runs of a comparison again, and says whether the same comes out.
func (a *app) verifyComparison(ctx context.Context, dir string, workers int) error {
	r, err := remakeComparison(ctx, dir)
	if err != nil {
		return err
	}
	var total time.Duration
	for i := range r.jobs {
		total += r.jobs[i].Scenario.Config.Duration
	}
	a.watch(r.jobs, total)
	done := 0
	err = a.env.RunAll(ctx, r.jobs, workers, func(_ int, run *result.Run) error {
		if run.Complete {
			done++
		}
		return nil
	})
	a.console.clear()
	switch {
	case err != nil:
		return err
	case done < len(r.jobs):
		a.codes = append(a.codes, exitInterrupted)
		a.console.errorf("interrupted: %d of %d runs of %s made again", done, len(r.jobs), dir)
		return nil
	}
	r.v.err = r.compare()
	a.verified(r.v)
	return nil
}

// reportComparison shows a comparison again and draws its text, tables and figures anew. What cannot be read
// is reported, and no error.
func (a *app) reportComparison(ctx context.Context, f *reportFlags, dir string, another bool) error {
	c, err := loadComparison(dir)
	if err == nil {
		err = a.rerenderComparison(ctx, f, dir, c)
	}
	if err != nil {
		a.fail(err)
		return nil
	}
	format := formatText
	if f.json {
		format = formatJSON
	}
	data, err := a.comparisonAs(format, c)
	if err != nil {
		return err
	}
	if f.json {
		a.document(data, f.lines)
		return nil
	}
	text := string(data)
	if another {
		text = "\n" + text
	}
	a.stdout.print(text)
	return nil
}

// rerenderComparison draws a comparison again, where it is or elsewhere.
func (a *app) rerenderComparison(
	ctx context.Context, f *reportFlags, dir string, c *result.Comparison,
) error {
	m, err := manifestOf(dir)
	if err != nil {
		return err
	}
	list, err := variantScenarios(ctx, dir, c, m)
	if err != nil {
		return err
	}
	files, err := compareFilesOf(dir, c, list, &m)
	if err != nil {
		return err
	}
	files.Plots, files.HTML = f.plots.formats, f.html
	if f.out == "" {
		written, err := report.RerenderComparison(dir, c, files)
		return a.rerendered(dir, written, err)
	}
	name, partial := strings.CutSuffix(filepath.Base(filepath.Clean(dir)), ".partial")
	to := filepath.Join(f.out, c.Scenario, name)
	files.Manifest.Host.ResultsPath = to
	status, err := report.SaveComparison(to, c, files, false)
	if err != nil {
		return err
	}
	if partial {
		to = store.PartialPath(to)
	}
	a.say("%s %s\n", status, to)
	return nil
}
