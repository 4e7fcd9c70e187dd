package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"

	"simrun/internal/result"
)

// commands are all commands that a user may call, the root first.
func commands() []*cobra.Command {
	a := &app{stdout: &stickyWriter{w: io.Discard}}
	root := a.root()
	list := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if !c.IsAdditionalHelpTopicCommand() {
			list = append(list, c)
		}
	}
	return list
}

// Goal: the help of each command fits one screen and starts with examples.
func TestHelpFitsAScreen(t *testing.T) {
	const lines, columns = 40, 80
	for _, cmd := range commands() {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		c := newCall(t, args...)
		if code := c.run(t); code != exitOK || c.stderr.Len() > 0 {
			t.Errorf("%v: code %d, %s", args, code, c.stderr.String())
		}
		text := c.stdout.String()
		list := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if len(list) > lines {
			t.Errorf("%v has %d lines", args, len(list))
		}
		for _, line := range list {
			if len([]rune(line)) > columns {
				t.Errorf("%v is wider than %d columns: %q", args, columns, line)
			}
		}
		if !strings.HasPrefix(list[2], "  simrun ") {
			t.Errorf("%v does not start with an example:\n%s", args, text)
		}
	}
}

// Goal: the pages of topics fit 80 columns and name every code and metric.
func TestTopics(t *testing.T) {
	for topic, names := range map[string][]string{
		"exit-codes": {
			"  0  ", "  1  ", "  2  ", "  3  ", "  4  ", "  5  ", " 70  ", " 74  ", "130  ",
			"70, 74, 130, 5,",
		},
		"metrics": metricNames(),
	} {
		c := newCall(t, "help", topic)
		c.run(t)
		text := c.stdout.String()
		for _, name := range names {
			if !strings.Contains(text, name) {
				t.Errorf("%s does not mention %q", topic, name)
			}
		}
		for line := range strings.Lines(text) {
			if len([]rune(line)) > 81 {
				t.Errorf("%s is too wide: %q", topic, line)
			}
		}
	}
}

func metricNames() []string {
	var out []string
	for _, m := range result.Metrics() {
		out = append(out, "\n"+m.Name+" (")
	}
	return out
}

