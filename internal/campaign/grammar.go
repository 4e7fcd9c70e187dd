package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"simrun/scenarios"
)

// grammar is what the loader has been found to refuse. Generators draw whatever the model has; what
// the loader does not know, or refuses in this place, is taken out again and counted.
type grammar struct {
	mu sync.Mutex
	// unknown are the keys, kinds of tables and kinds of faults that the loader does not have.
	unknown map[string]bool
	// refused counts what the loader refused, by what it is, words are its words for the first.
	refused map[string]int
	words   map[string]string
}

func newGrammar() *grammar {
	return &grammar{
		unknown: map[string]bool{}, refused: map[string]int{},
		words: map[string]string{},
	}
}

// lacks says whether the loader is known not to have something.
func (k *grammar) lacks(what string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.unknown[what]
}

// maxMends bounds how often a document is mended.
const maxMends = 20

// accept loads a document, and takes out what the loader refuses until it is content. What does not
// fit together (a name server that no longer exists as a target) goes the same way.
func (k *grammar) accept(doc *document) (*scenarios.Scenario, error) {
	for range maxMends {
		sc, err := load(doc.text())
		if err == nil {
			return sc, nil
		}
		var invalid *scenarios.Invalid
		if !errors.As(err, &invalid) {
			return nil, err
		}
		mended := false
		for i := range invalid.Problems {
			if p := &invalid.Problems[i]; !p.Warning {
				mended = k.mend(doc, p) || mended
			}
		}
		if !mended {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the loader refuses whatever is left:\n%s", doc.text())
}

// mend takes out of a document what a problem is about: a key, or the table if it is about the kind
// of fault or about something that is missing.
func (k *grammar) mend(doc *document, p *scenarios.Problem) bool {
	parts := strings.Split(p.Path, ".")
	header, key := "", parts[0]
	if len(parts) > 1 && doc.at(strings.Join(parts[:2], ".")) != nil {
		header, key = strings.Join(parts[:2], "."), ""
		if len(parts) > 2 {
			key = parts[2]
		}
	} else if len(parts) > 1 {
		header, key = parts[0], parts[1]
	}
	key, index, inList := strings.Cut(key, "[")
	t := doc.at(header)
	k.note(t, header, key, p.Message)
	switch {
	case t == nil && header == "" && key != "":
		return doc.remove(func(s *section) bool { return s.kind() == key })
	case t == nil:
		return false
	case inList && t.cut(key, index):
	case t.get(key) == "" || key == "kind" || key == "target" || key == "to":
		if header == "" {
			return doc.remove(func(s *section) bool { return s.header != "" && s.kind() == key })
		}
		return doc.remove(func(s *section) bool { return s.header == header })
	default:
		t.unset(key)
	}
	return true
}

// cut takes an element out of a list of several. It is false if that leaves none.
func (s *section) cut(key, index string) bool {
	elems := strings.Split(strings.Trim(s.get(key), "[]"), ", ")
	i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
	if err != nil || len(elems) < 2 || i >= len(elems) {
		return false
	}
	s.set(key, list(slices.Delete(elems, i, i+1)...))
	return true
}

// note counts a refusal, and remembers what the loader does not have at all.
func (k *grammar) note(t *section, header, key, message string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kind, _, _ := strings.Cut(header, ".")
	what := kind + "." + key
	if kind == "fault" && t != nil {
		what = fmt.Sprintf("fault.%s.%s", strings.Trim(t.get("kind"), `"`), key)
	}
	if k.refused[what]++; k.words[what] == "" {
		k.words[what] = message
	}
	if key == "target" || key == "to" {
		return // it depends on the process
	}
	if strings.Contains(message, "unknown key") || strings.Contains(message, "unknown table") ||
		strings.Contains(message, "not yet") {
		k.unknown[what] = true
	}
}

// remove takes out the tables that match.
func (d *document) remove(match func(*section) bool) bool {
	left := d.tables[:0:0]
	for i := range d.tables {
		if !match(&d.tables[i]) {
			left = append(left, d.tables[i])
		}
	}
	removed := len(left) < len(d.tables)
	d.tables = left
	return removed
}

// unset takes a key out.
func (s *section) unset(key string) {
	left := s.keys[:0:0]
	for _, p := range s.keys {
		if p.key != key {
			left = append(left, p)
		}
	}
	s.keys = left
}
