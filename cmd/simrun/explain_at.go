package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"simrun/experiment"
	"simrun/report"
	"simrun/scenarios"
)

// atValue is the flag --at.
type atValue struct {
	set bool
	at  time.Duration
}

func (v *atValue) Set(text string) (err error) {
	v.at, err = time.ParseDuration(text)
	if err != nil || v.at < 0 {
		hint := ""
		if _, bare := strconv.ParseFloat(text, 64); bare == nil && !strings.HasPrefix(text, "-") {
			hint = "; did you mean " + text + "s?"
		}
		return fmt.Errorf("%q is no time of a run: it must have a unit, as 25s or 20.4113s%s", text, hint)
	}
	v.set = true
	return nil
}

func (v *atValue) String() string { return "" }
func (v *atValue) Type() string   { return "TIME" }

// instanceValue is the flag --producer: a group, and perhaps an instance of it.
type instanceValue struct {
	group    string
	instance int
	numbered bool
}

func (v *instanceValue) Set(text string) error {
	group, number, numbered := strings.Cut(text, "#")
	v.group, v.numbered = group, numbered
	if group == "" {
		return fmt.Errorf("%q names no producer group", text)
	}
	if !numbered {
		return nil
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return fmt.Errorf("%q: the instance must be a whole number from 0, as %s#0", text, group)
	}
	v.instance = int(n)
	return nil
}

func (v *instanceValue) String() string {
	if v.numbered {
		return v.group + "#" + strconv.Itoa(v.instance)
	}
	return v.group
}

func (v *instanceValue) Type() string { return "GROUP" }

// explainAt is simrun explain --at.
func (a *app) explainAt(ctx context.Context, f *explainFlags, sc *scenarios.Scenario) error {
	group, err := f.group(sc)
	if err != nil {
		return err
	}
	g := &sc.Config.Producers[group]
	switch {
	case f.at.at > sc.Config.Duration:
		return usagef("--at %s is after the end of the run (duration = %q)", secondsText(f.at.at),
			secondsText(sc.Config.Duration))
	case f.producer.instance >= g.Count:
		return usagef("--producer %s: the group has %s, numbered from 0 to %d", f.producer.String(),
			plural(g.Count, "instance"), g.Count-1)
	case !f.producer.numbered && g.Count > 1:
		a.say("instance 0 of %d; --producer %s#1 is another\n", g.Count, g.Name)
	}
	if !a.quiet {
		a.console.begin(f.at.at)
	}
	opt := experiment.Options{Progress: func(p experiment.Progress) {
		a.console.advance(p.At, fmt.Sprintf("%s of %s", whole(p.At), whole(f.at.at)))
	}}
	at := experiment.Instant{Producer: group, Instance: f.producer.instance, At: f.at.at}
	snap, err := experiment.At(ctx, sc, at, opt)
	a.console.clear()
	if a.wasInterrupted(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.shown(f, snap, func(w io.Writer, opt report.TextOptions) error {
		return report.ExplainAt(w, snap, opt, f.verbose)
	})
}

// wasInterrupted says whether an error is an interrupt, and if so says that to the user.
func (a *app) wasInterrupted(err error) bool {
	if !errors.Is(err, context.Canceled) {
		return false
	}
	a.codes = append(a.codes, exitInterrupted)
	a.console.errorf("interrupted")
	return true
}
