package report

import (
	"regexp"
	"strings"
)

// blocks are what the writers of the text summary write, to be shown as HTML: the words and numbers of
// both are the same, because the same functions make them. Lines are whole, tables are one.
type blocks struct {
	list []block
	// open are the lines since the last gap or table: if a table follows they are its caption.
	open []inkedText
}

// block is a table or a line of text.
type block struct {
	Table *htmlTable
	Text  inkedText
}

// inkedText is a line in pieces of one ink.
type inkedText []piece

// piece is some text of one ink; Class names it to the style sheet.
type piece struct{ Class, Text string }

// htmlTable is a table with its heading lines and rows.
type htmlTable struct {
	Caption []inkedText
	// Groups are headings over several columns, none if there are no such.
	Groups []htmlGroup
	Heads  []htmlHead
	Rows   []htmlRow
}

type htmlGroup struct {
	Text string
	Span int
}

// htmlHead is the heading of a column; When is the stretch of time that it is about, if it is about one.
type htmlHead struct {
	Text, When string
	Left       bool
}

// headOf joins the lines of a heading.
func headOf(c *column) htmlHead {
	h := htmlHead{Left: c.left}
	lines := c.head
	if n := len(lines) - 1; n > 0 && headInterval.MatchString(lines[n]) {
		h.When, lines = lines[n], lines[:n]
	}
	h.Text = strings.Join(lines, " ")
	h.Text = strings.NewReplacer(". ", ".", "/ ", "/").Replace(h.Text) // broken where they may be
	return h
}

var headInterval = regexp.MustCompile(`^[0-9].*–.* s$`)

// htmlRow is a row of values, or a heading over the rows below it.
type htmlRow struct {
	Label   string
	Sub     bool // it belongs to the row above
	Heading bool
	Cells   []htmlCell
}

type htmlCell struct {
	Text, Mark, Class string
	Left              bool
}

// Wide says whether the table needs a smaller print on paper.
func (h *htmlTable) Wide() bool {
	const most = 5 // of the longest names of phases, on A4
	return len(h.Heads) > most
}

// groupOf is the heading over the group of a column, empty if it has none.
func (h *htmlTable) groupOf(col int) string {
	for _, g := range h.Groups {
		if col < g.Span {
			return g.Text
		}
		col -= g.Span
	}
	return ""
}

// Span is the number of columns under a row that is a heading.
func (h *htmlTable) Span() int { return len(h.Heads) + 1 }

// htmlOf runs writers of the text summary and returns what they wrote; caption is that of a table that
// has none of its own.
func htmlOf(caption string, write ...func(p *page)) []block {
	const unbounded = 1 << 20
	b := &blocks{}
	p := &page{opt: TextOptions{Width: unbounded, Color: true}, blocks: b}
	for _, w := range write {
		w(p)
		b.gap()
	}
	for i := range b.list {
		if t := b.list[i].Table; t != nil && len(t.Caption) == 0 {
			t.Caption = []inkedText{{{Text: caption}}}
		}
	}
	return b.list
}

func (b *blocks) line(s string) {
	if s = strings.TrimRight(s, " "); s != "" {
		b.open = append(b.open, inked(s))
	}
}

// gap ends a paragraph.
func (b *blocks) gap() {
	for _, t := range b.open {
		b.list = append(b.list, block{Text: t})
	}
	b.open = nil
}

func (b *blocks) table(t *table) {
	h := &htmlTable{Caption: b.open}
	b.open = nil
	for i := 0; i < len(t.cols); {
		n := groupLen(t.cols[i:])
		h.Groups = append(h.Groups, htmlGroup{t.cols[i].group, n})
		i += n
	}
	grouped := false
	for _, g := range h.Groups {
		grouped = grouped || strings.TrimSpace(g.Text) != ""
	}
	if !grouped {
		h.Groups = nil
	}
	for _, c := range t.cols {
		h.Heads = append(h.Heads, headOf(c))
	}
	h.rows(t)
	b.list = append(b.list, block{Table: h})
}

// rows fills in the rows of a table. A label that begins with blanks goes on under one above it: with two it
// is a part of that, with more it takes over the first words of the last one that it stands below.
func (h *htmlTable) rows(t *table) {
	const part = 2
	var above [2]string // the last label, and the last part of it
	for i, c := range t.stub {
		label := strings.TrimLeft(c.text, " ")
		indent := len(c.text) - len(label)
		row := htmlRow{Label: label, Sub: indent == part}
		switch {
		case indent == 0:
			above = [2]string{c.text}
		case indent == part:
			above[1] = c.text
		case beginsWord(above[0], indent):
			row.Label = above[0][:indent] + label
		case beginsWord(above[1], indent):
			row.Label, row.Sub = strings.TrimLeft(above[1][:indent], " ")+label, true
		}
		row.Heading = true
		for _, col := range t.cols {
			v := htmlCell{Text: col.cells[i].text, Mark: col.cells[i].mark, Left: col.left}
			v.Class = inkClass(col.cells[i].ink)
			row.Heading = row.Heading && v.Text == ""
			row.Cells = append(row.Cells, v)
		}
		h.Rows = append(h.Rows, row)
	}
}

// beginsWord says whether a word of a text begins at a byte of it.
func beginsWord(text string, at int) bool {
	return at < len(text) && text[at-1] == ' ' && text[at] != ' '
}

// inkClass is the class of an ink in the style sheet.
func inkClass(k ink) string { return [...]string{"", "strong", "quiet", "good", "bad", "doubt"}[k] }

// inked takes a line apart at the marks of colours for a terminal.
func inked(s string) inkedText {
	var out inkedText
	add := func(class, text string) {
		if text != "" {
			out = append(out, piece{class, text})
		}
	}
	for s != "" {
		i := strings.IndexByte(s, '\x1b')
		if i < 0 {
			break
		}
		add("", s[:i])
		s = s[i:]
		class := ""
		for k, code := range ansi {
			if code != "" && strings.HasPrefix(s, code) {
				class, s = inkClass(ink(k)), s[len(code):]
				break
			}
		}
		const reset = "\x1b[0m"
		body, rest, _ := strings.Cut(s, reset)
		add(class, body)
		s = rest
	}
	add("", s)
	return out
}

// String is the text without inks.
func (t inkedText) String() string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.Text)
	}
	return b.String()
}

// numberGap is a blank between the thousands of a number, or before its unit.
var numberGap = regexp.MustCompile(`(\d) (\d{3}|s\b|[KMGT]?i?B\b)`)

// wholeNumbers keeps numbers from being torn apart at the end of a line.
func wholeNumbers(s string) string {
	const noBreak = "\u00A0"
	for numberGap.MatchString(s) { // the parts of a long number overlap
		s = numberGap.ReplaceAllString(s, "${1}"+noBreak+"${2}")
	}
	return strings.ReplaceAll(s, "× ", "×"+noBreak)
}
