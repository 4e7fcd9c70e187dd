package main

import (
	"fmt"
	"strings"

	"simrun/internal/result"
	"simrun/report"
)

// labels are what tables call the settings.
var labels = map[string]string{
	"base":  "5.3.3 as it comes",
	"on":    "5.3.3, avoidance on",
	"v4":    "4.9.8 as it comes",
	"v4-on": "4.9.8, avoidance on",
}

// bestHere is the name of the setting that is best in a cell, if it is none of the others.
const bestHere = "best"

// label of an entry in a table.
func (s *study) label(e entry) string {
	if text, ok := labels[e.name]; ok {
		return text
	}
	for _, c := range s.choices {
		if c.name == e.name {
			return "**choice for " + string(c.family) + "**"
		}
	}
	if e.name == bestHere {
		return "best here: `" + strings.ReplaceAll(e.set.name, "+", "` `") + "`"
	}
	return e.set.name
}

// section is the table of a situation: under each condition a row for each setting.
func (s *study) section(id string) (string, error) {
	var b strings.Builder
	b.WriteString("| |")
	for _, c := range columns {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(columns)) + "\n")
	found := false
	for _, t := range s.tables {
		if t.situation.id != id {
			continue
		}
		found = true
		b.WriteString("| *" + t.words + "* |" + strings.Repeat(" |", len(columns)) + "\n")
		for _, e := range t.entries {
			line, err := s.line(t, e)
			if err != nil {
				return "", err
			}
			b.WriteString(line)
		}
	}
	if !found {
		return "", fmt.Errorf("there is no situation %q", id)
	}
	return b.String(), nil
}

// line is a row of a table.
func (s *study) line(t *table, e entry) (string, error) {
	v, err := t.variant(e.name)
	if err != nil {
		return "", err
	}
	line := "| " + s.label(e) + " |"
	for _, c := range columns {
		r, err := t.row(c.metric)
		if err != nil {
			return "", err
		}
		text := t.own(r, v)
		switch {
		case c.alone && e.set.off():
			text = "–"
		case v != t.of.Reference && !c.alone:
			text = report.SeedValueText(r, r.Medians[v]) + "<br>" + t.against(r, v) + mark(r.Against[v].Outcome)
		}
		line += " " + text + " |"
	}
	return line + "\n", nil
}

// mark is how a verdict is shown behind a difference.
func mark(o result.Outcome) string {
	switch o {
	case result.OutcomeBetter:
		return " ✓"
	case result.OutcomeWorse:
		return " ✗"
	}
	return ""
}

// commands are what gives the numbers of a situation.
func (s *study) commands(id string) string {
	var b strings.Builder
	b.WriteString("<details><summary>The commands that give these numbers</summary>\n\n```console\n")
	for _, t := range s.tables {
		if t.situation.id == id {
			b.WriteString("$ " + t.command() + "\n")
		}
	}
	for i := range sweeps {
		if sweeps[i].id == id {
			b.WriteString("$ " + sweeps[i].command() + "\n")
		}
	}
	b.WriteString("```\n\n</details>\n")
	return b.String()
}

// figure is a figure of a sweep, with what to look at.
func (s *study) figure(id string, n int) (string, error) {
	file := figureFile(id, n)
	for _, f := range s.figures {
		if f.file == file {
			return fmt.Sprintf("![%s](%s)\n\n*%s*", f.Title, file, f.Caption), nil
		}
	}
	return "", fmt.Errorf("there is no figure %s", file)
}

// fronts list what is on the Pareto front of each condition.
func (s *study) fronts(id string) string {
	var b strings.Builder
	b.WriteString("<details><summary>On the Pareto front of failures, p99 and starvation " +
		"(training seeds)</summary>\n\n| | failed | p99 | starved |\n|:--|--:|--:|--:|\n")
	for _, t := range s.tables {
		if t.situation.id != id {
			continue
		}
		b.WriteString("| *" + t.words + "* | | | |\n")
		for _, f := range t.front {
			name := "`" + f.name + "`"
			if f.long {
				name += " †"
			}
			if f.held != "" {
				name += " (" + s.label(entry{f.held, f.setting}) + ")"
			}
			fmt.Fprintf(&b, "| %s | %.3f %% | %s | %.1f s |\n", name, 100*f.failed, milliseconds(f.p99), f.starved)
		}
	}
	b.WriteString("\n† isolates for longer than the run shows\n\n</details>\n")
	return b.String()
}

func milliseconds(s float64) string {
	if s >= 1 {
		return fmt.Sprintf("%.2f s", s)
	}
	return fmt.Sprintf("%.3g ms", 1000*s)
}

// copies are the extra copies a run of a setting, in the mean. With the name of another it is a claim that
// they are more than those of that one.
func (s *study) copies(cell, setting, than string) (string, error) {
	t, err := s.table(cell)
	if err != nil {
		return "", err
	}
	x, err := t.copies(setting)
	if err != nil {
		return "", err
	}
	if than != "" {
		y, err := t.copies(than)
		if err != nil {
			return "", err
		}
		if y >= x {
			return "", fmt.Errorf("%s has %v copies in %s, %s has %v", setting, x, cell, than, y)
		}
	}
	return fmt.Sprintf("%.1f", x), nil
}

// copies are the extra copies of a setting.
func (t *table) copies(setting string) (float64, error) {
	v, err := t.variant(setting)
	if err != nil {
		return 0, err
	}
	for _, e := range t.of.Events {
		if e.Name == "extra_copies" {
			return e.ByVariant[v].Mean, nil
		}
	}
	return 0, fmt.Errorf("%s does not count copies", t.name())
}

// choicesTable lists the choices.
func (s *study) choicesTable() string {
	var b strings.Builder
	b.WriteString("| client | set | how sure |\n|:--|:--|:--|\n")
	for i := range s.choices {
		c := &s.choices[i]
		words := "It stays the choice if any of the three goals counts twice."
		if len(c.others) > 0 {
			words = "It would be " + strings.Join(c.others, ", ") + "."
		}
		fmt.Fprintf(&b, "| **%s** | `%s` | %s |\n", c.family, strings.Join(toml(&c.setting), "`<br>`"), words)
	}
	return b.String()
}

// indent puts lines of Java as deep as the snippet around them.
func indent(text string) string {
	return "                " + strings.ReplaceAll(text, "\n", "\n                ")
}
