package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Damage is why a journal is not taken: nothing of it is merged into anything.
//
//nolint:errname // reads as what it is: var damage *sweep.Damage
type Damage struct {
	File string
	// Line counts from 1.
	Line int
	// Why is the reason.
	Why string
	// Digests: one cell came out in two ways, so it is not the file that is wrong.
	Digests bool
}

func (d *Damage) Error() string {
	return fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Why)
}

// Read is what a journal holds. Good is the length of the part that is whole; what comes after it, if
// anything does, is the last line, which was torn when the process died: its cell is run again. The error is
// *Damage. A file without a whole line is a journal without cells, and Good is 0.
func Read(file string, data []byte, want *Header) (cells []Cell, good int, err error) {
	r := reader{file: file, want: want, seen: map[place2]*Cell{}}
	for good < len(data) {
		end := bytes.IndexByte(data[good:], '\n')
		if end < 0 {
			break
		}
		r.number++
		if err := r.line(data[good : good+end]); err != nil {
			return nil, 0, err
		}
		good += end + 1
	}
	return r.cells, good, nil
}

// ReadHeader is the first line of a journal; the error is *Damage.
func ReadHeader(file string, data []byte) (*Header, error) {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := reader{file: file, number: 1}
	return r.header(first)
}

// place2 is where a cell belongs.
type place2 struct {
	point int
	seed  uint64
}

type reader struct {
	file   string
	want   *Header
	number int
	salt   uint64
	cells  []Cell
	seen   map[place2]*Cell
}

func (r *reader) damage(format string, args ...any) error {
	return &Damage{File: r.file, Line: r.number, Why: fmt.Sprintf(format, args...)}
}

// line takes a whole line.
func (r *reader) line(text []byte) error {
	if r.number == 1 {
		h, err := r.header(text)
		if err != nil {
			return err
		}
		r.salt = h.seal()
		return r.other(h)
	}
	inner, ok := unsealed(text, r.salt)
	var c Cell
	if !ok || json.Unmarshal(inner, &c) != nil {
		return r.damage("the line is damaged: its checksum is not that of its text")
	}
	h := r.want
	switch {
	case c.Point < 0 || c.Point >= h.Points || !slices.Contains(h.Seeds, c.Seed):
		return r.damage("point %d with seed %d is none of the plan", c.Point, c.Seed)
	case len(c.Values) != len(h.Metrics):
		return r.damage("it has %d values, of %d metrics", len(c.Values), len(h.Metrics))
	}
	at := place2{c.Point, c.Seed}
	if old := r.seen[at]; old != nil {
		if old.same(&c) {
			return nil
		}
		return &Damage{r.file, r.number, fmt.Sprintf("point %d with seed %d is there twice, with the "+
			"digests %s and %s", c.Point, c.Seed, old.Digest, c.Digest), true}
	}
	r.cells = append(r.cells, c)
	r.seen[at] = &c
	return nil
}

// header reads the first line.
func (r *reader) header(text []byte) (*Header, error) {
	inner, ok := unsealed(text, 0)
	h := new(Header)
	if !ok || json.Unmarshal(inner, h) != nil {
		return nil, r.damage("the header is damaged: its checksum is not that of its text")
	}
	return h, nil
}

// other says what a header has that is not the one that is wanted.
func (r *reader) other(h *Header) error {
	w := r.want
	switch {
	case reflect.DeepEqual(h, w):
		return nil
	case h.Schema != w.Schema:
		return r.damage("its schema is %d, this simrun writes %d", h.Schema, w.Schema)
	case h.Simrun != w.Simrun:
		return r.damage("it was made by %s, this is %s", h.Simrun, w.Simrun)
	case h.Scenario != w.Scenario:
		return r.damage("it is of the scenario %s, not of %s", h.Scenario, w.Scenario)
	case h.Plan != w.Plan:
		return r.damage("it is of the plan %s, this one is %s", h.Plan, w.Plan)
	}
	return r.damage("it has other points, seeds or metrics than its plan")
}
