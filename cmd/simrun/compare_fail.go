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

// failValue is the flag --fail-on: "regression", or "regression:METRIC[@PLACE]".
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
	if of != "" {
		v.addresses = append(v.addresses, of)
	}
	return nil
}

func (v *failValue) String() string { return "" }
func (v *failValue) Type() string   { return "WHAT" }

// rowsOf are the rows that --fail-on names; what should never happen is none.
func (v *failValue) rowsOf(places ensemble.Places) ([]ensemble.Row, error) {
	return places.Rows(v.addresses...)
}

// judge says what --fail-on finds in a comparison: the code, and what counts in words.
func (v *failValue) judge(c *result.Comparison) (code exitCode, words []string) {
	undecided := false
	reference := c.Variants[c.Reference].Name
	for i := range c.Rows {
		r := &c.Rows[i]
		if !r.Named || !v.counts(r.Metric, r.Addressed()) {
			continue
		}
		for k, d := range r.Against {
			switch {
			case k == c.Reference:
			case d.Outcome == result.OutcomeWorse:
				words = append(words, fmt.Sprintf("%s is worse than %s in %s (p %.3f)", c.Variants[k].Name, reference,
					r.Addressed(), *d.Adjusted))
			case d.Outcome == result.OutcomeFew, d.Outcome == result.OutcomeNoPairs && len(v.addresses) > 0:
				undecided = true // of all rows, one that has no values says nothing
			}
		}
	}
	for _, e := range c.Events {
		for k, d := range e.Against {
			if d.Outcome == result.OutcomeWorse && v.counts(e.Name, e.Name+"@"+result.PhaseAll) {
				words = append(words, fmt.Sprintf("%s has more %s than %s on %d seeds, fewer on %d (p %.3f)",
					c.Variants[k].Name, e.Name, reference, d.More, d.Fewer, d.Adjusted))
			}
		}
	}
	switch {
	case len(words) > 0:
		return exitFailed, words
	case undecided:
		return exitUndecided, nil
	}
	return exitOK, nil
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
	code, words := f.failOn.judge(c)
	switch code {
	case exitFailed:
		for _, w := range words {
			a.console.errorf("regression: %s", w)
		}
	case exitUndecided:
		a.console.errorf("undecided: %s cannot show a regression of %s; it takes at least %d",
			plural(len(c.Seeds), "seed"), what, c.SeedsNeeded)
	default:
		a.say("no regression of %s\n", what)
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
	if !ok || address == "" {
		return fmt.Errorf("%q is not METRIC=5%%, or METRIC@PLACE=5%%", text)
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
