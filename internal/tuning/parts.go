package main

import (
	"fmt"
	"slices"
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
	"wipe":  "5.3.3 as it comes, `wipeWritePerm` before each restart",
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
		return "best here: " + named(&e.set)
	}
	return named(&e.set)
}

// named is the name of a setting in parts between which a line can be broken.
func named(x *setting) string { return "`" + strings.ReplaceAll(x.name, "+", "` `") + "`" }

// section is the table of a situation: under each condition a row for each setting.
func (s *study) section(id string) (string, error) {
	var b strings.Builder
	b.WriteString("| |")
	shown := shownColumns()
	for _, c := range shown {
		b.WriteString(" " + c.title + " |")
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(shown)) + "\n")
	found := false
	for _, t := range s.tables {
		if t.situation.id != id {
			continue
		}
		found = true
		b.WriteString("| *" + t.words + "* |" + strings.Repeat(" |", len(shown)) + "\n")
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
	for _, c := range shownColumns() {
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
		if c.metric == "failed" {
			text = t.withShare(text, v)
		}
		line += " " + text + " |"
	}
	return line + "\n", nil
}

// withShare puts the share of the sends that fail behind their number, if there are any.
func (t *table) withShare(text string, v int) string {
	r, err := t.row("success_rate")
	if err != nil {
		return text
	}
	shares := t.values(r, v)
	for i := range shares {
		shares[i] = 1 - shares[i]
	}
	failed := median(shares) // of the same seed as the number
	if failed == 0 {
		return text
	}
	at := strings.IndexAny(text, "<[")
	if at < 0 {
		at = len(text)
	}
	share := fmt.Sprintf(" (%.2g %%)", 100*failed)
	own, rest := strings.TrimSpace(text[:at]), text[at:]
	if strings.HasPrefix(rest, "[") {
		rest = " " + rest
	}
	return own + share + rest
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

// shownColumns are those that a table shows.
func shownColumns() []column {
	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return c.title == "" })
}

// commands are what gives the numbers of a situation.
func (s *study) commands(id string) string {
	var b strings.Builder
	b.WriteString("<details><summary>The commands that give these numbers</summary>\n\n```console\n")
	for _, t := range s.tables {
		if t.situation.id == id {
			b.WriteString("$ " + t.command() + "\n")
			if len(t.front.entries) > 1 {
				b.WriteString("$ " + t.front.command() + "\n")
			}
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

// figure is a figure of a sweep, with what to look at, unless there are words of the page's own.
func (s *study) figure(id string, n int, words ...string) (string, error) {
	file := figureFile(id, n)
	for _, f := range s.figures {
		if f.file == file {
			caption := f.Caption
			if len(words) > 0 {
				caption = strings.Join(words, " ")
			}
			return fmt.Sprintf("![%s](%s)\n\n*%s*", f.Title, file, caption), nil
		}
	}
	return "", fmt.Errorf("there is no figure %s", file)
}

// indent puts lines of Java as deep as the snippet around them.
func indent(text string) string {
	return "                " + strings.ReplaceAll(text, "\n", "\n                ")
}

// starvedMost is the longest starvation that was measured, over all cells and settings.
func (s *study) starvedMost() (string, error) {
	most := 0.0
	var row *result.PairedRow
	for _, t := range s.tables {
		r, err := t.row("starved_time")
		if err != nil {
			return "", err
		}
		for v := range t.of.Variants {
			for _, x := range t.values(r, v) {
				if x > most {
					most, row = x, r
				}
			}
		}
	}
	if row == nil {
		return "0s", nil
	}
	return report.SeedValueText(row, result.SeedValue(most)), nil
}
