package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
)

// defaultMaxSeeds is where --until-precise gives up unless told otherwise.
const defaultMaxSeeds = 160

// failValue is the flag --fail-on: "regression", or "regression:METRIC[@PLACE]", also several with commas
// between them.
type failValue struct {
	set bool
	// addresses are the rows that count; none: all that are named.
	addresses []string
}

func (v *failValue) Set(text string) error {
	word, of, some := strings.Cut(text, ":")
	switch {
	case word != "regression":
		return fmt.Errorf("%q is not regression, or regression:METRIC[@PLACE]", text)
	case some && of == "":
		return fmt.Errorf("%q names no metric after the colon", text)
	case v.set && (len(v.addresses) == 0) != (of == ""):
		return fmt.Errorf("regression is of all rows, %q of one; they exclude each other", text)
	}
	v.set = true
	if of == "" {
		return nil
	}
	for address := range strings.SplitSeq(of, ",") {
		if address = strings.TrimSpace(address); address == "" {
			return fmt.Errorf("%q has an empty place between its commas", text)
		}
		metric, _, _ := strings.Cut(address, "@")
		if m, ok := result.LookupMetric(metric); ok && m.Better == result.Neutral {
			return fmt.Errorf("%s is neither better if higher nor if lower: it can differ, but not get worse",
				metric)
		}
		v.addresses = append(v.addresses, address)
	}
	return nil
}

func (v *failValue) String() string { return "" }
func (v *failValue) Type() string   { return "WHAT" }

// rowsOf are the rows that --fail-on names; what should never happen is none.
func (v *failValue) rowsOf(places ensemble.Places) ([]ensemble.Row, error) {
	return places.Rows(v.addresses...)
}

// findings are what --fail-on finds in a comparison, in words.
type findings struct {
	// worse counts as a regression; open may be one, and there is no telling; silent says nothing.
	worse, open, silent []string
}

// code is what they come to.
func (f *findings) code() exitCode {
	switch {
	case len(f.worse) > 0:
		return exitFailed
	case len(f.open) > 0:
		return exitUndecided
	}
	return exitOK
}

// judge looks for regressions in a comparison.
func (v *failValue) judge(c *result.Comparison) findings {
	var f findings
	for i := range c.Rows {
		r := &c.Rows[i]
		if !r.Named || !v.counts(r.Metric, r.Addressed()) {
			continue
		}
		for k := range r.Against {
			if k != c.Reference {
				v.row(&f, c, r, k)
			}
		}
	}
	reference := c.Variants[c.Reference].Name
	for _, e := range c.Events {
		for k, d := range e.Against {
			if k == c.Reference || !v.counts(e.Name, e.Name+"@"+result.PhaseAll) {
				continue
			}
			words := fmt.Sprintf("%s has more %s than %s on %s, fewer on %d", c.Variants[k].Name, e.Name, reference,
				plural(d.More, "seed"), d.Fewer)
			switch {
			case d.Outcome == result.OutcomeWorse:
				f.worse = append(f.worse, fmt.Sprintf("%s (%s)", words, chanceWords(d.Adjusted)))
			case d.Outcome == result.OutcomeFew && d.More > d.Fewer:
				f.open = append(f.open, words+"; that is too few seeds to tell")
			}
		}
	}
	return f
}

// row judges a row of a variant.
func (v *failValue) row(f *findings, c *result.Comparison, r *result.PairedRow, variant int) {
	name, reference := c.Variants[variant].Name, c.Variants[c.Reference].Name
	d := &r.Against[variant]
	switch d.Outcome {
	case result.OutcomeWorse:
		f.worse = append(f.worse, fmt.Sprintf("%s is worse than %s in %s (%s)", name, reference, r.Addressed(),
			chanceWords(*d.Adjusted)))
	case result.OutcomeFew:
		f.open = append(f.open, fmt.Sprintf("%s has a value with both %s and %s on %s; a verdict takes at least "+
			"%d", r.Addressed(), name, reference, plural(d.Pairs, "seed"), c.SeedsNeeded))
	case result.OutcomeNoPairs:
		words := fmt.Sprintf("%s has a value with both %s and %s on no seed", r.Addressed(), name, reference)
		if len(v.addresses) > 0 {
			f.open = append(f.open, words)
		} else {
			f.silent = append(f.silent, words) // of all rows, one that has no values says nothing
		}
	}
}

