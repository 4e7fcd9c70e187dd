package report

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// TextOptions say how text is laid out.
type TextOptions struct {
	// Width is the number of columns; 0 means 80. Tables that are wider become several tables.
	Width int
	// Color adds ANSI colours; colour is never the only cue.
	Color bool
}

func (o TextOptions) width() int {
	const narrowest = 40 // a row label and one column
	switch {
	case o.Width == 0:
		return 80
	case o.Width < narrowest:
		return narrowest
	}
	return o.Width
}

// ink is how a piece of text looks on a terminal with colours.
type ink uint8

// Inks.
const (
	plain ink = iota
	bold
	dim
	good
	bad
	doubtful
)

var ansi = [...]string{
	bold: "\x1b[1m", dim: "\x1b[2m", good: "\x1b[32m", bad: "\x1b[31m", doubtful: "\x1b[33m",
}

// page collects lines of text and the footnotes under them.
type page struct {
	opt   TextOptions
	b     strings.Builder
	notes []string
	// blocks takes everything instead of b, if it is not nil: for a page of HTML.
	blocks *blocks
}

// paint puts the ink on a text.
func (p *page) paint(s string, k ink) string {
	if !p.opt.Color || k == plain || s == "" {
		return s
	}
	return ansi[k] + s + "\x1b[0m"
}

// line writes one line, without blanks at its end.
func (p *page) line(s string) {
	if p.blocks != nil {
		p.blocks.line(s)
		return
	}
	p.b.WriteString(strings.TrimRight(s, " "))
	p.b.WriteByte('\n')
}

// gap writes an empty line between blocks.
func (p *page) gap() {
	if p.blocks != nil {
		p.blocks.gap()
		return
	}
	if p.b.Len() > 0 && !strings.HasSuffix(p.b.String(), "\n\n") {
		p.b.WriteByte('\n')
	}
}

// wrapped writes words within the width; all lines but the first are indented by hang columns.
func (p *page) wrapped(lead, text string, hang int, k ink) {
	room := p.opt.width() - hang
	for i, l := range wrap(torn(breakable(text), room), " ", room) {
		if i > 0 {
			lead = strings.Repeat(" ", hang)
		}
		p.line(lead + p.paint(l, k))
	}
}

// fields writes a heading: parts that are held together by dots, breaking lines between parts, and
// between words only where a part is too long for a line.
func (p *page) fields(parts []string) {
	for _, l := range wrap(parts, " · ", p.opt.width()) {
		if runes(l) <= p.opt.width() {
			p.line(p.paint(l, bold))
			continue
		}
		for _, l := range wrap(torn(breakable(l), p.opt.width()), " ", p.opt.width()) {
			p.line(p.paint(l, bold))
		}
	}
}

// breakable are the parts between which a text may be broken: at its blanks, but not within a number, whose
// groups of digits are held apart by blanks, too.
func breakable(text string) []string {
	var out []string
	for _, w := range strings.Fields(text) {
		if last := len(out) - 1; last >= 0 && continues(out[last], w) {
			out[last] += " " + w
			continue
		}
		out = append(out, w)
	}
	return out
}

// continues says whether next is a further group of three digits of the number at the end of a word.
func continues(word, next string) bool {
	digit := func(s string, i int) bool { return i >= 0 && i < len(s) && '0' <= s[i] && s[i] <= '9' }
	group := digit(next, 0) && digit(next, 1) && digit(next, 2) && !digit(next, 3)
	n := len(word) - 1
	run := 0
	for digit(word, n-run) {
		run++
	}
	// A group comes after one to three digits, and those have no point before them.
	return group && 0 < run && run <= 3 && (n < run || word[n-run] != '.')
}

// torn cuts words that are longer than a line.
func torn(words []string, width int) []string {
	var out []string
	for _, w := range words {
		r := []rune(w)
		for width > 0 && len(r) > width {
			out = append(out, string(r[:width]))
			r = r[width:]
		}
		out = append(out, string(r))
	}
	return out
}

// wrap joins parts with sep into lines of at most width columns; a longer part has its own line.
func wrap(parts []string, sep string, width int) []string {
	var lines []string
	for _, part := range parts {
		if part == "" {
			continue
		}
		last := len(lines) - 1
		if last >= 0 && runes(lines[last])+runes(sep)+runes(part) <= width {
			lines[last] += sep + part
			continue
		}
		lines = append(lines, part)
	}
	return lines
}

// note returns the mark of a footnote; the same text has the same mark.
func (p *page) note(text string) string {
	for i, n := range p.notes {
		if n == text {
			return superscript(i + 1)
		}
	}
	p.notes = append(p.notes, text)
	return superscript(len(p.notes))
}

// footnotes writes and forgets the footnotes of the blocks above.
func (p *page) footnotes() {
	for i, n := range p.notes {
		p.wrapped(superscript(i+1)+" ", n, 2, dim)
	}
	p.notes = nil
}

// superscript is a whole number in raised digits.
func superscript(n int) string {
	raised := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, d := range strconv.Itoa(n) {
		b.WriteRune(raised[d-'0'])
	}
	return b.String()
}

// flush writes the page out.
func (p *page) flush(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// runes is the number of columns of a text.
func runes(s string) int { return utf8.RuneCountInString(s) }

// pad fills s with blanks to a width, on the left or on the right.
func pad(s string, width int, left bool) string {
	fill := strings.Repeat(" ", max(0, width-runes(s)))
	if left {
		return fill + s
	}
	return s + fill
}
