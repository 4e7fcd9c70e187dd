package main

import (
	"context"
	"errors"
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

// sweeps are grids with maps, of which cells are crossed out, lines, points that fill a space, and a variant.
var sweeps = [][]string{
	{
		"quickstart", "--set", "fault.crash.kind=pause", "--param", "producer.*.send_msg_timeout=1s..3s/1s",
		"--param", "producer.*.latency_max~scale=0.25,1,4", "--seeds", "1..6", "--require", "time_to_avoid<=2s",
		"--require", "failed<=500",
	},
	{"quickstart", "--param", "producer.*.client=java-4.9.8,java-5.3.3", "--seeds", "1..4"},
	{
		"tuning", "--variant", "half", "--param", "producer.*.latency_max~shape=0.5..2@log",
		"--param", "producer.*.not_available_duration~scale=0.25..4@log", "--param", "producer.*.threads=8..64",
		"--design", "halton", "--points", "12", "--seeds", "1..2",
	},
}

// seeds is a scenario that is run with several seeds.
var seeds = []string{"silent-death", "--seeds", "1..13"}

// makeReports runs the shipped scenarios and those in testdata (a verdict that failed, no faults at all, many
// brokers and faults), compares and sweeps some, and returns their pages.
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
	if err := errors.Join(
		simrunEach(ctx, o, results, "compare", comparisons), simrunEach(ctx, o, results, "sweep", sweeps),
	); err != nil {
		return nil, err
	}
	cmd = exec.CommandContext(ctx, o.simrun, append([]string{
		"run", "-q", "--plots", "none", "-o", filepath.Join(o.out, "seeds"),
	}, seeds...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != expectationsFailed {
		return nil, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	var pages []string
	for _, pattern := range []string{
		"results/*/s*", "results/*/compare-*", "results/*/*/sweep-*", "seeds/*/seeds-*",
	} {
		found, err := filepath.Glob(filepath.Join(o.out, pattern, "report.html"))
		if err != nil {
			return nil, err
		}
		pages = append(pages, found...)
	}
	if want := len(refs) + len(comparisons) + len(sweeps) + 1; len(pages) < want {
		return nil, fmt.Errorf("%d reports of %d runs, comparisons, sweeps and seeds", len(pages), want)
	}
	return pages, nil
}

// simrunEach calls a command of simrun several times.
func simrunEach(ctx context.Context, o options, results, command string, calls [][]string) error {
	for _, args := range calls {
		cmd := exec.CommandContext(ctx, o.simrun, append([]string{
			command, "-q", "--plots", "none", "-o", results,
		}, args...)...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
		}
	}
	return nil
}
