package model

import (
	"slices"

	"simrun/strategy"
)

// profileRow is one line of a table: releases that behave alike, and how.
type profileRow[P any] struct {
	releases []string
	profile  P
}

// profileTable collects the rows of one role. Rows are written as the one before and what changed,
// each change with the file, the method and the tag in which it came.
type profileTable[P any] []profileRow[P]

// add appends a row.
func (t *profileTable[P]) add(p P, releases ...string) {
	*t = append(*t, profileRow[P]{releases, p})
}

// lookup is how a release behaves; the spelling is that of strategy.Lookup, whose error it returns
// for one that does not exist.
func (t profileTable[P]) lookup(release string) (p P, err error) {
	known, err := strategy.Lookup(release)
	if err != nil {
		return p, err
	}
	for i := range t {
		if slices.Contains(t[i].releases, known.Release) {
			return t[i].profile, nil
		}
	}
	panic("model: no row for release " + known.Release) // a test has looked
}

// The tables of what the client does on the wire, the broker and the name server do. Each release of
// package strategy is in exactly one row of each. The line of 4.9.x goes on beside 5.x (4.9.5-4.9.8
// came after 5.0.0), and 5.0.0-PREVIEW and 5.0.0-ALPHA were cut from it and have some of its later
// changes and not others, so rows list their releases.
var (
	clientTable     = clientRows()
	brokerTable     = brokerRows()
	nameServerTable = nameServerRows()
)

// Releases names the releases that are modelled: those of package strategy, in its order.
func Releases() []string { return strategy.Releases() }
