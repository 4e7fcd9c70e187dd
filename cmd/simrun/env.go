package main

import (
	"context"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"simrun/experiment"
	"simrun/internal/result"
)

// env is everything the command line takes from its surroundings, so that a test can be them.
type env struct {
	// Args are the arguments without the program's name.
	Args []string
	// Stdout takes data: summaries, JSON, lists. Stderr takes everything else.
	Stdout, Stderr io.Writer
	// StdoutTTY and StderrTTY say what is a terminal, Columns how wide it is (0: unknown).
	StdoutTTY, StderrTTY bool
	Columns              int
	Getenv               func(string) string
	// Now is the wall clock. It appears in the manifest's host section and on stderr only.
	Now func() time.Time
	// CPUs is the number of runs that are made at once unless told otherwise.
	CPUs int
	// RunAll makes the runs; tests put accidents here.
	RunAll func(context.Context, []experiment.Job, int, func(int, *result.Run) error) error
}

// systemEnv is the real thing.
func systemEnv() env {
	e := env{
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
		StdoutTTY: term.IsTerminal(int(os.Stdout.Fd())),
		StderrTTY: term.IsTerminal(int(os.Stderr.Fd())),
		Getenv:    os.Getenv,
		Now:       time.Now,
		CPUs:      cpus(),
		RunAll:    experiment.RunAll,
	}
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && e.Columns == 0 {
			e.Columns = width
		}
	}
	return e
}

// widest is how wide text gets on a wide terminal: longer lines are hard to read.
const widest = 100

// width is the number of columns for what goes to stdout: 80 unless it is a terminal, or the user
// says how wide it is.
func (e *env) width() int {
	columns := 0
	if e.StdoutTTY {
		columns = e.Columns
	}
	if n, err := strconv.Atoi(e.Getenv("COLUMNS")); err == nil && n > 0 {
		columns = n
	}
	if columns == 0 {
		return 80
	}
	return min(columns, widest)
}

// colour decides whether stdout gets colours. The flag beats the environment, NO_COLOR beats
// FORCE_COLOR, and without any of them a terminal that is not dumb gets them.
func (e *env) colour(flag string) bool { return e.colourOn(e.StdoutTTY, flag) }

// colourOn decides it for a terminal, or what is none.
func (e *env) colourOn(tty bool, flag string) bool {
	switch {
	case flag == colorAlways:
		return true
	case flag == colorNever, e.Getenv("NO_COLOR") != "":
		return false
	case e.Getenv("FORCE_COLOR") != "" && e.Getenv("FORCE_COLOR") != "0":
		return true
	}
	return tty && e.Getenv("TERM") != "dumb"
}
