package sweep

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"simrun/internal/result"
)

func testHeader() *Header {
	return &Header{
		Schema: JournalSchema, Plan: "0123456789abcdef", Simrun: "simrun 1.0", Scenario: "abc", Points: 3,
		Seeds: []uint64{7, 3}, Metrics: []string{"failed@all", "time_to_avoid@f"},
	}
}

// testCells are all cells of the header, in the order in which two workers might finish them.
func testCells() []Cell {
	var out []Cell
	for i, at := range [][2]int{{0, 7}, {0, 3}, {1, 3}, {1, 7}, {2, 7}, {2, 3}} {
		c := Cell{Point: at[0], Seed: uint64(at[1]), Key: "00c0ffee", Digest: "feedfeedfeedfeed"}
		c.Values = []result.SeedValue{result.SeedValue(i) / 3, result.SeedValue(math.Inf(1))}
		if i%2 == 1 {
			c.Values[1] = result.SeedValue(math.NaN())
		}
		out = append(out, c)
	}
	return out
}

// mortal is a file of a process that is killed when so many bytes are written: of the write on the way, as
// many are left as fit.
type mortal struct {
	data  []byte
	lives int // bytes
}

var errKilled = errors.New("killed")

func (f *mortal) Write(p []byte) (int, error) {
	n := min(len(p), f.lives)
	f.data, f.lives = append(f.data, p[:n]...), f.lives-n
	if n < len(p) {
		f.lives = 0
		return n, errKilled
	}
	return n, nil
}

func (f *mortal) Sync() error { return nil }

func (f *mortal) Truncate(size int64) error {
	if f.lives == 0 {
		return errKilled // the dead change nothing
	}
	f.data = f.data[:size]
	return nil
}

func clock() time.Time { return time.Unix(0, 0) }

// Goal: "A kill at any moment of a sweep loses at most the cells in flight", and a killed sweep that is
// resumed comes to the same bytes. Method: a process that dies at every byte that it writes; the next goes
// on.
func TestKilledAtEveryByte(t *testing.T) {
	h, cells := testHeader(), testCells()
	sorted := testCells()
	h.Sort(sorted)
	want := Encode(h, sorted)
	for lives := range len(want) + 1 {
		f := &mortal{lives: lives}
		var finished []Cell
		if j, err := start(f, h, 0, clock); err == nil {
			for i := range cells {
				if j.Append(&cells[i]) != nil {
					break
				}
				finished = append(finished, cells[i])
			}
		}
		had, good, err := Read("cells.ndjson", f.data, h)
		if err != nil {
			t.Fatalf("killed after %d bytes: %v", lives, err)
		}
		if !bytes.Equal(Encode(h, had), Encode(h, finished)) {
			t.Fatalf("killed after %d bytes: %d cells are left of %d", lives, len(had), len(finished))
		}
		next := &mortal{data: f.data, lives: 1 << 20}
		j, err := start(next, h, int64(good), clock)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(had); i < len(cells); i++ {
			if err := j.Append(&cells[i]); err != nil {
				t.Fatal(err)
			}
		}
		all, good, err := Read("cells.ndjson", next.data, h)
		h.Sort(all)
		if err != nil || good != len(next.data) || !bytes.Equal(Encode(h, all), want) {
			t.Fatalf("killed after %d bytes, then resumed: %v, %d of %d", lives, err, good, len(next.data))
		}
	}
}