// Goal: the examples in the help do what they say. Method: run each of them, up to a pipe.
func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range commands() {
		for line := range strings.Lines(cmd.Example) {
			words := exampleWords(line)
			key := strings.Join(words, " ")
			if len(words) == 0 || seen[key] {
				continue
			}
			seen[key] = true
			c := newCall(t, words...)
			if strings.Contains(key, "results/") { // of an earlier run
				made := newCallHere("run", "./hang.toml", "--plots", "none", "--html=false")
				if code := made.run(t); code != exitOK {
					t.Fatalf("code %d\n%s", code, made.stderr.String())
				}
			}
			if strings.Contains(key, "compare-") {
				made := newCallHere(quickly([]string{"compare", "./variants.toml", "--seeds", "1..2"})...)
				if code := made.run(t); code != exitOK {
					t.Fatalf("code %d\n%s", code, made.stderr.String())
				}
			}
			c.env.Args = quickly(globbed(words))
			if err := os.Rename("quick.toml", "my.toml"); err != nil {
				t.Fatal(err)
			}
			if code := c.run(t); code != exitOK {
				t.Errorf("simrun %s: code %d\n%s", key, code, c.stderr.String())
			}
			if c.stdout.Len() == 0 && !strings.Contains(c.stderr.String(), "wrote ") {
				t.Errorf("simrun %s printed and wrote nothing", key)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d examples", len(seen))
	}
}

// quickly leaves out the pictures and the page of a run, which have tests of their own.
func quickly(args []string) []string {
	simulates := args[0] == "run" || args[0] == "sweep"
	if simulates || args[0] == "compare" && !strings.Contains(args[1], "compare-") {
		return append(args, "--plots", "none", "--html=false")
	}
	return args
}

// globbed does what a shell does with stars.
func globbed(words []string) []string {
	var out []string
	for _, word := range words {
		found, err := filepath.Glob(word)
		if err != nil || len(found) == 0 {
			found = []string{word}
		}
		out = append(out, found...)
	}
	return out
}

// exampleWords are the arguments in a line of an example: what stands before two spaces or a pipe.
func exampleWords(line string) []string {
	line, isCommand := strings.CutPrefix(strings.TrimSpace(line), "simrun ")
	if !isCommand {
		return nil
	}
	line, _, _ = strings.Cut(line, " | ")
	line, _, _ = strings.Cut(line, "  ")
	return strings.Fields(line)
}

// Goal: the rules for colours.
func TestColour(t *testing.T) {
	for _, tt := range []struct {
		flag string
		tty  bool
		vars map[string]string
		want bool
	}{
		{"auto", false, nil, false},
		{"auto", true, nil, true},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, false},
		{"auto", false, map[string]string{"FORCE_COLOR": "1"}, true},
		{"auto", false, map[string]string{"FORCE_COLOR": "0"}, false},
		{"always", false, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{"never", true, map[string]string{"FORCE_COLOR": "1"}, false},
	} {
		c := newCall(t, "run", "./quick.toml", "--plots", "none", "--html=false", "--color", tt.flag)
		c.env.StdoutTTY, c.vars = tt.tty, tt.vars
		if code := c.run(t); code != exitOK {
			t.Fatalf("code %d: %s", code, c.stderr.String())
		}
		if got := strings.Contains(c.stdout.String(), "\x1b["); got != tt.want {
			t.Errorf("--color %s, terminal %v, %v: colours %v", tt.flag, tt.tty, tt.vars, got)
		}
		if strings.ContainsAny(c.stderr.String(), "\r\x1b") {
			t.Error("stderr is no terminal, but has control characters")
		}
		// What is kept never has colours.
		text, err := os.ReadFile("results/latest/summary.txt")
		if err != nil || strings.Contains(string(text), "\x1b") {
			t.Errorf("summary.txt has colours (%v)", err)
		}
	}
}

// Goal: how wide text is, on terminals of any size and off them.
func TestWidth(t *testing.T) {
	for _, tt := range []struct {
		tty     bool
		columns int
		vars    map[string]string
		want    int
	}{
		{false, 200, nil, 80},
		{true, 72, nil, 72},
		{true, 200, nil, 100},
		{true, 0, nil, 80},
		{true, 5, nil, 5},
		{false, 0, map[string]string{"COLUMNS": "60"}, 60},
		{true, 72, map[string]string{"COLUMNS": "nonsense"}, 72},
		{true, 72, map[string]string{"COLUMNS": "-1"}, 72},
	} {
		e := env{
			StdoutTTY: tt.tty, Columns: tt.columns,
			Getenv: func(name string) string { return tt.vars[name] },
		}
		if got := e.width(); got != tt.want {
			t.Errorf("terminal %v, %d columns, %v: %d", tt.tty, tt.columns, tt.vars, got)
		}
	}
}

// Goal: nothing breaks on a tiny terminal. Method: every command that prints, from 1 column up.
func TestTinyTerminals(t *testing.T) {
	for _, columns := range []int{1, 2, 7, 20, 35, 36, 37, 40, 60} {
		for _, args := range [][]string{
			{"run", "./quick.toml", "--plots", "none", "--html=false"},
			{"run", "./quick.toml", "--plots", "none", "--html=false", "--seeds", "1..2"},
			{"list"},
			{"help", "metrics"},
			{"run", "./broken.toml"},
		} {
			c := newCall(t, args...)
			c.env.StdoutTTY, c.env.StderrTTY, c.env.Columns = true, true, columns
			if code := c.run(t); code != exitOK && code != exitInvalid {
				t.Errorf("%d columns, %v: code %d\n%s", columns, args, code, c.stderr.String())
			}
			if columns < barColumns && strings.Contains(c.stderr.String(), "\r") {
				t.Errorf("%d columns, %v: a progress bar", columns, args)
			}
		}
	}
}

// Goal: the progress bar is there on a terminal and nowhere else, says where the run is, stays within
// the terminal and is gone at the end.
func TestProgressBar(t *testing.T) {
	run := func(change func(*call)) string {
		c := newCall(t, "run", "./quick.toml", "--plots", "none", "--html=false")
		c.env.StderrTTY, c.env.Columns = true, 90
		change(c)
		if code := c.run(t); code != exitOK {
			t.Fatalf("code %d: %s", code, c.stderr.String())
		}
		return c.stderr.String()
	}
	text := run(func(*call) {})
	if !strings.Contains(text, "0%") {
		t.Errorf("no bar: %q", text)
	}
	for _, frame := range strings.Split(text, "\r") {
		frame, _, _ = strings.Cut(frame, "\n")
		frame = strings.NewReplacer("\x1b[0K", "", "\x1b[2K", "").Replace(frame)
		if n := len([]rune(frame)); n > 90 {
			t.Errorf("%d columns: %q", n, frame)
		}
	}
	last := text[strings.LastIndex(text, "\r")+1:]
	if !strings.HasPrefix(last, "wrote ") && !strings.HasPrefix(last, "next: ") {
		t.Errorf("the bar is not gone: %q", last)
	}
	for name, change := range map[string]func(*call){
		"no terminal": func(c *call) { c.env.StderrTTY = false },
		"quiet":       func(c *call) { c.env.Args = append(c.env.Args, "-q") },
		"dumb":        func(c *call) { c.vars["TERM"] = "dumb" },
	} {
		if text := run(change); strings.ContainsAny(text, "\r\x1b") {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		columns int
		want    string
	}{
		{100, "quick 12 s · before"},
		{19, "quick 12 s · before"},
		{18, "quick 12 s · befo…"},
		{11, ""},
		{-5, ""},
	} {
		if got := cut("quick 12 s · before", tt.columns); got != tt.want {
			t.Errorf("%d columns: %q", tt.columns, got)
		}
	}
}

func TestParseSeeds(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []uint64
		err  string
	}{
		{"7", []uint64{7}, ""},
		{"1..4", []uint64{1, 2, 3, 4}, ""},
		{"1,2,5", []uint64{1, 2, 5}, ""},
		{"9,1..2", []uint64{9, 1, 2}, ""},
		{"5..5", []uint64{5}, ""},
		{
			"18446744073709551614..18446744073709551615",
			[]uint64{18446744073709551614, 18446744073709551615},
			"",
		},
		{"", nil, "no seed"},
		{"1,", nil, "no seed"},
		{"1..", nil, "no seed"},
		{"..3", nil, "no seed"},
		{"1-3", nil, "no seed"},
		{"-1..3", nil, "no seed"},
		{"1..3,2", nil, "seed 2 twice"},
		{"4..3", nil, "backwards"},
		{"0..100000", nil, "more than"},
		{"0..99998,100000,100001,100002", nil, "more than"},
		{"0..18446744073709551615", nil, "more than"},
	} {
		got, err := parseSeeds(tt.text)
		if tt.err == "" && (err != nil || !slices.Equal(got, tt.want)) {
			t.Errorf("%q: %v, %v", tt.text, got, err)
		}
		if tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%q: %v, want an error with %q", tt.text, err, tt.err)
		}
	}
}

