package main

import (
	"strings"
	"testing"
)

// Goal: the number of a message is decimal, and may be grouped as simrun prints it.
func TestParseNumber(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "4711": 4711, "010": 10, "0010": 10, "383 997": 383_997, "1 000 000": 1_000_000,
		"383\u00a0997": 383_997, "383\u202f997": 383_997, "383\u2009997": 383_997,
		"18446744073709551615": 1<<64 - 1,
	} {
		if got, err := parseNumber(text); err != nil || got != want {
			t.Errorf("parseNumber(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " ", "-1", "+1", "abc", "1.5", "0x10", "0b1", "1_000", "1,000", "1 2", "38 3997",
		"1234 567", " 7", "7 ", "1  000", "18446744073709551616",
	} {
		if got, err := parseNumber(text); err == nil {
			t.Errorf("parseNumber(%q) = %d, want an error", text, got)
		}
	}
}

// Goal: a message number that is none is a usage error which names it, without words of Go's.
func TestExplainRefusesNumbers(t *testing.T) {
	for _, text := range []string{"-1", "abc", "1.5", "0x10"} {
		c := newCall(t, "explain", "quickstart", "-m", text)
		code := c.run(t)
		got := c.stderr.String()
		if code != exitUsage || strings.Contains(got, "strconv") ||
			!strings.Contains(got, `"`+text+`" is no number of a message`) {
			t.Errorf("-m %s: code %d, %s", text, code, got)
		}
	}
}
