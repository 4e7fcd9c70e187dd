package main

import (
	"fmt"
	"strconv"
	"strings"
)

// messageValue is the flag --message: a number, and perhaps the group, as reports print it ("shop/4711").
type messageValue struct {
	group string
	n     uint64
}

func (v *messageValue) Set(text string) (err error) {
	number := text
	if i := strings.LastIndexByte(text, '/'); i >= 0 {
		v.group, number = text[:i], text[i+1:]
		if v.group == "" {
			return fmt.Errorf("%q: there is no producer group before the slash; it must be GROUP/N, or N", text)
		}
	}
	v.n, err = parseNumber(number)
	return err
}

func (v *messageValue) String() string { return "" }
func (v *messageValue) Type() string   { return "N" }

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
