package main

import (
	"embed"
	"fmt"
	"math"
	"strings"
	"text/template"

	"simrun/internal/result"
)

// texts are the page, with its numbers and what its sentences claim left to the program.
//
//go:embed guide.md tail.md
var texts embed.FS

// study is everything that the page is made of.
type study struct {
	tables  []*table
	choices []chosen
	gains   *result.Comparison
	figures []drawn
	// trained and held are numbers of runs.
	trained, held int
	settings      int
}

// chosen is the choice of a family.
type chosen struct {
	family  family
	name    string // of its variant
	setting setting
	// robust: the choice does not change with the weights; else these are the others.
	others []string
}

// page fills the guide in. A sentence whose claim does not hold is an error.
func (s *study) page() (string, error) {
	t, err := template.New("guide").Funcs(template.FuncMap{
		"table": s.section, "commands": s.commands, "fronts": s.fronts, "figure": s.figure,
		"own": s.own, "diff": s.diff, "both": s.both,
		"better": s.claim(result.OutcomeBetter), "worse": s.claim(result.OutcomeWorse),
		"alike": s.alike, "zero": s.zero, "above": s.above, "beaten": s.beaten, "beatenTally": s.beatenTally,
		"overview": s.overview, "starvedMost": s.starvedMost,
		"sets": s.sets, "choices": s.choicesTable, "indent": indent,
		"snippet": s.snippet, "gaintable": s.gaintable, "gainOne": s.gainOne,
		"runs":     func() string { return number(s.trained + s.held) },
		"settings": func() int { return s.settings },
		"cells":    func() int { return len(s.tables) },
		"oneIn":    oneIn,
		"seeds":    func() string { return fmt.Sprintf("%d..%d", firstHeldOut, lastHeldOut) },
	}).ParseFS(texts, "*.md")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, part := range []string{"guide.md", "tail.md"} {
		if err := t.ExecuteTemplate(&b, part, nil); err != nil {
			return "", err
		}
	}
	return filled(b.String()), nil
}

func (s *study) table(name string) (*table, error) {
	for _, t := range s.tables {
		if t.name() == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no %q", name)
}

// at finds a number: of a setting in the table of a cell, or on its front.
func (s *study) at(cell, setting, metric string) (t *table, r *result.PairedRow, v int, err error) {
	if t, err = s.table(cell); err != nil {
		return nil, nil, 0, err
	}
	if _, there := t.variant(setting); there != nil && t.front != nil {
		t = t.front
	}
	if r, err = t.row(metric); err != nil {
		return nil, nil, 0, err
	}
	v, err = t.variant(setting)
	return t, r, v, err
}

func (s *study) own(cell, setting, metric string) (string, error) {
	t, r, v, err := s.at(cell, setting, metric)
	if err != nil {
		return "", err
	}
	return t.own(r, v), nil
}

func (s *study) diff(cell, setting, metric string) (string, error) {
	t, r, v, err := s.at(cell, setting, metric)
	if err != nil {
		return "", err
	}
	return t.against(r, v), nil
}

// both is the number of the reference, that of a setting, and their difference.
func (s *study) both(cell, setting, metric string) (string, error) {
	ref, err := s.own(cell, "base", metric)
	if err != nil {
		return "", err
	}
	own, err := s.own(cell, setting, metric)
	if err != nil {
		return "", err
	}
	d, err := s.diff(cell, setting, metric)
	return ref + " → " + own + " (" + d + ")", err
}

// claim checks what a comparison says of a named row. It writes nothing.
func (s *study) claim(want result.Outcome) func(cell, setting, metric string) (string, error) {
	return func(cell, setting, metric string) (string, error) {
		_, r, v, err := s.at(cell, setting, metric)
		if err == nil && r.Against[v].Outcome != want {
			err = fmt.Errorf("%s of %s in %s is %q, the page says %q", metric, setting, cell,
				r.Against[v].Outcome, want)
		}
		return "", err
	}
}

// alike claims that no difference is shown.
func (s *study) alike(cell, setting, metric string) (string, error) {
	return s.claim(result.OutcomeNone)(cell, setting, metric)
}

// zero claims that a metric is 0 on every seed.
func (s *study) zero(cell, setting, metric string) (string, error) {
	return s.below(cell, setting, metric, 0)
}

// below claims that a metric is at most a limit on every seed, above that it is at least one.
func (s *study) below(cell, setting, metric string, limit float64) (string, error) {
	return s.bound(cell, setting, metric, limit, -1)
}

func (s *study) above(cell, setting, metric string, limit float64) (string, error) {
	return s.bound(cell, setting, metric, limit, +1)
}

// bound takes limits in seconds, counts or ratios.
func (s *study) bound(cell, setting, metric string, limit float64, sign float64) (string, error) {
	t, r, v, err := s.at(cell, setting, metric)
	if err != nil {
		return "", err
	}
	scale := 1.0
	if r.Unit == result.UnitNS {
		scale = 1e9
	}
	for i, x := range t.values(r, v) {
		if (x/scale-limit)*sign < 0 || math.IsNaN(x) {
			return "", fmt.Errorf("%s of %s in %s is %v on seed %d, the page says %v", metric, setting, cell,
				x/scale, t.of.Seeds[i], limit)
		}
	}
	return "", nil
}

// oneIn says of how many sends to a broker that is well, on a jittery disk, one takes so many milliseconds:
// its service is lognormal with a median of 2 ms and a 99th percentile of 150 ms.
func oneIn(ms float64) string {
	const median, p99, normal99 = 2, 150, 2.3263478740408408
	z := math.Log(ms/median) / math.Log(p99/float64(median)) * normal99
	return fmt.Sprintf("%.0f", math.Round(2/math.Erfc(z/math.Sqrt2)/10)*10)
}

// number groups thousands.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
