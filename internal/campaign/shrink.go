package main

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// shrinker makes a failing scenario smaller as long as it breaks the same rule.
type shrinker struct {
	// breaks says whether a document still breaks it.
	breaks func(*document) bool
}

// A shrinker stops after so many runs, or so much time.
const (
	shrinkRuns = 600
	shrinkTime = time.Minute
)

// shrink returns the smallest failing document found.
func shrink(doc *document, seed uint64, problem string) *document {
	left, until := shrinkRuns, time.Now().Add(shrinkTime)
	s := &shrinker{breaks: func(d *document) bool {
		if left <= 0 || time.Now().After(until) {
			return false
		}
		sc, err := load(d.text())
		if err != nil {
			return false
		}
		left--
		return rule(judge(sc, seed).problem) == rule(problem)
	}}
	best := doc.clone()
	for next := best; next != nil; next = s.step(best) {
		best = next
	}
	return best
}

// step tries everything that makes a document smaller, and returns the first that still fails. nil:
// nothing does.
func (s *shrinker) step(doc *document) *document {
	for _, smaller := range []func(*document) []*document{
		withoutTables, withoutElements, withoutKeys, withHalves,
	} {
		for _, candidate := range smaller(doc) {
			if s.breaks(candidate) {
				return candidate
			}
		}
	}
	return nil
}

// withoutTables are the documents with one table less, faults first.
func withoutTables(doc *document) []*document {
	var all []*document
	for _, kind := range []string{
		"fault", "producer", "host", "zone", "topic", "broker", "name_server", "network", "start",
	} {
		for i := range doc.tables {
			if doc.tables[i].kind() == kind {
				c := doc.clone()
				c.tables = slices.Delete(c.tables, i, i+1)
				all = append(all, c)
			}
		}
	}
	return all
}

// withoutElements are the documents with one element less in a list.
func withoutElements(doc *document) []*document {
	var all []*document
	for i := range doc.tables {
		for j, p := range doc.tables[i].keys {
			if !strings.HasPrefix(p.value, "[") || !strings.Contains(p.value, ", ") {
				continue
			}
			elems := strings.Split(strings.Trim(p.value, "[]"), ", ")
			for e := range elems {
				c := doc.clone()
				c.tables[i].keys[j].value = list(slices.Delete(slices.Clone(elems), e, e+1)...)
				all = append(all, c)
			}
		}
	}
	return all
}

// withoutKeys are the documents with one key less, or with two that may need each other.
func withoutKeys(doc *document) []*document {
	var all []*document
	for n := 1; n <= 2; n++ {
		for i := range doc.tables {
			for j := range max(0, len(doc.tables[i].keys)-n+1) {
				c := doc.clone()
				c.tables[i].keys = slices.Delete(c.tables[i].keys, j, j+n)
				all = append(all, c)
			}
		}
	}
	return all
}

var duration = regexp.MustCompile(`^"([0-9.hmsµn]+)"$`)

// withHalves are the documents with one time halved, or rounded.
func withHalves(doc *document) []*document {
	var all []*document
	for i := range doc.tables {
		for j, p := range doc.tables[i].keys {
			m := duration.FindStringSubmatch(p.value)
			if m == nil {
				continue
			}
			d, err := time.ParseDuration(m[1])
			if err != nil || d <= time.Millisecond {
				continue
			}
			for _, smaller := range []time.Duration{
				d / 2, d.Truncate(time.Minute), d.Truncate(time.Second), d.Truncate(time.Millisecond),
			} {
				if smaller > 0 && smaller < d {
					c := doc.clone()
					c.tables[i].keys[j].value = dur(smaller)
					all = append(all, c)
				}
			}
		}
	}
	return all
}