// Goal: "a corrupted or truncated results file is detected and named, never merged". Law: whatever is done to
// a byte or a stretch of a journal, either it is refused, or each cell in it is one that was written.
func TestDamageIsDetectedOrHarmless(t *testing.T) {
	h := testHeader()
	written := map[string]bool{}
	for _, c := range testCells() {
		written[string(body(&c))] = true
	}
	text := Encode(h, testCells())
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(text)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		switch rapid.IntRange(0, 4).Draw(t, "how") {
		case 0:
			data[at] ^= byte(1) << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1:
			data = data[:at]
		case 2:
			to := rapid.IntRange(at, len(data)).Draw(t, "to")
			data = append(data[:at], data[to:]...)
		case 3:
			data = append(data[:at], append([]byte{rapid.Byte().Draw(t, "byte")}, text[at:]...)...)
		case 4: // a stretch once more
			to := rapid.IntRange(at, len(data)).Draw(t, "to")
			data = append(data[:to], text[at:]...)
		}
		cells, good, err := Read("cells.ndjson", data, h)
		if err != nil {
			var d *Damage
			if !errors.As(err, &d) || d.Line < 1 || len(cells) > 0 {
				t.Fatalf("%v, and %d cells", err, len(cells))
			}
			return
		}
		if good > len(data) || bytes.IndexByte(data[good:], '\n') >= 0 {
			t.Fatalf("%d of %d are good", good, len(data))
		}
		seen := map[place2]bool{}
		for _, c := range cells {
			if at := (place2{c.Point, c.Seed}); !written[string(body(&c))] || seen[at] {
				t.Fatalf("a cell that nobody wrote, or one twice: %s", body(&c))
			} else {
				seen[at] = true
			}
		}
	})
}

// Goal: damage is named by file, line and reason. Method: a journal edited in the ways that happen.
func TestDamageIsNamed(t *testing.T) {
	datadriven.RunTest(t, "testdata/damage", func(t *testing.T, d *datadriven.TestData) string {
		h := testHeader()
		lines := strings.SplitAfter(strings.TrimSuffix(string(Encode(h, testCells())), "\n"), "\n")
		lines[len(lines)-1] += "\n"
		switch d.Cmd {
		case "torn":
			last := &lines[len(lines)-1]
			*last = (*last)[:len(*last)/2]
		case "flipped":
			lines[3] = strings.Replace(lines[3], "00c0ffee", "00c0ffef", 1)
		case "middle-cut":
			lines[2] = lines[2][:20]
		case "lost-line":
			lines = append(lines[:3], lines[4:]...)
		case "zeros":
			lines = append(lines, strings.Repeat("\x00", 30)+"\n")
		case "other-plan", "other-binary", "other-schema", "other-scenario":
			other := *h
			switch d.Cmd {
			case "other-plan":
				other.Plan = "fedcba9876543210"
			case "other-binary":
				other.Simrun = "simrun 0.9"
			case "other-schema":
				other.Schema = 99
			case "other-scenario":
				other.Scenario = "def"
			}
			lines[0] = string(line(&other, 0))
		case "foreign-line":
			other := *h
			other.Simrun = "simrun 0.9"
			lines[2] = string(line(&testCells()[1], other.seal()))
		case "twice":
			lines = append(lines, lines[1])
		case "two-digests":
			c := testCells()[0]
			c.Digest = "0000000000000000"
			lines = append(lines, string(line(&c, h.seal())))
		case "no-point":
			c := testCells()[0]
			c.Point = 3
			lines = append(lines, string(line(&c, h.seal())))
		case "no-header":
			lines = lines[1:]
		case "another-file":
			lines = []string{"point,seed\n", "0,1\n"}
		case "empty":
			lines = nil
		}
		data := []byte(strings.Join(lines, ""))
		cells, good, err := Read("cells.ndjson", data, h)
		switch {
		case err != nil:
			return err.Error() + "\n"
		case good < len(data):
			return plain("%d cells, the last line was torn\n", len(cells))
		}
		return plain("%d cells\n", len(cells))
	})
}

// Goal: "Two processes at once on one directory: lock … and say so", and a file that is renamed away between
// opening and locking is not mistaken for the one of that name.
func TestOneAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cells.ndjson")
	h := testHeader()
	a, err := Open(path, h, clock)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, h, clock); !errors.Is(err, ErrBusy) {
		t.Errorf("the second one gets %v", err)
	}
	cells := testCells()
	if err := errors.Join(a.Append(&cells[0]), a.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"point":1,`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	b, err := Open(path, h, clock)
	if err != nil || len(b.Cells) != 1 || b.Torn != 3 {
		t.Fatalf("%+v, %v", b, err)
	}
	if err := errors.Join(b.Append(&cells[1]), b.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(data, Encode(h, cells[:2])) {
		t.Errorf("%v\n%s", err, data)
	}
}
