package main

import (
	"bytes"
	"errors"
	"fmt"

	"simrun/internal/result"
	"simrun/report"
	"simrun/report/store"
)

// keepComparison writes a comparison to its directory, shows it, and books what it comes to. Where a verdict
// takes more seeds it ends with how to get them: more, with the seeds in it.
func (a *app) keepComparison(
	f *compareFlags, c *result.Comparison, seeds []uint64, files report.CompareFiles, more string,
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
	case status == store.Partial:
		a.say("kept %s\n", store.PartialPath(dir))
	default:
		a.say("%s %s\n", status, dir)
	}
	if !c.Complete {
		return nil // what part of the seeds says is no verdict
	}
	if p := c.Precision; p != nil && !p.Reached {
		a.codes = append(a.codes, exitUndecided)
		flag := "--max-seeds"
		if len(f.seeds.seeds) > 0 {
			flag = "--seeds"
		}
		a.console.errorf("undecided: %s is not known to %s after %s; %s allows more", p.Addressed(),
			report.HalfWidth(p.Target), plural(len(c.Seeds), "seed"), flag)
	}
	a.failOn(f, c)
	if len(c.Seeds) < c.SeedsNeeded {
		a.say("next: %s %s   # a verdict takes so many\n", more, seedsFrom(c.Seeds[0], c.SeedsNeeded))
	}
	return nil
}

// seedsFrom are so many seeds, from one on if there are so many.
func seedsFrom(first uint64, n int) string {
	last := first + uint64(n) - 1
	if last < first {
		first, last = 1, uint64(n)
	}
	return fmt.Sprintf("--seeds %d..%d", first, last)
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
	for _, address := range f.failOn.addresses {
		if !f.failOn.tested(c, address) {
			return usagef("--fail-on: %s was not named before the runs of %s; compare again with --metrics",
				address, dir)
		}
	}
	if err := a.printComparison(f, c); err != nil {
		return err
	}
	if !c.Complete {
		a.say("%s is of an interrupted comparison\n", dir)
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
	var schema *store.SchemaError
	switch {
	case errors.As(err, &schema):
		return nil, fmt.Errorf("%w\nsimrun: simrun %s made it; compare again with this one", err,
			m.Simrun.Version)
	case err != nil:
		return nil, fmt.Errorf("%w\nsimrun: the directory is damaged; compare again with --force", err)
	}
	return c, nil
}
