package scenarios

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"simrun/model/config"
	"simrun/sim"
)

// Beside is a file that a scenario reads, apart from its own. Whoever keeps the effective scenario keeps
// it, too, beside it and under the same name.
type Beside struct {
	Name string
	Data []byte
}

// arrivalsFileKind is a file of recorded arrivals. The effective scenario carries its digest, so that
// another content is another scenario, or refused where the digest is written.
var arrivalsFileKind = kind{
	name: "file", want: `the name of a CSV file beside the scenario, such as "arrivals.csv"`, bare: bareString,
	read: func(l *loader, n *node) (any, string, bool) {
		file, written := n, (*node)(nil)
		if n.kind == nodeTable {
			r := inlineReader{l: l, n: n}
			r.only("arrivals_file", "file", "sha256")
			if file, written = n.child("file"), n.child("sha256"); file == nil {
				r.fail("", "it has no file")
			}
			if r.failed {
				return nil, "", false
			}
		}
		name, ok := l.text(file, "the name of a CSV file beside the scenario")
		if !ok {
			return nil, "", false
		}
		data, err := l.readBeside(name)
		if err != nil {
			l.fail(file, "%s: %v", file.path, err)
			return nil, "", false
		}
		sum := sha256.Sum256(data)
		digest := hex.EncodeToString(sum[:])
		if written != nil && written.scalar != digest {
			p := l.fail(written, "%s: %s is not the file it was: its sha256 is %s", n.path, name, digest)
			p.Hint = "leave sha256 out to take the file as it is"
			return nil, "", false
		}
		arrivals, ok := l.arrivals(name, data, n.path)
		if ok {
			l.keep(Beside{name, data})
		}
		return arrivals, "{ file = " + quote(name) + ", sha256 = " + quote(digest) + " }", ok
	},
}

// keep remembers a file, once.
func (l *loader) keep(file Beside) {
	same := func(f Beside) bool { return f.Name == file.Name }
	if !slices.ContainsFunc(l.beside, same) {
		l.beside = append(l.beside, file)
	}
}

// maxArrivals bounds the arrivals of a file: all of them are kept in memory.
const maxArrivals = 5_000_000

// timeColumns are the headers of the column of times, with the unit of bare numbers in it.
var timeColumns = map[string]string{
	"time": "", "time_s": "s", "time_ms": "ms", "time_us": "us", "time_ns": "ns",
}

// firstFile is the rank of files beside the scenario: behind it and its flags.
const firstFile = 1 << 20

// arrivalsReader reads one file of arrivals.
type arrivalsReader struct {
	l    *loader
	src  *source
	csv  *csv.Reader
	path string
	bad  int
	// columns is how many there are; time, size and key are those, -1 for none; unit is that of times.
	columns         int
	time, size, key int
	unit            string
	last            sim.Duration
}

// arrivals reads a file of arrivals and reports every mistake in it at its own place.
func (l *loader) arrivals(name string, data []byte, path string) ([]config.Arrival, bool) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	r := arrivalsReader{l: l, src: newSource(l.besideName(name), text), path: path}
	l.files++
	r.src.rank = firstFile + l.files
	r.csv = csv.NewReader(bytes.NewReader([]byte(text)))
	r.csv.FieldsPerRecord, r.csv.ReuseRecord, r.csv.TrimLeadingSpace = -1, true, true
	r.csv.Comment = '#'
	header, err := r.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		r.fail(0, 0, "the file is empty; it begins with a header: time, size, key")
		return nil, false
	case err != nil:
		r.broken(err)
		return nil, false
	case !r.header(header):
		return nil, false
	}
	var list []config.Arrival
	for {
		record, err := r.csv.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var pe *csv.ParseError
		if err != nil {
			r.broken(err)
			if errors.As(err, &pe) {
				continue // with the next line
			}
			break
		}
		if a, ok := r.record(record); ok {
			list = append(list, a)
		}
		if len(list) > maxArrivals {
			r.failField(0, "there are more than %d arrivals", maxArrivals)
			break
		}
	}
	if r.bad > maxBadLines {
		r.say(len(text), len(text), "and %d more mistakes", r.bad-maxBadLines)
	} else if r.bad == 0 && len(list) == 0 {
		r.fail(0, 0, "there are no arrivals in it")
	}
	return list, r.bad == 0
}

