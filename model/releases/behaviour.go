package releases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"simrun/sim"
)

// behaviour describes one field of a profile P to overrides and to the table of the documentation.
type behaviour[P any] struct {
	key string
	// values are the words it can be; nil for one that set parses.
	values []string
	// setting is the key of the configuration that is its default's only use, "" if there is none.
	setting string
	get     func(*P) string
	set     func(*P, string) error
}

// choice is a field that is an enumeration.
func choice[P any, E ~uint8](key string, values []string, field func(*P) *E) behaviour[P] {
	return behaviour[P]{
		key: key, values: values,
		get: func(p *P) string { return values[*field(p)] },
		set: func(p *P, value string) error {
			i := slices.Index(values, value)
			if i < 0 {
				return fmt.Errorf("want one of %s", strings.Join(values, ", "))
			}
			*field(p) = E(i)
			return nil
		},
	}
}

// either is a field that is one of two things: no when it is false, yes when it is true.
func either[P any](key, no, yes string, field func(*P) *bool) behaviour[P] {
	values := []string{no, yes}
	return behaviour[P]{
		key: key, values: values,
		get: func(p *P) string {
			if *field(p) {
				return yes
			}
			return no
		},
		set: func(p *P, value string) error {
			if value != no && value != yes {
				return fmt.Errorf("want one of %s", strings.Join(values, ", "))
			}
			*field(p) = value == yes
			return nil
		},
	}
}

// span is a field that is a time, "5s" or "5ms", of at least least.
func span[P any](key string, least sim.Duration, field func(*P) *sim.Duration) behaviour[P] {
	return behaviour[P]{
		key: key,
		get: func(p *P) string { return formatSpan(*field(p)) },
		set: func(p *P, value string) error {
			d, ok := parseSpan(value)
			if !ok || d < least {
				return fmt.Errorf("want a time such as 5s or 5ms, at least %s", formatSpan(least))
			}
			*field(p) = d
			return nil
		},
	}
}

// defaultOf is a field that is no more than the default of a setting: that is what one changes.
func defaultOf[P any](setting string, b behaviour[P]) behaviour[P] {
	b.setting = setting
	return b
}

// formatSpan writes whole seconds as "5s", other times as "5ms"; profiles have no finer ones.
func formatSpan(d sim.Duration) string {
	if d%sim.Second == 0 {
		return strconv.FormatInt(int64(d/sim.Second), 10) + "s"
	}
	return strconv.FormatInt(int64(d/sim.Millisecond), 10) + "ms"
}

// parseSpan reads what formatSpan writes.
func parseSpan(word string) (d sim.Duration, ok bool) {
	digits, unit := word, sim.Duration(0)
	if s, is := strings.CutSuffix(word, "ms"); is {
		digits, unit = s, sim.Millisecond
	} else if s, is := strings.CutSuffix(word, "s"); is {
		digits, unit = s, sim.Second
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	return sim.Duration(n) * unit, err == nil && unit > 0
}

// findBehaviour is the behaviour of a name, nil if there is none.
func findBehaviour[P any](list []behaviour[P], key string) *behaviour[P] {
	for i := range list {
		if list[i].key == key {
			return &list[i]
		}
	}
	return nil
}

// cutBehaviour splits "name=value".
func cutBehaviour(text string) (key, value string) {
	key, value, _ = strings.Cut(text, "=")
	return strings.TrimSpace(key), strings.TrimSpace(value)
}
