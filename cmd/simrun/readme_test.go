package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/report"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The scenario that the README explains is one, and its commands work. The first of them is what the
// examples are made with, see TestExamplesRepeat.
func TestReadmeCommands(t *testing.T) {
	text := readme(t)
	scenario := regexp.MustCompile("(?s)```toml\n(.*?)```").FindStringSubmatch(text)
	if scenario == nil {
		t.Fatal("no scenario")
	}
	commands := regexp.MustCompile(`(?m)^\$ go run \./cmd/simrun (.*mine\.toml.*)$`).
		FindAllStringSubmatch(text, -1)
	if len(commands) < 4 {
		t.Fatalf("found %d commands", len(commands))
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("mine.toml", []byte(scenario[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), env{
			Args: quickly(strings.Fields(c[1])), Stdout: &stdout, Stderr: &stderr,
			Getenv: func(string) string { return "" }, Now: time.Now, CPUs: runtime.NumCPU(),
			RunAll: experiment.RunAll,
		})
		if code != 0 {
			t.Errorf("%s: exit %d\n%s%s", c[1], code, &stdout, &stderr)
		}
	}
}

// The README's numbers and its figure are those of the examples.
func TestReadmeNumbers(t *testing.T) {
	text := readme(t)
	on, off := example(t, "two-masters-down"), example(t, "two-masters-down-plain")
	seconds := func(ns int64, digits int) string {
		return fmt.Sprintf("%.*f s", digits, time.Duration(ns).Seconds())
	}
	millis := func(ns int64) string { return fmt.Sprintf("%.1f ms", float64(ns)/1e6) }
	thousands := func(n int64) string { return fmt.Sprintf("%d %03d", n/1000, n%1000) }
	for _, row := range []string{
		fmt.Sprintf("| median send, waits for a thread included | %s | %s |",
			millis(on.Latency.P50NS), seconds(off.Latency.P50NS, 1)),
		fmt.Sprintf("| 99th percentile | %s | %s |",
			seconds(on.Latency.P99NS, 1), seconds(off.Latency.P99NS, 1)),
		fmt.Sprintf("| sends that fail, of %s | %s | %s |",
			thousands(on.Messages), thousands(on.Failed), thousands(off.Failed)),
	} {
		if !strings.Contains(text, row) {
			t.Errorf("the README has no row %q", row)
		}
	}
	figures, err := filepath.Glob("../../results/examples/two-masters-down/*/plots/timeline.png")
	if err != nil || len(figures) != 1 || !strings.Contains(text, strings.TrimPrefix(figures[0], "../../")) {
		t.Errorf("the README does not show %v (%v)", figures, err)
	}
}

// example is what an example says of the time of its fault.
func example(t *testing.T, name string) result.Stats {
	t.Helper()
	dirs, err := filepath.Glob("../../results/examples/" + name + "/s*")
	if err != nil || len(dirs) != 1 {
		t.Fatalf("example %s: %v, %v", name, dirs, err)
	}
	r, err := report.Load(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Stats {
		if s.Phase == "fault.power-cut" && s.Dim == result.DimAll {
			return s
		}
	}
	t.Fatalf("example %s has no row for the fault", name)
	return result.Stats{}
}
