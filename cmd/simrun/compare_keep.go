package main

import (
	"bytes"
	"errors"
	"fmt"

	"simrun/internal/result"
	"simrun/report"
)

// keepComparison writes a comparison to its directory, shows it, and books what it comes to.
func (a *app) keepComparison(
	f *compareFlags, c *result.Comparison, seeds []uint64, files report.CompareFiles,
) error {
	dir := report.ComparePath(f.out, c, seeds)
	files.Manifest.Host.ResultsPath = dir
	status, err := report.SaveComparison(dir, c, files, f.force)
	if err := a.printComparison(f, c); err != nil {
		return err
	}
	switch {
	case err != nil:
		a.codes = append(a.codes, codeOf(err))
		a.console.errorf("%v", err)
		a.console.print(conflictHelp(err))
	case status == report.StatusPartial:
		a.say("kept %s\n", report.PartialPath(dir))
	default:
		a.say("%s %s\n", status, dir)
	}
	if !c.Complete {
		return nil // what part of the seeds says is no verdict
	}
	if p := c.Precision; p != nil && !p.Reached {
		a.codes = append(a.codes, exitUndecided)
		a.console.errorf("undecided: %s is not known to ±%.3g %% after %s; --max-seeds allows more",
			p.Addressed(), 100*p.Target, plural(len(c.Seeds), "seed"))
	}
	a.failOn(f, c)
	if len(c.Seeds) < c.SeedsNeeded {
		a.say("next: the same with --seeds 1..%d   # a verdict takes so many\n", c.SeedsNeeded)
	}
	return nil
}

// printComparison writes a comparison to stdout.
func (a *app) printComparison(f *compareFlags, c *result.Comparison) error {
	data, err := a.comparisonAs(f.format, c)
	if err == nil {
		a.console.data(func() { a.stdout.print(string(data)) })
	}
	return err
}

// comparisonAs is a comparison in one of the formats.
func (a *app) comparisonAs(format string, c *result.Comparison) ([]byte, error) {
	var b bytes.Buffer
	switch format {
	case formatJSON:
		return report.CompareJSON(c)
	case formatCSV:
		return report.CompareCSV(c)
	case formatMarkdown:
		err := report.CompareMarkdown(&b, c)
		return b.Bytes(), err
	}
	err := report.CompareText(&b, c, report.TextOptions{Width: a.env.width(), Color: a.env.colour(a.color)})
	return b.Bytes(), err
}

// showComparison shows a comparison again, from its directory.
func (a *app) showComparison(f *compareFlags, dir string) error {
	c, err := loadComparison(dir)
	if err != nil {
		return err
	}
	if err := a.printComparison(f, c); err != nil {
		return err
	}
	if !c.Complete {
		a.say("%s is of an interrupted comparison\n", dir)
		return nil
	}
	for _, address := range f.failOn.addresses {
		if !f.failOn.tested(c, address) {
			return usagef("--fail-on: %s was not named before the runs of %s; compare again with --metrics",
				address, dir)
		}
	}
	a.failOn(f, c)
	return nil
}

// loadComparison reads a comparison, and tells what to do if it cannot.
func loadComparison(dir string) (*result.Comparison, error) {
	m, err := manifestOf(dir)
	if err != nil {
		return nil, err
	}
	c, err := report.LoadComparison(dir)
	var schema *report.SchemaError
	switch {
	case errors.As(err, &schema):
		return nil, fmt.Errorf("%w\nsimrun: simrun %s made it; compare again with this one", err,
			m.Simrun.Version)
	case err != nil:
		return nil, fmt.Errorf("%w\nsimrun: the directory is damaged; compare again with --force", err)
	}
	return c, nil
}