// header finds the columns.
func (r *arrivalsReader) header(names []string) bool {
	r.time, r.size, r.key, r.columns = -1, -1, -1, len(names)
	for i, name := range names {
		name = strings.ToLower(strings.TrimSpace(name))
		column := map[string]*int{"size": &r.size, "key": &r.key}[name]
		if unit, isTime := timeColumns[name]; isTime {
			column, r.unit = &r.time, unit
		}
		switch {
		case column == nil:
			r.failField(i, "unknown column %q; there are time (or time_s, time_ms, time_us, time_ns), size "+
				"and key", name)
		case *column >= 0:
			r.failField(i, "column %q is there twice", name)
		default:
			*column = i
		}
	}
	if r.time < 0 && r.bad == 0 {
		r.failField(0, "the header has no column time")
	}
	return r.bad == 0
}

// record reads one arrival.
func (r *arrivalsReader) record(fields []string) (a config.Arrival, ok bool) {
	before := r.bad
	if n := len(fields); n != r.columns {
		r.failField(min(n-1, r.columns), "the line has %s, the header has %s", fieldCount(n),
			fieldCount(r.columns))
		return a, false
	}
	var err error
	text := strings.TrimSpace(fields[r.time])
	if isNumber(text) && r.unit != "" {
		text += r.unit
	}
	if a.At, err = parseDuration(text); err != nil {
		r.failField(r.time, "%q %v", text, err)
	} else if a.At < r.last {
		r.failField(r.time, "%s is before the arrival above it (%s)", formatDuration(a.At),
			formatDuration(r.last))
	} else {
		r.last = a.At
	}
	if r.size >= 0 {
		text := strings.TrimSpace(fields[r.size])
		if isNumber(text) {
			text += "B"
		}
		if text != "" {
			if a.Size, err = parseSize(text); err != nil {
				r.failField(r.size, "%q %v", text, err)
			}
		}
	}
	if r.key >= 0 {
		if text := strings.TrimSpace(fields[r.key]); text != "" {
			key, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				r.failField(r.key, "%q is not a key; a whole number from 0 to %d is", text, uint32(math.MaxUint32))
			}
			a.Key, a.HasKey = uint32(key), true
		}
	}
	return a, r.bad == before
}

func fieldCount(n int) string {
	if n == 1 {
		return "1 field"
	}
	return strconv.Itoa(n) + " fields"
}

// failField reports a mistake in a field of the record read last.
func (r *arrivalsReader) failField(i int, format string, args ...any) {
	line, col := r.csv.FieldPos(max(i, 0))
	start := r.offset(line, col)
	end := start + strings.IndexAny(r.src.text[start:]+"\n", ",\n\r")
	r.fail(start, end, format, args...)
}

// broken reports what is not CSV.
func (r *arrivalsReader) broken(err error) {
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		r.fail(0, 0, "%v", err)
		return
	}
	at := r.offset(pe.Line, pe.Column)
	r.fail(at, at+1, "not CSV: %v", pe.Err)
}

// offset is the place of a line and a column, which counts bytes from 1.
func (r *arrivalsReader) offset(line, col int) int {
	if line < 1 || line > len(r.src.starts) {
		return len(r.src.text)
	}
	return clamp(r.src.starts[line-1]+max(col, 1)-1, r.src.text)
}

func (r *arrivalsReader) fail(start, end int, format string, args ...any) {
	if r.bad++; r.bad <= maxBadLines {
		r.say(start, end, format, args...)
	}
}

func (r *arrivalsReader) say(start, end int, format string, args ...any) {
	p := r.src.problem(span{start, end}, r.path, fmt.Sprintf(format, args...))
	r.l.problems = append(r.l.problems, &p)
}