// Goal: the order in which exit codes win is total over all codes but 0.
func TestWorst(t *testing.T) {
	if got := worst(); got != exitOK {
		t.Errorf("no cause: %d", got)
	}
	for _, c := range exitCodes {
		if c.Code != exitOK && !slices.Contains(precedence, c.Code) {
			t.Errorf("code %d has no rank", c.Code)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		codes := rapid.SliceOf(rapid.SampledFrom(append(slices.Clone(precedence), exitOK))).Draw(t, "codes")
		got := worst(codes...)
		for _, c := range codes {
			if c != exitOK && slices.Index(precedence, c) < slices.Index(precedence, got) {
				t.Fatalf("%v: %d, but %d is worse", codes, got, c)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"seed", "seeds", "set", "verbose", "json"}
	for give, want := range map[string]string{
		"sed": "seed", "see": "seed", "sets": "set", "verb": "verbose", "jsno": "json", "x": "", "frobnicate": "",
	} {
		if got := nearest(give, names); got != want {
			t.Errorf("%s: %q, want %q", give, got, want)
		}
	}
}

// Goal: the text of a build says what is known and no more.
func TestBuildText(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		commit string
		dirty  *bool
		want   string
	}{
		{"", nil, "simrun v1, "},
		{"0123456789abcdef", &no, "simrun v1 (commit 0123456789ab), "},
		{"0123456789abcdef", &yes, "simrun v1 (commit 0123456789ab, with changes), "},
	} {
		b := result.Build{Version: "v1", Commit: tt.commit, Dirty: tt.dirty}
		if got := buildText(b); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q, want %q", got, tt.want)
		}
		data, err := json.Marshal(b)
		if err != nil || strings.Contains(string(data), "dirty") != (tt.dirty != nil) ||
			strings.Contains(string(data), "commit") != (tt.commit != "") {
			t.Errorf("%s (%v)", data, err)
		}
	}
}

func TestShellQuote(t *testing.T) {
	for give, want := range map[string]string{
		"a/b.toml": "a/b.toml", "producer.*.threads=4": "'producer.*.threads=4'", "it's": `'it'\''s'`,
		"": "''", "rate=\"4/s\"": `'rate="4/s"'`,
	} {
		if got := shellQuote(give); got != want {
			t.Errorf("%s: %s, want %s", give, got, want)
		}
	}
}

// simrun is the test binary called as the program.
func simrun(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the test sends signals and closes pipes as Unix has them")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "simrun"
	cmd.Dir = t.TempDir()
	if err := copyScenarios(cmd.Dir); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func exitStatus(t *testing.T, err error) exitCode {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exitCode(exit.ExitCode())
	}
	t.Fatal(err)
	return 0
}

// Goal: a reader that goes away ends in 74 without a word, and the results are kept all the same.
func TestClosedPipe(t *testing.T) {
	cmd := simrun(t, "run", "./quick.toml", "--plots", "none", "--html=false")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = w, &stderr
	err = cmd.Run()
	w.Close()
	if code := exitStatus(t, err); code != exitIO {
		t.Errorf("code %d", code)
	}
	if strings.Contains(stderr.String(), "simrun: ") || strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("stderr: %s", stderr.String())
	}
	if _, err := os.Stat(filepath.Join(cmd.Dir, "results/latest/summary.json")); err != nil {
		t.Error(err)
	}
}

