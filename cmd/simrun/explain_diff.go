package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"simrun/experiment"
	"simrun/report"
	"simrun/scenarios"
)

// versionsValue is the flag --versions: two releases of the clients.
type versionsValue struct{ a, b string }

func (v *versionsValue) Set(text string) error {
	a, b, ok := strings.Cut(text, ",")
	if !ok || a == "" || b == "" || strings.Contains(b, ",") || a == b {
		return fmt.Errorf("%q is not two releases of the clients, as 4.9.8,5.3.3", text)
	}
	v.a, v.b = a, b
	return nil
}

func (v *versionsValue) String() string { return "" }
func (v *versionsValue) Type() string   { return "A,B" }

// set is what makes all clients be of a release: "5.3.3" is the Java client's, as "java-5.3.3" is.
func (v *versionsValue) set(release string) string {
	if !strings.HasPrefix(release, "java-") && !strings.HasPrefix(release, "go-") {
		release = "java-" + release
	}
	return "producer.*.client=" + release
}

// change lays a change over one side, as a variant is laid over a scenario: what the side inherits and has no
// meaning with it is dropped. The seed is no part of a variant.
func (f *loadFlags) change(set, flag string) {
	if key, _, _ := strings.Cut(set, "="); strings.TrimSpace(key) == "seed" {
		f.set = append(f.set, set)
		return
	}
	f.over, f.overFrom = append(f.over, set), append(f.overFrom, flag)
}

// explainDiff is simrun explain --diff.
func (a *app) explainDiff(ctx context.Context, f *explainFlags, ref string) error {
	sides := [2]*explainFlags{}
	labels := [2]string{"as it is", strings.Join(f.diff, ", ")}
	for i := range sides {
		side := *f
		side.set = append(setValue{}, f.set...)
		if f.versions.a != "" {
			release := [2]string{f.versions.a, f.versions.b}[i]
			side.change(f.versions.set(release), "--versions")
			labels[i] = strings.TrimPrefix(f.versions.set(release), "producer.*.client=")
		}
		sides[i] = &side
	}
	for i, change := range f.diff {
		sides[1].change(change, fmt.Sprintf("--diff[%d]", i+1))
	}
	if f.versions.a != "" && len(f.diff) > 0 {
		labels[1] += ", " + strings.Join(f.diff, ", ")
	}
	worlds := [2]*scenarios.Scenario{}
	for i, side := range sides {
		sc, _, err := side.load(ctx, ref)
		if err != nil {
			return err
		}
		worlds[i] = sc
		for _, note := range sc.Notes {
			a.say("%s: %s\n", labels[i], note)
		}
	}
	if err := experiment.Comparable(worlds[0], worlds[1]); err != nil {
		return usagef("--diff: %v", err)
	}
	if !a.quiet {
		a.console.begin(min(worlds[0].Config.Duration, worlds[1].Config.Duration))
	}
	opt := experiment.Options{Progress: func(p experiment.Progress) {
		a.console.advance(p.At, fmt.Sprintf("%s of %s, twice", whole(p.At), whole(p.Duration)))
	}}
	div, err := experiment.Diff(ctx, worlds[0], worlds[1], labels, opt)
	a.console.clear()
	if a.wasInterrupted(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.shown(f, div, func(w io.Writer, opt report.TextOptions) error {
		return report.ExplainDiff(w, div, opt, f.verbose)
	})
}
