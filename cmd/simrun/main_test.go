package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/report/store"
)

// testScenarios are copied to where a test runs simrun.
//
//go:embed testdata/scenarios
var testScenarios embed.FS

func copyScenarios(dir string) error {
	list, err := fs.Sub(testScenarios, "testdata/scenarios")
	if err != nil {
		return err
	}
	return os.CopyFS(dir, list)
}

var update = flag.Bool("update", false, "rewrite the expected output in scripts; read the diff")

// TestMain lets the test binary be simrun, when it is called so.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"simrun": simrunWithAccidents})
}

// simrunWithAccidents is main, but things that should not happen can be made to: ACCIDENT is
//
//	bug            a panic in the middle of a run
//	crash          a panic outside of any run
//	interrupt=10s  an interrupt at a simulated time
//	late=10s       the same, but of the last run
//	stuck          a run that does not end, whatever happens
//	said           none, but the last run says on stderr that it has begun
func simrunWithAccidents() {
	accident := os.Getenv("ACCIDENT")
	if accident == "" {
		main()
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := systemEnv()
	e.RunAll = func(_ context.Context, jobs []experiment.Job, workers int,
		done func(int, *result.Run) error,
	) error {
		switch accident {
		case "crash":
			panic("crash")
		case "bug":
			at(jobs, 5*time.Second, func() { panic("bug") })
		default:
			text, late := strings.CutPrefix(accident, "late=")
			when, err := time.ParseDuration(strings.TrimPrefix(text, "interrupt="))
			if err != nil {
				panic(err)
			}
			which := jobs
			if late {
				which = jobs[len(jobs)-1:]
			}
			at(which, when, cancel)
		}
		return experiment.RunAll(ctx, jobs, workers, done)
	}
	if accident == "said" {
		e.RunAll = func(ctx context.Context, jobs []experiment.Job, workers int,
			done func(int, *result.Run) error,
		) error {
			at(jobs[len(jobs)-1:], 0, sync.OnceFunc(func() { fmt.Fprintln(e.Stderr, "begun") }))
			return experiment.RunAll(ctx, jobs, workers, done)
		}
		ctx = interruptible()
	}
	if accident == "stuck" {
		e.RunAll = func(context.Context, []experiment.Job, int, func(int, *result.Run) error) error {
			select {}
		}
		ctx = interruptible()
	}
	os.Exit(run(ctx, e))
}

// at does something once each job has reached a simulated time.
func at(jobs []experiment.Job, when time.Duration, do func()) {
	for i := range jobs {
		report := jobs[i].Options.Progress
		jobs[i].Options.Progress = func(p experiment.Progress) {
			report(p)
			if p.At >= when {
				do()
			}
		}
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			return copyScenarios(env.WorkDir)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":     exitCmd,
			"sametree": sameTreeCmd,
		},
	})
}

// exitCmd is "exit CODE COMMAND…": the command ends with this code.
func exitCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// sameTreeCmd is "sametree A B": the same files with the same bytes, but for the host section of
// manifests.
func sameTreeCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] sametree A B")
	}
	a, b := readTree(ts.MkAbs(args[0])), readTree(ts.MkAbs(args[1]))
	if len(a) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	diff := ""
	for _, pair := range [][2]map[string]string{{a, b}, {b, a}} {
		for name, data := range pair[0] {
			if pair[1][name] != data {
				diff += name + " "
			}
		}
	}
	if (diff == "") == neg {
		ts.Fatalf("differences: %q", diff)
	}
}

// readTree reads all files below a directory, manifests without their host section.
func readTree(root string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if d.Name() == store.ManifestFile {
			var m map[string]json.RawMessage
			if err := json.Unmarshal(data, &m); err != nil {
				return err
			}
			delete(m, "host")
			if data, err = json.Marshal(m); err != nil {
				return err
			}
		}
		name, err := filepath.Rel(root, path)
		out[name] = string(data)
		return err
	})
	if err != nil {
		panic(err)
	}
	return out
}

// call is one call of the program inside the test.
type call struct {
	stdout, stderr bytes.Buffer
	env            env
	vars           map[string]string
}

// newCall makes a call off a terminal, in a directory of its own with the scenarios of the tests.
func newCall(t *testing.T, args ...string) *call {
	t.Helper()
	dir := t.TempDir()
	if err := copyScenarios(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return newCallHere(args...)
}

// newCallHere makes a call in the directory of the one before.
func newCallHere(args ...string) *call {
	c := &call{vars: map[string]string{}}
	c.env = env{
		Args: args, Stdout: &c.stdout, Stderr: &c.stderr, Now: time.Now, CPUs: 2,
		Getenv: func(name string) string { return c.vars[name] }, RunAll: experiment.RunAll,
	}
	return c
}

func (c *call) run(t *testing.T) exitCode {
	t.Helper()
	return exitCode(run(t.Context(), c.env))
}
