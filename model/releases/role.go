package releases

import (
	"fmt"
	"slices"
	"strings"

	"simrun/strategy"
)

// Role is what the releases of one role do: a table of rows, and the fields of its profiles by name.
type Role[P any] struct {
	rows       []row[P]
	behaviours []behaviour[P]
	// beside are the names of the same list that package strategy knows, check is what it says of them.
	beside []string
	check  func(behaviours []string) error
}

// row is one line of a table: releases that behave alike, and how.
type row[P any] struct {
	releases []string
	profile  P
}

// add appends a row. Rows are written as the one before and what changed, each change with the file, the
// method and the tag in which it came.
func (r *Role[P]) add(p P, releases ...string) { r.rows = append(r.rows, row[P]{releases, p}) }

// Profile is how a release behaves, with behaviours replaced, each "name=value". Its error names what is
// wrong; that of a release that does not exist is the one of strategy.Lookup.
func (r *Role[P]) Profile(release string, behaviours []string) (P, error) {
	p, err := r.lookup(release)
	if err != nil {
		return p, err
	}
	return r.with(p, behaviours)
}

// lookup is how a release behaves; the spelling is that of strategy.Lookup.
func (r *Role[P]) lookup(release string) (p P, err error) {
	known, err := strategy.Lookup(release)
	if err != nil {
		return p, err
	}
	for i := range r.rows {
		if slices.Contains(r.rows[i].releases, known.Release) {
			return r.rows[i].profile, nil
		}
	}
	panic("releases: no row for " + known.Release) // a test has looked
}

// Check says what is wrong with behaviours, each "name=value". An unknown name or value is an error that
// lists the valid ones; so is a name that is there twice.
func (r *Role[P]) Check(behaviours []string) error {
	known := strategy.Releases()
	if _, err := r.Profile(known[len(known)-1], behaviours); err != nil {
		return err
	}
	if r.check != nil {
		if err := r.check(behaviours); err != nil {
			return err
		}
	}
	var named []string
	for _, b := range behaviours {
		key, _ := cutBehaviour(b)
		if slices.Contains(named, key) {
			return fmt.Errorf("%s is there twice", key)
		}
		named = append(named, key)
	}
	return nil
}

// Behaviours lists the names that can be replaced, in the order of the documentation: those of package
// strategy first, if the role has some.
func (r *Role[P]) Behaviours() []string {
	names := slices.Clone(r.beside)
	for i := range r.behaviours {
		if r.behaviours[i].setting == "" {
			names = append(names, r.behaviours[i].key)
		}
	}
	return names
}

// VersionTable is the table of releases as text, in the layout of strategy.VersionTable: each behaviour,
// its values, and the releases that have them.
func (r *Role[P]) VersionTable() string {
	var out strings.Builder
	for i := range r.behaviours {
		out.WriteString(strategy.BehaviourLines(r.behaviours[i].key, func(release string) string {
			p, err := r.lookup(release)
			if err != nil {
				panic(err) // a release of the table is in the table
			}
			return r.behaviours[i].get(&p)
		}))
	}
	return out.String()
}

// with is p with behaviours replaced. Names that package strategy knows are left to it.
func (r *Role[P]) with(p P, behaviours []string) (P, error) {
	for _, o := range behaviours {
		key, value := cutBehaviour(o)
		b := findBehaviour(r.behaviours, key)
		switch {
		case b != nil && b.setting != "":
			return p, fmt.Errorf("%s has a key of its own, %s", key, b.setting)
		case b != nil:
			if err := b.set(&p, value); err != nil {
				return p, fmt.Errorf("behaviour %s = %q: %w", key, value, err)
			}
		case !slices.Contains(r.beside, key):
			return p, fmt.Errorf("no behaviour %q; there are %s", key, strings.Join(r.Behaviours(), ", "))
		}
	}
	return p, nil
}
