package main

import (
	"regexp"
	"strings"
)

// Inks of problems, those of the reports.
const (
	inkBold    = "\x1b[1m"
	inkBad     = "\x1b[31m"
	inkGood    = "\x1b[32m"
	inkDoubted = "\x1b[33m"
	inkOff     = "\x1b[0m"
)

var (
	// headline is the first line of a problem: its place, and perhaps that it is a warning.
	headline = regexp.MustCompile(`^([^\s:]+(?::\d+:\d+)?: )(warning: )?`)
	// carets are the line under an excerpt.
	carets = regexp.MustCompile(`^( +\| *)(\^+)$`)
)

// painted gives problems their colours, if stderr gets any: the place, the word warning, the carets.
func (a *app) painted(text string) string {
	if !a.env.colourOn(a.env.StderrTTY, a.color) {
		return text
	}
	lines, ink := strings.Split(text, "\n"), inkBad
	for i, line := range lines {
		if m := carets.FindStringSubmatch(line); m != nil {
			lines[i] = m[1] + ink + m[2] + inkOff
		} else if m := headline.FindStringSubmatch(line); m != nil {
			ink = inkBad
			head := inkBold + m[1] + inkOff
			if m[2] != "" {
				ink = inkDoubted
				head += ink + m[2] + inkOff
			}
			lines[i] = head + line[len(m[0]):]
		}
	}
	return strings.Join(lines, "\n")
}
