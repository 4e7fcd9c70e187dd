package main

import (
	"fmt"
	"slices"
	"strings"
)

// chosen finds a choice by the name of its variant.
func (s *study) chosen(name string) (*chosen, error) {
	i := slices.IndexFunc(s.choices, func(c chosen) bool { return c.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no choice %q", name)
	}
	return &s.choices[i], nil
}

// sets claims that a choice is this setting, of which the text speaks.
func (s *study) sets(name string, keys ...string) (string, error) {
	c, err := s.chosen(name)
	if err != nil {
		return "", err
	}
	if !slices.Equal(c.setting.keys, keys) {
		err = fmt.Errorf("%s is %q, the page says %q", name, c.setting.keys, keys)
	}
	return "", err
}

// java, spring and toml are the snippets.
func (s *study) snippet(kind, name string) (string, error) {
	c, err := s.chosen(name)
	if err != nil {
		return "", err
	}
	properties, calls := spring(&c.setting)
	switch kind {
	case "java":
		return strings.Join(java(&c.setting), "\n"), nil
	case "properties":
		return strings.Join(properties, "\n"), nil
	case "calls":
		return strings.Join(calls, "\n"), nil
	case "toml":
		return strings.Join(toml(&c.setting), "\n"), nil
	}
	return "", fmt.Errorf("there is no snippet %q", kind)
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
		fmt.Fprintf(&b, "| **%s** | `%s` | %s |\n", c.family, strings.Join(assigned(&c.setting), "`<br>`"), words)
	}
	return b.String()
}

// overview has the failed sends and the p99 of the defaults and of the choice, of all cells.
func (s *study) overview() (string, error) {
	var b strings.Builder
	columns := []string{"base", "on", "v4", "v4-on", s.choices[0].name}
	b.WriteString("| |")
	for _, name := range columns {
		b.WriteString(" " + s.label(entry{name: name}) + " |")
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(columns)) + "\n")
	last := ""
	for _, t := range s.tables {
		if t.title != last {
			last = t.title
			b.WriteString("| **" + last + "** |" + strings.Repeat(" |", len(columns)) + "\n")
		}
		b.WriteString("| " + t.words + " |")
		for _, name := range columns {
			failed, err := s.own(t.name(), name, "failed")
			if err != nil {
				return "", err
			}
			p99, err := s.own(t.name(), name, "latency_p99")
			if err != nil {
				return "", err
			}
			b.WriteString(" " + failed + "<br>" + p99 + " |")
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}
