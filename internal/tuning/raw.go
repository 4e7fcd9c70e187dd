package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"simrun/internal/ensemble"
	"simrun/internal/result"
)

// Files of the numbers that the page is made of, below the directory of the page.
const (
	rawSeeds  = "tuning-guide/seeds.csv"
	rawSearch = "tuning-guide/search.csv"
)

var (
	seedFields   = []string{"place", "setting", "key", "digest", "row"}
	searchFields = []string{"place", "setting", "key", "goal"}
)

// goals of the search by the names that they have in its file.
var goals = []struct {
	name string
	of   func(*score) *float64
}{
	{"failed (share)", func(s *score) *float64 { return &s.failed }},
	{"p99 (s)", func(s *score) *float64 { return &s.p99 }},
	{"starved (s)", func(s *score) *float64 { return &s.starved }},
}

// csv has a line for each row that was kept and used.
func (s *shelf) csv() []byte {
	lines := [][]string{slices.Clone(seedFields)}
	for _, seed := range heldOut() {
		lines[0] = append(lines[0], fmt.Sprint(seed))
	}
	for _, k := range s.all {
		if !k.used {
			continue
		}
		for i, r := range k.rows {
			line := []string{k.place, k.setting, k.key, k.digest, r.String()}
			for _, x := range k.values[i] {
				line = append(line, exact(x))
			}
			lines = append(lines, padLine(line, len(lines[0])))
		}
	}
	return written(lines)
}

// read takes what a file of these has.
func (s *shelf) read(path string) error {
	lines, err := readLines(path, seedFields)
	if err != nil {
		return err
	}
	for _, l := range lines {
		n := len(s.all)
		if n == 0 || s.all[n-1].place != l[0] || s.all[n-1].setting != l[1] {
			s.all = append(s.all, &kept{place: l[0], setting: l[1], key: l[2], digest: l[3]})
			n++
		}
		k := s.all[n-1]
		values, err := numbersIn(l[len(seedFields):])
		if err != nil {
			return fmt.Errorf("%s: %s with %s: %w", path, l[0], l[1], err)
		}
		k.rows, k.values = append(k.rows, rowNamed(l[4])), append(k.values, values)
	}
	return nil
}

// rowNamed is the row that is written so: see [ensemble.Row.String].
func rowNamed(text string) ensemble.Row {
	metric, place, _ := strings.Cut(text, "@")
	if m, _ := result.LookupMetric(metric); m.Scope.OfFault() {
		return ensemble.Row{Metric: metric, Fault: place}
	}
	return ensemble.Row{Metric: metric, Phase: place}
}

// csv has three lines for each setting that was tried in a cell: its goals by seed, blank from where it was
// dropped.
func (l *lab) csv() []byte {
	last := stages[len(stages)-1]
	lines := [][]string{slices.Clone(searchFields)}
	for seed := uint64(1); seed <= last; seed++ {
		lines[0] = append(lines[0], fmt.Sprint(seed))
	}
	for c := range l.cells {
		for x := range l.settings {
			for _, g := range goals {
				line := []string{l.cells[c].name(), l.settings[x].name, l.key(c, x), g.name}
				for seed := uint64(1); seed <= last; seed++ {
					if a, ok := l.known[asked{c, x, seed}]; ok {
						line = append(line, exact(*g.of(&a)))
					}
				}
				lines = append(lines, padLine(line, len(lines[0])))
			}
		}
	}
	return written(lines)
}

// key is of all that is set in a cell.
func (l *lab) key(c, x int) string {
	return keyOf(slices.Concat([]string{l.cells[c].scenario}, l.cells[c].base(), l.settings[x].flags())...)
}

// read takes the scores that a file has of these cells and settings.
func (l *lab) read(path string) error {
	lines, err := readLines(path, searchFields)
	if err != nil {
		return err
	}
	for _, line := range lines {
		c := slices.IndexFunc(l.cells, func(c cell) bool { return c.name() == line[0] })
		x := slices.IndexFunc(l.settings, func(s setting) bool { return s.name == line[1] })
		if c < 0 || x < 0 || l.key(c, x) != line[2] {
			continue // of another study: it is missed where it is asked for
		}
		values, err := numbersIn(line[len(searchFields):])
		if err != nil {
			return fmt.Errorf("%s: %s with %s: %w", path, line[0], line[1], err)
		}
		for i, v := range values {
			if math.IsNaN(v) {
				break
			}
			at := asked{c, x, uint64(i + 1)}
			a := l.known[at]
			for _, g := range goals {
				if g.name == line[3] {
					*g.of(&a) = v
				}
			}
			l.known[at] = a
		}
	}
	return nil
}

// exact is a number with all its digits: empty if there is none.
func exact(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case math.IsInf(x, 1):
		return "never"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// numbersIn reads what [exact] writes.
func numbersIn(words []string) ([]float64, error) {
	out := make([]float64, len(words))
	for i, w := range words {
		switch w {
		case "":
			out[i] = math.NaN()
		case "never":
			out[i] = math.Inf(1)
		default:
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				return nil, err
			}
			out[i] = x
		}
	}
	return out, nil
}

func padLine(line []string, n int) []string {
	for len(line) < n {
		line = append(line, "")
	}
	return line
}

func written(lines [][]string) []byte {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(lines) // a buffer takes everything
	return b.Bytes()
}

// readLines are the lines of a file that begins with these fields.
func readLines(path string, fields []string) ([][]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) == 0 || len(lines[0]) < len(fields) || !slices.Equal(lines[0][:len(fields)], fields) {
		return nil, fmt.Errorf("%s does not begin with the columns %q", path, fields)
	}
	return lines[1:], nil
}
