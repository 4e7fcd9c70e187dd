package main

import (
	"fmt"
	"strconv"
	"strings"
)

// numberValue is the flag --message.
type numberValue struct{ n uint64 }

func (v *numberValue) Set(text string) (err error) {
	v.n, err = parseNumber(text)
	return err
}

func (v *numberValue) String() string { return "" }
func (v *numberValue) Type() string   { return "N" }

// groupSpaces makes the spaces that may group digits one: plain, no-break, narrow no-break, thin.
var groupSpaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ")

// parseNumber reads the number of a message, as a user types it or copies it from what is printed:
// decimal digits, all together or in groups of three with a space in between ("383 997").
func parseNumber(text string) (uint64, error) {
	groups := strings.Split(groupSpaces.Replace(text), " ")
	digits := strings.Join(groups, "")
	ok := len(groups) == 1 || len(groups[0]) <= 3
	for i, group := range groups {
		ok = ok && group != "" && (i == 0 || len(group) == 3)
	}
	// ParseUint alone takes base 10 at its word: no sign, no prefix, no underscore.
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is no number of a message: it must be a whole number from 0, "+
			"such as 4711 or %q", text, "383 997")
	}
	return n, nil
}