// Goal: a full disk behind stdout is an error that is told.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no device that is always full: ", err)
	}
	defer full.Close()
	for _, args := range [][]string{{"list"}, {"help"}, {"help", "metrics"}, {"run", "--help"}} {
		cmd := simrun(t, args...)
		var stderr strings.Builder
		cmd.Stdout, cmd.Stderr = full, &stderr
		if code := exitStatus(t, cmd.Run()); code != exitIO {
			t.Errorf("%v: code %d", args, code)
		}
		text := stderr.String()
		if !strings.HasPrefix(text, "simrun: standard output: ") || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: stderr: %s", args, text)
		}
	}
}

// Goal: the first interrupt is answered at once and ends the run in good order. Method: a run that
// takes minutes, and a signal when the short one before it is kept and it has begun.
func TestInterruptSignal(t *testing.T) {
	cmd := simrun(t, "run", "./quick.toml", "./long.toml", "-j", "1", "--plots", "none", "--html=false")
	cmd.Env = append(os.Environ(), "ACCIDENT=said")
	stderr := start(t, cmd)
	await(t, stderr, "begun") // its worker may be ahead of who tells what was kept, or behind
	signalTo(t, cmd, os.Interrupt)
	await(t, stderr, "interrupted: stopping")
	await(t, stderr, "kept results/long/")
	if code := exitStatus(t, wait(cmd, stderr)); code != exitInterrupted {
		t.Errorf("code %d", code)
	}
}

// Goal: a second interrupt ends even a simulator that is stuck.
func TestSecondInterrupt(t *testing.T) {
	cmd := simrun(t, "run", "./quick.toml", "-v")
	cmd.Env = append(os.Environ(), "ACCIDENT=stuck")
	stderr := start(t, cmd)
	await(t, stderr, "running")
	signalTo(t, cmd, os.Interrupt)
	await(t, stderr, "interrupted: stopping")
	signalTo(t, cmd, os.Interrupt)
	var exit *exec.ExitError
	if err := wait(cmd, stderr); !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if status := exit.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGINT {
		t.Errorf("%v", status)
	}
}

func start(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return bufio.NewScanner(pipe)
}

// await reads lines up to one that begins with a prefix.
func await(t *testing.T, lines *bufio.Scanner, prefix string) {
	t.Helper()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return
		}
	}
	t.Fatalf("no line begins with %q", prefix)
}

func signalTo(t *testing.T, cmd *exec.Cmd, s os.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

func wait(cmd *exec.Cmd, rest *bufio.Scanner) error {
	for rest.Scan() {
	}
	return cmd.Wait()
}
