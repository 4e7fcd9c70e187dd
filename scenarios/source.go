package scenarios

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source is a text that keys and values come from: a scenario file or one flag.
type source struct {
	// name is what stands before a position: the path as the user wrote it, or "--set[2]".
	name string
	text string
	// flag is true for a --set flag, which has no lines; builtin for the text of a default.
	flag, builtin bool
	// own is true for what a variant says.
	own bool
	// over is true for what is laid over a variant.
	over bool
	// rank orders sources in reports: 0 for the file, 1.. for the --set flags, then other flags.
	rank   int
	starts []int // byte offset of each line
}

func newSource(name, text string) *source {
	s := &source{name: name, text: text, starts: []int{0}}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// span is a stretch of a source, in bytes; end is exclusive.
type span struct{ start, end int }

// position is the line and column of an offset, both from 1; a column counts characters.
func (s *source) position(offset int) (line, col int) {
	offset = min(max(offset, 0), len(s.text))
	i := sort.SearchInts(s.starts, offset+1) - 1
	return i + 1, utf8.RuneCountInString(s.text[s.starts[i]:offset]) + 1
}

// line is the text of a line (from 1) without its line end.
func (s *source) line(n int) string {
	if n < 1 || n > len(s.starts) {
		return ""
	}
	end := len(s.text)
	if n < len(s.starts) {
		end = s.starts[n] - 1
	}
	return strings.TrimSuffix(s.text[s.starts[n-1]:end], "\r")
}

// maxExcerpt is the number of characters of a line that an excerpt shows.
const maxExcerpt = 120

// excerpt shows the line of a span under the line before it, with carets below the span.
func (s *source) excerpt(sp span) string {
	line, col := s.position(sp.start)
	text := printable(s.line(line))
	width := utf8.RuneCountInString(s.text[clamp(sp.start, s.text):clamp(sp.end, s.text)])
	text, col = clip(text, col)
	width = max(1, min(width, len(text)-(col-1)))

	var b strings.Builder
	if s.flag {
		fmt.Fprintf(&b, "      | %s\n", string(text))
	} else {
		if before := printable(s.line(line - 1)); line > 1 && len(strings.TrimSpace(string(before))) > 0 {
			before, _ = clip(before, 1)
			fmt.Fprintf(&b, "%5d | %s\n", line-1, string(before))
		}
		fmt.Fprintf(&b, "%5d | %s\n", line, string(text))
	}
	fmt.Fprintf(&b, "      | %s%s\n", strings.Repeat(" ", col-1), strings.Repeat("^", width))
	return b.String()
}

// clip cuts a long line so that column col stays in sight; it returns the column in the cut line.
func clip(line []rune, col int) ([]rune, int) {
	if len(line) <= maxExcerpt {
		return line, col
	}
	from := 0
	if col > maxExcerpt*2/3 {
		from = min(col-maxExcerpt/3, len(line)-1)
	}
	to := min(from+maxExcerpt, len(line))
	cut := append([]rune(nil), line[from:to]...)
	if from > 0 {
		cut[0] = '…'
	}
	if to < len(line) {
		cut[len(cut)-1] = '…'
	}
	return cut, col - from
}

// printable replaces what would move a terminal's cursor, one character for one.
func printable(line string) []rune {
	out := make([]rune, 0, len(line))
	for _, r := range line {
		switch {
		case r == '\t':
			r = ' '
		case !unicode.IsPrint(r):
			r = '·'
		}
		out = append(out, r)
	}
	return out
}

func clamp(offset int, text string) int { return min(max(offset, 0), len(text)) }
