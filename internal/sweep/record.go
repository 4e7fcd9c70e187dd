package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"simrun/internal/result"
)

// JournalSchema changes when a line of the journal changes its meaning.
const JournalSchema = 1

// Header is the first line of a journal: what its cells are of. Cells of another are never merged.
type Header struct {
	Schema int `json:"schema"`
	// Plan is the key of the plan, Simrun the binary, Scenario the name of the scenario.
	Plan     string   `json:"plan"`
	Simrun   string   `json:"simrun"`
	Scenario string   `json:"scenario"`
	Points   int      `json:"points"`
	Seeds    []uint64 `json:"seeds"`
	Metrics  []string `json:"metrics"`
}

// Cell is what is kept of a run: a line of the journal.
type Cell struct {
	Point int    `json:"point"`
	Seed  uint64 `json:"seed"`
	// Key and Digest are those of the run.
	Key    string `json:"key"`
	Digest string `json:"digest"`
	// Values are by Header.Metrics.
	Values []result.SeedValue `json:"values"`
}

func (c *Cell) same(d *Cell) bool {
	a, b := body(c), body(d)
	return bytes.Equal(a, b)
}

// Each line ends with the xxhash of the line before that, and of the header: a line of another journal is
// none of this one.
const (
	sumMark   = `,"sum":"`
	sumDigits = 16
	sumEnd    = `"}`
)

// body is a line without its checksum and the closing brace.
func body(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // whole numbers, strings and values that write themselves
	}
	return data[:len(data)-1]
}

// line writes a line. The header's own has the salt 0.
func line(v any, salt uint64) []byte {
	b := body(v)
	return fmt.Appendf(b, "%s%016x%s\n", sumMark, checksum(b, salt), sumEnd)
}

func checksum(body []byte, salt uint64) uint64 {
	d := xxhash.NewWithSeed(salt)
	_, _ = d.Write(body)
	return d.Sum64()
}

// unsealed is the JSON of a line, if its checksum is right.
func unsealed(text []byte, salt uint64) ([]byte, bool) {
	at := len(text) - len(sumMark) - sumDigits - len(sumEnd)
	if at < 0 || !bytes.HasPrefix(text[at:], []byte(sumMark)) || !bytes.HasSuffix(text, []byte(sumEnd)) {
		return nil, false
	}
	sum := checksum(text[:at], salt)
	if string(text[at+len(sumMark):len(text)-len(sumEnd)]) != fmt.Sprintf("%016x", sum) {
		return nil, false
	}
	return append(slices.Clone(text[:at]), '}'), true
}

// seal is the salt of the lines below a header.
func (h *Header) seal() uint64 { return checksum(body(h), 0) }

// Encode is a journal with cells in the order of points and seeds: what a journal is in the end, in whatever
// order its cells came.
func Encode(h *Header, cells []Cell) []byte {
	out := line(h, 0)
	for i := range cells {
		out = append(out, line(&cells[i], h.seal())...)
	}
	return out
}

// Sort puts cells in the order of points and seeds.
func (h *Header) Sort(cells []Cell) {
	at := map[uint64]int{}
	for i, s := range h.Seeds {
		at[s] = i
	}
	slices.SortFunc(cells, func(a, b Cell) int {
		if a.Point != b.Point {
			return a.Point - b.Point
		}
		return at[a.Seed] - at[b.Seed]
	})
}
