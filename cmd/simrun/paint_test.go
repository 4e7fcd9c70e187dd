package main

import (
	"regexp"
	"strings"
	"testing"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9]*m")

// Goal: problems have colours where stderr has, and say the same without.
func TestProblemsHaveColours(t *testing.T) {
	validate := func(change func(*call), args ...string) string {
		c := newCall(t, append([]string{"validate"}, args...)...)
		change(c)
		_ = c.run(t)
		return c.stdout.String() + c.stderr.String()
	}
	as := func(*call) {}
	for _, args := range [][]string{
		{"./broken.toml"},
		{"./quick.toml", "--set", "producer.shop.retry_times_when_send_failed=9"},
	} {
		bare := validate(as, args...)
		if strings.Contains(bare, "\x1b") {
			t.Errorf("%v: colours without a terminal: %q", args, bare)
		}
		for name, text := range map[string]string{
			"--color always": validate(as, append(args, "--color", "always")...),
			"a terminal":     validate(func(c *call) { c.env.StderrTTY = true }, args...),
		} {
			if !strings.Contains(text, "\x1b[3") || escapes.ReplaceAllString(text, "") != bare {
				t.Errorf("%v with %s: %q", args, name, text)
			}
		}
	}
}
