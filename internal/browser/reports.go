package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// shipped are the scenarios that come with the program of which reports are opened: one that passes, with
// zones, with losses and stories, with a fault of the network.
var shipped = []string{"quickstart", "zone-dark", "two-masters-down", "replication-cut"}

// comparisons are what is compared: two variants with a verdict, and more than colours, of too few seeds.
var comparisons = [][]string{
	{"quickstart", "--versions", "4.9.8,5.3.3", "--seeds", "1..10"},
	{
		"quickstart", "--versions", "4.9.8,5.1.4,5.3.3", "--broker-versions", "4.9.8,5.1.4,5.3.3", "--seeds", "1..4",
	},
}

// makeReports runs the shipped scenarios and those in testdata (a verdict that failed, no faults at all, many
// brokers and faults), compares some, and returns their pages.
func makeReports(ctx context.Context, o options) ([]string, error) {
	own, err := filepath.Glob(filepath.Join(o.testdata, "scenarios", "*.toml"))
	if err != nil {
		return nil, err
	}
	refs := slices.Clone(shipped)
	for _, path := range own {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		refs = append(refs, abs)
	}
	results := filepath.Join(o.out, "results")
	cmd := exec.CommandContext(ctx, o.simrun, append([]string{"run", "-q", "--plots", "none", "-o", results}, refs...)...)
	cmd.Stderr = os.Stderr
	const expectationsFailed = 1 // that of one scenario does, on purpose
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != expectationsFailed {
		return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	for _, args := range comparisons {
		cmd := exec.CommandContext(ctx, o.simrun, append([]string{
			"compare", "-q", "--plots", "none", "-o", results,
		}, args...)...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
		}
	}
	pages, err := filepath.Glob(filepath.Join(results, "*", "s*", "report.html"))
	if err != nil {
		return nil, err
	}
	compared, err := filepath.Glob(filepath.Join(results, "*", "compare-*", "report.html"))
	pages = append(pages, compared...)
	if want := len(refs) + len(comparisons); err == nil && len(pages) < want {
		err = fmt.Errorf("%d reports of %d runs and comparisons", len(pages), want)
	}
	return pages, err
}
