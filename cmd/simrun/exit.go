package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"simrun/experiment"
	"simrun/internal/result"
	"simrun/internal/sweep"
	"simrun/report/store"
	"simrun/scenarios"
)

// exitCode is what the process ends with.
type exitCode int

// Exit codes. Their meanings are in exitCodes.
const (
	exitOK           exitCode = 0
	exitFailed       exitCode = 1
	exitUsage        exitCode = 2
	exitInvalid      exitCode = 3
	exitUndecided    exitCode = 4
	exitIrreproduced exitCode = 5
	exitBug          exitCode = 70
	exitIO           exitCode = 74
	exitInterrupted  exitCode = 130
)

// exitCodes says what each code means, in rising order.
var exitCodes = []struct {
	Code    exitCode
	Meaning string
}{
	{exitOK, "it ran, and every expectation holds (or there is none)"},
	{exitFailed, "it ran, and an expectation failed; compare: --fail-on found a regression"},
	{exitUsage, "wrong usage: an unknown command, flag, scenario or file, a bad value"},
	{exitInvalid, "a scenario is invalid; nothing was simulated"},
	{exitUndecided, "it ran; an expectation, --fail-on or --until-precise has too few data"},
	{exitIrreproduced, "the same inputs gave another result than before: digest or files differ"},
	{exitBug, "a bug in simrun; a message says where, and how to see it again"},
	{exitIO, "a file could not be read or written, or nobody reads stdout (export: 0)"},
	{exitInterrupted, "interrupted; what was simulated so far (if any) is kept, in *.partial"},
}

// precedence is the order in which codes win if there is more than one cause.
var precedence = []exitCode{
	exitBug, exitIO, exitInterrupted, exitIrreproduced, exitUsage, exitInvalid, exitFailed,
	exitUndecided,
}

// worst is the code for several causes.
func worst(codes ...exitCode) exitCode {
	for _, c := range precedence {
		if slices.Contains(codes, c) {
			return c
		}
	}
	return exitOK
}

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// codeOf is the exit code for an error.
func codeOf(err error) exitCode {
	var (
		notFound *scenarios.NotFound
		misuse   *scenarios.Misuse
		invalid  *scenarios.Invalid
		bug      *experiment.InternalError
		conflict *store.ConflictError
		files    *store.IOError
		usage    *usageError
		path     *fs.PathError
		damage   *sweep.Damage
	)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &notFound), errors.As(err, &misuse):
		return exitUsage
	case errors.As(err, &invalid):
		return exitInvalid
	case errors.As(err, &conflict):
		if conflict.Foreign || conflict.Err != nil {
			return exitIO // no digest, so none that differs
		}
		return exitIrreproduced
	case errors.As(err, &damage) && damage.Digests:
		return exitIrreproduced
	case errors.As(err, &bug):
		return exitBug
	case errors.As(err, &files), errors.As(err, &path), errors.Is(err, syscall.EPIPE):
		return exitIO
	}
	return exitIO // what is left comes from the file system: flags and scenarios have their own
}

// verdictCode is the exit code for a verdict.
func verdictCode(v result.Verdict) exitCode {
	switch v {
	case result.Failed:
		return exitFailed
	case result.Undecided:
		return exitUndecided
	case result.Passed, result.NoExpectations:
	}
	return exitOK
}

// exitHelp is the table for people.
func exitHelp() string {
	var b strings.Builder
	b.WriteString("With several causes it is the first of ")
	for i, c := range precedence {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, int(c))
	}
	b.WriteString(".\n\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "%5d  %s\n", c.Code, c.Meaning)
	}
	return b.String()
}
