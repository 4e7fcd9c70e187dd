package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	cssTheme    = regexp.MustCompile(`:root ?\{([^}]*)\}`)
	cssVariable = regexp.MustCompile(`--([a-z0-9-]+): ?(#[0-9a-f]{6})`)
	textRule    = regexp.MustCompile(`figure \.f\d+\{[^}]*font-size[^}]*fill:var\(--(c[0-9a-f]{6})\)`)
)

// themes are the variables of the light and of the dark page.
func themes(t *testing.T, css string) (light, dark map[string]string) {
	t.Helper()
	light, dark = map[string]string{}, map[string]string{}
	for at, m := range cssTheme.FindAllStringSubmatchIndex(css, -1) {
		theme := light
		if at%2 == 1 { // each has its :root twice: the page's own, and that of the figures
			theme = dark
		}
		for _, v := range cssVariable.FindAllStringSubmatch(css[m[2]:m[3]], -1) {
			theme[v[1]] = v[2]
		}
	}
	if len(light) == 0 || len(light) != len(dark) {
		t.Fatalf("%d colours in the light theme, %d in the dark one", len(light), len(dark))
	}
	return light, dark
}

// luminance is the relative luminance of a colour. Source: WCAG 2.2, "relative luminance".
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		t.Fatalf("no colour %q", hex)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		x := float64(n>>(16-8*i)&0xFF) / 255
		if x <= 0.04045 {
			x /= 12.92
		} else {
			x = math.Pow((x+0.055)/1.055, 2.4)
		}
		sum += weight * x
	}
	return sum
}

// Text stands out from what it is written on in both themes: ux.md, "accessible"; WCAG 2.2 asks for 4.5 to 1,
// and for 3 to 1 of shapes that mean something.
func TestHTMLContrast(t *testing.T) {
	t.Run("run", func(t *testing.T) {
		checkContrast(t, pageOf(t, exemplified(expecting(fixture(twoMastersDown())))))
	})
	t.Run("comparison", func(t *testing.T) {
		checkContrast(t, comparePageOf(t, comparedWorlds()["three"]))
	})
}

func checkContrast(t *testing.T, page string) {
	t.Helper()
	_, css, _ := strings.Cut(page, "<style>")
	css, _, _ = strings.Cut(css, "</style>")
	const text, shape = 4.5, 3
	pairs := []struct {
		ink, on string
		least   float64
	}{
		{"ink", "bg", text},
		{"ink", "surface", text},
		{"ink", "mark", text},
		{"ink", "fault-bg", text},
		{"quiet", "bg", text},
		{"quiet", "surface", text},
		{"accent", "bg", text},
		{"good", "bg", text},
		{"bad", "bg", text},
		{"doubt", "bg", text},
		{"good", "good-bg", text},
		{"bad", "bad-bg", text},
		{"doubt", "doubt-bg", text},
		{"quiet", "none-bg", text},
		{"ink", "good-bg", text},
		{"ink", "bad-bg", text},
		{"ink", "doubt-bg", text},
		{"ink", "none-bg", text},
		{"bg", "fault", text},
		{"fault", "bg", text},
		{"fault", "lane", shape},
		{"fault", "fault-bg", shape},
	}
	texts := map[string]bool{}
	for _, m := range textRule.FindAllStringSubmatch(css, -1) {
		texts[m[1]] = true
	}
	if len(texts) < 2 {
		t.Errorf("%d colours of text in figures", len(texts))
	}
	light, dark := themes(t, css)
	for name, theme := range map[string]map[string]string{"light": light, "dark": dark} {
		check := func(ink, on string, least float64) {
			a, b := luminance(t, theme[ink]), luminance(t, theme[on])
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", name, ink, on, ratio, least)
			}
		}
		for _, p := range pairs {
			check(p.ink, p.on, p.least)
		}
		for ink := range texts {
			check(ink, "bg", text)
		}
	}
}
