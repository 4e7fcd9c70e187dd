package report

import (
	"slices"
	"testing"
)

// Goal: a line is never broken within a number, at the blanks between its groups of digits (ux.md 2.3).
func TestNumbersAreNotBroken(t *testing.T) {
	for text, want := range map[string][]string{
		"a 10 865, b 17 009, c": {"a", "10 865,", "b", "17 009,", "c"},
		"of 1 234 567 messages": {"of", "1 234 567", "messages"},
		"(5 120) at 80 s":       {"(5 120)", "at", "80", "s"},
		"share 7.3 412 in 2026": {"share", "7.3", "412", "in", "2026"},
		"×1 000; 2026 100":      {"×1 000;", "2026", "100"},
	} {
		if got := breakable(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
	p := &page{opt: TextOptions{Width: 40}}
	p.wrapped("", "attempts for want of another broker: b 17 009", 2, plain)
	if got, want := p.b.String(), "attempts for want of another broker: b\n  17 009\n"; got != want {
		t.Errorf("%q", got)
	}
}