// chanceWords are a p for people.
func chanceWords(p float64) string {
	const least = 0.001
	if p < least {
		return "p < 0.001"
	}
	return fmt.Sprintf("p %.3f", p)
}

// counts says whether a row is one of those that --fail-on names.
func (v *failValue) counts(metric, address string) bool {
	return len(v.addresses) == 0 || slices.ContainsFunc(v.addresses, func(a string) bool {
		return a == metric || a == address
	})
}

// failOn books the exit code of --fail-on, and says why.
func (a *app) failOn(f *compareFlags, c *result.Comparison) {
	if !f.failOn.set {
		return
	}
	what := "any named row, or what should never happen"
	if len(f.failOn.addresses) > 0 {
		what = strings.Join(f.failOn.addresses, ", ")
	}
	found := f.failOn.judge(c)
	code := found.code()
	switch {
	case !c.Complete:
		code = exitUndecided
		a.console.errorf("undecided: what an interrupt left of a comparison says nothing of a regression of %s",
			what)
	case code == exitFailed:
		for _, w := range found.worse {
			a.console.errorf("regression: %s", w)
		}
	case code == exitUndecided && len(c.Seeds) < c.SeedsNeeded:
		a.console.errorf("undecided: %s cannot show a regression of %s; it takes at least %d",
			plural(len(c.Seeds), "seed"), what, c.SeedsNeeded)
	case code == exitUndecided:
		for _, w := range found.open {
			a.console.errorf("undecided: %s", w)
		}
	default:
		a.say("no regression of %s\n", what)
		for _, w := range found.silent {
			a.say("not judged: %s\n", w)
		}
	}
	a.codes = append(a.codes, code)
}

// preciseValue is the flag --until-precise: METRIC[@PLACE]=5%.
type preciseValue struct {
	set     bool
	address string
	target  float64
}

func (v *preciseValue) Set(text string) error {
	address, target, ok := strings.Cut(text, "=")
	switch {
	case !ok || address == "":
		return fmt.Errorf("%q is not METRIC=5%%, or METRIC@PLACE=5%%", text)
	case v.set:
		return fmt.Errorf("one row decides when there are seeds enough, %s or %s", v.address, address)
	}
	number, isPercent := strings.CutSuffix(target, "%")
	x, err := strconv.ParseFloat(number, 64)
	if isPercent {
		x /= 100
	}
	if err != nil || !(x > 0 && x <= 10) {
		return fmt.Errorf("%q is no half-width; write a share of the reference above 0, such as 5%%", target)
	}
	v.set, v.address, v.target = true, address, x
	return nil
}

func (v *preciseValue) String() string { return "" }
func (v *preciseValue) Type() string   { return "WHAT" }

// row is the one that decides.
func (v *preciseValue) row(places ensemble.Places) (ensemble.Row, error) {
	rows, err := places.Rows(v.address)
	switch {
	case err != nil:
		return ensemble.Row{}, usagef("--until-precise: %v", err)
	case len(rows) != 1:
		var names []string
		for _, r := range rows {
			names = append(names, r.String())
		}
		return ensemble.Row{}, usagef("--until-precise: %s is of %d faults; name one of %s", v.address, len(rows),
			strings.Join(names, ", "))
	}
	return rows[0], nil
}

// tested says whether a comparison has a verdict on what --fail-on names.
func (v *failValue) tested(c *result.Comparison, address string) bool {
	one := failValue{addresses: []string{address}}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Named && one.counts(r.Metric, r.Addressed()) {
			return true
		}
	}
	return slices.ContainsFunc(c.Events, func(e result.PairedEvents) bool {
		return one.counts(e.Name, e.Name+"@"+result.PhaseAll)
	})
}
