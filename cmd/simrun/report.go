package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"simrun/internal/ensemble"
	"simrun/internal/result"
	"simrun/report"
	"simrun/report/store"
	"simrun/scenarios"
)

// reportFlags are the flags of simrun report.
type reportFlags struct {
	plots plotsValue
	out   string
	html  bool
	json  bool
	// lines: JSON is written a line for each directory, as there are several.
	lines bool
}

const reportLong = `Shows results again as simrun run did, and draws again what is drawn from them:
the text, figures and the like. Nothing is simulated, and what the results are
stored in is left alone. Only files that look different by now are written. It
reads what an interrupted run left as well.

Results of one scenario with several seeds are shown as a table, and so is the
directory of a set of seeds, or of a comparison, whose files it draws again.`

func (a *app) reportCommand() *cobra.Command {
	f := &reportFlags{plots: plotsValue{[]string{"svg", "png"}}}
	cmd := &cobra.Command{
		Use:   "report RESULTDIR...",
		Short: "show stored results and draw their figures again",
		Example: `  simrun report results/latest                the last ones
  simrun report results/*/s*-*                all there are, seeds as a table
  simrun report results/latest --plots none --json | jq .verdict
  simrun report results/latest -o elsewhere   a copy, drawn anew`,
		Long: reportLong,
		RunE: func(cmd *cobra.Command, args []string) error { return a.report(cmd.Context(), f, args) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.plots, "plots", "figures: svg, png, both, or none")
	flags.BoolVar(&f.html, "html", true, htmlUsage)
	flags.StringVarP(&f.out, "out", "o", "", "write to a directory below `DIR`, and leave the first as it is")
	flags.BoolVar(&f.json, "json", false, "JSON on stdout; of several directories NDJSON: a line for each")
	return cmd
}

// report is simrun report. A directory that cannot be read does not keep it from the others.
func (a *app) report(ctx context.Context, f *reportFlags, dirs []string) error {
	if len(dirs) == 0 {
		return usagef("report needs a directory of results, such as results/latest")
	}
	f.lines = len(dirs) > 1
	var (
		group []*result.Run
		of    result.Manifest
		shown bool
	)
	flush := func() error {
		err := a.showAgain(group, shown)
		shown = shown || len(group) > 0
		group = nil
		return err
	}
	for _, dir := range dirs {
		if report.IsComparison(dir) {
			if err := errors.Join(flush(), a.reportComparison(ctx, f, dir, shown)); err != nil {
				return err
			}
			shown = true
			continue
		}
		if report.IsSeeds(dir) {
			if err := errors.Join(flush(), a.reportSeeds(ctx, f, dir, shown)); err != nil {
				return err
			}
			shown = true
			continue
		}
		unfinished, isUnfinished := unfinishedSweep(dir)
		if isUnfinished {
			dir = unfinished
		}
		if isUnfinished || report.IsSweep(dir) {
			if err := errors.Join(flush(), a.reportSweep(ctx, f, dir, shown)); err != nil {
				return err
			}
			shown = true
			continue
		}
		run, m, err := loadResults(dir)
		if err == nil {
			err = a.rerender(ctx, f, dir, run, m)
		}
		if err != nil {
			a.fail(err)
			continue
		}
		if f.json {
			data, err := report.SummaryJSON(run)
			if err != nil {
				return err
			}
			a.document(data, f.lines)
			continue
		}
		if len(group) > 0 && !sameButSeed(&of, &m) {
			if err := flush(); err != nil {
				return err
			}
		}
		run.Series = result.Series{} // drawn, and not needed to show the run
		group, of = append(group, run), m
	}
	return flush()
}

// sameButSeed says whether two runs are of one scenario, with the same changes.
func sameButSeed(a, b *result.Manifest) bool {
	return a.Scenario.Name == b.Scenario.Name && a.Scenario.SourceSHA256 == b.Scenario.SourceSHA256 &&
		a.Variant == b.Variant && slices.Equal(a.VariantFlags, b.VariantFlags) &&
		slices.Equal(a.Overrides, b.Overrides) && a.NoExpect == b.NoExpect
}

// rerender draws one run again, where it is or elsewhere, and says what was written.
func (a *app) rerender(
	ctx context.Context, f *reportFlags, dir string, run *result.Run, m result.Manifest,
) error {
	files := report.Files{Manifest: m, Plots: f.plots.formats, HTML: f.html}
	toml, err := os.ReadFile(filepath.Join(dir, report.ScenarioFile))
	if err != nil {
		return &store.IOError{Err: err}
	}
	files.ScenarioTOML = toml
	if f.html && report.LostStories(dir) {
		what := "the page is left as it is"
		if f.out != "" {
			what = "the copy has none"
		}
		a.console.errorf("%s: %s is missing, with the stories that %s tells: %s; to tell them again: %s",
			dir, report.StoriesFile, report.HTMLFile, what, remake(&m))
	}
	if f.out != "" {
		return a.copyResults(ctx, f, dir, run, files)
	}
	written, err := report.Rerender(dir, run, files)
	return a.rerendered(dir, written, err)
}

// rerendered says which files of a directory were written again.
func (a *app) rerendered(dir string, written []string, err error) error {
	switch {
	case err != nil:
		return err
	case len(written) == 0:
		a.say("unchanged %s\n", dir)
	default:
		a.say("updated %s: %s\n", dir, strings.Join(written, ", "))
	}
	return nil
}

// copyResults saves one run below another directory, whole.
func (a *app) copyResults(
	ctx context.Context, f *reportFlags, dir string, run *result.Run, files report.Files,
) (err error) {
	sc, err := storedScenario(ctx, dir, &files.Manifest)
	if err != nil {
		return err
	}
	files.Beside = besideFiles(sc)
	to := report.Path(f.out, run.Scenario, files.Manifest.Variant, run.Seed, run.Key)
	files.Manifest.Host.ResultsPath = to
	if files.Stage, err = report.CopyStreams(dir, to); err != nil {
		return err
	}
	status, err := report.Save(to, run, files, false)
	if err != nil {
		return err
	}
	if status == store.Partial {
		to = store.PartialPath(to)
	}
	a.say("%s %s\n", status, to)
	return nil
}

// besideFiles are the files that the effective scenario names.
func besideFiles(sc *scenarios.Scenario) []store.File {
	var list []store.File
	for _, b := range sc.Beside {
		list = append(list, store.File{Path: filepath.ToSlash(b.Name), Data: b.Data})
	}
	return list
}

// showAgain shows runs of one scenario, of which another was shown before or not.
func (a *app) showAgain(list []*result.Run, another bool) error {
	if len(list) == 0 {
		return nil
	}
	var b strings.Builder
	if another {
		b.WriteByte('\n')
	}
	opt := report.TextOptions{Width: a.env.width(), Color: a.env.colour(a.color)}
	var err error
	if len(list) > 1 {
		err = report.SeedsText(&b, ensemble.SetOf(list), opt)
	} else {
		err = report.Summary(&b, list[0], opt)
	}
	if err != nil {
		return err
	}
	a.stdout.print(b.String())
	return nil
}
