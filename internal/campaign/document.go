package main

import (
	"fmt"
	"slices"
	"strings"

	"simrun/scenarios"
)

// document is a scenario as text that can be changed: tables with their keys, in order. Values are
// TOML.
type document struct{ tables []section }

// section is one table; the top level has no header.
type section struct {
	header string // "broker.a"
	keys   []pair
}

type pair struct{ key, value string }

// kind is the kind of table: "broker".
func (s *section) kind() string {
	kind, _, _ := strings.Cut(s.header, ".")
	return kind
}

// add puts a table at the end.
func (d *document) add(header string) *section {
	d.tables = append(d.tables, section{header: header})
	return &d.tables[len(d.tables)-1]
}

// at is the table with a header, nil if there is none.
func (d *document) at(header string) *section {
	for i := range d.tables {
		if d.tables[i].header == header {
			return &d.tables[i]
		}
	}
	return nil
}

// set gives a key a value, in the place of the one it has.
func (s *section) set(key, value string) {
	for i := range s.keys {
		if s.keys[i].key == key {
			s.keys[i].value = value
			return
		}
	}
	s.keys = append(s.keys, pair{key, value})
}

// get is the value of a key, "" if it has none.
func (s *section) get(key string) string {
	for _, p := range s.keys {
		if p.key == key {
			return p.value
		}
	}
	return ""
}

func (d *document) clone() *document {
	c := &document{tables: slices.Clone(d.tables)}
	for i := range c.tables {
		c.tables[i].keys = slices.Clone(c.tables[i].keys)
	}
	return c
}

// text is the document as a scenario file.
func (d *document) text() string {
	var b strings.Builder
	for _, t := range d.tables {
		if t.header != "" {
			fmt.Fprintf(&b, "[%s]\n", t.header)
		}
		for _, p := range t.keys {
			fmt.Fprintf(&b, "%s = %s\n", p.key, p.value)
		}
	}
	return b.String()
}

// load reads a scenario's text the way that a user's file is read.
func load(text string) (*scenarios.Scenario, error) {
	return scenarios.Load("./campaign.toml", scenarios.Options{
		ReadFile: func(string) ([]byte, error) { return []byte(text), nil },
	})
}

// quoted is a TOML string.
func quoted(s string) string { return `"` + s + `"` }

// list is a TOML array.
func list(values ...string) string { return "[" + strings.Join(values, ", ") + "]" }
